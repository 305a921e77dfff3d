/* layers.c - sizing, adding and freeing the layers of a growing filter. */
#include "bloom/growing/layers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/files/mapping.h"
#include "bloom/strategies/strategies.h"

enum {
  SLACK = 64,  /* threads may leave 1/SLACK of a full layer's bits uncounted               */
  RETRY = 256, /* a refused next layer is tried again when 1/RETRY more bits are set       */
  /* In p_i = p * START / ((i + START) * (i + START + 1)): their sum telescopes to p.  Of 1 to 8, 3
   * takes the least memory, or nearly, from 5 to 14 layers. */
  START = 3,
  FIRST_BITS = 8 << 16, /* of a first layer, if the number of keys is unknown: 64 KiB */
};

/* ---- sizes ------------------------------------------------------------------ */

double lfb_layers_fpp(double fpp, double number)
{
  return fpp * START / ((number + START) * (number + START + 1));
}

uint64_t lfb_layers_insertions(uint64_t first, uint32_t number)
{
  return first > UINT64_MAX >> number ? UINT64_MAX : first << number;
}

/* The number, perhaps a fraction, from which the series has what layers below `number` leave. */
static double layers_from(const lfb_growing *growing, uint32_t number)
{
  double left = growing->config.fpp;

  for (const lfb_layer *layer = lfb_layers_known(growing); layer != NULL; layer = layer->older)
    left -= layer->number < number ? layer->filter->description.config.fpp : 0;
  const double from = START * (growing->config.fpp / left - 1), whole = nearbyint(from);
  return fabs(from - whole) < 1e-9 ? whole : from; /* as if nothing had been rounded */
}

double lfb_layers_next_fpp(const lfb_growing *growing, uint32_t number)
{
  return lfb_layers_fpp(growing->config.fpp, layers_from(growing, number));
}

/* Whether a growing filter can have this strategy and fpp: LFB_OK, or why not. */
static lfb_status layers_check(const lfb_config *config)
{
  const lfb_strategy *strategy = lfb_strategy_find(config->strategy); /* NULL: LFB_DEFAULT, too */

  if (config->strategy == LFB_GO_FNV14)
    return LFB_ERROR_CANNOT_GROW;
  if (config->bytes > 0)
    return LFB_ERROR_BAD_BYTES;
  if ((strategy == NULL || strategy->model_bits > 0) && config->fpp < LFB_SIZING_LEAST_GROWING)
    return LFB_ERROR_FPP_TOO_LOW;
  return lfb_sizing_check_fpp(config->fpp);
}

/* n of the first layer: the caller's, or if that is 0, what FIRST_BITS hold: fewer layers later. */
static uint64_t layers_first_insertions(const lfb_config *config)
{
  const lfb_strategy *strategy = lfb_strategy_find(config->strategy);
  const uint64_t many = UINT64_C(1) << 20;
  uint64_t insertions = config->expected_insertions;
  lfb_config asked = *config;
  lfb_geometry geometry;

  asked.expected_insertions = many;
  asked.fpp = lfb_layers_fpp(config->fpp, 0);
  asked.foldable = false;
  /* What has no size here has none as a layer: creation reports why. */
  if (insertions == 0 && config->memory_preference != LFB_MEMORY_SMALLEST && strategy != NULL &&
      strategy->size(&asked, &geometry) == LFB_OK)
    insertions = FIRST_BITS * many / geometry.bit_count;
  return insertions > LFB_GROWING_LEAST ? insertions : (uint64_t)LFB_GROWING_LEAST;
}

/* The logarithm of a number, rounded down; of 0 as of 1. */
static uint32_t layer_log2(uint64_t number)
{
  return number < 2 ? 0 : LFB_WORD_BITS - 1 - (uint32_t)__builtin_clzll(number);
}

