/*
 * partition.h - gathers hashes by the region of the filter that they belong to.
 *
 * The blocks are cut into regions of 2^shift blocks.  Each region has an area to which its
 * hashes are appended.  Areas are an odd number of cache lines apart, so that the lines in use
 * spread over all sets of a cache.  (A write-combining buffer per region, stored past the
 * caches, was slower: 2.2 against 1.2 ns per hash, because the processor cannot predict when a
 * line is full.)
 *
 * Exclusive  One thread at a time.
 */
#ifndef LFB_BLOOM_PARTITION_H
#define LFB_BLOOM_PARTITION_H

#include <lfbloom/cpu.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atomic/words/pages.h"

LFB_EXTERN_C_BEGIN

typedef struct lfb_partition {
  uint64_t *areas;   /* `capacity` hashes per region              */
  uint32_t *counts;  /* hashes that each region has now           */
  uint64_t blocks;   /* of the filter                             */
  uint32_t shift;    /* log2 of the blocks in a region            */
  uint32_t regions;
  uint32_t capacity; /* hashes; fills an odd number of cache lines */
  lfb_pages pages;   /* the memory of areas and counts            */
} lfb_partition;

/* The bytes that a partition takes if each region can gather `capacity` hashes. */
uint64_t lfb_partition_bytes(uint32_t regions, uint32_t capacity);

/*
 * Makes an empty partition for a filter of `blocks` blocks.
 *
 * Takes  capacity  the hashes that a region can gather at least, up to 2^31.
 * Fails  LFB_ERROR_NO_MEMORY, _SIZE_OVERFLOW.
 */
lfb_status lfb_partition_init(lfb_partition *partition, uint64_t blocks, uint32_t shift,
                              uint32_t capacity);

/* Frees the memory of lfb_partition_init(). */
void lfb_partition_free(lfb_partition *partition);

/* Adds a hash to its region, which must not be full.  Returns whether the region is full then: the
 * caller must take what it has gathered. */
LFB_INLINE bool lfb_partition_add(const lfb_partition *partition, uint64_t hash,
                                  uint32_t *region)
{
  const uint64_t block = lfb_multiply_high(hash, partition->blocks);
  const uint32_t r = (uint32_t)(block >> partition->shift);
  const uint32_t before = partition->counts[r]++;

  partition->areas[(size_t)r * partition->capacity + before] = hash;
  *region = r;
  return before + 1 == partition->capacity;
}

/* Takes the hashes of a region.  They stay readable until a hash is added to it again. */
static inline const uint64_t *lfb_partition_take(const lfb_partition *partition, uint32_t region,
                                                 uint32_t *count)
{
  *count = partition->counts[region];
  partition->counts[region] = 0;
  return partition->areas + (size_t)region * partition->capacity;
}

LFB_EXTERN_C_END

#endif
