/*
 * scene.h - a filter of a given size, brought to a given point of its filling
 * as often as a benchmark needs it.
 *
 * A scene is one contender at one size, with as many keys (n) as that size has room for at
 * an fpp.  Filling 1 GiB one key at a time takes minutes.  So only `sample` keys are timed,
 * at a few points of the filling.  The filter is brought to such a point by copying the
 * words of a filter that was filled that far before.  A small scene has one point, and its
 * sample is (nearly) the whole filling.  A large one has two, the Gauss-Legendre nodes: the
 * mean over both is the mean over the whole filling for any cost that is a cubic of the load.
 *
 * One thread sets one scene at a time; any number of threads may then use its filter.
 */
#ifndef LFB_BENCH_SCENE_H
#define LFB_BENCH_SCENE_H

#include "bench/contender.h"

enum {
  LFB_SCENE_UNIT = 4096,            /* samples are multiples: 64 for each of 64 threads */
  LFB_SCENE_MAX_SAMPLE = 1 << 20,   /* keys; at 7 lines each far beyond any cache   */
  LFB_SCENE_FULL = 0,               /* the point from which the sample leads to n   */
  LFB_SCENE_POINTS = 3,
};

typedef struct lfb_scene {
  const lfb_contender *contender;
  uint64_t size;                    /* bytes wanted of the filter's words           */
  double fpp;
  uint64_t expected_insertions;     /* n                                            */
  double bits_per_key;              /* of n keys                                    */
  size_t sample;                    /* keys put or queried                          */
  uint64_t before[LFB_SCENE_POINTS]; /* keys present at each point                  */
  unsigned first_fill, fill_end;    /* the points at which filling is timed         */
} lfb_scene;

/* Sets the directory in which filters of Guava's form are saved at each point, for GuavaBench, as
 * CONTENDER-SIZE-N-KEYS-FPP.  NULL, the initial value: they are not saved. */
void lfb_scene_save_in(const char *directory);

/* Describes a contender's scene at a size; false if the contender cannot be so large. */
bool lfb_scene_describe(const lfb_contender *contender, uint64_t size, double fpp,
                        lfb_scene *scene);

/*
 * Brings the scene's filter to a point of its filling.
 *
 * Returns the filter, NULL if there is no memory for it.  This module owns it; its address
 * does not change as long as the scene is set.
 */
void *lfb_scene_set(const lfb_scene *scene, unsigned point);

/*
 * Brings the scene's filter to n keys.  `put` puts the last ones, the sample: the keys that
 * lfb_scene_keys() returns for LFB_SCENE_FULL.  Does nothing if the filter is in that state.
 */
void *lfb_scene_set_full(const lfb_scene *scene, lfb_keys_kind kind, lfb_act put);

/* The next `sample` keys of the stream from a point on; NULL if lfb_keys_init() fails. */
const lfb_keys *lfb_scene_keys(const lfb_scene *scene, lfb_keys_kind kind, unsigned point);

/* As many absent keys. */
const lfb_keys *lfb_scene_absent_keys(const lfb_scene *scene, lfb_keys_kind kind);

/* Frees everything. */
void lfb_scene_clear(void);

#endif
