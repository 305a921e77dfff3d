/* value.c - chains, windows, what is removable: making, adding, asking, removing. */
#include "redis/module/value.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/counting/counting.h"
#include "bloom/filter/figures.h"
#include "bloom/window/window.h"
#include "redis/module/later.h"
#include "redis/module/memory.h"

enum {
  FIRST_ALLOCATED = 2,
  BLOCK_MORE = LFB_CACHE_LINE + 16, /* bytes of a block beside the words: memory.c */
};

/* s of the shares l^2 / (s + l) of the error (value.h); the second where it saves memory: of layers
 * with so much the first ones of three chains, and the first two of two, fit together. */
static const double start = 3, start_less = 2.1;

/* ---- recipes ---------------------------------------------------------------------- */

/* What a layer is made for that follows one for `capacity` keys; UINT64_MAX: too much. */
static uint64_t recipe_expand(const lfb_recipe *recipe, uint64_t capacity)
{
  return capacity > UINT64_MAX / recipe->expansion ? UINT64_MAX : capacity * recipe->expansion;
}

bool lfb_recipe_has_capacity(const lfb_recipe *recipe, uint64_t capacity)
{
  uint64_t one = recipe->capacity;

  while (one < capacity && recipe->expansion > 1)
    one = recipe_expand(recipe, one);
  return one == capacity;
}

/* The share of the error that the layers of a chain leave, which have `error` together; 0: too
 * little for another one. */
static double recipe_left(const lfb_recipe *recipe, double error)
{
  const double left = 1 - error / recipe->error;
  return left * (LFB_VALUE_LAYERS + start_less) < start_less ? 0 : left;
}

lfb_status lfb_recipe_draw(lfb_recipe *recipe, lfb_hash_id hash)
{
  const lfb_config small = {
      .expected_insertions = 1, .fpp = 0.1, .strategy = LFB_FAST, .hash = hash};
  lfb_description description;

  const lfb_status status = lfb_description_make(&small, &description);
  if (status == LFB_OK)
    lfb_recipe_take_hash(recipe, &description);
  return status;
}

static lfb_config recipe_layer(const lfb_recipe *recipe, uint64_t capacity, double error)
{
  lfb_config config = lfb_recipe_config(recipe, capacity, error);

  config.lazy_memory = true;
  return config;
}

static lfb_config recipe_removable(const lfb_recipe *recipe)
{
  lfb_config config = recipe_layer(recipe, recipe->capacity, recipe->error);

  config.strategy = LFB_TAGS;
  config.copies = recipe->copies;
  return config;
}

static lfb_window_config recipe_window(const lfb_recipe *recipe)
{
  lfb_window_config config = {
      .expected_insertions = recipe->capacity,
      .fpp = recipe->error,
      .generations = recipe->generations,
      .lazy_memory = true,
      .hash = recipe->hash,
      .seed = recipe->seed,
      .keep_key = recipe->keep_key,
  };

  memcpy(config.key, recipe->key, sizeof config.key);
  return config;
}

/* ---- making, copying, freeing -------------------------------------------------------- */

static _Atomic(uint64_t) value_count;

uint64_t lfb_value_count(void)
{
  /* relaxed: a figure for INFO, which orders nothing. */
  return atomic_load_explicit(&value_count, memory_order_relaxed);
}

lfb_status lfb_value_begin(const lfb_recipe *recipe, lfb_value **value)
{
  lfb_value *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  atomic_fetch_add_explicit(&value_count, 1, memory_order_relaxed); /* as lfb_value_count() */
  lfb_ignore(lfb_random_bytes(&made->changes, sizeof made->changes));
  made->recipe = *recipe;
  *value = made;
  return LFB_OK;
}

void lfb_value_free(lfb_value *value)
{
  if (value == NULL)
    return;
  for (uint32_t i = 0; i < value->layer_count; i++)
    lfb_later_free(value->layers[i].filter);
  free(value->layers);
  lfb_any_free(value->any);
  lfb_arrived_free(value->loading);
  lfb_coming_free(value->coming);
  free(value->scanned.sums);
  free(value);
  atomic_fetch_sub_explicit(&value_count, 1, memory_order_relaxed); /* as lfb_value_count() */
}

