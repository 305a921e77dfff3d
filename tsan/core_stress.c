/*
 * core_stress.c - runs every operation of the kernel in two files (packaging/core) concurrently, in
 * a filter of each of its strategies: of all claims of a key one wins, and a thread finds each key
 * that it put or claimed.
 *
 * Seen to fail without the sanitizer, of 10 runs: 10 with the second look of claims.c left out, 10
 * without its help for a claim that has won, 8 with a store instead of the exchange of a cell.
 */
#include <stdatomic.h>

#include "lfbloom_core.h"
#include "tsan/crew.h"

enum {
  STRATEGIES = 2,
  SAME = 10 * CREW_KEYS, /* keys that all threads claim in a round */
  RACED = SAME * CREW_ROUNDS,
  OTHERS = 1000000, /* first key that is not among them */
};

static lfb_core *cores[STRATEGIES], *copies[STRATEGIES];
static _Atomic(uint8_t) wins[STRATEGIES][RACED];

/* All threads claim the same keys in the same order: some one by one, some many at once. */
static void race(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS], answers[(CREW_KEYS + 63) / 64];

  for (int s = 0; s < STRATEGIES; s++)
    for (uint64_t at = SAME * turn->round; at < SAME * (turn->round + 1); at += CREW_KEYS) {
      const bool many = at / CREW_KEYS % 4 == 0;
      crew_keys(at, keys);
      if (many)
        (void)lfb_core_many_u64(cores[s], LFB_CORE_CLAIM, keys, CREW_KEYS, answers);
      for (int i = 0; i < CREW_KEYS; i++)
        /* relaxed: it must add no order, or the sanitizer would miss races. */
        if (many ? answers[i / 64] >> i % 64 & 1 : lfb_core_claim_u64(cores[s], keys[i]))
          atomic_fetch_add_explicit(&wins[s][keys[i]], 1, memory_order_relaxed);
    }
}

static void claim(const crew_turn *turn)
{
  for (int s = 0; s < STRATEGIES; s++)
    for (uint64_t i = 0; i < CREW_KEYS; i++) {
      const uint64_t key = OTHERS + turn->first + i;
      (void)lfb_core_claim(cores[s], &key, sizeof key);
      crew_expect(lfb_core_might_contain_u64(cores[s], key));
    }
}

static void put(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS];
  lfb_core_key bytes[CREW_KEYS];

  crew_keys(OTHERS + turn->first, keys);
  for (int i = 0; i < CREW_KEYS; i++)
    bytes[i] = (lfb_core_key){&keys[i], sizeof keys[i]};
  for (int s = 0; s < STRATEGIES; s++) {
    for (int i = 0; i < CREW_KEYS / 2; i++)
      (void)lfb_core_put_u64(cores[s], keys[i]);
    (void)lfb_core_many(cores[s], LFB_CORE_PUT, bytes, CREW_KEYS, NULL);
    crew_expect(lfb_core_many_u64(cores[s], LFB_CORE_MIGHT_CONTAIN, keys, CREW_KEYS, NULL) ==
                CREW_KEYS);
  }
}

/* Copies the words into another filter: a key that is present before is in the copy. */
static void copy(const crew_turn *turn)
{
  uint64_t words[CREW_KEYS];
  lfb_core_figures figures;

  for (int s = 0; s < STRATEGIES; s++) {
    (void)lfb_core_put_u64(cores[s], OTHERS + turn->first);
    for (size_t first = 0, some = 1; some > 0; first += some) {
      some = lfb_core_words(cores[s], first, words, CREW_KEYS);
      crew_expect(lfb_core_put_words(copies[s], first, words, some) == some);
    }
    crew_expect(lfb_core_might_contain_u64(copies[s], OTHERS + turn->first));
    lfb_core_stats(copies[s], &figures);
    crew_expect(figures.bits_set > 0);
  }
}

int main(void)
{
  static const crew_act races[] = {race}, acts[] = {claim, put, copy};

  for (int s = 0; s < STRATEGIES; s++) {
    const lfb_core_config config = {.expected_insertions = RACED + 20000, .fpp = 1e-12,
        .strategy = s == 0 ? LFB_CORE_FAST : LFB_CORE_FAST_PAIR, .key = "sixteen bytes.."};
    crew_expect(lfb_core_create(&config, &cores[s]) == LFB_CORE_OK);
    crew_expect(lfb_core_create(&config, &copies[s]) == LFB_CORE_OK);
  }
  crew_run(races, 1);
  crew_run(acts, sizeof acts / sizeof *acts);
  for (int s = 0; s < STRATEGIES; s++) {
    for (int key = 0; key < RACED; key++)
      crew_expect(wins[s][key] == 1);
    lfb_core_free(cores[s]);
    lfb_core_free(copies[s]);
  }
  return crew_end();
}
