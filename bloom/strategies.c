/* strategies.c - the table of strategies, and looking one up.  Floor 11. */
#include "bloom/strategies.h"

#include <stdlib.h>
#include <string.h>

#include "bloom/avx512.h"

static const lfb_strategy *const strategies[] = {
    &lfb_strategy_fast,
    &lfb_strategy_mitz32,
    &lfb_strategy_mitz64,
    &lfb_strategy_java_double,
    &lfb_strategy_go_fnv14,
};

enum { STRATEGY_COUNT = sizeof strategies / sizeof *strategies };

/*
 * The variant of a row for this processor.  LFBLOOM_SIMD=none in the environment
 * asks for the portable one: for tests, and for measuring.
 */
static const lfb_strategy *strategies_variant(const lfb_strategy *row)
{
#ifdef LFB_AVX512
  const char *wish = getenv("LFBLOOM_SIMD");
  if ((wish == NULL || strcmp(wish, "none") != 0) && lfb_avx512_runs_here()) {
    if (row == &lfb_strategy_fast)
      return &lfb_strategy_fast512;
    if (row == &lfb_strategy_mitz64)
      return &lfb_strategy_mitz64_512;
  }
#endif
  return row;
}

const lfb_strategy *lfb_strategy_find(lfb_strategy_id id)
{
  for (int i = 0; i < STRATEGY_COUNT; i++)
    if (strategies[i]->id == id)
      return strategies_variant(strategies[i]);
  return NULL;
}

const lfb_strategy *lfb_strategy_find_in_file(uint8_t file_id)
{
  for (int i = 0; i < STRATEGY_COUNT; i++)
    if (strategies[i]->file_id == file_id)
      return strategies_variant(strategies[i]);
  return NULL;
}

const char *lfb_strategy_name(lfb_strategy_id id)
{
  const lfb_strategy *strategy = lfb_strategy_find(id);
  return strategy == NULL ? NULL : strategy->name;
}

lfb_status lfb_strategy_from_name(const char *name, lfb_strategy_id *id)
{
  for (int i = 0; i < STRATEGY_COUNT; i++)
    if (strcmp(strategies[i]->name, name) == 0) {
      *id = strategies[i]->id;
      return LFB_OK;
    }
  return LFB_ERROR_UNKNOWN_STRATEGY;
}