/* Makes room for one more layer. */
static lfb_status value_room(lfb_value *value)
{
  if (value->layer_count < value->layers_allocated)
    return LFB_OK;
  const uint32_t count =
      value->layers_allocated == 0 ? FIRST_ALLOCATED : 2 * value->layers_allocated;
  lfb_chain_filter *layers = calloc(count, sizeof *layers);
  if (layers == NULL)
    return LFB_ERROR_NO_MEMORY;
  if (value->layer_count > 0)
    memcpy(layers, value->layers, value->layer_count * sizeof *layers);
  free(value->layers);
  value->layers = layers;
  value->layers_allocated = count;
  return LFB_OK;
}

lfb_status lfb_value_add_layer(lfb_value *value, lfb_filter *filter, uint64_t memory)
{
  const lfb_status status = value_room(value);

  if (status != LFB_OK) {
    lfb_later_free(filter);
    return status;
  }
  value->layers[value->layer_count] = (lfb_chain_filter){
      .filter = filter,
      .capacity = filter->description.config.expected_insertions,
      .memory = memory,
  };
  value->layer_count++;
  return LFB_OK;
}

/* The probability of all layers together, each as full as it may be. */
static double chain_error(const lfb_value *value)
{
  double error = 0;

  for (uint32_t i = 0; i < value->layer_count; i++)
    error += value->layers[i].filter->description.config.fpp;
  return error;
}

/* The bytes of jemalloc's block for words: there are four sizes to each power of two.  Servers with
 * another allocator count alike, because replicas must be equal. */
static uint64_t words_block(uint64_t bytes)
{
  const uint64_t size = bytes + BLOCK_MORE;
  const uint64_t step = UINT64_C(1) << (61 - __builtin_clzll(size - 1));

  return (size + step - 1) / step * step;
}

/* Plans the next layer, with `s` as above.  After a merge that was forced the error is
 * exceeded in any case. */
static lfb_status chain_plan(const lfb_value *value, double s, lfb_config *config,
                             lfb_stats *plan)
{
  const lfb_recipe *recipe = &value->recipe;
  const uint32_t layers = value->layer_count;
  const double share = recipe_left(recipe, chain_error(value));
  const double left = share > 0 ? share : start / (layers + start);
  uint64_t largest = 0;

  for (uint32_t i = 0; i < layers; i++)
    if (value->layers[i].capacity > largest)
      largest = value->layers[i].capacity;
  *config = recipe_layer(recipe, layers == 0 ? recipe->capacity : recipe_expand(recipe, largest),
                         recipe->expansion == 0 ? recipe->error
                                                : recipe->error * left * left / (s + left));
  return lfb_config_plan(config, plan);
}

/* Plans the next layer with more of the error, if its block is then a smaller one. */
static lfb_status chain_next(const lfb_value *value, lfb_config *config, lfb_stats *plan)
{
  lfb_config less;
  lfb_stats smaller;

  const lfb_status status = chain_plan(value, start, config, plan);
  if (status == LFB_OK && chain_plan(value, start_less, &less, &smaller) == LFB_OK &&
      words_block(smaller.bytes) < words_block(plan->bytes)) {
    *config = less;
    *plan = smaller;
  }
  return status;
}

/* Makes and adds the next layer, if it takes at most max_bytes; 0: no limit. */
static lfb_status value_grow(lfb_value *value, uint64_t max_bytes)
{
  if (value->layer_count == LFB_VALUE_LAYERS)
    return LFB_ERROR_TOO_MANY_LAYERS;
  const uint64_t before = lfb_memory_tally();
  lfb_config config;
  lfb_filter *filter;
  lfb_stats plan;

  lfb_status status = chain_next(value, &config, &plan);
  if (status == LFB_OK && max_bytes > 0 && plan.bytes > max_bytes)
    status = LFB_ERROR_OVER_LIMIT;
  if (status == LFB_OK)
    status = lfb_filter_create(&config, &filter);
  return status == LFB_OK ? lfb_value_add_layer(value, filter, lfb_memory_tally() - before)
                          : status;
}

