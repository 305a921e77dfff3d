/*
 * avx512.h - which code may use AVX-512, and whether this processor has it: in one
 * place for all variants that do.
 *
 * Floor 9.  May include: floor 0.
 *
 * LFB_AVX512 is defined where such variants are built.  Not under ThreadSanitizer,
 * which cannot know that a vector's 64-bit lanes are whole: word by word then.
 */
#ifndef LFB_BLOOM_AVX512_H
#define LFB_BLOOM_AVX512_H

#include <lfbloom/cpu.h>
#include <stdbool.h>

#if defined(__x86_64__) && !defined(LFB_THREAD_SANITIZER)
#define LFB_AVX512

/* Lets one function use these instructions; lfb_avx512_runs_here() asks for the same. */
#define LFB_AVX512_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,bmi,bmi2,popcnt")))

static inline bool lfb_avx512_runs_here(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}
#endif

#endif
