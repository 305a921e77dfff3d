/*
 * loads.c - loads N P: for each strategy of plain filters, prints the false-positive rate of its
 * filter for N keys at P with other numbers of keys. One line each: STRATEGY KEYS FPP.
 */
#include <inttypes.h>
#include <lfbloom/filter_more.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOADS_MOST_STRATEGIES = 64 };

static void loads_print(const lfb_config *config)
{
  /* Of N; up to a load where the model no longer counts the keys of a block. */
  static const unsigned percents[] = {0, 1, 10, 50, 90, 110, 150, 200, 1000, 10000};
  double fpp;

  for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
    const uint64_t keys = (uint64_t)((double)config->expected_insertions * percents[i] / 100);
    if (lfb_config_fpp_after(config, keys, &fpp) == LFB_OK)
      printf("%s %" PRIu64 " %.17g\n", lfb_strategy_name(config->strategy), keys, fpp);
  }
}

int main(int argc, char **argv)
{
  if (argc != 3) {
    fprintf(stderr, "usage: loads N P\n");
    return 2;
  }
  lfb_config config = {.expected_insertions = strtoull(argv[1], NULL, 10),
                       .fpp = strtod(argv[2], NULL)};
  for (int id = LFB_DEFAULT + 1; id < LOADS_MOST_STRATEGIES; id++) {
    config.strategy = (lfb_strategy_id)id;
    if (id != LFB_TAGS && lfb_strategy_name(config.strategy) != NULL)
      loads_print(&config);
  }
  return 0;
}
