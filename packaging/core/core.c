/*
 * lfbloom_core.c - the kernel of lfbloom: lfbloom_core.h describes it.
 *
 * tools/cut.py has taken from lfbloom's sources what these functions need.  The comments are in the project's
 * tree: include/lfbloom/word.h and cpu.h, atomic/words/pair.h, bloom/hashing/siphash.h, bloom/filter/claims.h,
 * and in bloom/strategies block_model.c, fast_view.h and fast/.
 *
 * Licence: Apache-2.0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lfbloom/word.h>

#include "lfbloom_core.h"

/* What the sources take from the library's public headers. */
typedef lfb_core_status lfb_status;
typedef lfb_core_config lfb_config;
#define LFB_OK LFB_CORE_OK
#define LFB_ERROR_FPP_TOO_LOW LFB_CORE_FPP_TOO_LOW
#define LFB_ERROR_FPP_TOO_HIGH LFB_CORE_FPP_TOO_HIGH
#define LFB_ERROR_TOO_MANY_BITS LFB_CORE_TOO_MANY_BITS

/* Instead of functions for what the kernel leaves out: filters that fold. */
#define lfb_sizing_foldable(config, blocks) (blocks)

#include "bloom/hashing/siphash.h"
#include "bloom/strategies/sizing.c"
#include "bloom/strategies/block_model.c"
#include "bloom/strategies/fast/fast_key.h"
#include "bloom/strategies/fast/fast_size.c"

/* A cell of claims, for hashes of 64 bits. */
typedef struct lfb_cell {
  lfb_word half[1];
} lfb_cell;

struct lfb_core {
  lfb_fast fast;
  lfb_cell *cells; /* LFB_CLAIM_CELLS; none if puts claim */
  uint64_t key[2];
  void *allocated; /* by lfb_core_create() */
};

static uint32_t core_put(const lfb_core *core, uint64_t hash)
{
  return lfb_fast_put(&core->fast, hash, core->fast.pairs, core->fast.bits);
}

static bool core_has(const lfb_core *core, uint64_t hash)
{
  return lfb_fast_has(&core->fast, hash, core->fast.pairs, core->fast.bits);
}

/* The library's claims, in one filter and such cells. */
typedef lfb_core lfb_claims;
typedef lfb_core lfb_claimed;
#define claimed_might_contain(core, hash) core_has(core, (hash).low)
#define claimed_put(core, hash) ((void)core_put(core, (hash).low))
#define lfb_claims_low(core, hash) ((hash).low)
#define lfb_claims_hash(core, low, high) ((lfb_hash){low, high})
#define claims_generation(core) 0
#define cell_read(cell, low, high, uses) (*(low) = cell_read_one(cell), *(high) = 0)
#define cell_change(cell, low, high, to, to_high, uses) \
  ((void)(to_high), (void)(uses), cell_change_one(cell, low, to))

#include "bloom/filter/claims.c"

enum { CORE_CELLS = LFB_CLAIM_CELLS * sizeof(lfb_cell), CORE_AHEAD = 128 };

/* Whether a put of a key is a claim: its words are one pair, which changes at once. */
static bool core_puts_claim(const lfb_fast *fast)
{
  return fast->pairs == 1 && lfb_pair_runs_here();
}

/* Chooses shape and size. */
static lfb_core_status core_plan(const lfb_core_config *config, lfb_geometry *geometry, size_t *bytes)
{
  static const uint8_t none[sizeof config->key];
  const bool pair = config->strategy == LFB_CORE_FAST_PAIR;

  if (config->strategy != LFB_CORE_DEFAULT && config->strategy != LFB_CORE_FAST && !pair)
    return LFB_CORE_UNKNOWN_STRATEGY;
  lfb_core_status status = lfb_sizing_check_blocked(config->fpp);
  if (status == LFB_CORE_OK)
    status = size_of(config, size_limited(config->fpp, pair ? size_most_bits_pair : size_most_bits_balanced),
                     geometry);
  if (status != LFB_CORE_OK)
    return status;
  if (memcmp(config->key, none, sizeof none) == 0)
    return LFB_CORE_NO_KEY;
  /* The filter, the cells and the words, each from a cache line on. */
  const lfb_fast fast = lfb_fast_view(geometry, NULL);
  const size_t head = 2 * LFB_CACHE_LINE + sizeof(lfb_core) + (core_puts_claim(&fast) ? 0 : CORE_CELLS);
  if (geometry->word_count > (SIZE_MAX / 2 - head) / sizeof(lfb_word))
    return LFB_CORE_SIZE_OVERFLOW;
  *bytes = head + (size_t)geometry->word_count * sizeof(lfb_word);
  return LFB_CORE_OK;
}

