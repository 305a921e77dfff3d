/*
 * demo.c - `lfbloom demo`: an experiment on random keys.
 *
 * Key i is UUID number i of the seed's sequence, made when it is needed.  Keys 0 to n - 1 are put;
 * keys from n on are absent.
 */
#define _GNU_SOURCE /* getrandom, clock_gettime */
#include <errno.h>
#include <inttypes.h>
#include <lfbloom/filter_more.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/human.h"
#include "cli/base/json.h"
#include "cli/base/options.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "cli/input/crew.h"

/* Characters of a UUID; keys of a call, as `build` passes: with 256 it takes 1.4 times as long. */
enum { DEMO_UUID = 36, DEMO_BATCH = 1024 };

/* Puts or queries of keys first, first + step, ... by all threads. */
struct demo_phase {
  const struct demo *demo;
  uint64_t count;
  uint64_t first;
  uint64_t step;
  _Atomic(uint64_t) found;   /* of queries */
  _Atomic(uint64_t) call_ns, wall_ns, work_ns; /* the filter's calls; all; on a processor */
};

struct demo {
  lfb_config config; /* n is config.expected_insertions */
  uint64_t seed;
  unsigned threads;
  lfb_filter *filter;
  double model_fpp; /* by the strategy's model, after n keys */
  lfb_stats stats;  /* after all puts */
  struct demo_phase putting;
  struct demo_phase present;
  struct demo_phase absent;
};

/* ---- keys ----------------------------------------------------------------------- */

/* Maps 64 bits to 64 bits, one to one.  Source: Steele, Lea and Flood, "Fast Splittable
 * Pseudorandom Number Generators", 2014; SplitMix64, with Stafford's 13th variant of the mixer. */
static uint64_t demo_mix(uint64_t value)
{
  value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31);
}

