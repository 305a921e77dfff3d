/*
 * fill_bench.c - filters that are filled from empty to n keys, and queries of those that grew to n.
 *
 * VERB/KIND/SIZE/CALL/u64/1%.  n is what a fast filter of that size has room for.  KIND is
 *   plain    made for n keys, or
 *   growing  made for an unknown number of keys.
 * CALL is single, or many, 1024 keys.
 * VERB is fill, with growth, but without the creation of the first filter; claim, which fills it by
 * claims; ask_present or ask_absent.  Keys are made while the clock is stopped.
 */
#include <lfbloom/any.h>
#include <lfbloom/cpu.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/benches.h"
#include "bench/scene.h"
#include "bench/shim.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
  CALL = 1024,
  LEAST = 4 << 20, /* operations of one benchmark */
  CASES = 128,
};

typedef enum fill_verb { ASK_PRESENT, ASK_ABSENT, FILL, CLAIM } fill_verb;

typedef struct fill_case {
  lfb_kind kind;
  fill_verb verb;
  bool single;
  uint64_t n; /* the filter is made for */
} fill_case;

/* The filter of the running benchmark; it stays for the next queries of it. */
static struct {
  lfb_any filter;
  uint64_t n; /* of the filter, when it is full; else 0 */
  lfb_keys keys;
} stage;

void lfb_bench_clear_fills(void)
{
  lfb_any_free(stage.filter);
  lfb_keys_free(&stage.keys);
  memset(&stage, 0, sizeof stage);
}

static lfb_config fill_config(const fill_case *c)
{
  return (lfb_config){.expected_insertions = c->kind == LFB_KIND_GROWING ? 0 : c->n, .fpp = 0.01,
                      .strategy = LFB_FAST, .hash = LFB_HASH_XXH3, .seed = 1};
}

/* Makes an empty filter. */
static bool stage_create(const fill_case *c)
{
  const lfb_config config = fill_config(c);
  lfb_status status;

  lfb_any_free(stage.filter);
  stage.filter = (lfb_any){.kind = c->kind};
  if (c->kind == LFB_KIND_GROWING)
    status = lfb_growing_create(&config, &stage.filter.growing);
  else
    status = lfb_filter_create(&config, &stage.filter.plain);
  if (status != LFB_OK)
    stage.filter = (lfb_any){0};
  stage.n = 0;
  return status == LFB_OK;
}

/* Makes keys `first` to `first` + count - 1 of the stream. */
static bool stage_keys(uint64_t first, size_t count)
{
  if (stage.keys.count != count) {
    lfb_keys_free(&stage.keys);
    if (!lfb_keys_init(&stage.keys, LFB_KEYS_NUMBERS, count))
      return false;
  }
  lfb_keys_fill(&stage.keys, first);
  return true;
}

/* Calls `one` of the filter for each key of the stage. */
#define EACH(one)                              \
  for (size_t i = 0; i < stage.keys.count; i++) \
  yes += one(stage.filter.filter, stage.keys.numbers[i])

/* Puts or queries the keys of the stage; returns how many answers are true. */
static size_t stage_act(const fill_case *c)
{
  static const lfb_verb verbs[] = {LFB_MIGHT_CONTAIN, LFB_MIGHT_CONTAIN, LFB_PUT, LFB_CLAIM};
  const bool put = c->verb == FILL, claim = c->verb == CLAIM, growing = c->kind == LFB_KIND_GROWING;
  size_t yes = 0;

  if (!c->single)
    return lfb_any_many_u64(stage.filter, verbs[c->verb], stage.keys.numbers, CALL, NULL);
  if (put && growing)
    EACH(lfb_growing_put_u64);
  else if (put)
    EACH(lfb_filter_put_u64);
  else if (claim && growing)
    EACH(lfb_growing_claim_u64);
  else if (claim)
    EACH(lfb_filter_claim_u64);
  else if (growing)
    EACH(lfb_growing_might_contain_u64);
  else
    EACH(lfb_filter_might_contain_u64);
  return yes;
}

