/* remote.c - an open filter, and the operations on its parts. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "redis/filter/remote.h"

#include <stdlib.h>
#include <string.h>

#include "bloom/strategies/strategies.h"
#include "redis/link/net.h"

enum {
  REMOTE_AT_ONCE = 64, /* cheap commands in flight, one for each part */
  /* Bytes that a part grows by before the server serves other clients: it zeroes them in 0.3 to
   * 1 ms. */
  REMOTE_STEP = 1 << 20,
};

/* ---- in memory ------------------------------------------------------------- */

/* Makes the names of the parts, and their slots. */
static lfb_status remote_name_parts(const lfb_redis_place *place, lfb_part **parts, char **names)
{
  const uint64_t count = place->plan.parts;
  char key[LFB_PART_NAME_SIZE];
  const size_t longest = lfb_part_name(place->layout, place->name, count - 1, key);
  lfb_part *made = malloc(count * sizeof *made);
  char *bytes = malloc(count * longest);

  if (made == NULL || bytes == NULL) {
    free(made);
    free(bytes);
    return LFB_ERROR_NO_MEMORY;
  }
  for (uint64_t i = 0; i < count; i++) {
    char *own = bytes + i * longest;
    const size_t size = lfb_part_name(place->layout, place->name, i, key);
    memcpy(own, key, size);
    made[i] = (lfb_part){{own, size}, lfb_key_slot(own, size)};
  }
  *parts = made;
  *names = bytes;
  return LFB_OK;
}

static lfb_status remote_set_name(lfb_redis *filter, lfb_key name)
{
  filter->name = strndup(name.bytes, name.size);
  if (filter->name == NULL)
    return LFB_ERROR_NO_MEMORY;
  filter->place.name = (lfb_key){filter->name, name.size};
  return remote_name_parts(&filter->place, &filter->parts, &filter->names);
}

lfb_status lfb_remote_make(const lfb_redis_options *options, const lfb_redis_place *place,
                           lfb_redis **filter)
{
  const lfb_description *description = &place->description;
  const lfb_stripes none = {0};
  lfb_redis *made = aligned_alloc(LFB_CACHE_LINE, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = (lfb_redis){
      .place = *place,
      .layout = lfb_layout_of(description, NULL, none),
  };
  lfb_status status = lfb_pool_init(&made->pool, options);
  if (status != LFB_OK) {
    free(made);
    return status;
  }
  status = remote_set_name(made, place->name);
  if (status == LFB_OK)
    *filter = made;
  else
    lfb_redis_close(made);
  return status;
}

void lfb_redis_close(lfb_redis *filter)
{
  if (filter == NULL)
    return;
  lfb_pool_free(&filter->pool);
  free(filter->parts);
  free(filter->names);
  free(filter->name);
  free(filter);
}

lfb_status lfb_remote_with_link(lfb_redis *filter, bool writes, lfb_remote_act act, void *context)
{
  lfb_link *link;

  lfb_status status = lfb_pool_take(&filter->pool, writes, &link);
  if (status != LFB_OK)
    return status;
  status = act(filter, link, context);
  lfb_pool_leave(&filter->pool, link);
  return status;
}

/* ---- each part ------------------------------------------------------------- */

typedef struct each_part {
  const lfb_redis *filter;
  lfb_part_command command;
  lfb_part_reply reply;
} each_part;

static uint16_t each_part_command(void *context, uint64_t i, lfb_wire *wire)
{
  const each_part *each = context;
  const lfb_part *part = &each->filter->parts[i];

  each->command(each->filter, part, wire);
  return part->slot;
}

static lfb_status each_part_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  const each_part *each = context;

  (void)i, (void)again; /* may be done twice */
  return each->reply(each->filter, reply);
}

/* The first `parts` parts. */
static lfb_status remote_parts(const lfb_redis *filter, lfb_link *link, uint64_t parts,
                               uint64_t at_once, lfb_part_command command, lfb_part_reply reply)
{
  each_part each = {filter, command, reply};
  const lfb_job job = {parts, each_part_command, each_part_reply, &each};

  return lfb_ask_in_turns(link, &job, at_once);
}

lfb_status lfb_remote_each_part(const lfb_redis *filter, lfb_link *link, uint64_t at_once,
                                lfb_part_command command, lfb_part_reply reply)
{
  return remote_parts(filter, link, filter->place.plan.parts, at_once, command, reply);
}

