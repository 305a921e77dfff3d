/*
 * growing_bench.c - a growing filter against a plain one with the same number of keys.
 *
 * VERB/KIND/SIZE/CALL/u64/1%.  KIND is
 *   plain    made for the n keys that a fast filter of that size has room for, or
 *   growing  made for an unknown number of keys, and grown to n.
 * VERB is fill, from empty to n, including growth but not the creation of the first filter;
 * or ask_present or ask_absent, of the full filter.
 */
#include <lfbloom/any.h>
#include <stdio.h>

#include "bench/benches.h"
#include "bench/scene.h"
#include "bench/shim.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
  CALL = 1024,       /* keys made, and put or queried, at a time */
  LEAST = 4 << 20,   /* the least operations that one benchmark times */
};

/* The calls of both kinds of filter. */
typedef struct growing_kind {
  const char *name;
  void *(*create)(uint64_t n);
  void (*free)(void *filter);
  size_t (*put_single)(void *filter, const uint64_t *keys);
  size_t (*put_many)(void *filter, const uint64_t *keys);
  size_t (*ask_single)(void *filter, const uint64_t *keys);
  size_t (*ask_many)(void *filter, const uint64_t *keys);
} growing_kind;

/* Defines calls of CALL keys at a time by the functions of lfb_`noun`. */
#define GROWING_CALLS(noun, kind)                                                    \
  static void noun##_free(void *filter)                                              \
  {                                                                                  \
    lfb_##noun##_free(filter);                                                       \
  }                                                                                  \
  static size_t noun##_put_single(void *filter, const uint64_t *keys)                \
  {                                                                                  \
    size_t yes = 0;                                                                  \
    for (size_t i = 0; i < CALL; i++)                                                \
      yes += lfb_##noun##_put_u64(filter, keys[i]);                                  \
    return yes;                                                                      \
  }                                                                                  \
  static size_t noun##_put_many(void *filter, const uint64_t *keys)                  \
  {                                                                                  \
    return lfb_any_many_u64((lfb_any){kind, {filter}}, LFB_PUT, keys, CALL, NULL);   \
  }                                                                                  \
  static size_t noun##_ask_single(void *filter, const uint64_t *keys)                \
  {                                                                                  \
    size_t yes = 0;                                                                  \
    for (size_t i = 0; i < CALL; i++)                                                \
      yes += lfb_##noun##_might_contain_u64(filter, keys[i]);                        \
    return yes;                                                                      \
  }                                                                                  \
  static size_t noun##_ask_many(void *filter, const uint64_t *keys)                  \
  {                                                                                  \
    return lfb_any_many_u64((lfb_any){kind, {filter}}, LFB_MIGHT_CONTAIN, keys, CALL, NULL); \
  }

GROWING_CALLS(filter, LFB_KIND_PLAIN)
GROWING_CALLS(growing, LFB_KIND_GROWING)

static void *filter_create(uint64_t n)
{
  const lfb_config config = {.expected_insertions = n, .fpp = 0.01, .strategy = LFB_FAST,
                             .hash = LFB_HASH_XXH3, .seed = 1};
  lfb_filter *filter;
  return lfb_filter_create(&config, &filter) == LFB_OK ? filter : NULL;
}

static void *growing_create(uint64_t n)
{
  const lfb_config config = {
      .fpp = 0.01, .strategy = LFB_FAST, .hash = LFB_HASH_XXH3, .seed = 1};
  lfb_growing *growing;
  (void)n;
  return lfb_growing_create(&config, &growing) == LFB_OK ? growing : NULL;
}

