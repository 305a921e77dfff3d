/*
 * builder.c - fills a filter by plain stores, a region at a time.
 */
#include <assert.h>
#include <lfbloom/builder.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/filter/filter.h"
#include "bloom/filter/pieces.h"
#include "bloom/filter/partition.h"

enum {
  /* Many more than threads, so that two threads seldom need the same region at once. */
  BUILDER_REGIONS = 64,
  /* Hashes that are gathered for a region before it is taken: enough for many prefetches,
   * few enough that all areas of a thread stay in its second-level cache. */
  BUILDER_GATHERED = 1024,
  /* Hashes that are kept in one piece of memory: 128 KiB. */
  BUILDER_KEPT = LFB_PIECE_HASHES,
};

/* Below this share of distinct keys an unsized builder makes a smaller filter in a second pass. */
#define BUILDER_REPEATED 0.95

/* A region, and whether a thread writes to it now. */
typedef struct builder_region {
  LFB_ATOMIC(uint32_t) taken;
  char padding[LFB_CACHE_LINE - sizeof(uint32_t)];
} builder_region;

/* Hashes that are kept until the filter's size is known. */
typedef struct builder_kept builder_kept;
struct builder_kept {
  builder_kept *older;
  size_t count;
  uint64_t hashes[]; /* BUILDER_KEPT first halves, then as many second ones if there are any */
};

/* The private part of one thread. */
typedef struct builder_thread {
  lfb_partition partition; /* if there are several threads */
  builder_kept *kept;      /* of an unsized builder        */
  bool refused;            /* memory for kept hashes was refused */
  uint64_t new_keys;
  char padding[LFB_CACHE_LINE];
} builder_thread;

struct lfb_builder {
  lfb_filter *filter;      /* if unsized: one for a single key, with the hash and strategy */
  bool unsized;            /* keeps hashes until lfb_builder_size()    */
  bool alone;              /* puts by plain stores; else by put_many   */
  bool partitions;         /* several threads, by plain stores         */
  lfb_config config;       /* that of the caller                       */
  unsigned threads, ready; /* threads, and how many of them are set up */
  builder_region *regions;
  builder_thread *thread;
};

/* The smallest shift that gives at most BUILDER_REGIONS regions. */
static uint32_t builder_shift(uint64_t blocks)
{
  uint32_t shift = 0;
  while (((blocks - 1) >> shift) >= BUILDER_REGIONS)
    shift++;
  return shift;
}

static lfb_status builder_set_up(lfb_builder *builder)
{
  builder->regions = aligned_alloc(LFB_CACHE_LINE, BUILDER_REGIONS * sizeof(builder_region));
  builder->thread = calloc(builder->threads, sizeof *builder->thread);
  if (builder->regions == NULL || builder->thread == NULL)
    return LFB_ERROR_NO_MEMORY;
  for (int i = 0; i < BUILDER_REGIONS; i++)
    atomic_init(&builder->regions[i].taken, 0);
  for (; builder->partitions && builder->ready < builder->threads; builder->ready++) {
    const uint64_t blocks = lfb_filter_blocks(builder->filter);
    const lfb_status status =
        lfb_partition_init(&builder->thread[builder->ready].partition, blocks,
                           builder_shift(blocks), BUILDER_GATHERED);
    if (status != LFB_OK)
      return status;
  }
  return LFB_OK;
}

static lfb_status builder_create(const lfb_config *config, unsigned threads, bool unsized,
                                 lfb_builder **builder)
{
  if (threads == 0)
    return LFB_ERROR_NO_THREADS;
  lfb_builder *made = calloc(1, sizeof *made);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_filter_create(config, &made->filter);
  if (status == LFB_OK) {
    made->threads = threads;
    made->unsized = unsized;
    made->config = *config;
    made->alone = made->filter->strategy->block_words != 0;
    made->partitions = made->alone && threads > 1 && !unsized;
    status = builder_set_up(made);
  }
  if (status != LFB_OK) {
    lfb_builder_free(made);
    return status;
  }
  *builder = made;
  return LFB_OK;
}

lfb_status lfb_builder_create(const lfb_config *config, unsigned threads, lfb_builder **builder)
{
  return builder_create(config, threads, false, builder);
}

lfb_status lfb_builder_create_unsized(const lfb_config *config, unsigned threads,
                                      lfb_builder **builder)
{
  lfb_config one = *config;

  one.expected_insertions = 1;
  return builder_create(&one, threads, true, builder);
}

/* Frees the kept hashes of all threads. */
static void builder_forget(lfb_builder *builder)
{
  for (unsigned i = 0; builder->thread != NULL && i < builder->threads; i++) {
    builder_kept *kept = builder->thread[i].kept;
    while (kept != NULL) {
      builder_kept *older = kept->older;
      free(kept);
      kept = older;
    }
    builder->thread[i].kept = NULL;
  }
}

