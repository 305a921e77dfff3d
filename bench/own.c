/* own.c - the library's own filters as contenders, through the public calls. */
#include <lfbloom/filter_more.h>

#include "bench/ways.h"
#include "bloom/filter/filter.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* One key for all filters: words are copied from filter to filter. */
static const uint8_t own_key[LFB_HASHER_KEY] = {LFB_XXH3_SEED};

/* ---- ways ---------------------------------------------------------------- */

SINGLE_WAY(single_uuid, filter, lfb_filter_put, lfb_filter_might_contain,
           keys->texts + LFB_UUID_SIZE * i, LFB_UUID_SIZE)
SINGLE_WAY(single_u64, filter, lfb_filter_put_u64, lfb_filter_might_contain_u64,
           keys->numbers[i])
SINGLE_WAY(single_hash, filter, lfb_filter_put_hash, lfb_filter_might_contain_hash,
           keys->numbers[i])
MANY_WAY(many_bytes, lfb_filter_many, LFB_PUT, keys->refs, LFB_BYTES_KEY)
MANY_WAY(many_u64, lfb_filter_many, LFB_PUT, keys->numbers, LFB_U64_KEY)
MANY_WAY(many_hash, lfb_filter_many, LFB_PUT, keys->numbers, LFB_HASH_KEY)

/* A claim instead of a put. */
SINGLE_WAY(claim_hash, filter, lfb_filter_claim_hash, lfb_filter_might_contain_hash,
           keys->numbers[i])
MANY_WAY(claim_many_hash, lfb_filter_many, LFB_CLAIM, keys->numbers, LFB_HASH_KEY)

/* The first half of the sample goes to the first half of the filter's lines, the second half to the
 * others: two threads, of which each has a half of the sample, write to no line of the other. */
static uint64_t apart(const lfb_keys *keys, size_t i)
{
  return keys->numbers[i] >> 1 | (uint64_t)(i >= keys->count / 2) << 63;
}

SINGLE_WAY(apart_hash, filter, lfb_filter_put_hash, lfb_filter_might_contain_hash, apart(keys, i))

enum { CLAIM_USES = LFB_WAY_PUT_PRESENT | LFB_WAY_PUT_NEW | LFB_WAY_CLAIM_RACE };

/* The ways that hash keys (HASHING), the other ways of every strategy, and one of fast only. */
static const lfb_way own_ways[] = {
    WAY_ROW("single/bytes36", LFB_KEYS_UUIDS, single_uuid),
    WAY_ROW("single/u64", LFB_KEYS_NUMBERS, single_u64),
    WAY_ROW("many/bytes36", LFB_KEYS_UUIDS, many_bytes),
    WAY_ROW("many/u64", LFB_KEYS_NUMBERS, many_u64),
    WAY_ROW("single/hash", LFB_KEYS_NUMBERS, single_hash),
    WAY_ROW("many/hash", LFB_KEYS_NUMBERS, many_hash),
    WAY_ROW_FOR(CLAIM_USES, "claim/hash", LFB_KEYS_NUMBERS, claim_hash),
    WAY_ROW_FOR(CLAIM_USES, "claim_many/hash", LFB_KEYS_NUMBERS, claim_many_hash),
    WAY_ROW_FOR(LFB_WAY_PUT_NEW, "apart/hash", LFB_KEYS_NUMBERS, apart_hash),
};

enum { HASHING = 4, OF_EVERY = COUNT(own_ways) - 1 };

/* ---- the rows ------------------------------------------------------------ */

lfb_config lfb_own_config(const lfb_contender *own, uint64_t n, double fpp)
{
  const bool seeded = own->strategy == LFB_FAST || own->strategy == LFB_TAGS;

  return (lfb_config){
      .expected_insertions = n,
      .fpp = fpp,
      .strategy = own->strategy,
      .hash = seeded ? LFB_HASH_XXH3 : LFB_HASH_DEFAULT,
      .seed = seeded ? LFB_XXH3_SEED : 0,
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
  lfb_description description;
  lfb_filter *filter;

  if (own->hash == LFB_OWN_CONFIGURED)
    return lfb_filter_create(&config, &filter) == LFB_OK ? filter : NULL;
  if (lfb_description_make(&config, &description) != LFB_OK)
    return NULL;
  const lfb_hash_kind kinds[] = {[LFB_OWN_CHOSEN] = description.hash.kind,
                                 [LFB_OWN_AES] = LFB_KIND_AES,
                                 [LFB_OWN_SIPHASH13] = LFB_KIND_SIPHASH13};
  description.hash = lfb_hash_with_key(kinds[own->hash], own_key);
  return lfb_filter_make_empty(&description, false, &filter) == LFB_OK ? filter : NULL;
}

static void own_free(void *filter)
{
  lfb_filter_free(filter);
}

static lfb_bench_bits own_bits(void *filter)
{
  const lfb_bit_array *bits = &((lfb_filter *)filter)->layout.bits;
  return (lfb_bench_bits){bits->words, bits->word_count * sizeof *bits->words};
}

static void own_fill(void *filter, const uint64_t *numbers, size_t count)
{
  (void)lfb_filter_put_many_u64(filter, numbers, count, NULL);
}

static bool own_save(const void *filter, const char *path)
{
  return lfb_filter_save(filter, LFB_FORM_GUAVA, path) == LFB_OK;
}

#define OWN_ROW(own_name, id, count, ...)                                                  \
  {.name = (own_name), .ways = own_ways, .way_count = (count), .strategy = (id),           \
   .size = own_size, .create = own_create, .free = own_free, .bits = own_bits,             \
   .fill = own_fill, __VA_ARGS__}

const lfb_contender lfb_own_fast = OWN_ROW("fast", LFB_FAST, COUNT(own_ways), .copy = NULL);
const lfb_contender lfb_own_fast_speed =
    OWN_ROW("fast-speed", LFB_FAST, OF_EVERY, .memory = LFB_MEMORY_SPEED);
const lfb_contender lfb_own_sbbf = OWN_ROW("sbbf", LFB_SBBF, OF_EVERY, .copy = NULL);
const lfb_contender lfb_own_guava_mitz64 = /* Guava reads its files */
    OWN_ROW("guava-mitz64", LFB_GUAVA_MITZ64, OF_EVERY, .save = own_save);
const lfb_contender lfb_own_fast_siphash13 =
    OWN_ROW("fast-siphash13", LFB_FAST, HASHING, .hash = LFB_OWN_SIPHASH13);
const lfb_contender lfb_own_fast_aes = OWN_ROW("fast-aes", LFB_FAST, HASHING, .hash = LFB_OWN_AES);
const lfb_contender lfb_own_default =
    OWN_ROW("default", LFB_DEFAULT, HASHING, .hash = LFB_OWN_CHOSEN);
