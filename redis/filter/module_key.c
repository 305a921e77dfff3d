/* module_key.c - the type of a key, and the module's errors. */
#include "redis/filter/module_key.h"

#include <string.h>

#include "redis/dump/chunk.h"

#define LFB_SAYS_STUCK "ERR problem inserting into filter: it cannot grow: "

static lfb_status key_typed(void *context, const redisReply *reply, bool again)
{
  static const char *const names[LFB_KEY_OTHER] = {"none", "hash", "string", LFB_MODULE_TYPE};
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_STATUS);
  lfb_redis_type type = LFB_KEY_NONE;

  (void)again;
  if (status != LFB_OK)
    return status;
  while (type < LFB_KEY_OTHER && strcmp(reply->str, names[type]) != 0)
    type++;
  *(lfb_redis_type *)context = type;
  return LFB_OK;
}

lfb_status lfb_key_find(lfb_link *link, lfb_key name, lfb_redis_type *type)
{
  return lfb_ask(link, key_typed, type, LFB_ARGS(lfb_text("TYPE"), name));
}

bool lfb_module_says(const redisReply *reply, const char *text)
{
  const size_t size = strlen(text);

  return reply->type == REDIS_REPLY_ERROR && reply->len >= size &&
         memcmp(reply->str, text, size) == 0;
}

lfb_status lfb_module_status(const redisReply *reply)
{
  static const struct {
    const char *text;
    lfb_status status;
  } rows[] = {
      {"ERR unknown command", LFB_ERROR_MODULE_MISSING},
      {LFB_SAYS_CHANGED, LFB_ERROR_MODULE_CHANGED},
      {LFB_SAYS_INCOMPLETE, LFB_ERROR_REDIS_UNFINISHED},
      {LFB_SAYS_TOO_LARGE, LFB_ERROR_OVER_LIMIT},
      {LFB_SAYS_NO_MEMORY, LFB_ERROR_REDIS_MEMORY},
      {LFB_SAYS_ABSENT, LFB_ERROR_REDIS_ABSENT},
      {LFB_SAYS_EXISTS, LFB_ERROR_REDIS_EXISTS},
      {"WRONGTYPE", LFB_ERROR_REDIS_NO_FILTER},
      {"ERR non scaling filter is full", LFB_ERROR_CANNOT_GROW},
      {LFB_SAYS_STUCK "it would be larger", LFB_ERROR_OVER_LIMIT},
      {LFB_SAYS_STUCK "out of memory", LFB_ERROR_REDIS_MEMORY},
      {LFB_SAYS_STUCK, LFB_ERROR_CANNOT_GROW},
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (lfb_module_says(reply, rows[i].text))
      return rows[i].status;
  if (lfb_module_says(reply, LFB_SAYS_DELETED) &&
      strcmp(reply->str + strlen(LFB_SAYS_DELETED), lfb_status_text(LFB_ERROR_OVER_LIMIT)) == 0)
    return LFB_ERROR_OVER_LIMIT;
  return lfb_reply_status(reply);
}
