/*
 * versions_stress.c - runs all operations of a handle with versions concurrently: puts, queries,
 * sections, versions that are published, abandoned and rolled back, and a follower's thread that
 * rebuilds.
 *
 * A thread must find each key that it put.  It first notes the key in the source of truth, from
 * which every rebuild fills its version.
 */
#include <lfbloom/follow.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tsan/crew.h"

static lfb_versions *versions;
static lfb_follow *follow;
static const lfb_config config = {.expected_insertions = 50000, .fpp = 0.001, .seed = 1};

/* The source of truth.  An entry below `noted` may still be 0, before its key is stored. */
static _Atomic(uint64_t) *truth;
static _Atomic(size_t) noted;
static size_t most;

static void note(uint64_t key)
{
  const size_t at = atomic_fetch_add_explicit(&noted, 1, memory_order_relaxed);

  crew_expect(at < most);
  atomic_store_explicit(&truth[at], key, memory_order_relaxed);
}

static lfb_status source_version(void *self, uint64_t *version)
{
  *version = 1 + atomic_load_explicit((_Atomic(size_t) *)self, memory_order_relaxed);
  return LFB_OK;
}

/* Gives an entry, as a number and as bytes. */
static lfb_status give(lfb_keys_sink *sink, size_t at)
{
  const uint64_t key = atomic_load_explicit(&truth[at], memory_order_relaxed);
  const lfb_key bytes = {&key, sizeof key};
  const lfb_status status = lfb_keys_give(sink, &key, 1, LFB_U64_KEY);

  return status == LFB_OK ? lfb_keys_give(sink, &bytes, 1, LFB_BYTES_KEY) : status;
}

static lfb_status source_keys(void *self, unsigned part, unsigned parts, lfb_keys_sink *sink)
{
  const size_t count = atomic_load_explicit((_Atomic(size_t) *)self, memory_order_relaxed);
  lfb_status status = LFB_OK;

  for (size_t i = part; i < count && status == LFB_OK; i += parts)
    status = give(sink, i);
  return status;
}

static lfb_status source_changes(void *self, uint64_t since, lfb_keys_sink *sink)
{
  const size_t count = atomic_load_explicit((_Atomic(size_t) *)self, memory_order_relaxed);
  const uint64_t hash = since;
  lfb_status status = lfb_keys_give(sink, &hash, 1, LFB_HASH_KEY);

  if (status == LFB_OK)
    status = lfb_keys_removed(sink, 1);
  for (size_t i = (size_t)since - 1; i < count && status == LFB_OK; i++)
    status = give(sink, i);
  return status;
}

static void put_one_by_one(const crew_turn *turn)
{
  for (uint64_t i = 1; i <= CREW_KEYS / 4; i++) {
    const uint64_t key = turn->first + i;
    note(key);
    (void)lfb_versions_put_u64(versions, key);
    crew_expect(lfb_versions_might_contain_u64(versions, key));
    (void)lfb_versions_put(versions, &key, sizeof key);
    crew_expect(lfb_versions_might_contain(versions, &key, sizeof key));
  }
}

static void put_many_in_a_section(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS];
  const lfb_key bytes = {keys, sizeof *keys};

  crew_keys(turn->first, keys);
  (void)lfb_versions_enter(versions, NULL);
  for (size_t i = 0; i < CREW_KEYS / 4; i++)
    note(keys[i]);
  (void)lfb_versions_many(versions, LFB_PUT, keys, CREW_KEYS / 4, NULL, LFB_U64_KEY);
  (void)lfb_versions_many(versions, LFB_PUT, &bytes, 1, NULL, LFB_BYTES_KEY);
  lfb_versions_leave(versions);
  crew_expect(lfb_versions_many(versions, LFB_MIGHT_CONTAIN, keys, CREW_KEYS / 4, NULL,
                                LFB_U64_KEY) == CREW_KEYS / 4);
  crew_expect(lfb_versions_many(versions, LFB_MIGHT_CONTAIN, &bytes, 1, NULL, LFB_BYTES_KEY) == 1);
}

