/*
 * growths.c - fills growing filters of several first sizes and rates with numbers, by a fixed hash. Prints
 * one line at each of some numbers of keys: FIRST P KEYS BYTES LAYERS.
 */
#include <inttypes.h>
#include <lfbloom/growing.h>
#include <stdio.h>

/* Fills one filter; false if it could not be made. */
static bool growths_print(uint64_t first, double fpp)
{
  static const uint64_t at[] = {1000, 3000, 10000, 40000, 150000, 500000, 1800000};
  const lfb_config config = {.expected_insertions = first, .fpp = fpp, .seed = 1};
  lfb_growing *growing;
  lfb_growing_figures figures;
  uint64_t key = 0;

  if (lfb_growing_create(&config, &growing) != LFB_OK)
    return false;
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    for (; key < at[i]; key++)
      lfb_growing_put_u64(growing, key);
    lfb_growing_stats(growing, &figures);
    printf("%" PRIu64 " %.17g %" PRIu64 " %" PRIu64 " %" PRIu32 "\n", first, fpp, key,
           figures.bytes, figures.layers);
  }
  lfb_growing_free(growing);
  return true;
}

int main(void)
{
  static const uint64_t firsts[] = {0, 1024, 500000};
  static const double fpps[] = {0.1, 0.01, 0.001, 1e-6};

  for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
    for (size_t j = 0; j < sizeof fpps / sizeof *fpps; j++)
      if (!growths_print(firsts[i], fpps[j]))
        return 1;
  return 0;
}
