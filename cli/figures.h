/*
 * figures.h - prints a filter's figures as JSON.
 */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include <lfbloom/filter.h>

/* Prints the figures of a filter in the form of that name, as members of the open object; null
 * for figures that the form does not record. */
void figures_json(const char *form, const lfb_stats *stats);

/* Prints the figures for a command that put keys into the filter. */
void figures_json_filled(const lfb_stats *stats);

#endif