/* A section's filter stays valid while other versions are published and freed. */
static void ask_in_a_section(const crew_turn *turn)
{
  uint64_t number;

  note(turn->first);
  (void)lfb_versions_put_u64(versions, turn->first);
  const lfb_filter *filter = lfb_versions_enter(versions, &number);
  for (int i = 0; i < 100; i++)
    crew_expect(lfb_filter_might_contain_u64(filter, turn->first));
  lfb_versions_leave(versions);
  crew_expect(lfb_versions_number(versions) >= number);
  lfb_versions_figures figures;
  lfb_versions_stats(versions, &figures);
  crew_expect(figures.number >= number && figures.all.bits_set > 0);
}

static void load(lfb_filter *building)
{
  const size_t count = atomic_load_explicit(&noted, memory_order_relaxed);

  for (size_t i = 0; i < count; i++) {
    const uint64_t key = atomic_load_explicit(&truth[i], memory_order_relaxed);
    (void)lfb_filter_put_u64(building, key);
    (void)lfb_filter_put(building, &key, sizeof key);
  }
}

/* Begins a version: in the handle's filter or in one of its own. */
static lfb_status begin(const crew_turn *turn, lfb_filter **building)
{
  if (turn->round % 2 == 0)
    return lfb_versions_begin_rebuild(versions, &config, building);
  crew_expect_ok(lfb_filter_create(&config, building));
  const lfb_status status = lfb_versions_begin_rebuild_with(versions, *building);
  if (status != LFB_OK)
    lfb_filter_free(*building);
  return status;
}

/* If several threads begin a rebuild, one succeeds.  The others roll back, drop and reclaim. */
static void administer(const crew_turn *turn)
{
  lfb_filter *building;

  if (begin(turn, &building) == LFB_OK) {
    load(building);
    crew_expect_ok(turn->round % 3 == 2 ? lfb_versions_abandon(versions)
                                        : lfb_versions_publish(versions, LFB_KEEP_PREVIOUS, NULL));
  } else {
    lfb_ignore(lfb_versions_rollback(versions, NULL));
    lfb_ignore(lfb_versions_drop_previous(versions));
  }
  (void)lfb_versions_reclaim(versions);
}

static void follow_it(const crew_turn *turn)
{
  lfb_follow_figures figures;
  lfb_followed what;

  lfb_follow_wake(follow);
  lfb_ignore(lfb_follow_poll(follow, 1000000 + turn->round, &what));
  if (turn->thread == 0) /* another administrator may be building a version */
    lfb_ignore(lfb_follow_rebuild(follow, 1000000 + turn->round));
  if (turn->thread == 1) { /* the loads in progress are abandoned */
    lfb_follow_stop(follow);
    lfb_ignore(lfb_follow_start(follow));
  }
  lfb_follow_stats(follow, &figures);
  crew_expect(figures.source_version <= 1 + most);
}

int main(void)
{
  static const crew_act acts[] = {put_one_by_one,   put_many_in_a_section, ask_in_a_section,
                                  administer, follow_it};
  const lfb_source source = {.self = &noted, .version = source_version, .keys = source_keys,
                             .changes = source_changes};
  const lfb_follow_config following = {.rebuild = config, .threads = 2};

  lfb_follow_figures figures;

  most = (size_t)CREW_ROUNDS * CREW_KEYS * crew_size();
  truth = calloc(most, sizeof *truth);
  crew_expect(truth != NULL);
  crew_expect_ok(lfb_versions_create(&config, &versions));
  crew_expect_ok(lfb_follow_create(versions, &source, &following, &follow));
  crew_expect_ok(lfb_follow_start(follow));
  crew_run(acts, sizeof acts / sizeof acts[0]);
  lfb_follow_stop(follow);
  lfb_follow_stats(follow, &figures);
  for (size_t i = 0; i < atomic_load(&noted); i++)
    crew_expect(lfb_versions_might_contain_u64(versions, atomic_load(&truth[i])));
  crew_expect(figures.rebuilds > 0);
  lfb_follow_free(follow);
  lfb_versions_free(versions);
  free(truth);
  return crew_end();
}