lfb_core_status lfb_core_size(const lfb_core_config *config, size_t *size)
{
  lfb_geometry geometry;
  return core_plan(config, &geometry, size);
}

/* The first cache line at or after an address. */
static unsigned char *core_line(void *address)
{
  return (unsigned char *)address + (-(uintptr_t)address & (LFB_CACHE_LINE - 1));
}

lfb_core_status lfb_core_init(const lfb_core_config *config, void *memory, size_t size, lfb_core **core)
{
  lfb_geometry geometry;
  size_t needed;

  const lfb_core_status status = core_plan(config, &geometry, &needed);
  if (status != LFB_CORE_OK)
    return status;
  if (size < needed)
    return LFB_CORE_NO_MEMORY;
  lfb_core *made = (void *)core_line(memory);
  lfb_cell *cells = (void *)core_line(made + 1);
  lfb_fast fast = lfb_fast_view(&geometry, NULL);
  const size_t cell_count = core_puts_claim(&fast) ? 0 : LFB_CLAIM_CELLS;
  fast.words = (void *)(cells + cell_count);
  for (size_t i = 0; i < cell_count; i++)
    atomic_init(&cells[i].half[0], 0);
  for (uint64_t i = 0; i < geometry.word_count; i++)
    atomic_init(&fast.words[i], 0);
  *made = (lfb_core){
      .fast = fast,
      .cells = cells,
      .key = {lfb_load_le64(config->key), lfb_load_le64(config->key + 8)},
  };
  *core = made;
  return LFB_CORE_OK;
}

lfb_core_status lfb_core_create(const lfb_core_config *config, lfb_core **core)
{
  size_t size;
  const lfb_core_status status = lfb_core_size(config, &size);
  void *memory = status == LFB_CORE_OK ? malloc(size) : NULL;

  if (memory == NULL)
    return status == LFB_CORE_OK ? LFB_CORE_NO_MEMORY : status;
  (void)lfb_core_init(config, memory, size, core);
  (*core)->allocated = memory;
  return LFB_CORE_OK;
}

void lfb_core_free(lfb_core *core)
{
  if (core != NULL)
    free(core->allocated);
}

bool lfb_core_put_hash(lfb_core *core, uint64_t hash)
{
  return core_put(core, hash) > 0;
}

bool lfb_core_might_contain_hash(const lfb_core *core, uint64_t hash)
{
  return core_has(core, hash);
}

bool lfb_core_claim_hash(lfb_core *core, uint64_t hash)
{
  if (core_puts_claim(&core->fast))
    return lfb_core_put_hash(core, hash);
  return !core_has(core, hash) && claims_claim(core, core, (lfb_hash){hash, 0}, CELL_ONE);
}

bool lfb_core_put(lfb_core *core, const void *bytes, size_t size)
{
  return lfb_core_put_hash(core, lfb_siphash13(bytes, size, core->key));
}

bool lfb_core_put_u64(lfb_core *core, uint64_t key)
{
  return lfb_core_put_hash(core, lfb_siphash13_u64(key, core->key));
}

bool lfb_core_might_contain(const lfb_core *core, const void *bytes, size_t size)
{
  return core_has(core, lfb_siphash13(bytes, size, core->key));
}