/* Makes the window, or what is removable. */
static lfb_status value_open(lfb_value *value, uint64_t max_bytes)
{
  const bool is_window = value->recipe.kind == LFB_VALUE_WINDOW;
  const lfb_window_config window = recipe_window(&value->recipe);
  const lfb_config removable = recipe_removable(&value->recipe);
  const uint64_t before = lfb_memory_tally();
  lfb_any made = {is_window ? LFB_KIND_WINDOW : LFB_KIND_COUNTING, {NULL}};
  lfb_figures plan;

  lfb_status status = is_window ? lfb_window_config_plan(&window, &plan.window)
                                : lfb_config_plan(&removable, &plan.all);
  if (status == LFB_OK && max_bytes > 0 &&
      (is_window ? plan.window.bytes : plan.all.bytes) > max_bytes)
    status = LFB_ERROR_OVER_LIMIT;
  if (status == LFB_OK)
    status = is_window ? lfb_window_create(&window, &made.window)
                       : lfb_counting_create(&removable, &made.counting);
  if (status == LFB_OK)
    value->any = made;
  value->any_memory = lfb_memory_tally() - before;
  return status;
}

lfb_status lfb_value_create(const lfb_recipe *recipe, uint64_t max_bytes, lfb_value **value)
{
  lfb_value *made;

  if (recipe->expansion > 0 && recipe->error < LFB_SIZING_LEAST_GROWING)
    return LFB_ERROR_FPP_TOO_LOW;
  lfb_status status = lfb_value_begin(recipe, &made);
  if (status != LFB_OK)
    return status;
  status =
      recipe->kind == LFB_VALUE_CHAIN ? value_grow(made, max_bytes) : value_open(made, max_bytes);
  if (status == LFB_OK)
    *value = made;
  else
    lfb_value_free(made);
  return status;
}

lfb_status lfb_value_copy_layers(const lfb_value *from, uint32_t count, lfb_value *to)
{
  lfb_status status = LFB_OK;

  for (uint32_t i = 0; status == LFB_OK && i < count; i++) {
    const lfb_chain_filter *layer = &from->layers[i];
    lfb_filter *filter;
    status = lfb_later_copy(layer->filter, &filter);
    if (status == LFB_OK)
      status = lfb_value_add_layer(to, filter, layer->memory);
    if (status == LFB_OK)
      to->layers[to->layer_count - 1].items = layer->items;
  }
  return status;
}

/* ---- adding and asking ----------------------------------------------------------------- */

/* Keys of one call, of which some are decided.  index[i] is where the answer of keys[i] belongs. */
typedef struct undecided {
  lfb_key keys[LFB_VALUE_MANY];
  uint16_t index[LFB_VALUE_MANY];
  size_t count;
} undecided;

enum { ANSWER_WORDS = (LFB_VALUE_MANY + 63) / 64 };

static void answer_yes(uint64_t *answers, size_t i)
{
  answers[i / 64] |= UINT64_C(1) << i % 64;
}

static void undecided_begin(undecided *left, const lfb_key *keys, size_t count)
{
  memcpy(left->keys, keys, count * sizeof *keys);
  for (size_t i = 0; i < count; i++)
    left->index[i] = (uint16_t)i;
  left->count = count;
}

/* Removes the keys that one filter may contain, and marks them in `found`, if that is not NULL. */
static void undecided_ask(undecided *left, const lfb_filter *filter, uint64_t *found)
{
  uint64_t answers[ANSWER_WORDS];
  size_t kept = 0;

  if (lfb_filter_might_contain_many(filter, left->keys, left->count, answers) == 0)
    return;
  for (size_t i = 0; i < left->count; i++) {
    if (lfb_answer(answers, i)) {
      if (found != NULL)
        answer_yes(found, left->index[i]);
      continue;
    }
    left->keys[kept] = left->keys[i];
    left->index[kept++] = left->index[i];
  }
  left->count = kept;
}

/* Asks the newest `layers` layers but the first `skipped` of these, the newest first: it has the
 * most keys. */
static void chain_ask(const lfb_value *value, uint32_t skipped, undecided *left, uint64_t *found)
{
  for (uint32_t i = value->layer_count - skipped; i-- > 0 && left->count > 0;)
    undecided_ask(left, value->layers[i].filter, found);
}

/* Does what is to be done before keys are looked up, or put into the newest layer. */
static void chain_ready(const lfb_value *value, const lfb_key *keys, size_t count, bool put)
{
  for (uint32_t i = 0; i < value->layer_count; i++)
    lfb_later_ready(value->layers[i].filter, keys, count, put && i + 1 == value->layer_count);
}

