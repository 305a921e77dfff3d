/*
 * filter_bench.c - the benchmarks of puts and queries.
 *
 * Each benchmark is a verb (the operation), a contender, a size, a way (the call and the
 * kind of keys) and an fpp.  Every answer is counted and checked.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <lfbloom/filter_more.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "atomic/words/pair.h"
#include "bench/barrier.h"
#include "bench/benches.h"
#include "bench/scene.h"
#include "bench/shim.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- verbs --------------------------------------------------------------- */

typedef struct bench_verb {
  const char *name;
  lfb_bench_body body;
  unsigned use; /* of the way                                      */
  bool absent;  /* queries absent keys                             */
  bool race;    /* T threads put all keys each.  One answer in T must be true; of puts, at
                 * least one in T */
  size_t asks_a_put; /* mixed: queries for each put, half of them of present keys */
  /* The share of true answers is least + least_fpp * fpp to most + most_fpp * fpp. */
  double least, least_fpp, most, most_fpp;
} bench_verb;

/* One benchmark, for any number of threads. */
typedef struct bench_case {
  const bench_verb *verb;
  const lfb_way *way;
  const lfb_scene *scene;
} bench_case;

/* What thread 0 prepares for all threads of the running benchmark. */
static struct {
  void *filter; /* NULL: there was no memory */
  const lfb_keys *keys;
  lfb_barrier barrier;
  atomic_uint_least64_t yes, asked; /* of all threads, in a race */
} shared;

/* How far the share of true answers may deviate by chance: six standard deviations, and six
 * answers, since a short run queries only one batch, and a long one the same sample again. */
static double check_slack(const bench_verb *verb, double fpp, double asked)
{
  const bool certain = verb->least_fpp == 0 && verb->most_fpp == 0;
  return certain ? 0 : 6 * sqrt(fpp / asked) + 6 / asked;
}

/* A peer's rate of false positives is its own: if it is not kept, that is said. */
static void check_peer_absent(const lfb_bench_state *state, const bench_case *c, double share,
                              double most)
{
  if (share > most && lfb_bench_thread(state) == 0)
    (void)fprintf(stderr, "bench: %s of %.0f MiB has %.2f %% false positives\n",
                  c->scene->contender->name, (double)c->scene->size / (1 << 20), 100 * share);
}

static void check(lfb_bench_state *state, const bench_case *c, uint64_t yes, uint64_t asked)
{
  const bench_verb *verb = c->verb;
  const double fpp = c->scene->fpp;
  const double count = (double)(asked > 0 ? asked : 1);
  const double share = (double)yes / count * (verb->race ? lfb_bench_threads(state) : 1);
  const double slack = check_slack(verb, fpp, fmin(count, (double)c->scene->sample));
  const double most = verb->most + verb->most_fpp * fpp + slack;

  if (shared.filter == NULL || shared.keys == NULL)
    lfb_bench_fail(state, "no memory");
  else if (c->scene->contender->silent && verb->use != LFB_WAY_ASK)
    return;
  else if (c->scene->contender->context != NULL && verb->absent)
    check_peer_absent(state, c, share, most);
  else if (share < verb->least + verb->least_fpp * fpp - slack || share > most)
    lfb_bench_fail(state, "wrong answers");
}

/* ---- verbs that change nothing: repeat the sample --------------------------- */

/* Operations between two readings of the clock: a power of two that divides a part. */
static size_t batch_of(size_t part)
{
  size_t batch = LFB_ACT_MOST;
  while (part % batch != 0)
    batch /= 2;
  return batch;
}

/* Sets up a full filter, and keys that are present or absent. */
static void ask_prepare(const bench_case *c)
{
  shared.filter = lfb_scene_set_full(c->scene, c->way->kind, c->way->put);
  shared.keys = c->verb->absent ? lfb_scene_absent_keys(c->scene, c->way->kind)
                                : lfb_scene_keys(c->scene, c->way->kind, LFB_SCENE_FULL);
}

static void ask(lfb_bench_state *state, const void *argument)
{
  const bench_case *c = argument;
  const lfb_act act = c->verb->use == LFB_WAY_ASK ? c->way->query : c->way->put;
  const size_t sample = c->scene->sample;
  const size_t part = sample / lfb_bench_threads(state);
  const size_t batch = batch_of(part);
  size_t at = part * lfb_bench_thread(state);
  uint64_t yes = 0, asked = 0;

  if (lfb_bench_thread(state) == 0)
    ask_prepare(c);
  while (lfb_bench_keep_running(state, batch)) {
    if (shared.filter == NULL || shared.keys == NULL)
      continue;
    yes += act(shared.filter, shared.keys, at, batch);
    asked += batch;
    at += batch;
    if (at == sample)
      at = 0;
  }
  check(state, c, yes, asked);
}

/* ---- verbs that put new keys: passes over the sample ----------------------- */

uint64_t lfb_bench_least_puts = UINT64_C(4) << 20;

