/*
 * source.h - the filters that a command queries, and filters that several processes share.
 */
#ifndef CLI_FILTERS_SOURCE_H
#define CLI_FILTERS_SOURCE_H

#include <lfbloom/any.h>
#include <stdbool.h>

#include "cli/base/options.h"
#include "cli/filters/remote.h"
#include "cli/input/typed.h"

/* A filter that is only queried: here, or on a server. */
struct source {
  lfb_any any; /* a window: a copy, in its present generation if it has a span, else in that of the
                  file */
  struct remote remote;
  bool numbers;               /* keys are of type TYPED_I64                        */
  struct source_check *check; /* of its words, in a thread; NULL: they are checked */
};

/* Whether `path` is "-": standard input. */
bool source_is_standard(const char *path);

/*
 * Opens the filter at `path`:
 *   a shared filter         in place, so puts of other processes are visible;
 *   a file from 64 MiB on   in place; a thread compares the checksums of its words, unless
 *                           reading->no_verify: source_checked();
 *   growing, counting, or   only from a regular file;
 *   a window
 *   an address              on the Redis server, which is queried;
 *   any other, and "-"      as a copy in memory.
 *
 * Returns false after a report.   Owner  the caller, until source_close().
 */
bool source_open_any(const char *path, const struct options_reading *reading,
                     struct source *source);

/*
 * Reads a filter into memory: of any kind from a regular file, a plain one also from a pipe.  A
 * growing filter that processes share is opened in place.  No report.
 */
lfb_status source_open_copy(const char *path, const lfb_read_limits *limits, lfb_any *any);

/* Reports why a file was not opened, and what to do. */
void source_report(const char *path, lfb_status status);

/* Whether keys of the type can be put into, or asked of, a filter on a server: numbers only if they
 * are hashed as their bytes.  False after a report. */
bool source_takes_type(const char *path, const struct remote *remote, enum typed type);

/* As lfb_any_many(), for at most SOURCE_BATCH keys; `numbers`: they are of type TYPED_I64. */
size_t source_do(lfb_any any, lfb_verb verb, bool numbers, const lfb_key *keys, size_t count,
                 uint64_t *answers);

/* As lfb_filter_might_contain_many(), for at most SOURCE_BATCH keys; source_batch() keys are best.
 * False after a report. */
bool source_ask(const struct source *source, const lfb_key *keys, size_t count,
                uint64_t *answers, size_t *yes);

enum { SOURCE_BATCH = REMOTE_BATCH };

size_t source_batch(const struct source *source);

/* Waits until the checksums have been compared.  If one differs, the program ends with a report, as
 * soon as that is found: it may have given wrong answers. */
void source_checked(struct source *source);

void source_close(struct source *source);

/*
 * Loads a plain filter from a file or a server.
 *
 * Takes   limits  for a file, or NULL; the key comes from `reading`.
 * Returns NULL after a report.   Owner  the caller, until lfb_filter_free().
 */
lfb_filter *source_load(const char *path, const struct options_reading *reading,
                        const lfb_read_limits *limits);

/* The shared filter that is wanted; 0 in .fpp or .seed: any. */
struct source_wish {
  const char *command; /* its name, for reports */
  const lfb_config *config;
  const struct options_reading *reading;
  bool any_count;    /* .expected_insertions is only for a new filter */
  bool any_strategy; /* .strategy is only for a new filter            */
  bool grows;        /* a new file is made to grow                    */
  bool only_growing; /* an existing filter must grow, too             */
};

/* A filter that is put into: here, or on a server. */
struct source_shared {
  lfb_any any;
  struct remote remote;
};

/* Whether a new file could have the mode that is wished for: only its owner may read a file that
 * holds the key of its hash.  False after a report. */
bool source_mode_fits(const char *path, uint32_t mode, bool key_kept);

/*
 * source_share() opens the shared filter at `path` for putting; `*there` is false if there is none.
 * Then source_share_new() makes it, or opens it if another process makes it first.
 *
 * Returns false after a report, also if the filter is not the one wished for.
 * Owner   the caller, until source_shared_close().
 */
bool source_share(const char *path, const struct source_wish *wish, bool *there,
                  struct source_shared *shared);
bool source_share_new(const char *path, const struct source_wish *wish,
                      struct source_shared *shared);

/* Whether the filter has no need to grow, or can.  If not, more and more new keys would be taken
 * for present ones.  False after a report. */
bool source_can_grow(const char *path, const struct source_shared *shared);

/*
 * Ends putting into a shared filter: makes the puts durable.
 *
 * Returns false after a report, also if it cannot grow (source_can_grow()), or if `path` now names
 * another file or none: then no other process can open the filter that has the keys.
 */
bool source_settle(const char *path, const struct source_shared *shared);

/* The figures of the filter; counts the bits of a file.  False after a report. */
bool source_shared_stats(const struct source_shared *shared, lfb_stats *stats);

/* The best number of keys per call: at most SOURCE_BATCH. */
size_t source_shared_batch(const struct source_shared *shared);

void source_shared_close(struct source_shared *shared);

#endif
