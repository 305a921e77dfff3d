/*
 * gate.c - see gate.h.
 */
#define _POSIX_C_SOURCE 200809L
#include "examples/guard/gate.h"

#include <inttypes.h>
#include <lfbloom/versions.h>
#include <lfbloom/watch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "examples/guard/report.h"

enum { GATE_PUTS_A_POLL = 1024 };

struct gate {
  struct products *products;
  struct gate_config config;
  lfb_versions *versions;
  lfb_watch *watch;
  _Atomic(uint64_t) puts;
  _Atomic(uint64_t) rebuilds; /* finished */
  _Atomic(uint64_t) failures;
  _Atomic(bool) stopping; /* a load in progress must end */

  pthread_t thread; /* the rebuilding thread */
  bool started;
  pthread_mutex_t mutex; /* guards the rest */
  pthread_cond_t changed;
  bool wished; /* a rebuild is requested or in progress */
  bool stop;
};

/* The configuration of a version for `count` products. */
static lfb_config gate_wish(const struct gate *gate, uint64_t count)
{
  const uint64_t room = count + count / 4;

  return (lfb_config){.expected_insertions = room > gate->config.expect ? room : gate->config.expect,
                      .fpp = gate->config.fpp};
}

struct load {
  struct gate *gate;
  lfb_filter *building;
};

static bool gate_take(void *to, const uint64_t *ids, size_t count)
{
  struct load *load = to;

  (void)lfb_filter_put_many_u64(load->building, ids, count, NULL);
  /* relaxed: pairs with the store in gate_stop(); the flag orders nothing. */
  return !atomic_load_explicit(&load->gate->stopping, memory_order_relaxed);
}

static bool gate_complain(lfb_status status)
{
  report("filter: %s", lfb_status_text(status));
  return false;
}

/* Fills the new version from the table, and publishes it. */
static bool gate_load(struct gate *gate, lfb_filter *building)
{
  struct load load = {gate, building};

  if (!products_each(gate->products, gate_take, &load)) {
    lfb_ignore(lfb_versions_abandon(gate->versions));
    return false;
  }
  const lfb_status status = lfb_versions_publish(gate->versions, LFB_DROP_PREVIOUS, NULL);
  if (status == LFB_OK)
    return true;
  lfb_ignore(lfb_versions_abandon(gate->versions));
  return gate_complain(status);
}

/* Builds a new version while the current one answers. */
static bool gate_build(struct gate *gate)
{
  uint64_t count;
  lfb_filter *building;

  if (!products_count(gate->products, &count))
    return false;
  const lfb_config config = gate_wish(gate, count);
  const lfb_status status = lfb_versions_begin_rebuild(gate->versions, &config, &building);
  if (status != LFB_OK)
    return gate_complain(status);
  return gate_load(gate, building);
}

/* Waits until a rebuild is requested; returns false if the thread must end. */
static bool gate_wait(struct gate *gate)
{
  pthread_mutex_lock(&gate->mutex);
  while (!gate->wished && !gate->stop)
    pthread_cond_wait(&gate->changed, &gate->mutex);
  const bool go_on = !gate->stop;
  pthread_mutex_unlock(&gate->mutex);
  return go_on;
}

/* Ends a rebuild: another one may now be requested. */
static void gate_end(struct gate *gate, bool built)
{
  pthread_mutex_lock(&gate->mutex);
  gate->wished = false;
  pthread_mutex_unlock(&gate->mutex);
  /* release: pairs with the acquire in gate_print().  A thread that sees the figure sees the
   * rebuild's result. */
  atomic_fetch_add_explicit(built ? &gate->rebuilds : &gate->failures, 1, memory_order_release);
  /* After `wished` is cleared: a rebuild that a poll requests from here on is not lost. */
  lfb_watch_rearm(gate->watch, LFB_WATCH_EXPECTED_FPP);
}

static void *gate_work(void *self)
{
  struct gate *gate = self;

  while (gate_wait(gate)) {
    const bool built = gate_build(gate);
    if (built)
      gate->config.rebuilt(gate->config.to);
    gate_end(gate, built);
  }
  return NULL;
}

bool gate_rebuild(struct gate *gate)
{
  pthread_mutex_lock(&gate->mutex);
  const bool first = !gate->wished;
  gate->wished = true;
  pthread_cond_signal(&gate->changed);
  pthread_mutex_unlock(&gate->mutex);
  return first;
}

/* The watch calls this when the filter is too full. */
static void gate_crossed(void *self, lfb_watch_limit limit, const lfb_stats *stats)
{
  (void)limit;
  report("filter: too full (expected_fpp %.3g), rebuilding", stats->expected_fpp);
  (void)gate_rebuild(self);
}

