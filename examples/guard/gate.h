/*
 * gate.h - the filter in front: ids of which it is certain that there is no such product go
 * no further.
 *
 * Complete  An id is written to the database before it is put here (guard.c), which is what a
 *           rebuild asks for (lfbloom/versions.h, 3): no product that a put has returned for
 *           is ever refused.
 * Hostile   Ids are chosen by whoever asks, and the answers tell him of each id that the
 *           filter is wrong about: so its hash is keyed, with a new random key each rebuild.
 * Full      Once the filter is wrong twice as often as it was made for, a rebuild begins by
 *           itself, larger.
 * Others    Where another machine announces ids, one passes that is in its filter or in this:
 *           no product that either knows is refused.  The watch, and the rebuilds, are of this.
 * Threads   Any call beside any other, but create and free.  Requests never wait for a
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

/* What the filter is to be. */
struct gate_config {
  uint64_t expect; /* products to make room for, at least; a quarter more than there are */
  double fpp;
  void (*rebuilt)(void *to); /* told, on the rebuilding thread, of each rebuild */
  void *to;
  struct others *others; /* NULL: nobody is followed */
};

struct gate;

/* Makes the filter from what is in the table; NULL after a report. */
struct gate *gate_create(struct products *products, const struct gate_config *config);

/* Abandons a rebuild that is under way.  NULL is ignored. */
void gate_free(struct gate *gate);

/* Lets an id through from now on. */
void gate_put(struct gate *gate, int64_t id);

/* Has the thread that rebuilds begin; false: a rebuild is wished for or under way already. */
bool gate_rebuild(struct gate *gate);

/* Its row among the stages: the first one. */
struct stage gate_stage(struct gate *gate);

/* Prints the filter's figures, and those of rebuilds, in Prometheus' exposition format. */
void gate_print(struct gate *gate, FILE *to);

#endif
