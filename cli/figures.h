/*
 * figures.h - a filter's figures as JSON, for all who print them.
 */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include <lfbloom/filter.h>

/* Prints them, of a filter in the form of that name, as members of the open object; null where
 * a form did not say. */
void figures_json(const char *form, const lfb_stats *stats);

/* Prints what a command that read keys into a filter says of it. */
void figures_json_filled(const lfb_stats *stats);

#endif