void lfb_value_exist(const lfb_value *value, const lfb_key *keys, size_t count, uint64_t *answers)
{
  undecided left;

  if (value->any.kind != LFB_KIND_NONE) {
    (void)lfb_any_many(value->any, LFB_MIGHT_CONTAIN, keys, count, answers);
    return;
  }
  chain_ready(value, keys, count, false);
  const lfb_filter *newest = value->layers[value->layer_count - 1].filter;
  if (value->layer_count == 1) {
    if (count == 1)
      answers[0] = lfb_filter_might_contain(newest, keys->bytes, keys->size);
    else
      (void)lfb_filter_might_contain_many(newest, keys, count, answers);
    return;
  }
  memset(answers, 0, ANSWER_WORDS * sizeof *answers);
  undecided_begin(&left, keys, count);
  chain_ask(value, 0, &left, answers);
}

/* Words that are so full have touched their pages: each 4 KiB hold the bits of some 400 keys. */
static void words_settle(const lfb_pages *words, uint64_t capacity, uint64_t before, uint64_t items)
{
  if (before < capacity / 8 && items >= capacity / 8)
    lfb_memory_settle(words);
}

/* Adds keys to the newest layer, which has room for all of them. */
static void chain_put(lfb_value *value, const lfb_key *keys, size_t count, uint64_t *answers)
{
  lfb_chain_filter *newest = &value->layers[value->layer_count - 1];
  uint64_t fresh[ANSWER_WORDS];
  undecided left;
  size_t added;

  chain_ready(value, keys, count, true);
  if (value->layer_count == 1) {
    added = count == 1 ? lfb_filter_put(newest->filter, keys->bytes, keys->size)
                       : lfb_filter_put_many(newest->filter, keys, count, answers);
    if (count == 1)
      answers[0] = added;
  } else {
    memset(answers, 0, ANSWER_WORDS * sizeof *answers);
    undecided_begin(&left, keys, count);
    chain_ask(value, 1, &left, NULL);
    added = lfb_filter_put_many(newest->filter, left.keys, left.count, fresh);
    for (size_t i = 0; added > 0 && i < left.count; i++)
      if (lfb_answer(fresh, i))
        answer_yes(answers, left.index[i]);
  }
  newest->items += added;
  value->items += added;
  value->changes += added > 0;
  words_settle(&newest->filter->pages, newest->capacity, newest->items - added, newest->items);
}

const lfb_pages *lfb_value_pages(const lfb_value *value)
{
  return value->any.kind == LFB_KIND_WINDOW ? &value->any.window->pages
                                            : &value->any.counting->pages;
}

uint64_t lfb_value_bytes(const lfb_value *value)
{
  uint64_t bytes = value->any.kind == LFB_KIND_NONE ? 0 : lfb_value_pages(value)->size;

  for (uint32_t i = 0; i < value->layer_count; i++)
    bytes += value->layers[i].filter->pages.size;
  return bytes;
}

/* Makes the next layer of a full chain, if it may have one. */
static lfb_added chain_grow(lfb_value *value, uint64_t max_bytes, lfb_status *refused)
{
  if (value->recipe.expansion == 0)
    return LFB_ADDED_FULL;
  if (max_bytes > 0) {
    const uint64_t bytes = lfb_value_bytes(value);
    max_bytes = bytes < max_bytes ? max_bytes - bytes : 1;
  }
  *refused = value_grow(value, max_bytes);
  value->changes++;
  return *refused == LFB_OK ? LFB_ADDED_ALL : LFB_ADDED_NO_LAYER;
}

/* The number of keys at the front that the chain has. */
static size_t chain_present(const lfb_value *value, const lfb_key *keys, size_t count)
{
  uint64_t answers[ANSWER_WORDS];
  size_t present = 0;

  lfb_value_exist(value, keys, count, answers);
  while (present < count && lfb_answer(answers, present))
    present++;
  return present;
}

