/*
 * gnuplot.h - running gnuplot.
 */
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Runs a script that was written to a temporary file, and gives the SVG picture
 * that it prints: whole, or none.
 *
 * Returns false after a report.  Owner of `*picture`: the caller, free().
 */
bool gnuplot_run(FILE *script, char **picture, size_t *size);

#endif
