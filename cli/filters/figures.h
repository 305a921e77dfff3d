/*
 * figures.h - what is printed of a filter, as JSON and otherwise.
 */
#ifndef CLI_FILTERS_FIGURES_H
#define CLI_FILTERS_FIGURES_H

#include <lfbloom/any.h>
#include <stdbool.h>

/* Whether hashes of this choice depend on a secret key. */
bool figures_keyed(lfb_hash_id hash);

/* Whether the form records n and p.  The n that it records may be 0. */
bool figures_made_for(const lfb_stats *stats);

/* Whether somebody counts the bits that are set: not for a key of the module for Redis. */
bool figures_counted(const lfb_stats *stats);

/* The name of the form of a filter; LFB_KIND_NONE is one on a server, and `form` that of a plain
 * one. */
const char *figures_form(lfb_kind kind, lfb_form form);

/* Makes the planned figures of a plain filter those of its counters (lfbloom/counting.h); those of
 * tags stay. */
void figures_of_counters(lfb_stats *stats);

/* Prints the figures of a filter in the form of that name (NULL: in none), as members of the open
 * object; null for figures that the form or the kind does not have. */
void figures_json(const char *form, const lfb_stats *stats);

#endif
