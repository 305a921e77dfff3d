/* windows.c - BF.WINDOW.RESERVE, BF.WINDOW.ADVANCE. */
#include <math.h>

#include "redis/module/commands.h"
#include "redis/module/settings.h"

/*
 * BF.WINDOW.RESERVE key error capacity [SPAN seconds] [GENERATIONS 3|7]
 */

static const double window_span_most = 1e9; /* seconds */

/* Reads the options.  Returns NULL, or the error to reply. */
static const char *window_take_options(lfb_redis_string **words, int count, lfb_recipe *recipe)
{
  double span = 0;
  long long generations = recipe->generations;

  for (int i = 4; i < count; i += 2) {
    if (i + 1 == count)
      return "ERR an option lacks its value";
    if (lfb_word_is(words[i], "SPAN")) {
      if (lfb_redis.StringToDouble(words[i + 1], &span) != REDIS_OK ||
          !(span >= 0.01 && span <= window_span_most))
        return "ERR the span must be from 0.01 to 1000000000 seconds";
    } else if (lfb_word_is(words[i], "GENERATIONS")) {
      if (lfb_redis.StringToLongLong(words[i + 1], &generations) != REDIS_OK ||
          (generations != 3 && generations != 7))
        return "ERR a window has 3 or 7 generations";
    } else {
      return "ERR Unknown argument received";
    }
  }
  recipe->generations = (uint32_t)generations;
  recipe->period_ms = (uint64_t)ceil(span * 1000 / (double)generations);
  return NULL;
}

/* Reads all words.  Returns NULL, or the error to reply. */
static const char *window_take(lfb_redis_string **words, int count, lfb_recipe *recipe)
{
  long long capacity;

  const char *error = lfb_reserve_take(words, &recipe->error, &capacity);
  if (error != NULL)
    return error;
  recipe->capacity = (uint64_t)capacity;
  return window_take_options(words, count, recipe);
}

int lfb_command_window_reserve(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  lfb_recipe recipe = {.kind = LFB_VALUE_WINDOW, .generations = 3};

  if (count < 4 || count > 8)
    return lfb_redis.WrongArity(context);
  const char *error = window_take(words, count, &recipe);
  if (error != NULL)
    return lfb_redis.ReplyWithError(context, error);
  return lfb_key_reserve(context, words[1], &recipe);
}

/*
 * BF.WINDOW.ADVANCE key [steps began]
 *
 * Ends the current generation.  With two more words, which a master sends to its replicas: ends
 * that many, and the current one then began at that time, in milliseconds since 1970.
 */
int lfb_command_window_advance(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  long long steps = 1, began = lfb_redis.Milliseconds();

  if (count != 2 && count != 4)
    return lfb_redis.WrongArity(context);
  if (count == 4 && (lfb_redis.StringToLongLong(words[2], &steps) != REDIS_OK || steps < 1 ||
                     steps > LFB_WINDOW_LIVE ||
                     lfb_redis.StringToLongLong(words[3], &began) != REDIS_OK || began < 0))
    return lfb_redis.ReplyWithError(context, "ERR bad number of generations, or bad time");
  lfb_open_key key = lfb_key_open(context, words[1], REDIS_READ | REDIS_WRITE);
  if (key.found != LFB_FOUND_VALUE)
    return lfb_key_refuse(&key);
  if (key.value->any.kind != LFB_KIND_WINDOW)
    return lfb_key_error(&key, "ERR the key is not a window");
  if (key.value->recipe.period_ms == 0)
    began = 0;
  lfb_value_advance(key.value, (uint32_t)steps, (uint64_t)began);
  (void)lfb_redis.Replicate(context, "BF.WINDOW.ADVANCE", "sll", words[1], steps, began);
  (void)lfb_redis.NotifyKeyspaceEvent(context, REDIS_NOTIFY_MODULE, "bf.window.advance", words[1]);
  return lfb_key_done(&key);
}
