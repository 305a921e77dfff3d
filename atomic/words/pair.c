/* pair.c - finds out whether the processor can change two words by one operation. */
#include "atomic/words/pair.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

bool lfb_pair_runs_here(void)
{
#if defined(__x86_64__)
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_CMPXCHG16B) != 0;
#elif defined(__aarch64__)
  return (getauxval(AT_HWCAP) & 1UL << 8) != 0; /* HWCAP_ATOMICS */
#else
  return false;
#endif
}
