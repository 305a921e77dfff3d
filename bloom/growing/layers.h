/*
 * layers.h - the layers of a growing filter (lfbloom/growing.h), and adding one.
 *
 * The layers are a list: the filter points to the newest, each layer to the next older one.
 * A thread first completes a new layer, including its link to the older ones.  Then it adds the
 * layer by one CAS of the newest, from the layer that the new one follows.  If several threads do,
 * one CAS succeeds, and the other threads free theirs.  No layer is removed before the whole filter
 * is freed.  So no layer's address comes back (no ABA), and a layer that a reader has seen stays.
 *
 * Order      The CAS releases the layer; every read of the newest acquires it.  This publishes the
 *            layer's zeroed words and the older layers.
 * Full       A thread adds the bits it turned on to its own stripe of the layer's count.  It sums
 *            all stripes only when its stripe passes a multiple of its part of the layer's step.
 *            The first slots have large parts, so few threads sum rarely.  All parts together are
 *            at most the step; so are the bits that stripes hold back, and those being put by one
 *            call for each stripe.  Beyond this bound are further calls on a shared stripe at once,
 *            each by its part, and where a part is less than a key, each call by a key.  At the
 *            end of a layer the step is half of the last 1/64 of the bits at which the layer would
 *            reach its fpp: the layer counts as full that much earlier.  Before, it is a quarter of
 *            what was left until then when a thread last summed.  It only shrinks, so a thread that
 *            is stopped before it writes an old step lengthens none.
 *            A layer in a file has its stripes in the file, and the short step always: the step is
 *            each process's own.  A process that dies between turning bits on and adding them
 *            leaves the layer's count too low, by the bits of one call.
 * Claims     lfb_claims_claim() decides a claim in the cells of the first layer.  For it all layers
 *            are one filter: a hash is present if one layer has all its bits, and is put into the
 *            newest.  The argument in claims.h holds, with these additions:
 *            - A look sees a winner's bits.  A thread that changes a cell to DONE has put
 *              the hash into the layer that it saw as the newest, or has found it in some layer.
 *              A thread that acquires that DONE sees this layer or a newer one as the newest.
 *            - A late put.  A thread may complete a claim that is already complete.  It may then
 *              see a newer layer, and turn on bits there although an older layer has the hash.
 *              No claim is lost by these bits.  To make this rare, the thread looks at the older
 *              layers first.
 *            - A claim may have looked before another thread added a layer.  It looks again after
 *              it has read the cell, and only the second look counts.
 * Processes  The number of layers in a file (growing_files.h) is in it: lfb_layers_behind().
 */
#ifndef LFB_BLOOM_LAYERS_H
#define LFB_BLOOM_LAYERS_H

#include <lfbloom/any.h>

#include "bloom/filter/filter.h"
#include "bloom/filter/pieces.h"

LFB_EXTERN_C_BEGIN

typedef struct lfb_layer lfb_layer;
struct lfb_layer {
  lfb_layer *older; /* NULL: this is the first */
  lfb_filter *filter;
  const lfb_kernel *kernel; /* the filter's; here it saves reading one cache line */
  uint32_t number;     /* 0 for the first                                           */
  uint32_t least_shift; /* log2 of the shortest step                                */
  LFB_ATOMIC(uint32_t) step_shift; /* log2 of the step: the bits of all stripes between two sums */
  uint32_t share_shift; /* as lfb_layers_share() returns it                         */
  uint64_t full_bits;  /* the layer is full at this number of set bits              */
  LFB_ATOMIC(uint64_t) retry_bits; /* set bits at which a refused next layer is tried again */
};

/* Layers in a file (growing_mapped.c). */
typedef struct lfb_layers_file {
  /* Opens layer `number` of the file, which has one, after checking that it fits.  `like` has its
   * strategy and hash.  Fails: LFB_ERROR_BAD_HEADER, _TRUNCATED, _MAP, _NO_MEMORY. */
  lfb_status (*open)(const lfb_growing *growing, uint32_t number, const lfb_description *like,
                     lfb_filter **filter);

  /* Makes a layer in the file, or opens the one that another process has made there; then raises
   * the number of layers.  Fails: LFB_ERROR_TOO_MANY_BITS, _WRITE, and as open(). */
  lfb_status (*make)(const lfb_growing *growing, uint32_t number,
                     const lfb_description *description,
                     lfb_filter **filter);
} lfb_layers_file;

