/*
 * demo_measure.c - runs the experiment of `lfbloom demo`.
 *
 * Key i is UUID number i of the seed's sequence, made when it is needed.  Keys 0 to n - 1 are put;
 * keys from n on are absent.  Only the filter's calls are timed, not the making of keys.
 */
#define _GNU_SOURCE /* clock_gettime */
#include <lfbloom/filter_more.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/crew.h"
#include "cli/demo.h"
#include "cli/hashset.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/uuid.h"

/* The keys of one call. */
struct batch {
  char text[DEMO_BATCH][UUID_SIZE];
  lfb_key keys[DEMO_BATCH];
  size_t count;
};

/* One thread's results, on cache lines of its own. */
struct tally {
  _Alignas(128) struct demo_phase put;
  struct demo_phase ask;
};

/* What the threads of one phase share. */
struct phase {
  const struct demo *demo;
  lfb_filter *filter;
  struct tally *tallies;
  uint64_t count;    /* of queries          */
  uint64_t step;     /* query j is for key first + j * step + r, */
  uint64_t first;    /* with a random r below step               */
};

/* A thread's share of a range: begin to end - 1. */
struct share {
  uint64_t begin;
  uint64_t end;
};

static struct share share_of(uint64_t count, unsigned threads, unsigned number)
{
  const uint64_t each = count / threads;
  const uint64_t longer = count % threads; /* so many shares have one more */
  const uint64_t begin = number * each + (number < longer ? number : longer);

  return (struct share){begin, begin + each + (number < longer)};
}

static void batch_add(struct batch *batch, uint64_t seed, uint64_t index)
{
  char *text = batch->text[batch->count];

  uuid_write(seed, index, text);
  batch->keys[batch->count++] = (lfb_key){text, UUID_SIZE};
}

/* Makes the keys from `begin` to end - 1, at most DEMO_BATCH. */
static void batch_fill(struct batch *batch, uint64_t seed, uint64_t begin, uint64_t end)
{
  batch->count = 0;
  while (batch->count < DEMO_BATCH && begin < end)
    batch_add(batch, seed, begin++);
}

static void batch_put(const struct batch *batch, lfb_filter *filter, struct demo_phase *put)
{
  const uint64_t began = clock_ns();

  (void)lfb_filter_put_many(filter, batch->keys, batch->count, NULL);
  put->call_ns += clock_ns() - began;
  put->asked += batch->count;
}

static void batch_ask(const struct batch *batch, const lfb_filter *filter, struct demo_phase *ask)
{
  const uint64_t began = clock_ns();
  const size_t found = lfb_filter_might_contain_many(filter, batch->keys, batch->count, NULL);

  ask->call_ns += clock_ns() - began;
  ask->asked += batch->count;
  ask->found += found;
}

/* Queries a random batch that this thread has put: all keys must be found. */
static void demo_ask_earlier(const struct phase *phase, struct share put, uint64_t random,
                             struct batch *batch, struct tally *tally)
{
  const uint64_t batches = (put.end - put.begin + DEMO_BATCH - 1) / DEMO_BATCH;
  const uint64_t begin = put.begin + random % batches * DEMO_BATCH;

  batch_fill(batch, phase->demo->seed, begin, put.end);
  batch_ask(batch, phase->filter, &tally->ask);
}

static void demo_put_part(void *context, unsigned number)
{
  const struct phase *phase = context;
  const struct share share = share_of(phase->count, phase->demo->threads, number);
  struct tally *tally = &phase->tallies[number];
  struct batch batch;

  for (uint64_t at = share.begin; at < share.end; at += batch.count) {
    batch_fill(&batch, phase->demo->seed, at, share.end);
    batch_put(&batch, phase->filter, &tally->put);
    const size_t count = batch.count;
    const struct share put = {share.begin, at + count};
    demo_ask_earlier(phase, put, uuid_mix(at), &batch, tally);
    batch.count = count;
    progress_add(count);
  }
}