static void ask_mark(const lfb_redis *filter, const lfb_part *part, lfb_wire *wire)
{
  if (filter->place.layout->by_key)
    lfb_module_ask_mark(part, wire);
  else
    lfb_part_ask_mark(&filter->place.plan, part, wire);
}

static lfb_status mark_answer(const lfb_redis *filter, const redisReply *reply)
{
  return filter->place.layout->by_key ? lfb_module_mark_answer(&filter->place.plan, reply)
                                      : lfb_part_mark_answer(&filter->place.plan, reply);
}

lfb_status lfb_remote_check(lfb_redis *filter, lfb_link *link)
{
  return lfb_remote_each_part(filter, link, REMOTE_AT_ONCE, ask_mark, mark_answer);
}

/* ---- taking the parts' names ------------------------------------------------- */

/* A client with a refused put deletes what the put has left, within moments. */
enum { TAKE_TRIES = 10, TAKE_PAUSE = 20 }; /* ms */

/* Makes an empty string, unless the key exists.  Only the client that has the filter's name makes
 * it. */
static lfb_status take_part(lfb_link *link, lfb_key name)
{
  lfb_status status = lfb_name_take(link, name, lfb_text(""), true);

  for (int i = 1; i < TAKE_TRIES && status == LFB_ERROR_REDIS_EXISTS; i++) {
    (void)lfb_net_wait(-1, 0, lfb_net_now() + TAKE_PAUSE);
    status = lfb_name_take(link, name, lfb_text(""), true);
  }
  return status;
}

/* Makes sure that no key of another program is used, or deleted, as a part. */
static lfb_status remote_take(const lfb_redis *filter, lfb_link *link, uint64_t *taken)
{
  const uint64_t parts = filter->place.plan.parts;
  lfb_status status = LFB_OK;

  *taken = filter->place.layout->described ? 0 : parts; /* the only part is under the name */
  while (status == LFB_OK && *taken < parts) {
    status = take_part(link, filter->parts[*taken].name);
    *taken += status == LFB_OK;
  }
  return status;
}

/* ---- making it on the server ------------------------------------------------ */

/* For replies that hold numbers nothing uses. */
static lfb_status done_array(const lfb_redis *filter, const redisReply *reply)
{
  (void)filter;
  return lfb_reply_expect(reply, REDIS_REPLY_ARRAY);
}

static lfb_status done_integer(const lfb_redis *filter, const redisReply *reply)
{
  (void)filter;
  return lfb_reply_expect(reply, REDIS_REPLY_INTEGER);
}

static uint64_t grow_steps(const lfb_plan *plan)
{
  return (plan->part_bytes - 1) / REMOTE_STEP + 1;
}

static uint16_t grow_command(void *context, uint64_t i, lfb_wire *wire)
{
  const lfb_redis *filter = context;
  const lfb_plan *plan = &filter->place.plan;
  const uint64_t steps = grow_steps(plan), bytes = (i % steps + 1) * REMOTE_STEP;
  const lfb_part *part = &filter->parts[i / steps];

  lfb_part_grow(plan, part, bytes < plan->part_bytes ? bytes : plan->part_bytes, wire);
  return part->slot;
}

static lfb_status grow_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  (void)i, (void)again; /* may be done twice */
  return done_array(context, reply);
}

/* Makes each part as long as planned, one step at a time. */
static lfb_status remote_grow(lfb_redis *filter, lfb_link *link)
{
  const lfb_plan *plan = &filter->place.plan;
  const lfb_job job = {plan->parts * grow_steps(plan), grow_command, grow_reply, filter};

  return lfb_ask_in_turns(link, &job, 1);
}

static void set_mark(const lfb_redis *filter, const lfb_part *part, lfb_wire *wire)
{
  lfb_part_set_mark(&filter->place.plan, part, wire);
}

/* Marks the parts and makes the filter whole. */
static lfb_status remote_finish(lfb_redis *filter, lfb_link *link)
{
  const lfb_status status =
      lfb_remote_each_part(filter, link, REMOTE_AT_ONCE, set_mark, done_array);

  if (status != LFB_OK || filter->place.layout->finish == NULL)
    return status;
  return filter->place.layout->finish(link, &filter->place);
}

