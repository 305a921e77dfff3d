/*
 * bulk_bench.c - new keys in bulk: big batches of put_many, and the exclusive builder.
 *
 * put_new/fast/SIZE/batchK/hash/1%: hashes in batches of K for each line of the filter,
 * from empty to n, without answers except their number.
 * put_new/fast/SIZE/build/hash/1%: hashes put by a builder's threads, without the final count
 * of the bits.
 */
#include <lfbloom/builder.h>
#include <stdio.h>
#include <string.h>

#include "bench/benches.h"
#include "bench/scene.h"
#include "bench/shim.h"
#include "bloom/filter/filter.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
  PUTS = 4 << 20,     /* the least that one benchmark times            */
  BUILT = 16 << 20,   /* the most hashes of a build                    */
  BUILD_CALL = 16384, /* hashes per call of the builder                */
  MOST_HASHES = 1 << 26, /* half a GiB; larger batches are left out */
};

/* How many keys a batch has for each line. */
static const unsigned per_line[] = {15, 49};

typedef struct bulk_case {
  uint64_t expected_insertions;
  size_t batch;
} bulk_case;

/* What thread 0 prepares for the running benchmark. */
static struct {
  lfb_pages hashes;
  uint64_t count; /* of hashes */
  uint64_t first; /* number of the first hash in the stream */
  lfb_filter *filter;
  lfb_builder *builder;
} stage;

static uint64_t *stage_hashes(void)
{
  return stage.hashes.address;
}

/* Prepares hashes `first` to `first` + count - 1 of the stream. */
static bool stage_fill(uint64_t first, uint64_t count)
{
  if (stage.count != count) {
    if (stage.count > 0)
      lfb_pages_free(&stage.hashes);
    stage.count = 0;
    if (lfb_pages_init(&stage.hashes, count * sizeof(uint64_t), true) != LFB_OK)
      return false;
    stage.count = count;
  }
  for (uint64_t i = 0; i < count; i++)
    stage_hashes()[i] = lfb_keys_number(first + i);
  stage.first = first;
  return true;
}

static void stage_clear(void)
{
  if (stage.count > 0)
    lfb_pages_free(&stage.hashes);
  lfb_filter_free(stage.filter);
  lfb_builder_free(stage.builder);
  memset(&stage, 0, sizeof stage);
}

static lfb_config bulk_config(const bulk_case *c)
{
  return (lfb_config){
      .expected_insertions = c->expected_insertions,
      .fpp = 0.01,
      .strategy = LFB_FAST,
      .hash = LFB_HASH_XXH3,
      .seed = 1,
      .batch_memory = UINT64_C(1) << 30,
  };
}

/* ---- big batches --------------------------------------------------------- */

/* Prepares the filter for the next batch; empties it once it is full. */
static bool batch_prepare(const bulk_case *c, uint64_t put)
{
  const uint64_t batches = c->expected_insertions / c->batch;
  const lfb_config config = bulk_config(c);

  if (stage.filter == NULL && lfb_filter_create(&config, &stage.filter) != LFB_OK)
    return false;
  lfb_bits *bits = &stage.filter->layout.bits;
  if (put / c->batch % batches == 0) /* its counter continues, which does no harm */
    memset((void *)bits->words, 0, bits->word_count * sizeof *bits->words);
  return stage_fill(put, c->batch);
}

static void batch_body(lfb_bench_state *state, const void *argument)
{
  const bulk_case *c = argument;
  uint64_t put = 0, yes = 0;
  /* The first batch allocates the scratch that later ones reuse. */
  bool ready = batch_prepare(c, 0);

  if (ready)
    (void)lfb_filter_put_many_hash(stage.filter, stage_hashes(), c->batch, NULL);
  ready = ready && batch_prepare(c, 0);
  while (lfb_bench_keep_running(state, c->batch)) {
    if (!ready)
      continue;
    yes += lfb_filter_put_many_hash(stage.filter, stage_hashes(), c->batch, NULL);
    put += c->batch;
    lfb_bench_pause();
    ready = batch_prepare(c, put);
    lfb_bench_resume();
  }
  if (!ready)
    lfb_bench_fail(state, "no memory");
  else if ((double)yes < 0.98 * (double)put)
    lfb_bench_fail(state, "wrong answers");
  stage_clear();
}

