/*
 * pair.h - two neighbouring words that one operation changes: cmpxchg16b on x86-64, casp or
 * ldxp/stxp on aarch64.  Elsewhere bits are turned on word by word; the words are the same in the
 * end, and what is lost is that of all calls with one mask at most one turns on bits.
 *
 * Ordering, Stopped  as lfbloom/word.h states for each word: accesses are relaxed, and a thread
 *            that stops holds nothing.
 * Progress   Words only gain bits.  The exchange fails only because another thread turned
 *            on a bit of the pair: at most 128 attempts.
 * Threads    Any function may run concurrently with any other, and with those of word.h on either
 *            word.
 */
#ifndef LFB_ATOMIC_PAIR_H
#define LFB_ATOMIC_PAIR_H

#include <lfbloom/word.h>
#include <lfbloom/status.h>

#include "atomic/words/shown.h"

LFB_EXTERN_C_BEGIN

/* Two words of 64 bits. */
typedef struct lfb_two {
  uint64_t low, high;
} lfb_two;

/* Whether one operation changes both words.  Every x86-64 processor since 2006 has cmpxchg16b, and
 * every aarch64 one ldxp. */
static inline bool lfb_pair_runs_here(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

#if !(defined(__x86_64__) || defined(__aarch64__))

/* Compares and stores word by word, so it is not atomic; it is never called
 * (lfb_pair_runs_here()). */
LFB_INLINE bool lfb_pair_cas(lfb_word *pair, lfb_two *seen, lfb_two desired)
{
  const lfb_two now = {lfb_word_get(&pair[0]), lfb_word_get(&pair[1])};
  const bool same = now.low == seen->low && now.high == seen->high;
  if (same) {
    LFB_STD atomic_store_explicit(&pair[0], desired.low, LFB_STD memory_order_relaxed);
    LFB_STD atomic_store_explicit(&pair[1], desired.high, LFB_STD memory_order_relaxed);
  }
  *seen = now;
  return same;
}

#elif defined(__x86_64__)

/* Sets the pair, aligned to 16 bytes, to `desired` if it still is `*seen`; if not, reloads
 * `*seen`.  Returns whether it set the pair. */
LFB_INLINE bool lfb_pair_cas(lfb_word *pair, lfb_two *seen, lfb_two desired)
{
  bool done;
  lfb_show_write(pair, 2, LFB_STD memory_order_relaxed); /* relaxed: as the exchange itself */
  __asm__ volatile("lock cmpxchg16b %1"
                   : "=@ccz"(done), "+m"(*(unsigned char(*)[16])(void *)pair), "+a"(seen->low),
                     "+d"(seen->high)
                   : "b"(desired.low), "c"(desired.high));
  return done;
}

#elif defined(__ARM_FEATURE_ATOMICS) /* aarch64 from ARMv8.1 on */

/* The same; casp needs each pair in two neighbouring registers.  No other variable is read or
 * written while they are: under ThreadSanitizer that is a call, which changes them. */
LFB_INLINE bool lfb_pair_cas(lfb_word *pair, lfb_two *seen, lfb_two desired)
{
  const lfb_two was = *seen;
  lfb_show_write(pair, 2, LFB_STD memory_order_relaxed); /* relaxed: as the exchange itself */
  register uint64_t seen_low __asm__("x0") = was.low;
  register uint64_t seen_high __asm__("x1") = was.high;
  register uint64_t low __asm__("x2") = desired.low;
  register uint64_t high __asm__("x3") = desired.high;
  __asm__ volatile("casp x0, x1, x2, x3, %2"
                   : "+r"(seen_low), "+r"(seen_high), "+Q"(*(unsigned char(*)[16])(void *)pair)
                   : "r"(low), "r"(high));
  const lfb_two now = {seen_low, seen_high};
  *seen = now;
  return now.low == was.low && now.high == was.high;
}

#else /* any aarch64 */

/* The same.  A failed comparison stores what was read: only a store that succeeds shows that both
 * words were read at one time. */
LFB_INLINE bool lfb_pair_cas(lfb_word *pair, lfb_two *seen, lfb_two desired)
{
  uint64_t low, high, to_low, to_high;
  uint32_t failed;
  lfb_show_write(pair, 2, LFB_STD memory_order_relaxed); /* relaxed: as the exchange itself */
  __asm__ volatile("1:\tldxp %0, %1, %5\n\t"
                   "cmp %0, %6\n\t"
                   "ccmp %1, %7, #0, eq\n\t"
                   "csel %3, %8, %0, eq\n\t"
                   "csel %4, %9, %1, eq\n\t"
                   "stxp %w2, %3, %4, %5\n\t"
                   "cbnz %w2, 1b"
                   : "=&r"(low), "=&r"(high), "=&r"(failed), "=&r"(to_low), "=&r"(to_high),
                     "+Q"(*(unsigned char(*)[16])(void *)pair)
                   : "r"(seen->low), "r"(seen->high), "r"(desired.low), "r"(desired.high)
                   : "cc");
  const bool done = low == seen->low && high == seen->high;
  *seen = (lfb_two){low, high};
  return done;
}

#endif

/* The same, in the one order of all sequentially consistent operations. */
LFB_INLINE bool lfb_pair_cas_ordered(lfb_word *pair, lfb_two *seen, lfb_two desired)
{
  lfb_show_write(pair, 2, LFB_STD memory_order_release); /* release: it knows no fences */
#if defined(__x86_64__)
  /* A locked instruction is a full barrier: only the compiler has to keep the order. */
  LFB_STD atomic_signal_fence(LFB_STD memory_order_seq_cst);
  const bool done = lfb_pair_cas(pair, seen, desired);
  LFB_STD atomic_signal_fence(LFB_STD memory_order_seq_cst);
#else
  lfb_fence(LFB_STD memory_order_seq_cst); /* seq_cst: the relaxed exchange has no order itself */
  const bool done = lfb_pair_cas(pair, seen, desired);
  lfb_fence(LFB_STD memory_order_seq_cst); /* seq_cst: the same */
#endif
  lfb_show_write(pair, 2, LFB_STD memory_order_acquire); /* acquire: the same */
  return done;
}

/* Reads both words, relaxed, one after the other: they may be of different times. */
LFB_INLINE lfb_two lfb_pair_get(const lfb_word *pair)
{
  return (lfb_two){lfb_word_get(&pair[0]), lfb_word_get(&pair[1])};
}

/* The same, with acquire.  What a thread wrote before an exchange that set one of them with
 * release, the caller sees. */
LFB_INLINE lfb_two lfb_pair_get_acquire(const lfb_word *pair)
{
  /* acquire, both: as the function states. */
  const uint64_t high = LFB_STD atomic_load_explicit(&pair[1], LFB_STD memory_order_acquire);
  return (lfb_two){LFB_STD atomic_load_explicit(&pair[0], LFB_STD memory_order_acquire), high};
}

/* The same, in the one order of all sequentially consistent operations. */
LFB_INLINE lfb_two lfb_pair_get_ordered(const lfb_word *pair)
{
  const uint64_t low = LFB_STD atomic_load_explicit(&pair[0], LFB_STD memory_order_seq_cst);
  return (lfb_two){low, LFB_STD atomic_load_explicit(&pair[1], LFB_STD memory_order_seq_cst)};
}

/* The bits that are on in both words. */
LFB_INLINE uint32_t lfb_two_count(lfb_two two)
{
  return lfb_word_count(two.low) + lfb_word_count(two.high);
}

/*
 * Turns on the bits of `mask` in a pair that was just read as `seen`, all of them at once, by
 * `cas`; writes only if one is off.
 *
 * Returns the bits that this call turned on.  Of all calls with the same mask, at most one
 * returns any bit; none does if calls with other masks turned on all of its bits.
 */
LFB_INLINE lfb_two lfb_pair_set_seen_by(lfb_word *pair, lfb_two seen, lfb_two mask,
                                        bool (*cas)(lfb_word *pair, lfb_two *seen, lfb_two desired))
{
  while (((mask.low & ~seen.low) | (mask.high & ~seen.high)) != 0) {
    const lfb_two missing = {mask.low & ~seen.low, mask.high & ~seen.high};
    if (cas(pair, &seen, (lfb_two){seen.low | mask.low, seen.high | mask.high}))
      return missing;
  }
  return (lfb_two){0, 0};
}

/* The same by the ordered exchange; word by word, with seq_cst, where there is none. */
LFB_INLINE lfb_two lfb_pair_set_seen_ordered(lfb_word *pair, lfb_two seen, lfb_two mask)
{
  if (lfb_pair_runs_here())
    return lfb_pair_set_seen_by(pair, seen, mask, lfb_pair_cas_ordered);
  return (lfb_two){
      lfb_word_set_seen_by(&pair[0], seen.low, mask.low, LFB_STD memory_order_seq_cst),
      lfb_word_set_seen_by(&pair[1], seen.high, mask.high, LFB_STD memory_order_seq_cst)};
}

/* The same by the relaxed exchange. */
LFB_INLINE lfb_two lfb_pair_set_seen(lfb_word *pair, lfb_two seen, lfb_two mask)
{
  if (lfb_pair_runs_here())
    return lfb_pair_set_seen_by(pair, seen, mask, lfb_pair_cas);
  return (lfb_two){lfb_word_set_seen(&pair[0], seen.low, mask.low),
                   lfb_word_set_seen(&pair[1], seen.high, mask.high)};
}

LFB_EXTERN_C_END

#endif