/* Computes when a layer is full, the shortest step, and what part of it most stripes have. */
static void layer_measure(lfb_layer *layer, double fpp)
{
  const lfb_filter *filter = layer->filter;
  const lfb_stripes *count = &filter->layout.bits.count;
  const uint64_t most =
      lfb_strategy_most_bits(filter->strategy, &filter->description.geometry, fpp);
  const uint64_t slack = most / SLACK, stripes = (uint64_t)count->owned + count->shared;

  layer->full_bits = most - slack;
  /* Half of the slack is for what the stripes hold back, half for puts in progress. */
  layer->least_shift = layer_log2(slack / 2);
  layer->share_shift = layer_log2(stripes - 1) + (count->owned > 0 ? 2 : 1);
  atomic_init(&layer->step_shift, layer->least_shift);
}

/* The step that a layer with `bits_set` bits set needs. */
static uint32_t layer_wanted_shift(const lfb_layer *layer, uint64_t bits_set)
{
  const uint64_t left = layer->full_bits > bits_set ? layer->full_bits - bits_set : 0;
  const uint32_t shift = layer_log2(left / 4);

  return shift > layer->least_shift ? shift : layer->least_shift;
}

/* Shortens the step of a layer that had `bits_set` bits set. */
static void layer_pace(lfb_layer *layer, uint64_t bits_set)
{
  const uint32_t wanted = layer_wanted_shift(layer, bits_set);
  uint32_t seen = atomic_load_explicit(&layer->step_shift, memory_order_relaxed);

  /* relaxed, all: the step publishes no other data. */
  while (wanted < seen &&
         !atomic_compare_exchange_strong_explicit(&layer->step_shift, &seen, wanted,
                                                memory_order_relaxed, memory_order_relaxed))
    ;
}

/* ---- making them ------------------------------------------------------------- */

lfb_status lfb_layers_begin(const lfb_config *config, lfb_growing **growing)
{
  const lfb_status status = layers_check(config);

  if (status != LFB_OK)
    return status;
  lfb_growing *made = calloc(1, sizeof *made);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->config = lfb_config_chosen(config);
  made->config.expected_insertions = layers_first_insertions(&made->config);
  *growing = made;
  return LFB_OK;
}

/* Makes the layer of a filter.  On failure the filter has been freed. */
static lfb_status layer_make(const lfb_growing *growing, lfb_filter *filter,
                             const lfb_layer *older, lfb_layer **layer)
{
  lfb_layer *made = aligned_alloc(LFB_CACHE_LINE, LFB_CACHE_LINE);

  _Static_assert(sizeof *made <= LFB_CACHE_LINE, "a layer is a line");
  if (made == NULL) {
    lfb_filter_free(filter);
    return LFB_ERROR_NO_MEMORY;
  }
  *made = (lfb_layer){.older = (lfb_layer *)older,
                      .filter = filter,
                      .kernel = filter->kernel,
                      .number = older == NULL ? 0 : older->number + 1};
  layer_measure(made, filter->description.config.fpp);
  if (growing->mapping == NULL)
    atomic_init(&made->step_shift,
                layer_wanted_shift(made, lfb_bit_array_count(&filter->layout.bits)));
  *layer = made;
  return LFB_OK;
}

static void layer_free(lfb_layer *layer)
{
  lfb_filter_free(layer->filter);
  free(layer);
}

void lfb_growing_free(lfb_growing *growing)
{
  if (growing == NULL)
    return;
  /* relaxed: no other call runs during free. */
  lfb_layer *layer = atomic_load_explicit(&growing->newest, memory_order_relaxed);
  while (layer != NULL) {
    lfb_layer *older = layer->older;
    layer_free(layer);
    layer = older;
  }
  if (growing->mapping != NULL)
    lfb_mapping_end(growing->mapping);
  free(growing);
}

