/*
 * lfbloom/bit_array.h - a set of bits that many threads turn on, ask and count at once, without
 * locks: Guava's LockFreeBitArray in C, and what all filters of this library keep their bits in.
 *
 *     lfb_bit_array *seen;
 *     if (lfb_bit_array_create(1000000, &seen) != LFB_OK) ...
 *     if (lfb_bit_array_set(seen, order)) ...     true for exactly one of all threads
 *     if (lfb_bit_array_get(seen, order)) ...
 *     uint64_t orders = lfb_bit_array_count(seen);
 *
 * Winner     Of all calls that set the same bit at most one returns true; exactly one, unless a
 *            put_all turned it on before.
 * Growth     A bit that is on stays on.  A get that begins after a set of its bit has returned, in
 *            the happens-before sense, returns true.
 * Exactness  The count is exact while no set and no put_all runs, and never above the truth while
 *            some do: the call that turns on a bit counts it afterwards.
 * Ordering   Bits are relaxed: they publish nothing but themselves.  A caller that needs "the bit
 *            is on, so the data is there" must provide that order (thread join, queue, release
 *            store).  A thread that sees a count also sees the bits that it counts.
 * Progress   get is wait-free; set and put_all are lock-free: a retry happens only because another
 *            thread turned on a bit of the same word, at most 64 times.  After a thread's first
 *            set, which takes its stripe of the count, none of them allocates or locks.
 * Cost       A bit for each bit, and a line of 64 bytes for each processor, at least 72 of them.
 *            A set of a bit that is on writes to no memory.
 * Threads    Any calls at once on the same array, except free: it runs alone, and last.
 *
 * Source: Guava BloomFilterStrategies.java, LockFreeBitArray.
 */
#ifndef LFBLOOM_BIT_ARRAY_H
#define LFBLOOM_BIT_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include <lfbloom/status.h>

LFB_EXTERN_C_BEGIN

/* An array of bits, all of them off at first. */
typedef struct lfb_bit_array lfb_bit_array;

/*
 * Makes an array with all bits off.  Its memory is there from then on: no later call waits for it.
 *
 * Takes  bit_count  rounded up to a multiple of 64; 0 counts as 1.
 * Fails  LFB_ERROR_SIZE_OVERFLOW, _NO_MEMORY.
 */
LFB_CHECKED lfb_status lfb_bit_array_create(uint64_t bit_count, lfb_bit_array **array);

/* Frees an array; NULL is allowed. */
LFB_API void lfb_bit_array_free(lfb_bit_array *array);

/* Sets bit `index`, below lfb_bit_array_size(); only a build with assertions checks that.  Returns
 * whether this call turned it on. */
LFB_API bool lfb_bit_array_set(lfb_bit_array *array, uint64_t index);

/* Returns whether bit `index`, as of lfb_bit_array_set(), is on. */
LFB_API bool lfb_bit_array_get(const lfb_bit_array *array, uint64_t index);

/* Returns how many bits are on.  Sums the stripes: its cost does not depend on the size. */
LFB_API uint64_t lfb_bit_array_count(const lfb_bit_array *array);

/* Returns the number of bits. */
LFB_API uint64_t lfb_bit_array_size(const lfb_bit_array *array);

/*
 * Turns on in `into` each bit that was on in `from` before the call, and some of those that are set
 * during it.
 *
 * Fails  LFB_ERROR_BIT_COUNT_DIFFERS.
 */
LFB_CHECKED lfb_status lfb_bit_array_put_all(lfb_bit_array *into, const lfb_bit_array *from);

/* Makes an array with the bits of `array`, as lfb_bit_array_put_all() takes them; it counts its own
 * bits.  Fails: LFB_ERROR_NO_MEMORY. */
LFB_CHECKED lfb_status lfb_bit_array_copy(const lfb_bit_array *array, lfb_bit_array **copy);

LFB_EXTERN_C_END

#endif
