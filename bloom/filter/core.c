/* core.c - making filters, and whether two of them fit together. */
#define _DEFAULT_SOURCE /* getrandom, CLOCK_MONOTONIC */
#include "bloom/filter/core.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "bloom/filter/digest.h"
#include "bloom/strategies/simd.h"
#include "bloom/strategies/fast/fast_size.h"
#include "bloom/strategies/strategies.h"

lfb_status lfb_core_random(void *bytes, size_t size)
{
  char *at = bytes;

  while (size > 0) {
    const ssize_t got = getrandom(at, size, 0);
    if (got < 0 && errno == EINTR) /* while the system is starting, when it may wait */
      continue;
    if (got <= 0)
      return LFB_ERROR_NO_RANDOM;
    at += got;
    size -= (size_t)got;
  }
  return LFB_OK;
}

static bool core_has_key(const lfb_config *config)
{
  static const uint8_t none[sizeof config->key];
  return memcmp(config->key, none, sizeof none) != 0;
}

/* The hash of a strategy that leaves the choice. */
static lfb_status core_choose_hash(const lfb_config *config, lfb_hasher *hasher)
{
  uint64_t seed = config->seed;
  uint8_t key[sizeof config->key];

  switch (config->hash) {
  case LFB_HASH_DEFAULT:
  case LFB_HASH_XXH3:
    if (core_has_key(config))
      return LFB_ERROR_UNKNOWN_HASH;
    if (seed == 0 && lfb_core_random(&seed, sizeof seed) != LFB_OK)
      return LFB_ERROR_NO_RANDOM;
    *hasher = (lfb_hasher){LFB_KIND_XXH3, seed, {0, 0}};
    return LFB_OK;
  case LFB_HASH_SIPHASH13:
    memcpy(key, config->key, sizeof key);
    if (seed != 0)
      return LFB_ERROR_UNKNOWN_HASH;
    if (!core_has_key(config) && lfb_core_random(key, sizeof key) != LFB_OK)
      return LFB_ERROR_NO_RANDOM;
    *hasher = (lfb_hasher){LFB_KIND_SIPHASH13, 0, {lfb_load_le64(key), lfb_load_le64(key + 8)}};
    return LFB_OK;
  }
  return LFB_ERROR_UNKNOWN_HASH;
}

static lfb_status core_hasher(const lfb_strategy *strategy, const lfb_config *config,
                              lfb_hasher *hasher)
{
  if (strategy->seeding == LFB_SEED_RANDOM)
    return core_choose_hash(config, hasher);
  if (config->hash != LFB_HASH_DEFAULT || core_has_key(config))
    return LFB_ERROR_UNKNOWN_HASH;
  if (config->seed != 0 && strategy->seeding == LFB_SEED_NONE)
    return LFB_ERROR_UNKNOWN_HASH;
  /* Equal seeds would make both halves of the pair one: 0 stands for 0 and 1. */
  const uint64_t pair = config->seed == 0 ? UINT64_C(1) << 32 : config->seed;
  *hasher = (lfb_hasher){strategy->hash, strategy->seeding == LFB_SEED_PAIR ? pair : 0, {0, 0}};
  return LFB_OK;
}

lfb_status lfb_core_describe(const lfb_config *config, lfb_description *description)
{
  const lfb_strategy *strategy = lfb_strategy_find(config->strategy);
  lfb_geometry geometry;
  lfb_hasher hasher;

  if (strategy == NULL)
    return LFB_ERROR_UNKNOWN_STRATEGY;
  lfb_status status = strategy->usable == NULL ? LFB_OK : strategy->usable();
  if (status == LFB_OK)
    status = strategy->size(config, &geometry);
  if (status == LFB_OK)
    status = core_hasher(strategy, config, &hasher);
  if (status != LFB_OK)
    return status;
  *description = (lfb_description){
      .strategy = strategy, .geometry = geometry, .hasher = hasher, .config = *config};
  return LFB_OK;
}

