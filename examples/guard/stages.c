/*
 * stages.c - see stages.h.
 */
#define _POSIX_C_SOURCE 200809L
#include "examples/guard/stages.h"

#include <assert.h>
#include <inttypes.h>

#include "examples/guard/clock.h"

void stages_add(struct stages *stages, struct stage stage)
{
  assert(stages->count < STAGES_MOST);
  stages->rows[stages->count++] = stage;
}

static void stage_add(_Atomic(uint64_t) *figure, uint64_t amount)
{
  atomic_fetch_add_explicit(figure, amount, memory_order_relaxed);
}

static enum stage_answer stage_lookup(struct stage *stage, struct lookup *lookup)
{
  const uint64_t began = clock_ns(CLOCK_MONOTONIC);
  const enum stage_answer answer = stage->lookup(stage->self, lookup);

  stage_add(&stage->counters.nanoseconds, clock_ns(CLOCK_MONOTONIC) - began);
  stage_add(&stage->counters.answers[answer], 1);
  return answer;
}

/* Passes the result to the first `count` stages. */
static void stages_fill(struct stages *stages, size_t count, const struct lookup *lookup)
{
  for (size_t at = 0; at < count; at++)
    if (stages->rows[at].fill != NULL)
      stages->rows[at].fill(stages->rows[at].self, lookup);
}

enum stage_answer stages_lookup(struct stages *stages, struct lookup *lookup)
{
  for (size_t at = 0; at < stages->count; at++) {
    const enum stage_answer answer = stage_lookup(&stages->rows[at], lookup);

    if (answer == STAGE_FOUND || answer == STAGE_ABSENT)
      stages_fill(stages, at, lookup);
    if (answer == STAGE_FOUND || answer == STAGE_ABSENT || answer == STAGE_FAILED)
      return answer;
  }
  return STAGE_ABSENT;
}

void stages_forget(struct stages *stages, int64_t id)
{
  for (size_t at = stages->count; at-- > 0;)
    if (stages->rows[at].forget != NULL)
      stages->rows[at].forget(stages->rows[at].self, id);
}

/* How often a stage gave one of the answers in the bit set `set`. */
static uint64_t stage_sum(const struct stage *stage, unsigned set)
{
  uint64_t sum = 0;

  for (unsigned answer = 0; answer < STAGE_ANSWERS; answer++)
    if (set >> answer & 1)
      sum += atomic_load_explicit(&stage->counters.answers[answer], memory_order_relaxed);
  return sum;
}

static double stage_seconds(const struct stage *stage)
{
  return 1e-9 *
         (double)atomic_load_explicit(&stage->counters.nanoseconds, memory_order_relaxed);
}

/* The families of counters, and the answers that each counts. */
static const struct family {
  const char *name;
  const char *help;
  unsigned answers;
} families[] = {
    {"requests", "Requests that reached the stage.", (1u << STAGE_ANSWERS) - 1},
    {"hits", "Requests that the stage answered with the product; that the filter let pass.",
     1u << STAGE_FOUND | 1u << STAGE_MAYBE},
    {"misses", "Requests for a product that the stage does not have; that the filter refused.",
     1u << STAGE_NOT_HERE | 1u << STAGE_ABSENT},
    {"skips", "Requests that skipped the stage, since it did not work.",
     1u << STAGE_SKIPPED},
    {"failures", "Requests that could not be answered, since the stage did not work.",
     1u << STAGE_FAILED},
};

static void family_print(const struct stages *stages, const struct family *family, FILE *to)
{
  fprintf(to, "# HELP guard_stage_%s_total %s\n# TYPE guard_stage_%s_total counter\n",
          family->name, family->help, family->name);
  for (size_t at = 0; at < stages->count; at++)
    fprintf(to, "guard_stage_%s_total{stage=\"%s\"} %" PRIu64 "\n", family->name,
            stages->rows[at].name, stage_sum(&stages->rows[at], family->answers));
}

void stages_print(const struct stages *stages, FILE *to)
{
  for (size_t at = 0; at < sizeof families / sizeof *families; at++)
    family_print(stages, &families[at], to);
  fputs("# HELP guard_stage_seconds_total Time that requests spent in the stage.\n"
        "# TYPE guard_stage_seconds_total counter\n",
        to);
  for (size_t at = 0; at < stages->count; at++)
    fprintf(to, "guard_stage_seconds_total{stage=\"%s\"} %.9f\n", stages->rows[at].name,
            stage_seconds(&stages->rows[at]));
}
