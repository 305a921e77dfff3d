/*
 * stages.h - what a request for a product passes through, nearest first: each stage answers,
 * or lets it go on to the next.
 *
 * Of a stage no more is known than its row: what it is called, how it is asked, what it is
 * told of what stages behind it found, and how often it gave which answer.
 *
 * Threads  lookup, forget and print may run at once, any of them; the rows do not change
 *          meanwhile.
 */
#ifndef GUARD_STAGES_H
#define GUARD_STAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a stage says. */
enum stage_answer {
  STAGE_FOUND,    /* here it is                                                   */
  STAGE_MAYBE,    /* it may be further on                                         */
  STAGE_NOT_HERE, /* not here, which says nothing of what is further on           */
  STAGE_ABSENT,   /* there is no such product: nobody else is asked               */
  STAGE_SKIPPED,  /* the stage is out of order, and the request goes on without it */
  STAGE_FAILED,   /* .. and nobody else could answer                              */
  STAGE_ANSWERS
};

/* One request on its way. */
struct lookup {
  int64_t id;
  uint64_t ticket; /* the in-process cache's own (cache.h)            */
  uint64_t family; /* the Redis cache's own (redis_cache.c)           */
  bool own;        /* the gate's: its own filter let it through       */
  char *body;      /* of a product that was found; malloc'd; or NULL  */
  size_t size;     /* of it, in bytes                                 */
};

/* relaxed, all of them: figures, on which nothing else depends. */
struct stage_counters {
  _Atomic(uint64_t) answers[STAGE_ANSWERS];
  _Atomic(uint64_t) nanoseconds; /* spent in lookups */
};

struct stage {
  const char *name;
  void *self;
  enum stage_answer (*lookup)(void *self, struct lookup *lookup);
  /* Told what a stage behind it found: a body, or NULL where there is no such product.
   * NULL: it does not care. */
  void (*fill)(void *self, const struct lookup *lookup);
  /* Told that a product has changed.  NULL: it does not care. */
  void (*forget)(void *self, int64_t id);
  struct stage_counters counters;
};

enum { STAGES_MOST = 4 };

struct stages {
  struct stage rows[STAGES_MOST];
  size_t count;
};

/* Adds a row behind those that are there: its counters begin at 0. */
void stages_add(struct stages *stages, struct stage stage);

/*
 * Asks one stage after the other, and tells those that were passed what came of it.
 *
 * Returns STAGE_FOUND with a body, the caller's to free; STAGE_ABSENT; or STAGE_FAILED.
 */
enum stage_answer stages_lookup(struct stages *stages, struct lookup *lookup);

/* Has every stage forget what it holds of a product, the last one first: a lookup that
 * comes in between finds nothing old behind the stages that have forgotten. */
void stages_forget(struct stages *stages, int64_t id);

/* Prints all counters in Prometheus' exposition format. */
void stages_print(const struct stages *stages, FILE *to);

#endif
