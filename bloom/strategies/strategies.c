/* strategies.c - the table of strategies, and its look-up. */
#include "bloom/strategies/strategies.h"

#include <lfbloom/filter_more.h>
#include <string.h>

static const lfb_strategy *const strategies[] = {
    &lfb_strategy_fast,        &lfb_strategy_mitz32,   &lfb_strategy_mitz64,
    &lfb_strategy_sbbf,        &lfb_strategy_java_double, &lfb_strategy_go_fnv14,
    &lfb_strategy_fast_pair,   &lfb_strategy_redis_mitz32, &lfb_strategy_tags,
};

enum { STRATEGY_COUNT = sizeof strategies / sizeof *strategies };

const lfb_strategy *lfb_strategy_find(lfb_strategy_id id)
{
  for (int i = 0; i < STRATEGY_COUNT; i++)
    if (strategies[i]->id == id)
      return strategies[i];
  return NULL;
}

const lfb_strategy *lfb_strategy_find_in_file(uint8_t file_id)
{
  for (int i = 0; i < STRATEGY_COUNT; i++)
    if (strategies[i]->file_id == file_id)
      return strategies[i];
  return NULL;
}

uint8_t lfb_strategy_file_id(lfb_strategy_id id)
{
  const lfb_strategy *strategy = lfb_strategy_find(id);
  return strategy == NULL ? UINT8_MAX : strategy->file_id;
}

const lfb_kernel *lfb_strategy_kernel(const lfb_strategy *strategy, const lfb_geometry *geometry,
                                      lfb_simd most)
{
  int level = (int)most;

  while (strategy->kernels[level] == NULL)
    level--;
  return strategy->kernels[level][strategy->kernel_of == NULL ? 0 : strategy->kernel_of(geometry)];
}

const lfb_kernel *lfb_strategy_bytes_kernel(const lfb_strategy *strategy, lfb_simd most)
{
  int level = (int)most;

  while (level > 0 && strategy->bytes_kernels[level] == NULL)
    level--;
  return strategy->bytes_kernels[level] == NULL ? NULL : strategy->bytes_kernels[level][0];
}

#define STRATEGY_DEFAULT "default" /* the name of LFB_DEFAULT */

const char *lfb_strategy_name(lfb_strategy_id id)
{
  const lfb_strategy *strategy = lfb_strategy_find(id);
  return id == LFB_DEFAULT ? STRATEGY_DEFAULT : strategy == NULL ? NULL : strategy->name;
}

lfb_status lfb_strategy_from_name(const char *name, lfb_strategy_id *id)
{
  for (int i = 0; i < STRATEGY_COUNT; i++)
    if (strcmp(strategies[i]->name, name) == 0) {
      *id = strategies[i]->id;
      return LFB_OK;
    }
  if (strcmp(name, STRATEGY_DEFAULT) == 0) {
    *id = LFB_DEFAULT;
    return LFB_OK;
  }
  return LFB_ERROR_UNKNOWN_STRATEGY;
}
