/* description.c - makes the description of a filter, and compares two descriptions. */
#define _DEFAULT_SOURCE /* getrandom */
#include "bloom/filter/description.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/random.h>

#include "atomic/words/reserved.h"
#include "bloom/strategies/fast/fast.h"
#include "bloom/strategies/strategies.h"

lfb_status lfb_random_bytes(void *bytes, size_t size)
{
  char *at = bytes;

  while (size > 0) {
    const ssize_t got = getrandom(at, size, 0);
    if (got < 0 && errno == EINTR) /* it may wait while the operating system starts */
      continue;
    if (got <= 0)
      return LFB_ERROR_NO_RANDOM;
    at += got;
    size -= (size_t)got;
  }
  return LFB_OK;
}

bool lfb_config_has_key(const lfb_config *config)
{
  static const uint8_t none[sizeof config->key];
  return memcmp(config->key, none, sizeof none) != 0;
}

/* The kind of each choice (lfb_hash_id) but the default. */
static const lfb_hash_kind description_kinds[] = {
    [LFB_HASH_XXH3] = LFB_KIND_XXH3,
    [LFB_HASH_SIPHASH13] = LFB_KIND_SIPHASH13,
    [LFB_HASH_AES] = LFB_KIND_AES,
};

enum { DESCRIPTION_KINDS = sizeof description_kinds / sizeof *description_kinds };

/* The choice of a caller that leaves it to the library.  Only XXH3 has a seed. */
static lfb_hash_id description_default_hash(const lfb_config *config)
{
  if (config->seed != 0)
    return LFB_HASH_XXH3;
  return lfb_hash_aes_is_fast() ? LFB_HASH_AES : LFB_HASH_SIPHASH13;
}

/* The seeded or keyed hash for a strategy that lets the caller choose.  Files keep a key that is
 * drawn here: no one else knows it. */
static lfb_status description_choose_hash(lfb_config *config, lfb_hash_identity *hash)
{
  const lfb_hash_id id =
      config->hash == LFB_HASH_DEFAULT ? description_default_hash(config) : config->hash;
  const bool given = lfb_config_has_key(config);
  uint8_t key[sizeof config->key];
  uint64_t seed = config->seed;

  if ((unsigned)id >= DESCRIPTION_KINDS)
    return LFB_ERROR_UNKNOWN_HASH;
  const lfb_hash_kind kind = description_kinds[id];
  if (lfb_hash_keyed(kind) ? seed != 0 : given)
    return LFB_ERROR_UNKNOWN_HASH;
  if (!lfb_hash_keyed(kind)) {
    if (seed == 0 && lfb_random_bytes(&seed, sizeof seed) != LFB_OK)
      return LFB_ERROR_NO_RANDOM;
    *hash = (lfb_hash_identity){kind, seed, {0, 0}};
    return LFB_OK;
  }
  memcpy(key, config->key, sizeof key);
  if (!given && lfb_random_bytes(key, sizeof key) != LFB_OK)
    return LFB_ERROR_NO_RANDOM;
  config->keep_key |= !given;
  *hash = lfb_hash_with_key(kind, key);
  return LFB_OK;
}

static lfb_status description_hash(const lfb_strategy *strategy, lfb_config *config,
                                   lfb_hash_identity *hash)
{
  if (strategy->seeding == LFB_SEED_RANDOM)
    return description_choose_hash(config, hash);
  if (config->hash != LFB_HASH_DEFAULT || lfb_config_has_key(config))
    return LFB_ERROR_UNKNOWN_HASH;
  if (config->seed != 0 && strategy->seeding == LFB_SEED_NONE)
    return LFB_ERROR_UNKNOWN_HASH;
  /* Equal seeds would make both halves of the pair equal: 0 stands for seeds 0 and 1. */
  const uint64_t pair = config->seed == 0 ? UINT64_C(1) << 32 : config->seed;
  *hash =
      (lfb_hash_identity){strategy->hash, strategy->seeding == LFB_SEED_PAIR ? pair : 0, {0, 0}};
  return LFB_OK;
}

lfb_config lfb_config_chosen(const lfb_config *config)
{
  lfb_config chosen = *config;

  if (chosen.strategy == LFB_DEFAULT)
    chosen.strategy = LFB_FAST;
  return chosen;
}

/* Sizes a filter.  LFB_ERROR_TOO_MANY_BITS: it would be larger than its strategy can address, or,
 * with a limit in bytes, than that limit or than keys can reach. */
