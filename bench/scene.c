/* scene.c - fills filters, saves them for Guava, and copies their words. */
#define _GNU_SOURCE /* sysconf: _SC_NPROCESSORS_ONLN */
#include "bench/scene.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SCENE_MAX_FILLERS = 64, SCENE_PIECE = 4096 };

/* The current scene: its filter, and the filters filled to its points. */
static struct {
  lfb_scene scene;
  void *filter;
  void *filled[LFB_SCENE_POINTS]; /* NULL until needed */
  lfb_keys_kind full_of;
  lfb_act full_by; /* NULL unless lfb_scene_set_full() was the last to set it */
} stage;

/* The keys of one stream, made again when other keys are needed. */
static struct {
  lfb_keys keys;
  uint64_t first;
} keys_now;

static const char *scene_directory;

void lfb_scene_save_in(const char *directory)
{
  scene_directory = directory;
}

/* Finds the largest n, to within 1 in 4096, for which a filter takes at most `size` bytes, and the
 * bytes that it takes; false if that filter is far smaller. */
static bool scene_expected_insertions(const lfb_contender *contender, uint64_t size, double fpp,
                                      uint64_t *n, uint64_t *takes)
{
  uint64_t fits = 1, too_many = 8 * size, bytes = 0;

  while (too_many - fits > 1 + fits / 4096) {
    const uint64_t middle = fits + (too_many - fits) / 2;
    if (contender->size(contender, middle, fpp, &bytes) && bytes <= size)
      fits = middle;
    else
      too_many = middle;
  }
  *n = fits;
  return contender->size(contender, fits, fpp, takes) && *takes > size / 10 * 9;
}

bool lfb_scene_describe(const lfb_contender *contender, uint64_t size, double fpp,
                        lfb_scene *scene)
{
  uint64_t n, bytes = 0;
  if (!scene_expected_insertions(contender, size, fpp, &n, &bytes))
    return false;

  *scene = (lfb_scene){.contender = contender, .size = size, .fpp = fpp, .expected_insertions = n};
  scene->bits_per_key = 8.0 * (double)bytes / (double)n;
  scene->sample =
      n < LFB_SCENE_MAX_SAMPLE ? n / LFB_SCENE_UNIT * LFB_SCENE_UNIT : LFB_SCENE_MAX_SAMPLE;
  if (scene->sample == 0) /* too few keys to measure */
    return false;
  scene->before[LFB_SCENE_FULL] = n - scene->sample;
  if (n < 2 * LFB_SCENE_MAX_SAMPLE) {
    scene->first_fill = LFB_SCENE_FULL;
    scene->fill_end = LFB_SCENE_FULL + 1;
    return true;
  }
  /* Nodes of the two-point Gauss-Legendre rule on [0, n]; the sample straddles each. */
  for (int i = 0; i < 2; i++) {
    const double share = 0.5 + (i == 0 ? -0.5 : 0.5) / sqrt(3);
    scene->before[1 + i] = (uint64_t)(share * (double)n) - scene->sample / 2;
  }
  scene->first_fill = 1;
  scene->fill_end = 3;
  return true;
}

/* Numbers `first` to `end` - 1 of the stream, which one thread puts. */
typedef struct scene_filler {
  const lfb_contender *contender;
  void *filter;
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
    filler->contender->fill(filler->filter, piece, count);
  }
  return NULL;
}

static unsigned scene_filler_count(const lfb_contender *contender)
{
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);

  if (contender->one_thread || processors < 1)
    return 1;
  return processors > SCENE_MAX_FILLERS ? SCENE_MAX_FILLERS : (unsigned)processors;
}

/* Puts numbers `first` to `end` - 1, with a thread for each processor. */
static void scene_fill(const lfb_contender *contender, void *filter, uint64_t first,
                       uint64_t end)
{
  const unsigned count = scene_filler_count(contender);
  scene_filler fillers[SCENE_MAX_FILLERS];
  bool started[SCENE_MAX_FILLERS];

  for (unsigned i = 0; i < count; i++) {
    fillers[i].contender = contender;
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

/* Copies all words while no thread uses them.  The count of bits is not copied. */
static void scene_copy_words(void *to, void *from)
{
  const lfb_contender *contender = stage.scene.contender;

  if (contender->copy != NULL) {
    contender->copy(to, from);
    return;
  }
  const lfb_bench_bits target = contender->bits(to), source = contender->bits(from);
  (void)memcpy(target.address, source.address, source.size);
}

/* Writes the path of the file for a point of the current scene; false if it is not saved. */
static bool scene_path(unsigned point, char *path, size_t size)
{
  const lfb_scene *scene = &stage.scene;

  if (scene_directory == NULL || scene->contender->save == NULL)
    return false;
  const int length = snprintf(path, size, "%s/%s-%llu-%llu-%llu-%g", scene_directory,
                              scene->contender->name, (unsigned long long)scene->size,
                              (unsigned long long)scene->expected_insertions,
                              (unsigned long long)scene->before[point], scene->fpp);
  return length > 0 && (size_t)length < size;
}

static void *scene_create(void)
{
  const lfb_scene *scene = &stage.scene;
  return scene->contender->create(scene->contender, scene->expected_insertions, scene->fpp);
}

/* Makes a filter filled to a point of the current scene, starting from the fullest filled one that
 * does not exceed it. */
static void *scene_make_filled(unsigned point)
{
  const lfb_scene *scene = &stage.scene;
  void *made = scene_create();
  uint64_t in = 0;

  if (made == NULL)
    return NULL;
  for (unsigned i = 0; i < LFB_SCENE_POINTS; i++) {
    const uint64_t before = scene->before[i];
    if (stage.filled[i] != NULL && before > in && before <= scene->before[point]) {
      scene_copy_words(made, stage.filled[i]);
      in = before;
    }
  }
  scene_fill(scene->contender, made, in, scene->before[point]);
  return made;
}

static void *scene_filled(unsigned point)
{
  char path[4096];
  void **filled = &stage.filled[point];

  if (*filled != NULL)
    return *filled;
  *filled = scene_make_filled(point);
  if (*filled != NULL && scene_path(point, path, sizeof path) &&
      !stage.scene.contender->save(*filled, path))
    (void)fprintf(stderr, "%s cannot be written\n", path);
  return *filled;
}

static void scene_free(void **filter)
{
  if (*filter != NULL)
    stage.scene.contender->free(*filter);
  *filter = NULL;
}

void lfb_scene_clear(void)
{
  for (unsigned i = 0; i < LFB_SCENE_POINTS; i++)
    scene_free(&stage.filled[i]);
  scene_free(&stage.filter);
  stage.full_by = NULL;
  lfb_keys_free(&keys_now.keys);
}

/* Makes the scene current, with a new filter unless it already is. */
static bool scene_enter(const lfb_scene *scene)
{
  const lfb_scene *now = &stage.scene;

  if (stage.filter != NULL && now->contender == scene->contender && now->size == scene->size &&
      now->expected_insertions == scene->expected_insertions)
    return true;
  lfb_scene_clear();
  stage.scene = *scene;
  stage.filter = scene_create();
  return stage.filter != NULL;
}

void *lfb_scene_set(const lfb_scene *scene, unsigned point)
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

void *lfb_scene_set_full(const lfb_scene *scene, lfb_keys_kind kind, lfb_act put)
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
  for (size_t at = 0; at < scene->sample; at += LFB_ACT_MOST)
    (void)put(stage.filter, keys, at, LFB_ACT_MOST);
  stage.full_of = kind;
  stage.full_by = put;
  return stage.filter;
}