/* Frees all except the filter. */
static void builder_take_down(lfb_builder *builder)
{
  builder_forget(builder);
  for (unsigned i = 0; i < builder->ready; i++)
    lfb_partition_free(&builder->thread[i].partition);
  free(builder->thread);
  free(builder->regions);
  free(builder);
}

void lfb_builder_free(lfb_builder *builder)
{
  if (builder == NULL)
    return;
  lfb_filter_free(builder->filter);
  builder_take_down(builder);
}

static void region_take(builder_region *region)
{
  /* acquire: pairs with the release in region_give(), and shows the last owner's stores. */
  while (atomic_exchange_explicit(&region->taken, 1, memory_order_acquire) != 0)
    (void)sched_yield();
}

static void region_give(builder_region *region)
{
  /* release: pairs with the acquire in region_take() of the next owner. */
  atomic_store_explicit(&region->taken, 0, memory_order_release);
}

/* Puts hashes while no other thread uses their words.  Returns how many were new. */
static size_t builder_gather(const lfb_builder *builder, const uint64_t *hashes, size_t count)
{
  uint64_t answers[LFB_PIECE_HASHES / LFB_WORD_BITS];

  (void)builder->filter->kernel->many(&builder->filter->layout, LFB_KERNEL_PUT_ALONE, hashes, NULL,
                                      count, answers);
  return lfb_piece_yes(answers, count);
}

static void builder_drain(lfb_builder *builder, builder_thread *thread, uint32_t region)
{
  uint32_t count;
  const uint64_t *hashes = lfb_partition_take(&thread->partition, region, &count);

  region_take(&builder->regions[region]);
  thread->new_keys += builder_gather(builder, hashes, count);
  region_give(&builder->regions[region]);
}

/* Whether hashes have a second word, and kept ones room for it. */
static bool builder_has_high(const lfb_builder *builder)
{
  return builder->filter->strategy->hash_width != LFB_HASH_64;
}

/* The newest memory for a thread's hashes, with room for at least one.  NULL: it was refused. */
static builder_kept *builder_room(const lfb_builder *builder, builder_thread *thread)
{
  const size_t halves = builder_has_high(builder) ? 2 : 1;

  if (thread->kept != NULL && thread->kept->count < BUILDER_KEPT)
    return thread->kept;
  builder_kept *made = malloc(sizeof *made + halves * BUILDER_KEPT * sizeof *made->hashes);
  if (made == NULL)
    return NULL;
  made->older = thread->kept;
  made->count = 0;
  thread->kept = made;
  return made;
}

static void builder_keep(const lfb_builder *builder, builder_thread *thread, const uint64_t *low,
                         const uint64_t *high, size_t count)
{
  for (size_t done = 0, some; done < count; done += some) {
    builder_kept *kept = builder_room(builder, thread);
    if (kept == NULL) {
      thread->refused = true;
      return;
    }
    const size_t room = BUILDER_KEPT - kept->count;
    some = count - done < room ? count - done : room;
    memcpy(kept->hashes + kept->count, low + done, some * sizeof *low);
    if (high != NULL)
      memcpy(kept->hashes + BUILDER_KEPT + kept->count, high + done, some * sizeof *high);
    kept->count += some;
  }
}

/* The context of builder_act(). */
typedef struct builder_call {
  lfb_builder *builder;
  builder_thread *thread;
} builder_call;

static size_t builder_act(const void *context, const uint64_t *low, const uint64_t *high,
                          size_t first, size_t count)
{
  const builder_call *call = context;
  const lfb_partition partition = call->thread->partition; /* a copy, which no write changes */

  (void)first;
  if (call->builder->unsized) {
    builder_keep(call->builder, call->thread, low, high, count);
    return 0;
  }
  if (!call->builder->partitions)
    return builder_gather(call->builder, low, count);
  for (size_t i = 0; i < count; i++) {
    uint32_t region;
    if (lfb_partition_add(&partition, low[i], &region))
      builder_drain(call->builder, call->thread, region);
  }
  return 0;
}

/* Puts keys: by their hashes, if the builder needs these. */
static void builder_put(lfb_builder *builder, unsigned thread, const void *keys, size_t count,
                        lfb_key_kind kind)
{
  lfb_filter *filter = builder->filter;
  const lfb_hashing hashing = {&filter->layout.hasher, filter->strategy};
  const builder_call call = {builder, &builder->thread[thread]};

  builder->thread[thread].new_keys +=
      builder->alone || builder->unsized
          ? lfb_pieces(&hashing, keys, count, kind, builder_act, &call)
          : lfb_filter_many(filter, LFB_PUT, keys, count, NULL, kind);
}

void lfb_builder_put_many(lfb_builder *builder, unsigned thread, const lfb_key *keys,
                          size_t count)
{
  builder_put(builder, thread, keys, count, LFB_BYTES_KEY);
}

void lfb_builder_put_many_u64(lfb_builder *builder, unsigned thread, const uint64_t *keys,
                              size_t count)
{
  builder_put(builder, thread, keys, count, LFB_U64_KEY);
}

