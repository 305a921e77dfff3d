/* description.c - makes the description of a filter, and compares two descriptions. */
#define _DEFAULT_SOURCE /* getrandom */
#include "bloom/filter/description.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "bloom/strategies/fast/fast_size.h"
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

static bool description_has_key(const lfb_config *config)
{
  static const uint8_t none[sizeof config->key];
  return memcmp(config->key, none, sizeof none) != 0;
}

/* The hash for a strategy that lets the caller choose. */
static lfb_status description_choose_hash(const lfb_config *config, lfb_hash_identity *hash)
{
  uint64_t seed = config->seed;
  uint8_t key[sizeof config->key];

  switch (config->hash) {
  case LFB_HASH_DEFAULT:
  case LFB_HASH_XXH3:
    if (description_has_key(config))
      return LFB_ERROR_UNKNOWN_HASH;
    if (seed == 0 && lfb_random_bytes(&seed, sizeof seed) != LFB_OK)
      return LFB_ERROR_NO_RANDOM;
    *hash = (lfb_hash_identity){LFB_KIND_XXH3, seed, {0, 0}};
    return LFB_OK;
  case LFB_HASH_SIPHASH13:
    memcpy(key, config->key, sizeof key);
    if (seed != 0)
      return LFB_ERROR_UNKNOWN_HASH;
    if (!description_has_key(config) && lfb_random_bytes(key, sizeof key) != LFB_OK)
      return LFB_ERROR_NO_RANDOM;
    *hash = lfb_hash_with_key(LFB_KIND_SIPHASH13, key);
    return LFB_OK;
  }
  return LFB_ERROR_UNKNOWN_HASH;
}

static lfb_status description_hash(const lfb_strategy *strategy, const lfb_config *config,
                                   lfb_hash_identity *hash)
{
  if (strategy->seeding == LFB_SEED_RANDOM)
    return description_choose_hash(config, hash);
  if (config->hash != LFB_HASH_DEFAULT || description_has_key(config))
    return LFB_ERROR_UNKNOWN_HASH;
  if (config->seed != 0 && strategy->seeding == LFB_SEED_NONE)
    return LFB_ERROR_UNKNOWN_HASH;
  /* Equal seeds would make both halves of the pair equal: 0 stands for seeds 0 and 1. */
  const uint64_t pair = config->seed == 0 ? UINT64_C(1) << 32 : config->seed;
  *hash = (lfb_hash_identity){strategy->hash, strategy->seeding == LFB_SEED_PAIR ? pair : 0, {0, 0}};
  return LFB_OK;
}

lfb_status lfb_description_make(const lfb_config *config, lfb_description *description)
{
  const lfb_strategy *strategy = lfb_strategy_find(config->strategy);
  lfb_geometry geometry;
  lfb_hash_identity hash;

  if (strategy == NULL)
    return LFB_ERROR_UNKNOWN_STRATEGY;
  lfb_status status = strategy->usable == NULL ? LFB_OK : strategy->usable();
  if (status == LFB_OK)
    status = strategy->size(config, &geometry);
  if (status == LFB_OK)
    status = description_hash(strategy, config, &hash);
  if (status != LFB_OK)
    return status;
  *description = (lfb_description){
      .strategy = strategy, .geometry = geometry, .hash = hash, .config = *config};
  return LFB_OK;
}

lfb_hash_id lfb_hash_id_of(const lfb_hash_identity *hash)
{
  return hash->kind == LFB_KIND_XXH3        ? LFB_HASH_XXH3
         : hash->kind == LFB_KIND_SIPHASH13 ? LFB_HASH_SIPHASH13
                                            : LFB_HASH_DEFAULT;
}

bool lfb_description_writes_key(const lfb_description *description)
{
  return description->config.keep_key && lfb_hash_keyed(description->hash.kind);
}

lfb_layout lfb_layout_of(const lfb_description *description, lfb_word *words,
                           lfb_stripes count, const lfb_filter *filter)
{
  const lfb_geometry *geometry = &description->geometry;
  lfb_layout layout = {
      .bits = lfb_bits_over(words, geometry->word_count),
      .modulus = lfb_modulus_for(geometry->bit_count),
      .probes = geometry->probes,
      .count = count,
  };

  lfb_hasher_init(&layout.hasher, &description->hash, lfb_simd_chosen());
  if (description->strategy->id == LFB_FAST)
    layout.fast = lfb_fast_view(geometry, layout.bits.words, filter);
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

lfb_status lfb_description_compatible(const lfb_description *into, const lfb_description *from)
{
  const lfb_geometry *a = &into->geometry, *b = &from->geometry;

  if (a->probes != b->probes)
    return a->bit_count == b->bit_count && (description_other_formula_gives(into, b->probes) ||
                                            description_other_formula_gives(from, a->probes))
               ? LFB_ERROR_PROBES_DIFFER_BY_FORMULA
               : LFB_ERROR_PROBES_DIFFER;
  if (a->bit_count != b->bit_count)
    return LFB_ERROR_BIT_COUNT_DIFFERS;
  if (into->strategy->id != from->strategy->id || a->words_per_key != b->words_per_key)
    return LFB_ERROR_STRATEGY_DIFFERS;
  return lfb_hash_same(&into->hash, &from->hash) ? LFB_OK : LFB_ERROR_HASH_DIFFERS;
}
