/* module.c - the entry point: what Redis calls when it loads the module; finds Redis' functions. */
#include <lfbloom/version.h>
#include <string.h>

#include "redis/module/commands.h"
#include "redis/module/memory.h"
#include "redis/module/settings.h"
#include "redis/module/value.h"

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

/* INFO lfbloom: the version, the hash of new filters, how many there are, their memory. */
static void info_fill(lfb_redis_info *info, int for_crash)
{
  const lfb_hash_id hash = lfb_module_settings.hash;

  (void)for_crash;
  (void)lfb_redis.InfoAddSection(info, ""); /* Redis calls it lfbloom, and fields lfbloom_... */
  (void)lfb_redis.InfoAddFieldCString(info, "version", lfb_version_text());
  (void)lfb_redis.InfoAddFieldCString(
      info, "hash", hash == LFB_HASH_DEFAULT ? "default" : lfb_hash_name(hash));
  (void)lfb_redis.InfoAddFieldULongLong(info, "filters", lfb_value_count());
  (void)lfb_redis.InfoAddFieldULongLong(info, "memory", lfb_memory_all());
}

/* The only name that the module exports. */
__attribute__((visibility("default"))) int RedisModule_OnLoad(lfb_redis_context *context,
                                                              lfb_redis_string **words, int count);

int RedisModule_OnLoad(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  if (!lfb_redis_find(context) || lfb_redis.IsModuleNameBusy("lfbloom"))
    return REDIS_ERROR;
  lfb_memory_begin();
  lfb_redis.SetModuleAttribs(context, "lfbloom", LFB_VERSION, REDIS_API_VERSION);
  lfb_redis.SetModuleOptions(context, REDIS_OPTION_HANDLE_IO_ERRORS);
  return lfb_type_register(context) && lfb_commands_register(context) &&
                 lfb_redis.RegisterInfoFunc(context, info_fill) == REDIS_OK
             ? lfb_settings_begin(context, words, count)
             : REDIS_ERROR;
}
