/*
 * mutex.c - a mutex around a plain filter, as a user would write it: a key has some bits in one
 * cache line, by plain reads and writes.
 *
 * A single call locks for each key, a call of many once for the batch, for which it prefetches.
 * Numbers are hashed by XXH3, before the lock is taken.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <lfbloom/cpu.h>

#include "bench/ways.h"
#include "bloom/hashing/hash_function.h"

enum { LINE_WORDS = LFB_CACHE_LINE / 8, MUTEX_AHEAD = 16 };

typedef struct mutex_filter {
  pthread_mutex_t mutex;
  unsigned probes;
  uint64_t lines;
  lfb_pages pages;
} mutex_filter;

/* The line of a key. */
static uint64_t *mutex_line(const mutex_filter *filter, uint64_t hash)
{
  return (uint64_t *)filter->pages.address + LINE_WORDS * lfb_multiply_high(hash, filter->lines);
}

/* Whether bits of the key were not set; sets them if `put`. */
static inline bool mutex_missing(const mutex_filter *filter, uint64_t hash, bool put)
{
  uint64_t *line = mutex_line(filter, hash), missing = 0;

  for (unsigned i = 0; i < filter->probes; i++) {
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t bit = UINT64_C(1) << (hash >> 55) % 64, word = hash >> 61;
    missing |= bit & ~line[word];
    if (put)
      line[word] |= bit;
  }
  return missing != 0;
}

static bool mutex_one(mutex_filter *filter, uint64_t hash, bool put)
{
  (void)pthread_mutex_lock(&filter->mutex);
  const bool missing = mutex_missing(filter, hash, put);
  (void)pthread_mutex_unlock(&filter->mutex);
  return missing;
}

static bool mutex_put(mutex_filter *filter, uint64_t hash)
{
  return mutex_one(filter, hash, true);
}

static bool mutex_query(mutex_filter *filter, uint64_t hash)
{
  return !mutex_one(filter, hash, false);
}

/* Hashes number `i` as 8 bytes. */
static uint64_t mutex_xxh3(const lfb_keys *keys, size_t i)
{
  return XXH3_64bits_withSeed(&keys->numbers[i], sizeof keys->numbers[i], LFB_XXH3_SEED);
}

SINGLE_WAY(mutex_hash, filter, mutex_put, mutex_query, keys->numbers[i])
SINGLE_WAY(mutex_u64, filter, mutex_put, mutex_query, mutex_xxh3(keys, i))

/* Returns how many of the hashes had bits missing. */
static size_t mutex_many(mutex_filter *filter, const uint64_t *hashes, size_t count, bool put)
{
  size_t missing = 0;

  (void)pthread_mutex_lock(&filter->mutex);
  for (size_t i = 0; i < count; i++) {
    if (i + MUTEX_AHEAD < count)
      lfb_prefetch_read(mutex_line(filter, hashes[i + MUTEX_AHEAD]));
    missing += mutex_missing(filter, hashes[i], put);
  }
  (void)pthread_mutex_unlock(&filter->mutex);
  return missing;
}

static size_t many_put(void *filter, const lfb_keys *keys, size_t first, size_t count)
{
  return mutex_many(filter, keys->numbers + first, count, true);
}

static size_t many_query(void *filter, const lfb_keys *keys, size_t first, size_t count)
{
  return count - mutex_many(filter, keys->numbers + first, count, false);
}

enum { NOT_MIXED = LFB_WAY_ASK | LFB_WAY_PUT_PRESENT | LFB_WAY_PUT_NEW };

static const lfb_way mutex_ways[] = {
    WAY_ROW("single/hash", LFB_KEYS_NUMBERS, mutex_hash),
    WAY_ROW("single/u64", LFB_KEYS_NUMBERS, mutex_u64),
    {"many/hash", LFB_KEYS_NUMBERS, NOT_MIXED, many_put, many_query, NULL},
};

/* Ten bits a key at 1 %, more for less; by the Poisson distribution of keys over lines. */
static double bits_per_key(double fpp)
{
  return fpp > 0.005 ? 10 : 15.7;
}

static bool mutex_size(const lfb_contender *contender, uint64_t n, double fpp, uint64_t *bytes)
{
  (void)contender;
  *bytes = (uint64_t)((double)n * bits_per_key(fpp) / (8 * LFB_CACHE_LINE) + 1) * LFB_CACHE_LINE;
  return fpp > 0.0005;
}

static void *mutex_create(const lfb_contender *contender, uint64_t n, double fpp)
{
  mutex_filter *filter = calloc(1, sizeof *filter);
  uint64_t bytes;

  if (filter == NULL || !mutex_size(contender, n, fpp, &bytes) ||
      lfb_pages_init(&filter->pages, bytes, false) != LFB_OK) {
    free(filter);
    return NULL;
  }
  (void)memset(filter->pages.address, 0, bytes);
  (void)pthread_mutex_init(&filter->mutex, NULL);
  filter->lines = bytes / LFB_CACHE_LINE;
  filter->probes = fpp > 0.005 ? 6 : 9;
  return filter;
}

static void mutex_free(void *filter)
{
  mutex_filter *freed = filter;

  lfb_pages_free(&freed->pages);
  (void)pthread_mutex_destroy(&freed->mutex);
  free(freed);
}

static lfb_bench_bits mutex_bits(void *filter)
{
  const mutex_filter *of = filter;
  return (lfb_bench_bits){of->pages.address, of->lines * LFB_CACHE_LINE};
}

static void mutex_fill(void *filter, const uint64_t *numbers, size_t count)
{
  (void)mutex_many(filter, numbers, count, true);
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
