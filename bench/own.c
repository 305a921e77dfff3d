/* own.c - the library's own filters as contenders, through the public calls. */
#include <lfbloom/mapped.h>
#include <lfbloom/versions.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/ways.h"
#include "bench/xxh3.h"
#include "bloom/filter/filter.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* One seed, and one key, for all filters: words are copied from filter to filter. */
enum { OWN_SEED = LFB_XXH3_SEED };
static const uint8_t own_key[LFB_HASHER_KEY] = {OWN_SEED};

/* ---- ways ---------------------------------------------------------------- */

SINGLE_WAY(single_number, filter, lfb_filter_put, lfb_filter_might_contain, &keys->numbers[i], 8)
SINGLE_WAY(single_uuid, filter, lfb_filter_put, lfb_filter_might_contain,
           keys->texts + LFB_UUID_SIZE * i, LFB_UUID_SIZE)
SINGLE_WAY(single_u64, filter, lfb_filter_put_u64, lfb_filter_might_contain_u64,
           keys->numbers[i])
SINGLE_WAY(single_hash, filter, lfb_filter_put_hash, lfb_filter_might_contain_hash,
           keys->numbers[i])
MANY_WAY(many_bytes, lfb_filter_put_many, lfb_filter_might_contain_many, keys->refs)
MANY_WAY(many_u64, lfb_filter_put_many_u64, lfb_filter_might_contain_many_u64, keys->numbers)
MANY_WAY(many_hash, lfb_filter_put_many_hash, lfb_filter_might_contain_many_hash, keys->numbers)

/* A claim instead of a put. */
SINGLE_WAY(claim_hash, filter, lfb_filter_claim_hash, lfb_filter_might_contain_hash,
           keys->numbers[i])
MANY_WAY(claim_many_hash, lfb_filter_claim_many_hash, lfb_filter_might_contain_many_hash,
         keys->numbers)

/* The first half of the sample goes to the first half of the filter's lines, the second half to the
 * others: two threads, of which each has a half of the sample, write to no line of the other. */
static uint64_t apart(const lfb_keys *keys, size_t i)
{
  return keys->numbers[i] >> 1 | (uint64_t)(i >= keys->count / 2) << 63;
}

SINGLE_WAY(apart_hash, filter, lfb_filter_put_hash, lfb_filter_might_contain_hash, apart(keys, i))

/* The caller hashes, by XXH3 compiled into its loop, numbers as 8 bytes; the calls take hashes. */
LFB_INLINE size_t xxh3_query(void *filter, const lfb_keys *keys, size_t first, size_t count,
                             lfb_xxh3_of of)
{
  size_t yes = 0;

  for (size_t i = first; i < first + count; i++)
    yes += lfb_filter_might_contain_hash(filter, of(keys, i));
  return yes;
}

LFB_INLINE size_t xxh3_query_many(void *filter, const lfb_keys *keys, size_t first, size_t count,
                                  lfb_xxh3_of of)
{
  uint64_t hashes[LFB_ACT_MOST], answers[LFB_ACT_MOST / 64];

  for (size_t i = 0; i < count; i++)
    hashes[i] = lfb_scalar(of(keys, first + i));
  return lfb_filter_might_contain_many_hash(filter, hashes, count, answers);
}

/* flatten: the compiler may otherwise call XXH3. */
#define XXH3_WAY(way, query, of)                                                          \
  __attribute__((flatten)) static size_t way(void *filter, const lfb_keys *keys,          \
                                             size_t first, size_t count)                  \
  {                                                                                       \
    return query(filter, keys, first, count, of);                                         \
  }

XXH3_WAY(xxh3_number_query, xxh3_query, lfb_xxh3_number)
XXH3_WAY(xxh3_uuid_query, xxh3_query, lfb_xxh3_uuid)
XXH3_WAY(xxh3_number_query_many, xxh3_query_many, lfb_xxh3_number)
XXH3_WAY(xxh3_uuid_query_many, xxh3_query_many, lfb_xxh3_uuid)

