/*
 * mutex.c - a mutex around the bit array of strategy `fast`: the same words and
 * bits for the same hash, by plain reads and writes, so that only the lock differs.
 *
 * A single call locks for each key, a call of many once for the batch.  Keys are hashed by XXH3,
 * before the lock is taken.
 */
#include <pthread.h>
#include <stdlib.h>

#include "bench/ways.h"
#include "bench/xxh3.h"
#include "bloom/filter/filter.h"
#include "bloom/strategies/fast/fast_key.h"

typedef struct mutex_filter {
  pthread_mutex_t mutex;
  lfb_fast fast;
  uint64_t bits_set;
  lfb_filter *filter; /* owns the words        */
} mutex_filter;

/* relaxed, here and below: a plain access; the mutex orders it. */
static uint32_t mutex_turn_on(lfb_word *word, uint64_t mask)
{
  const uint64_t seen = lfb_word_get(word);

  if ((mask & ~seen) == 0)
    return 0;
  atomic_store_explicit(word, seen | mask, memory_order_relaxed);
  return lfb_word_count(mask & ~seen);
}

LFB_INLINE bool locked_put_shape(const lfb_fast *fast, uint64_t *bits_set, uint64_t hash)
{
  const lfb_fast_key key = lfb_fast_key_of(fast, hash);
  const uint32_t groups = lfb_fast_groups(fast);
  uint32_t turned_on = 0;

  LFB_UNROLL
  for (uint32_t j = 0; j < groups; j++)
    turned_on += mutex_turn_on(key.word[j], key.mask[j]);
  *bits_set += turned_on;
  return turned_on > 0;
}

static inline bool locked_put(mutex_filter *filter, uint64_t hash)
{
#define PUT(name, block, shift, count)                                         \
  case LFB_FAST_SHAPE(block, shift, count): {                                  \
    const lfb_fast shaped = lfb_fast_shaped(&filter->fast, block, shift, count); \
    return locked_put_shape(&shaped, &filter->bits_set, hash);                 \
  }
  switch (LFB_FAST_SHAPE(filter->fast.block_shift, filter->fast.group_shift, filter->fast.probes)) {
    LFB_FAST_SHAPES(PUT)
  default:
    return locked_put_shape(&filter->fast, &filter->bits_set, hash);
  }
#undef PUT
}

static bool mutex_put(mutex_filter *filter, uint64_t hash)
{
  (void)pthread_mutex_lock(&filter->mutex);
  const bool turned_on = locked_put(filter, hash);
  (void)pthread_mutex_unlock(&filter->mutex);
  return turned_on;
}

static bool mutex_query(mutex_filter *filter, uint64_t hash)
{
  (void)pthread_mutex_lock(&filter->mutex);
  const bool in = lfb_filter_might_contain_hash(filter->filter, hash);
  (void)pthread_mutex_unlock(&filter->mutex);
  return in;
}

SINGLE_WAY(mutex_hash, filter, mutex_put, mutex_query, keys->numbers[i])
SINGLE_WAY(mutex_u64, filter, mutex_put, mutex_query, lfb_xxh3_number(keys, i))
SINGLE_WAY(mutex_uuid, filter, mutex_put, mutex_query, lfb_xxh3_uuid(keys, i))

static size_t mutex_put_many(mutex_filter *filter, const uint64_t *hashes, size_t count,
                             uint64_t *answers)
{
  size_t yes = 0;
  (void)answers;

  (void)pthread_mutex_lock(&filter->mutex);
  for (size_t i = 0; i < count; i++)
    yes += locked_put(filter, hashes[i]);
  (void)pthread_mutex_unlock(&filter->mutex);
  return yes;
}

static size_t mutex_query_many(mutex_filter *filter, const uint64_t *hashes, size_t count,
                               uint64_t *answers)
{
  size_t yes = 0;
  (void)answers;

  (void)pthread_mutex_lock(&filter->mutex);
  for (size_t i = 0; i < count; i++)
    yes += lfb_filter_might_contain_hash(filter->filter, hashes[i]);
  (void)pthread_mutex_unlock(&filter->mutex);
  return yes;
}

