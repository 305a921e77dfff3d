/*
 * figures.c - prints bits per key, and false-positive rates.
 *
 *     figures bits [KEYS]            KEYS: 10,000,000
 *     figures fpp [KEYS [WRONG]]     1,000,000; 4,000
 *
 * bits: WHAT FPP BITS.
 *   default       a filter for KEYS, by its plan
 *   growing-full  a filter of an unknown number of keys, when a layer was last full before KEYS
 *   growing-mean  the mean over all numbers of keys from the first full layer to that one
 * fpp: STRATEGY FPP BITS WORDSxBITS MODELLED MEASURED LOW HIGH.  It fills a filter with the KEYS
 *   that it is made for, and queries absent keys until about WRONG false positives are expected.
 *   LOW and HIGH bound the measured rate with 95 % confidence.
 */
#include <lfbloom/any.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/keys.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { BATCH = 4096, MOST_ASKED = 200000000 };

/* Puts or queries keys `first` to `end` - 1; returns how many answers are true. */
static uint64_t act(lfb_any filter, lfb_verb verb, uint64_t first, uint64_t end)
{
  uint64_t keys[BATCH], yes = 0;

  for (uint64_t at = first; at < end; at += BATCH) {
    const size_t count = end - at < BATCH ? (size_t)(end - at) : BATCH;
    for (size_t i = 0; i < count; i++)
      keys[i] = lfb_keys_number(at + i);
    yes += lfb_any_many_u64(filter, verb, keys, count, NULL);
  }
  return yes;
}

/* ---- bits ---------------------------------------------------------------- */

static bool print_plan(uint64_t keys, double fpp, const char *name)
{
  const lfb_config config = {.expected_insertions = keys, .fpp = fpp};
  lfb_stats stats;

  if (lfb_config_plan(&config, &stats) != LFB_OK)
    return false;
  (void)printf("default %s %.4g\n", name, (double)stats.bit_count / (double)keys);
  return true;
}

static bool print_growth(uint64_t keys, double fpp, const char *name)
{
  const lfb_config config = {.fpp = fpp, .seed = 1, .hash = LFB_HASH_XXH3};
  double full = 0, mean = 0, sum = 0, batches = 0, bits = 0;
  lfb_any any = {.kind = LFB_KIND_GROWING};
  uint32_t layers = 1;

  if (lfb_growing_create(&config, &any.growing) != LFB_OK)
    return false;
  for (uint64_t put = 0; put < keys; put += BATCH / 4) {
    lfb_growing_figures figures;
    (void)act(any, LFB_PUT, put, put + BATCH / 4);
    lfb_growing_stats(any.growing, &figures);
    if (figures.layers > layers) { /* before this batch, that many bits were full */
      full = bits / (double)put;
      mean = batches > 0 ? sum / batches : full;
    }
    layers = figures.layers;
    bits = (double)figures.bit_count;
    sum += layers > 1 ? bits / (double)(put + BATCH / 4) : 0;
    batches += layers > 1;
  }
  lfb_any_free(any);
  (void)printf("growing-full %s %.4g\ngrowing-mean %s %.4g\n", name, full, name, mean);
  return true;
}

/* ---- false positives ----------------------------------------------------- */

static const struct {
  const char *name;
  lfb_strategy_id strategy;
  lfb_memory_preference preference;
} kinds[] = {
    {"fast", LFB_FAST, LFB_MEMORY_BALANCED},
    {"fast-speed", LFB_FAST, LFB_MEMORY_SPEED},
    {"fast-smallest", LFB_FAST, LFB_MEMORY_SMALLEST},
    {"fast-pair", LFB_FAST_PAIR, LFB_MEMORY_BALANCED},
    {"guava-mitz64", LFB_GUAVA_MITZ64, LFB_MEMORY_BALANCED},
};

static const double wanted[] = {0.1, 0.01, 0.001, 0.0001, 0.00002};

/* Source: Wilson, "Probable Inference", 1927. */
static double wilson(double share, double trials, double sign)
{
  const double z = 1.959964;
  const double middle = share + z * z / (2 * trials);
  const double half = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials));
  return fmax(0, (middle + sign * half) / (1 + z * z / trials));
}

static bool print_fpp(size_t kind, double fpp, uint64_t keys, double wrong)
{
  const bool seeded = kinds[kind].strategy != LFB_GUAVA_MITZ64;
  const lfb_config config = {.expected_insertions = keys, .fpp = fpp,
                             .strategy = kinds[kind].strategy,
                             .memory_preference = kinds[kind].preference,
                             .hash = seeded ? LFB_HASH_XXH3 : LFB_HASH_DEFAULT, .seed = seeded};
  const uint64_t asked = (uint64_t)fmin(wrong / fpp, MOST_ASKED);
  lfb_any any = {.kind = LFB_KIND_PLAIN};
  double modelled = 0;
  lfb_stats stats;

  if (lfb_filter_create(&config, &any.plain) != LFB_OK ||
      lfb_config_fpp_after(&config, keys, &modelled) != LFB_OK)
    return false;
  (void)act(any, LFB_PUT, 0, keys);
  lfb_filter_stats(any.plain, &stats);
  const double trials = (double)asked;
  const double share =
      (double)act(any, LFB_MIGHT_CONTAIN, LFB_KEYS_ABSENT, LFB_KEYS_ABSENT + asked) / trials;
  (void)printf("%s %g %.4f ", kinds[kind].name, fpp, (double)stats.bit_count / (double)keys);
  if (stats.words_per_key > 0)
    (void)printf("%ux%u ", stats.words_per_key, stats.probes / stats.words_per_key);
  else
    (void)printf("%u ", stats.probes);
  (void)printf("%.4g %.4g %.4g %.4g\n", modelled, share, wilson(share, trials, -1),
               wilson(share, trials, 1));
  lfb_filter_free(any.plain);
  return true;
}

int main(int argc, char **argv)
{
  const bool bits = argc > 1 && strcmp(argv[1], "bits") == 0;
  const double keys = argc > 2 ? atof(argv[2]) : bits ? 1e7 : 1e6;
  const double wrong = argc > 3 ? atof(argv[3]) : 4000;
  bool printed = true;

  if (argc < 2 || (!bits && strcmp(argv[1], "fpp") != 0) || !(keys >= 1 && keys <= 1e9) ||
      !(wrong >= 1)) {
    (void)fputs("usage: figures bits|fpp [KEYS [WRONG]]\n", stderr);
    return 2;
  }
  const uint64_t count = (uint64_t)keys;
  if (bits)
    printed = print_growth(count, 0.01, "1%") && print_growth(count, 0.0001, "0.01%") &&
              print_plan(count, 1e-2, "1%") && print_plan(count, 1e-3, "0.1%") &&
              print_plan(count, 1e-4, "0.01%") && print_plan(count, 1e-6, "1e-6") &&
              print_plan(count, 1e-9, "1e-9");
  for (size_t kind = 0; !bits && kind < COUNT(kinds); kind++)
    for (size_t p = 0; p < COUNT(wanted); p++)
      printed &= print_fpp(kind, wanted[p], count, wrong);
  return printed ? 0 : 1;
}
