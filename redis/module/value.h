/*
 * value.h - what a key of the module holds: a chain of plain filters that grows, a window, or a
 * counting filter of strategy tags, from which keys can be removed (lfbloom/counting.h).
 *
 * A chain begins with one filter, its first layer.  When as many keys have been added as the newest
 * layer is made for, the next layer is added: for `expansion` times the keys, and with a lower
 * probability of a false positive.  A chain that does not scale has one layer for ever.
 *
 * Error  If the layers of a chain leave the share l of p, the next one has p * l^2 / (3 + l), as
 *        those of lfbloom/growing.h: the layers from number i on have p * 3 / (i + 3) together, and
 *        all have p.  It has p * l^2 / (2.1 + l) where the allocator has a smaller block for that.
 *        The later ones share what is left, also after a merge, which appends layers.
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

#include "atomic/words/pages.h"
#include "redis/dump/head.h"
#include "redis/module/coming.h"

/* One filter of a chain. */
typedef struct lfb_chain_filter {
  lfb_filter *filter;
  uint64_t capacity; /* keys that it is made for                               */
  uint64_t items;    /* of the newest: keys that were added as new; at most `capacity` */
  uint64_t memory;   /* bytes that it takes of Redis' allocator                */
} lfb_chain_filter;

/* The checksums of a layer's MiB (docs/formats.md), for BF.SCANDUMP. */
typedef struct lfb_scanned {
  uint64_t *sums; /* 0: it has not been read */
  uint32_t layer;
  uint64_t changes; /* of the value then */
} lfb_scanned;

typedef struct lfb_value {
  lfb_recipe recipe;
  uint64_t items;   /* keys that were added as new; removable: copies that are present */
  uint64_t changes; /* grows with each change, from a random number on               */

  lfb_chain_filter *layers; /* of a chain; keys are put into the last one, the newest       */
  uint32_t layer_count;
  uint32_t layers_allocated; /* entries of `layers` */

  lfb_any any; /* a window, or what is removable; of a chain: none */
  uint64_t any_memory;
  uint64_t period_items; /* window: keys that were put into the current generation         */
  uint64_t began_ms;     /* window: when that began, in milliseconds since 1970      */

  lfb_arrived *loading;   /* NULL, or the value waits for its body: only dump.h may use it   */
  lfb_coming *coming;    /* NULL, or of a chain: then `loading` only counts the bytes         */
  uint32_t waits_layers; /* what its head has announced: layers, and items of the newest  */
  uint64_t waits_items;
  uint32_t waits_edition;
  lfb_scanned scanned; /* only dump.h may use it */
} lfb_value;

/* How adding went. */
typedef enum lfb_added {
  LFB_ADDED_ALL,
  LFB_ADDED_FULL,     /* the chain does not scale, and it is full   */
  LFB_ADDED_NO_LAYER, /* the next layer was refused: value->refused */
} lfb_added;

enum { LFB_VALUE_MANY = 256 }; /* the most keys of one call */

/* Chooses the hash of a recipe, with a random key or seed.  Takes LFB_HASH_DEFAULT, too. */
LFB_CHECKED lfb_status lfb_recipe_draw(lfb_recipe *recipe, lfb_hash_id hash);

/*
 * Makes an empty value.
 *
 * Takes  max_bytes  the most bytes of the first layer or of the whole; 0: no limit.
 * Fails  as lfb_filter_create(), lfb_window_create() and lfb_counting_create(), and
 *        LFB_ERROR_OVER_LIMIT.
 *        LFB_ERROR_FPP_TOO_LOW: below 1e-12, if the value is a chain that scales.
 * Owner  the caller, until lfb_value_free().
 */
LFB_CHECKED lfb_status lfb_value_create(const lfb_recipe *recipe, uint64_t max_bytes,
                                        lfb_value **value);

/* Frees a value; any thread.  NULL is ignored. */
void lfb_value_free(lfb_value *value);

/* Copies the first `count` layers of a chain to the end of another one.  Fails:
 * LFB_ERROR_NO_MEMORY; some may be copied then. */
LFB_CHECKED lfb_status lfb_value_copy_layers(const lfb_value *from, uint32_t count, lfb_value *to);

/*
 * Adds keys, in order.
 *
 * Takes   keys       at most LFB_VALUE_MANY.
 *         max_bytes  the most bytes of all layers together; 0: no limit.
 * Gives   answers    bit i: key i was new; removable: it is present once more, else there was no
 *                    room for it.  (LFB_VALUE_MANY + 63) / 64 words.
 *         done       how many keys it has added or found; fewer than `count` only if it did not
 *                    return LFB_ADDED_ALL.
 *         refused    for LFB_ADDED_NO_LAYER: why.
 */
