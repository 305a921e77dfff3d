/*
 * simd.h - the vector instructions that variants are compiled for, and those that this
 * process uses.
 *
 * LFB_SIMD_X86 is defined on x86-64, for which variants are built.  LFB_AES_COMPILED is defined
 * where the compiler has AES instructions for single functions: there, and on little-endian
 * aarch64, where clang before 17 has them only if the whole file is compiled for them.
 */
#ifndef LFB_BLOOM_SIMD_H
#define LFB_BLOOM_SIMD_H

#include <lfbloom/cpu.h>
#include <lfbloom/status.h>
#include <stdbool.h>

LFB_EXTERN_C_BEGIN

/* Each level allows those above it.  AVX512 means its parts F, VL, DQ, BW, VBMI and BITALG: Intel
 * from Ice Lake, AMD from Zen 4 on.  AES means the AES and carry-less multiplication instructions
 * on 128 bits, which a processor can lack at a higher level: code that needs them asks
 * lfb_simd_has_aes(), too. */
typedef enum lfb_simd {
  LFB_SIMD_NONE,
  LFB_SIMD_AES,
  LFB_SIMD_AVX2,
  LFB_SIMD_AVX512,
} lfb_simd;

enum { LFB_SIMD_LEVELS = LFB_SIMD_AVX512 + 1 };

#if defined(__x86_64__)
#define LFB_SIMD_X86
#define LFB_AES_COMPILED
#elif defined(__aarch64__) && defined(__AARCH64EL__) && \
    (defined(__ARM_FEATURE_AES) || !defined(__clang__) || __clang_major__ >= 17)
#define LFB_AES_COMPILED
#endif

#ifdef LFB_SIMD_X86
#define LFB_X86(kernel) kernel
#else
#define LFB_X86(kernel) NULL
#endif

#ifdef LFB_SIMD_X86
/* Lets one function use these instructions; lfb_simd_best() tests for the same ones.
 *
 * gcc 12 clears the upper halves of the vectors at each return, but not before a call in the place
 * of a return.  There the function must call _mm256_zeroupper().  Otherwise other code runs slower:
 * XXH3 of 1,000 bytes takes 231 ns instead of 60. */
#define LFB_AVX2_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define LFB_AVX512_TARGET                                                              \
  __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx512vbmi,avx512bitalg,"   \
                        "avx2,bmi,bmi2,popcnt")))
#endif

/* The highest level that this processor has. */
lfb_simd lfb_simd_best(void);

/* Whether this processor has AES and carry-less multiplication on vectors of 16 bytes; of 32 bytes
 * for level LFB_SIMD_AVX2, of 64 bytes for LFB_SIMD_AVX512; for LFB_SIMD_NONE never. */
bool lfb_simd_has_aes(lfb_simd level);

/* The highest level, at most `best`, that a value of LFBLOOM_SIMD allows: "none", "aes", "avx2" or
 * "avx512".  For any other value, and for NULL, `best`. */
lfb_simd lfb_simd_allowed(const char *wish, lfb_simd best);

/*
 * The level that this process uses: lfb_simd_best(), or a lower one if the environment variable
 * LFBLOOM_SIMD limits it at the first call.
 *
 * Threads  any number; all get the answer of the first call.  The first call reads the
 *          environment, so it must not run concurrently with a setenv().
 */
lfb_simd lfb_simd_chosen(void);

/* The size of a core's second-level cache in bytes; 256 KiB if the system does not say.  All
 * threads may call it at once. */
uint64_t lfb_simd_cache_size(void);

LFB_EXTERN_C_END

#endif
