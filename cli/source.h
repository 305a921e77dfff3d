/*
 * source.h - filters that a command looks into, and those that several processes share.
 */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include <lfbloom/counting.h>
#include <lfbloom/filter.h>
#include <lfbloom/growing_mapped.h>
#include <stdbool.h>

#include "cli/options.h"
#include "cli/remote.h"

/* A filter that is only asked: one of the four is there. */
struct source {
  const lfb_filter *plain;
  const lfb_growing *growing;
  lfb_counting *counting;
  struct remote remote;
};

/* Whether it is "-", which is standard input. */
bool source_is_standard(const char *path);

/*
 * Opens the filter in a file, or from standard input: in place where several processes
 * share it, so that what they put is seen, else a copy in memory; or a growing or a counting
 * filter, which is read from a regular file only; or one on a Redis server, which is asked
 * there.
 *
 * Returns false after a report.   Owner  the caller, until source_close().
 */
bool source_open_any(const char *path, const struct options_reading *reading,
                     struct source *source);

/*
 * Opens a filter in a regular file that grows or counts, as it was said to by the status of
 * loading it as one that does neither; any other is returned.  No report.
 */
lfb_status source_open_kind(const char *path, const lfb_read_limits *limits, lfb_status kind,
                            struct source *source);

/* As lfb_filter_load(), also from a pipe, which it reads as it comes.  No report. */
lfb_status source_load_file(const char *path, const lfb_read_limits *limits,
                            lfb_filter **filter);

/* Has a filter on a server in memory from now on.  False after a report. */
bool source_fetch(struct source *source);

/* As lfb_filter_might_contain_many(), of SOURCE_BATCH keys at most: better as many as
 * source_batch() says.  False after a report. */
bool source_ask(const struct source *source, const lfb_key *keys, size_t count,
                uint64_t *answers, size_t *yes);

enum { SOURCE_BATCH = REMOTE_BATCH };

size_t source_batch(const struct source *source);

void source_close(struct source *source);

/*
 * Loads a filter that neither grows nor counts, from a file or a server.
 *
 * Takes   limits  NULL, or of a file: the key is that of `reading`.
 * Returns NULL after a report.   Owner  the caller, until lfb_filter_free().
 */
lfb_filter *source_load(const char *path, const struct options_reading *reading,
                        const lfb_read_limits *limits);

/* What a shared filter is to be; 0 in .fpp, .seed: whatever it is. */
struct source_wish {
  const char *command; /* that asks, for reports */
  const lfb_config *config;
  const struct options_reading *reading;
  bool any_count;    /* .expected_insertions counts for a new one only */
  bool any_strategy; /* .strategy likewise                             */
};

/* A filter that is put into: one of the two is there. */
struct source_shared {
  lfb_filter *filter; /* in memory or in a mapped file */
  struct remote remote;
};

/*
 * Opens the shared filter at `path` for putting, if there is one, or says in `*there` that
 * there is none: then source_share_new() makes it, or opens what another process has made
 * meanwhile.
 *
 * Returns false after a report, also where it is there and not what is wished for.
 * Owner   the caller, until source_shared_close().
 */
bool source_share(const char *path, const struct source_wish *wish, bool *there,
                  struct source_shared *shared);
bool source_share_new(const char *path, const struct source_wish *wish,
                      struct source_shared *shared);

/*
 * Ends putting into a shared filter: makes durable what was put.
 *
 * Returns false after a report, also where `path` now names another file or none: no other
 * process opens the filter that the keys went into.
 */
bool source_settle(const char *path, const struct source_shared *shared);

/* Its figures, for which the bits of a file are counted; false after a report. */
bool source_shared_stats(const struct source_shared *shared, lfb_stats *stats);

/* How many keys are better put at a time: at most SOURCE_BATCH. */
size_t source_shared_batch(const struct source_shared *shared);

void source_shared_close(struct source_shared *shared);

#endif
