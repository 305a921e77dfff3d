/*
 * gate.h - the first stage: a filter that stops ids of products that certainly do not exist.
 *
 * Complete  guard.c writes an id to the database before it puts it here, as a rebuild requires
 *           (lfbloom/versions.h, 3).  After a put has returned, its product is never refused.
 * Hostile   Clients choose the ids, and the answers show each false positive.  The hash is
 *           therefore keyed, with a new random key for each rebuild.
 * Full      Once the false-positive rate is twice the configured one, a rebuild to a larger
 *           filter begins by itself.
 * Others    If another machine announces ids, an id passes if it is present in that machine's
 *           filter or in this one: no product that either knows is refused.  The watch and the
 *           rebuilds concern this filter only.
 * Threads   All calls except create and free may run concurrently.  Requests never wait for a
 *           rebuild.
 */
#ifndef GUARD_GATE_H
#define GUARD_GATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "examples/guard/others.h"
#include "examples/guard/products.h"
#include "examples/guard/stages.h"

/* How the filter is made. */
struct gate_config {
  uint64_t expect; /* least capacity, in products; at least a quarter more than there are */
  double fpp;
  void (*rebuilt)(void *to); /* called on the rebuilding thread after each rebuild */
  void *to;
  struct others *others; /* NULL: follows no other machine */
};

struct gate;

/* Makes the filter from the table; NULL after a report. */
struct gate *gate_create(struct products *products, const struct gate_config *config);

/* Frees it, and abandons a rebuild that is in progress.  NULL is ignored. */
void gate_free(struct gate *gate);

/* Lets an id pass from now on. */
void gate_put(struct gate *gate, int64_t id);

/* Requests a rebuild; returns false if one is already requested or in progress. */
bool gate_rebuild(struct gate *gate);

/* Returns its row for the stages: the first one. */
struct stage gate_stage(struct gate *gate);

/* Prints the filter's and the rebuilds' figures in Prometheus' exposition format. */
void gate_print(struct gate *gate, FILE *to);

#endif
