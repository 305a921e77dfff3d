/*
 * strategies.h - the table of strategies.
 */
#ifndef LFB_BLOOM_STRATEGIES_H
#define LFB_BLOOM_STRATEGIES_H

#include "atomic/words/kin.h"
#include "bloom/strategies/simd.h"
#include "bloom/strategies/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One row a file; the table in strategies.c lists them. */
extern const lfb_strategy lfb_strategy_fast;    /* for any processor              */
extern const lfb_strategy lfb_strategy_fast256; /* for x86-64 with AVX2           */
extern const lfb_strategy lfb_strategy_fast512; /* for x86-64 with AVX-512        */
extern const lfb_strategy lfb_strategy_mitz32;
extern const lfb_strategy lfb_strategy_redis_mitz32;
extern const lfb_strategy lfb_strategy_mitz64;
extern const lfb_strategy lfb_strategy_mitz64_512; /* as fast512 */
extern const lfb_strategy lfb_strategy_sbbf;
extern const lfb_strategy lfb_strategy_fast_pair;
extern const lfb_strategy lfb_strategy_fast_pair256; /* as fast256 */
extern const lfb_strategy lfb_strategy_java_double;
extern const lfb_strategy lfb_strategy_go_fnv14;

/* The row of a strategy that uses no more than these vector instructions, which the
 * processor must have; NULL for a strategy that is not here. */
LFB_KIN const lfb_strategy *lfb_strategy_variant(lfb_strategy_id id, lfb_simd most);

/* The same up to lfb_simd_chosen(). */
const lfb_strategy *lfb_strategy_find(lfb_strategy_id id);

/* The row with that number in files; NULL for none. */
const lfb_strategy *lfb_strategy_find_in_file(uint8_t file_id);

#ifdef __cplusplus
}
#endif

#endif
