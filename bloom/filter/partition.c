/* partition.c - allocates and frees the memory of a partition. */
#include "bloom/filter/partition.h"

enum { PARTITION_LINE = LFB_CACHE_LINE / sizeof(uint64_t) }; /* hashes */

static uint32_t partition_lines(uint32_t capacity)
{
  return (capacity + PARTITION_LINE - 1) / PARTITION_LINE | 1;
}

static uint64_t partition_area_bytes(uint32_t regions, uint32_t capacity)
{
  return (uint64_t)regions * partition_lines(capacity) * LFB_CACHE_LINE;
}

uint64_t lfb_partition_bytes(uint32_t regions, uint32_t capacity)
{
  return partition_area_bytes(regions, capacity) + regions * sizeof(uint32_t);
}

lfb_status lfb_partition_init(lfb_partition *partition, uint64_t blocks, uint32_t shift,
                              uint32_t capacity)
{
  const uint32_t regions = (uint32_t)(((blocks - 1) >> shift) + 1);
  lfb_pages pages;

  const lfb_status status = lfb_pages_init(&pages, lfb_partition_bytes(regions, capacity), true);
  if (status != LFB_OK)
    return status;
  char *start = pages.address;
  *partition = (lfb_partition){
      .areas = (uint64_t *)(void *)start,
      .counts = (uint32_t *)(void *)(start + partition_area_bytes(regions, capacity)),
      .blocks = blocks,
      .shift = shift,
      .regions = regions,
      .capacity = partition_lines(capacity) * PARTITION_LINE,
      .pages = pages,
  };
  return LFB_OK;
}

void lfb_partition_free(lfb_partition *partition)
{
  lfb_pages_free(&partition->pages);
}
