/*
 * lfbloom/c11.h - one spelling of C11 atomics for C and C++.
 *
 * C++ has no _Atomic before C++23, and has the functions in a namespace.  With this header both
 * languages write LFB_ATOMIC(uint64_t) and LFB_STD atomic_load_explicit().  The two representations
 * are the same on every ABI that the library supports: C++23 requires it of <stdatomic.h>.
 */
#ifndef LFBLOOM_C11_H
#define LFBLOOM_C11_H

#include <stdbool.h>
#include <stdint.h>

/* LFB_STD stands before the names of C11's atomics; LFB_ATOMIC() makes a type atomic. */
#ifdef __cplusplus
extern "C++" { /* the user may include this header inside extern "C" */
#include <atomic>
}
#define LFB_STD std::
#define LFB_ATOMIC(type) std::atomic<type>
#else
#include <stdatomic.h>
#define LFB_STD
#define LFB_ATOMIC(type) _Atomic(type)
#endif

/*
 * Orders relaxed accesses before and after it, as C11's atomic_thread_fence().
 *
 * ThreadSanitizer does not know fences, and gcc warns of that.  So every access that this fence
 * orders, before and after it, must be atomic.  Then there is nothing that the sanitizer could
 * report.
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
 * Exchanges `*word` for `desired`, with `order`, if it still holds `*seen`.  If not, it reloads
 * `*seen`, relaxed; with seq_cst, which orders the whole operation before what follows, acquire.
 * Every retry loop uses this function.
 */
static inline bool lfb_cas_u64(LFB_ATOMIC(uint64_t) * word, uint64_t *seen, uint64_t desired,
                               LFB_STD memory_order order)
{
  return LFB_STD atomic_compare_exchange_strong_explicit(
      word, seen, desired, order,
      order == LFB_STD memory_order_seq_cst ? LFB_STD memory_order_acquire
                                            : LFB_STD memory_order_relaxed);
}

/* Adds `amount` to `*word` with `order`.  Returns the value before. */
static inline uint64_t lfb_add_u64(LFB_ATOMIC(uint64_t) * word, uint64_t amount,
                                   LFB_STD memory_order order)
{
  return LFB_STD atomic_fetch_add_explicit(word, amount, order);
}

#endif
