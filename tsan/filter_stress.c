/*
 * filter_stress.c - runs every operation of plain filters concurrently: in memory, and in a mapped
 * file that is open twice.
 *
 * A thread must find each key that it put, also in copies that are made since, and in a filter that
 * a delta brings up to date.  Exactly one claim of each key that all claim must win.  The same of a
 * bit array: it counts each bit that a set has won.
 */
#include <lfbloom/bit_array.h>
#include <lfbloom/delta.h>
#include <lfbloom/filter_more.h>
#include <lfbloom/mapped.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tsan/crew.h"

static lfb_filter *shared, *other, *claimed;
static char *path; /* of the mapped file; NULL: in memory */
static _Atomic(size_t) won;
static lfb_bit_array *bits;
static _Atomic(size_t) bits_won;

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

static void funnel(const void *key, lfb_sink *sink)
{
  lfb_sink_put_bytes(sink, key, sizeof(uint64_t));
}

/* The calls for bytes, hashes and objects. */
static void put_otherwise(const crew_turn *turn)
{
  const uint64_t *key = &turn->first;
  const lfb_key bytes = {key, sizeof *key};

  (void)lfb_filter_put(shared, key, sizeof *key);
  crew_expect(lfb_filter_might_contain(shared, key, sizeof *key));
  (void)lfb_filter_put_hash(shared, *key);
  crew_expect(lfb_filter_might_contain_hash(shared, *key));
  (void)lfb_filter_put_object(shared, funnel, key);
  crew_expect(lfb_filter_might_contain_object(shared, funnel, key));
  (void)lfb_filter_put_many(shared, &bytes, 1, NULL);
  crew_expect(lfb_filter_might_contain_many(shared, &bytes, 1, NULL) == 1);
  (void)lfb_filter_put_many_hash(shared, key, 1, NULL);
  crew_expect(lfb_filter_might_contain_many_hash(shared, key, 1, NULL) == 1);
}

/* All threads claim the same keys: one claim of each must win.  One key is claimed as bytes and as
 * an object, and one hash in two ways. */
static void claim(const crew_turn *turn)
{
  enum { HALF = CREW_KEYS / 2 };
  uint64_t keys[CREW_KEYS];

  crew_keys(1000000000 + CREW_KEYS * turn->round, keys);
  size_t mine = lfb_filter_many(claimed, LFB_CLAIM, keys, HALF, NULL, LFB_U64_KEY);
  for (uint64_t i = HALF; i < CREW_KEYS; i++)
    mine += lfb_filter_claim_u64(claimed, keys[i]);
  const lfb_key bytes = {keys, sizeof *keys};
  const uint64_t hash = keys[0] * UINT64_C(0x9e3779b97f4a7c15);
  mine += lfb_filter_claim(claimed, bytes.bytes, bytes.size);
  mine += lfb_filter_claim_object(claimed, funnel, bytes.bytes);
  mine += lfb_filter_many(claimed, LFB_CLAIM, &bytes, 1, NULL, LFB_BYTES_KEY);
  mine += lfb_filter_claim_hash(claimed, hash);
  mine += lfb_filter_many(claimed, LFB_CLAIM, &hash, 1, NULL, LFB_HASH_KEY);
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
  lfb_filter *copy, *folded;
  lfb_comparison alike;
  uint64_t words[8];

  (void)lfb_filter_put_u64(shared, turn->first);
  lfb_filter_stats(shared, &stats);
  crew_expect_ok(lfb_filter_write(shared, LFB_FORM_NATIVE, crew_discard, NULL));
  crew_expect_ok(lfb_filter_copy(shared, &copy));
  crew_expect(lfb_filter_might_contain_u64(copy, turn->first));
  crew_expect_ok(lfb_filter_fold(shared, 2, &folded));
  crew_expect(lfb_filter_might_contain_u64(folded, turn->first));
  crew_expect_ok(lfb_filter_compare(copy, shared, &alike));
  crew_expect(alike.a.value <= alike.b.value);
  crew_expect(lfb_filter_words(shared, 0, words, 8) == 8);
  lfb_filter_free(copy);
  lfb_filter_free(folded);
}