/* ---- the builder --------------------------------------------------------- */

static bool build_prepare(const bulk_case *c, unsigned threads)
{
  const lfb_config config = bulk_config(c);
  return lfb_builder_create(&config, threads, &stage.builder) == LFB_OK &&
         stage_fill(0, c->batch);
}

/* Whether all put keys are present. */
static bool build_check(const bulk_case *c, uint64_t put)
{
  stage.filter = lfb_builder_finish(stage.builder, NULL);
  stage.builder = NULL;
  lfb_stats stats;
  lfb_filter_stats(stage.filter, &stats);
  return lfb_filter_might_contain_many_hash(stage.filter, stage_hashes(), c->batch, NULL) == put &&
         stats.bits_set == lfb_bits_count(&stage.filter->layout.bits);
}

static void build_body(lfb_bench_state *state, const void *argument)
{
  const bulk_case *c = argument;
  const unsigned threads = lfb_bench_threads(state), thread = lfb_bench_thread(state);
  const uint64_t part = c->batch / threads;
  static bool ready;
  uint64_t at = part * thread;

  if (thread == 0)
    ready = build_prepare(c, threads);
  while (lfb_bench_keep_running(state, BUILD_CALL)) {
    if (ready)
      lfb_builder_put_many_hash(stage.builder, thread, stage_hashes() + at, BUILD_CALL);
    at += BUILD_CALL;
  }
  if (thread > 0)
    return;
  /* All threads have left their loops. */
  if (!ready)
    lfb_bench_fail(state, "no memory");
  else if (!build_check(c, c->batch))
    lfb_bench_fail(state, "keys were lost");
  stage_clear();
}

/* ---- the table ----------------------------------------------------------- */

static bulk_case *bulk_next(uint64_t n, uint64_t batch)
{
  static bulk_case cases[LFB_BENCH_SIZES * (COUNT(per_line) + 1)];
  static bulk_case *next = cases;

  *next = (bulk_case){n, (size_t)batch};
  return next++;
}

static void register_batches(const lfb_bench_size *size, const lfb_scene *scene)
{
  const uint64_t n = scene->expected_insertions, lines = size->bytes / LFB_CACHE_LINE;

  for (size_t i = 0; i < COUNT(per_line); i++) {
    const uint64_t batch = lines * per_line[i] < n ? lines * per_line[i] : n;
    const uint64_t filling = n / batch * batch;
    char name[64];

    if (batch > MOST_HASHES)
      continue;
    (void)snprintf(name, sizeof name, "put_new/fast/%s/batch%u/hash/1%%", size->name, per_line[i]);
    const lfb_bench_row row = {
        .name = name,
        .body = batch_body,
        .argument = bulk_next(n, batch),
        .threads = 1,
        .iterations = (PUTS + filling - 1) / filling * filling,
        .bits_per_key = scene->bits_per_key,
        .limits = {{"lock_cmpxchg", 1}},
    };
    lfb_bench_register(&row);
  }
}

static void register_build(const lfb_bench_size *size, const lfb_scene *scene)
{
  const uint64_t n = scene->expected_insertions;
  const uint64_t unit = (uint64_t)BUILD_CALL * LFB_BENCH_MOST_THREADS;
  const uint64_t most = n < BUILT ? (n > unit ? n : unit) : BUILT;
  bulk_case *c = bulk_next(n, most / unit * unit);
  char name[64];

  (void)snprintf(name, sizeof name, "put_new/fast/%s/build/hash/1%%", size->name);
  for (const unsigned *threads = lfb_bench_thread_counts; *threads > 0; threads++) {
    const lfb_bench_row row = {
        .name = name,
        .body = build_body,
        .argument = c,
        .threads = *threads,
        .iterations = c->batch / *threads,
        .bits_per_key = scene->bits_per_key,
        .limits = {{"plain_store", 1}},
    };
    lfb_bench_register(&row);
  }
}

void lfb_bench_register_bulk(const lfb_bench_size *size)
{
  lfb_scene scene;

  if (!lfb_scene_describe(&lfb_own_fast, size->bytes, 0.01, &scene))
    return;
  register_batches(size, &scene);
  register_build(size, &scene);
}
