/* scene.c - filling filters, keeping them, and copying their words. */
#define _GNU_SOURCE /* sysconf's processors */
#include "bench/scene.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bloom/core.h"

enum { SCENE_MAX_FILLERS = 64, SCENE_PIECE = 4096 };

/* What there is now: the filter of one scene, and the points it was filled to. */
static struct {
  lfb_scene scene;
  lfb_filter *filter;
  lfb_filter *filled[LFB_SCENE_POINTS]; /* NULL until asked for */
  lfb_keys_kind full_of;
  lfb_scene_act full_by; /* NULL unless lfb_scene_set_full() was the last to set it */
} stage;

/* The keys of one stream, made again when others are asked for. */
static struct {
  lfb_keys keys;
  uint64_t first;
} keys_now;

static const char *scene_directory;

void lfb_scene_keep_in(const char *directory)
{
  scene_directory = directory;
}

static lfb_config scene_config(lfb_strategy_id strategy, uint64_t n)
{
  return (lfb_config){
      .expected_insertions = n,
      .fpp = 0.01,
      .strategy = strategy,
      /* One seed for all: words are copied from filter to filter. */
      .seed = strategy == LFB_FAST ? 1 : 0,
  };
}

/* The largest n whose filter takes at most `size` bytes. */
static lfb_status scene_expected_insertions(lfb_strategy_id strategy, uint64_t size, uint64_t *n)
{
  uint64_t fits = 1, too_many = 8 * size;

  while (too_many - fits > 1) {
    const uint64_t middle = fits + (too_many - fits) / 2;
    const lfb_config config = scene_config(strategy, middle);
    lfb_stats stats;
    const lfb_status status = lfb_config_plan(&config, &stats);
    if (status != LFB_OK && status != LFB_ERROR_TOO_MANY_BITS)
      return status;
    if (status == LFB_OK && stats.bytes <= size)
      fits = middle;
    else
      too_many = middle;
  }
  *n = fits;
  return LFB_OK;
}

lfb_status lfb_scene_describe(lfb_strategy_id strategy, uint64_t size, lfb_scene *scene)
{
  uint64_t n;
  const lfb_status status = scene_expected_insertions(strategy, size, &n);
  if (status != LFB_OK)
    return status;

  const uint64_t unit = 4 * LFB_SCENE_BATCH;
  *scene = (lfb_scene){.strategy = strategy, .size = size, .expected_insertions = n};
  scene->sample = n < LFB_SCENE_MAX_SAMPLE ? n / unit * unit : LFB_SCENE_MAX_SAMPLE;
  scene->before[LFB_SCENE_FULL] = n - scene->sample;
  if (n < 2 * LFB_SCENE_MAX_SAMPLE) {
    scene->first_fill = LFB_SCENE_FULL;
    scene->fill_end = LFB_SCENE_FULL + 1;
    return LFB_OK;
  }
  /* Nodes of the two-point Gauss-Legendre rule on [0, n]; the sample straddles each. */
  for (int i = 0; i < 2; i++) {
    const double share = 0.5 + (i == 0 ? -0.5 : 0.5) / sqrt(3);
    scene->before[1 + i] = (uint64_t)(share * (double)n) - scene->sample / 2;
  }
  scene->first_fill = 1;
  scene->fill_end = 3;
  return LFB_OK;
}

/* Numbers `first` to `end` - 1 of the stream, to be put by one thread. */
typedef struct scene_filler {
  lfb_filter *filter;
  uint64_t first, end;
  pthread_t thread;
} scene_filler;

static void *scene_filler_main(void *argument)
{
  const scene_filler *filler = argument;
  uint64_t piece[SCENE_PIECE];

  for (uint64_t at = filler->first; at < filler->end; at += SCENE_PIECE) {
    const uint64_t left = filler->end - at;
    const size_t count = left < SCENE_PIECE ? (size_t)left : SCENE_PIECE;
    for (size_t i = 0; i < count; i++)
      piece[i] = lfb_keys_number(at + i);
    (void)lfb_filter_put_many_u64(filler->filter, piece, count, NULL);
  }
  return NULL;
}

/* Puts numbers `first` to `end` - 1 with all processors. */
static void scene_fill(lfb_filter *filter, uint64_t first, uint64_t end)
{
  scene_filler fillers[SCENE_MAX_FILLERS];
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const unsigned count = processors < 1                   ? 1
                         : processors > SCENE_MAX_FILLERS ? SCENE_MAX_FILLERS
                                                          : (unsigned)processors;
  bool started[SCENE_MAX_FILLERS];

  for (unsigned i = 0; i < count; i++) {
    fillers[i].filter = filter;
    fillers[i].first = first + (end - first) * i / count;
    fillers[i].end = first + (end - first) * (i + 1) / count;
    started[i] =
        pthread_create(&fillers[i].thread, NULL, scene_filler_main, &fillers[i]) == 0;
  }
  for (unsigned i = 0; i < count; i++) {
    if (started[i])
      (void)pthread_join(fillers[i].thread, NULL);
    else
      (void)scene_filler_main(&fillers[i]);
  }
}

