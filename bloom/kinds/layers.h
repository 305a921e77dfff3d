/*
 * layers.h - the layers of a growing filter (lfbloom/growing.h), and adding one.
 *
 * The layers are a list: the filter points to the newest, each layer to the next older one.
 * A thread first completes a new layer, including its link to the older ones.  Then it adds the
 * layer by one CAS of the newest, from the layer that the new one follows.  No layer is removed
 * before the whole filter is freed.  So no layer's address comes back (no ABA), and a layer that a
 * reader has seen stays.
 *
 * One per level  Every thread that finds the newest layer full makes a layer to follow it.  The CAS
 *            succeeds for one of these threads.  For the others the newest layer has changed, and
 *            they free theirs.
 * Order      The CAS releases the layer; every read of the newest acquires it.  This publishes the
 *            layer's zeroed words and the older layers.
 * Full       A thread adds the bits it turned on to its own stripe of the layer's count.  It sums
 *            all stripes only when its stripe passes a multiple of the layer's step.  The step and
 *            the number of keys put at a time are limited: all stripes together hold back at most
 *            1/64 of the bits at which the layer would reach its fpp.  The layer counts as full
 *            that much earlier.  A layer in a file has its stripes in the file.  A process that
 *            dies between turning bits on and adding them leaves the layer's count too low, by the
 *            bits of one call.
 * Claims     lfb_claims_claim() decides a claim in the cells of the first layer.  For it all layers
 *            are one filter: a hash is present if one layer has all its bits, and is put into the
 *            newest.  The argument in claims.h holds, with these additions:
 *            - A look sees a winner's bits.  A thread that changes a cell to DONE has put
 *              the hash into the layer that it saw as the newest, or has found it in some layer.
 *              A thread that acquires that DONE sees the same layer or a newer one as the newest,
 *              and looks at all older ones.
 *            - A late put.  A thread may complete a claim that is already complete.  It may then
 *              see a newer layer, and turn on bits there although an older layer has the hash.
 *              The key has been won already, so no claim is lost by these bits.  To make this
 *              rare, the thread looks at the older layers first.
 *            - A claim may have looked before another thread added a layer.  It looks again after
 *              it has read the cell, and only the second look counts.
 * Processes  Layers in a file (growing_files.h) have their number in the file.  A process raises
 *            it when a layer is complete, before anything is put into that layer.  Every operation
 *            reads it first, so a process that knows of a put sees the layer of that put.
 */
#ifndef LFB_BLOOM_LAYERS_H
#define LFB_BLOOM_LAYERS_H

#include <lfbloom/growing.h>

#include "bloom/filter/create.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_LAYER_KEYS = 256 }; /* the most that are put at a time */

typedef struct lfb_layer lfb_layer;
struct lfb_layer {
  lfb_layer *older; /* NULL: this is the first */
  lfb_filter *filter;
  const lfb_kernel *kernel; /* the filter's; here it saves reading one cache line */
  uint32_t number;     /* 0 for the first                                           */
  uint32_t step_shift; /* log2 of the bits of a stripe between two sums             */
  uint32_t keys;       /* that may be put between two sums of the count, at least 1 */
  uint64_t full_bits;  /* the layer is full at this number of set bits              */
  LFB_ATOMIC(uint64_t) retry_bits; /* set bits at which a refused next layer is tried again */
};

/* Connects a growing filter with those of other processes (growing_files.c). */
typedef struct lfb_layers_shared lfb_layers_shared;
struct lfb_layers_shared {
  const lfb_word *count; /* of complete layers, in a file; in a forged file, any number */

  /* Makes a layer, or opens the one that another process has made there, and then raises
   * `count`. */
  lfb_status (*make)(lfb_growing *growing, uint32_t number, const lfb_description *description,
                     lfb_filter **filter);

  /* Opens a layer that another process has added, after checking that it fits. */
  lfb_status (*open)(const lfb_growing *growing, uint32_t number, lfb_filter **filter);

  /* Frees everything except the layers. */
  void (*leave)(lfb_layers_shared *shared);
};

struct lfb_growing {
  LFB_ATOMIC(lfb_layer *) newest;
  lfb_layers_shared *shared;    /* NULL: only this process's memory has the filter    */
  LFB_ATOMIC(uint64_t) refused; /* why making or opening a layer last failed          */
  const lfb_filter *first;      /* its hasher and its claims serve all layers         */
  lfb_config config;            /* of the caller; n is at least LFB_GROWING_LEAST     */
  uint64_t written;             /* as in lfb_stats                                    */
  char label[LFB_LABEL_SIZE + 1]; /* padded with NUL bytes to its end                 */
};

/* p_i: the fpp of layer `number` when the whole has `fpp`. */
double lfb_layers_fpp(double fpp, uint32_t number);

/* n of layer `number`; UINT64_MAX if it does not fit 64 bits. */
uint64_t lfb_layers_insertions(uint64_t first, uint32_t number);

/* The configuration of layer `number` of a growing filter with the configuration `whole`. */
lfb_config lfb_layers_config(const lfb_config *whole, uint32_t number);

