/*
 * stress.c - every operation of a filter at once, on more threads than cores,
 * for ThreadSanitizer to watch.
 *
 * Each thread walks the same operations in another order; what it put itself it
 * must find.  Ends with status 1 if something put was not found, or if a key that all
 * claimed was not won once.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <lfbloom/filter.h>

enum { THREADS = 12, ROUNDS = 6, KEYS = 700 };

static lfb_filter *shared, *other, *claimed;
static _Atomic(unsigned) lost;
static _Atomic(size_t) won; /* claims */

static lfb_status discard(void *to, const void *bytes, size_t size)
{
  (void)to, (void)bytes, (void)size;
  return LFB_OK;
}

static void stress_put_one_by_one(uint64_t base)
{
  for (uint64_t i = 0; i < KEYS; i++) {
    (void)lfb_filter_put_u64(shared, base + i);
    if (!lfb_filter_might_contain_u64(shared, base + i))
      atomic_fetch_add(&lost, 1);
  }
}

static void stress_put_many(uint64_t base)
{
  uint64_t keys[KEYS];
  for (uint64_t i = 0; i < KEYS; i++)
    keys[i] = base + i;
  (void)lfb_filter_put_many_u64(shared, keys, KEYS, NULL);
  if (lfb_filter_might_contain_many_u64(shared, keys, KEYS, NULL) != KEYS)
    atomic_fetch_add(&lost, 1);
}

/* Keys that all threads claim: of each, one is to win. */
static void stress_claim(uint64_t base)
{
  const uint64_t round = base / 100000;
  uint64_t keys[KEYS];

  for (uint64_t i = 0; i < KEYS; i++)
    keys[i] = 1000000000 + KEYS * round + i;
  atomic_fetch_add(&won, lfb_filter_claim_many_u64(claimed, keys, KEYS / 2, NULL));
  for (uint64_t i = KEYS / 2; i < KEYS; i++)
    atomic_fetch_add(&won, lfb_filter_claim_u64(claimed, keys[i]));
  if (lfb_filter_might_contain_many_u64(claimed, keys, KEYS, NULL) != KEYS)
    atomic_fetch_add(&lost, 1);
}

static void stress_merge(uint64_t base)
{
  (void)lfb_filter_put_u64(other, base);
  if (lfb_filter_put_all(shared, other) != LFB_OK || lfb_filter_put_all(other, shared) != LFB_OK ||
      !lfb_filter_might_contain_u64(shared, base))
    atomic_fetch_add(&lost, 1);
}

static void stress_look(uint64_t base)
{
  lfb_stats stats;
  lfb_filter *copy;

  (void)base;
  lfb_filter_stats(shared, &stats);
  if (lfb_filter_write(shared, LFB_FORM_GUAVA, discard, NULL) != LFB_OK)
    atomic_fetch_add(&lost, 1);
  if (lfb_filter_copy(shared, &copy) == LFB_OK)
    lfb_filter_free(copy);
}

static void *stress(void *number)
{
  enum { ACTS = 5 };
  static void (*const acts[ACTS])(uint64_t) = {stress_put_one_by_one, stress_put_many, stress_claim,
                                               stress_merge, stress_look};
  const uint64_t me = (uint64_t)(uintptr_t)number;

  for (uint64_t round = 0; round < ROUNDS; round++)
    for (uint64_t i = 0; i < ACTS; i++)
      /* half of the keys of a thread are also its neighbour's */
      acts[(i + me) % ACTS](KEYS / 2 * me + 100000 * round);
  return NULL;
}

int main(void)
{
  const lfb_config config = {
      .expected_insertions = 30000, .fpp = 0.01, .strategy = LFB_GUAVA_MITZ64};
  const lfb_config sure = {.expected_insertions = ROUNDS * KEYS, .fpp = 1e-10};
  pthread_t threads[THREADS];

  if (lfb_filter_create(&config, &shared) != LFB_OK ||
      lfb_filter_create(&config, &other) != LFB_OK ||
      lfb_filter_create(&sure, &claimed) != LFB_OK)
    return EXIT_FAILURE;
  for (uintptr_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, stress, (void *)i) != 0)
      return EXIT_FAILURE;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  lfb_filter_free(shared);
  lfb_filter_free(other);
  lfb_filter_free(claimed);
  printf("%u lost, %zu claims won of %d\n", atomic_load(&lost), atomic_load(&won), ROUNDS * KEYS);
  return atomic_load(&lost) == 0 && atomic_load(&won) == ROUNDS * KEYS ? EXIT_SUCCESS
                                                                       : EXIT_FAILURE;
}
