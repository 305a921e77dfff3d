/*
 * simd.h - which vector instructions code may be made for, and which of them this
 * process uses: in one place for all variants.
 *
 * LFB_SIMD_X86 is defined where variants for x86-64 are built.  Not under
 * ThreadSanitizer, which cannot know that a vector's 64-bit lanes are whole: word by
 * word then.
 */
#ifndef LFB_BLOOM_SIMD_H
#define LFB_BLOOM_SIMD_H

#include <lfbloom/cpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each includes those above it. */
typedef enum lfb_simd {
  LFB_SIMD_NONE,
  LFB_SIMD_AVX2,
  LFB_SIMD_AVX512,
} lfb_simd;

enum { LFB_SIMD_LEVELS = LFB_SIMD_AVX512 + 1 };

#if defined(__x86_64__) && !defined(LFB_THREAD_SANITIZER)
#define LFB_SIMD_X86
#define LFB_X86(kernel) kernel

/* Lets one function use these instructions; lfb_simd_best() asks for the same. */
#define LFB_AVX2_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define LFB_AVX512_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx2,bmi,bmi2,popcnt")))
#else
#define LFB_X86(kernel) NULL
#endif

/* The most that this processor has. */
lfb_simd lfb_simd_best(void);

/* The most up to `best` that a value of LFBLOOM_SIMD allows, "none", "avx2" or "avx512";
 * `best` itself for any other, and for NULL. */
lfb_simd lfb_simd_allowed(const char *wish, lfb_simd best);

/*
 * What this process uses: lfb_simd_best(), or less where LFBLOOM_SIMD in the environment
 * says so at the first call.
 *
 * Threads  any number; all get the same answer, the first call's.  The environment is
 *          read, so the first call must not run beside a setenv().
 */
lfb_simd lfb_simd_chosen(void);

#ifdef __cplusplus
}
#endif

#endif
