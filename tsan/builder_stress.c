/* builder_stress.c - all threads put into one builder, concurrently with every kind of put. */
#include <lfbloom/builder.h>

#include "tsan/crew.h"

static lfb_builder *builder;

static void put_numbers(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS];

  crew_keys(turn->first, keys);
  lfb_builder_put_many(builder, keys, CREW_KEYS, LFB_U64_KEY);
}

static void put_hashes(const crew_turn *turn)
{
  uint64_t hashes[CREW_KEYS];

  crew_keys(turn->first, hashes);
  lfb_builder_put_many(builder, hashes, CREW_KEYS, LFB_HASH_KEY);
}

static void put_bytes(const crew_turn *turn)
{
  const lfb_key key = {&turn->first, sizeof turn->first};

  lfb_builder_put_many(builder, &key, 1, LFB_BYTES_KEY);
}

int main(void)
{
  static const crew_act acts[] = {put_numbers, put_hashes, put_bytes};
  const lfb_config config = {.fpp = 0.001};
  lfb_filter *filter = NULL;

  crew_expect_ok(lfb_builder_create(&config, &builder));
  crew_run(acts, sizeof acts / sizeof acts[0]);

  crew_expect_ok(lfb_builder_finish(builder, &filter, NULL));
  for (uint64_t round = 0; round < CREW_ROUNDS; round++)
    for (uint64_t i = 0; i < CREW_KEYS / 2 * ((uint64_t)crew_size() + 1); i++) {
      const uint64_t key = 100000 * round + i;
      crew_expect(lfb_filter_might_contain_u64(filter, key));
      crew_expect(lfb_filter_might_contain_hash(filter, key));
    }
  lfb_filter_free(filter);
  return crew_end();
}
