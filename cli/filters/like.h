/*
 * like.h - what a new filter takes from an existing one, so that the two can be merged.
 */
#ifndef CLI_FILTERS_LIKE_H
#define CLI_FILTERS_LIKE_H

#include <lfbloom/filter.h>
#include <stdbool.h>

#include "cli/base/options.h"

/* An existing filter, as it was given. */
struct like {
  const char *path; /* of --like; NULL: it was not given                       */
  bool all;         /* take n, fpp and what decides the size, not only the hash */
};

/*
 * Takes the hash, its key, the type of keys, and the strategy unless one was given; with like->all
 * everything that decides the size.  The key in `*key` may be needed to open the filter; the new
 * filter's key replaces it.
 *
 * Returns false after a report: the filter cannot be opened, or none like it can be made.
 */
bool like_take(const struct like *like, struct options_key *key,
               struct options_strategy *strategy, lfb_config *config);

#endif