/* Through a handle with versions: each call in its own section, or all in one section, where
 * puts have nested sections. */
SINGLE_WAY(versions_u64, filter, lfb_versions_put_u64, lfb_versions_might_contain_u64,
           keys->numbers[i])
MANY_WAY(versions_many_u64, lfb_versions_put_many_u64, lfb_versions_might_contain_many_u64,
         keys->numbers)

static size_t section_u64_put(void *filter, const lfb_keys *keys, size_t first, size_t count)
{
  (void)lfb_versions_enter(filter, NULL);
  const size_t yes = versions_u64_put(filter, keys, first, count);
  lfb_versions_leave(filter);
  return yes;
}

static size_t section_u64_query(void *filter, const lfb_keys *keys, size_t first, size_t count)
{
  const lfb_filter *current = lfb_versions_enter(filter, NULL);
  const size_t yes = single_u64_query((void *)(uintptr_t)current, keys, first, count);
  lfb_versions_leave(filter);
  return yes;
}

static const lfb_way versions_ways[] = {
    WAY_ROW("single/u64", LFB_KEYS_NUMBERS, versions_u64),
    {"section/u64", LFB_KEYS_NUMBERS, LFB_WAY_ASK | LFB_WAY_PUT_PRESENT | LFB_WAY_PUT_NEW,
     section_u64_put, section_u64_query, NULL, NULL},
    WAY_ROW("many/u64", LFB_KEYS_NUMBERS, versions_many_u64),
};

enum { CLAIM_USES = LFB_WAY_PUT_PRESENT | LFB_WAY_PUT_NEW | LFB_WAY_CLAIM_RACE };

/* The query of a filter that holds what `puts` puts. */
#define XXH3_ROW(call, keys_kind, query_keys, puts) \
  {(call), (keys_kind), LFB_WAY_ASK, puts, query_keys, NULL, NULL}

/* The ways that hash keys (HASHING), the other ways of every strategy, and those of fast only
 * (FAST_ONLY). */
static const lfb_way own_ways[] = {
    WAY_ROW("single/bytes8", LFB_KEYS_NUMBERS, single_number),
    WAY_ROW("single/bytes36", LFB_KEYS_UUIDS, single_uuid),
    WAY_ROW("single/u64", LFB_KEYS_NUMBERS, single_u64),
    WAY_ROW("many/bytes36", LFB_KEYS_UUIDS, many_bytes),
    WAY_ROW("many/u64", LFB_KEYS_NUMBERS, many_u64),
    WAY_ROW("single/hash", LFB_KEYS_NUMBERS, single_hash),
    WAY_ROW("many/hash", LFB_KEYS_NUMBERS, many_hash),
    {"claim/hash", LFB_KEYS_NUMBERS, CLAIM_USES, claim_hash_put,
     claim_hash_query, claim_hash_mixed, NULL},
    {"claim_many/hash", LFB_KEYS_NUMBERS, CLAIM_USES,
     claim_many_hash_put, claim_many_hash_query, claim_many_hash_mixed, NULL},
    WAY_ROW_FOR(LFB_WAY_PUT_NEW, "apart/hash", LFB_KEYS_NUMBERS, apart_hash),
    XXH3_ROW("hashed/u64", LFB_KEYS_NUMBERS, xxh3_number_query, single_number_put),
    XXH3_ROW("hashed/bytes36", LFB_KEYS_UUIDS, xxh3_uuid_query, single_uuid_put),
    XXH3_ROW("hashed_many/u64", LFB_KEYS_NUMBERS, xxh3_number_query_many, single_number_put),
    XXH3_ROW("hashed_many/bytes36", LFB_KEYS_UUIDS, xxh3_uuid_query_many, single_uuid_put),
};

enum { HASHING = 5, FAST_ONLY = 5 };

