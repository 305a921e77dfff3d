/*
 * counting.c - the counting filter, to compare with the plain one of the same strategy.
 *
 * At one size it has room for a quarter of the keys.  There is no put_present: repeated puts of
 * a present key would raise its counters until they are stuck, and then write nothing.
 * put_remove puts a new key and removes it.
 */
#include <lfbloom/any.h>

#include "bench/ways.h"
#include "bloom/counting/counting.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

SINGLE_WAY(single_u64, filter, lfb_counting_put_u64, lfb_counting_might_contain_u64,
           keys->numbers[i])

static size_t count_many(lfb_counting *counting, const uint64_t *numbers, size_t count, uint64_t *answers)
{
  return lfb_any_many_u64((lfb_any){LFB_KIND_COUNTING, {counting}}, LFB_PUT, numbers, count, answers);
}

static size_t counted_many(lfb_counting *counting, const uint64_t *numbers, size_t count, uint64_t *answers)
{
  return lfb_any_many_u64((lfb_any){LFB_KIND_COUNTING, {counting}}, LFB_MIGHT_CONTAIN, numbers, count, answers);
}

MANY_WAY(many_u64, count_many, counted_many, keys->numbers)

/* Puts and removes a key; returns whether it was new. */
static bool put_remove_one(lfb_counting *counting, uint64_t key)
{
  const bool fresh = lfb_counting_put_u64(counting, key);
  (void)lfb_counting_remove_u64(counting, key);
  return fresh;
}

static size_t put_remove_each(lfb_counting *counting, const uint64_t *numbers, size_t count,
                              uint64_t *answers)
{
  const size_t fresh = lfb_any_many_u64((lfb_any){LFB_KIND_COUNTING, {counting}}, LFB_PUT, numbers, count, answers);
  (void)lfb_any_many_u64((lfb_any){LFB_KIND_COUNTING, {counting}}, LFB_REMOVE, numbers, count, answers);
  return fresh;
}

SINGLE_WAY(put_remove, filter, put_remove_one, lfb_counting_might_contain_u64, keys->numbers[i])
MANY_WAY(put_remove_many, put_remove_each, counted_many, keys->numbers)

enum { BUT_PUT_PRESENT = LFB_WAY_ASK | LFB_WAY_PUT_NEW | LFB_WAY_MIXED };

static const lfb_way counting_ways[] = {
    WAY_ROW_FOR(BUT_PUT_PRESENT, "single/u64", LFB_KEYS_NUMBERS, single_u64),
    WAY_ROW_FOR(BUT_PUT_PRESENT, "many/u64", LFB_KEYS_NUMBERS, many_u64),
    WAY_ROW_FOR(LFB_WAY_PUT_NEW, "put_remove/u64", LFB_KEYS_NUMBERS, put_remove),
    WAY_ROW_FOR(LFB_WAY_PUT_NEW, "put_remove_many/u64", LFB_KEYS_NUMBERS, put_remove_many),
};

static bool counting_size(const lfb_contender *contender, uint64_t n, double fpp, uint64_t *bytes)
{
  const lfb_config config = lfb_own_config(contender, n, fpp);
  lfb_stats stats;

  if (lfb_config_plan(&config, &stats) != LFB_OK)
    return false;
  *bytes = 4 * stats.bytes;
  return true;
}

static void *counting_create(const lfb_contender *contender, uint64_t n, double fpp)
{
  const lfb_config config = lfb_own_config(contender, n, fpp);
  lfb_counting *counting;
  return lfb_counting_create(&config, &counting) == LFB_OK ? counting : NULL;
}

static void counting_free(void *counting)
{
  lfb_counting_free(counting);
}

static lfb_bench_bits counting_bits(void *of)
{
  const lfb_counting *counting = of;
  return (lfb_bench_bits){counting->pages.address, counting->pages.size};
}

static void counting_fill(void *counting, const uint64_t *numbers, size_t count)
{
  (void)lfb_any_many_u64((lfb_any){LFB_KIND_COUNTING, {counting}}, LFB_PUT, numbers, count, NULL);
}

#define COUNTING_ROW(own_name, id)                                                        \
  {.name = (own_name), .ways = counting_ways, .way_count = COUNT(counting_ways),          \
   .strategy = (id), .size = counting_size, .create = counting_create,                    \
   .free = counting_free, .bits = counting_bits, .fill = counting_fill}

const lfb_contender lfb_own_counting = COUNTING_ROW("counting", LFB_FAST);
const lfb_contender lfb_own_counting_mitz64 = COUNTING_ROW("counting-mitz64", LFB_GUAVA_MITZ64);
