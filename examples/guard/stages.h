/*
 * stages.h - the stages that a request for a product passes, nearest first: each stage answers the
 * request or lets it go on to the next stage.
 *
 * A stage is known only by its row: its name, its functions, and a counter for each answer.
 *
 * Threads  lookup, forget and print may run concurrently; no row may be added during them.
 */
#ifndef GUARD_STAGES_H
#define GUARD_STAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The answer of a stage. */
enum stage_answer {
  STAGE_FOUND,    /* the product is in `body`                                    */
  STAGE_MAYBE,    /* a later stage may have it                                   */
  STAGE_NOT_HERE, /* this stage does not have it; a later one may                */
  STAGE_ABSENT,   /* there is no such product: no later stage is queried         */
  STAGE_SKIPPED,  /* the stage does not work; the request continues without it   */
  STAGE_FAILED,   /* the stage does not work, and no other stage could answer    */
  STAGE_ANSWERS
};

/* A request in progress. */
struct lookup {
  int64_t id;
  uint64_t ticket; /* used by the in-process cache only (cache.h)       */
  uint64_t family; /* used by the Redis cache only (redis_cache.c)      */
  bool own;        /* used by the gate only: its own filter let it pass */
  char *body;      /* of a found product, malloc'd; or NULL             */
  size_t size;     /* of the body, in bytes                             */
};

/* A stage's figures.  All accesses are relaxed: nothing depends on them. */
struct stage_counters {
  _Atomic(uint64_t) answers[STAGE_ANSWERS];
  _Atomic(uint64_t) nanoseconds; /* spent in lookups */
};

/* A stage's row. */
struct stage {
  const char *name;
  void *self;
  enum stage_answer (*lookup)(void *self, struct lookup *lookup);
  /* Called when a later stage answered: with a body, or NULL if there is no such product.
   * NULL: not needed. */
  void (*fill)(void *self, const struct lookup *lookup);
  /* Called after a product has changed.  NULL: not needed. */
  void (*forget)(void *self, int64_t id);
  struct stage_counters counters;
};

enum { STAGES_MOST = 4 };

struct stages {
  struct stage rows[STAGES_MOST];
  size_t count;
};

/* Adds a row after the others; its counters begin at 0. */
void stages_add(struct stages *stages, struct stage stage);

/*
 * Queries one stage after the other, and passes the result to the stages before the one that
 * answered.
 *
 * Returns STAGE_FOUND with a body, which the caller must free; STAGE_ABSENT; or STAGE_FAILED.
 */
enum stage_answer stages_lookup(struct stages *stages, struct lookup *lookup);

/* Makes every stage forget a product, the last stage first: a concurrent lookup then finds nothing
 * old in the stages after one that has forgotten. */
void stages_forget(struct stages *stages, int64_t id);

/* Prints all counters in Prometheus' exposition format. */
void stages_print(const struct stages *stages, FILE *to);

#endif
