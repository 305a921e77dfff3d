/*
 * growing_stress.c - runs every operation of a growing filter concurrently, while layers are added:
 * in memory, and in a mapped file that is open twice.
 */
#include <lfbloom/any.h>
#include <lfbloom/growing_mapped.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "tsan/crew.h"

static lfb_growing *one, *two; /* the same filter */
static char *path;             /* NULL: in memory */
static _Atomic(size_t) won;

static void put_one_by_one(const crew_turn *turn)
{
  for (uint64_t i = 0; i < CREW_KEYS; i++) {
    const uint64_t key = turn->first + i;
    (void)lfb_growing_put_u64(one, key);
    crew_expect(lfb_growing_might_contain_u64(two, key));
    if (i % 8 != 0)
      continue;
    (void)lfb_growing_put(two, &key, sizeof key);
    crew_expect(lfb_growing_might_contain(one, &key, sizeof key));
  }
}

static void put_many(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS];
  const lfb_any any_one = {LFB_KIND_GROWING, {one}}, any_two = {LFB_KIND_GROWING, {two}};

  crew_keys(turn->first, keys);
  (void)lfb_any_many_u64(any_two, LFB_PUT, keys, CREW_KEYS, NULL);
  crew_expect(lfb_any_many_u64(any_one, LFB_MIGHT_CONTAIN, keys, CREW_KEYS, NULL) == CREW_KEYS);
}

/* All threads claim the same keys: one claim of each must win. */
static void claim(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS];
  const lfb_any any = {LFB_KIND_GROWING, {turn->thread % 2 == 0 ? one : two}};

  crew_keys(1000000000 + CREW_KEYS * turn->round, keys);
  size_t mine = lfb_any_many_u64(any, LFB_CLAIM, keys, CREW_KEYS / 2, NULL);
  for (size_t i = CREW_KEYS / 2; i < CREW_KEYS; i++)
    mine += i % 2 == 0 ? lfb_growing_claim_u64(any.growing, keys[i])
                       : lfb_growing_claim(any.growing, &keys[i], sizeof keys[i]);
  atomic_fetch_add_explicit(&won, mine, memory_order_relaxed);
}

static void look(const crew_turn *turn)
{
  lfb_growing_figures figures;
  lfb_any copy;

  lfb_growing_stats(one, &figures);
  crew_expect(figures.stuck == LFB_OK && lfb_growing_stuck(two) == LFB_OK);
  crew_expect_ok(lfb_any_write((lfb_any){LFB_KIND_GROWING, {one}}, crew_discard, NULL));
  crew_expect_ok(lfb_any_copy((lfb_any){LFB_KIND_GROWING, {two}}, &copy));
  (void)lfb_growing_put_u64(copy.growing, turn->first);
  lfb_any_free(copy);
}

/* Operations that only a mapped file has. */
static void look_at_files(const crew_turn *turn)
{
  lfb_any reading;

  if (path == NULL)
    return;
  crew_expect_ok(lfb_any_sync((lfb_any){LFB_KIND_GROWING, {one}}));
  (void)lfb_growing_put_u64(one, turn->first);
  crew_expect_ok(lfb_any_open(path, LFB_KIND_GROWING, LFB_OPEN_IN_PLACE, NULL, &reading));
  crew_expect(lfb_growing_might_contain_u64(reading.growing, turn->first));
  lfb_any_free(reading);
}

static void run(void)
{
  static const crew_act acts[] = {put_one_by_one, put_many, claim, look, look_at_files};
  lfb_growing_figures figures;

  atomic_store(&won, 0);
  crew_run(acts, sizeof acts / sizeof acts[0]);
  crew_expect(atomic_load(&won) == CREW_ROUNDS * CREW_KEYS);
  lfb_growing_stats(one, &figures);
  crew_expect(figures.layers > 2);
}

int main(void)
{
  const lfb_config config = {.expected_insertions = LFB_GROWING_LEAST, .fpp = 1e-10, .seed = 1};
  lfb_any opened;

  crew_expect_ok(lfb_growing_create(&config, &one));
  two = one;
  run();
  lfb_growing_free(one);

  path = crew_path("growing");
  crew_expect_ok(lfb_growing_mapped_create(path, &config, &one));
  crew_expect_ok(lfb_any_open(path, LFB_KIND_GROWING, LFB_OPEN_SHARED, NULL, &opened));
  two = opened.growing;
  run();
  lfb_growing_free(one);
  lfb_growing_free(two);
  free(path);
  return crew_end();
}
