/*
 * lfbloom/window.h - a filter that forgets: "was this key put in the last hour, or among the last
 * ten million?"
 *
 * A window filter finds a key for a span of time or of insertions, and then forgets it.  The span
 * is cut into G generations, 3 by default.  The current generation and the G before it are live.  A
 * generation is ended by the caller (lfb_window_advance()), by a clock (lfb_window_tick(), or
 * lfb_window_start_clock() for a thread that does it), or by the number of new keys
 * (lfb_window_config.by_insertions).  lfbloom/window_mapped.h has windows in files, for several
 * processes.
 *
 * Guarantees
 *
 * 1. Found   A key is found from the return of its put on, until G more generations have begun and
 *            the advance that ends the last of them is called.  That is at least the span, if no
 *            generation is shorter than span / G.  By lfb_window_tick(): at least the span after
 *            the last tick before the put.
 * 2. Forgotten  Once that advance has returned, the key is absent.  If no generation is longer than
 *            span / G, this is at most span * (1 + 1 / G) after the put.  A key that is put again
 *            is found for a span from then on.
 * 3. Rate    If each generation receives at most n / G distinct keys, the probability of a false
 *            positive is at most fpp, also while G + 1 generations are full, and after any number
 *            of generations.  A key that is put in several generations counts in each.
 * 4. Claims  After a claim of a key has won, no other claim of the key returns true before the
 *            advance of 1 is called.  Of the claims of a key that is not found, one wins, unless
 *            the key was a false positive, came in by a put, or its claimer was stopped.  A claim
 *            that loses puts nothing: the key is not found longer for it.
 * 5. Progress  Queries write nothing.  put, claim and queries are lock-free: a retry happens only
 *            because another thread changed the same words, won a claim, or began a generation.
 *            They do not allocate, lock or enter the kernel, with two exceptions: by_insertions,
 *            the call that ends a generation does the work of lfb_window_advance(); with
 *            lazy_memory, the first touch of a page enters the kernel.  There is no limit of
 *            threads.  On a processor without a 16-byte compare-and-exchange a claim locks
 *            (lfbloom/filter.h).
 * 6. Stopped  A thread that stops inside a put, claim or query, and never runs again, blocks
 *            nothing, and loses no key but its own.  One that stops inside an advance holds up
 *            later advances, as long as its process lives (LFB_ERROR_WINDOW_HELD): the window then
 *            remembers for longer than its span, and its rate of false positives grows; nothing is
 *            lost.
 * 7. Order   As lfbloom/filter.h, 7: a query that returns true does not make another thread's
 *            earlier writes visible.
 *
 * Which calls may run at once: any two, except that free runs alone, and that the clock is started
 * and stopped by one thread at a time.
 *
 * fork       A child has a copy, in which no put of the parent's other threads is in progress.  The
 *            child has no clock.
 *
 * Files      lfb_any_save() writes the generation and when it began, too (docs/formats.md).  A key
 *            that was put before the call, and is live when it returns, is found in what is
 *            written.  What is read is in the generation in which it was written; with a span, the
 *            next lfb_window_tick() ends what is over since; by_insertions begins to count anew.
 *            With lfb_read_limits.open_damaged, words that do not match their checksum become all
 *            ones: no key is lost, and false positives are more frequent until G + 1 generations
 *            have begun.
 *
 * Memory     At the default preference, for G = 3, in bits per key of a span: 20.7 at 1 %, 29 at
 *            0.1 %, 41.5 at 1e-4, 61 at 1e-6, 124 at 1e-9.
 *
 * Source: bloom/window/window.h has the layout and the proof, docs/performance.md the times.
 */
#ifndef LFBLOOM_WINDOW_H
#define LFBLOOM_WINDOW_H

#include <lfbloom/filter.h>

LFB_EXTERN_C_BEGIN

/* A filter that forgets. */
typedef struct lfb_window lfb_window;

/* The description of a window to make.  All zero is the default, except that fpp must be set. */
typedef struct lfb_window_config {
  uint64_t expected_insertions; /* n, in distinct keys per span; 0 counts as 1      */
  double fpp;                   /* p, 0 < fpp < 1, with all generations full        */
  uint32_t generations;         /* G: 1, 3 or 7; 0 for 3.  1 takes 27 to 40 % more memory, 7 takes
                                   5 to 13 % less, and its queries read twice as much */
  double span;                  /* in seconds, from 0.001 to 1e9, for lfb_window_tick(); 0: none */
  bool by_insertions;           /* the window itself advances after each n / G puts and claims that
                                   turned on a bit; it is late by at most n / (32 * G) + 2 of them
                                   for each thread, and by those that come while it advances */
  bool lazy_memory;             /* as lfb_config                                    */
  /* `balanced`: a key has one cache line down to 1 %, two down to 1e-4, four below (G = 3).
   * `speed`: down to 1e-3 and 1e-6. */
  lfb_memory_preference memory_preference;
  lfb_hash_id hash;             /* as for LFB_FAST in lfb_config                    */
  uint64_t seed;                /* as in lfb_config                                 */
  uint8_t key[16];              /* as in lfb_config                                 */
  bool keep_key;                /* as in lfb_config                                 */
  uint32_t file_mode;           /* as in lfb_config, for lfb_window_mapped_create() */
  lfb_key_type key_type;        /* as in lfb_config                                 */
  uint64_t reserved[7]; /* must be 0 (lfbloom/status.h) */
} lfb_window_config;

/* The most generations that are live at once: G + 1. */
enum { LFB_WINDOW_LIVE = 8 };

