/*
 * lfbloom/fast.h - strategies `fast` and `fast-pair`, inline in C and C++: query, put and prefetch of
 * a caller's own 64-bit hashes.
 *
 * Hash       All of its 64 bits must be well mixed (XXH3, or a mixer such as murmur's finaliser
 *            over a number).  Plain numbers make the filter useless, and its figures do not show
 *            it.
 * Layout     See lfbloom/fast_view.h.
 * Inline     Only if the compiler may use AVX-512 with VBMI and BITALG: compile with -march=native on
 *            such a processor, or with -march=icelake-server or -march=znver4 for all of them.  Then
 *            a put of a present key takes 0.5 to 0.9 of the call's time, and a query about the same.
 *            A put of a new key takes 1 to 2 ns more than the call, since it queries first
 *            (docs/performance.md).
 *            Compiled for plain x86-64 or other processors, put and query are the calls of
 *            lfbloom/filter.h.  The library chooses instructions when the program runs; inline code
 *            for all processors would be slower.  Only the prefetches are then worth this header.
 * Guarantees, Signals, fork, Threads, Stack, Progress  as in lfbloom/filter.h.
 * Ordering, Stopped  as in lfbloom/word.h.
 *
 * Which calls may run at once: any two, also with any call on the filter except those that free
 * or close it.
 */
#ifndef LFBLOOM_FAST_H
#define LFBLOOM_FAST_H

#include <lfbloom/fast_avx512.h>
#include <lfbloom/fast_view.h>
#include <lfbloom/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Gives a view of a filter for the functions below.  It is valid until the filter is freed.  Any
 * number of threads may use it, and the filter, at once.
 *
 * Fails  LFB_ERROR_STRATEGY_DIFFERS: the strategy is neither LFB_FAST nor LFB_FAST_PAIR.
 */
LFB_CHECKED lfb_status lfb_fast_of(lfb_filter *filter, lfb_fast *fast);

/* Prefetches the line of a hash that will be queried soon. */
LFB_INLINE void lfb_fast_prefetch(const lfb_fast *fast, uint64_t hash)
{
  lfb_prefetch_read(lfb_fast_block(fast, hash));
}

/* Prefetches, for writing, the line of a hash that will be put soon and is most likely new. */
LFB_INLINE void lfb_fast_prefetch_put(const lfb_fast *fast, uint64_t hash)
{
  lfb_prefetch_write(lfb_fast_block(fast, hash));
}

/* Returns whether the key with this hash may be present; false is certain. */
LFB_INLINE bool lfb_fast_might_contain(const lfb_fast *fast, uint64_t hash)
{
#ifdef LFB_FAST_BY_AVX512
  return lfb_fast512_might_contain(fast, hash);
#else
  return lfb_filter_might_contain_hash(LFB_CAST(const lfb_filter *, fast->filter), hash);
#endif
}

/* Puts the key with this hash.  Returns whether it turned on at least one bit. */
LFB_INLINE bool lfb_fast_put(const lfb_fast *fast, uint64_t hash)
{
#ifdef LFB_FAST_BY_AVX512
  if (lfb_fast512_might_contain(fast, hash))
    return false;
#endif
  return lfb_filter_put_hash(LFB_CAST(lfb_filter *, fast->filter), hash);
}

#ifdef __cplusplus
}
#endif

#endif
