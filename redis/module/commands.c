/* commands.c - what all commands need of a key. */
#include "redis/module/commands.h"

#include <stdio.h>
#include <unistd.h>

#include "redis/dump/chunk.h"
#include "redis/module/dump.h"
#include "redis/module/settings.h"

lfb_open_key lfb_key_open(lfb_redis_context *context, lfb_redis_string *name, int mode)
{
  lfb_open_key open = {
      .context = context,
      .name = name,
      .key = lfb_redis.OpenKey(context, name, mode),
      .found = LFB_FOUND_OTHER,
  };

  if (open.key == NULL) {
    open.found = LFB_FOUND_NOTHING;
    return open;
  }
  const int type = lfb_redis.KeyType(open.key);
  if (type == REDIS_TYPE_EMPTY) {
    open.found = LFB_FOUND_NOTHING;
  } else if (type == REDIS_TYPE_MODULE &&
             lfb_redis.ModuleTypeGetType(open.key) == lfb_module_type) {
    open.value = lfb_redis.ModuleTypeGetValue(open.key);
    open.found = open.value->loading == NULL ? LFB_FOUND_VALUE : LFB_FOUND_LOADING;
  }
  return open;
}

void lfb_key_close(lfb_open_key *key)
{
  if (key->key != NULL)
    lfb_redis.CloseKey(key->key);
  key->key = NULL;
}

int lfb_key_error(lfb_open_key *key, const char *text)
{
  lfb_key_close(key);
  return lfb_redis.ReplyWithError(key->context, text);
}

int lfb_key_refuse(lfb_open_key *key)
{
  switch (key->found) {
  case LFB_FOUND_VALUE: return lfb_key_error(key, LFB_SAYS_EXISTS);
  case LFB_FOUND_NOTHING: return lfb_key_error(key, LFB_SAYS_ABSENT);
  case LFB_FOUND_LOADING:
    return lfb_key_error(key, LFB_SAYS_INCOMPLETE ": load its other chunks, or delete it");
  default:
    return lfb_key_error(key, "WRONGTYPE Operation against a key holding the wrong kind of value");
  }
}

int lfb_key_fail(lfb_open_key *key, lfb_status status)
{
  char text[256];

  if (status == LFB_ERROR_OVER_LIMIT)
    return lfb_key_error(key, LFB_SAYS_TOO_LARGE ", or than this host's memory");
  if (status == LFB_ERROR_NO_MEMORY)
    return lfb_key_error(key, LFB_SAYS_NO_MEMORY " to create filter");
  (void)snprintf(text, sizeof text, "ERR %s", lfb_status_text(status));
  return lfb_key_error(key, text);
}

int lfb_key_done(lfb_open_key *key)
{
  lfb_key_close(key);
  return lfb_redis.ReplyWithSimpleString(key->context, "OK");
}

void lfb_key_delete(lfb_open_key *key)
{
  (void)lfb_redis.DeleteKey(key->key);
  (void)lfb_redis.Replicate(key->context, "DEL", "s", key->name);
}

lfb_status lfb_key_make(lfb_open_key *key, const lfb_recipe *recipe)
{
  unsigned char head[LFB_DUMP_HEAD];
  lfb_recipe whole = *recipe;

  lfb_status status =
      lfb_recipe_has_hash(recipe) ? LFB_OK : lfb_recipe_draw(&whole, lfb_module_settings.hash);
  if (status == LFB_OK)
    status = lfb_value_create(&whole, lfb_limit(key->context), &key->value);
  if (status != LFB_OK)
    return status;
  if (recipe->period_ms > 0)
    key->value->began_ms = (uint64_t)lfb_redis.Milliseconds();
  (void)lfb_redis.ModuleTypeSetValue(key->key, lfb_module_type, key->value);
  key->found = LFB_FOUND_VALUE;
  lfb_dump_head(key->value, LFB_DUMP_EMPTY, head);
  (void)lfb_redis.Replicate(key->context, "BF.LOADCHUNK", "slb", key->name, 1LL,
                            (const char *)head, sizeof head);
  (void)lfb_redis.NotifyKeyspaceEvent(key->context, REDIS_NOTIFY_MODULE, "bf.reserve", key->name);
  return LFB_OK;
}

int lfb_key_reserve(lfb_redis_context *context, lfb_redis_string *name, const lfb_recipe *recipe)
{
  lfb_open_key key = lfb_key_open(context, name, REDIS_READ | REDIS_WRITE);

  if (key.found != LFB_FOUND_NOTHING)
    return lfb_key_refuse(&key);
  const lfb_status status = lfb_key_make(&key, recipe);
  return status == LFB_OK ? lfb_key_done(&key) : lfb_key_fail(&key, status);
}

size_t lfb_keys_take(lfb_redis_string **words, size_t count, lfb_key *keys)
{
  const size_t some = count < LFB_VALUE_MANY ? count : LFB_VALUE_MANY;

  for (size_t i = 0; i < some; i++)
    keys[i].bytes = lfb_redis.StringPtrLen(words[i], &keys[i].size);
  return some;
}

void lfb_key_tick(lfb_open_key *key)
{
  lfb_value *value = key->value;

  if (value->recipe.period_ms == 0 ||
      lfb_redis.GetContextFlags(key->context) &
          (REDIS_FLAG_REPLICA | REDIS_FLAG_REPLICATED | REDIS_FLAG_LOADING))
    return;
  /* A question is answered during a pause of writes, and a server that replicates in a pause ends
   * itself. */
  if (lfb_redis.AvoidReplicaTraffic())
    return;
  const uint32_t steps = lfb_value_tick(value, (uint64_t)lfb_redis.Milliseconds());
  if (steps > 0)
    (void)lfb_redis.Replicate(key->context, "BF.WINDOW.ADVANCE", "sll", key->name,
                              (long long)steps, (long long)value->began_ms);
}

/* The kernel grants more than there is, and ends the server when it is used. */
static uint64_t host_memory(void)
{
  static uint64_t memory;

  if (memory == 0) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
  }
  return memory;
}

uint64_t lfb_limit(lfb_redis_context *context)
{
  const int flags = lfb_redis.GetContextFlags(context);
  const uint64_t set = (uint64_t)lfb_module_settings.max_bytes;

  if (flags & (REDIS_FLAG_REPLICATED | REDIS_FLAG_LOADING))
    return 0;
  return set > 0 && set < host_memory() ? set : host_memory();
}
