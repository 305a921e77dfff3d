/*
 * strategies.h - the table of strategies.
 */
#ifndef LFB_BLOOM_STRATEGIES_H
#define LFB_BLOOM_STRATEGIES_H

#include "bloom/strategies/strategy.h"

/* The longest array in Java: words of a filter of Guava's strategies. */
#define LFB_GUAVA_MAX_WORDS INT32_MAX

LFB_EXTERN_C_BEGIN

/* The rows of the table in strategies.c; classic.c defines the five of classic strategies. */
extern const lfb_strategy lfb_strategy_fast;
extern const lfb_strategy lfb_strategy_mitz32;
extern const lfb_strategy lfb_strategy_redis_mitz32;
extern const lfb_strategy lfb_strategy_mitz64;
extern const lfb_strategy lfb_strategy_sbbf;
extern const lfb_strategy lfb_strategy_fast_pair;
extern const lfb_strategy lfb_strategy_java_double;
extern const lfb_strategy lfb_strategy_go_fnv14;
extern const lfb_strategy lfb_strategy_tags;

/* The row of a strategy; NULL if there is none. */
const lfb_strategy *lfb_strategy_find(lfb_strategy_id id);

/* The number of a strategy in files; UINT8_MAX if there is none. */
uint8_t lfb_strategy_file_id(lfb_strategy_id id);

/* The row with this number in files; NULL if there is none. */
const lfb_strategy *lfb_strategy_find_in_file(uint8_t file_id);

/* The kernel of a strategy for this geometry with the highest level of vector instructions that is
 * at most `most`, which the processor must have. */
const lfb_kernel *lfb_strategy_kernel(const lfb_strategy *strategy, const lfb_geometry *geometry,
                                      lfb_simd most);

/* The same of its bytes_kernels; NULL if it has none. */
const lfb_kernel *lfb_strategy_bytes_kernel(const lfb_strategy *strategy, lfb_simd most);

LFB_EXTERN_C_END

#endif
