/*
 * lfbloom/watch.h - tells when a filter gets too full, and how many of its answers are false
 * positives.
 *
 * A watch looks at a filter each time it is polled.  It calls the caller's function once when a
 * limit is crossed, counts the false positives that the caller reports, and writes all figures as
 * text for Prometheus.
 *
 * Guarantees
 *
 * 1. Once       A limit is crossed when a poll finds the figure at the limit or above.  Of all
 *               polls, concurrent or not, exactly one calls back for it.  The limit stays crossed,
 *               even if the figure falls, until lfb_watch_rearm(): of two polling threads, one may
 *               hold old figures, so a limit never rearms itself.
 * 2. Progress   Reports are wait-free after a thread's first; so are poll, stats and rearm, except
 *               for the functions they call back.  Reports, poll, stats, crossed and rearm do not
 *               allocate; lfb_watch_prometheus() does.  No call ever locks.
 * 3. Cheap      A report is a load and a store to a cache line of the thread's own.  A poll that
 *               finds all limits crossed reads one word.  Any other poll takes the filter's stats.
 *               In memory that is one line per thread that counts, and some microseconds of
 *               arithmetic.  For a filter in a file it calls lfb_filter_stats_recent(), which
 *               counts the bits again from time to time.  So poll every thousand puts or every
 *               second, not at each put.
 *
 * Which calls may run at once: any two, also with any call on the filter, except that free runs
 * alone.  The filter must outlive its watches.
 */
#ifndef LFBLOOM_WATCH_H
#define LFBLOOM_WATCH_H

#include <lfbloom/filter_more.h>

LFB_EXTERN_C_BEGIN

/* A watch over a filter, or over anything with a filter's figures. */
typedef struct lfb_watch lfb_watch;

/* The figure that is limited.  Each limit is one bit, so that several make a set. */
typedef enum lfb_watch_limit {
  LFB_WATCH_FILL = 1,         /* bits set / bits that can be set                           */
  LFB_WATCH_EXPECTED_FPP = 2, /* the probability of a false positive now, from the bits set */
} lfb_watch_limit;

/* Receives a limit that is crossed, and the figures that cross it, on the thread that polls.  It
 * may call anything except lfb_watch_free(). */
typedef void (*lfb_watch_fn)(void *context, lfb_watch_limit limit, const lfb_stats *stats);

/* Writes the figures of what is watched, as lfb_filter_stats() and lfb_counting_stats() do.
 * Threads call it concurrently. */
typedef void (*lfb_watch_stats_fn)(const void *watched, lfb_stats *stats);

/* The limits, and what to call.  All zero is the default: no limits. */
typedef struct lfb_watch_config {
  double fill;          /* up to 1; 0: no limit */
  double expected_fpp;  /* up to 1; 0: no limit */
  lfb_watch_fn crossed; /* NULL: nothing is called; lfb_watch_poll() returns it */
  void *context;        /* first argument of `crossed` */
  const char *name;     /* the filter's name in the text; must be a valid label; copied.  NULL: the
                           filter's label at creation                                 */
  uint64_t reserved[8]; /* must be 0 (lfbloom/status.h) */
} lfb_watch_config;

/* All figures of a watch. */
typedef struct lfb_watch_figures {
  const char *name; /* the watch's own */
  lfb_stats stats;          /* of what is watched                                     */
  double fill;              /* bits set / bits that can be set: 0 to 1                */
  unsigned limits;          /* the set of limits that are configured                  */
  unsigned crossed;         /* the set of limits that are crossed                     */
  uint64_t maybe, no;       /* answers that were reported                             */
  uint64_t false_positives; /* that were reported: at most the answers "maybe" that
                               were reported before them                              */
  double observed_fpp;      /* false_positives / (false_positives + no), which
                               expected_fpp predicts; NaN while both are 0            */
  double wrong_maybes;      /* false_positives / maybe: depends on the keys that are
                               queried; NaN while maybe is 0                          */
  uint64_t reserved[8]; /* 0 (lfbloom/status.h) */
} lfb_watch_figures;

/*
 * Makes a watch over a filter.
 *
 * Fails  LFB_ERROR_BAD_LIMIT (also for NaN), _BAD_LABEL, _NO_MEMORY.
 * Owner  the caller, until lfb_watch_free().
 */
LFB_CHECKED lfb_status lfb_watch_create(const lfb_filter *filter, const lfb_watch_config *config,
                                        lfb_watch **watch);

/* The same over anything that has figures: a counting filter, or by lfb_versions_watched() a handle with
 * versions (lfbloom/versions.h).  A NULL name means "". */
LFB_CHECKED lfb_status lfb_watch_create_over(lfb_watch_stats_fn stats, const void *watched,
                                             const lfb_watch_config *config, lfb_watch **watch);

/* Frees a watch.  NULL is ignored. */
LFB_API void lfb_watch_free(lfb_watch *watch);

/* Tests the limits, and calls back for each one that is newly crossed.  Returns the set of crossed
 * limits. */
LFB_API unsigned lfb_watch_poll(lfb_watch *watch);

/* Returns the set of limits that polls found crossed; takes no figures. */
LFB_API unsigned lfb_watch_crossed(const lfb_watch *watch);

/* Marks a set of limits as not crossed: the next poll that finds one crossed calls back again. */
LFB_API void lfb_watch_rearm(lfb_watch *watch, unsigned limits);

/*
 * Adds to the counts of answers to queries: `maybe` and `no` more of each.  Collect some and
 * report them together.  Report answers before reporting which of them were false positives.
 */
LFB_API void lfb_watch_report_answers(lfb_watch *watch, uint64_t maybe, uint64_t no);

/* Counts one "maybe" as a false positive: the key had not been put. */
LFB_API void lfb_watch_report_false_positive(lfb_watch *watch);

/* Writes all figures now. */
LFB_API void lfb_watch_stats(const lfb_watch *watch, lfb_watch_figures *figures);

/*
 * Writes the figures of `count` watches as one text in Prometheus' exposition format, version
 * 0.0.4 (text/plain; version=0.0.4), with the watch's name as label `filter`.  An exposition must
 * not get the same metrics, lfbloom_filter_..., from anything else.
 *
 * Fails  LFB_ERROR_SAME_NAME: two of the watches have the same name, and their figures could not
 *        be distinguished.  Nothing was written.
 *        LFB_ERROR_NO_MEMORY, or the status that `write` returned.
 */
LFB_CHECKED lfb_status lfb_watch_prometheus(const lfb_watch *const *watches, size_t count,
                                            lfb_write_fn write, void *to);

LFB_EXTERN_C_END

#endif