struct lfb_growing {
  LFB_ATOMIC(lfb_layer *) newest;
  const lfb_word *count; /* of complete layers, in a file; in a forged file, any number.
                            NULL: only this process's memory has the filter           */
  const lfb_layers_file *file; /* NULL: as above                                      */
  lfb_mapping *mapping;  /* of the file's head; NULL: as above                        */
  bool writable;         /* the file                                                  */
  LFB_ATOMIC(uint64_t) refused; /* why making a layer last failed: a status; from bit 32 on errno */
  const lfb_filter *first;      /* its hasher and its claims serve all layers         */
  lfb_config config;            /* of the caller; n is at least LFB_GROWING_LEAST     */
  uint64_t written;             /* as in lfb_stats                                    */
};

/* p_i: the fpp of layer `number` when the whole has `fpp`. */
double lfb_layers_fpp(double fpp, double number);

/* The fpp that a new layer `number` has: the series goes on with what the layers below it leave. */
double lfb_layers_next_fpp(const lfb_growing *growing, uint32_t number);

/* n of layer `number`; UINT64_MAX if it does not fit 64 bits. */
uint64_t lfb_layers_insertions(uint64_t first, uint32_t number);

/* Makes a growing filter without layers for a configuration of the caller.  Fails:
 * LFB_ERROR_CANNOT_GROW, _NO_MEMORY; _FPP_TOO_LOW, _FPP_TOO_HIGH. */
lfb_status lfb_layers_begin(const lfb_config *config, lfb_growing **growing);

/* Describes the filter of a new layer: with the hash of the first, or as the first.  Fails:
 * LFB_ERROR_TOO_MANY_LAYERS, _TOO_MANY_BITS, and as lfb_filter_create(). */
lfb_status lfb_layers_describe(const lfb_growing *growing, uint32_t number,
                               lfb_description *description);

/* Adds a filter, made for the layer's fpp, as the layer after `newest`, or frees it if another
 * thread has added one.  The first layer, after NULL, comes before other threads see the growing
 * filter; of its configuration the fields that all layers share are kept.  Fails:
 * LFB_ERROR_NO_MEMORY; the filter has been freed. */
lfb_status lfb_layers_add(lfb_growing *growing, const lfb_layer *newest, lfb_filter *filter);

/* Whether a filter from a file can be layer `number`. */
bool lfb_layers_fit(const lfb_growing *growing, const lfb_description *layer, uint32_t number);

/* Layer `number`, which is `newest` or older. */
static inline const lfb_layer *lfb_layers_at(const lfb_layer *newest, uint32_t number)
{
  while (newest->number > number)
    newest = newest->older;
  return newest;
}

/* The newest layer that this process has. */
static inline const lfb_layer *lfb_layers_known(const lfb_growing *growing)
{
  /* acquire: pairs with the release in layers_link(): the layer's content, and the older ones. */
  return LFB_STD atomic_load_explicit(&growing->newest, LFB_STD memory_order_acquire);
}

/* Whether other processes have added layers after `newest`, the newest that this one has. */
static inline bool lfb_layers_behind(const lfb_growing *growing, const lfb_layer *newest)
{
  /* acquire: pairs with the release in files_raise().  No process puts into the layer before
   * that, so a thread that knows of such a put sees the layer. */
  return __builtin_expect(growing->count != NULL, 0) &&
         LFB_STD atomic_load_explicit(growing->count, LFB_STD memory_order_acquire) >
             newest->number + UINT64_C(1);
}

/* Opens the layers that other processes have added.  Fails: why the next one cannot be opened. */
lfb_status lfb_layers_follow(const lfb_growing *of);

/* Reads the newest layer, after opening all that other processes have added.  Fails as
 * lfb_layers_follow(); then `*newest` is the newest that this process has. */
static inline lfb_status lfb_layers_seen(const lfb_growing *growing, const lfb_layer **newest)
{
  lfb_status status = LFB_OK;

  *newest = lfb_layers_known(growing);
  if (lfb_layers_behind(growing, *newest)) {
    status = lfb_layers_follow(growing);
    *newest = lfb_layers_known(growing);
  }
  return status;
}

/* The newest layer, or the newest that this process can open. */
static inline const lfb_layer *lfb_layers_newest(const lfb_growing *growing)
{
  const lfb_layer *newest;

  (void)lfb_layers_seen(growing, &newest);
  return newest;
}

