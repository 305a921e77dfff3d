/* asking.c - BF.EXISTS, BF.MEXISTS, BF.DEL, BF.CARD, BF.INFO. */
#include <string.h>

#include "redis/module/commands.h"
#include "redis/module/settings.h"

/* ---- keys -------------------------------------------------------------------------------- */

/* Replies to each word whether it may be present, or whether it was removed. */
static void reply_answers(lfb_redis_context *context, lfb_value *value, bool remove,
                          lfb_redis_string **words, size_t count)
{
  uint64_t answers[(LFB_VALUE_MANY + 63) / 64];
  lfb_key keys[LFB_VALUE_MANY];

  for (size_t done = 0, some; done < count; done += some) {
    some = lfb_keys_take(words + done, count - done, keys);
    if (remove)
      lfb_value_remove(value, keys, some, answers);
    else
      lfb_value_exist(value, keys, some, answers);
    for (size_t i = 0; i < some; i++)
      (void)lfb_redis.ReplyWithBool(context, lfb_answer(answers, i));
  }
}

static int exist(lfb_redis_context *context, lfb_redis_string **words, size_t count, bool many)
{
  lfb_open_key key = lfb_key_open(context, words[1], REDIS_READ);

  if (key.found != LFB_FOUND_VALUE && key.found != LFB_FOUND_NOTHING)
    return lfb_key_refuse(&key);
  if (many)
    (void)lfb_redis.ReplyWithArray(context, (long)count);
  if (key.found == LFB_FOUND_VALUE) {
    lfb_key_tick(&key);
    reply_answers(context, key.value, false, words + 2, count);
  } else {
    for (size_t i = 0; i < count; i++)
      (void)lfb_redis.ReplyWithBool(context, 0);
  }
  lfb_key_close(&key);
  return REDIS_OK;
}

int lfb_command_exists(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  return count == 3 ? exist(context, words, 1, false) : lfb_redis.WrongArity(context);
}

int lfb_command_mexists(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  return count >= 3 ? exist(context, words, (size_t)count - 2, true)
                    : lfb_redis.WrongArity(context);
}

/* BF.DEL key item [item ...]: with one item the reply is no array. */
int lfb_command_del(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  if (count < 3)
    return lfb_redis.WrongArity(context);
  lfb_open_key key = lfb_key_open(context, words[1], REDIS_READ | REDIS_WRITE);
  if (key.found != LFB_FOUND_VALUE)
    return lfb_key_refuse(&key);
  if (key.value->any.kind != LFB_KIND_COUNTING)
    return lfb_key_error(&key, "ERR no item can be deleted from this key: make one by BF.RESERVE "
                               "key error capacity REMOVABLE");
  const uint64_t changes = key.value->changes;
  if (count > 3)
    (void)lfb_redis.ReplyWithArray(context, count - 2);
  reply_answers(context, key.value, true, words + 2, (size_t)count - 2);
  if (key.value->changes != changes) {
    (void)lfb_redis.ReplicateVerbatim(context);
    (void)lfb_redis.NotifyKeyspaceEvent(context, REDIS_NOTIFY_MODULE, "bf.del", key.name);
  }
  lfb_key_close(&key);
  return REDIS_OK;
}

/* ---- figures -------------------------------------------------------------------------------- */

int lfb_command_card(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  if (count != 2)
    return lfb_redis.WrongArity(context);
  lfb_open_key key = lfb_key_open(context, words[1], REDIS_READ);
  if (key.found != LFB_FOUND_VALUE && key.found != LFB_FOUND_NOTHING)
    return lfb_key_refuse(&key);
  const uint64_t items = key.found == LFB_FOUND_VALUE ? key.value->items : 0;
  lfb_key_close(&key);
  return lfb_redis.ReplyWithLongLong(context, (long long)items);
}

/* The fields of BF.INFO. */
static const struct info_field {
  const char *option, *name;
} info_fields[] = {
    {"capacity", "Capacity"},
    {"size", "Size"},
    {"filters", "Number of filters"},
    {"items", "Number of items inserted"},
    {"expansion", "Expansion rate"},
    {"error", "Error rate"},
    {"errornow", "Error now"},
    {"kind", "Kind"},
    {"refused", "Items refused"},
};
enum { INFO_FIELDS = sizeof info_fields / sizeof *info_fields };

static int info_number(lfb_redis_context *context, uint64_t number)
{
  return lfb_redis.ReplyWithLongLong(context,
                                     number > INT64_MAX ? INT64_MAX : (long long)number);
}

static int info_reply(lfb_redis_context *context, size_t row, const lfb_value *value)
{
  static const char *const kinds[] = {"", "filter", "window", "removable"};
  lfb_figures figures = {.kind = LFB_KIND_NONE};

  switch (row) {
  case 0: return info_number(context, lfb_value_capacity(value));
  case 1: return info_number(context, lfb_value_memory(value));
  case 2: return info_number(context, value->layer_count > 0 ? value->layer_count : 1);
  case 3: return info_number(context, value->items);
  case 4:
    return value->recipe.expansion == 0 ? lfb_redis.ReplyWithNull(context)
                                        : info_number(context, value->recipe.expansion);
  case 5: return lfb_redis.ReplyWithDouble(context, value->recipe.error);
  case 6: return lfb_redis.ReplyWithDouble(context, lfb_value_error(value));
  case 7: return lfb_redis.ReplyWithSimpleString(context, kinds[value->recipe.kind]);
  default:
    if (value->any.kind == LFB_KIND_COUNTING)
      lfb_any_stats(value->any, &figures);
    return info_number(context, figures.all.puts_refused);
  }
}

/* One field: a map with RESP3, and with RESP2 an array without the name. */
static int info_one(lfb_open_key *key, const lfb_redis_string *option)
{
  lfb_redis_context *context = key->context;

  for (size_t i = 0; i < INFO_FIELDS; i++) {
    if (!lfb_word_is(option, info_fields[i].option) && !lfb_word_is(option, info_fields[i].name))
      continue;
    if (lfb_redis.GetContextFlags(context) & REDIS_FLAG_RESP3) {
      (void)lfb_redis.ReplyWithMap(context, 1);
      (void)lfb_redis.ReplyWithSimpleString(context, info_fields[i].name);
    } else {
      (void)lfb_redis.ReplyWithArray(context, 1);
    }
    (void)info_reply(context, i, key->value);
    lfb_key_close(key);
    return REDIS_OK;
  }
  return lfb_key_error(key, "Invalid information value");
}

int lfb_command_info(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  if (count != 2 && count != 3)
    return lfb_redis.WrongArity(context);
  lfb_open_key key = lfb_key_open(context, words[1], REDIS_READ);
  if (key.found != LFB_FOUND_VALUE)
    return lfb_key_refuse(&key);
  if (count == 3)
    return info_one(&key, words[2]);
  (void)lfb_redis.ReplyWithMap(context, INFO_FIELDS);
  for (size_t i = 0; i < INFO_FIELDS; i++) {
    (void)lfb_redis.ReplyWithSimpleString(context, info_fields[i].name);
    (void)info_reply(context, i, key.value);
  }
  lfb_key_close(&key);
  return REDIS_OK;
}