lfb_status lfb_layers_describe(const lfb_growing *growing, uint32_t number,
                               lfb_description *description)
{
  const lfb_filter *first = growing->first;
  lfb_config config = growing->config;

  if (number >= LFB_GROWING_LAYERS)
    return LFB_ERROR_TOO_MANY_LAYERS;
  config.foldable = false; /* a layer's size follows from n and p alone, as its file states it */
  config.expected_insertions = lfb_layers_insertions(config.expected_insertions, number);
  config.fpp = lfb_layers_next_fpp(growing, number);
  if (first != NULL && first->strategy->seeding == LFB_SEED_RANDOM) {
    config.hash = LFB_HASH_XXH3; /* needs no key; the hash is replaced below */
    config.seed = 1;
    memset(config.key, 0, sizeof config.key);
  }
  const lfb_status status = lfb_description_make(&config, description);
  if (status != LFB_OK || first == NULL)
    return status;
  if (description->geometry.bit_count > description->strategy->reachable_bits)
    return LFB_ERROR_TOO_MANY_BITS;
  description->hash = first->description.hash;
  return LFB_OK;
}

/* ---- layers from files ---------------------------------------------------------- */

/* Whether a filter has room for at least half of the keys that it is made for.  A forged filter
 * without that room would cause a next layer far larger than the bytes that were read. */
static bool layer_is_large_enough(const lfb_description *layer)
{
  const double half = (double)layer->config.expected_insertions / 2;
  const double fpp = layer->strategy->rates->fpp_after(layer->strategy, &layer->geometry, half);
  return fpp <= layer->config.fpp;
}

bool lfb_layers_fit(const lfb_growing *growing, const lfb_description *layer, uint32_t number)
{
  if (number > 0 && growing->first == NULL) /* the first layer lacked its key */
    return false;
  const lfb_description *first = number == 0 ? layer : &growing->first->description;
  const lfb_config whole = {.fpp = growing->config.fpp, .strategy = layer->config.strategy};
  const double left = START / (layers_from(growing, number) + START);
  const double most = whole.fpp * left * left / (2 + left);
  return layers_check(&whole) == LFB_OK && layer_is_large_enough(layer) &&
         /* processors may round both limits differently */
         layer->config.fpp >= lfb_layers_next_fpp(growing, number) * (1 - 1e-9) &&
         layer->config.fpp <= most * (1 + 1e-9) &&
         layer->config.expected_insertions ==
             lfb_layers_insertions(growing->config.expected_insertions, number) &&
         layer->config.probes_formula == first->config.probes_formula &&
         layer->strategy->id == first->strategy->id &&
         lfb_hash_same(&layer->hash, &first->hash) &&
         layer->geometry.bit_count <= layer->strategy->reachable_bits;
}

/* ---- adding one ---------------------------------------------------------------- */

/* Makes `made` the newest layer if `full`, which it follows, still is.  Returns whether it was. */
static bool layers_link(lfb_growing *growing, const lfb_layer *full, lfb_layer *made)
{
  lfb_layer *seen = (lfb_layer *)full;

  /* release: pairs with lfb_layers_known().  relaxed on failure: another thread's layer is the
   * newest, and this thread reads it with the next put. */
  return atomic_compare_exchange_strong_explicit(&growing->newest, &seen, made,
                                                 memory_order_release, memory_order_relaxed);
}

lfb_status lfb_layers_add(lfb_growing *growing, const lfb_layer *newest, lfb_filter *filter)
{
  const lfb_config *config = &filter->description.config;
  lfb_layer *made;

  const lfb_status status = layer_make(growing, filter, newest, &made);
  if (status != LFB_OK)
    return status;
  if (newest == NULL) {
    growing->first = filter;
    growing->config.strategy = config->strategy;
    growing->config.probes_formula = config->probes_formula;
    growing->config.seed = config->seed;
    growing->config.keep_key = config->keep_key;
    growing->config.key_type = config->key_type;
  }
  if (!layers_link(growing, newest, made))
    layer_free(made);
  return LFB_OK;
}

/* Whether a layer with `bits_set` bits set is full, and no next layer was refused too recently. */
static bool layer_is_due(const lfb_layer *layer, uint64_t bits_set)
{
  /* relaxed: the number publishes no other data.  A thread that does not see it yet tries once
   * more. */
  return bits_set >= layer->full_bits &&
         bits_set >= atomic_load_explicit(&layer->retry_bits, memory_order_relaxed);
}

