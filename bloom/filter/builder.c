/* builder.c - keeps hashes until the size of their filter is known. */
#include <lfbloom/builder.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/filter/filter.h"
#include "bloom/filter/pieces.h"

/* Hashes that are kept in one piece of memory: 128 KiB. */
enum { BUILDER_KEPT = LFB_PIECE_HASHES };

/* Below this share of distinct keys a builder makes a smaller filter in a second pass. */
#define BUILDER_REPEATED 0.95

/* Hashes that are kept until the filter's size is known. */
typedef struct builder_kept builder_kept;
struct builder_kept {
  builder_kept *older;
  size_t count;
  uint64_t hashes[]; /* BUILDER_KEPT first halves, then as many second ones if there are any */
};

/* The private part of one thread. */
typedef struct builder_thread {
  builder_kept *kept;
  bool refused; /* memory for kept hashes was refused */
  char padding[LFB_CACHE_LINE];
} builder_thread;

struct lfb_builder {
  lfb_filter *filter; /* at first for a single key, with the hash and strategy */
  lfb_config config;  /* that of the caller, for a single key */
  uint64_t new_keys;
  unsigned threads;
  builder_thread *thread;
};

lfb_status lfb_builder_create(const lfb_config *config, unsigned threads, lfb_builder **builder)
{
  if (threads == 0)
    return LFB_ERROR_NO_THREADS;
  lfb_builder *made = calloc(1, sizeof *made);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->threads = threads;
  made->config = *config;
  made->config.expected_insertions = 1;
  lfb_status status = lfb_filter_create(&made->config, &made->filter);
  if (status == LFB_OK) {
    made->thread = calloc(threads, sizeof *made->thread);
    status = made->thread == NULL ? LFB_ERROR_NO_MEMORY : LFB_OK;
  }
  if (status == LFB_OK)
    *builder = made;
  else
    lfb_builder_free(made);
  return status;
}

/* Frees all except the filter. */
static void builder_take_down(lfb_builder *builder)
{
  for (unsigned i = 0; builder->thread != NULL && i < builder->threads; i++)
    for (builder_kept *kept = builder->thread[i].kept, *older; kept != NULL; kept = older) {
      older = kept->older;
      free(kept);
    }
  free(builder->thread);
  free(builder);
}

void lfb_builder_free(lfb_builder *builder)
{
  if (builder == NULL)
    return;
  lfb_filter_free(builder->filter);
  builder_take_down(builder);
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

/* The context of builder_keep(). */
typedef struct builder_call {
  const lfb_builder *builder;
  builder_thread *thread;
} builder_call;

/* An lfb_piece_act. */
static size_t builder_keep(const void *context, const uint64_t *low, const uint64_t *high,
                           size_t first, size_t count)
{
  const builder_call *call = context;

  (void)first;
  for (size_t done = 0, some; done < count; done += some) {
    builder_kept *kept = builder_room(call->builder, call->thread);
    if (kept == NULL) {
      call->thread->refused = true;
      return 0;
    }
    const size_t room = BUILDER_KEPT - kept->count;
    some = count - done < room ? count - done : room;
    memcpy(kept->hashes + kept->count, low + done, some * sizeof *low);
    if (high != NULL)
      memcpy(kept->hashes + BUILDER_KEPT + kept->count, high + done, some * sizeof *high);
    kept->count += some;
  }
  return 0;
}

void lfb_builder_put_many(lfb_builder *builder, unsigned thread, const void *keys, size_t count,
                          lfb_key_kind kind)
{
  const lfb_hashing hashing = {&builder->filter->layout.hasher, builder->filter->strategy};
  const builder_call call = {builder, &builder->thread[thread]};

  (void)lfb_pieces(&hashing, keys, count, kind, builder_keep, &call);
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
  builder->new_keys = 0;
  for (unsigned i = 0; i < builder->threads; i++)
    for (const builder_kept *kept = builder->thread[i].kept; kept != NULL; kept = kept->older)
      builder->new_keys += builder_put_kept(builder, kept);
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

lfb_status lfb_builder_finish(lfb_builder *builder, lfb_filter **filter, uint64_t *new_keys)
{
  for (unsigned i = 0; i < builder->threads; i++)
    if (builder->thread[i].refused)
      return LFB_ERROR_NO_MEMORY;
  const lfb_status status = builder_fill_distinct(builder);
  if (status != LFB_OK)
    return status;
  *filter = builder->filter;
  if (new_keys != NULL)
    *new_keys = builder->new_keys;
  builder_take_down(builder);
  return LFB_OK;
}
