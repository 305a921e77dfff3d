/*
 * guard.h - the products behind their stages: filter, cache in this process, cache on Redis,
 * database.
 *
 * The only writer  of the table.  Where something else has written to it, a rebuild brings
 *                  the filter up to date, and empties the cache of this process; so does a new
 *                  version of a filter that is followed.
 * Threads          Any call beside any other, but open and close.
 */
#ifndef GUARD_GUARD_H
#define GUARD_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "examples/guard/stages.h"

struct guard_config {
  const char *database;   /* a path                                              */
  unsigned threads;       /* that will ask at once                               */
  uint64_t expect;        /* products to make room for in the filter, at least   */
  double fpp;             /* of the filter, above 0 and below 1                  */
  uint64_t cache_entries; /* of the cache in this process                        */
  const char *redis_host; /* NULL: without                                       */
  int redis_port;
  unsigned redis_seconds; /* that an entry is kept there                         */
  const char *follow;     /* redis://host:port/name of a filter that another machine
                             publishes; NULL: none                              */
  bool no_filter;         /* ask without it: to see what it is worth             */
};

struct guard;

/* NULL after a report. */
struct guard *guard_open(const struct guard_config *config);

/* NULL is ignored. */
void guard_close(struct guard *guard);

/* As stages_lookup(). */
enum stage_answer guard_get(struct guard *guard, struct lookup *lookup);

/* Writes a product; once it has returned true, every get finds it as it is now. */
bool guard_put(struct guard *guard, int64_t id, const char *body, size_t size);

/* As gate_rebuild(). */
bool guard_rebuild(struct guard *guard);

/* Prints all figures in Prometheus' exposition format. */
void guard_print(struct guard *guard, FILE *to);

#endif
