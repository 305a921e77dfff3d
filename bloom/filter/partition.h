/*
 * partition.h - hashes of a `fast` filter gathered by where in the filter they belong.
 *
 * The blocks are cut into regions of 2^shift blocks, each with an area of its own to
 * which its hashes are appended.  Areas are an odd number of cache lines apart, so that
 * the lines that are being appended to spread over all sets of a cache.  (Gathering a
 * line of hashes elsewhere, to be stored past the caches, was slower: 2.2 against 1.2 ns
 * a hash, for the branch that nobody can guess when a line is full.)
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

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lfb_partition {
  uint64_t *areas;   /* `capacity` hashes a region                */
  uint32_t *counts;  /* hashes that each region has now           */
  uint64_t blocks;   /* of the filter                             */
  uint32_t shift;    /* log2 of the blocks in a region            */
  uint32_t regions;
  uint32_t capacity; /* whole cache lines, an odd number of them  */
  lfb_pages pages;   /* that hold both                            */
} lfb_partition;

/* Bytes that a partition takes whose regions can gather so many hashes each. */
uint64_t lfb_partition_bytes(uint32_t regions, uint32_t capacity);

/*
 * Makes an empty one for a filter of `blocks`.
 *
 * Takes  capacity  hashes that a region can gather at least, up to 2^31.
 * Fails  LFB_ERROR_NO_MEMORY, _SIZE_OVERFLOW.
 */
lfb_status lfb_partition_init(lfb_partition *partition, uint64_t blocks, uint32_t shift,
                              uint32_t capacity);

void lfb_partition_free(lfb_partition *partition);

/* Adds a hash to its region, which is not full before; whether it then is: take it. */
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

/* Takes what a region has gathered, which stays until something is added to it again. */
static inline const uint64_t *lfb_partition_take(const lfb_partition *partition, uint32_t region,
                                                 uint32_t *count)
{
  *count = partition->counts[region];
  partition->counts[region] = 0;
  return partition->areas + (size_t)region * partition->capacity;
}

#ifdef __cplusplus
}
#endif

#endif