/* Nanoseconds of a clock that goes on while the machine sleeps or not; never 0. */
static uint64_t core_now(void)
{
  struct timespec now = {0};

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return 1 + (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t core_count_words(const lfb_bits *bits)
{
#ifdef LFB_SIMD_X86 /* vectors whose 64-bit lanes are whole: while others put, too */
  return lfb_digest_bits((const uint64_t *)(const void *)bits->words, (size_t)bits->word_count);
#else
  return lfb_bits_count(bits);
#endif
}

/* Counts the words of a shared filter, and keeps the result for lfb_core_bits_recent(). */
static uint64_t core_count_shared(const lfb_filter *filter)
{
  lfb_counted *kept = (lfb_counted *)&filter->counted; /* nothing of the filter itself changes */
  const uint64_t start = core_now();
  const uint64_t words_say = core_count_words(&filter->layout.bits);
  const uint64_t most = filter->description.geometry.bit_count;
  const uint64_t bits_set = words_say < most ? words_say : most; /* a file says anything */

  /* relaxed, both: they come before the release below. */
  atomic_store_explicit(&kept->bits_set, bits_set, memory_order_relaxed);
  atomic_store_explicit(&kept->took, core_now() - start, memory_order_relaxed);
  /* release: a thread that reads this time reads a count that is as new, or newer. */
  atomic_store_explicit(&kept->at, start, memory_order_release);
  return bits_set;
}

uint64_t lfb_core_bits_set(const lfb_filter *filter)
{
  return filter->shared ? core_count_shared(filter) : lfb_stripes_sum(&filter->layout.count);
}

uint64_t lfb_core_bits_recent(const lfb_filter *filter, double *age)
{
  enum { PATIENCE = 100 }; /* times as long as counting takes: at most 1 % of a processor */
  const lfb_counted *kept = &filter->counted;
  /* acquire: pairs with the release in core_count_shared(). */
  const uint64_t at = atomic_load_explicit(&kept->at, memory_order_acquire);
  const uint64_t took = atomic_load_explicit(&kept->took, memory_order_relaxed);
  const uint64_t passed = filter->shared ? core_now() - at : 0;

  if (!filter->shared || at == 0 || passed / PATIENCE >= took) {
    *age = 0;
    return lfb_core_bits_set(filter);
  }
  *age = (double)passed / 1e9;
  return atomic_load_explicit(&kept->bits_set, memory_order_relaxed);
}

lfb_hash_id lfb_core_hash_id(const lfb_hasher *hasher)
{
  return hasher->kind == LFB_KIND_XXH3        ? LFB_HASH_XXH3
         : hasher->kind == LFB_KIND_SIPHASH13 ? LFB_HASH_SIPHASH13
                                              : LFB_HASH_DEFAULT;
}

bool lfb_core_writes_key(const lfb_description *description)
{
  return description->config.keep_key &&
         lfb_core_hash_id(&description->hasher) == LFB_HASH_SIPHASH13;
}

lfb_layout lfb_core_layout(const lfb_description *description, lfb_word *words,
                           lfb_stripes count, const lfb_filter *filter)
{
  const lfb_geometry *geometry = &description->geometry;
  lfb_layout layout = {
      .hasher = description->hasher,
      .bits = lfb_bits_over(words, geometry->word_count),
      .modulus = lfb_modulus_for(geometry->bit_count),
      .probes = geometry->probes,
      .count = count,
  };

  if (description->strategy->id == LFB_FAST)
    layout.fast = lfb_fast_view(geometry, layout.bits.words, filter);
  return layout;
}

lfb_status lfb_core_make_over(const lfb_description *description, const lfb_core_parts *parts,
                              lfb_filter **filter)
{
  const size_t size = (sizeof **filter + LFB_CACHE_LINE - 1) / LFB_CACHE_LINE * LFB_CACHE_LINE;

  lfb_filter *made = aligned_alloc(LFB_CACHE_LINE, size);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = (lfb_filter){
      .layout = lfb_core_layout(description, parts->pages.address, parts->count, made),
      .kernel = lfb_strategy_kernel(description->strategy, &description->geometry, lfb_simd_chosen()),
      .strategy = description->strategy,
      .pages = parts->pages,
      .claims = parts->claims,
      .leave = parts->leave,
      .shared = parts->shared,
      .description = *description,
  };
  *filter = made;
  return LFB_OK;
}

/* Ends a filter in memory of its own. */
static void core_leave(lfb_filter *filter)
{
  lfb_claims_free(&filter->claims);
  lfb_stripes_free(&filter->layout.count);
  lfb_pages_free(&filter->pages);
}

lfb_status lfb_core_make(const lfb_description *description, const lfb_pages *pages,
                         lfb_filter **filter)
{
  lfb_core_parts parts = {.pages = *pages, .leave = core_leave};

  lfb_status status = lfb_claims_init(&parts.claims, description->strategy->hash_width);
  if (status != LFB_OK)
    return status;
  status = lfb_stripes_init(&parts.count);
  if (status == LFB_OK) {
    status = lfb_core_make_over(description, &parts, filter);
    if (status != LFB_OK)
      lfb_stripes_free(&parts.count);
  }
  if (status != LFB_OK)
    lfb_claims_free(&parts.claims);
  return status;
}

static bool core_might_contain(const void *of, lfb_hash hash)
{
  const lfb_filter *filter = of;
  return filter->kernel->might_contain(&filter->layout, hash);
}

static void core_put(const void *of, lfb_hash hash)
{
  const lfb_filter *filter = of;
  (void)lfb_core_put(filter, hash);
}

lfb_claimed lfb_core_claimed(const lfb_filter *filter)
{
  return (lfb_claimed){filter, core_might_contain, core_put};
}

lfb_status lfb_core_create(const lfb_description *description, bool lazy, lfb_filter **filter)
{
  lfb_pages pages;

  lfb_status status =
      lfb_pages_init(&pages, description->geometry.word_count * sizeof(lfb_word), !lazy);
  if (status != LFB_OK)
    return status;
  status = lfb_core_make(description, &pages, filter);
  if (status != LFB_OK)
    lfb_pages_free(&pages);
  return status;
}

void lfb_core_plan(const lfb_description *description, lfb_stats *stats)
{
  const lfb_geometry *geometry = &description->geometry;
  const uint64_t reach = description->strategy->reachable_bits;

  *stats = (lfb_stats){
      .strategy = description->strategy->id,
      .form = description->form,
      .expected_insertions = description->config.expected_insertions,
      .fpp = description->config.fpp,
      .bit_count = geometry->bit_count,
      .reachable_bits = geometry->bit_count < reach ? geometry->bit_count : reach,
      .probes = geometry->probes,
      .words_per_key = geometry->words_per_key,
      .hash = lfb_core_hash_id(&description->hasher),
      .key_kept = lfb_core_writes_key(description),
      .seed = description->hasher.seed,
      .bytes = geometry->word_count * sizeof(lfb_word),
      .written = description->written,
  };
}

/*
 * The figures where part of the words is all ones, which no keys have made so.  An absent key
 * that has its bits there is found; the others have the rest, which is as full as its own bits
 * say.  So have the keys that were put: the rest has its share of them.
 */
static void core_stats_beside(const lfb_description *description, uint64_t full_words,
                              lfb_stats *stats)
{
  const lfb_strategy *strategy = description->strategy;
  lfb_geometry rest = description->geometry;
  const double full = (double)full_words / (double)rest.word_count;
  const uint64_t bits_set = stats->bits_set - full_words * LFB_WORD_BITS;

  rest.word_count -= full_words;
  rest.bit_count -= full_words * LFB_WORD_BITS;
  /* round() goes up at halves: floor(x + 0.5) is wrong just below 0.5 */
  stats->approximate_count = (uint64_t)round(strategy->count(&rest, bits_set) / (1 - full));
  stats->expected_fpp = full + (1 - full) * strategy->fpp_now(&rest, bits_set);
}

void lfb_core_stats(const lfb_description *description, uint64_t bits_set, lfb_stats *stats)
{
  lfb_core_plan(description, stats);
  stats->bits_set = bits_set;
  stats->saturated = bits_set >= stats->reachable_bits;
  if (stats->saturated) {
    stats->approximate_count = UINT64_MAX;
    stats->expected_fpp = description->strategy->fpp_now(&description->geometry, bits_set);
  } else {
    core_stats_beside(description, description->full_words, stats);
  }
}

/* Whether the filter, made by the other of Guava's formulas, would have `probes`. */
static bool core_other_formula_gives(const lfb_description *description, uint32_t probes)
{
  const lfb_config *known = &description->config;
  if (known->fpp == 0 || description->geometry.words_per_key > 0)
    return false; /* the form did not say, or the formulas are not Guava's */

  lfb_config other = *known;
  other.probes_formula = known->probes_formula == LFB_PROBES_GUAVA_31 ? LFB_PROBES_GUAVA_CURRENT
                                                                      : LFB_PROBES_GUAVA_31;
  return lfb_sizing_probes(&other, lfb_sizing_bits(other.expected_insertions, other.fpp)) ==
         probes;
}

bool lfb_core_same_hash(const lfb_hasher *a, const lfb_hasher *b)
{
  return a->kind == b->kind && a->seed == b->seed && a->key[0] == b->key[0] &&
         a->key[1] == b->key[1];
}

bool lfb_core_put_wide(const lfb_filter *filter, lfb_hash hash)
{
  return lfb_core_put(filter, hash);
}

lfb_status lfb_core_compatible(const lfb_description *into, const lfb_description *from)
{
  const lfb_geometry *a = &into->geometry, *b = &from->geometry;

  if (a->probes != b->probes)
    return a->bit_count == b->bit_count && (core_other_formula_gives(into, b->probes) ||
                                            core_other_formula_gives(from, a->probes))
               ? LFB_ERROR_PROBES_DIFFER_BY_FORMULA
               : LFB_ERROR_PROBES_DIFFER;
  if (a->bit_count != b->bit_count)
    return LFB_ERROR_BIT_COUNT_DIFFERS;
  if (into->strategy->id != from->strategy->id || a->words_per_key != b->words_per_key)
    return LFB_ERROR_STRATEGY_DIFFERS;
  return lfb_core_same_hash(&into->hasher, &from->hasher) ? LFB_OK : LFB_ERROR_HASH_DIFFERS;
}
