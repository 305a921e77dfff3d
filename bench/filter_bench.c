/*
 * filter_bench.c - putting and asking for keys through the public calls.
 *
 * Each benchmark is a verb (what is done), a way (by which call, with which keys),
 * a strategy and a size.  Every answer is counted and checked.
 */
#include <math.h>
#include <stdio.h>

#include "bench/barrier.h"
#include "bench/benches.h"
#include "bench/scene.h"
#include "bench/shim.h"
#include "bloom/core.h"
#include <lfbloom/fast.h>

/* ---- ways ---------------------------------------------------------------- */

/* Both functions of a way that hands over one key at a time; the key is called i. */
#define SINGLE_WAY(noun, put_one, query_one, ...)                                             \
  static size_t noun##_put(lfb_filter *filter, const lfb_keys *keys, size_t first, size_t count) \
  {                                                                                           \
    size_t yes = 0;                                                                           \
    for (size_t i = first; i < first + count; i++)                                            \
      yes += put_one(filter, __VA_ARGS__);                                                    \
    return yes;                                                                               \
  }                                                                                           \
  static size_t noun##_query(lfb_filter *filter, const lfb_keys *keys, size_t first,          \
                             size_t count)                                                    \
  {                                                                                           \
    size_t yes = 0;                                                                           \
    for (size_t i = first; i < first + count; i++)                                            \
      yes += query_one(filter, __VA_ARGS__);                                                  \
    return yes;                                                                               \
  }

/* The same for one that hands over a batch of keys. */
#define MANY_WAY(noun, suffix, array)                                                         \
  static size_t noun##_put(lfb_filter *filter, const lfb_keys *keys, size_t first, size_t count) \
  {                                                                                           \
    uint64_t answers[LFB_SCENE_BATCH / 64];                                                   \
    return lfb_filter_put_many##suffix(filter, (array) + first, count, answers);              \
  }                                                                                           \
  static size_t noun##_query(lfb_filter *filter, const lfb_keys *keys, size_t first,          \
                             size_t count)                                                    \
  {                                                                                           \
    uint64_t answers[LFB_SCENE_BATCH / 64];                                                   \
    return lfb_filter_might_contain_many##suffix(filter, (array) + first, count, answers);    \
  }

SINGLE_WAY(single_number, lfb_filter_put, lfb_filter_might_contain, &keys->numbers[i], 8)
SINGLE_WAY(single_uuid, lfb_filter_put, lfb_filter_might_contain,
           keys->texts + LFB_UUID_SIZE * i, LFB_UUID_SIZE)
SINGLE_WAY(single_u64, lfb_filter_put_u64, lfb_filter_might_contain_u64, keys->numbers[i])
SINGLE_WAY(single_hash, lfb_filter_put_hash, lfb_filter_might_contain_hash, keys->numbers[i])
MANY_WAY(many_bytes, , keys->refs)
MANY_WAY(many_u64, _u64, keys->numbers)
MANY_WAY(many_hash, _hash, keys->numbers)

/* Inline, without a call: of strategy fast alone. */
static size_t inline_hash_put(lfb_filter *filter, const lfb_keys *keys, size_t first,
                              size_t count)
{
  lfb_fast fast;
  size_t yes = 0;

  if (lfb_fast_of(filter, &fast) != LFB_OK)
    return 0;
  for (size_t i = first; i < first + count; i++)
    yes += lfb_fast_put(&fast, keys->numbers[i]);
  return yes;
}

static size_t inline_hash_query(lfb_filter *filter, const lfb_keys *keys, size_t first,
                                size_t count)
{
  lfb_fast fast;
  size_t yes = 0;

  if (lfb_fast_of(filter, &fast) != LFB_OK)
    return 0;
  for (size_t i = first; i < first + count; i++)
    yes += lfb_fast_might_contain(&fast, keys->numbers[i]);
  return yes;
}

/* What the counter costs: a put as the library does it, but compiled into here,
 * and the same without counting the bits. */
static bool core_put_u64(lfb_filter *filter, uint64_t key)
{
  return lfb_core_put(filter, lfb_hasher_u64(&filter->layout.hasher, key));
}

static bool uncounted_put_u64(lfb_filter *filter, uint64_t key)
{
  return filter->strategy->turn_on(&filter->layout, lfb_hasher_u64(&filter->layout.hasher, key)) > 0;
}

SINGLE_WAY(core_u64, core_put_u64, lfb_filter_might_contain_u64, keys->numbers[i])
SINGLE_WAY(uncounted_u64, uncounted_put_u64, lfb_filter_might_contain_u64, keys->numbers[i])

