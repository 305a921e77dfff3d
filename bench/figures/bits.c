/*
 * bits.c - prints the bits per key of filters, as rows of rows.jq, with bits in place of the time.
 *
 *     ./bazelw run -c opt //bench:bits -- [KEYS]
 *
 * default           a filter for KEYS (10,000,000), by its plan
 * growing-full      a filter of an unknown number of keys, when a layer was last full before KEYS
 * growing-mean      the mean over all numbers of keys from the first full layer to that one
 */
#include <lfbloom/any.h>
#include <lfbloom/filter_more.h>
#include <lfbloom/growing.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/keys.h"

enum { BATCH = 1024 };

static void print_bits(const char *what, const char *fpp, double bits)
{
  printf("bits,%s,,,,%s,1,%.4g,\n", what, fpp, bits);
}

static bool print_plan(uint64_t keys, double fpp, const char *name)
{
  const lfb_config config = {.expected_insertions = keys, .fpp = fpp};
  lfb_stats stats;

  if (lfb_config_plan(&config, &stats) != LFB_OK)
    return false;
  print_bits("default", name, (double)stats.bit_count / (double)keys);
  return true;
}

static void put_batch(lfb_growing *growing, uint64_t first)
{
  uint64_t batch[BATCH];

  for (size_t i = 0; i < BATCH; i++)
    batch[i] = lfb_keys_number(first + i);
  (void)lfb_any_many_u64((lfb_any){LFB_KIND_GROWING, {growing}}, LFB_PUT, batch, BATCH, NULL);
}

static bool print_growth(uint64_t keys, double fpp, const char *name)
{
  const lfb_config config = {.fpp = fpp, .seed = 1, .hash = LFB_HASH_XXH3};
  double full = 0, mean = 0, sum = 0, batches = 0, bits = 0;
  lfb_growing *growing;
  uint32_t layers = 1;

  if (lfb_growing_create(&config, &growing) != LFB_OK)
    return false;
  for (uint64_t put = 0; put < keys; put += BATCH) {
    lfb_growing_figures figures;
    put_batch(growing, put);
    lfb_growing_stats(growing, &figures);
    if (figures.layers > layers) { /* before this batch, that many bits were full */
      full = bits / (double)put;
      mean = batches > 0 ? sum / batches : full;
    }
    layers = figures.layers;
    bits = (double)figures.bit_count;
    sum += layers > 1 ? bits / (double)(put + BATCH) : 0;
    batches += layers > 1;
  }
  lfb_growing_free(growing);
  print_bits("growing-full", name, full);
  print_bits("growing-mean", name, mean);
  return true;
}

int main(int argc, char **argv)
{
  const uint64_t keys = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
  const bool printed = print_growth(keys, 0.01, "1%") && print_growth(keys, 0.0001, "0.01%") &&
                       print_plan(keys, 1e-6, "1e-6") && print_plan(keys, 1e-9, "1e-9");

  return printed ? 0 : 1;
}
