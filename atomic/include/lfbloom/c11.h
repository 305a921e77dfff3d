/*
 * lfbloom/c11.h - one spelling of C11 atomics for C and C++.
 *
 * C++ has no _Atomic before C++23 and keeps its functions in a namespace; under
 * this header both languages write LFB_ATOMIC(uint64_t) and
 * LFB_STD atomic_load_explicit().  The two representations are the same on every
 * ABI that the library supports: C++23 demands it of <stdatomic.h>.
 *
 * This is also the one seam through which the project's tests put a bug into the
 * library: built with LFB_PLANT_TORN_CAS or LFB_PLANT_TORN_ADD, an atomic
 * operation is a load and a store, as a careless author would write it.  Every
 * race test is run against such a build and has to fail there.
 */
#ifndef LFBLOOM_C11_H
#define LFBLOOM_C11_H

#include <stdbool.h>
#include <stdint.h>

/* Before names of C11's atomics; around a type, to make it atomic. */
#ifdef LFB_MODEL /* the project's model checks: tests/model/atomic.h */
#define LFB_STD lfb_model::
#define LFB_ATOMIC(type) lfb_model::atomic<type>
#elif defined(__cplusplus)
#include <atomic>
#define LFB_STD std::
#define LFB_ATOMIC(type) std::atomic<type>
#else
#include <stdatomic.h>
#define LFB_STD
#define LFB_ATOMIC(type) _Atomic(type)
#endif

/*
 * Orders relaxed accesses on either side of it, as C11's atomic_thread_fence().
 *
 * ThreadSanitizer knows nothing of fences, and gcc says so: what is ordered by this one
 * must be atomic on both sides, and then there is nothing that it could report.
 */
static inline void lfb_fence(LFB_STD memory_order order)
{
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
  LFB_STD atomic_thread_fence(order);
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#pragma GCC diagnostic pop
#endif
}

/*
 * Exchanges `*word` for `desired` if it still holds `*seen`, with `order`;
 * reloads `*seen`, relaxed, where it does not.  Every retry loop goes through here.
 */
static inline bool lfb_cas_u64(LFB_ATOMIC(uint64_t) * word, uint64_t *seen, uint64_t desired,
                               LFB_STD memory_order order)
{
#ifdef LFB_PLANT_TORN_CAS
  const uint64_t now = LFB_STD atomic_load_explicit(word, LFB_STD memory_order_acquire);
  const bool same = now == *seen;
  if (same)
    LFB_STD atomic_store_explicit(word, desired, LFB_STD memory_order_release);
  *seen = now;
  (void)order;
  return same;
#else
  return LFB_STD atomic_compare_exchange_strong_explicit(word, seen, desired, order,
                                                         LFB_STD memory_order_relaxed);
#endif
}

/* Adds `amount` to `*word` with `order`; the value before. */
static inline uint64_t lfb_add_u64(LFB_ATOMIC(uint64_t) * word, uint64_t amount,
                                   LFB_STD memory_order order)
{
#ifdef LFB_PLANT_TORN_ADD
  const uint64_t before = LFB_STD atomic_load_explicit(word, LFB_STD memory_order_acquire);
  LFB_STD atomic_store_explicit(word, before + amount, LFB_STD memory_order_release);
  (void)order;
  return before;
#else
  return LFB_STD atomic_fetch_add_explicit(word, amount, order);
#endif
}

#endif
