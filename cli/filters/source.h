/*
 * source.h - an open filter of any kind: in a file, in a file that processes share, or on a server.
 */
#ifndef CLI_FILTERS_SOURCE_H
#define CLI_FILTERS_SOURCE_H

#include <lfbloom/any.h>
#include <pthread.h>
#include <stdbool.h>

#include "cli/base/options.h"
#include "cli/filters/there.h"
#include "cli/filters/window.h"
#include "cli/input/keys.h"

/* An open filter: here or there, on a server. */
struct source {
  const char *path; /* as it was given, an address without its password; not copied.  NULL: it was
                       made in memory */
  lfb_any any; /* here; a copy of a window is in its present generation if it has a span, else in
                  that of the file */
  struct there there; /* on a server */
  uint64_t period_ms; /* of a copy of a window that a server keeps (lfb_redis_module_value) */
  bool numbers;       /* keys are of type LFB_KEYS_I64 */
  bool checking;      /* a thread compares the checksums of its words */
  pthread_t thread;
};

/*
 * Opens the filter at `path`:
 *
 *   LFB_OPEN_IN_PLACE  to be queried: a shared filter where it is, so that puts of other processes
 *                      are visible; a file from 64 MiB on without reading it; an address on its
 *                      server; any other, and "-", standard input, as a copy.
 *   LFB_OPEN_COPY      read into memory, from an address, too: of any kind from a regular file, a
 *                      plain one also from a pipe.  A growing filter that processes share is
 *                      opened in place.
 *
 * Takes   kind    LFB_KIND_NONE for whichever it is.
 *         limits  as lfb_any_open(), with the key of its hash.
 * Returns false after a report.   Owner  the caller, until source_close().
 */
bool source_open(const char *path, lfb_opening how, lfb_kind kind, const lfb_read_limits *limits,
                 struct source *source);

/* The same of a file as a copy, without a report. */
lfb_status source_open_copy(const char *path, lfb_kind kind, const lfb_read_limits *limits,
                            lfb_any *any);

/* The same of a file with a plain filter as a copy, whose keys are of this type (typed_take()).
 * NULL after a report.  Owner: the caller, until lfb_filter_free(). */
lfb_filter *source_load(const char *path, const struct options_key *key, lfb_key_type *type);

/* The same of one of any kind.  False after a report.  Owner: the caller, until lfb_any_free(). */
bool source_load_any(const char *path, lfb_kind kind, const struct options_key *key,
                     lfb_key_type *type, lfb_any *any);

/* What a file is, as lfb_form_of_file() says it; LFB_OK if it is no regular file: a pipe must not
 * be opened twice. */
lfb_status source_form(const char *path);

/* Reports why a filter was not opened, and what to do. */
void source_report(const char *path, lfb_status status);

/* Begins to compare the checksums of a large file that was opened in place, in a thread to which
 * `source` stays where it is. */
void source_check(struct source *source);

/* Waits until the checksums have been compared.  If one differs, the program ends with a report, as
 * soon as that is found: it may have given wrong answers. */
void source_checked(struct source *source);

/* Says how keys are read, and reads them as those that the filter has, if that is known.  False
 * after a report if they are others, or the filter takes none of them: on a server numbers only if
 * they are hashed as their bytes. */
bool source_takes(struct source *source, struct keys_source *keys);

/* The figures of the filter without those that follow from its bits; of one on a server only
 * .all. */
void source_plan(const struct source *source, lfb_figures *figures);

enum { SOURCE_BATCH = 4096 }; /* keys: 64 KiB of them fit on a thread's stack of 512 KiB (crew.c) */

/*
 * As lfb_any_many(), for at most SOURCE_BATCH keys; source_batch() keys are best.  On a server a
 * put claims.  A claim in a window of time begins a generation if it is due.
 *
 * Returns false after a report, also for a put or claim in a filter that is full and cannot grow:
 * more and more new keys would be taken for present ones.  Of the batch that makes it full about
 * as many are as p says; if there is no other, source_settle() reports it.
 */
bool source_do(const struct source *source, lfb_verb verb, const lfb_key *keys, size_t count,
               uint64_t *answers, size_t *yes);
size_t source_batch(const struct source *source);

/* The figures of the filter; LFB_KIND_NONE is a plain one on a server.  Counts its bits.  Fails as
 * lfb_redis_stats(); the second is false after a report. */
lfb_status source_look(const struct source *source, lfb_figures *figures);
bool source_stats(const struct source *source, lfb_figures *figures);

/*
 * Ends putting into a shared filter: makes the puts durable.
 *
 * Returns false after a report, also if it cannot grow, or if the path now names another file or
 * none: then no other process can open the filter that has the keys.
 */
bool source_settle(const struct source *source);

void source_close(struct source *source);

/* ---- to put into ---------------------------------------------------------------- */

/* The filter to put into that is wanted. */
struct source_wish {
  const struct command *command; /* for reports */
  lfb_config *config; /* 0 in .fpp or .seed: any; source_share() sets .expected_insertions */
  const struct options_key *key;
  const struct options_count *expected; /* -n; if it was not given, .keys are counted if need be */
  const struct keys_source *keys;
  const struct window_span *span; /* of a window; NULL: none          */
  bool any_strategy; /* .strategy is only for a new filter            */
  bool grows;        /* a new file is made to grow                    */
  bool only_growing; /* an existing filter must grow, too             */
};

/*
 * Opens the filter at `path` for putting, together with other processes; makes it if there is none.
 * If `path` is NULL, makes one in memory.  An address with ?helper=N,P says itself what to make.
 *
 * Returns false after a report, also if the filter is not the one wished for.
 * Owner   the caller, until source_close().
 */
bool source_share(const char *path, const struct source_wish *wish, struct source *source);

#endif
