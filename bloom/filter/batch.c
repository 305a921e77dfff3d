/* batch.c - partitions, puts privately, merges and credits; argued in batch.h. */
#include "bloom/filter/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "atomic/words/pair.h"
#include "bloom/filter/digest.h"
#include "bloom/filter/pieces.h"

enum {
  /* The words of a region, 1 MiB.  Fewer regions make the partition faster. */
  BATCH_REGION = 1 << 17,
  /* Keys per line from which on a batch is faster, and for a region that has gathered its hashes
   * (docs/performance.md). */
  BATCH_LEAST = 8,
  /* Hashes by which lfb_partition_bytes() may round up the capacity of a region. */
  BATCH_ROUNDING = 17,
  BATCH_LINE = LFB_CACHE_LINE / sizeof(lfb_word), /* words */
  /* How far ahead of the merge lines are prefetched. */
  BATCH_AHEAD = 64 * BATCH_LINE, /* in words */
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

/* The words of a region, if so many follow its beginning. */
static uint64_t batch_region_words(uint64_t words)
{
  return words < BATCH_REGION ? words : (uint64_t)BATCH_REGION;
}

/* log2 of the blocks in a region. */
static uint32_t batch_shift(const lfb_filter *filter)
{
  return (uint32_t)__builtin_ctz((unsigned)BATCH_REGION >> filter->layout.fast.block_shift);
}

/* The hashes that a region must have room for; 0 if a batch does not pay. */
static uint32_t batch_capacity(const lfb_filter *filter, size_t count)
{
  const uint64_t words = filter->layout.bits.word_count;
  const uint64_t region_words = batch_region_words(words);
  const uint64_t wish = filter->description.config.batch_memory;
  const uint64_t memory = wish == 0 ? BATCH_DEFAULT_MEMORY : wish;
  const uint64_t scratch = region_words * sizeof(lfb_word);

  if (filter->strategy->block_words == 0 || count / BATCH_LEAST <= (words - 1) / BATCH_LINE ||
      memory <= scratch)
    return 0;
  /* Some regions get more than the mean: six standard deviations cover them. */
  const double mean = (double)count * (double)region_words / (double)words;
  const double wanted = mean + 6 * sqrt(mean);
  const uint64_t regions = (words - 1) / BATCH_REGION + 1;
  const double room = (double)(memory - scratch) / (double)regions / sizeof(uint64_t) -
                      (double)BATCH_ROUNDING;
  const uint64_t least = BATCH_LEAST * region_words / BATCH_LINE;
  const double capacity = fmin(fmin(wanted, room), INT32_MAX);
  return capacity >= (double)least ? (uint32_t)capacity : 0;
}

static lfb_batch *batch_make(const lfb_filter *filter, uint32_t capacity)
{
  const uint64_t words = batch_region_words(filter->layout.bits.word_count);
  lfb_batch *made = malloc(sizeof *made);

  if (made == NULL)
    return NULL;
  made->by_pairs = lfb_pair_runs_here();
  if (lfb_pages_init(&made->scratch, words * sizeof(lfb_word), true) != LFB_OK) {
    free(made);
    return NULL;
  }
  if (lfb_partition_init(&made->partition, lfb_filter_blocks(filter), batch_shift(filter),
                         capacity) != LFB_OK) {
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

/* Applies a verb to hashes in a layout, and counts the bits that LFB_KERNEL_PUT turns on.  Returns
 * how many answers were true. */
static size_t batch_run(const lfb_filter *filter, lfb_kernel_verb verb, const lfb_layout *layout,
                        const uint64_t *hashes, size_t count)
{
  uint64_t answers[BATCH_PIECE / LFB_WORD_BITS];
  size_t yes = 0;

  for (size_t first = 0; first < count; first += BATCH_PIECE) {
    const size_t left = count - first;
    const size_t in_piece = left < BATCH_PIECE ? left : (size_t)BATCH_PIECE;
    const uint64_t turned_on =
        filter->kernel->many(layout, verb, hashes + first, NULL, in_piece, answers);
    if (verb == LFB_KERNEL_PUT)
      lfb_bit_array_add(&layout->bits, turned_on);
    yes += lfb_piece_yes(answers, in_piece);
  }
  return yes;
}

/* A region of the filter. */
typedef struct batch_region {
  lfb_word *shared;
  lfb_word *scratch; /* a copy; later, the bits that the merge turned on */
  uint64_t words;    /* an even number                                   */
} batch_region;

static batch_region batch_region_of(const lfb_batch *batch, const lfb_filter *filter,
                                    uint32_t number)
{
  const uint64_t first = (uint64_t)number * BATCH_REGION;
  return (batch_region){filter->layout.bits.words + first, batch->scratch.address,
                        batch_region_words(filter->layout.bits.word_count - first)};
}

static uint64_t batch_bits(const batch_region *region)
{
  return lfb_digest_bits((const uint64_t *)(const void *)region->scratch, (size_t)region->words);
}

static void batch_load(const batch_region *region)
{
  for (uint64_t i = 0; i < region->words; i++)
    lfb_word_store_alone(&region->scratch[i], lfb_word_get(&region->shared[i]));
}

/* As lfb_pair_set(), but not at once.  A processor without pairs has no strategy that needs it. */
static lfb_two batch_set_each(lfb_word *pair, lfb_two mask)
{
  return (lfb_two){lfb_word_set(&pair[0], mask.low), lfb_word_set(&pair[1], mask.high)};
}

/* Turns on in the filter the bits of the scratch, a pair of words at a time, and leaves there those
 * that it turned on. */
static void batch_merge(const batch_region *region, bool by_pairs)
{
  for (uint64_t i = 0; i < region->words; i += 2) {
    lfb_word *shared = region->shared + i, *scratch = region->scratch + i;
    const lfb_two mask = {lfb_word_get_alone(&scratch[0]), lfb_word_get_alone(&scratch[1])};
    if (i % BATCH_LINE == 0)
      lfb_prefetch_write((const void *)(shared + BATCH_AHEAD));
    const lfb_two on = by_pairs ? lfb_pair_set(shared, mask) : batch_set_each(shared, mask);
    lfb_word_store_alone(&scratch[0], on.low);
    lfb_word_store_alone(&scratch[1], on.high);
  }
}

/* The filter's layout, with the scratch in the place of this region.  Use no words outside it. */
static lfb_layout batch_layout(const lfb_filter *filter, const batch_region *region)
{
  lfb_layout layout = filter->layout;

  layout.bits.words = (lfb_word *)((uintptr_t)region->scratch -
                                   ((uintptr_t)region->shared - (uintptr_t)layout.bits.words));
  layout.fast.words = layout.bits.words;
  layout.cached = 1;
  return layout;
}

/* Puts what a region has gathered.  Returns how many of its keys were new. */
static size_t batch_drain(lfb_batch *batch, lfb_filter *filter, uint32_t number)
{
  const batch_region region = batch_region_of(batch, filter, number);
  const lfb_layout layout = batch_layout(filter, &region);
  uint32_t count;

  const uint64_t *hashes = lfb_partition_take(&batch->partition, number, &count);
  if (count < BATCH_LEAST * (region.words / BATCH_LINE)) /* too few to share words */
    return batch_run(filter, LFB_KERNEL_PUT, &filter->layout, hashes, count);
  batch_load(&region);
  const uint64_t before = batch_bits(&region);
  const size_t yes = batch_run(filter, LFB_KERNEL_PUT_ALONE, &layout, hashes, count);
  const uint64_t gained = batch_bits(&region) - before;
  batch_merge(&region, batch->by_pairs);
  const uint64_t turned_on = batch_bits(&region);
  lfb_bit_array_add(&filter->layout.bits, turned_on);
  if (turned_on == gained)
    return yes;
  return batch_run(filter, LFB_KERNEL_CREDIT, &layout, hashes, count);
}

/* The same as lfb_batch_put() if there is one region: it gathers the hashes in their order. */
static size_t batch_put_one_region(lfb_batch *batch, lfb_filter *filter, const uint64_t *hashes,
                                   size_t count)
{
  const lfb_partition *partition = &batch->partition;
  size_t yes = 0;

  for (size_t some; count > 0; hashes += some, count -= some) {
    const uint32_t room = partition->capacity - partition->counts[0];
    some = count < room ? count : room;
    memcpy(partition->areas + partition->counts[0], hashes, some * sizeof *hashes);
    partition->counts[0] += (uint32_t)some;
    if (some == room)
      yes += batch_drain(batch, filter, 0);
  }
  return yes;
}

size_t lfb_batch_put(lfb_batch *batch, lfb_filter *filter, const uint64_t *hashes, size_t count)
{
  const lfb_partition partition = batch->partition; /* a copy, which no write changes */
  size_t yes = 0;

  if (partition.regions == 1)
    return batch_put_one_region(batch, filter, hashes, count);
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