/* Records why the next layer was refused, and when to try again: when the set bits of this layer
 * have grown by 1/RETRY, or by 1/RETRY of the unset bits if these are fewer.  Lack of memory and
 * failures of a file may pass.  Otherwise a layer that did not fit once never will. */
static void layers_refuse(lfb_growing *growing, lfb_layer *layer, uint64_t bits_set,
                          lfb_status status)
{
  const uint64_t all = layer->filter->description.geometry.bit_count;
  const uint64_t left = bits_set < all ? all - bits_set : 0;
  const uint64_t more = (left < bits_set ? left : bits_set) / RETRY;
  const bool may_pass = status == LFB_ERROR_NO_MEMORY || growing->mapping != NULL;
  const uint64_t cause = (uint32_t)errno;

  /* relaxed, both: the values publish no other data. */
  atomic_store_explicit(&growing->refused, cause << 32 | status, memory_order_relaxed);
  atomic_store_explicit(&layer->retry_bits, may_pass ? bits_set + more : UINT64_MAX,
                        memory_order_relaxed);
}

/* Makes and adds the layer that follows `full`. */
static lfb_status layers_add_next(lfb_growing *growing, const lfb_layer *full)
{
  const uint32_t number = full->number + 1;
  lfb_description description;
  lfb_filter *filter;

  lfb_status status = lfb_layers_describe(growing, number, &description);
  if (status == LFB_OK)
    status = growing->mapping == NULL
                 ? lfb_filter_make_empty(&description, true, &filter)
                 : growing->file->make(growing, number, &description, &filter);
  return status == LFB_OK ? lfb_layers_add(growing, full, filter) : status;
}

void lfb_layers_grow(lfb_growing *growing, const lfb_layer *layer)
{
  const uint64_t bits_set = lfb_bit_array_count(&layer->filter->layout.bits);

  layer_pace((lfb_layer *)layer, bits_set);
  if (!layer_is_due(layer, bits_set) || lfb_layers_newest(growing) != layer)
    return;
  const lfb_status status = layers_add_next(growing, layer);
  if (status != LFB_OK)
    layers_refuse(growing, (lfb_layer *)layer, bits_set, status);
}

/* Opens and adds the layer after `newest`, which another process has added. */
static lfb_status layers_open_next(lfb_growing *growing, const lfb_layer *newest)
{
  lfb_filter *filter;

  if (newest->number + 1 >= LFB_GROWING_LAYERS) /* a forged count can be any number */
    return LFB_ERROR_TOO_MANY_LAYERS;
  const lfb_status status =
      growing->file->open(growing, newest->number + 1, &growing->first->description, &filter);
  return status == LFB_OK ? lfb_layers_add(growing, newest, filter) : status;
}

lfb_status lfb_layers_follow(const lfb_growing *of)
{
  lfb_growing *growing = (lfb_growing *)of; /* a query adds only layers that the file has */
  const lfb_layer *newest = lfb_layers_known(growing);

  while (lfb_layers_behind(growing, newest)) {
    const lfb_status status = layers_open_next(growing, newest);
    if (status != LFB_OK)
      return status;
    newest = lfb_layers_known(growing);
  }
  return LFB_OK;
}

/* ---- claims -------------------------------------------------------------------- */

static bool layers_claimed_might_contain(const void *of, lfb_hash hash)
{
  const lfb_layer *newest;

  return lfb_layers_seen(of, &newest) != LFB_OK || lfb_layers_have(newest, hash);
}

static void layers_claimed_put(const void *of, lfb_hash hash)
{
  lfb_growing *growing = (lfb_growing *)of;
  const lfb_layer *newest = lfb_layers_newest(growing);

  /* Another thread may have completed this claim before a layer was added. */
  if (!lfb_layers_have(newest->older, hash))
    (void)lfb_layers_put(growing, newest, hash);
}

lfb_claimed lfb_layers_claimed(lfb_growing *growing)
{
  return (lfb_claimed){growing, layers_claimed_might_contain, layers_claimed_put};
}