static lfb_status description_size(const lfb_strategy *strategy, const lfb_config *config,
                                   lfb_geometry *geometry)
{
  const bool limited = config->bytes > 0;
  const lfb_status status = strategy->size(config, geometry);

  if (status != LFB_OK)
    return limited && status == LFB_ERROR_TOO_MANY_PROBES ? LFB_ERROR_TOO_MANY_BITS : status;
  return !strategy->valid(geometry) || /* rounded up beyond the largest */
                 (limited && (geometry->word_count > config->bytes / sizeof(lfb_word) ||
                              geometry->bit_count > strategy->reachable_bits))
             ? LFB_ERROR_TOO_MANY_BITS
             : LFB_OK;
}

/* Sets n to the most keys that fit, within 1 in 4,096; at least 1.  Each processor rounds a square
 * root alike, so all find the same n. */
static void description_fit_n(const lfb_strategy *strategy, lfb_config *config)
{
  uint64_t low = 1, high = INT64_MAX, *const n = &config->expected_insertions;
  lfb_geometry geometry;

  while (high - low > 1 + low / 4096) {
    *n = high / 2 > low ? (uint64_t)sqrt((double)low * (double)high) : low + (high - low) / 2;
    *(description_size(strategy, config, &geometry) == LFB_ERROR_TOO_MANY_BITS ? &high : &low) = *n;
  }
  *n = low;
}

/* Raises p until n keys fit: to at most 1.0001 times the least such p. */
static void description_fit_fpp(const lfb_strategy *strategy, lfb_config *config)
{
  double low = config->fpp, high = 1 - 0x1p-10, *const p = &config->fpp;
  lfb_geometry geometry;

  while (high > low * 1.0001) {
    *p = sqrt(low * high);
    *(description_size(strategy, config, &geometry) == LFB_ERROR_TOO_MANY_BITS ? &low : &high) = *p;
  }
  *p = high;
}

/* Sizes a filter.  With a limit in bytes, `config` receives the n and p that fit. */
static lfb_status description_fit(const lfb_strategy *strategy, lfb_config *config,
                                  lfb_geometry *geometry)
{
  lfb_status status = description_size(strategy, config, geometry);

  if (config->bytes == 0 || (status == LFB_ERROR_NO_BITS && config->expected_insertions > 0))
    return status;
  if (config->expected_insertions == 0)
    description_fit_n(strategy, config);
  else if (status == LFB_ERROR_TOO_MANY_BITS)
    description_fit_fpp(strategy, config);
  status = description_size(strategy, config, geometry);
  config->bytes = 0; /* n and p say it */
  return status == LFB_ERROR_TOO_MANY_BITS || status == LFB_ERROR_NO_BITS ? LFB_ERROR_BAD_BYTES
                                                                          : status;
}

lfb_status lfb_description_make(const lfb_config *config, lfb_description *description)
{
  return config->strategy == LFB_TAGS ? LFB_ERROR_TAGS
                                      : lfb_description_make_any(config, description);
}

lfb_status lfb_description_make_any(const lfb_config *config, lfb_description *description)
{
  lfb_config kept = lfb_config_chosen(config);
  lfb_geometry geometry;
  lfb_hash_identity hash;

  if (LFB_RESERVED(config) != LFB_OK)
    return LFB_ERROR_RESERVED;
  const lfb_strategy *strategy = lfb_strategy_find(kept.strategy);
  if (strategy == NULL)
    return LFB_ERROR_UNKNOWN_STRATEGY;
  lfb_status status = description_fit(strategy, &kept, &geometry);
  if (status == LFB_OK)
    status = description_hash(strategy, &kept, &hash);
  if (status != LFB_OK)
    return status;
  /* A filter of an alias is one of its strategy: files cannot tell them apart. */
  strategy = lfb_strategy_find_in_file(strategy->file_id);
  kept.strategy = strategy->id;
  *description = (lfb_description){
      .strategy = strategy, .geometry = geometry, .hash = hash, .config = kept};
  return LFB_OK;
}

lfb_hash_id lfb_hash_id_of(const lfb_hash_identity *hash)
{
  for (int id = LFB_HASH_DEFAULT + 1; id < DESCRIPTION_KINDS; id++)
    if (description_kinds[id] == hash->kind)
      return (lfb_hash_id)id;
  return LFB_HASH_DEFAULT;
}

static const char *const description_hash_names[] = {
    [LFB_HASH_DEFAULT] = "default",
    [LFB_HASH_XXH3] = "xxh3",
    [LFB_HASH_SIPHASH13] = "siphash13",
    [LFB_HASH_AES] = "aes",
};

const char *lfb_hash_name(lfb_hash_id hash)
{
  return (unsigned)hash < DESCRIPTION_KINDS ? description_hash_names[hash] : NULL;
}

