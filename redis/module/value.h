/*
 * value.h - what a key of the module holds: a chain of plain filters that grows, or a window.
 *
 * A chain begins with one filter, its first layer.  When as many keys have been added as the newest
 * layer is made for, the next layer is added: for `expansion` times the keys, and with a lower
 * probability of a false positive.  A chain that does not scale has one layer for ever.
 *
 * The same operations on equal values give equal values, bit for bit, on any server: growth follows
 * from the number of added keys alone, and the hash with its key is part of the value.  That is
 * what replicas and the AOF need.  (lfbloom/growing.h grows by the number of set bits, which
 * threads collect in counters of their own: when it grows depends on the number of processors.)
 *
 * Threads  Redis calls all functions in one thread, except for lfb_value_free().
 */
#ifndef LFB_REDIS_MODULE_VALUE_H
#define LFB_REDIS_MODULE_VALUE_H

#include <lfbloom/any.h>

#include "redis/dump/head.h"
#include "redis/module/coming.h"

/* One filter of a chain. */
typedef struct lfb_chain_filter {
  lfb_filter *filter;
  uint64_t capacity; /* keys that it is made for                 */
  uint64_t items;    /* keys that were added as new              */
  uint64_t memory;   /* bytes that it takes of Redis' allocator  */
} lfb_chain_filter;

/* The checksums of a layer's MiB (docs/formats.md), for BF.SCANDUMP. */
typedef struct lfb_scanned {
  uint64_t *sums; /* 0: it has not been read */
  uint32_t layer;
  uint64_t changes; /* of the value then */
} lfb_scanned;

typedef struct lfb_value {
  lfb_recipe recipe;
  uint64_t items;   /* keys that were added as new                                   */
  uint64_t changes; /* grows with each change                                        */

  lfb_chain_filter *layers; /* of a chain, oldest first                                     */
  uint32_t layer_count;
  uint32_t layers_allocated; /* entries of `layers` */

  lfb_window *window;
  uint64_t window_memory;
  uint64_t period_items; /* window: keys that were put into the current generation         */
  uint64_t began_ms;     /* window: when that began, in milliseconds since 1970      */

  lfb_arrived *loading;   /* NULL, or the value waits for its body: only dump.h may use it   */
  lfb_coming *coming;    /* NULL, or of a chain: then `loading` only counts the bytes         */
  uint32_t waits_layers; /* what its head has announced: layers, and items of the newest  */
  uint64_t waits_items;
  lfb_scanned scanned; /* only dump.h may use it */
} lfb_value;

/* How adding went. */
typedef enum lfb_added {
  LFB_ADDED_ALL,
  LFB_ADDED_FULL,     /* the chain does not scale, and it is full   */
  LFB_ADDED_NO_LAYER, /* the next layer was refused: value->refused */
} lfb_added;

enum {
  LFB_VALUE_MANY = 256, /* the most keys of one call */
};

/* Chooses the hash of a recipe, with a random key or seed.  Takes LFB_HASH_DEFAULT, too. */
LFB_CHECKED lfb_status lfb_recipe_draw(lfb_recipe *recipe, lfb_hash_id hash);

/*
 * Makes an empty value.
 *
 * Takes  max_bytes  the most bytes of the first layer or the window; 0: no limit.
 * Fails  as lfb_filter_create() and lfb_window_create(), and LFB_ERROR_OVER_LIMIT.
 * Owner  the caller, until lfb_value_free().
 */
LFB_CHECKED lfb_status lfb_value_create(const lfb_recipe *recipe, uint64_t max_bytes,
                                        lfb_value **value);

/* Frees a value; any thread.  NULL is ignored. */
void lfb_value_free(lfb_value *value);

/* Copies the layers of a chain that another one does not have yet.  Fails: LFB_ERROR_NO_MEMORY;
 * some may be copied then. */
LFB_CHECKED lfb_status lfb_value_copy_layers(const lfb_value *from, lfb_value *to);

/*
 * Adds keys, in order.
 *
 * Takes   keys       at most LFB_VALUE_MANY.
 *         max_bytes  the most bytes of all layers together; 0: no limit.
 * Gives   answers    bit i: key i was new.  (LFB_VALUE_MANY + 63) / 64 words.
 *         done       how many keys it has added or found; fewer than `count` only if it did not
 *                    return LFB_ADDED_ALL.
 *         refused    for LFB_ADDED_NO_LAYER: why.
 */
lfb_added lfb_value_add(lfb_value *value, const lfb_key *keys, size_t count, uint64_t max_bytes,
                        uint64_t *answers, size_t *done, lfb_status *refused);

/* Gives bit i: key i may be present.  As lfb_value_add(). */
void lfb_value_exist(const lfb_value *value, const lfb_key *keys, size_t count, uint64_t *answers);

/* Whether two values are chains of one recipe: LFB_OK, or LFB_ERROR_STRATEGY_DIFFERS (one is a
 * window), _BIT_COUNT_DIFFERS (their sizes differ), _HASH_DIFFERS. */
LFB_CHECKED lfb_status lfb_value_fit(const lfb_value *a, const lfb_value *b);

/*
 * Puts all keys of one chain into another that fits (lfb_value_fit()), layer by layer.
 *
 * A key of both counts twice: items is a sum, because estimates from bits may differ in their last
 * digit from one processor to another, and replicas must not.
 *
 * Fails  LFB_ERROR_SAME_FILTER; as lfb_value_fit(); LFB_ERROR_NO_MEMORY, LFB_ERROR_OVER_LIMIT.
 *        Then nothing has changed.
 */
LFB_CHECKED lfb_status lfb_value_merge(lfb_value *into, const lfb_value *from, uint64_t max_bytes);

/*
 * Ends the generations of a window that are over, by the clock.  More of them than a window has are
 * as many as it has: all keys are forgotten.
 *
 * Gives  how many it has ended.
 */
uint32_t lfb_value_tick(lfb_value *value, uint64_t now_ms);

/* Ends `steps` generations of a window; the current one then began at began_ms. */
void lfb_value_advance(lfb_value *value, uint32_t steps, uint64_t began_ms);

/* Keys that the value is made for, as far as it has grown. */
uint64_t lfb_value_capacity(const lfb_value *value);

/* Bytes of the words of all layers of a chain. */
uint64_t lfb_value_bytes(const lfb_value *value);

/* Bytes of memory that it takes. */
uint64_t lfb_value_memory(const lfb_value *value);

/* How many values there are. */
uint64_t lfb_value_count(void);

/* What layer `number` of a chain is made for. */
uint64_t lfb_recipe_layer_capacity(const lfb_recipe *recipe, uint32_t number);

/* Adds a filter as the newest layer of a chain, which owns it from then on, also on failure:
 * LFB_ERROR_NO_MEMORY. */
LFB_CHECKED lfb_status lfb_value_add_layer(lfb_value *value, lfb_filter *filter, uint64_t memory);

/* Makes a chain without layers, or a window's value without its window. */
LFB_CHECKED lfb_status lfb_value_begin(const lfb_recipe *recipe, lfb_value **value);

#endif
