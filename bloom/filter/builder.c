/* builder.c - keeps hashes until the size of their filter is known. */
#include <lfbloom/builder.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/filter/filter.h"
#include "bloom/filter/pieces.h"

/* Below this share of distinct keys a builder makes a smaller filter in a second pass. */
#define BUILDER_REPEATED 0.95

/* The hashes of a call. */
typedef struct builder_kept builder_kept;
struct builder_kept {
  builder_kept *older;
  size_t count;
  uint64_t hashes[]; /* first halves, then as many second ones if there are any */
};

struct lfb_builder {
  lfb_filter *filter; /* at first for a single key, with the hash and strategy */
  lfb_config config;  /* that of the caller, for a single key */
  LFB_ATOMIC(builder_kept *) newest;
  LFB_ATOMIC(bool) refused; /* memory for hashes was refused */
};

lfb_status lfb_builder_create(const lfb_config *config, lfb_builder **builder)
{
  lfb_builder *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->config = *config;
  made->config.expected_insertions = 1;
  const lfb_status status = lfb_filter_create(&made->config, &made->filter);
  if (status == LFB_OK)
    *builder = made;
  else
    free(made);
  return status;
}

/* The newest hashes, for the calls that run alone. */
static builder_kept *builder_newest(const lfb_builder *builder)
{
  /* relaxed: the caller ordered this after the puts. */
  return atomic_load_explicit(&builder->newest, memory_order_relaxed);
}

/* Frees all except the filter. */
static void builder_take_down(lfb_builder *builder)
{
  for (builder_kept *kept = builder_newest(builder), *older; kept != NULL; kept = older) {
    older = kept->older;
    free(kept);
  }
  free(builder);
}

void lfb_builder_free(lfb_builder *builder)
{
  if (builder == NULL)
    return;
  lfb_filter_free(builder->filter);
  builder_take_down(builder);
}

/* An lfb_piece_act: keeps a piece. */
static size_t builder_keep(const void *context, const uint64_t *low, const uint64_t *high,
                           size_t first, size_t count)
{
  builder_kept *kept = *(builder_kept *const *)context;

  memcpy(kept->hashes + first, low, count * sizeof *low);
  if (high != NULL)
    memcpy(kept->hashes + kept->count + first, high, count * sizeof *high);
  return 0;
}

/* Whether hashes have second halves. */
static bool builder_has_high(const lfb_builder *builder)
{
  return builder->filter->strategy->hash_width != LFB_HASH_64;
}

void lfb_builder_put_many(lfb_builder *builder, const void *keys, size_t count, lfb_key_kind kind)
{
  const lfb_hashing hashing = {&builder->filter->layout.hasher, builder->filter->strategy};
  const size_t size = (builder_has_high(builder) ? 2 : 1) * sizeof(uint64_t);
  builder_kept *kept =
      count > (SIZE_MAX - sizeof *kept) / size ? NULL : malloc(sizeof *kept + count * size);

  if (kept == NULL) {
    /* relaxed, here and below: all is read after the threads have been joined. */
    atomic_store_explicit(&builder->refused, true, memory_order_relaxed);
    return;
  }
  kept->count = count;
  (void)lfb_pieces(&hashing, keys, count, kind, builder_keep, &kept);
  kept->older = atomic_load_explicit(&builder->newest, memory_order_relaxed);
  /* None is taken out before the end: so no address comes back (no ABA). */
  while (!atomic_compare_exchange_weak_explicit(&builder->newest, &kept->older, kept,
                                                memory_order_relaxed, memory_order_relaxed))
    continue;
}

/* Puts kept hashes.  Returns how many were new. */
static uint64_t builder_put_kept(const lfb_builder *builder, const builder_kept *kept)
{
  const lfb_filter *filter = builder->filter;
  const uint64_t *high = builder_has_high(builder) ? kept->hashes + kept->count : NULL;
  uint64_t answers[LFB_PIECE_HASHES / LFB_WORD_BITS], fresh = 0;

  for (size_t at = 0, some; at < kept->count; at += some) {
    some = kept->count - at < LFB_PIECE_HASHES ? kept->count - at : (size_t)LFB_PIECE_HASHES;
    lfb_bit_array_add(&filter->layout.bits,
                      filter->kernel->many(&filter->layout, LFB_KERNEL_PUT, kept->hashes + at,
                                           high == NULL ? NULL : high + at, some, answers));
    fresh += lfb_piece_yes(answers, some);
  }
  return fresh;
}

/* Replaces the filter by one for `insertions` keys, with the same hash, and puts all kept hashes.
 * `*new_keys` receives how many were new. */
static lfb_status builder_fill(lfb_builder *builder, uint64_t insertions, uint64_t *new_keys)
{
  lfb_config config = builder->config;
  lfb_filter *made;

  config.expected_insertions = insertions;
  config.bytes *= insertions > 0; /* no keys: not as many as fit */
  lfb_status status = lfb_config_take_hash(&config, builder->filter);
  if (status == LFB_OK)
    status = lfb_filter_create(&config, &made);
  if (status != LFB_OK)
    return status;
  lfb_filter_free(builder->filter);
  builder->filter = made;
  *new_keys = 0;
  for (const builder_kept *kept = builder_newest(builder); kept != NULL; kept = kept->older)
    *new_keys += builder_put_kept(builder, kept);
  return LFB_OK;
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

/* Makes the filter for all kept hashes, and again if the distinct ones need a smaller one. */
static lfb_status builder_fill_distinct(lfb_builder *builder, uint64_t *new_keys)
{
  uint64_t count = 0;

  for (const builder_kept *kept = builder_newest(builder); kept != NULL; kept = kept->older)
    count += kept->count;
  const lfb_status status = builder_fill(builder, count, new_keys);
  if (status != LFB_OK)
    return status;
  const double distinct = builder_distinct(builder, count);
  if (distinct < BUILDER_REPEATED * (double)count) /* if it fails, the larger one stays */
    (void)builder_fill(builder, (uint64_t)distinct, new_keys);
  return LFB_OK;
}

lfb_status lfb_builder_finish(lfb_builder *builder, lfb_filter **filter, uint64_t *new_keys)
{
  uint64_t fresh;

  if (atomic_load_explicit(&builder->refused, memory_order_relaxed)) /* relaxed: as above */
    return LFB_ERROR_NO_MEMORY;
  const lfb_status status = builder_fill_distinct(builder, &fresh);
  if (status != LFB_OK)
    return status;
  *filter = builder->filter;
  if (new_keys != NULL)
    *new_keys = fresh;
  builder_take_down(builder);
  return LFB_OK;
}