/* ---- deleting it ------------------------------------------------------------ */

static void unlink_part(const lfb_redis *filter, const lfb_part *part, lfb_wire *wire)
{
  (void)filter;
  (void)lfb_ask_write(wire, LFB_ARGS(lfb_text("UNLINK"), part->name));
}

lfb_status lfb_remote_unlink(lfb_link *link, lfb_key name)
{
  return lfb_ask_integer(link, NULL, NULL, LFB_ARGS(lfb_text("UNLINK"), name));
}

/* Parts first: as long as the description exists, the rest can be deleted. */
lfb_status lfb_remote_delete(lfb_redis *filter, lfb_link *link, uint64_t parts)
{
  const lfb_status status =
      remote_parts(filter, link, parts, REMOTE_AT_ONCE, unlink_part, done_integer);

  if (status != LFB_OK || !filter->place.layout->described)
    return status;
  return lfb_remote_unlink(link, filter->place.name);
}

/* ---- all of it -------------------------------------------------------------- */

/* The layout of a new filter of a strategy; NULL if there is none. */
static const lfb_redis_layout *layout_for(const lfb_strategy *strategy)
{
  static const lfb_redis_layout *const layouts[] = {
      &lfb_redis_layout_fast,
      &lfb_redis_layout_guava,
      &lfb_redis_layout_helper,
  };

  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    if (layouts[i]->holds(strategy))
      return layouts[i];
  return NULL;
}

lfb_status lfb_remote_plan(const char *name, const lfb_description *description,
                           uint64_t part_bytes, lfb_redis_place *place)
{
  const lfb_redis_layout *layout = layout_for(description->strategy);
  lfb_redis_place found = {layout, {name, strlen(name)}, *description, {0}};

  lfb_status status = lfb_name_check(name);
  if (status == LFB_OK && layout == NULL)
    status = LFB_ERROR_FORM_CANNOT_HOLD;
  if (status == LFB_OK)
    status = layout->plan(&found, part_bytes);
  if (status == LFB_OK)
    *place = found;
  return status;
}

/* Checks that the description still exists.  It was written before the call waited for Redis
 * replicas, so a master that failed then has lost it.  (A lost part was made anew by growing.) */
static lfb_status remote_check_description(const lfb_redis *filter, lfb_link *link)
{
  lfb_redis_place found = filter->place;

  if (!filter->place.layout->described)
    return LFB_OK;
  const lfb_status status = found.layout->find(link, &found, NULL, false);
  if (status == LFB_ERROR_REDIS_NO_FILTER || status == LFB_ERROR_REDIS_UNFINISHED ||
      (status == LFB_OK && found.plan.mark != filter->place.plan.mark))
    return LFB_ERROR_REDIS_PART;
  return status;
}

static lfb_status remote_build(lfb_redis *filter, lfb_link *link, void *context)
{
  const lfb_remote_fill *fill = context;
  uint64_t taken;

  lfb_status status = filter->place.layout->reserve(link, &filter->place);
  if (status != LFB_OK)
    return status;
  status = remote_take(filter, link, &taken);
  link->writes = true; /* not before: names are taken without waiting for replicas */
  if (status == LFB_OK)
    status = remote_grow(filter, link);
  if (status == LFB_OK && fill != NULL)
    status = fill->act(filter, link, fill->context);
  if (status == LFB_OK)
    status = remote_finish(filter, link);
  if (status == LFB_OK)
    status = remote_check_description(filter, link);
  link->writes = false; /* deletion does not wait either */
  if (status != LFB_OK) {
    const lfb_said said = link->said; /* not that of a deletion which fails, too */
    (void)lfb_remote_delete(filter, link, taken); /* if the server can be reached */
    lfb_said_tell(&said, status);
  }
  return status;
}

lfb_status lfb_remote_build(const lfb_redis_options *options, const lfb_redis_place *place,
                            const lfb_remote_fill *fill, lfb_redis **filter)
{
  lfb_redis *made;

  lfb_status status = lfb_remote_make(options, place, &made);
  if (status != LFB_OK)
    return status;
  status = lfb_remote_with_link(made, false, remote_build, (void *)(uintptr_t)fill);
  if (status == LFB_OK)
    *filter = made;
  else
    lfb_redis_close(made);
  return status;
}
