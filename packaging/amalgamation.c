/*
 * lfbloom.c - the sources of lfbloom in one: compile as C11, link with -pthread -lm.
 * lfbloom.h says what is in it.  Needs no flags: what is made for vector instructions says
 * so itself, and runs where the processor has them.
 *
 * Licence: Apache-2.0; the part that is xxhash.h: BSD-2-Clause, as it says.
 */
#include "bloom/strategies/simd.h"

/* The headers' own vector variants, for the sources that give them to the strategies. */
#ifdef LFB_SIMD_X86
#define LFB_FAST_AVX2_TARGET LFB_AVX2_TARGET
#define LFB_FAST_AVX512_TARGET LFB_AVX512_TARGET
#endif

#include "lfbloom.h"
