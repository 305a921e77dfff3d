/* batch.c - partitions, puts privately, merges and credits; argued in batch.h. */
#include "bloom/filter/batch.h"

#include <math.h>
#include <stdlib.h>

#include "bloom/filter/pieces.h"

enum {
  /* A region's words, 256 KiB, fit into a second-level cache together with the scratch. */
  BATCH_SHIFT = 12,
  /* Keys per line from which on a batch is faster: with several regions, with one region, and
   * for a region that has gathered its hashes (docs/performance.md). */
  BATCH_LEAST = 8,
  BATCH_LEAST_ONE_REGION = 5,
  BATCH_LEAST_THERE = 5,
  /* Hashes by which lfb_partition_bytes() may round up the capacity of a region. */
  BATCH_ROUNDING = 17,
  /* How far ahead of the merge lines are prefetched: 64 lines. */
  BATCH_AHEAD = 64 * LFB_BLOCK_WORDS, /* in words */
  /* Hashes put at a time; limits the memory for their answers. */
  BATCH_PIECE = 4096,
};

#define BATCH_DEFAULT_MEMORY (UINT64_C(64) << 20)

static void batch_free(lfb_batch *batch)
{
  if (batch == NULL)
    return;
  lfb_partition_free(&batch->partition);
  lfb_pages_free(&batch->scratch);
  free(batch);
}

static uint64_t batch_region_blocks(uint64_t blocks)
{
  const uint64_t most = UINT64_C(1) << BATCH_SHIFT;
  return blocks < most ? blocks : most;
}

static uint64_t batch_scratch_bytes(uint64_t blocks)
{
  return 2 * batch_region_blocks(blocks) * LFB_CACHE_LINE;
}

/* The hashes that a region must have room for; 0 if a batch does not pay. */
static uint32_t batch_capacity(const lfb_filter *filter, size_t count)
{
  const uint64_t blocks = filter->layout.fast.blocks;
  const uint64_t region_blocks = batch_region_blocks(blocks);
  const uint64_t least = (region_blocks == blocks ? BATCH_LEAST_ONE_REGION : BATCH_LEAST);
  const uint64_t wish = filter->description.config.batch_memory;
  const uint64_t memory = wish == 0 ? BATCH_DEFAULT_MEMORY : wish;
  const uint64_t scratch = batch_scratch_bytes(blocks);

  if (filter->kernel->put_many_alone == NULL || count / least < blocks || memory <= scratch)
    return 0;
  /* Some regions get more than the mean: six standard deviations cover them. */
  const double mean = (double)count * (double)region_blocks / (double)blocks;
  const double wanted = mean + 6 * sqrt(mean);
  const uint64_t regions = ((blocks - 1) >> BATCH_SHIFT) + 1;
  const double room = (double)(memory - scratch) / (double)regions / sizeof(uint64_t) -
                      (double)BATCH_ROUNDING;
  const double capacity = fmin(fmin(wanted, room), INT32_MAX);
  return capacity >= (double)(least * region_blocks) ? (uint32_t)capacity : 0;
}

static lfb_batch *batch_make(const lfb_filter *filter, uint32_t capacity)
{
  const uint64_t blocks = filter->layout.fast.blocks;
  lfb_batch *made = malloc(sizeof *made);

  if (made == NULL)
    return NULL;
  if (lfb_pages_init(&made->scratch, batch_scratch_bytes(blocks), true) != LFB_OK) {
    free(made);
    return NULL;
  }
  if (lfb_partition_init(&made->partition, blocks, BATCH_SHIFT, capacity) != LFB_OK) {
    lfb_pages_free(&made->scratch);
    free(made);
    return NULL;
  }
  return made;
}

/* Takes a spare of any size; NULL if there is none. */
static lfb_batch *batch_take_spare(lfb_filter *filter)
{
  for (int i = 0; i < LFB_BATCH_SPARES; i++) {
    /* acquire: pairs with the release in batch_leave_spare(). */
    lfb_batch *spare =
        atomic_exchange_explicit(&filter->spares[i], NULL, memory_order_acquire);
    if (spare != NULL)
      return spare;
  }
  return NULL;
}

static void batch_leave_spare(lfb_filter *filter, lfb_batch *batch)
{
  for (int i = 0; i < LFB_BATCH_SPARES; i++) {
    lfb_batch *none = NULL;
    /* release: pairs with the acquire in batch_take_spare(): its taker sees the batch empty.
     * relaxed: if the place is in use, nothing is read through it. */
    if (atomic_compare_exchange_strong_explicit(&filter->spares[i], &none, batch,
                                                memory_order_release, memory_order_relaxed))
      return;
  }
  batch_free(batch);
}

lfb_batch *lfb_batch_begin(lfb_filter *filter, size_t count)
{
  const uint32_t capacity = batch_capacity(filter, count);

  if (capacity == 0)
    return NULL;
  lfb_batch *batch = batch_take_spare(filter);
  if (batch != NULL && batch->partition.capacity >= capacity)
    return batch;
  batch_free(batch);
  return batch_make(filter, capacity);
}

typedef void (*batch_act)(const lfb_layout *layout, const uint64_t *hashes, size_t count,
                          uint64_t *answers);

