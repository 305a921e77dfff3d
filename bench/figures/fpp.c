/*
 * fpp.c - prints the false-positive probability against the memory that it takes, modelled
 * and measured, as CSV.
 *
 *     ./bazelw run -c opt //bench:fpp -- [KEYS [WRONG]]
 *
 * For each probability it fills a filter with the KEYS (1,000,000) that it is made for.  Then
 * it queries absent keys until about WRONG (4000) false positives are expected.  low and
 * high bound the measured probability with 95 % confidence (Wilson's interval).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <lfbloom/filter_more.h>

#include "bench/keys.h"

enum { BATCH = 4096, MOST_ASKED = 200000000 };

typedef struct fpp_row {
  const char *name;
  lfb_strategy_id strategy;
  lfb_memory_preference preference;
} fpp_row;

static const fpp_row rows[] = {
    {"fast", LFB_FAST, LFB_MEMORY_BALANCED},
    {"fast-speed", LFB_FAST, LFB_MEMORY_SPEED},
    {"fast-smallest", LFB_FAST, LFB_MEMORY_SMALLEST},
    {"guava-mitz64", LFB_GUAVA_MITZ64, LFB_MEMORY_BALANCED},
};

static const double wanted[] = {0.1,   0.05,   0.02,   0.01,   0.005,   0.002,
                                0.001, 0.0005, 0.0002, 0.0001, 0.00005, 0.00002};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void fill_batch(uint64_t *batch, uint64_t first)
{
  for (size_t i = 0; i < BATCH; i++)
    batch[i] = lfb_keys_number(first + i);
}

static size_t batch_at(uint64_t first, uint64_t end)
{
  return end - first < BATCH ? (size_t)(end - first) : BATCH;
}

static void put_keys(lfb_filter *filter, uint64_t end)
{
  uint64_t batch[BATCH];

  for (uint64_t first = 0; first < end; first += BATCH) {
    fill_batch(batch, first);
    (void)lfb_filter_put_many_u64(filter, batch, batch_at(first, end), NULL);
  }
}

/* How many false positives `asked` absent keys give. */
static uint64_t ask_absent(const lfb_filter *filter, uint64_t asked)
{
  uint64_t batch[BATCH];
  uint64_t yes = 0;

  for (uint64_t first = 0; first < asked; first += BATCH) {
    fill_batch(batch, LFB_KEYS_ABSENT + first);
    yes += lfb_filter_might_contain_many_u64(filter, batch, batch_at(first, asked), NULL);
  }
  return yes;
}

/* Source: Wilson, "Probable Inference", 1927. */
static double wilson(double share, double trials, double sign)
{
  const double z = 1.959964;
  const double middle = share + z * z / (2 * trials);
  const double half = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials));
  return (middle + sign * half) / (1 + z * z / trials);
}

static void print_row(const fpp_row *row, const lfb_config *config, const lfb_stats *stats,
                      uint64_t yes, uint64_t asked)
{
  const double trials = (double)asked, share = (double)yes / trials;
  double modelled = 0;

  lfb_ignore(lfb_config_fpp_after(config, config->expected_insertions, &modelled));
  (void)printf("%s,%g,%.4f,%u,%u,%.4g,%.4g,%.4g,%.4g,%llu\n", row->name, config->fpp,
               (double)stats->bit_count / (double)config->expected_insertions,
               stats->words_per_key, stats->probes, modelled, share,
               fmax(0, wilson(share, trials, -1)), wilson(share, trials, 1), (unsigned long long)asked);
}

static bool measure(const fpp_row *row, double fpp, uint64_t keys, double wrong)
{
  const lfb_config config = {.expected_insertions = keys,
                             .fpp = fpp,
                             .strategy = row->strategy,
                             .memory_preference = row->preference,
                             .hash = row->strategy == LFB_FAST ? LFB_HASH_XXH3 : LFB_HASH_DEFAULT,
                             .seed = row->strategy == LFB_FAST ? 1 : 0};
  const double needed = wrong / fpp;
  const uint64_t asked = needed < (double)MOST_ASKED ? (uint64_t)needed : MOST_ASKED;
  lfb_filter *filter;
  lfb_stats stats;

  if (lfb_filter_create(&config, &filter) != LFB_OK)
    return false;
  put_keys(filter, keys);
  lfb_filter_stats(filter, &stats);
  print_row(row, &config, &stats, ask_absent(filter, asked), asked);
  lfb_filter_free(filter);
  return true;
}

int main(int argc, char **argv)
{
  const double keys = argc > 1 ? atof(argv[1]) : 1e6;
  const double wrong = argc > 2 ? atof(argv[2]) : 4000;
  bool measured = true;

  if (!(keys >= 1 && keys <= 1e9 && wrong >= 1 && wrong <= 1e9)) {
    (void)fprintf(stderr, "usage: fpp [KEYS [WRONG]]\n");
    return 2;
  }
  (void)puts("strategy,wanted,bits_per_key,words,probes,modelled,measured,low,high,asked");
  for (size_t r = 0; r < COUNT(rows); r++)
    for (size_t p = 0; p < COUNT(wanted); p++)
      measured &= measure(&rows[r], wanted[p], (uint64_t)keys, wrong);
  return measured ? 0 : 1;
}
