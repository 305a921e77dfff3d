/* simd.c - finds the vector instructions to use, from the processor and the environment. */
#include "bloom/strategies/simd.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[LFB_SIMD_LEVELS] = {"none", "avx2", "avx512"};

#ifdef LFB_SIMD_X86
static int simd_has_avx2(void)
{
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static int simd_has_avx512(void)
{
  return simd_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

lfb_simd lfb_simd_best(void)
{
  return simd_has_avx512() ? LFB_SIMD_AVX512 : simd_has_avx2() ? LFB_SIMD_AVX2 : LFB_SIMD_NONE;
}
#else
lfb_simd lfb_simd_best(void)
{
  return LFB_SIMD_NONE;
}
#endif

lfb_simd lfb_simd_allowed(const char *wish, lfb_simd best)
{
  for (int level = 0; wish != NULL && level < (int)best; level++)
    if (strcmp(wish, names[level]) == 0)
      return (lfb_simd)level;
  return best;
}

lfb_simd lfb_simd_chosen(void)
{
  static _Atomic(unsigned) chosen; /* the answer plus one; 0: no thread has called yet */
  /* relaxed: the number is the whole message. */
  unsigned seen = atomic_load_explicit(&chosen, memory_order_relaxed);

  if (seen == 0) {
    const unsigned mine = 1 + (unsigned)lfb_simd_allowed(getenv("LFBLOOM_SIMD"), lfb_simd_best());
    /* relaxed: as above.  If the CAS fails, another thread has chosen, and `seen` is its choice. */
    if (atomic_compare_exchange_strong_explicit(&chosen, &seen, mine, memory_order_relaxed,
                                                memory_order_relaxed))
      seen = mine;
  }
  return (lfb_simd)(seen - 1);
}
