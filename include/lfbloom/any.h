/*
 * lfbloom/any.h - a filter of any kind: opened, filled, queried, described and kept by code that
 * does not care which kind it is.
 *
 *   kind      header               claims  removes  a file of it that processes share
 *   plain     lfbloom/filter.h      yes      no      lfbloom/mapped.h
 *   growing   lfbloom/growing.h     yes      no      lfbloom/growing_mapped.h
 *   counting  lfbloom/counting.h    no       yes     none
 *   window    lfbloom/window.h      yes      no      lfbloom/window_mapped.h
 *
 * An lfb_any is a kind and a pointer: 16 bytes, which may be copied.  It owns nothing: what it
 * points to lives until lfb_any_free() or the kind's own function frees it, once.  For what only
 * one kind can do, use the pointer: lfb_window_tick(any.window).
 *
 * Contract   Each function here does what the kind's own function does, and the kind's header says
 *            of it: what is guaranteed, memory order, progress, signals, fork, stack, and which
 *            calls may run at once.  It adds a branch on the kind, and no other access to memory
 *            that threads share.
 */
#ifndef LFBLOOM_ANY_H
#define LFBLOOM_ANY_H

#include <lfbloom/counting.h>
#include <lfbloom/filter_more.h>
#include <lfbloom/growing.h>
#include <lfbloom/window.h>

LFB_EXTERN_C_BEGIN

/* The kinds of filters. */
typedef enum lfb_kind {
  LFB_KIND_NONE = 0,     /* there is no filter; to read one: any kind */
  LFB_KIND_PLAIN = 1,    /* lfbloom/filter.h                          */
  LFB_KIND_GROWING = 2,  /* lfbloom/growing.h                         */
  LFB_KIND_COUNTING = 3, /* lfbloom/counting.h                        */
  LFB_KIND_WINDOW = 4,   /* lfbloom/window.h                          */
} lfb_kind;

/* A filter of any kind: {LFB_KIND_GROWING, {growing}}.  All zero: there is none. */
typedef struct lfb_any {
  lfb_kind kind; /* of the filter that it points to */
  union {
    void *filter;           /* its address                    */
    lfb_filter *plain;      /* the same, of LFB_KIND_PLAIN    */
    lfb_growing *growing;   /* the same, of LFB_KIND_GROWING  */
    lfb_counting *counting; /* the same, of LFB_KIND_COUNTING */
    lfb_window *window;     /* the same, of LFB_KIND_WINDOW   */
  };
} lfb_any;

/*
 * Puts, queries, claims or removes many keys in one call, as lfb_filter_put_many() does; other
 * kinds than plain have no other call for many keys:
 *
 *   lfb_any_many_u64((lfb_any){LFB_KIND_GROWING, {growing}}, LFB_PUT, ids, count, NULL);
 *
 * Takes   answers  as lfb_filter_put_many(); of a counting filter as its own calls return them: of
 *         LFB_PUT whether the key is stored.
 * Returns how many answers are true.  A kind that cannot do it (the table above), and
 *         LFB_KIND_NONE, do nothing: all answers are false.
 */
LFB_API size_t lfb_any_many(lfb_any any, lfb_verb verb, const lfb_key *keys, size_t count,
                            uint64_t *answers);
LFB_API size_t lfb_any_many_u64(lfb_any any, lfb_verb verb, const uint64_t *keys, size_t count,
                                uint64_t *answers);

/* The figures of a filter of any kind. */
typedef struct lfb_figures {
  lfb_kind kind; /* of the filter */
  /*
   * As a plain filter has them.  Of a growing filter expected_insertions is that of the first
   * layer, and probes and words_per_key are 0: the layers differ.  Of a window strategy is
   * LFB_DEFAULT: it has a layout of its own; bits and approximate_count are those of all live
   * generations together, in which a key counts once for each that has it.
   */
  lfb_stats all;
  lfb_growing_figures growing; /* of a growing filter; else 0 */
  lfb_window_figures window;   /* of a window; else 0         */
  uint64_t reserved[8]; /* 0 (lfbloom/status.h) */
} lfb_figures;

