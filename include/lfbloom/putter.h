/*
 * lfbloom/putter.h - puts of single keys that do not wait for memory.
 *
 * A put waits until the cache line of its key arrives: from memory, or from another core that
 * wrote to it last.  lfb_filter_put_many() hides these waits, but needs an array of keys.  A putter
 * is for a caller that gets one key at a time.  lfb_putter_put_soon() hashes the key, asks for its
 * line and returns.  The key waits in the putter; it is put some calls later, when its line is
 * there.
 *
 * Guarantees
 *
 * 1. Found      A key is found once lfb_putter_flush() has returned, or once LFB_PUTTER_KEYS
 *               further calls of put_soon have returned; then, all of lfb_filter.h's guarantee 1
 *               holds for it.  Before, a query by any thread, the caller's own too, may answer
 *               "absent".
 * 2. Changed    put_soon does not tell whether the key is new.  A flush returns how many of the
 *               keys turned on at least one bit.  With strategy fast-pair that is the number of
 *               claims won: over all threads, each key is counted at most once.  A caller that
 *               needs the answer for one key calls lfb_filter_put() or lfb_filter_claim().
 * 3. Progress   lock-free.  No call allocates, locks or enters the kernel, except as
 *               lfb_filter_put() does.  One call of put_soon in LFB_PUTTER_KEYS / 2 puts that many
 *               keys; the others put none.
 * 4. Lost       Keys that wait are in the putter only.  They are lost if the putter is dropped, its
 *               thread ends, or the process is killed before the next flush.
 * 5. Count      bits_set counts the bits in the filter, not those of keys that wait.  It stays
 *               exact, and never above the truth, as lfb_filter.h's guarantee 5 states.
 *
 * A present key writes nothing that other threads read.  But its line is taken from the other
 * cores, as by lfb_filter_put_many().
 *
 * Cost    In a filter larger than the caches a key takes a fifth of the time of lfb_filter_put().
 *         Where nothing waits (one thread, a filter of 64 KiB) it takes 1 to 2 ns more
 *         (docs/performance.md).
 * Memory  560 bytes, the caller's.  The putter holds hashes, never a key's bytes.
 * Filters Any lfb_filter, also of a file that processes share (lfbloom/mapped.h).  Counting and
 *         growing filters and windows have no putter.
 * Threads A putter belongs to one thread at a time.  Any number of putters, and all calls on the
 *         filter, may run at once.  A handle's version (lfbloom/versions.h) may be freed when the
 *         read-side section ends: flush before.
 * Signals A handler may use a putter of its own.  It must not use a putter that the interrupted
 *         thread uses.
 * fork    The child gets a copy of the keys that wait.  If both processes flush, each puts them
 *         into its own copy of the filter.  In a filter in a file they are the same keys: the
 *         second put finds them present and counts none.
 * Free    lfb_filter_free() and lfb_mapped_close() do not know putters.  Flush first; after them
 *         only lfb_putter_init() may use the putter.  A putter needs no freeing.
 */
#ifndef LFBLOOM_PUTTER_H
#define LFBLOOM_PUTTER_H

#include <lfbloom/filter.h>

LFB_EXTERN_C_BEGIN

enum {
  /* The most keys that wait in a putter. */
  LFB_PUTTER_KEYS = 32,
};

/* Keys that will be put soon.  The caller provides the memory; only the functions below use the
 * fields. */
typedef struct lfb_putter {
  lfb_filter *filter; /* that gets the keys                                        */
  uint64_t asked;    /* words among which a hash finds its line; 0: a key has several lines */
  uint64_t new_keys; /* since the last flush                                        */
  uint32_t at;       /* place of the next key                                       */
  uint32_t full;     /* whether the half of the places without `at` is full         */
  uint64_t low[LFB_PUTTER_KEYS], high[LFB_PUTTER_KEYS]; /* halves of the hashes     */
  uint64_t reserved[2];                                 /* 0                        */
} lfb_putter;

/* Makes an empty putter for a filter, which must stay until the last flush. */
LFB_API void lfb_putter_init(lfb_putter *putter, lfb_filter *filter);

/* Puts a key of `size` bytes soon; 0 is allowed.  The bytes are free again when it returns. */
LFB_API void lfb_putter_put_soon(lfb_putter *putter, const void *bytes, size_t size);

/* The same for a 64-bit key, and for a key's hash: as the puts of lfbloom/filter.h. */
LFB_API void lfb_putter_put_soon_u64(lfb_putter *putter, uint64_t key);
LFB_API void lfb_putter_put_soon_hash(lfb_putter *putter, uint64_t hash);

/*
 * Puts all keys that wait.  Call it when no further key comes for a while: before the thread waits
 * for a request, and before it ends.
 *
 * Returns  how many keys that were put since the last flush, or since lfb_putter_init(), turned on
 *          at least one bit.
 */
LFB_API uint64_t lfb_putter_flush(lfb_putter *putter);

LFB_EXTERN_C_END

#endif
