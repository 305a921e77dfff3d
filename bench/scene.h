/*
 * scene.h - a filter of a wanted size, brought to a wanted point of its filling
 * as often as a benchmark needs it there.
 *
 * Above the library.  May include: the library's own headers, keys.h.
 *
 * A scene is one strategy at one size, holding as many keys (n) as that size has
 * room for at fpp 1 %.  To fill 1 GiB takes minutes one key at a time, so what is
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

#include <lfbloom/filter.h>

#include "bench/keys.h"

enum {
  LFB_SCENE_BATCH = 1024,           /* keys between two looks at the clock          */
  LFB_SCENE_MAX_SAMPLE = 1 << 20,   /* keys; at 7 lines each far beyond any cache   */
  LFB_SCENE_FULL = 0,               /* the point from which the sample leads to n   */
  LFB_SCENE_POINTS = 3,
};

typedef struct lfb_scene {
  lfb_strategy_id strategy;
  uint64_t size;                    /* bytes wanted of the filter's words           */
  uint64_t expected_insertions;     /* n                                            */
  size_t sample;                    /* keys put or asked for; a multiple of 4 batches */
  uint64_t before[LFB_SCENE_POINTS]; /* keys that are in at each point              */
  unsigned first_fill, fill_end;    /* the points at which filling is timed         */
} lfb_scene;

/* Where filled filters are kept between runs, as STRATEGY-SIZE-N-KEYS and in Guava's
 * form where it can hold them: a directory, or NULL (as at first) to fill them anew. */
void lfb_scene_keep_in(const char *directory);

/* Describes the scene of a strategy at a size.  Fails as lfb_config_plan(). */
lfb_status lfb_scene_describe(lfb_strategy_id strategy, uint64_t size, lfb_scene *scene);

/*
 * Brings the scene's filter to a point of its filling.
 *
 * Returns the filter, which stays the scene module's and the same memory for as
 * long as the scene is; NULL if there is no memory for it.
 */
lfb_filter *lfb_scene_set(const lfb_scene *scene, unsigned point);

/* Puts keys `first` to `first` + count - 1 into a filter, or asks for them; how many
 * answers were true. */
typedef size_t (*lfb_scene_act)(lfb_filter *filter, const lfb_keys *keys, size_t first,
                                size_t count);

/*
 * Brings the scene's filter to n keys, the sample of which lfb_scene_keys() from
 * LFB_SCENE_FULL on and `put` have put.  Does nothing if that is how it is.
 */
lfb_filter *lfb_scene_set_full(const lfb_scene *scene, lfb_keys_kind kind, lfb_scene_act put);

/* The next `sample` keys of the stream from a point on; NULL if there is no memory. */
const lfb_keys *lfb_scene_keys(const lfb_scene *scene, lfb_keys_kind kind, unsigned point);

/* As many keys that are never put. */
const lfb_keys *lfb_scene_absent_keys(const lfb_scene *scene, lfb_keys_kind kind);

/* Gives everything back. */
void lfb_scene_clear(void);

#endif
