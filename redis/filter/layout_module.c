/*
 * layout_module.c - a key of the module lfbloom_redis.so: the server hashes the keys and sets the
 * bits.
 *
 * A put is BF.INSERT NOCREATE, a query BF.MEXISTS, each of many keys.
 *
 * Mark   BF.INSERT NOCREATE refuses a missing key, but BF.MEXISTS answers 0 for it, a silent
 *        "absent".  So a job ends with BF.SCANDUMP key 0, which refuses it, too, and otherwise
 *        gives the head of the value: all that it was made from, with the random key or seed of its
 *        hash.  A digest of this is the mark.  A filter that was since made under the name has
 *        another one.
 * Order  A server executes the commands of one connection in order.  A filter that is there after a
 *        query was there before it, unless it was away in between.  If any command of a job was
 *        written twice, it may have been executed later than the last one: the mark is then asked
 *        for once more (filter.c).
 */
#define _POSIX_C_SOURCE 200809L /* newlocale */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "redis/dump/chunk.h"
#include "redis/filter/module_key.h"
#include "redis/filter/remote.h"

/* ---- the head ---------------------------------------------------------------------- */

/* Reads a reply to BF.SCANDUMP key 0. */
static lfb_status module_head(const redisReply *reply, lfb_dump_fields *dumped)
{
  const lfb_status status = lfb_module_status(reply);

  if (status != LFB_OK)
    return status;
  if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 ||
      reply->element[1]->type != REDIS_REPLY_STRING)
    return LFB_ERROR_REDIS_PROTOCOL;
  return lfb_dump_fields_read(reply->element[1]->str, reply->element[1]->len, dumped);
}

/* The checksum of the head of an empty value. */
static uint64_t module_mark(const lfb_recipe *recipe)
{
  const lfb_dump_fields empty = {.recipe = *recipe};
  unsigned char head[LFB_DUMP_HEAD];

  lfb_dump_fields_write(&empty, head);
  return lfb_dump_mark(head);
}

void lfb_module_ask_mark(const lfb_part *part, lfb_wire *wire)
{
  (void)lfb_ask_write(wire, LFB_ARGS(lfb_text("BF.SCANDUMP"), part->name, lfb_text("0")));
}

/* The status of a key that must be there. */
static lfb_status module_part(lfb_status status)
{
  return status == LFB_ERROR_REDIS_ABSENT || status == LFB_ERROR_REDIS_NO_FILTER ||
                 status == LFB_ERROR_REDIS_UNFINISHED
             ? LFB_ERROR_REDIS_PART
             : status;
}

/* Reads the head of the filter of this plan. */
static lfb_status module_same_head(const lfb_plan *plan, const redisReply *reply,
                                   lfb_dump_fields *dumped)
{
  const lfb_status status = module_part(module_head(reply, dumped));

  return status == LFB_OK && module_mark(&dumped->recipe) != plan->mark ? LFB_ERROR_REDIS_PART
                                                                        : status;
}

lfb_status lfb_module_mark_answer(const lfb_plan *plan, const redisReply *reply)
{
  lfb_dump_fields dumped;

  return module_same_head(plan, reply, &dumped);
}

typedef struct module_heard {
  const lfb_plan *plan; /* NULL: any filter will do */
  lfb_dump_fields dumped;
} module_heard;

static lfb_status module_hears(void *context, const redisReply *reply, bool again)
{
  module_heard *heard = context;

  (void)again;
  return heard->plan == NULL ? module_head(reply, &heard->dumped)
                             : module_same_head(heard->plan, reply, &heard->dumped);
}

static lfb_status module_ask(lfb_link *link, lfb_key name, module_heard *heard)
{
  return lfb_ask(link, module_hears, heard, LFB_ARGS(lfb_text("BF.SCANDUMP"), name, lfb_text("0")));
}

/* ---- finding it -------------------------------------------------------------------- */