static lfb_added chain_add(lfb_value *value, const lfb_key *keys, size_t count, uint64_t max_bytes,
                           uint64_t *answers, size_t *done, lfb_status *refused)
{
  uint64_t some[ANSWER_WORDS];

  *done = 0;
  if (count > 1)
    memset(answers, 0, ANSWER_WORDS * sizeof *answers);
  while (*done < count) {
    const lfb_chain_filter *newest = &value->layers[value->layer_count - 1];
    const uint64_t left = newest->items < newest->capacity ? newest->capacity - newest->items : 0;
    size_t next = count - *done;
    if (left == 0) {
      *done += chain_present(value, keys + *done, next);
      if (*done == count)
        break;
      const lfb_added grown = chain_grow(value, max_bytes, refused);
      if (grown != LFB_ADDED_ALL)
        return grown;
      continue;
    }
    if (next > left)
      next = (size_t)left;
    if (*done == 0 && next == count) { /* nearly always */
      chain_put(value, keys, count, answers);
    } else {
      chain_put(value, keys + *done, next, some);
      for (size_t i = 0; i < next; i++)
        if (lfb_answer(some, i))
          answer_yes(answers, *done + i);
    }
    *done += next;
  }
  return LFB_ADDED_ALL;
}

/* A window by insertions ends a generation when this many keys were new in it. */
static uint64_t window_period_items(const lfb_recipe *recipe)
{
  const uint64_t items = recipe->capacity / recipe->generations;
  return items > 0 ? items : 1;
}

void lfb_value_advance(lfb_value *value, uint32_t steps, uint64_t began_ms)
{
  for (uint32_t i = 0; i < steps; i++) /* it fails only if another thread is inside a put */
    lfb_ignore(lfb_window_advance(value->any.window, lfb_window_generation(value->any.window)));
  lfb_memory_settle(lfb_value_pages(value)); /* clearing a layer has touched all pages */
  value->began_ms = began_ms;
  value->period_items = 0;
  value->changes++;
}

uint32_t lfb_value_tick(lfb_value *value, uint64_t now_ms)
{
  const uint64_t period = value->recipe.period_ms;
  const uint32_t all = value->recipe.generations + 1;

  if (value->any.kind != LFB_KIND_WINDOW || period == 0 || now_ms < value->began_ms)
    return 0;
  const uint64_t due = (now_ms - value->began_ms) / period;
  if (due == 0)
    return 0;
  const uint32_t steps = due < all ? (uint32_t)due : all;
  lfb_value_advance(value, steps, value->began_ms + due * period);
  return steps;
}

/* Puts keys into the current generation, also those that are found: they are found for a whole
 * window from now on, and what was found may have been a false positive.  A key is new if it was
 * not found. */
static void window_add(lfb_value *value, const lfb_key *keys, size_t count, uint64_t *answers)
{
  uint64_t found[ANSWER_WORDS];

  (void)lfb_any_many(value->any, LFB_MIGHT_CONTAIN, keys, count, found);
  const size_t put = lfb_any_many(value->any, LFB_PUT, keys, count, answers);
  for (size_t i = 0; i < (count + 63) / 64; i++) {
    answers[i] &= ~found[i];
    value->items += (uint64_t)__builtin_popcountll(answers[i]);
  }
  value->period_items += put;
  value->changes += put > 0;
  if (value->recipe.period_ms == 0 && value->period_items >= window_period_items(&value->recipe))
    lfb_value_advance(value, 1, 0);
}

static void removable_add(lfb_value *value, const lfb_key *keys, size_t count, uint64_t *answers)
{
  const size_t put = lfb_any_many(value->any, LFB_PUT, keys, count, answers);

  value->items += put;
  value->changes += put > 0;
  words_settle(lfb_value_pages(value), value->recipe.capacity, value->items - put, value->items);
}

void lfb_value_remove(lfb_value *value, const lfb_key *keys, size_t count, uint64_t *answers)
{
  const size_t removed = lfb_any_many(value->any, LFB_REMOVE, keys, count, answers);

  value->items -= removed;
  value->changes += removed > 0;
}

lfb_added lfb_value_add(lfb_value *value, const lfb_key *keys, size_t count, uint64_t max_bytes,
                        uint64_t *answers, size_t *done, lfb_status *refused)
{
  if (value->any.kind != LFB_KIND_NONE) {
    (value->any.kind == LFB_KIND_WINDOW ? window_add : removable_add)(value, keys, count, answers);
    *done = count;
    return LFB_ADDED_ALL;
  }
  if (count == 1)
    answers[0] = 0;
  return chain_add(value, keys, count, max_bytes, answers, done, refused);
}

/* ---- merging ------------------------------------------------------------------------- */

