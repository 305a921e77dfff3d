/* adding.c - BF.RESERVE, BF.ADD, BF.MADD, BF.INSERT. */
#include <stdio.h>
#include <string.h>

#include "redis/module/commands.h"
#include "redis/module/settings.h"

/* What a command asks of a new filter. */
typedef struct wanted {
  double error;
  long long capacity, expansion;
  long long copies;
  bool no_create, removable;
} wanted;

static wanted wanted_by_default(void)
{
  return (wanted){
      .error = lfb_module_settings.error,
      .capacity = lfb_module_settings.capacity,
      .expansion = lfb_module_settings.expansion,
  };
}

static lfb_recipe wanted_recipe(const wanted *want)
{
  return (lfb_recipe){
      .kind = want->removable ? LFB_VALUE_REMOVABLE : LFB_VALUE_CHAIN,
      .capacity = (uint64_t)want->capacity,
      .error = want->error,
      .expansion = (uint32_t)want->expansion,
      .copies = (uint32_t)want->copies,
  };
}

static bool take_number(const lfb_redis_string *word, long long least, long long most,
                        long long *number)
{
  return lfb_redis.StringToLongLong(word, number) == REDIS_OK && *number >= least &&
         *number <= most;
}

/* ---- BF.RESERVE -------------------------------------------------------------------------- */

/* Reads the rate of false positives.  Returns NULL, or the error to reply. */
static const char *error_take(const lfb_redis_string *word, double *error)
{
  if (lfb_redis.StringToDouble(word, error) != REDIS_OK)
    return "ERR bad error rate";
  if (!(*error > 0 && *error < 1))
    return "ERR error rate must be in the range (0.000000, 1.000000)";
  *error = *error < LFB_ERROR_MOST ? *error : LFB_ERROR_MOST;
  return NULL;
}

const char *lfb_reserve_take(lfb_redis_string **words, double *rate, long long *capacity)
{
  const char *error = error_take(words[2], rate);
  if (error != NULL)
    return error;
  if (lfb_redis.StringToLongLong(words[3], capacity) != REDIS_OK)
    return "ERR bad capacity";
  return *capacity >= 1 && *capacity <= LFB_CAPACITY_MOST
             ? NULL
             : "ERR capacity must be in the range [1, 1099511627776]";
}

/* Reads what follows.  Returns NULL, or the error to reply. */
static const char *reserve_take_options(lfb_redis_string **words, int count, wanted *want)
{
  bool expands = false;
  bool fixed = false;

  for (int i = 4; i < count; i++) {
    if (lfb_word_is(words[i], "NONSCALING")) {
      fixed = true;
    } else if (lfb_word_is(words[i], "REMOVABLE")) {
      want->removable = true;
    } else if (lfb_word_is(words[i], "COPIES")) {
      if (++i == count || !take_number(words[i], 1, 16, &want->copies))
        return "ERR COPIES must be from 1 to 16";
    } else if (lfb_word_is(words[i], "EXPANSION")) {
      if (++i == count)
        return "ERR no expansion";
      if (lfb_redis.StringToLongLong(words[i], &want->expansion) != REDIS_OK)
        return "ERR bad expansion";
      if (want->expansion < 0 || want->expansion > LFB_EXPANSION_MOST)
        return "ERR expansion must be in the range [0, 32768]";
      expands = true;
    } else {
      return "ERR Unknown argument received";
    }
  }
  if ((fixed || want->removable) && expands && want->expansion > 0)
    return want->removable ? "ERR removable filters cannot expand"
                           : "Nonscaling filters cannot expand";
  if (want->copies > 0 && !want->removable)
    return "ERR only a removable filter has COPIES";
  if (fixed || want->removable)
    want->expansion = 0;
  return NULL;
}

int lfb_command_reserve(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  wanted want = wanted_by_default();

  if (count < 4 || count > 10)
    return lfb_redis.WrongArity(context);
  const char *error = lfb_reserve_take(words, &want.error, &want.capacity);
  if (error == NULL)
    error = reserve_take_options(words, count, &want);
  if (error != NULL)
    return lfb_redis.ReplyWithError(context, error);
  const lfb_recipe recipe = wanted_recipe(&want);
  return lfb_key_reserve(context, words[1], &recipe);
}

/* ---- adding -------------------------------------------------------------------------------- */

/* Replies with why not all keys were added. */
static void reply_refusal(lfb_redis_context *context, lfb_added added, lfb_status refused)
{
  char text[256];

  if (added == LFB_ADDED_FULL) {
    (void)lfb_redis.ReplyWithError(context, "ERR non scaling filter is full");
    return;
  }
  (void)snprintf(text, sizeof text, "ERR problem inserting into filter: it cannot grow: %s",
                 refused == LFB_ERROR_OVER_LIMIT
                     ? "it would be larger than lfbloom.max-bytes, or than this host's memory"
                     : lfb_status_text(refused));
  (void)lfb_redis.ReplyWithError(context, text);
}

/* How adding the keys of a command went. */
typedef struct outcome {
  lfb_added added;
  lfb_status refused;
  size_t done;
} outcome;

/* Replies to a key that was added: whether it was new; of a removable value, that it is present
 * once more, or that there was no room for it. */
static void reply_added(lfb_redis_context *context, const lfb_value *value, bool answer)
{
  if (value->any.kind == LFB_KIND_COUNTING && !answer)
    (void)lfb_redis.ReplyWithError(context, "ERR the filter is full: delete items, or make a "
                                            "larger one, or one for more COPIES of an item");
  else
    (void)lfb_redis.ReplyWithBool(context, answer);
}

