/*
 * c11.h - one spelling of C11 atomics for the C library and its C++ tests.
 *
 * Floor 0.  May include: the C (or C++) standard library.
 *
 * C++ has no _Atomic before C++23 and names its functions std::atomic_*; under
 * this header both languages write LFB_ATOMIC(uint64_t) and
 * atomic_load_explicit().  The two representations are the same on every ABI
 * that the library supports: C++23 demands it of <stdatomic.h>.
 *
 * This is also the one seam through which a test can put a bug into the
 * library: built with LFB_PLANT_TORN_CAS or LFB_PLANT_TORN_ADD, an atomic
 * operation is a load and a store, as a careless author would write it.  Every
 * race test is run against such a build and has to fail there (tools/library.bzl).
 */
#ifndef LFB_ATOMIC_C11_H
#define LFB_ATOMIC_C11_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#include <atomic>
#define LFB_ATOMIC(type) std::atomic<type>
using std::atomic_compare_exchange_strong_explicit;
using std::atomic_fetch_add_explicit;
using std::atomic_fetch_and_explicit;
using std::atomic_load_explicit;
using std::atomic_store_explicit;
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
#else
#include <stdatomic.h>
#define LFB_ATOMIC(type) _Atomic(type)
#endif

/*
 * Exchanges `*word` for `desired` if it still holds `*seen`, with `order`;
 * reloads `*seen`, relaxed, where it does not.  Every retry loop goes through here.
 */
static inline bool lfb_cas_u64(LFB_ATOMIC(uint64_t) * word, uint64_t *seen,
                               uint64_t desired, memory_order order)
{
#ifdef LFB_PLANT_TORN_CAS
  const uint64_t now = atomic_load_explicit(word, memory_order_acquire);
  const bool same = now == *seen;
  if (same)
    atomic_store_explicit(word, desired, memory_order_release);
  *seen = now;
  (void)order;
  return same;
#else
  return atomic_compare_exchange_strong_explicit(word, seen, desired, order,
                                                 memory_order_relaxed);
#endif
}

/* Adds `amount` to `*word` with `order`; the value before. */
static inline uint64_t lfb_add_u64(LFB_ATOMIC(uint64_t) * word, uint64_t amount,
                                   memory_order order)
{
#ifdef LFB_PLANT_TORN_ADD
  const uint64_t before = atomic_load_explicit(word, memory_order_acquire);
  atomic_store_explicit(word, before + amount, memory_order_release);
  (void)order;
  return before;
#else
  return atomic_fetch_add_explicit(word, amount, order);
#endif
}

#endif
