/*
 * recipe.h - the parameters of an empty value of the module for Redis (redis/module/value.h).
 */
#ifndef LFB_REDIS_DUMP_RECIPE_H
#define LFB_REDIS_DUMP_RECIPE_H

#include <lfbloom/filter.h>

/* What kind of value it is; written in RDB files. */
typedef enum lfb_value_kind {
  LFB_VALUE_CHAIN = 1,
  LFB_VALUE_WINDOW = 2,
} lfb_value_kind;

enum {
  LFB_VALUE_LAYERS = 1024, /* the most layers of one chain */
};

/* It never changes. */
typedef struct lfb_recipe {
  lfb_value_kind kind;
  uint64_t capacity;    /* keys: of the first layer, or of a window's span              */
  double error;         /* probability of a false positive, of the whole                */
  uint32_t expansion;   /* chain: how much larger the next layer is; 0: it has only one */
  uint32_t generations; /* window: 3 or 7                                               */
  uint64_t period_ms;   /* window: length of a generation; 0: by insertions             */
  lfb_hash_id hash;     /* with its seed or key, as in lfb_config                       */
  uint64_t seed;
  uint8_t key[16];
  bool keep_key;
} lfb_recipe;

/* Whether the hash has the seed or the key that it needs, so that the library draws none. */
bool lfb_recipe_has_hash(const lfb_recipe *recipe);

#endif
