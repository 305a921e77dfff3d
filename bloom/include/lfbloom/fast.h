/*
 * lfbloom/fast.h - strategy `fast` without a function call: put, query and prefetch of a caller's
 * own 64-bit hashes, inline in C and C++.
 *
 * Hash       All of its 64 bits must be well mixed (XXH3, or a mixer such as murmur's finaliser
 *            over a number).  Plain numbers make the filter useless, and its figures do not show
 *            it.
 * Layout     See lfbloom/fast_view.h.  Compiled for AVX2 (for example -march=x86-64-v3) the query
 *            works on two vectors (lfbloom/fast_avx2.h), for AVX-512 (-march=x86-64-v4) on one
 *            (lfbloom/fast_avx512.h); the answers are the same.
 * Guarantees, Signals, fork, Threads, Stack  as in lfbloom/filter.h.
 * Ordering, Stopped  as in lfbloom/word.h.
 * Progress   lfb_fast_might_contain: wait-free, w loads from one line.
 *            lfb_fast_put: lock-free, at most w CAS loops, none for a present key.
 *
 * Which calls may run at once: any two, also with any call on the filter except those that free
 * or close it.
 */
#ifndef LFBLOOM_FAST_H
#define LFBLOOM_FAST_H

#include <lfbloom/fast_avx2.h>
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
 * Fails  LFB_ERROR_STRATEGY_DIFFERS: the filter has another strategy.
 */
LFB_API lfb_status lfb_fast_of(lfb_filter *filter, lfb_fast *fast);

/* Counts bits that were turned on; lfb_fast_put() calls it for a new key. */
LFB_API void lfb_fast_count(const lfb_fast *fast, uint32_t turned_on);

/* Prefetches the line of a hash that will be queried soon. */
LFB_INLINE void lfb_fast_prefetch(const lfb_fast *fast, uint64_t hash)
{
  lfb_prefetch_read((const void *)lfb_fast_block(fast, hash));
}

/* Prefetches, for writing, the line of a hash that will be put soon and is most likely new. */
LFB_INLINE void lfb_fast_prefetch_put(const lfb_fast *fast, uint64_t hash)
{
  lfb_prefetch_write((const void *)lfb_fast_block(fast, hash));
}

/* Puts a hash into a view of this shape, as lfb_fast_put_bits(). */
LFB_INLINE uint32_t lfb_fast_put_bits_shape(const lfb_fast *fast, uint64_t hash)
{
  const lfb_fast_key key = lfb_fast_key_of(fast, hash);
  return lfb_fast_key_put(fast, &key);
}

/* Queries a view of this shape, as lfb_fast_might_contain(). */
LFB_INLINE uint32_t lfb_fast_might_contain_shape(const lfb_fast *fast, uint64_t hash)
{
#if defined(LFB_FAST_BY_AVX512)
  return lfb_fast512_might_contain(fast, hash);
#elif defined(LFB_FAST_BY_AVX2)
  return lfb_fast256_might_contain(fast, hash);
#else
  return lfb_fast_has_bits(fast, hash);
#endif
}

/* Calls act(view, hash) with a view of this shape. */
LFB_INLINE uint32_t lfb_fast_act(const lfb_fast *fast, uint32_t group_shift, uint32_t probes,
                                 uint64_t hash,
                                 uint32_t (*act)(const lfb_fast *fast, uint64_t hash))
{
  const lfb_fast shaped = lfb_fast_shaped(fast, group_shift, probes);
  return act(&shaped, hash);
}

/* Calls act(view, hash).  The compiler knows the view's shape there, if LFB_FAST_SHAPES has it. */
LFB_INLINE uint32_t lfb_fast_by_shape(const lfb_fast *fast, uint64_t hash,
                                      uint32_t (*act)(const lfb_fast *fast, uint64_t hash))
{
  switch (LFB_FAST_SHAPE(fast->group_shift, fast->probes)) {
#define LFB_FAST_CASE(name, s, n) case LFB_FAST_SHAPE(s, n): return lfb_fast_act(fast, s, n, hash, act);
    LFB_FAST_SHAPES(LFB_FAST_CASE)
#undef LFB_FAST_CASE
  default:
    return act(fast, hash);
  }
}

/* Returns whether the key with this hash may be present; false is certain. */
LFB_INLINE bool lfb_fast_might_contain(const lfb_fast *fast, uint64_t hash)
{
#ifdef LFB_FAST_BY_AVX512
  return lfb_fast_might_contain_shape(fast, hash) != 0; /* for any shape */
#else
  return lfb_fast_by_shape(fast, hash, lfb_fast_might_contain_shape) != 0;
#endif
}

/* Puts without counting.  Returns the number of bits that this call turned on. */
LFB_INLINE uint32_t lfb_fast_put_bits(const lfb_fast *fast, uint64_t hash)
{
  return lfb_fast_by_shape(fast, hash, lfb_fast_put_bits_shape);
}

/* Puts the key with this hash.  Returns whether it turned on at least one bit. */
LFB_INLINE bool lfb_fast_put(const lfb_fast *fast, uint64_t hash)
{
  const uint32_t turned_on = lfb_fast_put_bits(fast, hash);

  if (turned_on != 0)
    lfb_fast_count(fast, turned_on);
  return turned_on != 0;
}

#ifdef __cplusplus
}
#endif

#endif
