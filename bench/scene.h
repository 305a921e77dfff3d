/*
 * scene.h - a filter of a wanted size, brought to a wanted point of its filling
 * as often as a benchmark needs it there.
 *
 * A scene is one contender at one size, holding as many keys (n) as that size has
 * room for at an fpp.  To fill 1 GiB takes minutes one key at a time, so what is
 * timed are `sample` keys at a few points of the filling, and the filter is
 * brought to such a point by copying the words of one that was filled to there
 * before.  A small scene has one point, and its sample is (nearly) the whole
 * filling; a large one has two, where Gauss and Legendre put them: their mean is
 * the mean over the whole filling for any cost that is a cubic of the load.
 *
 * One scene is set at a time, by one thread; any number may then use its filter.
 */
#ifndef LFB_BENCH_SCENE_H
#define LFB_BENCH_SCENE_H

#include "bench/contender.h"

enum {
  LFB_SCENE_UNIT = 4096,            /* 64 for each of 64 threads; samples are multiples */
  LFB_SCENE_MAX_SAMPLE = 1 << 20,   /* keys; at 7 lines each far beyond any cache   */
  LFB_SCENE_FULL = 0,               /* the point from which the sample leads to n   */
  LFB_SCENE_POINTS = 3,
};

typedef struct lfb_scene {
  const lfb_contender *contender;
  uint64_t size;                    /* bytes wanted of the filter's words           */
  double fpp;
  uint64_t expected_insertions;     /* n                                            */
  size_t sample;                    /* keys put or asked for                        */
  uint64_t before[LFB_SCENE_POINTS]; /* keys that are in at each point              */
  unsigned first_fill, fill_end;    /* the points at which filling is timed         */
} lfb_scene;

/* Where filled filters are kept between runs, as CONTENDER-SIZE-N-KEYS-FPP and in Guava's
 * form where it can hold them: a directory, or NULL (as at first) to fill them anew. */
void lfb_scene_keep_in(const char *directory);

/* Describes a contender's scene at a size; false if it cannot be so large. */
bool lfb_scene_describe(const lfb_contender *contender, uint64_t size, double fpp,
                        lfb_scene *scene);

/*
 * Brings the scene's filter to a point of its filling.
 *
 * Returns the filter, which stays the scene module's and the same memory for as
 * long as the scene is; NULL if there is no memory for it.
 */
void *lfb_scene_set(const lfb_scene *scene, unsigned point);

/*
 * Brings the scene's filter to n keys, the sample of which lfb_scene_keys() from
 * LFB_SCENE_FULL on and `put` have put.  Does nothing if that is how it is.
 */
void *lfb_scene_set_full(const lfb_scene *scene, lfb_keys_kind kind, lfb_act put);

/* The next `sample` keys of the stream from a point on; NULL if lfb_keys_init() fails. */
const lfb_keys *lfb_scene_keys(const lfb_scene *scene, lfb_keys_kind kind, unsigned point);

/* As many keys that are never put. */
const lfb_keys *lfb_scene_absent_keys(const lfb_scene *scene, lfb_keys_kind kind);

/* Gives everything back. */
void lfb_scene_clear(void);

#endif