/* Describes the filter of this n and p that has not grown. */
static lfb_status module_describe(const lfb_recipe *recipe, lfb_description *description)
{
  const lfb_config config = lfb_recipe_config(recipe, recipe->capacity, recipe->error);

  return recipe->kind == LFB_VALUE_REMOVABLE ? LFB_ERROR_COUNTING
                                             : lfb_description_make(&config, description);
}

static lfb_status module_find(lfb_link *link, lfb_redis_place *place, const lfb_config *wanted,
                              bool whole)
{
  module_heard heard = {.plan = NULL};
  const lfb_recipe *recipe = &heard.dumped.recipe;

  (void)whole; /* a key that waits for chunks tells nothing */
  lfb_status status = module_ask(link, place->name, &heard);
  if (status == LFB_OK)
    status = module_describe(recipe, &place->description);
  if (status != LFB_OK)
    return status;
  if (wanted != NULL && lfb_config_has_key(wanted) &&
      lfb_hash_keyed(place->description.hash.kind) &&
      memcmp(wanted->key, recipe->key, sizeof recipe->key) != 0)
    return LFB_ERROR_WRONG_KEY;
  place->plan = (lfb_plan){
      .parts = 1,
      .part_bits = place->description.geometry.bit_count,
      .mark = module_mark(recipe),
  };
  return LFB_OK;
}

/* ---- making it --------------------------------------------------------------------- */

/* Chooses all that an empty filter is made from, so that the same one can be sent twice. */
static lfb_status module_recipe(const lfb_config *config, lfb_recipe *recipe)
{
  lfb_config fast = *config;
  lfb_description description;

  if ((config->strategy != LFB_DEFAULT && config->strategy != LFB_FAST) || config->bytes > 0)
    return LFB_ERROR_MODULE_FILTER;
  fast.strategy = LFB_FAST;
  const lfb_status status = lfb_description_make(&fast, &description);
  if (status != LFB_OK)
    return status;
  if (lfb_hash_keyed(description.hash.kind) && !lfb_description_writes_key(&description))
    return LFB_ERROR_MODULE_FILTER;
  *recipe = (lfb_recipe){
      .kind = LFB_VALUE_CHAIN,
      .capacity =
          description.config.expected_insertions > 0 ? description.config.expected_insertions : 1,
      .error = config->fpp,
      .expansion = LFB_MODULE_EXPANSION,
  };
  lfb_recipe_take_hash(recipe, &description);
  return LFB_OK;
}

/* Notes whether the command was sent twice and found the name in use. */
static lfb_status module_made(void *context, const redisReply *reply, bool again)
{
  const lfb_status status = lfb_module_status(reply);

  *(bool *)context = again && status == LFB_ERROR_REDIS_EXISTS;
  return *(bool *)context                          ? LFB_OK
         : status == LFB_ERROR_REDIS_NO_FILTER ? LFB_ERROR_REDIS_EXISTS
                                               : status;
}

/* Makes the filter over a link.  What a command that was sent twice found there is ours if it has
 * the same hash, which is random unless the caller chose it. */
static lfb_status module_make(lfb_link *link, lfb_key name, const lfb_recipe *recipe)
{
  const lfb_dump_fields empty = {.recipe = *recipe, .state = LFB_DUMP_EMPTY};
  const lfb_plan plan = {.mark = module_mark(recipe)};
  module_heard heard = {.plan = &plan};
  unsigned char head[LFB_DUMP_HEAD];
  bool found = false;

  lfb_dump_fields_write(&empty, head);
  link->writes = true;
  const lfb_status status = lfb_ask(
      link, module_made, &found,
      LFB_ARGS(lfb_text("BF.LOADCHUNK"), name, lfb_text("1"), (lfb_key){head, sizeof head}));
  link->writes = false;
  if (status != LFB_OK || !found)
    return status;
  return module_ask(link, name, &heard) == LFB_OK ? LFB_OK : LFB_ERROR_REDIS_EXISTS;
}

