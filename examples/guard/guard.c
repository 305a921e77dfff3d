/*
 * guard.c - see guard.h.
 */
#include "examples/guard/guard.h"

#include <stdlib.h>

#include "examples/guard/cache.h"
#include "examples/guard/gate.h"
#include "examples/guard/others.h"
#include "examples/guard/products.h"
#include "examples/guard/redis_cache.h"
#include "examples/guard/report.h"

struct guard {
  struct products *products;
  struct cache *cache;
  struct redis_cache *redis; /* NULL: no cache on Redis          */
  struct others *others;     /* NULL: follows no other machine   */
  struct gate *gate;
  struct stages stages;
};

/* Called after a rebuild, and after a new version of the followed filter. */
static void guard_rebuilt(void *to)
{
  cache_clear(((struct guard *)to)->cache);
}

static bool guard_open_caches(struct guard *guard, const struct guard_config *config)
{
  guard->cache = cache_create(config->cache_entries);
  if (config->redis_host != NULL)
    guard->redis =
        redis_cache_create(config->redis_host, config->redis_port, config->redis_seconds);
  if (guard->cache != NULL && (guard->redis != NULL || config->redis_host == NULL))
    return true;
  report("no memory for the caches");
  return false;
}

static bool guard_open_gate(struct guard *guard, const struct guard_config *config)
{
  const struct gate_config gate = {config->expect, config->fpp, guard_rebuilt, guard,
                                   guard->others};

  guard->gate = gate_create(guard->products, &gate);
  return guard->gate != NULL;
}

static bool guard_open_others(struct guard *guard, const struct guard_config *config)
{
  const struct others_config others = {config->follow, guard_rebuilt, guard};

  if (config->follow != NULL)
    guard->others = others_create(&others);
  return config->follow == NULL || guard->others != NULL;
}

static void guard_line_up(struct guard *guard, const struct guard_config *config)
{
  if (!config->no_filter)
    stages_add(&guard->stages, gate_stage(guard->gate));
  stages_add(&guard->stages, cache_stage(guard->cache));
  if (guard->redis != NULL)
    stages_add(&guard->stages, redis_cache_stage(guard->redis));
  stages_add(&guard->stages, products_stage(guard->products));
}

struct guard *guard_open(const struct guard_config *config)
{
  struct guard *guard = calloc(1, sizeof *guard);

  if (guard == NULL) {
    report("out of memory");
    return NULL;
  }
  guard->products = products_open(config->database, config->connections, config->delay_us);
  if (guard->products == NULL || !guard_open_caches(guard, config) ||
      !guard_open_others(guard, config) || !guard_open_gate(guard, config)) {
    guard_close(guard);
    return NULL;
  }
  guard_line_up(guard, config);
  return guard;
}

void guard_close(struct guard *guard)
{
  if (guard == NULL)
    return;
  gate_free(guard->gate);     /* first: its thread uses all the rest   */
  others_free(guard->others); /* second: its thread uses the cache     */
  redis_cache_free(guard->redis);
  cache_free(guard->cache);
  products_close(guard->products);
  free(guard);
}

enum stage_answer guard_get(struct guard *guard, struct lookup *lookup)
{
  return stages_lookup(&guard->stages, lookup);
}

bool guard_put(struct guard *guard, int64_t id, const char *body, size_t size)
{
  /* The database before the filter, so that a rebuild misses no id (lfbloom/versions.h, 3).  The
   * database before the caches, so that nothing old is read after they have forgotten. */
  if (!products_put(guard->products, id, body, size))
    return false;
  gate_put(guard->gate, id);
  stages_forget(&guard->stages, id);
  return true;
}

bool guard_rebuild(struct guard *guard)
{
  return gate_rebuild(guard->gate);
}

void guard_print(struct guard *guard, FILE *to)
{
  stages_print(&guard->stages, to);
  gate_print(guard->gate, to);
}
