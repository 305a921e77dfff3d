/* commands.c - registers the commands; what all of them need of a key. */
#include "redis/module/commands.h"

#include <stdio.h>
#include <unistd.h>

#include "redis/dump/chunk.h"
#include "redis/module/dump.h"
#include "redis/module/settings.h"
#include "redis/module/type.h"

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

int lfb_key_refuse(lfb_open_key *key)
{
  lfb_redis_context *context = key->context;

  lfb_key_close(key);
  switch (key->found) {
  case LFB_FOUND_VALUE: return lfb_redis.ReplyWithError(context, LFB_SAYS_EXISTS);
  case LFB_FOUND_NOTHING: return lfb_redis.ReplyWithError(context, LFB_SAYS_ABSENT);
  case LFB_FOUND_LOADING:
    return lfb_redis.ReplyWithError(
        context, LFB_SAYS_INCOMPLETE ": load its other chunks, or delete it");
  default:
    return lfb_redis.ReplyWithError(
        context, "WRONGTYPE Operation against a key holding the wrong kind of value");
  }
}

int lfb_key_fail(lfb_open_key *key, lfb_status status)
{
  char text[256];

  lfb_key_close(key);
  if (status == LFB_ERROR_OVER_LIMIT)
    return lfb_redis.ReplyWithError(key->context,
                                    LFB_SAYS_TOO_LARGE ", or than this host's memory");
  if (status == LFB_ERROR_NO_MEMORY)
    return lfb_redis.ReplyWithError(key->context, LFB_SAYS_NO_MEMORY " to create filter");
  (void)snprintf(text, sizeof text, "ERR %s", lfb_status_text(status));
  return lfb_redis.ReplyWithError(key->context, text);
}

void lfb_key_create(lfb_open_key *key, lfb_value *value)
{
  unsigned char head[LFB_DUMP_HEAD];

  (void)lfb_redis.ModuleTypeSetValue(key->key, lfb_module_type, value);
  key->value = value;
  key->found = LFB_FOUND_VALUE;
  lfb_dump_head(value, LFB_DUMP_EMPTY, head);
  (void)lfb_redis.Replicate(key->context, "BF.LOADCHUNK", "slb", key->name, 1LL,
                            (const char *)head, sizeof head);
  (void)lfb_redis.NotifyKeyspaceEvent(key->context, REDIS_NOTIFY_MODULE, "bf.reserve", key->name);
}

void lfb_key_tick(lfb_open_key *key)
{
  lfb_value *value = key->value;

  if (value->recipe.period_ms == 0 ||
      lfb_redis.GetContextFlags(key->context) &
          (REDIS_FLAG_REPLICA | REDIS_FLAG_REPLICATED | REDIS_FLAG_LOADING))
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

typedef struct command_row {
  const char *name;
  lfb_redis_command run;
  const char *flags;
  int last_key; /* the first word is the first key; -1: all words are keys */
} command_row;

bool lfb_commands_register(lfb_redis_context *context)
{
  /* A question may end a window's generation, which is replicated. */
  static const char asks[] = "readonly fast may-replicate";
  static const command_row rows[] = {
      {"bf.reserve", lfb_command_reserve, "write deny-oom fast", 1},
      {"bf.like", lfb_command_like, "write deny-oom fast", 2},
      {"bf.window.reserve", lfb_command_window_reserve, "write deny-oom fast", 1},
      {"bf.window.advance", lfb_command_window_advance, "write", 1},
      {"bf.add", lfb_command_add, "write deny-oom fast", 1},
      {"bf.madd", lfb_command_madd, "write deny-oom fast", 1},
      {"bf.insert", lfb_command_insert, "write deny-oom fast", 1},
      {"bf.exists", lfb_command_exists, asks, 1},
      {"bf.mexists", lfb_command_mexists, asks, 1},
      {"bf.card", lfb_command_card, asks, 1},
      {"bf.info", lfb_command_info, asks, 1},
      {"bf.merge", lfb_command_merge, "write deny-oom", -1},
      {"bf.compare", lfb_command_compare, "readonly", 2},
      {"bf.scandump", lfb_command_scandump, "readonly", 1},
      {"bf.loadchunk", lfb_command_loadchunk, "write deny-oom", 1},
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (lfb_redis.CreateCommand(context, rows[i].name, rows[i].run, rows[i].flags, 1,
                                rows[i].last_key, 1) != REDIS_OK)
      return false;
  return true;
}