#define KIND_ROW(kind, noun)                                                            \
  {(kind), noun##_create, noun##_free, noun##_put_single, noun##_put_many, noun##_ask_single, \
   noun##_ask_many}

static const growing_kind kinds[] = {KIND_ROW("plain", filter), KIND_ROW("growing", growing)};

typedef struct growing_case {
  const growing_kind *kind;
  uint64_t n; /* a multiple of CALL */
  bool many, absent;
} growing_case;

/* The filter that was last filled, for the queries. */
static struct {
  const growing_case *of;
  void *filter;
} full;

static void full_clear(void)
{
  if (full.filter != NULL)
    full.of->kind->free(full.filter);
  full.filter = NULL;
}

/* Writes CALL keys of the stream, from `first` on. */
static void growing_keys(uint64_t first, uint64_t keys[CALL])
{
  for (size_t i = 0; i < CALL; i++)
    keys[i] = lfb_keys_number(first + i);
}

/* ---- filling ------------------------------------------------------------------- */

static void fill_body(lfb_bench_state *state, const void *argument)
{
  const growing_case *c = argument;
  size_t (*put)(void *, const uint64_t *) = c->many ? c->kind->put_many : c->kind->put_single;
  void *filter = c->kind->create(c->n);
  uint64_t keys[CALL], at = 0, yes = 0, asked = 0;

  while (lfb_bench_keep_running(state, CALL)) {
    if (filter == NULL)
      continue;
    growing_keys(at, keys);
    yes += put(filter, keys);
    asked += CALL;
    at += CALL;
    if (at == c->n) { /* the next filter, from empty */
      lfb_bench_pause();
      c->kind->free(filter);
      filter = c->kind->create(c->n);
      at = 0;
      lfb_bench_resume();
    }
  }
  if (filter == NULL)
    lfb_bench_fail(state, "no memory");
  else if ((double)yes < 0.98 * (double)asked)
    lfb_bench_fail(state, "wrong answers");
  else
    c->kind->free(filter);
}

/* ---- querying ------------------------------------------------------------------ */

static bool ask_prepare(const growing_case *c)
{
  uint64_t keys[CALL];

  if (full.filter != NULL && full.of->kind == c->kind && full.of->n == c->n)
    return true;
  full_clear();
  full.of = c;
  full.filter = c->kind->create(c->n);
  for (uint64_t at = 0; full.filter != NULL && at < c->n; at += CALL) {
    growing_keys(at, keys);
    (void)c->kind->put_many(full.filter, keys);
  }
  return full.filter != NULL;
}

static void ask_body(lfb_bench_state *state, const void *argument)
{
  const growing_case *c = argument;
  size_t (*ask)(void *, const uint64_t *) = c->many ? c->kind->ask_many : c->kind->ask_single;
  const bool ready = ask_prepare(c);
  const uint64_t from = c->absent ? LFB_KEYS_ABSENT : 0;
  uint64_t keys[CALL], at = 0, yes = 0, asked = 0;

  while (lfb_bench_keep_running(state, CALL)) {
    if (!ready)
      continue;
    growing_keys(from + at, keys);
    yes += ask(full.filter, keys);
    asked += CALL;
    at = at + CALL < c->n ? at + CALL : 0;
  }
  const double share = (double)yes / (double)(asked > 0 ? asked : 1);
  if (!ready)
    lfb_bench_fail(state, "no memory");
  else if (c->absent ? share > 0.012 : yes < asked)
    lfb_bench_fail(state, "wrong answers");
}

/* ---- the table ----------------------------------------------------------------- */

static const struct {
  const char *name;
  lfb_bench_body body;
  bool absent;
} verbs[] = {{"ask_present", ask_body, false}, {"ask_absent", ask_body, true},
             {"fill", fill_body, false}};

static void register_one(const lfb_bench_size *size, const lfb_scene *scene, size_t verb,
                         const growing_kind *kind, bool many)
{
  static growing_case cases[LFB_BENCH_SIZES * COUNT(verbs) * COUNT(kinds) * 2];
  static growing_case *next = cases;
  const uint64_t n = scene->expected_insertions / CALL * CALL;
  const uint64_t rounds = verbs[verb].body == fill_body ? (LEAST + n - 1) / n : 0;
  char name[64];

  *next = (growing_case){kind, n, many, verbs[verb].absent};
  (void)snprintf(name, sizeof name, "%s/%s/%s/%s/u64/1%%", verbs[verb].name, kind->name,
                 size->name, many ? "many" : "single");
  lfb_bench_register(&(lfb_bench_row){
      .name = name,
      .body = verbs[verb].body,
      .argument = next++,
      .threads = 1,
      .iterations = rounds * n,
      .bits_per_key = kind == kinds ? scene->bits_per_key : 0, /* of plain */
  });
}

void lfb_bench_register_growing(const lfb_bench_size *size)
{
  lfb_scene scene;

  if (size->bytes > UINT64_C(256) << 20 || /* larger: minutes to fill */
      !lfb_scene_describe(&lfb_own_fast, size->bytes, 0.01, &scene))
    return;
  for (size_t k = 0; k < COUNT(kinds); k++)
    for (size_t v = 0; v < COUNT(verbs); v++)
      for (int many = 0; many < 2; many++)
        register_one(size, &scene, v, &kinds[k], many != 0);
}

void lfb_bench_clear_growing(void)
{
  full_clear();
}