/* Copies all words, which no thread is using; the copy's own count is left behind. */
static void scene_copy_words(lfb_filter *to, const lfb_filter *from)
{
  const lfb_bits *source = &from->layout.bits;
  (void)memcpy(to->layout.bits.words, source->words, source->word_count * sizeof(lfb_word));
}

/* Guava's form where Guava can read it. */
static lfb_form scene_form(void)
{
  return lfb_form_holds(LFB_FORM_GUAVA, stage.scene.strategy) ? LFB_FORM_GUAVA : LFB_FORM_NATIVE;
}

/* Whether there is, or is to be, a file for a point of the current scene. */
static bool scene_path(unsigned point, char *path, size_t size)
{
  const lfb_scene *scene = &stage.scene;

  if (scene_directory == NULL)
    return false;
  const int length = snprintf(path, size, "%s/%s-%llu-%llu-%llu", scene_directory,
                              lfb_strategy_name(scene->strategy),
                              (unsigned long long)scene->size,
                              (unsigned long long)scene->expected_insertions,
                              (unsigned long long)scene->before[point]);
  return length > 0 && (size_t)length < size;
}

/* A filter filled up to a point of the current scene, from the best that there is. */
static lfb_filter *scene_make_filled(unsigned point)
{
  const lfb_config config =
      scene_config(stage.scene.strategy, stage.scene.expected_insertions);
  uint64_t in = 0;
  lfb_filter *made;

  if (lfb_filter_create(&config, &made) != LFB_OK)
    return NULL;
  for (unsigned i = 0; i < LFB_SCENE_POINTS; i++) {
    const uint64_t before = stage.scene.before[i];
    if (stage.filled[i] != NULL && before > in && before <= stage.scene.before[point]) {
      scene_copy_words(made, stage.filled[i]);
      in = before;
    }
  }
  scene_fill(made, in, stage.scene.before[point]);
  return made;
}

static lfb_filter *scene_filled(unsigned point)
{
  char path[4096];
  const bool kept = scene_path(point, path, sizeof path);
  lfb_filter **filled = &stage.filled[point];

  if (*filled != NULL || (kept && lfb_filter_load(path, NULL, filled) == LFB_OK))
    return *filled;
  *filled = scene_make_filled(point);
  if (*filled != NULL && kept) {
    const lfb_status status = lfb_filter_save(*filled, scene_form(), path);
    if (status != LFB_OK)
      (void)fprintf(stderr, "%s: %s\n", path, lfb_status_text(status));
  }
  return *filled;
}

void lfb_scene_clear(void)
{
  for (unsigned i = 0; i < LFB_SCENE_POINTS; i++) {
    lfb_filter_free(stage.filled[i]);
    stage.filled[i] = NULL;
  }
  lfb_filter_free(stage.filter);
  stage.filter = NULL;
  stage.full_by = NULL;
  lfb_keys_free(&keys_now.keys);
}

/* Makes the filter of another scene than before. */
static bool scene_enter(const lfb_scene *scene)
{
  const lfb_config config = scene_config(scene->strategy, scene->expected_insertions);

  if (stage.filter != NULL && stage.scene.strategy == scene->strategy &&
      stage.scene.size == scene->size)
    return true;
  lfb_scene_clear();
  stage.scene = *scene;
  return lfb_filter_create(&config, &stage.filter) == LFB_OK;
}

lfb_filter *lfb_scene_set(const lfb_scene *scene, unsigned point)
{
  if (!scene_enter(scene) || scene_filled(point) == NULL)
    return NULL;
  scene_copy_words(stage.filter, stage.filled[point]);
  stage.full_by = NULL;
  return stage.filter;
}

static const lfb_keys *scene_keys_from(const lfb_scene *scene, lfb_keys_kind kind,
                                       uint64_t first)
{
  lfb_keys *keys = &keys_now.keys;

  if (keys->count == scene->sample && keys->kind == kind && keys_now.first == first)
    return keys;
  if (keys->count != scene->sample || keys->kind != kind) {
    lfb_keys_free(keys);
    if (!lfb_keys_init(keys, kind, scene->sample))
      return NULL;
  }
  lfb_keys_fill(keys, first);
  keys_now.first = first;
  return keys;
}

const lfb_keys *lfb_scene_keys(const lfb_scene *scene, lfb_keys_kind kind, unsigned point)
{
  return scene_keys_from(scene, kind, scene->before[point]);
}

const lfb_keys *lfb_scene_absent_keys(const lfb_scene *scene, lfb_keys_kind kind)
{
  return scene_keys_from(scene, kind, LFB_KEYS_ABSENT);
}

lfb_filter *lfb_scene_set_full(const lfb_scene *scene, lfb_keys_kind kind, lfb_scene_act put)
{
  if (!scene_enter(scene))
    return NULL;
  if (stage.full_by == put && stage.full_of == kind)
    return stage.filter;
  if (lfb_scene_set(scene, LFB_SCENE_FULL) == NULL)
    return NULL;
  const lfb_keys *keys = lfb_scene_keys(scene, kind, LFB_SCENE_FULL);
  if (keys == NULL)
    return NULL;
  for (size_t at = 0; at < scene->sample; at += LFB_SCENE_BATCH)
    (void)put(stage.filter, keys, at, LFB_SCENE_BATCH);
  stage.full_of = kind;
  stage.full_by = put;
  return stage.filter;
}
