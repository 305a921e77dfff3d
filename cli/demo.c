/*
 * demo.c - `lfbloom demo`: an experiment on random keys.
 */
#define _GNU_SOURCE /* getrandom */
#include "cli/demo.h"

#include <errno.h>
#include <lfbloom/filter_more.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/human.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/uuid.h"

/* 32 bits: enough for a new run each time, and short enough to type. */
static bool demo_draw_seed(uint64_t *seed)
{
  uint32_t drawn = 0;
  ssize_t got;

  do
    got = getrandom(&drawn, sizeof drawn, 0);
  while (got < 0 && errno == EINTR);
  if (got != (ssize_t)sizeof drawn)
    return report_false("the operating system gave no random seed: %s; give --seed",
                        strerror(errno));
  *seed = drawn;
  return true;
}

/* Gives the hash a key made from --seed, so that --seed repeats the whole run. */
static void demo_key_hash(struct demo *demo)
{
  lfb_config *config = &demo->config;
  const uint64_t half[] = {uuid_mix(demo->seed) | 1, uuid_mix(demo->seed + 1)};
  lfb_stats stats;

  memcpy(config->key, half, sizeof config->key); /* not 0, which would draw a key */
  if (lfb_config_plan(config, &stats) == LFB_ERROR_UNKNOWN_HASH)
    memset(config->key, 0, sizeof config->key); /* the strategy's hash has none */
}

static int demo_finish(const struct demo *demo, bool json)
{
  if (json)
    demo_print_json(demo);
  else
    demo_print_text(demo);
  const uint64_t missed = demo_missed(demo);
  if (missed > 0)
    return report_error("demo: %s keys that were put were not found: this is a bug in lfbloom",
                        human_count(missed).text);
  return CLI_FOUND;
}

static int demo_run(int argc, char **argv)
{
  struct demo demo = {.config = {.fpp = 0.0001}, .threads = options_default_threads()};
  struct options_count n = {.value = 10000000};
  struct options_count seed = {0};
  struct options_strategy strategy = {0};
  enum progress_when progress = PROGRESS_AUTO;
  bool json = false;
  const struct option_row rows[] = {
      {'n', NULL, "N", "number of random keys to put (default: 10M)", options_read_count, &n},
      options_fpp(&demo.config.fpp),
      options_strategy(&strategy),
      options_threads(&demo.threads),
      {'\0', "seed", "S", "make the same keys as the run with this seed", options_read_count,
       &seed},
      options_json(&json),
      options_progress(&progress),
  };
  const int status = options_parse(&command_demo, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  if (optind < argc)
    return options_misused(&command_demo, "takes no files");
  if (n.value == 0)
    return options_misused(&command_demo, "-n must be at least 1");
  demo.config.expected_insertions = n.value;
  demo.seed = seed.value;
  if (!seed.given && !demo_draw_seed(&demo.seed))
    return CLI_TROUBLE;
  demo.config.strategy = strategy.id;
  demo_key_hash(&demo);
  if (!demo_measure(&demo, progress_wanted(progress)))
    return CLI_TROUBLE;
  return demo_finish(&demo, json);
}

const struct command command_demo = {
    .name = "demo",
    .operands = "",
    .summary = "measure a filter on random keys: memory, answers and speed",
    .details =
        "Puts N random UUID strings into a filter, and during this queries strings that\n"
        "were already put.  Then queries N/10 present and N/10 absent strings.  The\n"
        "default of -p is 0.0001.\n"
        "\n"
        "Times are those of the filter's calls, in batches of 1,024 keys, averaged over\n"
        "the threads.  In --json, n / insert_seconds is the rate of all threads together.\n"
        "\n"
        "Exit status: 2 if a key that was put was not found.\n",
    .run = demo_run,
};
