/*
 * module_key.h - a key of the module lfbloom_redis.so, as a client sees it.
 *
 * module_load.c reads one by BF.SCANDUMP, module_save.c makes one by BF.LOADCHUNK; layout_module.c
 * puts into it and queries it; redis/dump has the bytes, docs/module.md the commands.
 */
#ifndef LFB_REDIS_MODULE_KEY_H
#define LFB_REDIS_MODULE_KEY_H

#include "redis/link/ask.h"

LFB_EXTERN_C_BEGIN

/* What exists under a name. */
typedef enum lfb_redis_type {
  LFB_KEY_NONE,
  LFB_KEY_HASH,
  LFB_KEY_STRING,
  LFB_KEY_MODULE,
  LFB_KEY_OTHER,
} lfb_redis_type;

/* Each layer of a growing filter has twice the keys of the one before. */
enum { LFB_MODULE_EXPANSION = 2 };

/* Asks for the type of a key.  Fails as lfb_link_run(). */
lfb_status lfb_key_find(lfb_link *link, lfb_key name, lfb_redis_type *type);

/* Whether a reply is an error that begins with `text`. */
bool lfb_module_says(const redisReply *reply, const char *text);

/*
 * The status of a reply of the module.
 *
 * Returns LFB_OK, also for a reply that is no error; LFB_ERROR_MODULE_MISSING, _MODULE_CHANGED;
 *         LFB_ERROR_REDIS_UNFINISHED: chunks are missing; LFB_ERROR_OVER_LIMIT, _REDIS_MEMORY,
 *         _REDIS_ABSENT, _REDIS_NO_FILTER; LFB_ERROR_CANNOT_GROW: it is full; else as
 *         lfb_reply_status().
 */
lfb_status lfb_module_status(const redisReply *reply);

LFB_EXTERN_C_END

#endif