/* Writes the figures now, at the cost of the kind's own function (lfb_window_stats()). */
LFB_API void lfb_any_stats(lfb_any any, lfb_figures *figures);

/* Writes the figures without a look at the bits: bits_set, and all that follows from it, are those
 * of an empty filter.  It takes less than a microsecond, also for a file. */
LFB_API void lfb_any_plan(lfb_any any, lfb_figures *figures);

/* How a file is opened. */
typedef enum lfb_opening {
  LFB_OPEN_COPY = 0,     /* read into memory, with all checksums compared                       */
  LFB_OPEN_IN_PLACE = 1, /* to be queried only: in place if the form allows it, else as a copy */
  LFB_OPEN_SHARED = 2,   /* to be changed in place, together with other processes              */
} lfb_opening;

/*
 * Opens the filter in a file.
 *
 * Takes  kind    LFB_KIND_NONE for whichever it is.
 *        how     LFB_OPEN_COPY      as lfb_filter_load(); also a window of
 *                                   lfb_window_mapped_create().  A growing filter of
 *                                   lfb_growing_mapped_create() has no copy.
 *                LFB_OPEN_IN_PLACE  as lfb_mapped_open_read_only().  A saved growing filter, a
 *                                   counting filter and a window are copied.  No call may change
 *                                   the filter.
 *                LFB_OPEN_SHARED    as lfb_mapped_open().
 *        limits  as lfb_filter_load() and lfb_mapped_open() use them; NULL for none.
 * Fails  as these; LFB_ERROR_GROWING, _GROWING_MAPPED, _COUNTING, _WINDOW: it is of that kind, and
 *        another was asked for; LFB_ERROR_NOT_GROWING, _NOT_COUNTING, _NOT_WINDOW: it is a plain
 *        filter; LFB_ERROR_NOT_MAPPED: it is in no file that processes share.
 * Owner  the caller, until lfb_any_free().
 */
LFB_CHECKED lfb_status lfb_any_open(const char *path, lfb_kind kind, lfb_opening how,
                                    const lfb_read_limits *limits, lfb_any *any);

/* Reads a filter from a stream, as lfb_filter_read().  Takes kind, Fails, Owner: as
 * lfb_any_open(). */
LFB_CHECKED lfb_status lfb_any_read(lfb_read_fn read, void *from, lfb_kind kind,
                                    const lfb_read_limits *limits, lfb_any *any);

/* Writes a filter as lfb_filter_write() and lfb_filter_save() do: a plain one in the native form,
 * others in that of their kind (docs/formats.md). */
LFB_CHECKED lfb_status lfb_any_write(lfb_any any, lfb_write_fn write, void *to);
LFB_CHECKED lfb_status lfb_any_save(lfb_any any, const char *path);

/* Makes durable what was put into a file that processes share.  Fails as lfb_mapped_sync();
 * LFB_ERROR_NOT_MAPPED: there is no such file. */
LFB_CHECKED lfb_status lfb_any_sync(lfb_any any);

/*
 * Copies a filter: the keys put before the call, and some of those put during it.
 *
 * Fails  LFB_ERROR_NO_MEMORY; LFB_ERROR_WINDOW: a window is copied by lfb_any_write() and
 *        lfb_any_read(); of a growing filter in a mapped file as its header says.
 * Owner  the caller, until lfb_any_free().
 */
LFB_CHECKED lfb_status lfb_any_copy(lfb_any any, lfb_any *copy);

/*
 * Makes a plain filter: of a counting filter, of the keys that are present now; of a growing
 * filter, of all keys.  Their headers say more.
 *
 * Fails  LFB_ERROR_NO_MEMORY, _SIZE_OVERFLOW; _WINDOW; _TAGS: of tags, which keep no bits; of a
 *        growing filter as its header says.
 * Owner  the caller, until lfb_filter_free().
 */
LFB_CHECKED lfb_status lfb_any_to_plain(lfb_any any, lfb_filter **plain);

/* Frees a filter that no call is using, and leaves its file; also one that may not be changed. */
LFB_API void lfb_any_free(lfb_any any);

LFB_EXTERN_C_END

#endif