typedef struct bench_way {
  const char *name;
  lfb_keys_kind kind;
  lfb_scene_act put, query;
  bool fills_only; /* here for its put alone      */
  bool fast_only;  /* there for strategy fast only */
} bench_way;

static const bench_way ways[] = {
    {"single/bytes8", LFB_KEYS_NUMBERS, single_number_put, single_number_query, false, false},
    {"single/bytes36", LFB_KEYS_UUIDS, single_uuid_put, single_uuid_query, false, false},
    {"single/u64", LFB_KEYS_NUMBERS, single_u64_put, single_u64_query, false, false},
    {"single/hash", LFB_KEYS_NUMBERS, single_hash_put, single_hash_query, false, false},
    {"many/bytes8", LFB_KEYS_NUMBERS, many_bytes_put, many_bytes_query, false, false},
    {"many/bytes36", LFB_KEYS_UUIDS, many_bytes_put, many_bytes_query, false, false},
    {"many/u64", LFB_KEYS_NUMBERS, many_u64_put, many_u64_query, false, false},
    {"many/hash", LFB_KEYS_NUMBERS, many_hash_put, many_hash_query, false, false},
    {"inline/hash", LFB_KEYS_NUMBERS, inline_hash_put, inline_hash_query, false, true},
    {"core/u64", LFB_KEYS_NUMBERS, core_u64_put, core_u64_query, true, false},
    {"uncounted/u64", LFB_KEYS_NUMBERS, uncounted_u64_put, uncounted_u64_query, true, false},
};

/* ---- verbs --------------------------------------------------------------- */

typedef struct bench_verb {
  const char *name;
  lfb_bench_body body;
  bool puts;          /* rather than asks                       */
  bool absent;        /* keys that were never put               */
  double least, most; /* share of answers that must be true     */
} bench_verb;

/* One benchmark, for any number of threads. */
typedef struct bench_case {
  const bench_verb *verb;
  const bench_way *way;
  const lfb_scene *scene;
} bench_case;

/* What thread 0 prepares and all threads of the benchmark that runs then use. */
static struct {
  lfb_filter *filter; /* NULL: there was no memory */
  const lfb_keys *keys;
  lfb_barrier barrier;
} shared;

/* How far chance may carry the share of true answers beyond what is expected: six
 * standard deviations, since the first runs of a benchmark ask one batch only. */
static double check_slack(const bench_verb *verb, double asked)
{
  const bool certain = verb->least == verb->most;
  return certain ? 0 : 6 * sqrt(0.01 / asked); /* of about 1 % that are false positives */
}

static void check(lfb_bench_state *state, const bench_verb *verb, uint64_t yes, uint64_t asked)
{
  const double count = (double)(asked > 0 ? asked : 1);
  const double share = (double)yes / count;
  const double slack = check_slack(verb, count);

  if (shared.filter == NULL || shared.keys == NULL)
    lfb_bench_fail(state, "no memory");
  else if (share < verb->least - slack || share > verb->most + slack)
    lfb_bench_fail(state, "wrong answers");
  else
    lfb_bench_report(state, "yes", share);
}

/* Sets a full filter up for keys that are in it, or that are not. */
static void ask_prepare(const bench_case *c)
{
  shared.filter = lfb_scene_set_full(c->scene, c->way->kind, c->way->put);
  shared.keys = c->verb->absent ? lfb_scene_absent_keys(c->scene, c->way->kind)
                                : lfb_scene_keys(c->scene, c->way->kind, LFB_SCENE_FULL);
}

/* Body of the verbs that change nothing: round and round the sample. */
static void ask(lfb_bench_state *state, const void *argument)
{
  const bench_case *c = argument;
  const lfb_scene_act act = c->verb->puts ? c->way->put : c->way->query;
  const size_t sample = c->scene->sample;
  size_t at = sample / lfb_bench_threads(state) * lfb_bench_thread(state);
  uint64_t yes = 0, asked = 0;

  if (lfb_bench_thread(state) == 0)
    ask_prepare(c);
  while (lfb_bench_keep_running(state, LFB_SCENE_BATCH)) {
    if (shared.filter == NULL || shared.keys == NULL)
      continue;
    yes += act(shared.filter, shared.keys, at, LFB_SCENE_BATCH);
    asked += LFB_SCENE_BATCH;
    at += LFB_SCENE_BATCH;
    if (at == sample)
      at = 0;
  }
  check(state, c->verb, yes, asked);
}

/* How often the sample is put, at the points of the filling in turn: at least 4 M puts. */
static unsigned fill_passes(const lfb_scene *scene)
{
  const size_t points = scene->fill_end - scene->first_fill;
  const size_t puts = (size_t)4 << 20;
  const size_t rounds = (puts + points * scene->sample - 1) / (points * scene->sample);
  return (unsigned)(rounds * points);
}

