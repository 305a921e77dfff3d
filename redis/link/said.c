/* said.c - keeps a text. */
#include "redis/link/said.h"

#include <lfbloom/redis.h>

/* Of the thread's last failure: lfb_redis_last_error(). */
static _Thread_local lfb_said said_last;

static size_t said_add(lfb_said *said, size_t at, const char *text)
{
  for (; text != NULL && *text != '\0' && at < LFB_SAID_SIZE - 1; text++)
    said->text[at++] = *text < ' ' && *text >= 0 ? ' ' : *text;
  return at;
}

lfb_status lfb_said_set(lfb_said *said, lfb_status status, const char *about, const char *what)
{
  size_t at = said_add(said, 0, about);

  if (about != NULL && what != NULL)
    at = said_add(said, at, ": ");
  at = said_add(said, at, what);
  said->text[at] = '\0';
  return said->status = status;
}

void lfb_said_tell(const lfb_said *said, lfb_status failure)
{
  said_last = said->status == failure ? *said : (lfb_said){.status = failure};
}

const char *lfb_redis_last_error(lfb_status failure)
{
  return said_last.status == failure ? said_last.text : "";
}
