/* info.c - INFO lfbloom: the version, the hash of new filters, how many there are, their memory. */
#include "redis/module/info.h"

#include <lfbloom/version.h>

#include "redis/module/memory.h"
#include "redis/module/settings.h"
#include "redis/module/value.h"

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

bool lfb_info_register(lfb_redis_context *context)
{
  return lfb_redis.RegisterInfoFunc(context, info_fill) == REDIS_OK;
}