lfb_added lfb_value_add(lfb_value *value, const lfb_key *keys, size_t count, uint64_t max_bytes,
                        uint64_t *answers, size_t *done, lfb_status *refused);

/* Gives bit i: key i may be present.  As lfb_value_add(). */
void lfb_value_exist(const lfb_value *value, const lfb_key *keys, size_t count, uint64_t *answers);

/* Removes keys from a removable value, once each.  Gives bit i: it did so.  As lfb_value_add(). */
void lfb_value_remove(lfb_value *value, const lfb_key *keys, size_t count, uint64_t *answers);

/* Whether one value can be merged into the other: both are chains or removable, of one recipe.
 * LFB_OK, or LFB_ERROR_STRATEGY_DIFFERS (they are not), _BIT_COUNT_DIFFERS (their sizes differ),
 * _HASH_DIFFERS. */
LFB_CHECKED lfb_status lfb_value_fit(const lfb_value *a, const lfb_value *b);

/* What a merge does with the newest layers of both chains. */
typedef enum lfb_merge_way {
  LFB_MERGE_NOTHING, /* the other chain is empty                      */
  LFB_MERGE_JOIN,    /* they become one                               */
  LFB_MERGE_REPLACE, /* this chain is empty, and gets the other's all */
  LFB_MERGE_APPEND,  /* both stay                                     */
} lfb_merge_way;

/* What a chain will be after merges. */
typedef struct lfb_merged {
  const lfb_chain_filter *newest; /* NULL: the chain is still to be made */
  uint64_t items;                 /* of the newest layer                 */
  uint64_t layers, bytes;         /* of the words                        */
  double error;      /* of all layers together, each as full as it may be */
  lfb_merge_way way; /* of the last merge                                 */
} lfb_merged;

/* What a chain is before merges; NULL: it is still to be made. */
lfb_merged lfb_merged_begin(const lfb_value *into);

/*
 * Adds a value that fits (lfb_value_fit()).
 *
 * Takes  max_bytes  what no merge makes it larger than; 0: no limit.
 *        force      whether the error that the recipe promises may be exceeded.
 * Fails  LFB_ERROR_CANNOT_GROW: the error would be exceeded, or, of a chain that does not scale,
 *        the capacity; LFB_ERROR_TOO_MANY_LAYERS, LFB_ERROR_OVER_LIMIT; removable: LFB_ERROR_FULL.
 */
LFB_CHECKED lfb_status lfb_merged_add(lfb_merged *merged, const lfb_value *from, uint64_t max_bytes,
                                      bool force);

/*
 * Puts all keys of one value into another.  The two newest layers of chains become one if it can
 * hold the keys of both, and always in a chain that does not scale.  All others are appended.
 *
 * A key of both counts twice: estimates from bits may differ from one processor to another, and
 * replicas must not.
 *
 * Takes  what lfb_merged_add() has allowed.
 * Fails  LFB_ERROR_SAME_FILTER, _TOO_MANY_LAYERS, _NO_MEMORY, _FULL; as lfb_value_fit().  Then
 *        nothing has changed.
 */
LFB_CHECKED lfb_status lfb_value_merge(lfb_value *into, const lfb_value *from);

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

/* The probability of a false positive now.  While a merge into the chain is still being done, at
 * most as if the keys of both were different.  A window counts its bits: 0.1 s per GiB. */
double lfb_value_error(const lfb_value *value);

/* Bytes of all words. */
uint64_t lfb_value_bytes(const lfb_value *value);

/* The words of a value that is no chain. */
const lfb_pages *lfb_value_pages(const lfb_value *value);

/* Bytes of memory that it takes. */
uint64_t lfb_value_memory(const lfb_value *value);

/* How many values there are. */
uint64_t lfb_value_count(void);

/* Whether a chain can have a layer for `capacity` keys. */
bool lfb_recipe_has_capacity(const lfb_recipe *recipe, uint64_t capacity);

/* Adds a filter as the newest layer of a chain, which owns it from then on, also on failure:
 * LFB_ERROR_NO_MEMORY. */
LFB_CHECKED lfb_status lfb_value_add_layer(lfb_value *value, lfb_filter *filter, uint64_t memory);

/* Makes a chain without layers, or another value without its filter. */
LFB_CHECKED lfb_status lfb_value_begin(const lfb_recipe *recipe, lfb_value **value);

#endif
