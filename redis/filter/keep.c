/* keep.c - all keys of a filter on the server: expired, renamed. */
#include <stddef.h>
#include <string.h>

#include "redis/filter/remote.h"

/* Keys on the server that a filter consists of: its parts, then the description. */
static uint64_t keep_count(const lfb_redis *filter)
{
  return filter->place.plan.parts + filter->place.layout->described;
}

static lfb_key keep_key(const lfb_redis *filter, uint64_t i)
{
  return i < filter->place.plan.parts ? filter->parts[i].name : filter->place.name;
}

/* ---- expire ------------------------------------------------------------------ */

typedef struct expiring {
  const lfb_redis *filter;
  uint64_t milliseconds;
} expiring;

static uint16_t expire_command(void *context, uint64_t i, lfb_wire *wire)
{
  const expiring *all = context;
  const lfb_key key = keep_key(all->filter, i);

  if (all->milliseconds == 0)
    return lfb_ask_write(wire, LFB_ARGS(lfb_text("PERSIST"), key));
  return lfb_ask_write(wire, LFB_ARGS(lfb_text("PEXPIRE"), key, LFB_NUMBER(all->milliseconds)));
}

static lfb_status expire_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  const expiring *all = context;
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_INTEGER);

  (void)i, (void)again;
  if (status != LFB_OK)
    return status;
  /* PERSIST also returns 0 if the key had no expiry. */
  return reply->integer == 1 || all->milliseconds == 0 ? LFB_OK : LFB_ERROR_REDIS_PART;
}

static lfb_status keep_expire(lfb_redis *filter, lfb_link *link, void *context)
{
  const lfb_job job = {keep_count(filter), expire_command, expire_reply, context};
  const lfb_status status = lfb_link_run(link, &job);

  return status == LFB_OK ? lfb_remote_check(filter, link) : status;
}

lfb_status lfb_redis_expire(lfb_redis *filter, uint64_t milliseconds)
{
  expiring all = {filter, milliseconds};

  /* The server refuses a time that overflows. */
  if (milliseconds > INT64_MAX / 2)
    all.milliseconds = INT64_MAX / 2;
  return lfb_remote_with_link(filter, false, keep_expire, &all);
}

/* ---- rename ------------------------------------------------------------------- */

static lfb_status rename_reply(void *context, const redisReply *reply, bool again)
{
  (void)context;
  if (lfb_reply_is_error(reply, "CROSSSLOT"))
    return LFB_ERROR_REDIS_OTHER_SLOT;
  if (reply->type == REDIS_REPLY_ERROR && strstr(reply->str, "no such key") != NULL)
    /* `again`: either the first attempt renamed this key or it is missing; the later check of the
     * marks decides. */
    return again ? LFB_OK : LFB_ERROR_REDIS_PART;
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_INTEGER);
  if (status != LFB_OK)
    return status;
  return reply->integer == 1 ? LFB_OK : LFB_ERROR_REDIS_EXISTS;
}

static lfb_status rename_key(lfb_link *link, lfb_key from, lfb_key to)
{
  return lfb_ask(link, rename_reply, NULL, LFB_ARGS(lfb_text("RENAMENX"), from, to));
}

/* Gives the first keys their names back, as long as the server can be reached: it does not wait for
 * a server that is away again for each key. */
static void rename_back(const lfb_redis *filter, const lfb_redis *renamed, lfb_link *link,
                        uint64_t done)
{
  const lfb_said said = link->said; /* why */
  lfb_status status = LFB_OK;

  while (done-- > 0 && !lfb_connection_may_pass(status))
    status = rename_key(link, keep_key(renamed, done), keep_key(filter, done));
  lfb_said_tell(&said, said.status);
}

/* The description last: a client that opens the new name finds nothing, or all, or
 * LFB_ERROR_REDIS_PART. */
static lfb_status keep_rename(lfb_redis *filter, lfb_link *link, void *context)
{
  lfb_redis *renamed = context;
  lfb_status status = LFB_OK;
  uint64_t done = 0;

  for (; status == LFB_OK && done < keep_count(filter); done += status == LFB_OK)
    status = rename_key(link, keep_key(filter, done), keep_key(renamed, done));
  if (status == LFB_OK)
    status = lfb_remote_check(renamed, link);
  if (status != LFB_OK)
    rename_back(filter, renamed, link, done);
  return status;
}

/* Exchanges all but the pools of two filters. */
static void keep_swap(lfb_redis *a, lfb_redis *b)
{
  unsigned char was[offsetof(lfb_redis, pool)];

  memcpy(was, a, sizeof was);
  memcpy(a, b, sizeof was);
  memcpy(b, was, sizeof was);
}

lfb_status lfb_redis_rename(lfb_redis *filter, const char *name)
{
  lfb_redis_place place = filter->place;
  lfb_redis *renamed;

  place.name = (lfb_key){name, strlen(name)};
  lfb_status status = lfb_name_check(name);
  if (status == LFB_OK)
    status = lfb_remote_make(&filter->pool.options, &place, &renamed);
  if (status != LFB_OK)
    return status;
  status = lfb_remote_with_link(filter, false, keep_rename, renamed);
  if (status == LFB_OK)
    keep_swap(filter, renamed);
  lfb_redis_close(renamed);
  return status;
}
