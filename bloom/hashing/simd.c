/* simd.c - finds the vector instructions to use, from the processor and the environment. */
#include "bloom/hashing/simd.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif
#if defined(LFB_AES_HERE) && !defined(LFB_HASH_X86)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

static const char *const simd_names[LFB_SIMD_LEVELS] = {"none", "aes", "avx2", "avx512"};

#ifdef LFB_HASH_X86
static bool simd_has_avx2(void)
{
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static bool simd_has_avx512(void)
{
  return simd_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512bitalg");
}

/* Whether AES and carry-less multiplication take the wider vectors.  Not every compiler's
 * __builtin_cpu_supports() knows the names of these two.  The answer is kept: in a virtual machine
 * the question can take 12 us. */
static bool simd_has_wide_aes(void)
{
  enum { VAES = 1 << 9, VPCLMULQDQ = 1 << 10, WIDE_AES = VAES | VPCLMULQDQ }; /* of ecx, leaf 7 */
  enum { UNKNOWN, LACKS, HAS };
  static _Atomic(unsigned) known;
  /* relaxed: the number is the whole message, and all threads store the same one. */
  unsigned answer = atomic_load_explicit(&known, memory_order_relaxed);

  if (answer == UNKNOWN) {
    unsigned eax, ebx, ecx = 0, edx;
    const bool has =
        __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx & WIDE_AES) == WIDE_AES;
    answer = has ? HAS : LACKS;
    /* relaxed: as above. */
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == HAS;
}

bool lfb_simd_has_aes(lfb_simd level)
{
  const bool narrow = __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul") &&
                      __builtin_cpu_supports("sse4.1");

  return level == LFB_SIMD_AVX512 ? narrow && simd_has_avx512() && simd_has_wide_aes()
         : level == LFB_SIMD_AVX2 ? narrow && simd_has_avx2() && simd_has_wide_aes()
                                  : narrow && level == LFB_SIMD_AES;
}

lfb_simd lfb_simd_best(void)
{
  return simd_has_avx512()                ? LFB_SIMD_AVX512
         : simd_has_avx2()                ? LFB_SIMD_AVX2
         : lfb_simd_has_aes(LFB_SIMD_AES) ? LFB_SIMD_AES
                                          : LFB_SIMD_NONE;
}
#else
#ifdef LFB_AES_HERE
bool lfb_simd_has_aes(lfb_simd level)
{
  const unsigned long both = HWCAP_AES | HWCAP_PMULL;
  return level == LFB_SIMD_AES && (getauxval(AT_HWCAP) & both) == both;
}
#else
bool lfb_simd_has_aes(lfb_simd level)
{
  (void)level;
  return false;
}
#endif

lfb_simd lfb_simd_best(void)
{
  return lfb_simd_has_aes(LFB_SIMD_AES) ? LFB_SIMD_AES : LFB_SIMD_NONE;
}
#endif

lfb_simd lfb_simd_allowed(const char *wish, lfb_simd best)
{
  for (int level = 0; wish != NULL && level < (int)best; level++)
    if (strcmp(wish, simd_names[level]) == 0)
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

uint64_t lfb_simd_cache_size(void)
{
  static _Atomic(uint64_t) known; /* 0: no thread has asked yet; to ask again can take 50 us */
  /* relaxed: the number is the whole message, and all threads store the same one. */
  uint64_t size = atomic_load_explicit(&known, memory_order_relaxed);

  if (size == 0) {
#ifdef _SC_LEVEL2_CACHE_SIZE
    const long said = sysconf(_SC_LEVEL2_CACHE_SIZE);
#else
    const long said = 0;
#endif
    size = said > 0 ? (uint64_t)said : UINT64_C(256) << 10;
    /* relaxed: as above. */
    atomic_store_explicit(&known, size, memory_order_relaxed);
  }
  return size;
}