/* Whether a hash is present in this layer or an older one; NULL has none. */
static inline bool lfb_layers_have(const lfb_layer *layer, lfb_hash hash)
{
  for (; layer != NULL; layer = layer->older)
    if (layer->kernel->might_contain(&layer->filter->layout, hash))
      return true;
  return false;
}

/* Adds the next layer if `layer`, which is or was the newest, is full. */
void lfb_layers_grow(lfb_growing *growing, const lfb_layer *layer);

/* The part of the step that a slot's stripe has, as log2 of the divisor: 1/4, three times 1/16,
 * at most 1/2 for all others together; in a file equal parts. */
static inline uint32_t lfb_layers_share(const lfb_layer *layer, uint32_t slot)
{
  if (slot >= 4 || slot >= layer->filter->layout.bits.count.owned)
    return layer->share_shift;
  return slot == 0 ? 2 : 4;
}

/* The log2 of the calling thread's part of the step. */
static inline uint32_t lfb_layers_own_shift(const lfb_layer *layer)
{
  /* relaxed: an older step is longer, and was right when it was read. */
  const uint32_t shift =
      LFB_STD atomic_load_explicit(&layer->step_shift, LFB_STD memory_order_relaxed);
  const uint32_t share = lfb_layers_share(layer, lfb_slot());

  return shift > share ? shift - share : 0;
}

/* How many keys may be put at a time: at least 1. */
static inline size_t lfb_layers_keys(const lfb_layer *layer)
{
  const uint64_t keys =
      (UINT64_C(1) << lfb_layers_own_shift(layer)) / layer->filter->layout.probes;

  return keys < 1 ? 1 : keys < LFB_PIECE_ROOM ? (size_t)keys : (size_t)LFB_PIECE_ROOM;
}

/* Counts `on` bits that were turned on in a layer.  Returns whether `on` is above 0. */
static inline bool lfb_layers_counted(lfb_growing *growing, const lfb_layer *layer, uint64_t on)
{
  if (on == 0)
    return false;
  const uint32_t shift = lfb_layers_own_shift(layer);
  const uint64_t before = lfb_stripes_fetch_add(&layer->filter->layout.bits.count, on);
  if (__builtin_expect((before + on) >> shift != before >> shift, 0))
    lfb_layers_grow(growing, layer);
  return true;
}

/* Puts a hash into a layer that was the newest.  Returns whether it turned on a bit. */
static inline bool lfb_layers_put(lfb_growing *growing, const lfb_layer *newest, lfb_hash hash)
{
  return lfb_layers_counted(growing, newest,
                            newest->kernel->turn_on(&newest->filter->layout, hash));
}

/* As lfb_any_many(), not for removals; `kind` is that of the keys (growing_many.c). */
size_t lfb_growing_many(lfb_any any, lfb_verb verb, const void *keys, size_t count,
                        uint64_t *answers, lfb_key_kind kind);

/* Passes a growing filter on if `status` is LFB_OK; otherwise frees it and keeps errno.  Returns
 * `status` (growing.c). */
lfb_status lfb_growing_end(lfb_growing *made, lfb_status status, lfb_growing **growing);

/* As lfb_any_copy() and lfb_any_to_plain(). */
lfb_status lfb_growing_copy(lfb_any any, lfb_any *copy);
lfb_status lfb_growing_to_plain(lfb_any any, lfb_filter **plain);

/* As lfb_any_open() in place, `writable` or for queries, and lfb_any_sync() (growing_mapped.c). */
lfb_status lfb_growing_open(const char *path, const lfb_read_limits *limits, bool writable,
                            lfb_any *any);
lfb_status lfb_growing_sync(lfb_any any);

/* As lfb_growing_stats(), without a look at the bits (lfb_any_plan()). */
void lfb_growing_plan(const lfb_growing *growing, lfb_growing_figures *stats);

/* All layers as one set for lfb_claims_claim(). */
lfb_claimed lfb_layers_claimed(lfb_growing *growing);

/* Claims a hash that the caller has looked for in all layers without finding it. */
static inline bool lfb_layers_claim(lfb_growing *growing, lfb_hash hash)
{
  const lfb_claimed in = lfb_layers_claimed(growing);

  return lfb_claims_claim(&growing->first->claims, &in, hash);
}

LFB_EXTERN_C_END

#endif