/* Runs `act` on the scratch.  Returns how many answers were true. */
static size_t batch_run(batch_act act, const lfb_layout *scratch, const uint64_t *hashes,
                        size_t count)
{
  uint64_t answers[BATCH_PIECE / LFB_WORD_BITS];
  size_t yes = 0;

  for (size_t first = 0; first < count; first += BATCH_PIECE) {
    const size_t left = count - first;
    const size_t in_piece = left < BATCH_PIECE ? left : (size_t)BATCH_PIECE;
    act(scratch, hashes + first, in_piece, answers);
    yes += lfb_piece_yes(answers, in_piece);
  }
  return yes;
}

/* Puts hashes one by one: they are too few to share words. */
static size_t batch_put_directly(lfb_filter *filter, const uint64_t *hashes, size_t count)
{
  uint64_t answers[BATCH_PIECE / LFB_WORD_BITS];
  size_t yes = 0;

  for (size_t first = 0; first < count; first += BATCH_PIECE) {
    const size_t left = count - first;
    const size_t in_piece = left < BATCH_PIECE ? left : (size_t)BATCH_PIECE;
    lfb_layout_count(&filter->layout,
                     filter->kernel->put_many(&filter->layout, hashes + first, NULL, in_piece,
                                                answers));
    yes += lfb_piece_yes(answers, in_piece);
  }
  return yes;
}

/* A region of the filter, and its two copies in the scratch. */
typedef struct batch_region {
  lfb_word *shared;
  lfb_word *before; /* the words as they were loaded; `shared` may have changed since */
  lfb_word *after;  /* the words after the puts; later, the bits that the merge turned on */
  uint64_t words;
} batch_region;

static void batch_load(const batch_region *region)
{
  for (uint64_t i = 0; i < region->words; i++) {
    const uint64_t seen = lfb_word_get(&region->shared[i]);
    lfb_word_store_alone(&region->before[i], seen);
    lfb_word_store_alone(&region->after[i], seen);
  }
}

/* Turns on in the filter the bits that `after` has and `before` has not.  Returns how many it
 * turned on, and in `*alone` whether these are all of them. */
static uint64_t batch_merge(const batch_region *region, bool *alone)
{
  uint64_t turned_on = 0, lost = 0;

  for (uint64_t i = 0; i < region->words; i++) {
    const uint64_t before = lfb_word_get_alone(&region->before[i]);
    const uint64_t after = lfb_word_get_alone(&region->after[i]);
    uint64_t on = 0;
    if (i % LFB_BLOCK_WORDS == 0)
      lfb_prefetch_write((const void *)(region->shared + i + BATCH_AHEAD));
    if (before != after)
      on = lfb_word_set_seen(&region->shared[i], before, after);
    lfb_word_store_alone(&region->after[i], on);
    lost |= on ^ (after & ~before);
    turned_on += lfb_word_count(on);
  }
  *alone = lost == 0;
  return turned_on;
}

static batch_region batch_region_of(const lfb_batch *batch, const lfb_filter *filter,
                                    uint32_t number)
{
  const uint64_t first = (uint64_t)number << BATCH_SHIFT;
  const uint64_t blocks = batch_region_blocks(filter->layout.fast.blocks - first);
  lfb_word *before = batch->scratch.address;

  return (batch_region){filter->layout.fast.words + first * LFB_BLOCK_WORDS, before,
                        before + (batch->scratch.size / sizeof *before / 2),
                        blocks * LFB_BLOCK_WORDS};
}

/* Puts what a region has gathered.  Returns how many of its keys were new. */
static size_t batch_drain(lfb_batch *batch, lfb_filter *filter, uint32_t number)
{
  const batch_region region = batch_region_of(batch, filter, number);
  lfb_layout layout = filter->layout;
  uint32_t count;
  bool alone;

  const uint64_t *hashes = lfb_partition_take(&batch->partition, number, &count);
  if (count < BATCH_LEAST_THERE * (region.words / LFB_BLOCK_WORDS))
    return batch_put_directly(filter, hashes, count);
  /* The address where the whole filter's words would begin; only the region's are accessed. */
  layout.fast.words = (lfb_word *)((uintptr_t)region.after - ((uintptr_t)region.shared -
                                                              (uintptr_t)layout.fast.words));
  batch_load(&region);
  const size_t yes = batch_run(filter->kernel->put_many_alone, &layout, hashes, count);
  lfb_layout_count(&filter->layout, batch_merge(&region, &alone));
  if (alone)
    return yes;
  return batch_run(filter->kernel->credit_many, &layout, hashes, count);
}

size_t lfb_batch_put(lfb_batch *batch, lfb_filter *filter, const uint64_t *hashes, size_t count)
{
  const lfb_partition partition = batch->partition; /* a copy, which no write changes */
  size_t yes = 0;

  for (size_t i = 0; i < count; i++) {
    uint32_t region;
    if (lfb_partition_add(&partition, hashes[i], &region))
      yes += batch_drain(batch, filter, region);
  }
  return yes;
}

size_t lfb_batch_end(lfb_batch *batch, lfb_filter *filter)
{
  size_t yes = 0;

  for (uint32_t region = 0; region < batch->partition.regions; region++)
    if (batch->partition.counts[region] > 0)
      yes += batch_drain(batch, filter, region);
  batch_leave_spare(filter, batch);
  return yes;
}

void lfb_batch_free_spares(lfb_filter *filter)
{
  lfb_batch *spare;
  while ((spare = batch_take_spare(filter)) != NULL)
    batch_free(spare);
}
