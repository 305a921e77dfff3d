/* stripes.c - making, freeing and summing a striped counter.  Floor 4. */
#include "atomic/stripes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* At least 64, so that a small machine with many threads shares none. */
static uint32_t stripes_wanted(void)
{
  const long processors = sysconf(_SC_NPROCESSORS_CONF);

  if (processors <= 64)
    return 64;
  return processors >= LFB_SLOT_COUNT ? (uint32_t)LFB_SLOT_COUNT : (uint32_t)processors;
}

lfb_status lfb_stripes_init(lfb_stripes *stripes)
{
  return lfb_stripes_init_owned(stripes, stripes_wanted());
}

lfb_status lfb_stripes_init_owned(lfb_stripes *stripes, uint32_t owned)
{
  const size_t size = (owned + (size_t)LFB_STRIPES_SHARED) * sizeof(lfb_stripe);
  lfb_stripe *memory = aligned_alloc(LFB_CACHE_LINE, size);

  if (memory == NULL)
    return LFB_ERROR_NO_MEMORY;
  memset(memory, 0, size);
  *stripes = (lfb_stripes){.stripes = memory,
                           .owned = owned,
                           .all_count = owned + LFB_STRIPES_SHARED,
                           .all = memory};
  return LFB_OK;
}

void lfb_stripes_free(lfb_stripes *stripes)
{
  free(stripes->all);
  *stripes = (lfb_stripes){0};
}

uint64_t lfb_stripes_sum(const lfb_stripes *stripes)
{
  uint64_t sum = 0;

  for (uint32_t i = 0; i < stripes->all_count; i++)
    /* acquire: pairs with the release in lfb_stripes_add(). */
    sum += atomic_load_explicit(&stripes->all[i].count, memory_order_acquire);
  return sum;
}
