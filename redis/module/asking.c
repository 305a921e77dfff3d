/* asking.c - BF.EXISTS, BF.MEXISTS, BF.CARD, BF.INFO. */
#include <string.h>

#include "redis/module/commands.h"
#include "redis/module/settings.h"

/* ---- keys -------------------------------------------------------------------------------- */

static void reply_exist(lfb_redis_context *context, const lfb_value *value,
                        lfb_redis_string **words, size_t count)
{
  uint64_t answers[(LFB_VALUE_MANY + 63) / 64];
  lfb_key keys[LFB_VALUE_MANY];

  for (size_t done = 0, some; done < count; done += some) {
    some = lfb_keys_take(words + done, count - done, keys);
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
    reply_exist(context, key.value, words + 2, count);
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
};
enum { INFO_FIELDS = sizeof info_fields / sizeof *info_fields };

static int info_number(lfb_redis_context *context, uint64_t number)
{
  return lfb_redis.ReplyWithLongLong(context,
                                     number > INT64_MAX ? INT64_MAX : (long long)number);
}

static int info_reply(lfb_redis_context *context, size_t row, const lfb_value *value)
{
  switch (row) {
  case 0: return info_number(context, lfb_value_capacity(value));
  case 1: return info_number(context, lfb_value_memory(value));
  case 2: return info_number(context, value->window != NULL ? 1 : value->layer_count);
  case 3: return info_number(context, value->items);
  case 4:
    return value->recipe.expansion == 0 ? lfb_redis.ReplyWithNull(context)
                                        : info_number(context, value->recipe.expansion);
  case 5: return lfb_redis.ReplyWithDouble(context, value->recipe.error);
  default: return lfb_redis.ReplyWithDouble(context, lfb_value_error(value));
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
