/* demo_print.c - prints the results of `lfbloom demo`. */
#define _GNU_SOURCE /* clock_gettime */
#include <inttypes.h>
#include <lfbloom/filter_more.h>
#include <stdio.h>

#include "cli/clock.h"
#include "cli/demo.h"
#include "cli/human.h"
#include "cli/json.h"

/* A thread's average time in calls: calls / seconds is then the rate of all threads together. */
static double demo_seconds(const struct demo *demo, uint64_t call_ns)
{
  return clock_seconds(call_ns) / demo->threads;
}

static void demo_print_filter(const struct demo *demo)
{
  const uint64_t n = demo->config.expected_insertions;
  const double times = (double)demo->hash_set_bytes / (double)demo->stats.bytes;

  printf("%s random UUID strings are put into a Bloom filter made for them, with a\n"
         "false-positive probability of %s.  Then it is queried.\n\n",
         human_count(n).text, human_probability(demo->config.fpp).text);
  printf("Memory\n");
  printf("  %-22s %12s   %s, %.2f bits per key, %u probes\n", "filter",
         human_bytes(demo->stats.bytes).text, lfb_strategy_name(demo->stats.strategy),
         (double)demo->stats.bit_count / (double)n, (unsigned)demo->stats.probes);
  printf("  %-22s %12s   %.3g times as much: glibc's hash table with the strings\n\n",
         "hash set", human_bytes(demo->hash_set_bytes).text, times);
}

static void demo_print_answers(const char *what, const struct demo_phase *phase, const char *remark)
{
  printf("  %-22s %12s %12s   %s\n", what, human_count(phase->asked).text,
         human_count(phase->found).text, remark);
}

static const char *demo_verdict(const struct demo_phase *phase)
{
  return phase->found == phase->asked ? "all found" : "KEYS WERE LOST";
}

static void demo_print_correctness(const struct demo *demo)
{
  char remark[160];

  (void)snprintf(remark, sizeof remark, "false positives; expected: %s to %s (in 95 runs of 100)",
                 human_count(demo->false_positives.low).text,
                 human_count(demo->false_positives.high).text);
  printf("%-24s %12s %12s\n", "Answers", "queries", "found");
  demo_print_answers("keys put so far", &demo->during, demo_verdict(&demo->during));
  demo_print_answers("present keys", &demo->present, demo_verdict(&demo->present));
  demo_print_answers("absent keys", &demo->absent, remark);
  printf("\n");
}

static void demo_print_rate(const struct demo *demo, const char *what,
                            const struct demo_phase *phase)
{
  const double seconds = demo_seconds(demo, phase->call_ns);
  const double all = seconds > 0 ? (double)phase->asked / seconds / 1e6 : 0;
  const double ns = phase->asked > 0 ? (double)phase->call_ns / (double)phase->asked : 0;

  printf("  %-22s %12.2f %12.2f %12.1f %14s\n", what, all, all / demo->threads, ns,
         human_seconds(clock_seconds(phase->wall_ns)).text);
}

static void demo_print_rates(const struct demo *demo)
{
  char threads[32];

  (void)snprintf(threads, sizeof threads, "%u thread%s", demo->threads,
                 demo->threads == 1 ? "" : "s");
  printf("%-24s %12s %12s %12s %14s\n", "Speed", "Mkeys/s", "per thread", "ns per key",
         "whole phase");
  demo_print_rate(demo, "put", &demo->putting);
  demo_print_rate(demo, "query while putting", &demo->during);
  demo_print_rate(demo, "query present keys", &demo->present);
  demo_print_rate(demo, "query absent keys", &demo->absent);
  printf("\n%s, each in batches of %s keys.  The speed is that of the filter's calls alone;\n"
         "a whole phase also makes the keys, and that of putting includes its queries.\n"
         "For the same keys again: --seed %" PRIu64 "\n",
         threads, human_count(DEMO_BATCH).text, demo->seed);
}

void demo_print_text(const struct demo *demo)
{
  demo_print_filter(demo);
  demo_print_correctness(demo);
  demo_print_rates(demo);
}

static void demo_json_filter(const struct demo *demo)
{
  json_text("strategy", lfb_strategy_name(demo->stats.strategy));
  json_digits("seed", demo->seed);
  json_count("bits", demo->stats.bit_count);
  json_count("probes", demo->stats.probes);
  json_count("bits_set", demo->stats.bits_set);
  json_count("approximate_count", demo->stats.approximate_count);
  json_float("expected_fpp", demo->model_fpp);
  json_count("hash_set_bytes", demo->hash_set_bytes);
}

void demo_print_json(const struct demo *demo)
{
  json_open(NULL);
  json_count("n", demo->config.expected_insertions);
  json_float("fpp", demo->config.fpp);
  json_count("threads", demo->threads);
  json_count("present_asked", demo->present.asked);
  json_count("hits", demo->present.found);
  json_count("absent_asked", demo->absent.asked);
  json_count("false_positives", demo->absent.found);
  json_count("false_positives_low", demo->false_positives.low);
  json_count("false_positives_high", demo->false_positives.high);
  json_count("asked_while_putting", demo->during.asked);
  json_count("hits_while_putting", demo->during.found);
  json_count("filter_bytes", demo->stats.bytes);
  json_float("insert_seconds", demo_seconds(demo, demo->putting.call_ns));
  json_float("query_seconds", demo_seconds(demo, demo->present.call_ns + demo->absent.call_ns));
  json_float("insert_phase_seconds", clock_seconds(demo->putting.wall_ns));
  json_float("query_phase_seconds",
            clock_seconds(demo->present.wall_ns + demo->absent.wall_ns));
  demo_json_filter(demo);
  json_close();
}
