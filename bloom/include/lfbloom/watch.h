/*
 * lfbloom/watch.h - when a filter gets too full, and how often it really is wrong.
 *
 * Guarantees 5, 18, 19 of docs/guarantees.md.
 *
 * A watch looks at a filter whenever it is polled, calls back once when a limit is
 * crossed, keeps count of the false positives that the caller finds out about, and gives
 * all of it as text for Prometheus.
 *
 * 1. Once       A limit is crossed when a poll finds the figure at it or above.  Of all polls,
 *               at once or not, exactly one calls back for it: the limit stays crossed,
 *               whatever the figure does, until lfb_watch_rearm().  It is not rearmed by
 *               itself: of two threads that poll, one may hold figures that are old.
 * 2. Progress   The reports are wait-free after a thread's first; poll, figures and rearm
 *               too, but for what is called back.  None allocates, but prometheus; none
 *               ever locks.
 * 3. Cheap      A report is a load and a store to a line of the thread's own.  A poll that finds
 *               all limits crossed reads one word; others take the filter's stats, a line
 *               for each thread's stripe and some microseconds of arithmetic: poll every
 *               thousand puts, or every second, not at each put.
 * 4. Threads    Any function beside any other, and beside all of the filter's, but
 *               free, which runs alone.  The filter outlives its watches.
 */
#ifndef LFBLOOM_WATCH_H
#define LFBLOOM_WATCH_H

#include <lfbloom/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A watch over a filter, or over anything that has its figures. */
typedef struct lfb_watch lfb_watch;

/* What is limited; each a bit of its own, so that several make a set. */
typedef enum lfb_watch_limit {
  LFB_WATCH_FILL = 1,         /* bits set / bits that can be set */
  LFB_WATCH_EXPECTED_FPP = 2, /* the probability of a wrong "maybe" now, from the bits set */
} lfb_watch_limit;

/* Is told, on the thread that polls, that a limit is crossed, and the figures that cross it.
 * May call anything but lfb_watch_free(). */
typedef void (*lfb_watch_fn)(void *context, lfb_watch_limit limit, const lfb_stats *stats);

/* Gives the figures of what is watched, as lfb_filter_stats() and lfb_counting_stats() do;
 * called by many threads at once. */
typedef void (*lfb_watch_stats_fn)(const void *watched, lfb_stats *stats);

/* What is watched for.  All zero is the default: no limits. */
typedef struct lfb_watch_config {
  double fill;          /* up to 1; 0: no limit */
  double expected_fpp;  /* up to 1; 0: no limit */
  lfb_watch_fn crossed; /* NULL: nobody is called, the polls' answers say it */
  void *context;        /* for it                                            */
  const char *name;     /* of the filter in the text, as a label may be, copied; NULL: the
                           filter's label as it is now                        */
} lfb_watch_config;

/* All that a watch knows. */
typedef struct lfb_watch_figures {
  const char *name; /* the watch's own */
  lfb_stats stats;          /* of what is watched                                     */
  double fill;              /* 0 to 1                                                 */
  unsigned limits;          /* the set of those that there are                        */
  unsigned crossed;         /* the set of those that are crossed                      */
  uint64_t maybe, no;       /* answers, as reported                                   */
  uint64_t false_positives; /* as reported: never more than the answers "maybe" that
                               were reported before them                              */
  double observed_fpp;      /* false_positives / (false_positives + no), which is what
                               expected_fpp foresees; NaN while both are 0            */
  double wrong_maybes;      /* false_positives / maybe: hangs on what is asked for; NaN
                               while maybe is 0                                       */
} lfb_watch_figures;

/*
 * Begins to watch a filter.
 *
 * Fails  LFB_ERROR_BAD_LIMIT (NaN too), _BAD_LABEL, _NO_MEMORY.
 * Owner  the caller, until lfb_watch_free().
 */
LFB_API lfb_status lfb_watch_create(const lfb_filter *filter, const lfb_watch_config *config,
                                    lfb_watch **watch);

/* The same for anything that has figures: a counting filter, say.  No name: "". */
LFB_API lfb_status lfb_watch_create_over(lfb_watch_stats_fn stats, const void *watched,
                                         const lfb_watch_config *config, lfb_watch **watch);

/* Ends it; NULL is ignored. */
LFB_API void lfb_watch_free(lfb_watch *watch);

/* Looks whether limits are crossed, and calls back for each one that is and was not; the set
 * of those that are crossed. */
LFB_API unsigned lfb_watch_poll(lfb_watch *watch);

/* The set of limits that polls have found crossed; looks at nothing else. */
LFB_API unsigned lfb_watch_crossed(const lfb_watch *watch);

/* Makes a set of limits as if never crossed: the next poll that finds one so calls back. */
LFB_API void lfb_watch_rearm(lfb_watch *watch, unsigned limits);

/*
 * Counts answers that the filter has given to queries: `maybe` and `no` more of each.  Gather
 * some and report them together, and do it before reporting which "maybe" was wrong.
 */
LFB_API void lfb_watch_report_answers(lfb_watch *watch, uint64_t maybe, uint64_t no);

/* Counts one "maybe" that turned out to be wrong: the key had not been put. */
LFB_API void lfb_watch_report_false_positive(lfb_watch *watch);

/* All figures now. */
LFB_API void lfb_watch_look(const lfb_watch *watch, lfb_watch_figures *figures);

/*
 * Writes the figures of `count` watches as one text in Prometheus' exposition format,
 * version 0.0.4 (text/plain; version=0.0.4), with the watch's name as label `filter`.
 * Nothing else may bring the same metrics, lfbloom_filter_..., into one exposition.
 *
 * Fails  LFB_ERROR_SAME_NAME: two of them have one name, and could not be told apart:
 *        nothing has been written; _NO_MEMORY; or whatever `write` returned.
 */
LFB_API lfb_status lfb_watch_prometheus(const lfb_watch *const *watches, size_t count,
                                        lfb_write_fn write, void *to);

#ifdef __cplusplus
}
#endif

#endif