static void fill_prepare(const bench_case *c, unsigned pass)
{
  const unsigned points = c->scene->fill_end - c->scene->first_fill;
  const unsigned point = c->scene->first_fill + pass % points;

  shared.filter = lfb_scene_set(c->scene, point);
  shared.keys = lfb_scene_keys(c->scene, c->way->kind, point);
}

/* Lets thread 0 prepare the next pass while nobody is timed. */
static void fill_between(lfb_bench_state *state, const bench_case *c, unsigned pass)
{
  lfb_barrier_wait(&shared.barrier); /* timed: a pass is over when all are through */
  lfb_bench_pause(state);
  if (lfb_bench_thread(state) == 0)
    fill_prepare(c, pass);
  lfb_barrier_wait(&shared.barrier);
  lfb_bench_resume(state);
}

/* Body of put_new: each pass puts a sample that is not in, each thread a part of it. */
static void fill(lfb_bench_state *state, const void *argument)
{
  const bench_case *c = argument;
  const size_t part = c->scene->sample / lfb_bench_threads(state);
  const size_t first = part * lfb_bench_thread(state);
  const unsigned passes = fill_passes(c->scene);
  size_t done = 0;
  unsigned pass = 0;
  uint64_t yes = 0, asked = 0;

  if (lfb_bench_thread(state) == 0) {
    lfb_barrier_init(&shared.barrier, lfb_bench_threads(state));
    fill_prepare(c, 0);
  }
  while (lfb_bench_keep_running(state, LFB_SCENE_BATCH)) {
    if (shared.filter == NULL || shared.keys == NULL)
      continue;
    yes += c->way->put(shared.filter, shared.keys, first + done, LFB_SCENE_BATCH);
    asked += LFB_SCENE_BATCH;
    done += LFB_SCENE_BATCH;
    if (done == part && ++pass < passes) {
      fill_between(state, c, pass);
      done = 0;
    }
  }
  check(state, c->verb, yes, asked);
}

static const bench_verb verbs[] = {
    {"query_present", ask, false, false, 1, 1},
    {"query_absent", ask, false, true, 0.008, 0.012}, /* fpp is to be 0.01 */
    {"put_present", ask, true, false, 0, 0},
    {"put_new", fill, true, false, 0.98, 1}, /* some that are new look present */
};

/* ---- the table ----------------------------------------------------------- */

/* A strategy is one row more. */
static const lfb_strategy_id strategies[] = {LFB_GUAVA_MITZ64, LFB_FAST};

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
  SCENES = COUNT(strategies) * LFB_BENCH_SIZES,
  CASES = SCENES * COUNT(verbs) * COUNT(ways),
};

static void register_case(const bench_case *c, const char *size)
{
  char name[128];

  (void)snprintf(name, sizeof name, "%s/%s/%s/%s", c->verb->name,
                 lfb_strategy_name(c->scene->strategy), size, c->way->name);
  for (unsigned i = 0; i < LFB_BENCH_THREADS; i++) {
    const unsigned threads = lfb_bench_thread_counts[i];
    const uint64_t puts = (uint64_t)fill_passes(c->scene) * c->scene->sample / threads;
    const lfb_bench_row row = {
        .name = name,
        .body = c->verb->body,
        .argument = c,
        .threads = threads,
        .iterations = c->verb->body == fill ? puts : 0,
    };
    lfb_bench_register(&row);
  }
}

/* All benchmarks of one scene, one after another: filling it takes the longest. */
static bench_case *register_scene(const lfb_scene *scene, const char *size, bench_case *next)
{
  for (size_t v = 0; v < COUNT(verbs); v++) {
    for (size_t w = 0; w < COUNT(ways); w++) {
      if ((ways[w].fills_only && verbs[v].body != fill) ||
          (ways[w].fast_only && scene->strategy != LFB_FAST))
        continue;
      *next = (bench_case){&verbs[v], &ways[w], scene};
      register_case(next++, size);
    }
  }
  return next;
}

void lfb_bench_register_filters(void)
{
  static lfb_scene scenes[SCENES];
  static bench_case cases[CASES];
  bench_case *next = cases;
  lfb_scene *scene = scenes;

  for (size_t s = 0; s < COUNT(strategies); s++) {
    for (size_t i = 0; i < LFB_BENCH_SIZES; i++, scene++)
      if (lfb_scene_describe(strategies[s], lfb_bench_sizes[i].bytes, scene) == LFB_OK)
        next = register_scene(scene, lfb_bench_sizes[i].name, next);
  }
}