bool lfb_core_might_contain_u64(const lfb_core *core, uint64_t key)
{
  return core_has(core, lfb_siphash13_u64(key, core->key));
}

bool lfb_core_claim(lfb_core *core, const void *bytes, size_t size)
{
  return lfb_core_claim_hash(core, lfb_siphash13(bytes, size, core->key));
}

bool lfb_core_claim_u64(lfb_core *core, uint64_t key)
{
  return lfb_core_claim_hash(core, lfb_siphash13_u64(key, core->key));
}

/* Hashes some keys and asks for their lines, before it uses the first of them.  One of the two arrays of
 * keys is NULL. */
static size_t core_many(lfb_core *core, lfb_core_verb verb, const lfb_core_key *keys, const uint64_t *numbers,
                        size_t count, uint64_t *answers)
{
  uint64_t hashes[CORE_AHEAD];
  size_t trues = 0;

  for (size_t at = 0, some; at < count; at += some) {
    some = count - at < CORE_AHEAD ? count - at : (size_t)CORE_AHEAD;
    for (size_t i = 0; i < some; i++) {
      hashes[i] = keys != NULL ? lfb_siphash13(keys[at + i].bytes, keys[at + i].size, core->key)
                               : lfb_siphash13_u64(numbers[at + i], core->key);
      lfb_fast_prefetch(&core->fast, hashes[i], core->fast.pairs, verb == LFB_CORE_PUT);
    }
    for (size_t i = 0; i < some; i++) {
      const bool answer = verb == LFB_CORE_PUT     ? lfb_core_put_hash(core, hashes[i])
                          : verb == LFB_CORE_CLAIM ? lfb_core_claim_hash(core, hashes[i])
                                                   : lfb_core_might_contain_hash(core, hashes[i]);
      if (answers != NULL && i % LFB_WORD_BITS == 0)
        answers[(at + i) / LFB_WORD_BITS] = 0;
      if (answers != NULL)
        answers[(at + i) / LFB_WORD_BITS] |= (uint64_t)answer << i % LFB_WORD_BITS;
      trues += answer;
    }
  }
  return trues;
}

size_t lfb_core_many(lfb_core *core, lfb_core_verb verb, const lfb_core_key *keys, size_t count,
                     uint64_t *answers)
{
  return core_many(core, verb, keys, NULL, count, answers);
}

size_t lfb_core_many_u64(lfb_core *core, lfb_core_verb verb, const uint64_t *keys, size_t count,
                         uint64_t *answers)
{
  return core_many(core, verb, NULL, keys, count, answers);
}

static uint64_t core_word_count(const lfb_core *core)
{
  return core->fast.blocks * lfb_fast_block_words(core->fast.pairs);
}

/* How many of `count` words from `first` on there are. */
static size_t core_there(const lfb_core *core, uint64_t first, size_t count)
{
  const uint64_t words = core_word_count(core);
  return first >= words ? 0 : words - first < count ? (size_t)(words - first) : count;
}

size_t lfb_core_words(const lfb_core *core, uint64_t first, uint64_t *words, size_t count)
{
  const size_t there = core_there(core, first, count);

  for (size_t i = 0; i < there; i++)
    words[i] = lfb_word_get(&core->fast.words[first + i]);
  return there;
}

size_t lfb_core_put_words(lfb_core *core, uint64_t first, const uint64_t *words, size_t count)
{
  const size_t there = core_there(core, first, count);

  for (size_t i = 0; i < there; i++)
    (void)lfb_word_set(&core->fast.words[first + i], words[i]);
  return there;
}

void lfb_core_stats(const lfb_core *core, lfb_core_figures *figures)
{
  const uint64_t words = core_word_count(core);
  const uint32_t of_key = LFB_PAIR_WORDS * core->fast.pairs;

  *figures = (lfb_core_figures){of_key * core->fast.bits, of_key, words, 0};
  for (uint64_t i = 0; i < words; i++)
    figures->bits_set += lfb_word_count(lfb_word_get(&core->fast.words[i]));
}
