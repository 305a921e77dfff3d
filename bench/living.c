/*
 * living.c - filters that live, to compare with the plain one of the same strategy: counting
 * filters, a window of three generations, and a handle with versions.
 *
 * At one size a filter of counters has room for a quarter of the keys, a window for half.  There
 * is no put_present of a counting filter: it would fill a key's lines, or raise its counters until
 * they are stuck, and then write nothing.  A window advances by itself, so that all n keys are in
 * its four generations: three are full, and the current one nearly.
 */
#include <lfbloom/any.h>
#include <lfbloom/versions.h>

#include "bench/ways.h"
#include "bloom/counting/counting.h"
#include "bloom/filter/filter.h"
#include "bloom/window/window.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A batch of keys, by one call. */
static size_t any_many(lfb_kind kind, void *filter, lfb_verb verb, const lfb_keys *keys,
                       size_t first, size_t count)
{
  uint64_t answers[LFB_ACT_MOST / 64];
  return lfb_any_many_u64((lfb_any){kind, {filter}}, verb, keys->numbers + first, count, answers);
}

/* A way of many keys: `verb` puts them, then `after` is called if it is not LFB_MIGHT_CONTAIN. */
#define ANY_WAY(noun, kind, verb, after)                                                     \
  static size_t noun##_put(void *filter, const lfb_keys *keys, size_t first, size_t count)   \
  {                                                                                          \
    const size_t fresh = any_many(kind, filter, verb, keys, first, count);                   \
    if ((after) != LFB_MIGHT_CONTAIN)                                                        \
      (void)any_many(kind, filter, after, keys, first, count);                               \
    return fresh;                                                                            \
  }                                                                                          \
  static size_t noun##_query(void *filter, const lfb_keys *keys, size_t first, size_t count) \
  {                                                                                          \
    return any_many(kind, filter, LFB_MIGHT_CONTAIN, keys, first, count);                    \
  }