/* The figures of one live generation. */
typedef struct lfb_window_generation_figures {
  uint64_t bits_set;          /* exact while no put or claim is running             */
  uint64_t approximate_count; /* distinct keys that were put into it, estimated from bits_set;
                                 UINT64_MAX if all bits are set                     */
  uint64_t reserved[2]; /* 0 (lfbloom/status.h) */
} lfb_window_generation_figures;

/* A window's figures. */
typedef struct lfb_window_figures {
  uint64_t expected_insertions; /* n                                                */
  double fpp;                   /* p                                                */
  uint32_t generations;         /* G                                                */
  double span;                  /* in seconds; 0: none                              */
  uint32_t probes;              /* bits per key, at most 24                         */
  uint32_t block_words;         /* words that hold them: 2, 4 or 8                  */
  lfb_hash_id hash;             /* of the keys                                      */
  bool key_kept; /* the key of a keyed hash is written into files */
  uint64_t generation; /* the current one; the first is G + 1 */
  uint64_t bytes; /* of the words that hold the bits */
  uint64_t bit_count; /* of one generation */
  double expected_fpp; /* probability of a false positive now */
  lfb_window_generation_figures live[LFB_WINDOW_LIVE]; /* [0] is the current generation, then the
                                   older ones; those after [G] are 0                */
  uint64_t reserved[16]; /* 0 (lfbloom/status.h) */
} lfb_window_figures;

/*
 * Makes an empty window.
 *
 * Fails  as lfb_filter_create(); LFB_ERROR_BAD_GENERATIONS, LFB_ERROR_BAD_SPAN.
 * Owner  the caller, until lfb_window_free().
 */
LFB_CHECKED lfb_status lfb_window_create(const lfb_window_config *config, lfb_window **window);

/* Stops its clock and frees a window that no call is using; its file stays.  NULL is ignored. */
LFB_API void lfb_window_free(lfb_window *window);

/* Puts a key of `size` bytes.  Returns whether it turned on at least one bit in the current
 * generation. */
LFB_API bool lfb_window_put(lfb_window *window, const void *bytes, size_t size);

/* Returns whether the key may have been put in the window; false is certain. */
LFB_API bool lfb_window_might_contain(const lfb_window *window, const void *bytes, size_t size);

/* Puts a key unless it is found.  Of all calls that claim a key while it would be found, at most
 * one returns true (4). */
LFB_API bool lfb_window_claim(lfb_window *window, const void *bytes, size_t size);

/* As lfb_window_put(), _might_contain() and _claim(), for a 64-bit key. */
LFB_API bool lfb_window_put_u64(lfb_window *window, uint64_t key);
LFB_API bool lfb_window_might_contain_u64(const lfb_window *window, uint64_t key);
LFB_API bool lfb_window_claim_u64(lfb_window *window, uint64_t key);

/* The number of the current generation.  Wait-free. */
LFB_API uint64_t lfb_window_generation(const lfb_window *window);

/*
 * Ends generation `from` and begins the next.  Of all calls with one generation, one succeeds, so
 * several timers advance once.
 *
 * Cost   It clears 1 / (G + 1) of the filter (docs/performance.md), and holds up no put, claim or
 *        query.
 * Fails  LFB_ERROR_WRONG_GENERATION  `from` is not current, or another call has ended it
 *        LFB_ERROR_WINDOW_HELD       another thread or process is ending it; if that was stopped,
 *                                    it ends when its process goes on or ends (6)
 *        LFB_ERROR_OPEN              of a window in a file: it cannot be locked, with the cause in
 *                                    errno (lfbloom/window_mapped.h)
 */
LFB_CHECKED lfb_status lfb_window_advance(lfb_window *window, uint64_t from);

/*
 * Ends the generations that are over by the clock.  If each process calls it before its puts and
 * claims, no timer is needed.  After a pause it ends all that is over: then the window has
 * forgotten what it should.
 *
 * The time of a generation is that of the host's clock, also while it sleeps.  After a restart of
 * the host, and between time namespaces of containers, it is that of the wall clock.  If that was
 * set back meanwhile, the window remembers for longer.  If it was set forward wrongly, the window
 * forgets early, and cannot know it.  A process that has a window must not change its time
 * namespace; a child that it forks may be in another one, if the child can read /proc.
 *
 * Takes   ended  receives how many generations it has ended: 0 also if the window has no span, or
 *                another thread or process is ending one.  NULL: not wanted.
 * Fails   LFB_ERROR_OPEN, as lfb_window_advance(): what is over was not ended.
 * Cost    Without an end, two clocks are read: no system call where the kernel offers that.
 */
LFB_CHECKED lfb_status lfb_window_tick(lfb_window *window, uint32_t *ended);

/*
 * Starts a thread of the library that ends each generation when it is over.  If nothing else ends
 * them, none is shorter than span / G: if the thread is late, all later generations begin later.
 * If the thread runs already, the call says whether its last try to end a generation failed.
 *
 * Fails  LFB_ERROR_BAD_SPAN: the window has no span; _NO_MEMORY, _NO_THREAD; LFB_ERROR_OPEN, as
 *        lfb_window_advance(): the thread could end no generation.  The call itself takes no lock:
 *        that the file system has none, only the first try to end a generation finds.
 */
LFB_CHECKED lfb_status lfb_window_start_clock(lfb_window *window);

/* Stops that thread; nothing happens if there is none. */
LFB_API void lfb_window_stop_clock(lfb_window *window);

/* Writes the figures that a window of this configuration has when it is empty.  Fails as
 * lfb_window_create(), except for memory. */
LFB_CHECKED lfb_status lfb_window_config_plan(const lfb_window_config *config,
                                              lfb_window_figures *figures);

/* Writes the figures now.  The bits are counted: it takes about 0.1 s per GiB. */
LFB_API void lfb_window_stats(const lfb_window *window, lfb_window_figures *figures);

LFB_EXTERN_C_END

#endif
