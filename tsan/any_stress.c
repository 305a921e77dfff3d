/*
 * any_stress.c - runs every operation of a filter of any kind concurrently, for each kind: in a
 * file that is open twice, and, of a counting filter, in memory.
 *
 * A thread must find each key that it put, also in a file that is saved after the put.  Exactly one
 * claim of each key that all claim must win.
 */
#include <lfbloom/any.h>
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>
#include <lfbloom/window_mapped.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "tsan/crew.h"

enum { FIRST = LFB_KIND_PLAIN, LAST = LFB_KIND_WINDOW };

static lfb_any one[LAST + 1], two[LAST + 1]; /* of each kind two handles of the same filter */
static _Atomic(size_t) won[LAST + 1];

/* Whether it is the kind's turn to be copied: each thread copies one kind each round. */
static bool is_turn(const crew_turn *turn, int kind)
{
  return (turn->round + turn->thread) % LAST == (unsigned)kind - FIRST;
}

static void put_many(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS];
  const lfb_key bytes = {&turn->first, sizeof turn->first};

  crew_keys(turn->first, keys);
  for (int kind = FIRST; kind <= LAST; kind++) {
    (void)lfb_any_many_u64(one[kind], LFB_PUT, keys, CREW_KEYS, NULL);
    crew_expect(lfb_any_many_u64(two[kind], LFB_MIGHT_CONTAIN, keys, CREW_KEYS, NULL) == CREW_KEYS);
    (void)lfb_any_many(two[kind], LFB_PUT, &bytes, 1, NULL);
    crew_expect(lfb_any_many(one[kind], LFB_MIGHT_CONTAIN, &bytes, 1, NULL) == 1);
  }
}

/* All threads claim the same keys. */
static void claim(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS];

  crew_keys(1000000000 + CREW_KEYS * turn->round, keys);
  for (int kind = FIRST; kind <= LAST; kind++) {
    const lfb_any any = turn->thread % 2 == 0 ? one[kind] : two[kind];
    const size_t mine = lfb_any_many_u64(any, LFB_CLAIM, keys, CREW_KEYS, NULL);
    atomic_fetch_add_explicit(&won[kind], mine, memory_order_relaxed);
  }
}

/* A kind without removal does nothing. */
static void put_and_remove(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS];

  crew_keys(2000000000 + turn->first, keys);
  for (int kind = FIRST; kind <= LAST; kind++) {
    const size_t removed = kind == LFB_KIND_COUNTING ? CREW_KEYS : 0;
    (void)lfb_any_many_u64(one[kind], LFB_PUT, keys, CREW_KEYS, NULL);
    crew_expect(lfb_any_many_u64(one[kind], LFB_REMOVE, keys, CREW_KEYS, NULL) == removed);
  }
}

static void look(const crew_turn *turn)
{
  lfb_figures plan, stats;

  (void)turn;
  for (int kind = FIRST; kind <= LAST; kind++) {
    lfb_any_plan(one[kind], &plan);
    lfb_any_stats(two[kind], &stats);
    crew_expect((int)plan.kind == kind && plan.all.bits_set == 0 && (int)stats.kind == kind);
    crew_expect(stats.all.fpp == plan.all.fpp && !stats.all.saturated);
    crew_expect(lfb_any_sync(one[kind]) ==
                (kind == LFB_KIND_COUNTING ? LFB_ERROR_NOT_MAPPED : LFB_OK));
  }
}