/* Number `index` of the SplitMix64 sequence that starts at the mixed seed. */
static uint64_t demo_random(uint64_t seed, uint64_t index)
{
  return demo_mix(demo_mix(seed) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* Writes UUID number `index` of the sequence `seed`: version 4, without a NUL. */
static void demo_uuid(uint64_t seed, uint64_t index, char *text)
{
  const char form[] = "xxxxxxxx-xxxx-4xxx-Vxxx-xxxxxxxxxxxx"; /* V: 8, 9, a or b, RFC 4122 */
  const char hex[] = "0123456789abcdef";
  uint64_t bits = 0;

  for (int i = 0; i < DEMO_UUID; i++) {
    if (i % 18 == 0) /* each half has 16 digits */
      bits = demo_random(seed, 2 * index + (i > 0));
    text[i] = form[i] == 'x' ? hex[bits % 16] : form[i] == 'V' ? hex[8 + bits % 4] : form[i];
    bits >>= form[i] == '-' ? 0 : 4;
  }
}

/* 32 bits: enough for a new run each time, and short enough to type. */
static bool demo_draw_seed(uint64_t *seed)
{
  uint32_t drawn = 0;

  if (getrandom(&drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn)
    return report_false("the operating system gave no random seed: %s; give --seed",
                        strerror(errno));
  *seed = drawn;
  return true;
}

/* Gives the hash a key made from --seed, so that --seed repeats the whole run. */
static void demo_key_hash(struct demo *demo)
{
  lfb_config *config = &demo->config;
  const uint64_t half[] = {demo_mix(demo->seed) | 1, demo_mix(demo->seed + 1)};

  memcpy(config->key, half, sizeof config->key); /* not 0, which would draw a key */
  if (lfb_config_plan(config, &demo->stats) == LFB_ERROR_UNKNOWN_HASH)
    memset(config->key, 0, sizeof config->key); /* the strategy's hash has none */
}

/* ---- measuring ------------------------------------------------------------------ */

/* One thread's part of a phase: every threads-th batch. */
static void demo_part(void *context, unsigned number)
{
  struct demo_phase *phase = context;
  const struct demo *demo = phase->demo;
  const uint64_t stride = (uint64_t)DEMO_BATCH * demo->threads;
  char text[DEMO_BATCH][DEMO_UUID];
  lfb_key keys[DEMO_BATCH];
  uint64_t wall = -clock_ns(), work = -clock_of(CLOCK_THREAD_CPUTIME_ID), found = 0, call_ns = 0;

  for (uint64_t at = (uint64_t)DEMO_BATCH * number; at < phase->count; at += stride) {
    const uint64_t left = phase->count - at;
    const size_t count = left < DEMO_BATCH ? (size_t)left : DEMO_BATCH;
    for (size_t i = 0; i < count; i++) {
      demo_uuid(demo->seed, phase->first + (at + i) * phase->step, text[i]);
      keys[i] = (lfb_key){text[i], DEMO_UUID};
    }
    const uint64_t began = clock_ns();
    if (phase == &demo->putting)
      (void)lfb_filter_put_many(demo->filter, keys, count, NULL);
    else
      found += lfb_filter_might_contain_many(demo->filter, keys, count, NULL);
    call_ns += clock_ns() - began;
    progress_add(count);
  }
  /* relaxed, all: the end of the thread publishes them. */
  atomic_fetch_add_explicit(&phase->found, found, memory_order_relaxed);
  atomic_fetch_add_explicit(&phase->call_ns, call_ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&phase->wall_ns, wall + clock_ns(), memory_order_relaxed);
  work += clock_of(CLOCK_THREAD_CPUTIME_ID);
  atomic_fetch_add_explicit(&phase->work_ns, work, memory_order_relaxed);
}

/* Puts n keys, queries n/10 of them, spread over all, and as many absent ones. */
static bool demo_measure(struct demo *demo, bool shows_progress)
{
  const uint64_t n = demo->config.expected_insertions, tenth = n < 10 ? 1 : n / 10;

  demo->putting = (struct demo_phase){demo, .count = n, .step = 1};
  demo->present = (struct demo_phase){demo, .count = tenth, .step = n / tenth};
  demo->absent = (struct demo_phase){demo, .count = tenth, .first = n, .step = 1};
  lfb_status status;
  if ((status = lfb_config_fpp_after(&demo->config, n, &demo->model_fpp)) != LFB_OK ||
      (status = lfb_config_plan(&demo->config, &demo->stats)) != LFB_OK ||
      (status = lfb_filter_create(&demo->config, &demo->filter)) != LFB_OK)
    return report_unmade("demo", &demo->config, demo->stats.bytes, status) != CLI_NOT_DONE;
  progress_begin(shows_progress, "putting and asking", n + 2 * tenth, PROGRESS_KEYS);
  const bool done = crew_run(demo->threads, CREW_ALL, demo_part, &demo->putting) &&
                    crew_run(demo->threads, CREW_ALL, demo_part, &demo->present) &&
                    crew_run(demo->threads, CREW_ALL, demo_part, &demo->absent);
  progress_end();
  lfb_filter_stats(demo->filter, &demo->stats);
  lfb_filter_free(demo->filter);
  return done;
}

/* ---- printing ------------------------------------------------------------------- */

/* A thread's average time in calls: calls / seconds is then the rate of all threads together. */
static double demo_seconds(const struct demo *demo, uint64_t call_ns)
{
  return clock_seconds(call_ns) / demo->threads;
}

static void demo_print_phase(const struct demo *demo, const char *what,
                             const struct demo_phase *phase)
{
  const double seconds = demo_seconds(demo, phase->call_ns);
  const double rate = seconds > 0 ? (double)phase->count / seconds / 1e6 : 0;

  printf("  %-13s %12s %12s %12.2f\n", what, human_count(phase->count).text,
         phase == &demo->putting ? "" : human_count(phase->found).text, rate);
}

static void demo_print_text(const struct demo *demo)
{
  const uint64_t n = demo->config.expected_insertions;
  const double took = (double)demo->putting.wall_ns, worked = (double)demo->putting.work_ns;

  printf("%s random UUID strings in a filter made for them, with a false-positive\n"
         "probability of %s: %s, %s, %.2f bits per key, %u probes.\n\n",
         human_count(n).text, human_probability(demo->config.fpp).text,
         human_bytes(demo->stats.bytes).text, lfb_strategy_name(demo->stats.strategy),
         (double)demo->stats.bit_count / (double)n, (unsigned)demo->stats.probes);
  printf("  %-13s %12s %12s %12s\n", "", "keys", "found", "Mkeys/s");
  demo_print_phase(demo, "put", &demo->putting);
  demo_print_phase(demo, "query present", &demo->present);
  demo_print_phase(demo, "query absent", &demo->absent);
  printf("\nAbsent keys found are false positives: about %.0f are expected.  Mkeys/s is that of\n"
         "the filter's calls, %u thread%s together.  For the same keys again: --seed %" PRIu64 "\n",
         demo->model_fpp * (double)demo->absent.count, demo->threads,
         demo->threads == 1 ? "" : "s", demo->seed);
  if (worked < 0.8 * took)
    printf("The machine is busy: threads waited %.0f %% of their time.  Rates may be too low.\n",
           100 * (1 - worked / took));
}

static void demo_print_json(const struct demo *demo)
{
  json_open(NULL);
  json_count("n", demo->config.expected_insertions);
  json_float("fpp", demo->config.fpp);
  json_count("threads", demo->threads);
  json_count("present_asked", demo->present.count);
  json_count("hits", demo->present.found);
  json_count("absent_asked", demo->absent.count);
  json_count("false_positives", demo->absent.found);
  json_count("filter_bytes", demo->stats.bytes);
  json_float("insert_seconds", demo_seconds(demo, demo->putting.call_ns));
  json_float("query_seconds", demo_seconds(demo, demo->present.call_ns + demo->absent.call_ns));
  json_text("strategy", lfb_strategy_name(demo->stats.strategy));
  json_digits("seed", demo->seed);
  json_count("bits", demo->stats.bit_count);
  json_count("probes", demo->stats.probes);
  json_count("bits_set", demo->stats.bits_set);
  json_count("approximate_count", demo->stats.approximate_count);
  json_float("expected_fpp", demo->model_fpp);
  json_close();
}

static int demo_finish(const struct demo *demo, bool json)
{
  const uint64_t missed = demo->present.count - demo->present.found;

  if (json)
    demo_print_json(demo);
  else
    demo_print_text(demo);
  if (missed > 0)
    return report_error("demo: %s keys that were put were not found: this is a bug in lfbloom",
                        human_count(missed).text);
  return CLI_DONE;
}

/* ---- the command ---------------------------------------------------------------- */

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
    return CLI_NOT_DONE;
  demo.config.strategy = strategy.id;
  demo_key_hash(&demo);
  if (!demo_measure(&demo, progress_wanted(progress)))
    return CLI_NOT_DONE;
  return demo_finish(&demo, json);
}

const struct command command_demo = {
    .name = "demo",
    .operands = "",
    .summary = "measure a filter on random keys: memory, answers and speed",
    .examples =
        "  lfbloom demo\n"
        "  lfbloom demo -n 100M -p 0.01 --threads 8\n",
    .details =
        "The command puts N random UUID strings into a filter.  Then it queries N/10 present and "
        "N/10 absent strings.  The default of -p is 0.0001.\n\n"
        "The times are those of the filter's calls, in batches of 1,024 keys, averaged over the "
        "threads.  With --json, n / insert_seconds is the number of puts a second by all threads "
        "together.\n",
    .run = demo_run,
};
