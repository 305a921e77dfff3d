/*
 * layers.h - the layers of a growing filter (lfbloom/growing.h), and adding one.
 *
 * The layers are a list: the filter has the newest, each has the next older one.  A layer
 * is made whole, its link to the older ones included, and then added by one CAS of the
 * newest from the layer that it follows.  Nothing is ever taken out before all is freed, so
 * the CAS cannot be fooled by a layer that came back, and what a reader has seen stays.
 *
 * One a level  Whoever makes a layer makes it to follow the one that he found full.  The
 *            CAS succeeds for one of those who do; for the others the newest is no longer
 *            that one: they free theirs.
 * Order      The CAS releases the layer; every look at the newest acquires it.  Through it
 *            come the words, zeroed, and the older layers.
 * Full       A thread adds the bits it turned on to its own stripe of the layer's count.  It sums
 *            all stripes only when its stripe passes a multiple of the layer's step.  A step, and
 *            the keys put at a time, are so small that all stripes together hold back no more
 *            than 1/64 of the bits at which the layer would reach its fpp; it is full by that
 *            much earlier.  In a file the stripes are in the file: a process that dies between
 *            turning bits on and adding them leaves the layer's count low by those of one call.
 * Claims     A claim is decided in the cells of the first layer, by lfb_claims_claim(), to
 *            which all layers are one filter: a hash is present if one layer has all its bits,
 *            and is put into the newest.  What claims.h argues holds, with this:
 *            - A look that sees a winner's bits.  A thread that changes a cell to DONE has put
 *              the hash into the layer that it saw as the newest, or has found it in some layer.
 *              A thread that acquires that DONE sees the layer or a newer one as the newest, and
 *              looks at all older ones.
 *            - A late put.  A thread that completes a claim which is long complete may see a
 *              newer layer, and turn on bits there that an older layer has.  The key was won, so
 *              nobody loses by them; to make it rare, the thread looks at the older layers first.
 *            - A claim that looked before another thread added a layer looks again once it has
 *              read the cell: what it saw first is worth nothing.
 * Processes  Where layers are in a file (growing_files.h), their number there is raised when a
 *            layer is whole and before anything is put into it, and is looked at before each
 *            act: a process that knows of a put sees its layer.
 */
#ifndef LFB_BLOOM_LAYERS_H
#define LFB_BLOOM_LAYERS_H

#include <lfbloom/growing.h>

#include "bloom/filter/create.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_LAYER_KEYS = 256 }; /* put at a time, at most */

typedef struct lfb_layer lfb_layer;
struct lfb_layer {
  lfb_layer *older; /* NULL: this is the first */
  lfb_filter *filter;
  const lfb_kernel *kernel; /* the filter's: a line less to look at */
  uint32_t number;     /* 0 for the first                                           */
  uint32_t step_shift; /* log2 of the bits of a stripe between two sums             */
  uint32_t keys;       /* that may be put between two looks at the count, at least 1 */
  uint64_t full_bits;  /* it is full from so many bits on                           */
  LFB_ATOMIC(uint64_t) retry_bits; /* from so many on a next one is tried again that was refused */
};

/* What joins a growing filter to those of other processes (growing_files.c). */
typedef struct lfb_layers_shared lfb_layers_shared;
struct lfb_layers_shared {
  const lfb_word *count; /* of layers, in a file: at least as many are whole; or anything */

  /* Makes a layer, or opens what another process has made in its place, and says in `count`
   * that it is there. */
  lfb_status (*make)(lfb_growing *growing, uint32_t number, const lfb_description *description,
                     lfb_filter **filter);

  /* Opens a layer that another process has added; it fits. */
  lfb_status (*open)(const lfb_growing *growing, uint32_t number, lfb_filter **filter);

  /* Ends what is not the layers'. */
  void (*leave)(lfb_layers_shared *shared);
};

struct lfb_growing {
  LFB_ATOMIC(lfb_layer *) newest;
  lfb_layers_shared *shared;    /* NULL: all of it is in this process's memory            */
  LFB_ATOMIC(uint64_t) refused; /* the lfb_status of who last failed to make a layer */
  const lfb_filter *first;      /* its hasher and its claims are those of all          */
  lfb_config config;            /* as asked for, expected_insertions at least the least */
  uint64_t written;             /* as in lfb_stats                                     */
  char label[LFB_LABEL_SIZE + 1]; /* ends in NUL, and only NUL from there on          */
};

/* p_i, that of layer `number`, of a whole that is wrong with `fpp`. */
double lfb_layers_fpp(double fpp, uint32_t number);

/* n of layer `number`; UINT64_MAX where that is more than there are numbers. */
uint64_t lfb_layers_insertions(uint64_t first, uint32_t number);

/* What layer `number` of a growing filter of this configuration is to be. */
lfb_config lfb_layers_config(const lfb_config *whole, uint32_t number);

