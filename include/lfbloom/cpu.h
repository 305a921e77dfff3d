/*
 * lfbloom/cpu.h - what the library needs from the compiler and the processor.
 */
#ifndef LFBLOOM_CPU_H
#define LFBLOOM_CPU_H

#include <stdint.h>

/* A cast that C++ compilers accept with -Wold-style-cast.  Between pointers, one is to void. */
#ifdef __cplusplus
#define LFB_CAST(type, value) (static_cast<type>(value))
#else
#define LFB_CAST(type, value) ((type)(value))
#endif

/* Inlined at every call: loops unroll where the caller's counts are constant, and the function may
 * use the instructions that the caller may use. */
#define LFB_INLINE static inline __attribute__((always_inline))

/* Before a loop of few turns: gcc -O2 unrolls none by itself, clang does.  Not with
 * AddressSanitizer: gcc would take four times as long to compile the kernels. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define LFB_UNROLL _Pragma("GCC unroll 32")
#define LFB_UNROLL_8 _Pragma("GCC unroll 8") /* of many turns, eight at a time */
#else
#define LFB_UNROLL
#define LFB_UNROLL_8
#endif

/* Whether the compiler knows the value.  A loop of LFB_UNROLL with an unknown number of turns would
 * be thirty copies: more code, and no faster. */
#define LFB_KNOWN(value) __builtin_constant_p(value)

/* Does the last argument for i from `first` to `end`, exclusively, by `step`.  Unrolls the loop
 * only if the compiler knows `end`, a variable. */
#define LFB_EACH(i, first, end, step, ...)                            \
  do {                                                                \
    if (LFB_KNOWN(end)) {                                             \
      LFB_UNROLL                                                      \
      for (uint32_t i = (first); i < (end); i += (step)) __VA_ARGS__; \
    } else {                                                          \
      for (uint32_t i = (first); i < (end); i += (step)) __VA_ARGS__; \
    }                                                                 \
  } while (0)

/* Defined if ThreadSanitizer is on; it knows only single words. */
#if defined(__SANITIZE_THREAD__)
#define LFB_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LFB_THREAD_SANITIZER
#endif
#endif

enum {
  /* Bytes that move between cores together: x86-64, most of aarch64. */
  LFB_CACHE_LINE = 64,
};

/* Prefetches the line at `address` for reading.  A hint: any address is allowed. */
static inline void lfb_prefetch_read(const void *address)
{
  __builtin_prefetch(address, 0, 3);
}

/*
 * Prefetches the line at `address` for writing.
 *
 * A locked operation on a line that another core also holds costs a second transaction (13 ns
 * become 70 on a Zen 5).  A prefetch in time hides both.  It takes the line away from the other
 * cores, so do not use it for a line that will most likely only be read.
 */
static inline void lfb_prefetch_write(const void *address)
{
#if defined(__x86_64__)
  /* gcc compiles __builtin_prefetch(.., 1) to a prefetch for reading, unless PREFETCHW is enabled;
   * 64-bit processors without PREFETCHW treat it as a no-op. */
  __asm__ volatile("prefetchw %0" : : "m"(*LFB_CAST(const char *, address)));
#else
  __builtin_prefetch(address, 1, 3);
#endif
}

/* Returns the high 64 bits of the 128-bit product. */
static inline uint64_t lfb_multiply_high(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 uint128;
  return LFB_CAST(uint64_t, (LFB_CAST(uint128, a) * b) >> 64);
#else
  const uint64_t a_low = LFB_CAST(uint32_t, a), a_high = a >> 32;
  const uint64_t b_low = LFB_CAST(uint32_t, b), b_high = b >> 32;
  const uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
  const uint64_t cross = a_low * b_high + LFB_CAST(uint32_t, middle);
  return a_high * b_high + (middle >> 32) + (cross >> 32);
#endif
}

#endif
