/*
 * counting_stress.c - runs every operation of a counting filter concurrently: a thread must find
 * each key that it put and did not remove.
 */
#include <lfbloom/any.h>

#include "tsan/crew.h"

static const lfb_config config = {.expected_insertions = 20000, .fpp = 0.001, .seed = 1};
static lfb_counting *shared;

/* Puts keys that other threads put too, and removes each as often as it put it. */
static void put_and_remove(const crew_turn *turn)
{
  for (uint64_t i = 0; i < CREW_KEYS; i++) {
    crew_expect(lfb_counting_put_u64(shared, turn->first + i));
    crew_expect(lfb_counting_might_contain_u64(shared, turn->first + i));
    crew_expect(lfb_counting_remove_u64(shared, turn->first + i));
  }
}

static void put_and_remove_bytes(const crew_turn *turn)
{
  for (uint64_t key = turn->first; key < turn->first + CREW_KEYS; key++) {
    crew_expect(lfb_counting_put(shared, &key, sizeof key));
    crew_expect(lfb_counting_might_contain(shared, &key, sizeof key));
    crew_expect(lfb_counting_remove(shared, &key, sizeof key));
  }
}

static void put_and_remove_many(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS];
  const lfb_any any = {LFB_KIND_COUNTING, {shared}};

  crew_keys(turn->first, keys);
  crew_expect(lfb_any_many_u64(any, LFB_PUT, keys, CREW_KEYS, NULL) == CREW_KEYS);
  crew_expect(lfb_any_many_u64(any, LFB_MIGHT_CONTAIN, keys, CREW_KEYS, NULL) == CREW_KEYS);
  crew_expect(lfb_any_many_u64(any, LFB_REMOVE, keys, CREW_KEYS, NULL) == CREW_KEYS);
}

/* Merges a key that stays, from a filter of its own: merged twice, it would have two copies.  The
 * other way round, all that the shared one has meanwhile. */
static void merge(const crew_turn *turn)
{
  const uint64_t stays = 1000000000 + turn->first;
  lfb_counting *own;

  crew_expect_ok(lfb_counting_create(&config, &own));
  crew_expect(lfb_counting_put_u64(own, stays));
  crew_expect_ok(lfb_counting_put_all(shared, own));
  crew_expect(lfb_counting_might_contain_u64(shared, stays));
  crew_expect_ok(lfb_counting_put_all(own, shared));
  crew_expect(lfb_counting_might_contain_u64(own, stays));
  lfb_counting_free(own);
}

static void look(const crew_turn *turn)
{
  lfb_stats stats;
  const lfb_any any = {LFB_KIND_COUNTING, {shared}};
  lfb_any copy;

  (void)turn;
  lfb_counting_stats(shared, &stats);
  crew_expect_ok(lfb_any_write(any, crew_discard, NULL));
  crew_expect_ok(lfb_any_copy(any, &copy));
  lfb_any_free(copy);
}

int main(void)
{
  static const crew_act acts[] = {put_and_remove, put_and_remove_bytes, put_and_remove_many, merge,
                                  look};

  crew_expect_ok(lfb_counting_create(&config, &shared));
  crew_run(acts, sizeof acts / sizeof acts[0]);
  for (uint64_t round = 0; round < CREW_ROUNDS; round++)
    for (uint64_t thread = 0; thread < crew_size(); thread++)
      crew_expect(lfb_counting_might_contain_u64(
          shared, 1000000000 + CREW_KEYS / 2 * thread + 100000 * round));
  lfb_counting_free(shared);
  return crew_end();
}
