/*
 * core.c - fills filters of the two files of packaging/core, and prints a digest of each one's
 * words.  With WITH_LIBRARY it compares every answer, word and size with the library's.
 * //tsan:core_stress lets threads use one.
 *
 * Seen to fail with another multiplier, with another rotation of the hash, with another limit of
 * sizes: each in all of 5 or 10 runs.
 */
#include "lfbloom_core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what) \
  ((what) ? (void)0 : (fprintf(stderr, "core.c:%d: %s\n", __LINE__, #what), exit(1)))

enum { KEYS = 3000, MOST = 90 }; /* bytes of a key */

static const double fpps[] = {0.9, 0.3, 0.05, 0.01, 0.005, 0.004, 1e-3, 1e-4, 1e-6, 1e-9, 1e-10};
static const uint64_t counts[] = {0, 1, 7, 100, 1000, 30000};
static const lfb_core_strategy strategies[] = {LFB_CORE_DEFAULT, LFB_CORE_FAST, LFB_CORE_FAST_PAIR};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t mixed(uint64_t x)
{
  x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
  x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
  return x ^ x >> 33;
}

static lfb_core_config config_of(uint64_t n, double fpp, lfb_core_strategy strategy)
{
  lfb_core_config config = {n, fpp, strategy, {0}};
  for (unsigned i = 0; i < sizeof config.key; i++)
    config.key[i] = (uint8_t)(3 * i + 1);
  return config;
}

/* Key number i: its bytes, and their count. */
static lfb_core_key key_of(uint64_t i, unsigned char bytes[MOST])
{
  for (unsigned k = 0; k < MOST; k += 8) {
    const uint64_t word = mixed(i * MOST + k);
    for (unsigned b = 0; b < 8 && k + b < MOST; b++)
      bytes[k + b] = (unsigned char)(word >> 8 * b);
  }
  return (lfb_core_key){bytes, (size_t)(i % MOST)};
}

#ifdef WITH_LIBRARY
#include <lfbloom/filter_more.h>

static lfb_config library_config(const lfb_core_config *config)
{
  lfb_config same = {.expected_insertions = config->expected_insertions, .fpp = config->fpp,
                     .strategy = (lfb_strategy_id)config->strategy, .hash = LFB_HASH_SIPHASH13};
  memcpy(same.key, config->key, sizeof same.key);
  return same;
}

static lfb_filter *library; /* of the present configuration */
#define SAME(core_answer, library_answer) CHECK((core_answer) == (library_answer))
#else
#define SAME(core_answer, library_answer) (void)(core_answer)
#endif

/* Puts, claims and queries keys in all ways. */
static void fill(lfb_core *core, uint64_t n)
{
  static unsigned char bytes[64][MOST];
  lfb_core_key keys[64];
  uint64_t numbers[64], answers[1];

  for (uint64_t i = 0; i < n; i++) {
    const lfb_core_key key = key_of(i, bytes[0]);
    SAME(lfb_core_put(core, key.bytes, key.size), lfb_filter_put(library, key.bytes, key.size));
    SAME(lfb_core_claim_u64(core, i), lfb_filter_claim_u64(library, i));
    SAME(lfb_core_put_u64(core, i / 2), lfb_filter_put_u64(library, i / 2));
    SAME(lfb_core_claim_hash(core, mixed(i)), lfb_filter_claim_hash(library, mixed(i)));
    SAME(lfb_core_might_contain_u64(core, 2 * i), lfb_filter_might_contain_u64(library, 2 * i));
    CHECK(lfb_core_might_contain(core, key.bytes, key.size) &&
          lfb_core_might_contain_hash(core, mixed(i)));
  }
  for (unsigned i = 0; i < 64; i++) {
    numbers[i] = n - 32 + i;
    keys[i] = key_of(numbers[i], bytes[i]);
  }
  CHECK(lfb_core_many(core, LFB_CORE_PUT, keys, 0, NULL) == 0);
  for (int verb = LFB_CORE_PUT; verb <= LFB_CORE_CLAIM; verb++)
    for (unsigned from = 0; from < 64; from += 21) {
      const size_t trues =
          lfb_core_many_u64(core, (lfb_core_verb)verb, numbers + from, 64 - from, answers);
      const size_t of_bytes =
          lfb_core_many(core, (lfb_core_verb)verb, keys + from, 64 - from, NULL);
#ifdef WITH_LIBRARY
      uint64_t said[1];
      CHECK(trues == lfb_filter_many(library, (lfb_verb)verb, numbers + from, 64 - from, said,
                                     LFB_U64_KEY));
      CHECK(answers[0] == said[0]);
      size_t each = 0;
      for (unsigned i = from; i < 64; i++)
        each += verb == LFB_CORE_PUT     ? lfb_filter_put(library, keys[i].bytes, keys[i].size)
                : verb == LFB_CORE_CLAIM ? lfb_filter_claim(library, keys[i].bytes, keys[i].size)
                                         : lfb_filter_might_contain(library, keys[i].bytes,
                                                                    keys[i].size);
      CHECK(of_bytes == each);
#else
      CHECK(trues <= 64 && of_bytes <= 64);
#endif
    }
}

/* Fills a filter in memory with any alignment, and prints a digest of it. */
static void one(const lfb_core_config *config)
{
  lfb_core_figures figures;
  lfb_core *core, *copy;
  size_t size;
  CHECK(lfb_core_size(config, &size) == LFB_CORE_OK);
  unsigned char *memory = malloc(size + 5);
  CHECK(memory != NULL && lfb_core_init(config, memory + 5, size - 1, &core) == LFB_CORE_NO_MEMORY);
  memset(memory, 0x5a, size + 5);
  CHECK(lfb_core_init(config, memory + 5, size, &core) == LFB_CORE_OK);
#ifdef WITH_LIBRARY
  const lfb_config same = library_config(config);
  CHECK(lfb_filter_create(&same, &library) == LFB_OK);
#endif
  fill(core, config->expected_insertions < KEYS ? config->expected_insertions : KEYS);
  lfb_core_stats(core, &figures);
  uint64_t *words = calloc((size_t)figures.words + 1, sizeof *words), digest = 0;
  CHECK(words != NULL &&
        lfb_core_words(core, 0, words, (size_t)figures.words + 1) == figures.words);
  for (uint64_t i = 0; i < figures.words; i++)
    digest = mixed(digest + words[i]);
  printf("%.0f %g %d: %u bits in %u of %.0f words, %.0f set, %08x%08x\n",
         (double)config->expected_insertions,
         config->fpp, (int)config->strategy, figures.probes, figures.words_per_key,
         (double)figures.words, (double)figures.bits_set, (unsigned)(digest >> 32),
             (unsigned)digest);
#ifdef WITH_LIBRARY
  lfb_stats stats;
  lfb_filter_stats(library, &stats);
  CHECK(stats.probes == figures.probes && stats.words_per_key == figures.words_per_key);
  CHECK(stats.bytes == 8 * figures.words && stats.bits_set == figures.bits_set);
  uint64_t *theirs = calloc((size_t)figures.words + 1, sizeof *theirs);
  CHECK(lfb_filter_words(library, 0, theirs, (size_t)figures.words + 1) == figures.words);
  CHECK(memcmp(words, theirs, (size_t)figures.words * 8) == 0);
  free(theirs);
  lfb_filter_free(library);
#endif
  CHECK(lfb_core_create(config, &copy) == LFB_CORE_OK);
  CHECK(lfb_core_put_words(copy, 0, words, (size_t)figures.words) == figures.words);
  CHECK(lfb_core_put_words(copy, figures.words, words, 1) == 0);
  const uint64_t set = figures.bits_set;
  lfb_core_stats(copy, &figures);
  CHECK(figures.bits_set == set);
  lfb_core_free(copy);
  lfb_core_free(NULL);
  free(words);
  free(memory);
}

#ifdef WITH_LIBRARY
/* The library refuses what the kernel refuses; sizes are the same up to 1e12 keys. */
static void sizes(void)
{
  const double wrong[] = {0, -1, 1, 2, NAN, 5e-324, 1e-30};
  for (unsigned s = 0; s < COUNT(strategies); s++)
    for (int i = 0; i < 400; i++) {
      const double fpp = i < (int)COUNT(wrong) ? wrong[i] : pow(10, -i / 30.0);
      for (double n = 1; n < 1e19; n = n * 977 + 1) {
        const lfb_core_config config = config_of((uint64_t)n, fpp, strategies[s]),
                                       least = config_of(1, fpp, strategies[s]);
        const lfb_config same = library_config(&config), same_least = library_config(&least);
        lfb_stats stats, least_stats;
        size_t size, least_size;
        const lfb_core_status status = lfb_core_size(&config, &size);
        CHECK((int)status == (int)lfb_config_plan(&same, &stats));
        if (status == LFB_CORE_OK) {
          CHECK(lfb_core_size(&least, &least_size) == LFB_CORE_OK &&
                lfb_config_plan(&same_least, &least_stats) == LFB_OK);
          CHECK(size - least_size == stats.bytes - least_stats.bytes);
        }
      }
    }
}
#endif

int main(void)
{
  lfb_core_config config = config_of(1, 0.01, (lfb_core_strategy)1);
  size_t size;
  lfb_core *core;

  CHECK(lfb_core_size(&config, &size) == LFB_CORE_UNKNOWN_STRATEGY);
  config = (lfb_core_config){.expected_insertions = 1, .fpp = 0.01};
  CHECK(lfb_core_create(&config, &core) == LFB_CORE_NO_KEY);
  for (unsigned s = 0; s < COUNT(strategies); s++)
    for (unsigned f = 0; f < COUNT(fpps); f++)
      for (unsigned n = 0; n < COUNT(counts); n++) {
        config = config_of(counts[n], fpps[f], strategies[s]);
        one(&config);
      }
#ifdef WITH_LIBRARY
  sizes();
#endif
  return 0;
}
