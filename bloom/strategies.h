/*
 * strategies.h - the table of strategies.
 *
 * Floor 9.  May include: floors 0 to 8.
 */
#ifndef LFB_BLOOM_STRATEGIES_H
#define LFB_BLOOM_STRATEGIES_H

#include "bloom/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One row a file; the table in strategies.c lists them. */
extern const lfb_strategy lfb_strategy_fast;    /* for any processor              */
extern const lfb_strategy lfb_strategy_fast512; /* for those with AVX-512, x86-64 */
extern const lfb_strategy lfb_strategy_mitz32;
extern const lfb_strategy lfb_strategy_mitz64;
extern const lfb_strategy lfb_strategy_mitz64_512; /* as fast512 */
extern const lfb_strategy lfb_strategy_java_double;
extern const lfb_strategy lfb_strategy_go_fnv14;

/* The row of a strategy; NULL for one that is not here. */
const lfb_strategy *lfb_strategy_find(lfb_strategy_id id);

/* The row with that number in files; NULL for none. */
const lfb_strategy *lfb_strategy_find_in_file(uint8_t file_id);

#ifdef __cplusplus
}
#endif

#endif