/* ---- the rows ------------------------------------------------------------ */

lfb_config lfb_own_config(const lfb_contender *own, uint64_t n, double fpp)
{
  const bool seeded = own->strategy == LFB_FAST || own->strategy == LFB_FAST_PAIR;

  return (lfb_config){
      .expected_insertions = n,
      .fpp = fpp,
      .strategy = own->strategy,
      .hash = seeded ? LFB_HASH_XXH3 : LFB_HASH_DEFAULT,
      .seed = seeded ? OWN_SEED : 0,
      .memory_preference = own->memory,
  };
}

static bool own_size(const lfb_contender *own, uint64_t n, double fpp, uint64_t *bytes)
{
  const lfb_config config = lfb_own_config(own, n, fpp);
  lfb_stats stats;

  if (lfb_config_plan(&config, &stats) != LFB_OK)
    return false;
  *bytes = stats.bytes;
  return true;
}

static void *own_create(const lfb_contender *own, uint64_t n, double fpp)
{
  const lfb_config config = lfb_own_config(own, n, fpp);
  lfb_filter *filter;
  return lfb_filter_create(&config, &filter) == LFB_OK ? filter : NULL;
}

/* The same in a file that other processes could map.  It is unlinked at once. */
static void *own_create_in_memory(const lfb_contender *own, uint64_t n, double fpp)
{
  const lfb_config config = lfb_own_config(own, n, fpp);
  char path[64];
  lfb_filter *filter;

  (void)snprintf(path, sizeof path, "/dev/shm/lfbloom-bench-%d-%llu", (int)getpid(),
                 (unsigned long long)n);
  if (lfb_mapped_create(path, &config, &filter) != LFB_OK)
    return NULL;
  (void)unlink(path);
  return filter;
}

/* The same with a keyed hash, or with the one that the configuration chooses (`chosen`). */
static void *own_create_keyed(const lfb_contender *own, uint64_t n, double fpp, bool chosen,
                              lfb_hash_kind kind)
{
  const lfb_config config = lfb_own_config(own, n, fpp);
  lfb_description description;
  lfb_filter *filter;

  if (lfb_description_make(&config, &description) != LFB_OK)
    return NULL;
  description.hash = lfb_hash_with_key(chosen ? description.hash.kind : kind, own_key);
  return lfb_filter_make_empty(&description, false, &filter) == LFB_OK ? filter : NULL;
}

static void *own_create_siphash13(const lfb_contender *own, uint64_t n, double fpp)
{
  return own_create_keyed(own, n, fpp, false, LFB_KIND_SIPHASH13);
}

static void *own_create_aes(const lfb_contender *own, uint64_t n, double fpp)
{
  return own_create_keyed(own, n, fpp, false, LFB_KIND_AES);
}

static void *own_create_default(const lfb_contender *own, uint64_t n, double fpp)
{
  return own_create_keyed(own, n, fpp, true, LFB_KIND_AES);
}

static void own_free(void *filter)
{
  lfb_filter_free(filter);
}

static lfb_bench_bits own_bits(void *filter)
{
  const lfb_bits *bits = &((lfb_filter *)filter)->layout.bits;
  return (lfb_bench_bits){bits->words, bits->word_count * sizeof *bits->words};
}

static void own_fill(void *filter, const uint64_t *numbers, size_t count)
{
  (void)lfb_filter_put_many_u64(filter, numbers, count, NULL);
}

/* Uses Guava's form if it can hold the strategy. */
static bool own_save(const void *filter, const char *path)
{
  lfb_stats stats;
  lfb_filter_stats(filter, &stats);
  const lfb_form form =
      lfb_form_holds(LFB_FORM_GUAVA, stats.strategy) ? LFB_FORM_GUAVA : LFB_FORM_NATIVE;
  return lfb_filter_save(filter, form, path) == LFB_OK;
}

static void *own_load(const char *path)
{
  lfb_filter *filter;
  return lfb_filter_load(path, NULL, &filter) == LFB_OK ? filter : NULL;
}

