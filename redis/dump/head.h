/*
 * head.h - the head of a value of the module for Redis: what its bytes begin with in RDB files, in
 * the AOF, and in BF.SCANDUMP and BF.LOADCHUNK.
 *
 * The body follows: each layer of a chain in lfbloom's native form, or the window in its form
 * (docs/formats.md).  A head has a checksum, and may come from an attacker: whatever does not fit
 * is refused.  The module and its clients share it.
 */
#ifndef LFB_REDIS_DUMP_HEAD_H
#define LFB_REDIS_DUMP_HEAD_H

#include "redis/dump/recipe.h"

enum {
  LFB_DUMP_HEAD = 128, /* bytes */
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
} lfb_dump_fields;

/* Writes a head. */
void lfb_dump_fields_write(const lfb_dump_fields *told, unsigned char head[LFB_DUMP_HEAD]);

/*
 * Reads a head and checks every field.
 *
 * Fails  LFB_ERROR_UNKNOWN_FORM: it is not a head; _TRUNCATED: `size` is not LFB_DUMP_HEAD;
 *        _UNKNOWN_VERSION, _BAD_CHECKSUM, _BAD_HEADER.
 */
LFB_CHECKED lfb_status lfb_dump_fields_read(const void *head, size_t size, lfb_dump_fields *told);

#endif