/* What a delta is written into. */
typedef struct delta {
  unsigned char bytes[1 << 20];
  size_t size;
} delta;

static lfb_status delta_add(void *to, const void *bytes, size_t size)
{
  delta *into = to;

  if (size > sizeof into->bytes - into->size)
    return LFB_ERROR_OVER_LIMIT;
  memcpy(into->bytes + into->size, bytes, size);
  into->size += size;
  return LFB_OK;
}

/* A copy of before the put, brought up to date, and a file of after it. */
static void save(const crew_turn *turn)
{
  lfb_filter *before, *loaded;
  char name[32];

  if ((turn->round + turn->thread) % 3 != 0) /* it takes as long as the other acts together */
    return;
  delta *between = calloc(1, sizeof *between);
  (void)snprintf(name, sizeof name, "filter.%u", turn->thread);
  char *own = crew_path(name);
  crew_expect_ok(lfb_filter_copy(shared, &before));
  (void)lfb_filter_put_u64(shared, turn->first + 1);
  crew_expect_ok(lfb_delta_write(before, shared, delta_add, between));
  crew_expect_ok(lfb_delta_save(before, shared, own));
  crew_expect_ok(lfb_delta_apply(before, between->bytes, between->size, NULL));
  crew_expect(lfb_filter_might_contain_u64(before, turn->first + 1));
  crew_expect_ok(lfb_delta_apply_file(before, own, NULL));
  crew_expect_ok(lfb_delta_apply(shared, between->bytes, between->size, NULL));
  crew_expect_ok(lfb_filter_save(shared, LFB_FORM_NATIVE, own));
  crew_expect_ok(lfb_filter_load(own, NULL, &loaded));
  crew_expect(lfb_filter_might_contain_u64(loaded, turn->first + 1));
  lfb_filter_free(before);
  lfb_filter_free(loaded);
  free(between);
  free(own);
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
  lfb_filter_stats(claimed, &stats);
  lfb_filter_stats(claimed, &after);
  crew_expect(stats.bits_set <= after.bits_set);
  crew_expect_ok(lfb_mapped_open_read_only(path, NULL, &reading));
  crew_expect(lfb_filter_might_contain_u64(reading, turn->first));
  crew_expect_ok(lfb_mapped_verify(reading));
  lfb_mapped_close(reading);
}

static void set_bits(const crew_turn *turn)
{
  lfb_bit_array *copy;

  for (uint64_t i = turn->first; i < turn->first + CREW_KEYS; i++) {
    bits_won += lfb_bit_array_set(bits, i % lfb_bit_array_size(bits));
    crew_expect(lfb_bit_array_get(bits, i % lfb_bit_array_size(bits)));
  }
  crew_expect_ok(lfb_bit_array_copy(bits, &copy));
  crew_expect(lfb_bit_array_get(copy, turn->first % lfb_bit_array_size(bits)));
  crew_expect_ok(lfb_bit_array_put_all(bits, copy));
  crew_expect(lfb_bit_array_count(bits) <= lfb_bit_array_size(bits));
  lfb_bit_array_free(copy);
}

static void run(void)
{
  static const crew_act acts[] = {put_one_by_one, put_many, put_otherwise, claim,
                                  merge, look, save, look_at_file, set_bits};

  atomic_store(&won, 0);
  crew_run(acts, sizeof acts / sizeof acts[0]);
  crew_expect(atomic_load(&won) == CREW_ROUNDS * (CREW_KEYS + 2));
  crew_expect(atomic_load(&bits_won) == lfb_bit_array_count(bits));
}

static void run_in_memory(void)
{
  const lfb_config config =
      {.expected_insertions = 30000, .fpp = 0.01, .strategy = LFB_GUAVA_MITZ64, .foldable = true};
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
  const lfb_config config = {.expected_insertions = 30000, .fpp = 1e-10, .seed = 1,
                             .foldable = true};

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
  crew_expect_ok(lfb_bit_array_create(4096, &bits));
  run_in_memory();
  run_mapped();
  lfb_bit_array_free(bits);
  return crew_end();
}
