/*
 * head.h - the head of a value of the module for Redis: what its bytes begin with in RDB files, in
 * the AOF, and in BF.SCANDUMP and BF.LOADCHUNK.
 *
 * The body follows: each layer of a chain in lfbloom's native form, or the window or the counting
 * filter in its form (docs/formats.md).  A head has a checksum, and may come from an attacker:
 * whatever does not fit is refused.  The module and its clients share it.
 */
#ifndef LFB_REDIS_DUMP_HEAD_H
#define LFB_REDIS_DUMP_HEAD_H

#include "bloom/filter/description.h"
#include "bloom/hashing/murmur.h"

/* What kind of value it is; written in RDB files. */
typedef enum lfb_value_kind {
  LFB_VALUE_CHAIN = 1,
  LFB_VALUE_WINDOW = 2,
  LFB_VALUE_REMOVABLE = 3, /* a counting filter of strategy tags */
} lfb_value_kind;

enum {
  LFB_VALUE_LAYERS = 1024, /* the most layers of one chain */
};

/* It never changes. */
typedef struct lfb_recipe {
  lfb_value_kind kind;
  uint64_t capacity;    /* keys: of the first layer, of a window's span, or of all      */
  double error;         /* probability of a false positive, of the whole                */
  uint32_t expansion;   /* chain: how much larger the next layer is; 0: it has only one */
  uint32_t generations; /* window: 3 or 7                                               */
  uint32_t copies;      /* removable: as lfb_config.copies                              */
  uint64_t period_ms;   /* window: length of a generation; 0: by insertions             */
  lfb_hash_id hash;     /* with its seed or key, as in lfb_config                       */
  uint64_t seed;
  uint8_t key[16];
  bool keep_key;
} lfb_recipe;

/* Whether the hash has the seed or the key that it needs, so that the library draws none. */
bool lfb_recipe_has_hash(const lfb_recipe *recipe);

/* Gives a recipe the hash of a filter, with its seed or key. */
void lfb_recipe_take_hash(lfb_recipe *recipe, const lfb_description *description);

/* Whether two recipes have the same hash, with its seed or key. */
bool lfb_recipe_same_hash(const lfb_recipe *a, const lfb_recipe *b);

/* A filter of strategy fast with the hash of a recipe. */
lfb_config lfb_recipe_config(const lfb_recipe *recipe, uint64_t capacity, double error);

enum {
  LFB_DUMP_HEAD = 128,     /* bytes */
  LFB_DUMP_EDITION = 116, /* where the edition is; the checksum follows */
};

/* What follows a head. */
typedef enum lfb_dump_state {
  LFB_DUMP_EMPTY = 0,  /* nothing: the value is empty                          */
  LFB_DUMP_WHOLE = 1,  /* the body                                             */
  LFB_DUMP_PIECES = 2, /* the beginning of a body: the rest has not come yet   */
} lfb_dump_state;

/* What a head says. */
typedef struct lfb_dump_fields {
  lfb_recipe recipe;
  lfb_dump_state state;
  uint32_t layers;       /* of a chain                                         */
  uint64_t items;        /* keys that were added as new                        */
  uint64_t newest_items; /* of these, in the newest layer, or put into the current generation */
  uint64_t began_ms;     /* window: when that began, in milliseconds since 1970 */
  uint32_t edition;      /* another one after each change; 0: no server has made the head */
} lfb_dump_fields;

/* Writes a head. */
void lfb_dump_fields_write(const lfb_dump_fields *dumped, unsigned char head[LFB_DUMP_HEAD]);

/* The mark of a dump, which each of its chunks has: the checksum of its head. */
static inline uint64_t lfb_dump_mark(const unsigned char head[LFB_DUMP_HEAD])
{
  return lfb_load_le64(head + LFB_DUMP_HEAD - 8);
}

/*
 * Reads a head and checks every field.
 *
 * Fails  LFB_ERROR_UNKNOWN_FORM: it is not a head; _TRUNCATED: `size` is not LFB_DUMP_HEAD;
 *        _UNKNOWN_VERSION, _BAD_CHECKSUM, _BAD_HEADER.
 */
LFB_CHECKED lfb_status lfb_dump_fields_read(const void *head, size_t size, lfb_dump_fields *dumped);

#endif
