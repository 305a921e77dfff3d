/*
 * bits.c - prints the bits per key of filters: WHAT FPP BITS.
 *
 *     ./bazelw run -c opt //bench:bits -- [KEYS]
 *
 * default       a filter for KEYS (10,000,000), by its plan
 * growing-full  a filter of an unknown number of keys, when a layer was last full before KEYS
 * growing-mean  the mean over all numbers of keys from the first full layer to that one
 */
#include <lfbloom/any.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/keys.h"

enum { BATCH = 1024 };

static void put_batch(lfb_any filter, uint64_t first)
{
  uint64_t keys[BATCH];

  for (size_t i = 0; i < BATCH; i++)
    keys[i] = lfb_keys_number(first + i);
  (void)lfb_any_many_u64(filter, LFB_PUT, keys, BATCH, NULL);
}

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
  for (uint64_t put = 0; put < keys; put += BATCH) {
    lfb_growing_figures figures;
    put_batch(any, put);
    lfb_growing_stats(any.growing, &figures);
    if (figures.layers > layers) { /* before this batch, that many bits were full */
      full = bits / (double)put;
      mean = batches > 0 ? sum / batches : full;
    }
    layers = figures.layers;
    bits = (double)figures.bit_count;
    sum += layers > 1 ? bits / (double)(put + BATCH) : 0;
    batches += layers > 1;
  }
  lfb_any_free(any);
  (void)printf("growing-full %s %.4g\ngrowing-mean %s %.4g\n", name, full, name, mean);
  return true;
}

int main(int argc, char **argv)
{
  const uint64_t keys = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
  const bool printed = print_growth(keys, 0.01, "1%") && print_growth(keys, 0.0001, "0.01%") &&
                       print_plan(keys, 1e-2, "1%") && print_plan(keys, 1e-3, "0.1%") &&
                       print_plan(keys, 1e-4, "0.01%") && print_plan(keys, 1e-5, "1e-5") &&
                       print_plan(keys, 1e-6, "1e-6") && print_plan(keys, 1e-9, "1e-9");

  return printed ? 0 : 1;
}
