/* strategies.c - the table of strategies, and looking one up. */
#include "bloom/strategies/strategies.h"

#include <string.h>

#ifdef LFB_SIMD_X86
#define X86(row) row
#else
#define X86(row) NULL
#endif

/* A line a strategy: its row for any processor, then, by lfb_simd, its variants. */
static const lfb_strategy *const strategies[][LFB_SIMD_LEVELS] = {
    {&lfb_strategy_fast, X86(&lfb_strategy_fast256), X86(&lfb_strategy_fast512)},
    {&lfb_strategy_mitz32, NULL, NULL},
    {&lfb_strategy_mitz64, NULL, X86(&lfb_strategy_mitz64_512)},
    {&lfb_strategy_sbbf, NULL, NULL},
    {&lfb_strategy_java_double, NULL, NULL},
    {&lfb_strategy_go_fnv14, NULL, NULL},
    {&lfb_strategy_fast_pair, X86(&lfb_strategy_fast_pair256), NULL},
    {&lfb_strategy_redis_mitz32, NULL, NULL},
};

enum { STRATEGY_COUNT = sizeof strategies / sizeof *strategies };

const lfb_strategy *lfb_strategy_variant(lfb_strategy_id id, lfb_simd most)
{
  for (int i = 0; i < STRATEGY_COUNT; i++)
    if (strategies[i][LFB_SIMD_NONE]->id == id) {
      int level = (int)most;
      while (strategies[i][level] == NULL)
        level--;
      return strategies[i][level];
    }
  return NULL;
}

const lfb_strategy *lfb_strategy_find(lfb_strategy_id id)
{
  return lfb_strategy_variant(id, lfb_simd_chosen());
}

const lfb_strategy *lfb_strategy_find_in_file(uint8_t file_id)
{
  for (int i = 0; i < STRATEGY_COUNT; i++)
    if (strategies[i][LFB_SIMD_NONE]->file_id == file_id)
      return lfb_strategy_find(strategies[i][LFB_SIMD_NONE]->id);
  return NULL;
}

const char *lfb_strategy_name(lfb_strategy_id id)
{
  const lfb_strategy *strategy = lfb_strategy_variant(id, LFB_SIMD_NONE);
  return strategy == NULL ? NULL : strategy->name;
}

lfb_status lfb_strategy_from_name(const char *name, lfb_strategy_id *id)
{
  for (int i = 0; i < STRATEGY_COUNT; i++)
    if (strcmp(strategies[i][LFB_SIMD_NONE]->name, name) == 0) {
      *id = strategies[i][LFB_SIMD_NONE]->id;
      return LFB_OK;
    }
  return LFB_ERROR_UNKNOWN_STRATEGY;
}