static void demo_ask_part(void *context, unsigned number)
{
  const struct phase *phase = context;
  const struct share share = share_of(phase->count, phase->demo->threads, number);
  struct tally *tally = &phase->tallies[number];
  struct batch batch;

  for (uint64_t at = share.begin; at < share.end;) {
    for (batch.count = 0; batch.count < DEMO_BATCH && at < share.end; at++) {
      const uint64_t spread = uuid_mix(phase->demo->seed ^ at) % phase->step;
      batch_add(&batch, phase->demo->seed, phase->first + at * phase->step + spread);
    }
    batch_ask(&batch, phase->filter, &tally->ask);
    progress_add(batch.count);
  }
}

static void demo_sum(struct demo_phase *sum, const struct demo_phase *part)
{
  sum->asked += part->asked;
  sum->found += part->found;
  sum->call_ns += part->call_ns;
}

/* Runs a phase in all threads and sums their tallies. */
static bool demo_run_phase(struct phase *phase, crew_work part, struct demo_phase *put,
                           struct demo_phase *ask)
{
  const unsigned threads = phase->demo->threads;
  const uint64_t began = clock_ns();

  memset(phase->tallies, 0, threads * sizeof *phase->tallies);
  if (!crew_run(threads, CREW_ALL, part, phase))
    return false;
  for (unsigned i = 0; i < threads; i++) {
    demo_sum(put, &phase->tallies[i].put);
    demo_sum(ask, &phase->tallies[i].ask);
  }
  put->wall_ns = ask->wall_ns = clock_ns() - began;
  return true;
}

/* Queries n/10 present keys, spread over all of them, and as many absent keys. */
static bool demo_ask(struct demo *demo, struct phase *phase, bool shows_progress)
{
  struct demo_phase none = {0};
  const uint64_t n = phase->count;

  phase->count = n < 10 ? 1 : n / 10;
  phase->step = n / phase->count;
  phase->first = 0;
  progress_begin(shows_progress, "asking", 2 * phase->count, PROGRESS_KEYS);
  if (!demo_run_phase(phase, demo_ask_part, &none, &demo->present))
    return false;
  phase->step = 1;
  phase->first = n;
  return demo_run_phase(phase, demo_ask_part, &none, &demo->absent);
}

static bool demo_phases(struct demo *demo, lfb_filter *filter, struct tally *tallies,
                        bool shows_progress)
{
  struct phase phase = {.demo = demo,
                        .filter = filter,
                        .tallies = tallies,
                        .count = demo->config.expected_insertions};

  progress_begin(shows_progress, "putting", phase.count, PROGRESS_KEYS);
  const bool done = demo_run_phase(&phase, demo_put_part, &demo->putting, &demo->during) &&
                    demo_ask(demo, &phase, shows_progress);
  progress_end();
  if (done)
    lfb_filter_stats(filter, &demo->stats);
  return done;
}

uint64_t demo_missed(const struct demo *demo)
{
  return demo->during.asked - demo->during.found + demo->present.asked -
         demo->present.found;
}

/* Computes what the model and a hash set predict.  First, because it may fail. */
static bool demo_expect(struct demo *demo)
{
  const uint64_t n = demo->config.expected_insertions;
  const lfb_status status = lfb_config_fpp_after(&demo->config, n, &demo->model_fpp);

  if (status != LFB_OK)
    return report_false_status("demo", status);
  demo->false_positives = interval_95(n < 10 ? 1 : n / 10, demo->model_fpp);
  return hashset_bytes(demo->seed, n, &demo->hash_set_bytes);
}

bool demo_measure(struct demo *demo, bool shows_progress)
{
  lfb_filter *filter = NULL;

  if (!demo_expect(demo))
    return false;
  struct tally *tallies = aligned_alloc(_Alignof(struct tally), demo->threads * sizeof *tallies);
  const lfb_status status =
      tallies == NULL ? LFB_ERROR_NO_MEMORY : lfb_filter_create(&demo->config, &filter);
  if (status != LFB_OK) {
    free(tallies);
    return report_false_status("demo", status);
  }
  const bool done = demo_phases(demo, filter, tallies, shows_progress);
  lfb_filter_free(filter);
  free(tallies);
  return done;
}
