/*
 * gate.c - the filter in front, with versions: lfbloom/follow.h fills a new one from the database
 * when it is asked to, and swaps it in while requests go on.
 */
#include <inttypes.h>
#include <lfbloom/follow.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "examples/guard/guard.h"

struct gate {
  struct database *database;
  double fpp;
  lfb_versions *versions;
  lfb_follow *follow;
  _Atomic(uint64_t) wanted; /* the source's version: one more for each rebuild that is wanted */
  _Atomic(uint64_t) rebuilds;
  _Atomic(uint64_t) failures;
};

/* ---- the source: all ids of the table -------------------------------------------------------- */

static bool gate_is_too_full(const struct gate *gate)
{
  lfb_versions_figures figures;

  lfb_versions_stats(gate->versions, &figures);
  return figures.number != 0 && figures.all.expected_fpp > 2 * gate->fpp;
}

/* Called once a second, and after each gate_rebuild(). */
static lfb_status gate_version(void *self, uint64_t *version)
{
  struct gate *gate = self;
  const uint64_t more = gate_is_too_full(gate) ? 1 : 0;

  /* relaxed: a number; lfb_follow_wake() orders what was written before it. */
  *version = more + atomic_fetch_add_explicit(&gate->wanted, more, memory_order_relaxed);
  return LFB_OK;
}

static lfb_status gate_count(void *self, uint64_t *count)
{
  const struct gate *gate = self;

  return database_count(gate->database, count) ? LFB_OK : LFB_ERROR_READ;
}

struct giving {
  lfb_keys_sink *sink;
  lfb_status status;
};

static bool giving_take(void *to, const uint64_t *ids, size_t count)
{
  struct giving *giving = to;

  giving->status = lfb_keys_give(giving->sink, ids, count, LFB_U64_KEY);
  return giving->status == LFB_OK;
}

static lfb_status gate_keys(void *self, unsigned part, unsigned parts, lfb_keys_sink *sink)
{
  const struct gate *gate = self;
  struct giving giving = {sink, LFB_OK};

  (void)part;
  (void)parts; /* one: lfb_follow_config.threads is 0 */
  if (!database_each_id(gate->database, giving_take, &giving))
    return LFB_ERROR_READ;
  return giving.status;
}

/* Called on the follower's thread after each poll that did something or failed. */
static void gate_hear(void *self, lfb_followed what, lfb_status status)
{
  struct gate *gate = self;

  /* release: pairs with the acquire in gate_print(), which then sees the new filter. */
  if (what == LFB_FOLLOWED_FAILED) {
    report("filter: %s; the current one stays", lfb_status_text(status));
    atomic_fetch_add_explicit(&gate->failures, 1, memory_order_release);
  }
  if (what == LFB_FOLLOWED_REBUILT)
    atomic_fetch_add_explicit(&gate->rebuilds, 1, memory_order_release);
}

/* ---- the gate -------------------------------------------------------------------------------- */

static lfb_status gate_start(struct gate *gate, uint64_t expect)
{
  const lfb_source source = {
      .self = gate, .version = gate_version, .keys = gate_keys, .count = gate_count};
  const lfb_follow_config config = {
      .rebuild = {.expected_insertions = expect, .fpp = gate->fpp},
      .most_retry_seconds = 4,
      .report = gate_hear,
      .report_to = gate,
      .start_at_once = true, /* a guard whose database is down serves what the cache has */
  };
  lfb_status status = lfb_versions_create_waiting(&gate->versions);

  if (status == LFB_OK)
    status = lfb_follow_create(gate->versions, &source, &config, &gate->follow);
  return status == LFB_OK ? lfb_follow_start(gate->follow) : status;
}

struct gate *gate_open(struct database *database, uint64_t expect, double fpp)
{
  struct gate *gate = calloc(1, sizeof *gate);
  lfb_status status = LFB_ERROR_NO_MEMORY;

  if (gate != NULL) {
    gate->database = database;
    gate->fpp = fpp;
    gate->wanted = 1;
    status = gate_start(gate, expect);
  }
  if (status == LFB_OK)
    return gate;
  report("filter: %s", lfb_status_text(status));
  gate_close(gate);
  return NULL;
}

void gate_close(struct gate *gate)
{
  if (gate == NULL)
    return;
  lfb_follow_free(gate->follow); /* first: its thread uses the versions */
  lfb_versions_free(gate->versions);
  free(gate);
}

bool gate_may_have(const struct gate *gate, int64_t id)
{
  return lfb_versions_might_contain_u64(gate->versions, (uint64_t)id);
}

void gate_put(struct gate *gate, int64_t id)
{
  (void)lfb_versions_put_u64(gate->versions, (uint64_t)id);
}

void gate_rebuild(struct gate *gate)
{
  /* relaxed: as in gate_version(). */
  atomic_fetch_add_explicit(&gate->wanted, 1, memory_order_relaxed);
  lfb_follow_wake(gate->follow);
}

void gate_print(const struct gate *gate, FILE *to)
{
  lfb_versions_figures figures;
  /* acquire: pairs with the release in gate_hear(). */
  const uint64_t rebuilds = atomic_load_explicit(&gate->rebuilds, memory_order_acquire);
  const uint64_t failures = atomic_load_explicit(&gate->failures, memory_order_acquire);

  lfb_versions_stats(gate->versions, &figures);
  fprintf(to,
          "guard_rebuilds_total %" PRIu64 "\nguard_rebuild_failures_total %" PRIu64 "\n"
          "guard_filter_version %" PRIu64 "\nguard_filter_keys %" PRIu64 "\n"
          "guard_filter_expected_fpp %.6g\n",
          rebuilds, failures, figures.number, figures.all.approximate_count,
          figures.all.expected_fpp);
}
