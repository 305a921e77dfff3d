/* api.c - finds Redis' functions for modules. */
#include "redis/module/api.h"

#include <string.h>

lfb_redis_functions lfb_redis;

/* Redis' function that writes the address of another one to `*function`. */
typedef int (*find_fn)(const char *name, void *function);

bool lfb_redis_find(lfb_redis_context *context)
{
  find_fn find;
  bool all = true;

  memcpy(&find, context, sizeof find); /* the first word of a context */
#define REDIS_FIND(result, name, parameters)                           \
  if (find("RedisModule_" #name, (void *)&lfb_redis.name) != REDIS_OK) \
    all = false;
  LFB_REDIS_FUNCTIONS(REDIS_FIND)
#undef REDIS_FIND
#define REDIS_FIND(result, name, parameters)                           \
  if (find("RedisModule_" #name, (void *)&lfb_redis.name) != REDIS_OK) \
    lfb_redis.name = NULL;
  LFB_REDIS_OPTIONAL(REDIS_FIND)
#undef REDIS_FIND
  return all;
}