/* Adds all keys, and replies to each that was added. */
static outcome add_all(lfb_redis_context *context, lfb_value *value, lfb_redis_string **words,
                       size_t count)
{
  const uint64_t limit = lfb_limit(context);
  uint64_t answers[(LFB_VALUE_MANY + 63) / 64];
  lfb_key keys[LFB_VALUE_MANY];
  outcome went = {.added = LFB_ADDED_ALL};

  while (went.done < count && went.added == LFB_ADDED_ALL) {
    const size_t some = lfb_keys_take(words + went.done, count - went.done, keys);
    size_t done;
    went.added = lfb_value_add(value, keys, some, limit, answers, &done, &went.refused);
    for (size_t i = 0; i < done; i++)
      reply_added(context, value, lfb_answer(answers, i));
    went.done += done;
  }
  return went;
}

/* Adds keys to an open value, replies, replicates what was added, and closes the key. */
static int key_add(lfb_open_key *key, lfb_redis_string **words, size_t count, bool many)
{
  lfb_key_tick(key);
  const uint64_t changes = key->value->changes;
  if (many)
    (void)lfb_redis.ReplyWithArray(key->context, -1);
  const outcome went = add_all(key->context, key->value, words, count);
  if (went.added != LFB_ADDED_ALL)
    reply_refusal(key->context, went.added, went.refused);
  if (many)
    lfb_redis.ReplySetArrayLength(key->context,
                                  (long)went.done + (went.added != LFB_ADDED_ALL));
  if (key->value->changes != changes && went.done > 0) {
    if (went.done == count) /* saves Redis the copy of the words */
      (void)lfb_redis.ReplicateVerbatim(key->context);
    else
      (void)lfb_redis.Replicate(key->context, "BF.MADD", "sv", key->name, words, went.done);
    (void)lfb_redis.NotifyKeyspaceEvent(key->context, REDIS_NOTIFY_MODULE, "bf.add", key->name);
  }
  lfb_key_close(key);
  return REDIS_OK;
}

/* Opens a key, makes its value if it has none and may have one, and adds to it. */
static int add_or_make(lfb_redis_context *context, lfb_redis_string *name, const wanted *want,
                       lfb_redis_string **words, size_t count, bool many)
{
  lfb_open_key key = lfb_key_open(context, name, REDIS_READ | REDIS_WRITE);
  const lfb_recipe recipe = wanted_recipe(want);
  lfb_status status = LFB_OK;

  if (key.found == LFB_FOUND_NOTHING && !want->no_create)
    status = lfb_key_make(&key, &recipe);
  if (status != LFB_OK)
    return lfb_key_fail(&key, status);
  return key.found == LFB_FOUND_VALUE ? key_add(&key, words, count, many) : lfb_key_refuse(&key);
}

int lfb_command_add(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  const wanted want = wanted_by_default();

  return count == 3 ? add_or_make(context, words[1], &want, words + 2, 1, false)
                    : lfb_redis.WrongArity(context);
}

int lfb_command_madd(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  const wanted want = wanted_by_default();

  return count >= 3 ? add_or_make(context, words[1], &want, words + 2, (size_t)count - 2, true)
                    : lfb_redis.WrongArity(context);
}

/* ---- BF.INSERT ------------------------------------------------------------------------------- */

/* What is wrong with the options of BF.INSERT. */
static const char insert_arity[] = "arity";

/* Reads the value of an option.  Returns NULL, or the error to reply. */
static const char *insert_take_value(const lfb_redis_string *option, const lfb_redis_string *value,
                                     wanted *want)
{
  if (lfb_word_is(option, "ERROR"))
    return error_take(value, &want->error) == NULL ? NULL : "Bad error rate";
  if (lfb_word_is(option, "CAPACITY"))
    return take_number(value, 1, LFB_CAPACITY_MOST, &want->capacity) ? NULL : "Bad capacity";
  return take_number(value, 0, LFB_EXPANSION_MOST, &want->expansion) ? NULL : "Bad expansion";
}

/* Reads the options.  Gives the index of the first item.  Returns NULL, insert_arity, or the error
 * to reply. */
static const char *insert_take(lfb_redis_string **words, int count, wanted *want, int *items)
{
  bool fixed = false;

  for (int i = 2; i < count; i++) {
    if (lfb_word_is(words[i], "ITEMS")) {
      *items = i + 1;
      if (fixed)
        want->expansion = 0;
      return i + 1 < count ? NULL : insert_arity;
    }
    if (lfb_word_is(words[i], "NOCREATE")) {
      want->no_create = true;
    } else if (lfb_word_is(words[i], "NONSCALING")) {
      fixed = true;
    } else if (lfb_word_is(words[i], "ERROR") || lfb_word_is(words[i], "CAPACITY") ||
               lfb_word_is(words[i], "EXPANSION")) {
      if (i + 1 == count)
        return insert_arity;
      const char *error = insert_take_value(words[i], words[i + 1], want);
      if (error != NULL)
        return error;
      i++;
    } else {
      return "Unknown argument received";
    }
  }
  return insert_arity;
}

int lfb_command_insert(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  wanted want = wanted_by_default();
  int items = 0;

  if (count < 4)
    return lfb_redis.WrongArity(context);
  const char *error = insert_take(words, count, &want, &items);
  if (error == insert_arity)
    return lfb_redis.WrongArity(context);
  if (error != NULL)
    return lfb_redis.ReplyWithError(context, error);
  return add_or_make(context, words[1], &want, words + items, (size_t)(count - items), true);
}