void lfb_builder_put_many_hash(lfb_builder *builder, unsigned thread, const uint64_t *hashes,
                               size_t count)
{
  builder_put(builder, thread, hashes, count, LFB_HASH_KEY);
}

/* How many hashes are kept. */
static uint64_t builder_kept_count(const lfb_builder *builder)
{
  uint64_t all = 0;

  for (unsigned i = 0; i < builder->threads; i++)
    for (const builder_kept *kept = builder->thread[i].kept; kept != NULL; kept = kept->older)
      all += kept->count;
  return all;
}

/* Puts kept hashes.  Returns how many were new. */
static size_t builder_put_kept(const lfb_builder *builder, const builder_kept *kept)
{
  const lfb_filter *filter = builder->filter;
  const uint64_t *high = builder_has_high(builder) ? kept->hashes + BUILDER_KEPT : NULL;
  uint64_t answers[BUILDER_KEPT / LFB_WORD_BITS];

  if (builder->alone)
    return builder_gather(builder, kept->hashes, kept->count);
  lfb_bit_array_add(&filter->layout.bits,
                   filter->kernel->many(&filter->layout, LFB_KERNEL_PUT, kept->hashes, high,
                                        kept->count, answers));
  return lfb_piece_yes(answers, kept->count);
}

/* Replaces the filter by one for `insertions` keys, with the same hash, and puts all kept
 * hashes. */
static lfb_status builder_fill(lfb_builder *builder, uint64_t insertions)
{
  lfb_config config = builder->config;
  lfb_filter *made;

  config.expected_insertions = insertions;
  lfb_status status = lfb_config_take_hash(&config, builder->filter);
  if (status == LFB_OK)
    status = lfb_filter_create(&config, &made);
  if (status != LFB_OK)
    return status;
  lfb_filter_free(builder->filter);
  builder->filter = made;
  for (unsigned i = 0; i < builder->threads; i++) {
    builder->thread[i].new_keys = 0;
    for (const builder_kept *kept = builder->thread[i].kept; kept != NULL; kept = kept->older)
      builder->thread[i].new_keys += builder_put_kept(builder, kept);
  }
  if (builder->alone)
    lfb_bit_array_add(&made->layout.bits, lfb_filter_recount(&made->layout.bits));
  return LFB_OK;
}

/* `count`, halved until the strategy has a filter for as many. */
static uint64_t builder_bearable(const lfb_builder *builder, uint64_t count)
{
  lfb_config config = builder->config;
  lfb_stats planned;

  config.expected_insertions = count;
  while (config.expected_insertions > 1 &&
         lfb_config_plan(&config, &planned) == LFB_ERROR_TOO_MANY_BITS)
    config.expected_insertions /= 2;
  return config.expected_insertions;
}

/* The distinct keys that were put, and 1 % more because the number is an estimate; at most `count`,
 * the number of puts. */
static double builder_distinct(const lfb_builder *builder, uint64_t count)
{
  lfb_stats stats;

  lfb_filter_stats(builder->filter, &stats);
  return stats.saturated ? (double)count
                         : fmin(1.01 * (double)stats.approximate_count + 1, (double)count);
}

/* Makes the filter for all kept hashes if possible, and again if the distinct ones need another
 * size. */
static lfb_status builder_fill_distinct(lfb_builder *builder)
{
  const uint64_t count = builder_kept_count(builder), most = builder_bearable(builder, count);
  const lfb_status status = builder_fill(builder, most);

  if (status != LFB_OK)
    return status;
  const double distinct = builder_distinct(builder, count);
  if (distinct > (double)most)
    return builder_fill(builder, (uint64_t)distinct);
  if (distinct < BUILDER_REPEATED * (double)most)
    (void)builder_fill(builder, (uint64_t)distinct); /* else the larger one stays */
  return LFB_OK;
}

lfb_status lfb_builder_size(lfb_builder *builder)
{
  if (!builder->unsized)
    return LFB_OK;
  for (unsigned i = 0; i < builder->threads; i++)
    if (builder->thread[i].refused)
      return LFB_ERROR_NO_MEMORY;
  const lfb_status status = builder_fill_distinct(builder);
  if (status != LFB_OK)
    return status;
  builder_forget(builder);
  builder->unsized = false;
  builder->alone = false; /* later puts, and the end, are those of put_many */
  return LFB_OK;
}

lfb_filter *lfb_builder_finish(lfb_builder *builder, uint64_t *new_keys)
{
  lfb_filter *filter = builder->filter;
  uint64_t all = 0;

  assert(!builder->unsized);
  for (unsigned i = 0; i < builder->threads; i++) {
    builder_thread *thread = &builder->thread[i];
    for (uint32_t r = 0; builder->partitions && r < thread->partition.regions; r++)
      builder_drain(builder, thread, r);
    all += thread->new_keys;
  }
  if (builder->alone)
    lfb_bit_array_add(&filter->layout.bits, lfb_filter_recount(&filter->layout.bits));
  if (new_keys != NULL)
    *new_keys = all;
  builder_take_down(builder);
  return filter;
}