/* The row of a way whose mixtures are not measured. */
#define LIVING_WAY(call, uses, noun) \
  {(call), LFB_KEYS_NUMBERS, (uses), noun##_put, noun##_query, NULL}

enum {
  BUT_PUT_PRESENT = LFB_WAY_ASK | LFB_WAY_PUT_NEW,
  CLAIM = LFB_WAY_PUT_NEW | LFB_WAY_PUT_PRESENT,
};

/* ---- counting ------------------------------------------------------------ */

/* Puts and removes a key; returns whether the put found room. */
static bool put_remove_one(lfb_counting *counting, uint64_t key)
{
  return lfb_counting_put_u64(counting, key) && lfb_counting_remove_u64(counting, key);
}

SINGLE_WAY(count_u64, filter, lfb_counting_put_u64, lfb_counting_might_contain_u64,
           keys->numbers[i])
SINGLE_WAY(put_remove, filter, put_remove_one, lfb_counting_might_contain_u64, keys->numbers[i])
ANY_WAY(count_many, LFB_KIND_COUNTING, LFB_PUT, LFB_MIGHT_CONTAIN)
ANY_WAY(put_remove_many, LFB_KIND_COUNTING, LFB_PUT, LFB_REMOVE)

static const lfb_way counting_ways[] = {
    WAY_ROW_FOR(BUT_PUT_PRESENT, "single/u64", LFB_KEYS_NUMBERS, count_u64),
    LIVING_WAY("many/u64", BUT_PUT_PRESENT, count_many),
    WAY_ROW_FOR(LFB_WAY_PUT_NEW, "put_remove/u64", LFB_KEYS_NUMBERS, put_remove),
    LIVING_WAY("put_remove_many/u64", LFB_WAY_PUT_NEW, put_remove_many),
};

static bool counting_size(const lfb_contender *contender, uint64_t n, double fpp, uint64_t *bytes)
{
  const bool possible = lfb_own_fast.size(contender, n, fpp, bytes);
  *bytes *= contender->strategy == LFB_TAGS ? 1 : 4; /* counters of 4 bits */
  return possible;
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

const lfb_contender lfb_own_counting = COUNTING_ROW("counting", LFB_TAGS);
const lfb_contender lfb_own_counting_mitz64 = COUNTING_ROW("counting-mitz64", LFB_GUAVA_MITZ64);

/* ---- windows ------------------------------------------------------------- */

SINGLE_WAY(window_u64, filter, lfb_window_put_u64, lfb_window_might_contain_u64, keys->numbers[i])
SINGLE_WAY(window_claim, filter, lfb_window_claim_u64, lfb_window_might_contain_u64,
           keys->numbers[i])
ANY_WAY(window_many, LFB_KIND_WINDOW, LFB_PUT, LFB_MIGHT_CONTAIN)
ANY_WAY(window_claims, LFB_KIND_WINDOW, LFB_CLAIM, LFB_MIGHT_CONTAIN)

/* A put of a key that an older generation has is new to the current one. */
static const lfb_way window_ways[] = {
    WAY_ROW_FOR(BUT_PUT_PRESENT, "single/u64", LFB_KEYS_NUMBERS, window_u64),
    LIVING_WAY("many/u64", BUT_PUT_PRESENT, window_many),
    WAY_ROW_FOR(CLAIM, "claim/u64", LFB_KEYS_NUMBERS, window_claim),
    LIVING_WAY("claim_many/u64", CLAIM, window_claims),
};

static lfb_window_config window_config(uint64_t n, double fpp)
{
  return (lfb_window_config){
      .expected_insertions = n / 100 * 78, /* 3 generations of 26 % of the keys, and 22 % */
      .fpp = fpp, .generations = 3, .by_insertions = true, .hash = LFB_HASH_XXH3, .seed = 1};
}

static bool window_size(const lfb_contender *contender, uint64_t n, double fpp, uint64_t *bytes)
{
  const lfb_window_config config = window_config(n, fpp);
  lfb_window_figures figures;

  (void)contender;
  if (lfb_window_config_plan(&config, &figures) != LFB_OK)
    return false;
  *bytes = figures.bytes;
  return true;
}

static void *window_create(const lfb_contender *contender, uint64_t n, double fpp)
{
  const lfb_window_config config = window_config(n, fpp);
  lfb_window *window;

  (void)contender;
  return lfb_window_create(&config, &window) == LFB_OK ? window : NULL;
}

static void window_free(void *window)
{
  lfb_window_free(window);
}

/* Copies the generation, too, and how many keys it has. */
static void window_copy(void *to, const void *from)
{
  lfb_window *into = to;
  const lfb_window *filled = from;
  const uint64_t now = lfb_stripes_sum(&filled->inserted), mine = lfb_stripes_sum(&into->inserted);

  memcpy(into->pages.address, filled->pages.address, (size_t)filled->pages.size);
  atomic_store(&into->head->generation, atomic_load(&filled->head->generation));
  atomic_store(&into->head->counted,
               atomic_load(&filled->head->counted) + ((mine - now) << LFB_WINDOW_COUNTED_SHIFT));
}

static void window_fill(void *window, const uint64_t *numbers, size_t count)
{
  (void)lfb_any_many_u64((lfb_any){LFB_KIND_WINDOW, {window}}, LFB_PUT, numbers, count, NULL);
}

const lfb_contender lfb_own_window = {
    .name = "window", .ways = window_ways, .way_count = COUNT(window_ways), .strategy = LFB_FAST,
    .size = window_size, .create = window_create, .free = window_free, .copy = window_copy,
    .fill = window_fill,
};

/* ---- versions: the same filter as the first version of a handle ------------ */

/* The filter of a handle with a single version: valid as long as the handle. */
static lfb_filter *versions_filter(const void *versions)
{
  const lfb_filter *filter = lfb_versions_enter(versions, NULL);
  lfb_versions_leave(versions);
  return (lfb_filter *)(uintptr_t)filter;
}

SINGLE_WAY(versions_u64, filter, lfb_versions_put_u64, lfb_versions_might_contain_u64,
           keys->numbers[i])
MANY_WAY(versions_many, lfb_versions_many, LFB_PUT, keys->numbers, LFB_U64_KEY)

/* All queries in one section. */
static size_t section_query(void *versions, const lfb_keys *keys, size_t first, size_t count)
{
  const lfb_filter *current = lfb_versions_enter(versions, NULL);
  size_t yes = 0;

  for (size_t i = first; i < first + count; i++)
    yes += lfb_filter_might_contain_u64(current, keys->numbers[i]);
  lfb_versions_leave(versions);
  return yes;
}

static const lfb_way versions_ways[] = {
    WAY_ROW("single/u64", LFB_KEYS_NUMBERS, versions_u64),
    {"section/u64", LFB_KEYS_NUMBERS, LFB_WAY_ASK, versions_u64_put, section_query, NULL},
    WAY_ROW("many/u64", LFB_KEYS_NUMBERS, versions_many),
};

static void *versions_create(const lfb_contender *own, uint64_t n, double fpp)
{
  lfb_filter *filter = lfb_own_fast.create(own, n, fpp);
  lfb_versions *versions;

  if (filter != NULL && lfb_versions_create_with(filter, &versions) == LFB_OK)
    return versions;
  lfb_filter_free(filter);
  return NULL;
}

static void versions_free(void *versions)
{
  lfb_versions_free(versions);
}

static lfb_bench_bits versions_bits(void *versions)
{
  return lfb_own_fast.bits(versions_filter(versions));
}

static void versions_fill(void *versions, const uint64_t *numbers, size_t count)
{
  lfb_own_fast.fill(versions_filter(versions), numbers, count);
}

static bool versions_size(const lfb_contender *own, uint64_t n, double fpp, uint64_t *bytes)
{
  return lfb_own_fast.size(own, n, fpp, bytes);
}

const lfb_contender lfb_own_versions = {
    .name = "versions", .ways = versions_ways, .way_count = COUNT(versions_ways),
    .strategy = LFB_FAST, .size = versions_size, .create = versions_create, .free = versions_free,
    .bits = versions_bits, .fill = versions_fill,
};