/* ---- with versions: the same filter as the first version of a handle ----------- */

/* The filter of a handle with a single version: valid as long as the handle. */
static lfb_filter *versions_filter(const void *versions)
{
  const lfb_filter *filter = lfb_versions_enter(versions, NULL);
  lfb_versions_leave(versions);
  return (lfb_filter *)(uintptr_t)filter;
}

static void *versions_of(lfb_filter *filter)
{
  lfb_versions *versions;

  if (filter != NULL && lfb_versions_create_with(filter, &versions) == LFB_OK)
    return versions;
  lfb_filter_free(filter);
  return NULL;
}

static void *versions_create(const lfb_contender *own, uint64_t n, double fpp)
{
  return versions_of(own_create(own, n, fpp));
}

static void versions_free(void *versions)
{
  lfb_versions_free(versions);
}

static lfb_bench_bits versions_bits(void *versions)
{
  return own_bits(versions_filter(versions));
}

static void versions_fill(void *versions, const uint64_t *numbers, size_t count)
{
  own_fill(versions_filter(versions), numbers, count);
}

static bool versions_save(const void *versions, const char *path)
{
  return own_save(versions_filter(versions), path);
}

static void *versions_load(const char *path)
{
  return versions_of(own_load(path));
}

const lfb_contender lfb_own_versions = {
    .name = "versions", .ways = versions_ways, .way_count = COUNT(versions_ways),
    .strategy = LFB_FAST, .size = own_size, .create = versions_create, .free = versions_free,
    .bits = versions_bits, .fill = versions_fill, .save = versions_save, .load = versions_load,
};

#define OWN_ROW(own_name, id, count, make) \
  {.name = (own_name), .ways = own_ways, .way_count = (count), .strategy = (id), \
   .size = own_size, .create = (make), .free = own_free, .bits = own_bits, \
   .fill = own_fill, .save = own_save, .load = own_load}

const lfb_contender lfb_own_fast = OWN_ROW("fast", LFB_FAST, COUNT(own_ways), own_create);
const lfb_contender lfb_own_fast_speed = {
    .name = "fast-speed", .ways = own_ways, .way_count = COUNT(own_ways), .strategy = LFB_FAST,
    .memory = LFB_MEMORY_SPEED, .size = own_size, .create = own_create, .free = own_free,
    .bits = own_bits, .fill = own_fill, .save = own_save, .load = own_load,
};
const lfb_contender lfb_own_mapped =
    OWN_ROW("mapped-shm", LFB_FAST, COUNT(own_ways), own_create_in_memory);
const lfb_contender lfb_own_fast_pair =
    OWN_ROW("fast-pair", LFB_FAST_PAIR, COUNT(own_ways) - FAST_ONLY, own_create);
const lfb_contender lfb_own_sbbf =
    OWN_ROW("sbbf", LFB_SBBF, COUNT(own_ways) - FAST_ONLY, own_create);
const lfb_contender lfb_own_guava_mitz64 =
    OWN_ROW("guava-mitz64", LFB_GUAVA_MITZ64, COUNT(own_ways) - FAST_ONLY, own_create);
/* A keyed hash.  Scenes are kept as bare bits: a file of the filter would need its key. */
#define HASHED_ROW(own_name, id, make) \
  {.name = (own_name), .ways = own_ways, .way_count = HASHING, .strategy = (id), \
   .size = own_size, .create = (make), .free = own_free, .bits = own_bits, .fill = own_fill}

const lfb_contender lfb_own_fast_siphash13 =
    HASHED_ROW("fast-siphash13", LFB_FAST, own_create_siphash13);
const lfb_contender lfb_own_fast_aes = HASHED_ROW("fast-aes", LFB_FAST, own_create_aes);
const lfb_contender lfb_own_default = HASHED_ROW("default", LFB_DEFAULT, own_create_default);