static lfb_status gate_begin(struct gate *gate)
{
  const lfb_config config = gate_wish(gate, 0);
  const lfb_watch_config watch = {.expected_fpp = gate->config.fpp < 0.5 ? 2 * gate->config.fpp : 0,
                                  .crossed = gate_crossed,
                                  .context = gate,
                                  .name = "products"};
  const lfb_status status = lfb_versions_create(&config, &gate->versions);

  return status != LFB_OK ? status
                          : lfb_watch_create_over(lfb_versions_watched, gate->versions, &watch,
                                                  &gate->watch);
}

struct gate *gate_create(struct products *products, const struct gate_config *config)
{
  struct gate *gate = calloc(1, sizeof *gate);

  if (gate == NULL) {
    (void)gate_complain(LFB_ERROR_NO_MEMORY);
    return NULL;
  }
  gate->products = products;
  gate->config = *config;
  pthread_mutex_init(&gate->mutex, NULL);
  pthread_cond_init(&gate->changed, NULL);
  const lfb_status status = gate_begin(gate);
  if (status != LFB_OK)
    (void)gate_complain(status);
  else if (gate_build(gate))
    gate->started = pthread_create(&gate->thread, NULL, gate_work, gate) == 0 ||
                    gate_complain(LFB_ERROR_NO_THREAD);
  if (gate->started)
    return gate;
  gate_free(gate);
  return NULL;
}

static void gate_stop(struct gate *gate)
{
  /* relaxed: pairs with the load in gate_take(). */
  atomic_store_explicit(&gate->stopping, true, memory_order_relaxed);
  pthread_mutex_lock(&gate->mutex);
  gate->stop = true;
  pthread_cond_signal(&gate->changed);
  pthread_mutex_unlock(&gate->mutex);
  (void)pthread_join(gate->thread, NULL);
}

void gate_free(struct gate *gate)
{
  if (gate == NULL)
    return;
  if (gate->started)
    gate_stop(gate);
  lfb_watch_free(gate->watch);
  lfb_versions_free(gate->versions);
  pthread_cond_destroy(&gate->changed);
  pthread_mutex_destroy(&gate->mutex);
  free(gate);
}

void gate_put(struct gate *gate, int64_t id)
{
  (void)lfb_versions_put_u64(gate->versions, (uint64_t)id);
  /* relaxed: a count; any one put of 1024 polls. */
  if (atomic_fetch_add_explicit(&gate->puts, 1, memory_order_relaxed) % GATE_PUTS_A_POLL ==
      GATE_PUTS_A_POLL - 1)
    (void)lfb_watch_poll(gate->watch);
}

static enum stage_answer gate_lookup(void *self, struct lookup *lookup)
{
  struct gate *gate = self;

  /* One section for all filters that the request asks: only the first entry has a cost.  It ends before
   * the database is asked, so that no rebuild waits for that. */
  const lfb_filter *filter = lfb_versions_enter(gate->versions, NULL);
  lookup->own = lfb_filter_might_contain_u64(filter, (uint64_t)lookup->id);
  const bool maybe =
      lookup->own || (gate->config.others != NULL && others_have(gate->config.others, lookup->id));
  lfb_versions_leave(gate->versions);
  lfb_watch_report_answers(gate->watch, lookup->own, !lookup->own);
  return maybe ? STAGE_MAYBE : STAGE_ABSENT;
}

/* If there is no body, the filter let an id pass that the database does not have. */
static void gate_learn(void *self, const struct lookup *lookup)
{
  if (lookup->body == NULL && lookup->own)
    lfb_watch_report_false_positive(((struct gate *)self)->watch);
}

struct stage gate_stage(struct gate *gate)
{
  return (struct stage){
      .name = "filter", .self = gate, .lookup = gate_lookup, .fill = gate_learn};
}

static lfb_status gate_write(void *to, const void *bytes, size_t size)
{
  return fwrite(bytes, 1, size, to) == size ? LFB_OK : LFB_ERROR_WRITE;
}

void gate_print(struct gate *gate, FILE *to)
{
  const lfb_watch *const watches[] = {gate->watch};

  lfb_ignore(lfb_watch_prometheus(watches, 1, gate_write, to));
  fprintf(to,
          "# HELP guard_filter_version Number of the filter's current version.\n"
          "# TYPE guard_filter_version gauge\n"
          "guard_filter_version %" PRIu64 "\n"
          "# HELP guard_rebuilds_total Rebuilds of the filter since the start.\n"
          "# TYPE guard_rebuilds_total counter\n"
          "guard_rebuilds_total %" PRIu64 "\n"
          "# HELP guard_rebuild_failures_total Rebuilds that failed.\n"
          "# TYPE guard_rebuild_failures_total counter\n"
          "guard_rebuild_failures_total %" PRIu64 "\n",
          lfb_versions_number(gate->versions),
          /* acquire: pairs with the release in gate_end(). */
          atomic_load_explicit(&gate->rebuilds, memory_order_acquire),
          atomic_load_explicit(&gate->failures, memory_order_acquire));
  if (gate->config.others != NULL)
    others_print(gate->config.others, to);
}
