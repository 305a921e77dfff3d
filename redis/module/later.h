/*
 * later.h - large filters that receive the bits of others in small steps, so that BF.MERGE and COPY
 * hold up no other client.
 *
 * lfb_later_put_all() begins a job and returns.  The filter `to` then stands for what
 * lfb_filter_put_all() would have made of it at that moment: both filters are cut into pieces of 4
 * KiB, and before a key's piece of `to` is read, or one of either filter is changed, that piece is
 * done (lfb_later_ready()).  The module's timer does the others.  Replicas and the AOF get the
 * command when the job begins, so equal commands give equal filters.
 *
 * Threads  Any may read held filters, and call lfb_later_ready_words(), _drop() and _free(); one
 *          calls all others.  In a child by fork() the memory is a copy.
 */
#ifndef LFB_REDIS_MODULE_LATER_H
#define LFB_REDIS_MODULE_LATER_H

#include <lfbloom/filter_more.h>

enum {
  LFB_LATER_FROM = 1 << 20,   /* bytes of words; smaller filters are done at once */
  LFB_ASIDE_FROM = 32 << 20, /* bytes of memory; what is smaller is freed at once: eviction by
                                maxmemory counts what a key's end has freed           */
};

/* Once, before any filter: locks before fork() and unlocks after it.  Returns false if that is
 * refused. */
bool lfb_later_begin(void);

/* Puts all keys of one filter into another of the same description, now or in steps.  No memory:
 * now. */
void lfb_later_put_all(lfb_filter *to, const lfb_filter *from);

/* Copies a filter, now or in steps.  Fails: LFB_ERROR_NO_MEMORY. */
LFB_CHECKED lfb_status lfb_later_copy(const lfb_filter *from, lfb_filter **copy);

/* Does the pieces that keys are in: to be called before they are looked up, or before they are
 * put. */
void lfb_later_ready(const lfb_filter *filter, const lfb_key *keys, size_t count, bool put);

/* Does the pieces of some words, which are then read.  Returns whether it took the lock. */
bool lfb_later_ready_words(const lfb_filter *filter, uint64_t first, uint64_t count);

/* Makes the count of a filter's bits what it will be.  A copy's is from the beginning, unless its
 * source is just being merged into; else it does all pieces. */
void lfb_later_count(const lfb_filter *filter);

/* The bits of a filter that are set, and those that a job that is not done may turn on: at most as
 * if none of them were set yet. */
uint64_t lfb_later_bits(const lfb_filter *filter);

/* Works for about a millisecond.  Returns whether more is to be done. */
bool lfb_later_step(void);

/* Keeps two filters, also if they are freed, until lfb_later_drop() of the same.  Returns false if
 * too many are. */
bool lfb_later_hold(const lfb_filter *a, const lfb_filter *b);
void lfb_later_drop(const lfb_filter *a, const lfb_filter *b);

/* Runs a function in a thread of its own.  Returns false if there is none. */
bool lfb_aside(void *(*run)(void *of), void *of);

/* Frees a filter.  In the thread that begins jobs now, unless it is held: jobs that make it are
 * dropped, the first copy of it gets its memory, and all other jobs that read it are done.  In
 * another thread when nothing needs it. */
void lfb_later_free(lfb_filter *filter);

#endif