lfb_status lfb_module_create(const lfb_redis_options *options, const char *name,
                             const lfb_config *config)
{
  lfb_recipe recipe;
  lfb_link *link;

  lfb_status status = lfb_name_check(name);
  if (status == LFB_OK)
    status = module_recipe(config, &recipe);
  if (status == LFB_OK)
    status = lfb_link_open(options, NULL, &link);
  if (status != LFB_OK)
    return status;
  status = module_make(link, (lfb_key){name, strlen(name)}, &recipe);
  lfb_link_close(link);
  return status;
}

/* ---- its figures --------------------------------------------------------------------- */

/* Reads a number as a server writes it, in any locale of the program. */
static double info_number(const char *text)
{
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), was = uselocale(plain);
  const double number = strtod(text, NULL);

  (void)uselocale(was);
  if (plain != (locale_t)0)
    freelocale(plain);
  return number;
}

/* Takes the size and the error now of BF.INFO, which are names and values in turns. */
static lfb_status info_reply(void *context, const redisReply *reply, bool again)
{
  enum { SIZE = 3, ERROR_NOW = 13 };
  const lfb_status status = module_part(lfb_module_status(reply));
  lfb_module_info *info = context;

  (void)again;
  if (status != LFB_OK)
    return status;
  if (reply->type != REDIS_REPLY_ARRAY || reply->elements <= ERROR_NOW ||
      reply->element[SIZE]->type != REDIS_REPLY_INTEGER ||
      reply->element[ERROR_NOW]->type != REDIS_REPLY_STRING)
    return LFB_ERROR_REDIS_PROTOCOL;
  info->memory = (uint64_t)reply->element[SIZE]->integer;
  info->error = info_number(reply->element[ERROR_NOW]->str);
  return LFB_OK;
}

lfb_status lfb_module_ask_info(lfb_redis *filter, lfb_link *link, void *of)
{
  module_heard heard = {.plan = &filter->place.plan};
  lfb_module_info *info = of;

  lfb_status status =
      lfb_ask(link, info_reply, info, LFB_ARGS(lfb_text("BF.INFO"), filter->place.name));
  if (status == LFB_OK)
    status = module_ask(link, filter->place.name, &heard);
  info->dumped = heard.dumped;
  return status;
}

/* ---- keys -------------------------------------------------------------------------- */

void lfb_module_begin(const lfb_part *part, bool put, uint32_t keys, lfb_wire *wire)
{
  lfb_wire_begin(wire, (put ? 4 : 2) + (uint64_t)keys);
  lfb_wire_text(wire, put ? "BF.INSERT" : "BF.MEXISTS");
  lfb_wire_string(wire, part->name.bytes, part->name.size);
  if (put) {
    lfb_wire_text(wire, "NOCREATE");
    lfb_wire_text(wire, "ITEMS");
  }
}

/* If not all keys were put, the last element is the error. */
static lfb_status module_element_status(const redisReply *reply)
{
  return reply->type == REDIS_REPLY_ARRAY && reply->elements > 0
             ? lfb_module_status(reply->element[reply->elements - 1])
             : LFB_OK;
}

lfb_status lfb_module_answers(const redisReply *reply, uint32_t keys, uint64_t *yes)
{
  lfb_status status = module_part(lfb_module_status(reply));

  if (status == LFB_OK)
    status = module_element_status(reply);
  if (status != LFB_OK)
    return status;
  if (reply->type != REDIS_REPLY_ARRAY || reply->elements != keys)
    return LFB_ERROR_REDIS_PROTOCOL;
  for (uint32_t i = 0; i < keys; i++) {
    if (reply->element[i]->type != REDIS_REPLY_INTEGER)
      return LFB_ERROR_REDIS_PROTOCOL;
    *yes |= (uint64_t)(reply->element[i]->integer != 0) << i;
  }
  return LFB_OK;
}

const lfb_redis_layout lfb_redis_layout_module = {
    .by_key = true,
    .put_keys = LFB_MODULE_KEYS,
    .find = module_find,
};