MANY_WAY(mutex_many, mutex_put_many, mutex_query_many, keys->numbers)

typedef size_t (*mutex_act)(mutex_filter *filter, const uint64_t *hashes, size_t count,
                            uint64_t *answers);

LFB_INLINE size_t mutex_hashed(mutex_filter *filter, const lfb_keys *keys, size_t first,
                               size_t count, lfb_xxh3_of of, mutex_act act)
{
  uint64_t hashes[LFB_ACT_MOST];

  for (size_t i = 0; i < count; i++)
    hashes[i] = lfb_scalar(of(keys, first + i));
  return act(filter, hashes, count, NULL);
}

/* flatten: the compiler may otherwise call XXH3. */
#define MUTEX_HASHED_ACT(noun, of, act)                                                   \
  __attribute__((flatten)) static size_t noun(void *filter, const lfb_keys *keys,         \
                                              size_t first, size_t count)                 \
  {                                                                                       \
    return mutex_hashed(filter, keys, first, count, of, act);                             \
  }

MUTEX_HASHED_ACT(mutex_put_numbers, lfb_xxh3_number, mutex_put_many)
MUTEX_HASHED_ACT(mutex_query_numbers, lfb_xxh3_number, mutex_query_many)
MUTEX_HASHED_ACT(mutex_put_uuids, lfb_xxh3_uuid, mutex_put_many)
MUTEX_HASHED_ACT(mutex_query_uuids, lfb_xxh3_uuid, mutex_query_many)

enum { HASHED_USES = LFB_WAY_ASK | LFB_WAY_PUT_PRESENT | LFB_WAY_PUT_NEW };

static const lfb_way mutex_ways[] = {
    WAY_ROW("single/hash", LFB_KEYS_NUMBERS, mutex_hash),
    WAY_ROW("many/hash", LFB_KEYS_NUMBERS, mutex_many),
    WAY_ROW("single/u64", LFB_KEYS_NUMBERS, mutex_u64),
    WAY_ROW("single/bytes36", LFB_KEYS_UUIDS, mutex_uuid),
    {"many/u64", LFB_KEYS_NUMBERS, HASHED_USES, mutex_put_numbers, mutex_query_numbers, NULL, NULL},
    {"many/bytes36", LFB_KEYS_UUIDS, HASHED_USES, mutex_put_uuids, mutex_query_uuids, NULL, NULL},
};

static bool mutex_size(const lfb_contender *contender, uint64_t n, double fpp, uint64_t *bytes)
{
  (void)contender;
  return lfb_own_fast.size(&lfb_own_fast, n, fpp, bytes);
}

static void *mutex_create(const lfb_contender *contender, uint64_t n, double fpp)
{
  mutex_filter *filter = aligned_alloc(LFB_CACHE_LINE, 4 * (size_t)LFB_CACHE_LINE);
  (void)contender;

  _Static_assert(sizeof *filter <= 4 * LFB_CACHE_LINE, "the size above");
  if (filter == NULL)
    return NULL;
  filter->filter = lfb_own_fast.create(&lfb_own_fast, n, fpp);
  if (filter->filter == NULL) {
    free(filter);
    return NULL;
  }
  filter->fast = filter->filter->layout.fast;
  (void)pthread_mutex_init(&filter->mutex, NULL);
  filter->bits_set = 0;
  return filter;
}

static void mutex_free(void *filter)
{
  mutex_filter *freed = filter;

  if (freed == NULL)
    return;
  lfb_filter_free(freed->filter);
  (void)pthread_mutex_destroy(&freed->mutex);
  free(freed);
}

static lfb_bench_bits mutex_bits(void *filter)
{
  return lfb_own_fast.bits(((mutex_filter *)filter)->filter);
}

static void mutex_fill(void *filter, const uint64_t *numbers, size_t count)
{
  (void)mutex_put_many(filter, numbers, count, NULL);
}

const lfb_contender lfb_peer_mutex = {
    .name = "mutex",
    .ways = mutex_ways,
    .way_count = sizeof mutex_ways / sizeof *mutex_ways,
    .size = mutex_size,
    .create = mutex_create,
    .free = mutex_free,
    .bits = mutex_bits,
    .fill = mutex_fill,
};