lfb_status lfb_value_fit(const lfb_value *into, const lfb_value *from)
{
  const lfb_recipe *a = &into->recipe, *b = &from->recipe;

  if (a->kind != b->kind || a->kind == LFB_VALUE_WINDOW)
    return LFB_ERROR_STRATEGY_DIFFERS;
  if (a->capacity != b->capacity || a->error < b->error || a->error > b->error ||
      a->expansion != b->expansion || a->copies != b->copies)
    return LFB_ERROR_BIT_COUNT_DIFFERS;
  if (!lfb_recipe_same_hash(a, b))
    return LFB_ERROR_HASH_DIFFERS;
  if (a->kind == LFB_VALUE_REMOVABLE)
    return lfb_value_bytes(into) == lfb_value_bytes(from) ? LFB_OK : LFB_ERROR_BIT_COUNT_DIFFERS;
  /* A file (--foldable), chunks and RDB files bring layers of other sizes than the recipe gives. */
  if (into->layer_count == 1 && from->layer_count == 1 &&
      lfb_description_compatible(&into->layers->filter->description,
                                 &from->layers->filter->description, false) != LFB_OK)
    return LFB_ERROR_BIT_COUNT_DIFFERS;
  return LFB_OK;
}

static const lfb_chain_filter *chain_newest(const lfb_value *value)
{
  return &value->layers[value->layer_count - 1];
}

lfb_merged lfb_merged_begin(const lfb_value *into)
{
  if (into == NULL || into->layer_count == 0)
    return (lfb_merged){.items = into == NULL ? 0 : into->items};
  return (lfb_merged){.newest = chain_newest(into),
                      .items = chain_newest(into)->items,
                      .layers = into->layer_count,
                      .bytes = lfb_value_bytes(into),
                      .error = chain_error(into)};
}

static bool merged_is_empty(const lfb_merged *merged)
{
  return merged->layers == 1 && merged->items == 0 && lfb_later_bits(merged->newest->filter) == 0;
}

static lfb_merge_way merged_way(const lfb_merged *into, const lfb_merged *from, bool fixed)
{
  const lfb_chain_filter *a = into->newest, *b = from->newest;

  if (a == NULL)
    return LFB_MERGE_REPLACE;
  if (merged_is_empty(from))
    return LFB_MERGE_NOTHING;
  if (a->capacity == b->capacity && (fixed || into->items + from->items <= a->capacity) &&
      lfb_description_compatible(&a->filter->description, &b->filter->description, false) == LFB_OK)
    return LFB_MERGE_JOIN;
  return merged_is_empty(into) ? LFB_MERGE_REPLACE : LFB_MERGE_APPEND;
}

/* What two chains are together.  Of two newest layers that with more room is the last. */
static lfb_merged merged_sum(const lfb_merged *into, const lfb_merged *from, lfb_merge_way way)
{
  lfb_merged sum = way == LFB_MERGE_REPLACE ? *from : *into;

  if (way == LFB_MERGE_JOIN) {
    sum.items += from->items;
    sum.layers += from->layers - 1;
    sum.bytes += from->bytes - from->newest->filter->pages.size;
    sum.error += from->error - from->newest->filter->description.config.fpp;
  } else if (way == LFB_MERGE_APPEND) {
    if (from->newest->capacity - from->items > into->newest->capacity - into->items)
      sum = *from;
    sum.layers = into->layers + from->layers;
    sum.bytes = into->bytes + from->bytes;
    sum.error = into->error + from->error;
  }
  sum.way = way;
  return sum;
}

lfb_status lfb_merged_add(lfb_merged *merged, const lfb_value *from, uint64_t max_bytes, bool force)
{
  const bool fixed = from->recipe.expansion == 0;
  const lfb_merged source = lfb_merged_begin(from);

  if (from->layer_count == 0) {
    merged->items += from->items;
    return !force && merged->items > from->recipe.capacity ? LFB_ERROR_FULL : LFB_OK;
  }
  const lfb_merged sum = merged_sum(merged, &source, merged_way(merged, &source, fixed));

  if (sum.layers > LFB_VALUE_LAYERS)
    return LFB_ERROR_TOO_MANY_LAYERS;
  if (!force && (fixed ? sum.items > sum.newest->capacity
                       : recipe_left(&from->recipe, sum.error) <= 0))
    return LFB_ERROR_CANNOT_GROW;
  if (max_bytes > 0 && sum.bytes > max_bytes && sum.bytes > merged->bytes)
    return LFB_ERROR_OVER_LIMIT;
  *merged = sum;
  return LFB_OK;
}

