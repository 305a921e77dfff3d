/* said.c - keeps a text. */
#define _POSIX_C_SOURCE 200809L /* strerror_r: not GNU's, which musl lacks */
#include "redis/link/said.h"

#include <lfbloom/redis.h>
#include <string.h>

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

lfb_status lfb_said_error(lfb_said *said, lfb_status status, const char *about, int error)
{
  char text[128];
  const bool known = strerror_r(error, text, sizeof text) == 0;

  return lfb_said_set(said, status, about, known ? text : "unknown error");
}

void lfb_said_tell(const lfb_said *said, lfb_status failure)
{
  said_last = said->status == failure ? *said : (lfb_said){.status = failure};
}

const char *lfb_redis_last_error(lfb_status failure)
{
  return said_last.status == failure ? said_last.text : "";
}
