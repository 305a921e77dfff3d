/* following.c - BF.CHANGES and BF.WORDS: what a local copy of a filter needs to stay equal. */
#define _DEFAULT_SOURCE /* endian.h */
#include <endian.h>
#include <stdlib.h>

#include "redis/dump/chunk.h"
#include "redis/module/commands.h"
#include "redis/module/dump.h"

static const char following_numbers[] = "ERR an argument is no number, or out of its range";

/* Reads numbers from 0 on.  Returns false if one is none. */
static bool numbers_take(lfb_redis_string **words, int count, uint64_t *numbers)
{
  for (int i = 0; i < count; i++) {
    long long number;
    if (lfb_redis.StringToLongLong(words[i], &number) != REDIS_OK || number < 0)
      return false;
    numbers[i] = (uint64_t)number;
  }
  return true;
}

/* ---- BF.CHANGES key [epoch since] ---------------------------------------------------------- */

/* Replies with the log's epoch and count; the reply's third part is to follow. */
static void changes_begin(lfb_redis_context *context, const lfb_recent *recent)
{
  (void)lfb_redis.ReplyWithArray(context, 3);
  (void)lfb_redis.ReplyWithLongLong(context, (long long)recent->epoch);
  (void)lfb_redis.ReplyWithLongLong(context, (long long)recent->count);
}

/* For a copy that begins: the header of the filter, whose words BF.WORDS gives. */
static int changes_header(lfb_open_key *key)
{
  lfb_recent *recent = key->value->recent;
  unsigned char header[LFB_DUMP_HEADER];

  const lfb_status status = lfb_dump_header(key->value, header);
  if (status != LFB_OK)
    return lfb_key_fail(key, status);
  recent->asked = recent->count;
  changes_begin(key->context, recent);
  (void)lfb_redis.ReplyWithStringBuffer(key->context, (const char *)header, sizeof header);
  lfb_key_close(key);
  return REDIS_OK;
}

static int changes_since(lfb_open_key *key, uint64_t epoch, uint64_t since)
{
  lfb_recent *recent = key->value->recent;
  const size_t most = LFB_CHANGES_MOST / sizeof *recent->ring;
  const uint64_t *hashes;
  size_t count;

  changes_begin(key->context, recent);
  if (lfb_recent_find(recent, since, most, &hashes, &count) && epoch == recent->epoch)
    (void)lfb_redis.ReplyWithStringBuffer(key->context, (const char *)hashes,
                                          count * sizeof *hashes);
  else
    (void)lfb_redis.ReplyWithNull(key->context);
  lfb_key_close(key);
  return REDIS_OK;
}

int lfb_command_changes(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  uint64_t numbers[2];

  if (count != 2 && count != 4)
    return lfb_redis.WrongArity(context);
  if (!numbers_take(words + 2, count - 2, numbers))
    return lfb_redis.ReplyWithError(context, following_numbers);
  lfb_open_key key = lfb_key_open(context, words[1], REDIS_READ);
  if (key.found != LFB_FOUND_VALUE)
    return lfb_key_refuse(&key);
  const lfb_status status = lfb_value_follow(key.value);
  if (status == LFB_ERROR_MODULE_GROWN) {
    lfb_key_close(&key);
    return lfb_redis.ReplyWithError(
        context, LFB_SAYS_GROWN ": this one is a window or has grown");
  }
  if (status != LFB_OK)
    return lfb_key_fail(&key, status);
  return count == 2 ? changes_header(&key) : changes_since(&key, numbers[0], numbers[1]);
}

/* ---- BF.WORDS key epoch first count ------------------------------------------------------------ */

static lfb_status words_reply(const lfb_open_key *key, uint64_t first, size_t count)
{
  uint64_t *words = malloc(count * sizeof *words);

  if (words == NULL)
    return LFB_ERROR_NO_MEMORY;
  const size_t got = lfb_filter_words(key->value->layers->filter, first, words, count);
  for (size_t i = 0; i < got; i++)
    words[i] = htobe64(words[i]);
  (void)lfb_redis.ReplyWithStringBuffer(key->context, (const char *)words, got * sizeof *words);
  free(words);
  return LFB_OK;
}

int lfb_command_words(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  enum { MOST = LFB_CHANGES_MOST / sizeof(uint64_t) };
  uint64_t numbers[3];

  if (count != 5)
    return lfb_redis.WrongArity(context);
  if (!numbers_take(words + 2, 3, numbers) || numbers[2] == 0 || numbers[2] > MOST)
    return lfb_redis.ReplyWithError(context, following_numbers);
  lfb_open_key key = lfb_key_open(context, words[1], REDIS_READ);
  if (key.found != LFB_FOUND_VALUE)
    return lfb_key_refuse(&key);
  const lfb_recent *recent = key.value->recent;
  if (recent == NULL || recent->epoch != numbers[0]) {
    lfb_key_close(&key);
    return lfb_redis.ReplyWithNull(context);
  }
  const lfb_status status = words_reply(&key, numbers[1], (size_t)numbers[2]);
  if (status != LFB_OK)
    return lfb_key_fail(&key, status);
  lfb_key_close(&key);
  return REDIS_OK;
}