static void fill_body(lfb_bench_state *state, const void *argument)
{
  const fill_case *c = argument;
  uint64_t at = 0, yes = 0, asked = 0;
  bool ready = stage_create(c) && stage_keys(0, CALL);

  while (lfb_bench_keep_running(state, CALL)) {
    if (!ready)
      continue;
    yes += stage_act(c);
    asked += CALL;
    at += CALL;
    lfb_bench_pause();
    if (at + CALL > c->n) { /* the next filter, from empty */
      ready = stage_create(c);
      at = 0;
    }
    ready = ready && stage_keys(at, CALL);
    lfb_bench_resume();
  }
  if (!ready)
    lfb_bench_fail(state, "no memory");
  else if ((double)yes < 0.98 * (double)asked)
    lfb_bench_fail(state, "wrong answers");
  lfb_bench_clear_fills();
}

/* Fills the filter, unless it already is. */
static bool ask_prepare(const fill_case *c)
{
  const fill_case filling = {c->kind, FILL, false, c->n};

  if (stage.filter.kind == c->kind && stage.n == c->n)
    return true;
  if (!stage_create(c))
    return false;
  for (uint64_t at = 0; at + CALL <= c->n; at += CALL) {
    if (!stage_keys(at, CALL))
      return false;
    (void)stage_act(&filling);
  }
  stage.n = c->n;
  return true;
}

static void ask_body(lfb_bench_state *state, const void *argument)
{
  const fill_case *c = argument;
  const uint64_t from = c->verb == ASK_ABSENT ? LFB_KEYS_ABSENT : 0;
  const bool ready = ask_prepare(c) && stage_keys(from, CALL);
  uint64_t at = 0, yes = 0, asked = 0;

  while (lfb_bench_keep_running(state, CALL)) {
    if (!ready)
      continue;
    yes += stage_act(c);
    asked += CALL;
    at = at + (uint64_t)2 * CALL <= c->n ? at + CALL : 0;
    lfb_bench_pause();
    (void)stage_keys(from + at, CALL); /* the memory is there */
    lfb_bench_resume();
  }
  const double share = (double)yes / (double)(asked > 0 ? asked : 1);
  const double different = asked > c->n ? (double)c->n : fmax((double)asked, 1); /* keys */
  if (!ready)
    lfb_bench_fail(state, "no memory");
  else if (c->verb == ASK_ABSENT ? share > 0.01 + 0.5 / sqrt(different) : yes < asked)
    lfb_bench_fail(state, "wrong answers");
}

/* ---- the table ----------------------------------------------------------- */

/* Registers a case under VERB/KIND/SIZE/CALL. */
static void fill_register(const char *verb, const char *kind, const lfb_bench_size *size,
                          const char *call, fill_case made, const lfb_bench_row *of)
{
  static fill_case cases[CASES];
  static fill_case *next = cases;
  lfb_bench_row row = *of;
  char name[64];

  (void)snprintf(name, sizeof name, "%s/%s/%s/%s/u64/1%%", verb, kind, size->name, call);
  *next = made;
  row.name = name;
  row.argument = next++;
  lfb_bench_register(&row);
}

void lfb_bench_register_fills(const lfb_bench_size *size)
{
  static const char *const verbs[] = {"ask_present", "ask_absent", "fill", "claim"};
  static const char *const calls[] = {"many", "single"};
  static const char *const kinds[] = {[LFB_KIND_PLAIN] = "plain", [LFB_KIND_GROWING] = "growing"};
  lfb_scene scene;

  if (size->bytes > UINT64_C(256) << 20 || /* larger: minutes to fill */
      !lfb_scene_describe(&lfb_own_fast, size->bytes, 0.01, &scene))
    return;
  const uint64_t n = scene.expected_insertions / CALL * CALL;
  for (lfb_kind kind = LFB_KIND_PLAIN; kind <= LFB_KIND_GROWING; kind++)
    for (size_t verb = 0; verb < COUNT(verbs); verb++)
      for (size_t single = 0; single < COUNT(calls); single++)
        fill_register(verbs[verb], kinds[kind], size, calls[single],
                      (fill_case){kind, (fill_verb)verb, single == 1, n},
                      &(lfb_bench_row){.body = verb < FILL ? ask_body : fill_body, .threads = 1,
                                       .iterations = verb < FILL ? 0 : (LEAST + n - 1) / n * n});
}
