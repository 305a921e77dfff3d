/*
 * guard.h - products, and the stages that a request passes: filter, cache in this process, cache
 * on Redis, database.
 *
 * Writers  The guard should be the only writer of the table.  If another program has written to
 *          it, a rebuild brings the filter up to date and empties the cache of this process.  A
 *          new version of a followed filter also empties that cache.
 * Threads  All calls except open and close may run concurrently.
 */
#ifndef GUARD_GUARD_H
#define GUARD_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "examples/guard/stages.h"

/* How a guard is set up. */
struct guard_config {
  const char *database;   /* a path                                             */
  unsigned threads;       /* that will make requests concurrently               */
  unsigned connections;   /* to the database, for lookups                       */
  unsigned delay_us;      /* of each query to the database (products.h, Slow)   */
  uint64_t expect;        /* least capacity of the filter, in products          */
  double fpp;             /* of the filter, above 0 and below 1                 */
  uint64_t cache_entries; /* of the cache in this process                       */
  const char *redis_host; /* NULL: no cache on Redis                            */
  int redis_port;
  unsigned redis_seconds; /* how long Redis keeps an entry                      */
  const char *follow;     /* redis://host:port/name of a filter that another machine
                             publishes; NULL: none                              */
  bool no_filter;         /* without the filter, to measure its effect          */
};

struct guard;

/* Opens everything; NULL after a report. */
struct guard *guard_open(const struct guard_config *config);

/* Closes it; NULL is ignored. */
void guard_close(struct guard *guard);

/* As stages_lookup(). */
enum stage_answer guard_get(struct guard *guard, struct lookup *lookup);

/* Writes a product.  Once it has returned true, every get finds this body or a newer one. */
bool guard_put(struct guard *guard, int64_t id, const char *body, size_t size);

/* As gate_rebuild(). */
bool guard_rebuild(struct guard *guard);

/* Prints all figures in Prometheus' exposition format. */
void guard_print(struct guard *guard, FILE *to);

#endif
