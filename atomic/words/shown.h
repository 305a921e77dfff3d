/*
 * shown.h - shows ThreadSanitizer the writes that are inline assembly, which it cannot see.
 *
 * Each such write has a call beside it: an atomic operation of the compiler on the same word, which
 * changes nothing.  So what runs under the sanitizer is the assembly that ships, and the sanitizer
 * reports a plain access that runs concurrently (//tsan:canary_test).  Elsewhere it is nothing.
 *
 * The sanitizer's own exchange of 16 bytes cannot take the place of the assembly.  It is made under
 * a lock (gcc 12, clang 14 and 19), so it loses what another thread writes to one of the two words,
 * or another process to both.
 */
#ifndef LFB_ATOMIC_SHOWN_H
#define LFB_ATOMIC_SHOWN_H

#include <lfbloom/c11.h>
#include <lfbloom/cpu.h>

/* Shows a write of `count` neighbouring words, with the order of the write, or a part of it. */
LFB_INLINE void lfb_show_write(LFB_ATOMIC(uint64_t) * words, unsigned count,
                               LFB_STD memory_order order)
{
#ifdef LFB_THREAD_SANITIZER
  /* volatile: clang may make a load of an operation that changes nothing. */
  volatile LFB_ATOMIC(uint64_t) *shown = words;
  for (unsigned i = 0; i < count; i++)
    (void)LFB_STD atomic_fetch_or_explicit(&shown[i], UINT64_C(0), order);
#else
  (void)words, (void)count, (void)order;
#endif
}

#endif
