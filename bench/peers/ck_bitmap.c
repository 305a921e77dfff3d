/*
 * ck_bitmap.c - a simple filter on ConcurrencyKit's lock-free bitmap (package libck-dev), as a
 * user would write it in an hour: the classic filter, k bits anywhere.
 *
 * Keys are hashed by XXH3.  Probes come from double hashing, each a high product instead of a
 * remainder.  A set bit is not set again, so a put of a present key writes nothing.
 * The bitmap counts bits in 32 bits: at most 256 MiB here.
 */
#include <ck_bitmap.h>

#include <math.h>
#include <stdlib.h>

#include <lfbloom/cpu.h>

#include "atomic/words/pages.h"
#include "bench/ways.h"
#include "bench/xxh3.h"

typedef struct ck_filter {
  ck_bitmap_t *bitmap;
  uint64_t bit_count;
  unsigned probes;
  lfb_pages pages;
} ck_filter;

/* A second hash from the first; odd, so never 0. */
static uint64_t ck_stride(uint64_t hash)
{
  return (hash * UINT64_C(0x9e3779b97f4a7c15)) | 1;
}

static bool ck_put(const ck_filter *filter, uint64_t hash)
{
  const uint64_t stride = ck_stride(hash);
  bool turned_on = false;

  for (unsigned i = 0; i < filter->probes; i++, hash += stride) {
    const unsigned bit = (unsigned)lfb_multiply_high(hash, filter->bit_count);
    if (!ck_bitmap_test(filter->bitmap, bit) && !ck_bitmap_bts(filter->bitmap, bit))
      turned_on = true;
  }
  return turned_on;
}

static bool ck_query(const ck_filter *filter, uint64_t hash)
{
  const uint64_t stride = ck_stride(hash);

  for (unsigned i = 0; i < filter->probes; i++, hash += stride)
    if (!ck_bitmap_test(filter->bitmap,
                        (unsigned)lfb_multiply_high(hash, filter->bit_count)))
      return false;
  return true;
}

SINGLE_WAY(ck_hash, filter, ck_put, ck_query, keys->numbers[i])
SINGLE_WAY(ck_u64, filter, ck_put, ck_query, lfb_xxh3_number(keys, i))
SINGLE_WAY(ck_uuid, filter, ck_put, ck_query, lfb_xxh3_uuid(keys, i))

static const lfb_way ck_ways[] = {
    WAY_ROW("single/hash", LFB_KEYS_NUMBERS, ck_hash),
    WAY_ROW("single/u64", LFB_KEYS_NUMBERS, ck_u64),
    WAY_ROW("single/bytes36", LFB_KEYS_UUIDS, ck_uuid),
};

static uint64_t ck_bit_count(uint64_t n, double fpp)
{
  return (uint64_t)ceil((double)n * -log(fpp) / (log(2) * log(2)));
}

static bool ck_size(const lfb_contender *contender, uint64_t n, double fpp, uint64_t *bytes)
{
  const uint64_t bit_count = ck_bit_count(n, fpp);
  (void)contender;

  *bytes = (bit_count + 7) / 8;
  return bit_count <= UINT64_C(1) << 31;
}

static void *ck_create(const lfb_contender *contender, uint64_t n, double fpp)
{
  ck_filter *filter = calloc(1, sizeof *filter);
  (void)contender;

  if (filter == NULL)
    return NULL;
  filter->bit_count = ck_bit_count(n, fpp);
  filter->probes = (unsigned)lround(-log2(fpp));
  if (lfb_pages_init(&filter->pages, ck_bitmap_size((unsigned)filter->bit_count), true) !=
      LFB_OK) {
    free(filter);
    return NULL;
  }
  filter->bitmap = filter->pages.address;
  ck_bitmap_init(filter->bitmap, (unsigned)filter->bit_count, false);
  return filter;
}

static void ck_free(void *filter)
{
  ck_filter *freed = filter;

  if (freed != NULL)
    lfb_pages_free(&freed->pages);
  free(freed);
}

static lfb_bench_bits ck_bits(void *filter)
{
  const ck_filter *of = filter;
  return (lfb_bench_bits){ck_bitmap_buffer(of->bitmap),
                          ck_bitmap_base((unsigned)of->bit_count)};
}

static void ck_fill(void *filter, const uint64_t *numbers, size_t count)
{
  for (size_t i = 0; i < count; i++)
    (void)ck_put(filter, numbers[i]);
}

const lfb_contender lfb_peer_ck_bitmap = {
    .name = "ck-bitmap",
    .ways = ck_ways,
    .way_count = sizeof ck_ways / sizeof *ck_ways,
    .size = ck_size,
    .create = ck_create,
    .free = ck_free,
    .bits = ck_bits,
    .fill = ck_fill,
};