/* How many passes put the sample, at the points of the filling in turn. */
static unsigned pass_count(const lfb_scene *scene)
{
  const uint64_t points = scene->fill_end - scene->first_fill;
  const uint64_t round = points * scene->sample;
  const uint64_t rounds = (lfb_bench_least_puts + round - 1) / round;
  return (unsigned)((rounds > 0 ? rounds : 1) * points);
}

/* A thread's work in a pass: `steps` of `batch` operations on its part of the keys. */
typedef struct bench_pass {
  size_t part, steps, batch;
  size_t puts; /* of each batch; all, or 1 of 1 + asks_a_put */
} bench_pass;

static bench_pass pass_of(const bench_case *c, unsigned threads)
{
  const size_t part = c->scene->sample / (c->verb->race ? 1 : threads);
  const size_t group = 1 + c->verb->asks_a_put;
  const size_t most = part < LFB_ACT_MOST ? part : LFB_ACT_MOST;
  bench_pass pass = {.part = part};

  pass.batch = group == 1 ? batch_of(part) : most / group * group;
  pass.puts = pass.batch / group;
  pass.steps = part / pass.batch;
  return pass;
}

/* In a thread's part (in a race: all keys), the queried keys come first, then the keys to
 * put. */
static lfb_mix pass_mix(const bench_case *c, const bench_pass *pass, unsigned thread, size_t step)
{
  const size_t asks_a_put = c->verb->asks_a_put;
  const size_t first = c->verb->race ? 0 : pass->part * thread;
  const size_t asks = pass->puts * asks_a_put;
  return (lfb_mix){
      .ask = first + asks * step,
      .put = first + asks * pass->steps + pass->puts * step,
      .puts = pass->puts,
      .asks_a_put = asks_a_put,
  };
}

static size_t pass_step(const bench_case *c, const bench_pass *pass, unsigned thread, size_t step)
{
  const lfb_mix mix = pass_mix(c, pass, thread, step);

  if (mix.asks_a_put == 0)
    return c->way->put(shared.filter, shared.keys, mix.put, mix.puts);
  return c->way->mixed(shared.filter, shared.keys, &mix);
}

/* Puts every other one of the keys that will be queried. */
static void pass_prepare_asked(const bench_case *c, unsigned threads)
{
  const bench_pass pass = pass_of(c, threads);

  for (unsigned thread = 0; thread < threads; thread++) {
    const lfb_mix mix = pass_mix(c, &pass, thread, 0);
    for (size_t i = mix.ask; i < mix.put; i += 2)
      (void)c->way->put(shared.filter, shared.keys, i, 1);
  }
}

static void pass_prepare(const bench_case *c, unsigned threads, unsigned number)
{
  const unsigned points = c->scene->fill_end - c->scene->first_fill;
  const unsigned point = c->scene->first_fill + number % points;

  shared.filter = lfb_scene_set(c->scene, point);
  shared.keys = lfb_scene_keys(c->scene, c->way->kind, point);
  if (shared.filter != NULL && shared.keys != NULL && c->verb->asks_a_put > 0)
    pass_prepare_asked(c, threads);
}

/* Lets thread 0 prepare the next pass while the clock is stopped. */
static void pass_between(lfb_bench_state *state, const bench_case *c, unsigned number)
{
  lfb_barrier_wait(&shared.barrier, lfb_bench_pause);
  if (lfb_bench_thread(state) == 0)
    pass_prepare(c, lfb_bench_threads(state), number);
  lfb_barrier_wait(&shared.barrier, lfb_bench_resume);
}

static void nothing_more(void)
{
}

/* Adds up the answers of racing threads; each then checks the sum. */
static void change_add_up(uint64_t *yes, uint64_t *asked)
{
  /* relaxed: the barrier below orders the additions before the loads. */
  atomic_fetch_add_explicit(&shared.yes, *yes, memory_order_relaxed);
  atomic_fetch_add_explicit(&shared.asked, *asked, memory_order_relaxed);
  lfb_barrier_wait(&shared.barrier, nothing_more);
  *yes = atomic_load_explicit(&shared.yes, memory_order_relaxed);
  *asked = atomic_load_explicit(&shared.asked, memory_order_relaxed);
}

/* Each pass begins with an absent sample; each thread has a part of it. */
static void change(lfb_bench_state *state, const void *argument)
{
  const bench_case *c = argument;
  const unsigned threads = lfb_bench_threads(state), thread = lfb_bench_thread(state);
  const bench_pass pass = pass_of(c, threads);
  const unsigned passes = pass_count(c->scene);
  size_t step = 0;
  unsigned number = 0;
  uint64_t yes = 0, asked = 0;

  if (thread == 0) {
    lfb_barrier_init(&shared.barrier, threads);
    atomic_init(&shared.yes, 0);
    atomic_init(&shared.asked, 0);
    pass_prepare(c, threads, 0);
  }
  while (lfb_bench_keep_running(state, pass.batch)) {
    if (shared.filter == NULL || shared.keys == NULL)
      continue;
    yes += pass_step(c, &pass, thread, step);
    asked += pass.batch;
    if (++step == pass.steps && ++number < passes) {
      pass_between(state, c, number);
      step = 0;
    }
  }
  if (c->verb->race)
    change_add_up(&yes, &asked);
  check(state, c, yes, asked);
}