/* Makes a layer the newest. */
static void chain_make_newest(lfb_value *value, uint32_t number)
{
  const lfb_chain_filter layer = value->layers[number];
  const uint32_t last = value->layer_count - 1;

  memmove(value->layers + number, value->layers + number + 1, (last - number) * sizeof layer);
  value->layers[last] = layer;
}

static void chain_drop_newest(lfb_value *value)
{
  lfb_later_free(value->layers[--value->layer_count].filter);
}

/* Into a copy: if one copy of a key finds no room, nothing has changed. */
static lfb_status removable_merge(lfb_value *into, const lfb_value *from)
{
  lfb_any sum;

  lfb_status status = lfb_any_copy(into->any, &sum);
  if (status != LFB_OK)
    return status;
  status = lfb_counting_put_all(sum.counting, from->any.counting);
  lfb_any_free(status == LFB_OK ? into->any : sum);
  if (status != LFB_OK)
    return status;
  into->any = sum;
  into->items += from->items;
  into->changes++;
  return LFB_OK;
}

lfb_status lfb_value_merge(lfb_value *into, const lfb_value *from)
{
  const uint32_t had = into->layer_count;
  lfb_merged sum = lfb_merged_begin(into);

  lfb_status status = into == from ? LFB_ERROR_SAME_FILTER : lfb_value_fit(into, from);
  if (status == LFB_OK && into->layer_count == 0)
    return removable_merge(into, from);
  if (status == LFB_OK)
    status = lfb_merged_add(&sum, from, 0, true);
  const bool moves = sum.newest == chain_newest(into) || sum.way == LFB_MERGE_REPLACE;
  const uint32_t added =
      sum.way == LFB_MERGE_NOTHING ? 0 : from->layer_count - (sum.way == LFB_MERGE_JOIN);
  if (status == LFB_OK)
    status = lfb_value_copy_layers(from, added, into);
  while (status != LFB_OK && into->layer_count > had)
    chain_drop_newest(into);
  if (status != LFB_OK)
    return status;
  if (moves) /* the old newest one: to its place, or to be dropped */
    chain_make_newest(into, had - 1);
  lfb_chain_filter *newest = &into->layers[into->layer_count - 1];
  if (sum.way == LFB_MERGE_REPLACE)
    chain_drop_newest(into);
  else if (sum.way == LFB_MERGE_JOIN) {
    lfb_later_put_all(newest->filter, chain_newest(from)->filter);
    newest->items = sum.items < newest->capacity ? sum.items : newest->capacity;
  }
  into->items += from->items;
  into->changes++;
  return LFB_OK;
}

/* ---- figures ---------------------------------------------------------------------------- */

uint64_t lfb_value_capacity(const lfb_value *value)
{
  uint64_t capacity = 0;

  if (value->recipe.kind != LFB_VALUE_CHAIN)
    return value->recipe.capacity;
  for (uint32_t i = 0; i < value->layer_count; i++) {
    const uint64_t more = value->layers[i].capacity;
    capacity = capacity > UINT64_MAX - more ? UINT64_MAX : capacity + more;
  }
  return capacity;
}

double lfb_value_error(const lfb_value *value)
{
  double none = 0; /* the logarithm of the probability that no layer answers "maybe" */

  if (value->any.kind != LFB_KIND_NONE) {
    lfb_figures figures;
    lfb_any_stats(value->any, &figures);
    return figures.all.expected_fpp;
  }
  for (uint32_t i = 0; i < value->layer_count; i++) {
    const lfb_filter *filter = value->layers[i].filter;
    lfb_stats stats;
    lfb_stats_fill(&filter->description, lfb_later_bits(filter), lfb_filter_full_words(filter),
                   &stats);
    none += log1p(-stats.expected_fpp);
  }
  return 0 - expm1(none); /* not -0 */
}

uint64_t lfb_value_memory(const lfb_value *value)
{
  uint64_t memory = sizeof *value + value->layers_allocated * sizeof *value->layers +
                    value->any_memory +
                    (value->coming == NULL ? lfb_arrived_size(value->loading)
                                           : lfb_coming_memory(value->coming));

  for (uint32_t i = 0; i < value->layer_count; i++)
    memory += value->layers[i].memory;
  return memory;
}