/* Whether a growing filter can have this configuration: LFB_OK, or why not. */
lfb_status lfb_layers_check(const lfb_config *config);

/*
 * Makes a filter the newest layer, and also the first one if there is none.  No other thread may
 * see the growing filter yet.
 *
 * Takes  filter  made for the layer's fpp; the layer owns it.
 * Fails  LFB_ERROR_NO_MEMORY; the filter has been freed.
 */
lfb_status lfb_layers_push(lfb_growing *growing, lfb_filter *filter);

/* Copies from the first layer's configuration the fields that all layers share. */
void lfb_layers_configure(lfb_growing *growing, const lfb_config *first);

/* Whether a filter from a file can be layer `number`. */
bool lfb_layers_fit(const lfb_growing *growing, const lfb_description *layer, uint32_t number);

/* Writes `newest` and all older layers to `layers`, the oldest first.  Returns their number. */
uint32_t lfb_layers_list(const lfb_layer *newest, const lfb_layer *layers[LFB_GROWING_LAYERS]);

/* Frees all layers. */
void lfb_layers_free(lfb_growing *growing);

/* Whether other processes have added layers after `newest`, the newest that this one has. */
static inline bool lfb_layers_behind(const lfb_growing *growing, const lfb_layer *newest)
{
  /* acquire: pairs with the release in files_raise().  No process puts into the layer before
   * that, so a thread that knows of such a put sees the layer. */
  return __builtin_expect(growing->shared != NULL, 0) &&
         LFB_STD atomic_load_explicit(growing->shared->count, LFB_STD memory_order_acquire) >
             newest->number + UINT64_C(1);
}

/* Opens the layers that other processes have added after `newest`, as far as that succeeds.
 * Returns the newest layer. */
const lfb_layer *lfb_layers_follow(const lfb_growing *of, const lfb_layer *newest);

/* The newest layer. */
static inline const lfb_layer *lfb_layers_newest(const lfb_growing *growing)
{
  /* acquire: pairs with the release in layers_add(): the layer's content, and the older ones. */
  const lfb_layer *newest =
      LFB_STD atomic_load_explicit(&growing->newest, LFB_STD memory_order_acquire);
  return lfb_layers_behind(growing, newest) ? lfb_layers_follow(growing, newest) : newest;
}

/* The newest layer, after opening all that other processes have added.  Fails: why one of them
 * cannot be opened. */
lfb_status lfb_layers_seen(const lfb_growing *growing, const lfb_layer **newest);

/*
 * Whether a hash is present in this layer or an older one; NULL has none.  No layer's address
 * depends on the answer of another, so the processor itself loads the lines of several layers at
 * once.  Prefetching all of them first gained nothing for absent keys, and cost 8 % for keys in
 * the newest layer (14 layers, 37 MiB).
 */
static inline bool lfb_layers_have(const lfb_layer *layer, lfb_hash hash)
{
  for (; layer != NULL; layer = layer->older)
    if (layer->kernel->might_contain(&layer->filter->layout, hash))
      return true;
  return false;
}

/* Whether a hash is present in a layer that was added after `newest`.  True as well if such a layer
 * cannot be opened: the hash may be there. */
bool lfb_layers_have_newer(const lfb_growing *growing, const lfb_layer *newest, lfb_hash hash);

/* Whether a hash is present in any layer. */
static inline bool lfb_layers_has(const lfb_growing *growing, lfb_hash hash)
{
  const lfb_layer *newest = lfb_layers_newest(growing);
  return lfb_layers_have(newest, hash) ||
         (lfb_layers_behind(growing, newest) && lfb_layers_have_newer(growing, newest, hash));
}

/* Adds the next layer if `layer`, which is or was the newest, is full. */
void lfb_layers_grow(lfb_growing *growing, const lfb_layer *layer);

/* Counts `on` bits that were turned on in a layer.  Returns whether `on` is above 0. */
static inline bool lfb_layers_counted(lfb_growing *growing, const lfb_layer *layer, uint64_t on)
{
  if (on == 0)
    return false;
  const uint64_t before = lfb_stripes_add_told(&layer->filter->layout.count, on);
  if (__builtin_expect((before + on) >> layer->step_shift != before >> layer->step_shift, 0))
    lfb_layers_grow(growing, layer);
  return true;
}

/* Puts a hash into a layer that was the newest.  Returns whether it turned on a bit. */
static inline bool lfb_layers_put(lfb_growing *growing, const lfb_layer *newest, lfb_hash hash)
{
  return lfb_layers_counted(growing, newest,
                            newest->kernel->put(&newest->filter->layout, hash));
}

/* All layers as one set for lfb_claims_claim(). */
lfb_claimed lfb_layers_claimed(lfb_growing *growing);

/* Claims a hash that the caller has looked for in all layers without finding it. */
static inline bool lfb_layers_claim(lfb_growing *growing, lfb_hash hash)
{
  const lfb_claimed in = lfb_layers_claimed(growing);

  return lfb_claims_claim(&growing->first->claims, &in, hash);
}

#ifdef __cplusplus
}
#endif

#endif
