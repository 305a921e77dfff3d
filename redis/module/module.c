/* module.c - the entry point: what Redis calls when it loads the module. */
#include <lfbloom/version.h>

#include "redis/module/commands.h"
#include "redis/module/info.h"
#include "redis/module/memory.h"
#include "redis/module/settings.h"
#include "redis/module/type.h"

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
                 lfb_info_register(context)
             ? lfb_settings_begin(context, words, count)
             : REDIS_ERROR;
}
