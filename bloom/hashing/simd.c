/* simd.c - finds the vector instructions to use, from the processor and the environment. */
#include "bloom/hashing/simd.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif
#if defined(LFB_AES_COMPILED) && !defined(LFB_SIMD_X86)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

static const char *const simd_names[LFB_SIMD_LEVELS] = {"none", "aes", "avx2", "avx512"};

#ifdef LFB_SIMD_X86
/* Registers of the instruction cpuid, and the one that says which registers the system saves.  Not
 * gcc's __builtin_cpu_supports(): it brings 4.5 KB, for all processors. */
typedef struct simd_cpuid {
  unsigned leaf1_ecx, leaf7_ebx, leaf7_ecx, saved;
} simd_cpuid;

static simd_cpuid simd_ask(void)
{
  enum { OSXSAVE = 1 << 27 };
  simd_cpuid cpu = {0, 0, 0, 0};
  unsigned eax, ebx, ecx, edx;

  if (__get_cpuid(1, &eax, &ebx, &cpu.leaf1_ecx, &edx) != 0 && (cpu.leaf1_ecx & OSXSAVE) != 0)
    __asm__("xgetbv" : "=a"(cpu.saved), "=d"(edx) : "c"(0));
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0)
    cpu.leaf7_ebx = ebx, cpu.leaf7_ecx = ecx;
  return cpu;
}

/* What a processor can have. */
enum { HAS_AES = 1, HAS_AVX2 = 2, HAS_AVX512 = 4, HAS_WIDE_AES = 8, ASKED = 16 };

/* `part`, if the processor has these bits of the registers. */
static unsigned simd_part(const simd_cpuid *cpu, simd_cpuid bits, unsigned part)
{
  return (bits.leaf1_ecx & ~cpu->leaf1_ecx) == 0 && (bits.leaf7_ebx & ~cpu->leaf7_ebx) == 0 &&
                 (bits.leaf7_ecx & ~cpu->leaf7_ecx) == 0 && (bits.saved & ~cpu->saved) == 0
             ? part
             : 0;
}

/* What the processor has.  The answer is kept: in a virtual machine the question can take 12 us. */
static unsigned simd_has(void)
{
  static _Atomic(unsigned) known; /* 0: no thread has asked yet */
  /* relaxed: the number is the whole message, and all threads store the same one. */
  unsigned has = atomic_load_explicit(&known, memory_order_relaxed);

  if (has != 0)
    return has;
  const simd_cpuid cpu = simd_ask();
  /* AES, PCLMULQDQ, SSE4.1 */
  has = ASKED | simd_part(&cpu, (simd_cpuid){1U << 25 | 1U << 1 | 1U << 19, 0, 0, 0}, HAS_AES);
  /* AVX, POPCNT; AVX2, BMI, BMI2; the upper halves of vectors */
  has |= simd_part(&cpu, (simd_cpuid){1U << 28 | 1U << 23, 1U << 5 | 1U << 3 | 1U << 8, 0, 0x6},
                   HAS_AVX2);
  /* F, DQ, BW, VL; VBMI, BITALG; masks, and all of 32 registers of 64 bytes */
  has |= simd_part(&cpu, (simd_cpuid){0, 1U << 16 | 1U << 17 | 1U << 30 | 1U << 31,
                                      1U << 1 | 1U << 12, 0xe6},
                   HAS_AVX512);
  /* VAES, VPCLMULQDQ */
  has |= simd_part(&cpu, (simd_cpuid){0, 0, 1U << 9 | 1U << 10, 0x6}, HAS_WIDE_AES);
  /* relaxed: as above. */
  atomic_store_explicit(&known, has, memory_order_relaxed);
  return has;
}

static bool simd_has_all(unsigned parts)
{
  return (simd_has() & parts) == parts;
}

bool lfb_simd_has_aes(lfb_simd level)
{
  return level == LFB_SIMD_AVX512 ? simd_has_all(HAS_AES | HAS_AVX2 | HAS_AVX512 | HAS_WIDE_AES)
         : level == LFB_SIMD_AVX2 ? simd_has_all(HAS_AES | HAS_AVX2 | HAS_WIDE_AES)
                                  : level == LFB_SIMD_AES && simd_has_all(HAS_AES);
}

lfb_simd lfb_simd_best(void)
{
  return simd_has_all(HAS_AVX2 | HAS_AVX512) ? LFB_SIMD_AVX512
         : simd_has_all(HAS_AVX2)            ? LFB_SIMD_AVX2
         : simd_has_all(HAS_AES)             ? LFB_SIMD_AES
                                             : LFB_SIMD_NONE;
}
#else
#ifdef LFB_AES_COMPILED
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