/* Whether a growing filter can be of this configuration: LFB_OK, or why not. */
lfb_status lfb_layers_check(const lfb_config *config);

/*
 * Makes a filter the newest layer, and the first if there is none, where nobody else sees the
 * growing filter yet.
 *
 * Takes  filter  made for the layer's fpp; the layer owns it.
 * Fails  LFB_ERROR_NO_MEMORY; the filter has been freed.
 */
lfb_status lfb_layers_push(lfb_growing *growing, lfb_filter *filter);

/* Takes over of the first layer what all layers have alike. */
void lfb_layers_configure(lfb_growing *growing, const lfb_config *first);

/* Whether what somebody else made can be layer `number`. */
bool lfb_layers_fit(const lfb_growing *growing, const lfb_description *layer, uint32_t number);

/* Writes a layer and all older ones, the first first; how many. */
uint32_t lfb_layers_list(const lfb_layer *newest, const lfb_layer *layers[LFB_GROWING_LAYERS]);

/* Frees all layers. */
void lfb_layers_free(lfb_growing *growing);

/* Whether other processes have added layers behind the newest that this one has. */
static inline bool lfb_layers_behind(const lfb_growing *growing, const lfb_layer *newest)
{
  /* acquire: pairs with the release of who said it.  What it put came after that, so whoever
   * knows of that put sees the layer. */
  return __builtin_expect(growing->shared != NULL, 0) &&
         LFB_STD atomic_load_explicit(growing->shared->count, LFB_STD memory_order_acquire) >
             newest->number + UINT64_C(1);
}

/* The newest layer, once those that `newest` lacks are opened, as far as that can be done. */
const lfb_layer *lfb_layers_follow(const lfb_growing *of, const lfb_layer *newest);

/* The newest layer. */
static inline const lfb_layer *lfb_layers_newest(const lfb_growing *growing)
{
  /* acquire: pairs with the release of who added it: all that it is, and the older ones. */
  const lfb_layer *newest =
      LFB_STD atomic_load_explicit(&growing->newest, LFB_STD memory_order_acquire);
  return lfb_layers_behind(growing, newest) ? lfb_layers_follow(growing, newest) : newest;
}

/* The newest layer, behind which there is none now that cannot be looked at.  Fails: why one
 * cannot be. */
lfb_status lfb_layers_seen(const lfb_growing *growing, const lfb_layer **newest);

/*
 * Whether a hash is in this layer or an older one; NULL has none.  No layer's address hangs on
 * what another one has, so the processor has the lines of several on their way by itself: to
 * ask for all of them first gained nothing for keys that are in none, and cost those that are
 * in the newest 8 % (14 layers, 37 MiB).
 */
static inline bool lfb_layers_have(const lfb_layer *layer, lfb_hash hash)
{
  for (; layer != NULL; layer = layer->older)
    if (layer->kernel->might_contain(&layer->filter->layout, hash))
      return true;
  return false;
}

/* Whether a hash is in a layer that was added behind `newest`, or may be: in one that cannot be
 * looked at. */
bool lfb_layers_have_newer(const lfb_growing *growing, const lfb_layer *newest, lfb_hash hash);

/* Whether a hash is in. */
static inline bool lfb_layers_has(const lfb_growing *growing, lfb_hash hash)
{
  const lfb_layer *newest = lfb_layers_newest(growing);
  return lfb_layers_have(newest, hash) ||
         (lfb_layers_behind(growing, newest) && lfb_layers_have_newer(growing, newest, hash));
}

/* Adds the next layer if this one, which is or was the newest, is full. */
void lfb_layers_grow(lfb_growing *growing, const lfb_layer *layer);

/* Counts bits that have been turned on in a layer; whether there are any. */
static inline bool lfb_layers_counted(lfb_growing *growing, const lfb_layer *layer, uint64_t on)
{
  if (on == 0)
    return false;
  const uint64_t before = lfb_stripes_add_told(&layer->filter->layout.count, on);
  if (__builtin_expect((before + on) >> layer->step_shift != before >> layer->step_shift, 0))
    lfb_layers_grow(growing, layer);
  return true;
}

/* Puts a hash into a layer that was the newest; whether it turned on a bit. */
static inline bool lfb_layers_put(lfb_growing *growing, const lfb_layer *newest, lfb_hash hash)
{
  return lfb_layers_counted(growing, newest,
                            newest->kernel->put(&newest->filter->layout, hash));
}

/* All layers, as claims see them. */
lfb_claimed lfb_layers_claimed(lfb_growing *growing);

/* Claims a hash that the caller has looked for in all layers and not found. */
static inline bool lfb_layers_claim(lfb_growing *growing, lfb_hash hash)
{
  const lfb_claimed in = lfb_layers_claimed(growing);

  return lfb_claims_claim(&growing->first->claims, &in, hash);
}

#ifdef __cplusplus
}
#endif

#endif
