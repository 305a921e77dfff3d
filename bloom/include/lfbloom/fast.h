/*
 * lfbloom/fast.h - strategy `fast` without a function call: put, query and
 * prefetch of a caller's own 64-bit hashes, inline in C and C++.
 *
 * Guarantees 1, 2, 4, 5, 7, 8 of docs/guarantees.md.
 *
 * A hash must be well mixed in all of its 64 bits (XXH3, or a mixer such as murmur's
 * finaliser over a number): numbers as they are make the filter useless, and its figures
 * do not show it.
 *
 * The layout is lfbloom/fast_view.h.  Compiled for AVX2 (-march=x86-64-v3, say), the query
 * is the work of two vectors (lfbloom/fast_avx2.h), for AVX-512 (-march=x86-64-v4) of one
 * (lfbloom/fast_avx512.h); the answers are the same.
 *
 * Guarantees, Ordering, Stopped, Signals, fork, Threads beyond  as lfbloom/filter.h.
 * Progress   lfb_fast_might_contain: wait-free, w loads of one line.
 *            lfb_fast_put: lock-free, at most w CAS loops, none for a key that is in.
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
 * A view of a filter for the functions below, good for as long as the filter
 * lives; any number of threads may use it, and the filter, at once.
 *
 * Fails  LFB_ERROR_STRATEGY_DIFFERS where the filter is of another strategy.
 */
LFB_API lfb_status lfb_fast_of(lfb_filter *filter, lfb_fast *fast);

/* Counts bits that have been turned on: what lfb_fast_put() calls for a new key. */
LFB_API void lfb_fast_count(const lfb_fast *fast, uint32_t turned_on);

/* Asks for the line of a hash that will be looked up soon. */
LFB_INLINE void lfb_fast_prefetch(const lfb_fast *fast, uint64_t hash)
{
  lfb_prefetch_read((const void *)lfb_fast_block(fast, hash));
}

/* Asks for the line of a hash that will be put soon and is most likely new. */
LFB_INLINE void lfb_fast_prefetch_put(const lfb_fast *fast, uint64_t hash)
{
  lfb_prefetch_write((const void *)lfb_fast_block(fast, hash));
}

/* lfb_fast_put_bits() of a view of this shape. */
LFB_INLINE uint32_t lfb_fast_put_bits_shape(const lfb_fast *fast, uint64_t hash)
{
  const lfb_fast_key key = lfb_fast_key_of(fast, hash);
  return lfb_fast_key_put(fast, &key);
}

/* lfb_fast_might_contain() of a view of this shape. */
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

/* act(view, hash) with a view of this shape. */
LFB_INLINE uint32_t lfb_fast_act(const lfb_fast *fast, uint32_t group_shift, uint32_t probes,
                                 uint64_t hash,
                                 uint32_t (*act)(const lfb_fast *fast, uint64_t hash))
{
  const lfb_fast shaped = lfb_fast_shaped(fast, group_shift, probes);
  return act(&shaped, hash);
}

/* act(view, hash) with a view whose shape the compiler knows, if it is one that code is made for. */
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

/* Whether the key of this hash may have been put; false is certain. */
LFB_INLINE bool lfb_fast_might_contain(const lfb_fast *fast, uint64_t hash)
{
#ifdef LFB_FAST_BY_AVX512
  return lfb_fast_might_contain_shape(fast, hash) != 0; /* whatever its shape is */
#else
  return lfb_fast_by_shape(fast, hash, lfb_fast_might_contain_shape) != 0;
#endif
}

/* Puts without counting: how many bits this call turned on. */
LFB_INLINE uint32_t lfb_fast_put_bits(const lfb_fast *fast, uint64_t hash)
{
  return lfb_fast_by_shape(fast, hash, lfb_fast_put_bits_shape);
}

/* Puts the key of this hash; whether it turned on at least one bit. */
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
