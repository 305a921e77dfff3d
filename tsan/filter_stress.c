/*
 * filter_stress.c - runs every operation of plain filters concurrently: in memory, and in a mapped
 * file that is open twice.
 *
 * A thread must find each key that it put.  Exactly one claim of each key that all claim must win.
 */
#include <lfbloom/filter_more.h>
#include <lfbloom/mapped.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "tsan/crew.h"

static lfb_filter *shared, *other, *claimed;
static char *path; /* of the mapped file; NULL: in memory */
static _Atomic(size_t) won;

static void put_one_by_one(const crew_turn *turn)
{
  for (uint64_t i = 0; i < CREW_KEYS; i++) {
    (void)lfb_filter_put_u64(shared, turn->first + i);
    crew_expect(lfb_filter_might_contain_u64(shared, turn->first + i));
  }
}

static void put_many(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS];

  crew_keys(turn->first, keys);
  (void)lfb_filter_put_many_u64(shared, keys, CREW_KEYS, NULL);
  crew_expect(lfb_filter_might_contain_many_u64(shared, keys, CREW_KEYS, NULL) == CREW_KEYS);
}

/* All threads claim the same keys: one claim of each must win. */
static void claim(const crew_turn *turn)
{
  enum { HALF = CREW_KEYS / 2 };
  uint64_t keys[CREW_KEYS];

  crew_keys(1000000000 + CREW_KEYS * turn->round, keys);
  size_t mine = lfb_filter_claim_many_u64(claimed, keys, HALF, NULL);
  for (uint64_t i = HALF; i < CREW_KEYS; i++)
    mine += lfb_filter_claim_u64(claimed, keys[i]);
  atomic_fetch_add_explicit(&won, mine, memory_order_relaxed);
  crew_expect(lfb_filter_might_contain_many_u64(claimed, keys, CREW_KEYS, NULL) == CREW_KEYS);
}

static void merge(const crew_turn *turn)
{
  (void)lfb_filter_put_u64(other, turn->first);
  crew_expect_ok(lfb_filter_put_all(shared, other));
  crew_expect_ok(lfb_filter_put_all(other, shared));
  crew_expect(lfb_filter_might_contain_u64(shared, turn->first));
}

static void look(const crew_turn *turn)
{
  lfb_stats stats;
  lfb_filter *copy;

  (void)turn;
  lfb_filter_stats(shared, &stats);
  crew_expect_ok(lfb_filter_write(shared, LFB_FORM_NATIVE, crew_discard, NULL));
  crew_expect_ok(lfb_filter_copy(shared, &copy));
  lfb_filter_free(copy);
}

/* Operations that only a filter in a file has. */
static void look_at_file(const crew_turn *turn)
{
  const lfb_filter *reading;
  lfb_stats stats, after;

  if (path == NULL)
    return;
  crew_expect_ok(lfb_mapped_sync(claimed));
  (void)lfb_filter_put_u64(shared, turn->first);
  lfb_filter_stats_recent(claimed, &stats);
  lfb_filter_stats(claimed, &after);
  crew_expect(stats.bits_set <= after.bits_set);
  crew_expect_ok(lfb_mapped_open_read_only(path, NULL, &reading));
  crew_expect(lfb_filter_might_contain_u64(reading, turn->first));
  lfb_mapped_close(reading);
}

static void run(void)
{
  static const crew_act acts[] = {put_one_by_one, put_many, claim, merge, look, look_at_file};

  atomic_store(&won, 0);
  crew_run(acts, sizeof acts / sizeof acts[0]);
  crew_expect(atomic_load(&won) == CREW_ROUNDS * CREW_KEYS);
}

static void run_in_memory(void)
{
  const lfb_config config =
      {.expected_insertions = 30000, .fpp = 0.01, .strategy = LFB_GUAVA_MITZ64};
  const lfb_config sure = {.expected_insertions = CREW_ROUNDS * CREW_KEYS, .fpp = 1e-10};

  crew_expect_ok(lfb_filter_create(&config, &shared));
  crew_expect_ok(lfb_filter_create(&config, &other));
  crew_expect_ok(lfb_filter_create(&sure, &claimed));
  run();
  lfb_filter_free(shared);
  lfb_filter_free(other);
  lfb_filter_free(claimed);
}

/* Claims and puts in one file, through two mappings. */
static void run_mapped(void)
{
  const lfb_config config = {.expected_insertions = 100000, .fpp = 1e-10, .seed = 1};

  path = crew_path("mapped");
  (void)remove(path);
  crew_expect_ok(lfb_mapped_create(path, &config, &shared));
  crew_expect_ok(lfb_mapped_open(path, NULL, &claimed));
  crew_expect_ok(lfb_filter_create(&config, &other));
  run();
  lfb_mapped_close(shared);
  lfb_mapped_close(claimed);
  lfb_filter_free(other);
  free(path);
}

int main(void)
{
  run_in_memory();
  run_mapped();
  return crew_end();
}