/* ---- the table ----------------------------------------------------------- */

static const bench_verb verbs[] = {
    {"query_present", ask, LFB_WAY_ASK, false, false, 0, 1, 0, 1, 0},
    {"query_absent", ask, LFB_WAY_ASK, true, false, 0, 0, 0.8, 0, 1.2},
    {"put_present", ask, LFB_WAY_PUT_PRESENT, false, false, 0, 0, 0, 0, 0},
    /* some that are new look present */
    {"put_new", change, LFB_WAY_PUT_NEW, false, false, 0, 1, -2, 1, 0},
    {"put_race", change, LFB_WAY_PUT_RACE, false, true, 0, 1, -2, HUGE_VAL, 0},
    {"claim_race", change, LFB_WAY_CLAIM_RACE, false, true, 0, 1, -2, 1, 0},
    {"mixed90", change, LFB_WAY_MIXED, false, false, 9, 0.55, -0.2, 0.55, 0.6},
    {"mixed50", change, LFB_WAY_MIXED, false, false, 1, 0.75, -1, 0.75, 0.4},
};

static const struct {
  const char *name;
  double fpp;
} fpps[] = {{"1%", 0.01}, {"0.1%", 0.001}, {"0.01%", 0.0001}, {"1e-6", 1e-6}};

enum {
  SCENES = 512,
  CASES = 32768,
};

/* How many operations each thread does; 0: as many as fit into the requested time. */
static uint64_t case_iterations(const bench_case *c, unsigned threads)
{
  if (c->verb->body != change)
    return 0;
  const bench_pass pass = pass_of(c, threads);
  return (uint64_t)pass_count(c->scene) * pass.steps * pass.batch;
}

/* The accesses that a put makes; those of a peer are `fast`'s. */
static const char *put_limit(const lfb_scene *scene)
{
  const lfb_config config =
      lfb_own_config(scene->contender, scene->expected_insertions, scene->fpp);
  lfb_stats stats;

  if (lfb_config_plan(&config, &stats) != LFB_OK || stats.words_per_key == 0 ||
      !lfb_pair_runs_here())
    return "lock_cmpxchg";
  return stats.words_per_key == 2   ? "cmpxchg16b"
         : stats.words_per_key == 4 ? "two_cmpxchg16b"
                                    : "four_cmpxchg16b";
}

/* A query, or a put of a present key, reads a line; races have no limit. */
static void case_limits(const bench_case *c, lfb_bench_limit limits[LFB_BENCH_LIMITS])
{
  const double puts = c->verb->body == change ? 1.0 / (double)(1 + c->verb->asks_a_put) : 0;

  if (c->verb->race)
    return;
  if (puts < 1)
    limits[0] = (lfb_bench_limit){"read", 1 - puts};
  if (puts > 0)
    limits[1] = (lfb_bench_limit){put_limit(c->scene), puts};
}

static void register_case(const bench_case *c, const char *size, const char *fpp)
{
  char name[128];

  (void)snprintf(name, sizeof name, "%s/%s/%s/%s/%s", c->verb->name,
                 c->scene->contender->name, size, c->way->name, fpp);
  for (const unsigned *count = lfb_bench_thread_counts; *count > 0; count++) {
    const unsigned threads = *count;
    lfb_bench_row row = {
        .name = name,
        .body = c->verb->body,
        .argument = c,
        .threads = threads,
        .iterations = case_iterations(c, threads),
        .bits_per_key = c->scene->bits_per_key,
    };
    case_limits(c, row.limits);
    if (threads == 1 || !c->scene->contender->one_thread)
      lfb_bench_register(&row);
  }
}

/* Registers all benchmarks of one scene one after another: filling it takes the longest. */
static void register_scene(const lfb_scene *scene, const char *size, const char *fpp)
{
  static bench_case cases[CASES];
  static bench_case *next = cases;

  for (size_t v = 0; v < COUNT(verbs); v++) {
    for (size_t w = 0; w < scene->contender->way_count; w++) {
      const lfb_way *way = &scene->contender->ways[w];
      if ((way->uses & verbs[v].use) == 0)
        continue;
      if (next == cases + CASES)
        abort(); /* the enumerator is too small */
      *next = (bench_case){&verbs[v], way, scene};
      register_case(next++, size, fpp);
    }
  }
}

void lfb_bench_register_filters(const lfb_bench_size *size, const lfb_contender *contender)
{
  static lfb_scene scenes[SCENES];
  static lfb_scene *scene = scenes;

  for (size_t p = 0; p < COUNT(fpps); p++) {
    if (scene == scenes + SCENES)
      abort(); /* the enumerator is too small */
    if (lfb_scene_describe(contender, size->bytes, fpps[p].fpp, scene))
      register_scene(scene++, size->name, fpps[p].name);
  }
}