lfb_status lfb_hash_from_name(const char *name, lfb_hash_id *hash)
{
  for (int id = 0; id < DESCRIPTION_KINDS; id++)
    if (strcmp(description_hash_names[id], name) == 0) {
      *hash = (lfb_hash_id)id;
      return LFB_OK;
    }
  return LFB_ERROR_UNKNOWN_HASH;
}

bool lfb_description_writes_key(const lfb_description *description)
{
  return description->config.keep_key && lfb_hash_keyed(description->hash.kind);
}

lfb_layout lfb_layout_of(const lfb_description *description, lfb_word *words, lfb_stripes count)
{
  const lfb_geometry *geometry = &description->geometry;
  lfb_layout layout = {
      .bits = lfb_bit_array_over(words, geometry->word_count, count),
      .modulus = lfb_modulus_for(geometry->bit_count),
      .probes = geometry->probes,
  };

  lfb_hasher_init(&layout.hasher, &description->hash, lfb_simd_chosen());
  if (description->strategy->in_pairs)
    layout.fast = lfb_fast_view(geometry, layout.bits.words);
  layout.cached = (uint32_t)(lfb_simd_cache_size() / sizeof(lfb_word) / geometry->word_count);
  return layout;
}

/* Whether the filter would have `probes` by the other one of Guava's two formulas. */
static bool description_other_formula_gives(const lfb_description *description, uint32_t probes)
{
  const lfb_config *known = &description->config;
  if (known->fpp == 0 || description->geometry.words_per_key > 0)
    return false; /* fpp is unknown, or the sizing is not Guava's */

  lfb_config other = *known;
  other.probes_formula = known->probes_formula == LFB_PROBES_GUAVA_31 ? LFB_PROBES_GUAVA_CURRENT
                                                                      : LFB_PROBES_GUAVA_31;
  return lfb_sizing_probes(&other, lfb_sizing_bits(other.expected_insertions, other.fpp)) ==
         probes;
}

/* The words of a block; 1 if a key's bits can be anywhere. */
static uint64_t description_block_words(const lfb_description *description)
{
  const uint32_t words = lfb_strategy_block_words(description->strategy, &description->geometry);
  return words > 0 ? words : 1;
}

uint64_t lfb_description_run(const lfb_description *description)
{
  return description->geometry.words_per_key > 0 ? description_block_words(description)
                                                 : description->geometry.word_count;
}

lfb_status lfb_description_fold(const lfb_description *from, uint64_t factor,
                                lfb_description *folded)
{
  const uint64_t blocks = from->geometry.word_count / description_block_words(from);
  lfb_description made = *from;

  if (factor != 1) {
    if (factor == 0 || blocks % factor != 0 ||
        from->geometry.bit_count != LFB_WORD_BITS * from->geometry.word_count)
      return LFB_ERROR_CANNOT_FOLD;
    made.geometry.bit_count /= factor;
    made.geometry.word_count /= factor;
    made.config.expected_insertions /= factor;
    if (made.config.expected_insertions == 0 && from->config.expected_insertions > 0)
      made.config.expected_insertions = 1;
    if (!made.strategy->valid(&made.geometry))
      return LFB_ERROR_CANNOT_FOLD;
  }
  *folded = made;
  return LFB_OK;
}

/* Whether `from` folds to the number of bits of `into`. */
static bool description_folds_to(const lfb_description *from, const lfb_description *into)
{
  const uint64_t factor = from->geometry.word_count / into->geometry.word_count;
  lfb_description folded;

  return from->strategy->id == into->strategy->id &&
         lfb_description_fold(from, factor, &folded) == LFB_OK &&
         folded.geometry.bit_count == into->geometry.bit_count;
}

lfb_status lfb_description_compatible(const lfb_description *into, const lfb_description *from,
                                      bool folds)
{
  const lfb_geometry *a = &into->geometry, *b = &from->geometry;

  if (a->probes != b->probes)
    return a->bit_count == b->bit_count && (description_other_formula_gives(into, b->probes) ||
                                            description_other_formula_gives(from, a->probes))
               ? LFB_ERROR_PROBES_DIFFER_BY_FORMULA
               : LFB_ERROR_PROBES_DIFFER;
  if (a->bit_count != b->bit_count && !(folds && description_folds_to(from, into)))
    return LFB_ERROR_BIT_COUNT_DIFFERS;
  if (into->strategy->id != from->strategy->id || a->words_per_key != b->words_per_key)
    return LFB_ERROR_STRATEGY_DIFFERS;
  return lfb_hash_same(&into->hash, &from->hash) ? LFB_OK : LFB_ERROR_HASH_DIFFERS;
}