/* Copies in memory have the key. */
static void copy(const crew_turn *turn)
{
  lfb_any copied;
  lfb_filter *plain;

  for (int kind = FIRST; kind <= LAST; kind++) {
    if (!is_turn(turn, kind))
      continue;
    (void)lfb_any_many_u64(one[kind], LFB_PUT, &turn->first, 1, NULL);
    crew_expect_ok(lfb_any_write(two[kind], crew_discard, NULL));
    const lfb_status status = lfb_any_copy(two[kind], &copied);
    crew_expect(status == (kind == LFB_KIND_WINDOW ? LFB_ERROR_WINDOW : LFB_OK));
    if (status != LFB_OK)
      continue;
    crew_expect(lfb_any_many_u64(copied, LFB_MIGHT_CONTAIN, &turn->first, 1, NULL) == 1);
    lfb_any_free(copied);
    crew_expect_ok(lfb_any_to_plain(two[kind], &plain));
    crew_expect(lfb_filter_might_contain_u64(plain, turn->first));
    lfb_filter_free(plain);
  }
}

/* A file that is saved has the key, opened in both ways. */
static void save(const crew_turn *turn)
{
  char name[32];
  lfb_any opened;

  (void)snprintf(name, sizeof name, "any.%u", turn->thread);
  char *path = crew_path(name);
  for (int kind = FIRST; kind <= LAST; kind++) {
    if (!is_turn(turn, kind))
      continue;
    (void)lfb_any_many_u64(one[kind], LFB_PUT, &turn->first, 1, NULL);
    crew_expect_ok(lfb_any_save(two[kind], path));
    for (int how = LFB_OPEN_COPY; how <= LFB_OPEN_IN_PLACE; how++) {
      crew_expect_ok(lfb_any_open(path, LFB_KIND_NONE, (lfb_opening)how, NULL, &opened));
      crew_expect((int)opened.kind == kind);
      crew_expect(lfb_any_many_u64(opened, LFB_MIGHT_CONTAIN, &turn->first, 1, NULL) == 1);
      lfb_any_free(opened);
    }
  }
  free(path);
}

static void run_open(void)
{
  static const char *const names[] = {"none", "plain", "growing", "counting", "window"};
  const lfb_config config = {.expected_insertions = 30000, .fpp = 1e-9, .strategy = LFB_FAST,
                             .seed = 1};
  const lfb_config first = {.expected_insertions = LFB_GROWING_LEAST, .fpp = 1e-9,
                            .strategy = LFB_SBBF /* all layers make one plain filter */};
  const lfb_window_config span = {.expected_insertions = 90000, .fpp = 1e-9, .seed = 1};
  char *paths[LAST + 1];

  for (int kind = FIRST; kind <= LAST; kind++) {
    one[kind].kind = (lfb_kind)kind;
    paths[kind] = crew_path(names[kind]);
  }
  crew_expect_ok(lfb_mapped_create(paths[LFB_KIND_PLAIN], &config, &one[LFB_KIND_PLAIN].plain));
  crew_expect_ok(lfb_growing_mapped_create(paths[LFB_KIND_GROWING], &first,
                                           &one[LFB_KIND_GROWING].growing));
  crew_expect_ok(lfb_counting_create(&config, &one[LFB_KIND_COUNTING].counting));
  crew_expect_ok(lfb_window_mapped_create(paths[LFB_KIND_WINDOW], &span,
                                          &one[LFB_KIND_WINDOW].window));
  for (int kind = FIRST; kind <= LAST; kind++) {
    two[kind] = one[kind];
    if (kind != LFB_KIND_COUNTING)
      crew_expect_ok(lfb_any_open(paths[kind], LFB_KIND_NONE, LFB_OPEN_SHARED, NULL, &two[kind]));
    free(paths[kind]);
  }
}

int main(void)
{
  static const crew_act acts[] = {put_many, claim, put_and_remove, look, copy, save};

  run_open();
  crew_run(acts, sizeof acts / sizeof acts[0]);
  for (int kind = FIRST; kind <= LAST; kind++) {
    crew_expect(atomic_load(&won[kind]) ==
                (kind == LFB_KIND_COUNTING ? 0 : CREW_ROUNDS * CREW_KEYS));
    lfb_any_free(one[kind]);
    if (kind != LFB_KIND_COUNTING)
      lfb_any_free(two[kind]);
  }
  return crew_end();
}
