/*
 * source.h - filters that a command looks into, and those that several processes share.
 *
 * Floor 4 of cli/.  May include: human.h, options.h, report.h and the public
 * headers.
 */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include <lfbloom/counting.h>
#include <lfbloom/filter.h>
#include <lfbloom/growing_mapped.h>
#include <stdbool.h>

#include "cli/options.h"

/* A filter that is only asked: one of the three is there. */
struct source {
  const lfb_filter *plain;
  const lfb_growing *growing;
  lfb_counting *counting;
};

/* Whether it is "-", which is standard input. */
bool source_is_standard(const char *path);

/*
 * Opens the filter in a file, or from standard input: in place where several processes
 * share it, so that what they put is seen, else a copy in memory; or a growing or a counting
 * filter, which is read from a regular file only.
 *
 * Returns false after a report.   Owner  the caller, until source_close().
 */
bool source_open_any(const char *path, const struct options_key *key, struct source *source);

/* As lfb_filter_might_contain_many(). */
size_t source_ask(const struct source *source, const lfb_key *keys, size_t count,
                  uint64_t *answers);

void source_close(struct source *source);

/* Whether there is a file at `path` already, to be shared. */
bool source_is_there(const char *path);

/* What a shared filter is to be; 0 in .fpp, .seed: whatever it is. */
struct source_wish {
  const char *command; /* that asks, for reports */
  const lfb_config *config;
  const struct options_key *key;
  bool any_count;    /* .expected_insertions counts for a new one only */
  bool any_strategy; /* .strategy likewise                             */
};

/*
 * Opens the shared filter at `path` for putting; where there is nothing, makes it.
 *
 * Returns NULL after a report, also where it is there and not what is wished for.
 * Owner   the caller, until lfb_mapped_close().
 */
lfb_filter *source_share(const char *path, const struct source_wish *wish);

/* Says so where the count of a shared filter had to be mended, or could not be. */
void source_recount(const char *path, lfb_filter *filter);

/*
 * Ends putting into a shared filter: mends its count and makes what was put durable.
 *
 * Returns false after a report, also where `path` has come to name another file or none:
 * what was put is in a filter that nobody else opens any more.
 */
bool source_settle(const char *path, lfb_filter *filter);

#endif
