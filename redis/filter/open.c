/* open.c - creating, opening and deleting a filter by its name. */
#include <stdlib.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "redis/filter/module_key.h"
#include "redis/filter/remote.h"
#include "bloom/filter/figures.h"

/* ---- create ------------------------------------------------------------------ */

lfb_status lfb_redis_create(const lfb_redis_options *options, const char *name,
                            const lfb_config *config, uint64_t part_bytes, lfb_redis **filter)
{
  lfb_description description;
  lfb_redis_place place;

  if (options->module) {
    const lfb_status made = lfb_module_create(options, name, config);
    return made == LFB_OK ? lfb_redis_open(options, name, config, filter) : made;
  }
  lfb_status status = lfb_description_make(config, &description);
  if (status == LFB_OK)
    status = lfb_remote_plan(name, &description, part_bytes, &place);
  return status == LFB_OK ? lfb_remote_build(options, &place, NULL, filter) : status;
}

/* ---- open -------------------------------------------------------------------- */

/* Whether the filter found is the wanted one. */
static lfb_status remote_fits(const lfb_description *found, const lfb_config *wanted)
{
  const lfb_geometry *a = &found->geometry;
  lfb_description described;
  lfb_stats stats;

  if (wanted == NULL || wanted->fpp == 0)
    return LFB_OK;
  const lfb_status status = lfb_description_make(wanted, &described);
  if (status != LFB_OK)
    return status;
  const lfb_geometry *b = &described.geometry;
  lfb_stats_plan(&described, &stats);
  if (found->strategy->id != described.strategy->id)
    return LFB_ERROR_STRATEGY_DIFFERS;
  if (a->probes != b->probes)
    return LFB_ERROR_PROBES_DIFFER;
  if (a->bit_count != b->bit_count || a->words_per_key != b->words_per_key)
    return LFB_ERROR_BIT_COUNT_DIFFERS;
  /* What the caller left open fits: the default hash, a seed of 0.  A key fits a keyed hash; that
   * it is the right one was checked when the description was read. */
  const bool any = wanted->hash == LFB_HASH_DEFAULT && wanted->seed == 0;
  return (any ? !lfb_config_has_key(wanted) || lfb_hash_keyed(found->hash.kind)
              : lfb_hash_id_of(&found->hash) == stats.hash) &&
                 (wanted->seed == 0 || found->hash.seed == wanted->seed)
             ? LFB_OK
             : LFB_ERROR_HASH_DIFFERS;
}

/* ---- what is left without a description ---------------------------------------- */

/* Parts of a filter whose description is gone: it expired by EXPIRE of the name alone, or was
 * evicted.  They are of one size.  What else has such a name is not taken for a part. */
typedef struct left_parts {
  lfb_key name;
  uint64_t first; /* the part of bit 0   */
  uint64_t there; /* bits: those found   */
  int64_t bytes;  /* of each; 0: unknown */
} left_parts;

static lfb_key left_key(const left_parts *left, uint64_t i, char buffer[LFB_PART_NAME_SIZE])
{
  return (lfb_key){buffer,
                   lfb_part_name(&lfb_redis_layout_fast, left->name, left->first + i, buffer)};
}

static uint16_t left_command(void *context, uint64_t i, lfb_wire *wire)
{
  char buffer[LFB_PART_NAME_SIZE];
  const lfb_key key = left_key(context, i, buffer);

  return lfb_ask_write(wire, LFB_ARGS(lfb_text("STRLEN"), key));
}

static lfb_status left_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  left_parts *left = context;

  (void)again;
  if (reply->type != REDIS_REPLY_INTEGER || !lfb_fast_is_part(reply->integer) ||
      (left->bytes != 0 && left->bytes != reply->integer))
    return LFB_OK; /* also if this user may not know */
  left->bytes = reply->integer;
  left->there |= UINT64_C(1) << i;
  return LFB_OK;
}

/* Looks for the next parts, as many as there are bits. */
static lfb_status left_look(lfb_link *link, left_parts *left)
{
  left->there = 0;
  return lfb_link_run(link, &(lfb_job){LFB_WORD_BITS, left_command, left_reply, left});
}

/* The status of a name under which nothing exists. */
static lfb_status left_status(lfb_link *link, lfb_key name)
{
  left_parts left = {.name = name};
  const lfb_status status = left_look(link, &left);

  if (status != LFB_OK)
    return status;
  return left.there == 0 ? LFB_ERROR_REDIS_ABSENT : LFB_ERROR_REDIS_PART;
}

/* Deletes all of them. */
static lfb_status left_delete(lfb_link *link, lfb_key name)
{
  left_parts left = {.name = name};
  char buffer[LFB_PART_NAME_SIZE];
  lfb_status status;

  do {
    status = left_look(link, &left);
    for (uint64_t i = 0; status == LFB_OK && i < LFB_WORD_BITS; i++)
      if ((left.there >> i & 1) != 0)
        status = lfb_remote_unlink(link, left_key(&left, i, buffer));
    left.first += LFB_WORD_BITS;
  } while (status == LFB_OK && left.there != 0);
  return status;
}

/* ---- find ---------------------------------------------------------------------- */

/* Finds the layout under a name by the key's type.  Only the caller knows if a string is
 * helper's. */
static lfb_status remote_layout_there(lfb_link *link, lfb_key name, bool helper,
                                      const lfb_redis_layout **layout)
{
  const lfb_redis_layout *const layouts[LFB_KEY_OTHER] = {
      [LFB_KEY_HASH] = &lfb_redis_layout_fast,
      [LFB_KEY_STRING] = helper ? &lfb_redis_layout_helper : &lfb_redis_layout_guava,
      [LFB_KEY_MODULE] = &lfb_redis_layout_module,
  };
  lfb_redis_type type;

  lfb_status status = lfb_key_find(link, name, &type);
  if (status == LFB_OK && type == LFB_KEY_NONE) { /* helper has no parts */
    const lfb_status left = helper ? LFB_ERROR_REDIS_ABSENT : left_status(link, name);
    if (left != LFB_ERROR_REDIS_PART)
      return left;
    /* Another client may have begun the filter after the first look: then its name is there now. */
    status = lfb_key_find(link, name, &type);
    if (status == LFB_OK && type == LFB_KEY_NONE)
      return left;
  }
  if (status != LFB_OK)
    return status;
  if (type == LFB_KEY_OTHER)
    return LFB_ERROR_REDIS_NO_FILTER;
  *layout = layouts[type];
  return LFB_OK;
}

/* Finds the place of the filter under a name. */
static lfb_status remote_find(lfb_link *link, const char *name, const lfb_config *wanted,
                              bool whole, lfb_redis_place *place)
{
  const bool helper = wanted != NULL && wanted->strategy == LFB_REDIS_MITZ32;
  lfb_redis_place found = {.layout = &lfb_redis_layout_fast, .name = {name, strlen(name)}};

  lfb_status status = remote_layout_there(link, found.name, helper, &found.layout);
  if (status == LFB_OK)
    status = found.layout->find(link, &found, wanted, whole);
  if (status == LFB_OK)
    *place = found;
  return status;
}

/* Checks the marks; adopts a filter that another program made. */
static lfb_status remote_adopt(lfb_redis *filter, lfb_link *link)
{
  const lfb_status status = lfb_remote_check(filter, link);

  return status == LFB_ERROR_REDIS_PART && filter->place.layout->adopt != NULL
             ? filter->place.layout->adopt(link, &filter->place)
             : status;
}

/* Opens the filter over a link that then belongs to it. */
static lfb_status remote_open(const lfb_redis_options *options, const char *name,
                              const lfb_config *wanted, lfb_link *link, lfb_redis **filter)
{
  lfb_redis_place place;

  lfb_status status = remote_find(link, name, wanted, true, &place);
  if (status == LFB_OK)
    status = remote_fits(&place.description, wanted);
  if (status == LFB_OK)
    status = lfb_remote_make(options, &place, filter);
  if (status != LFB_OK)
    return status;
  status = remote_adopt(*filter, link);
  if (status != LFB_OK)
    lfb_redis_close(*filter);
  return status;
}

lfb_status lfb_redis_open(const lfb_redis_options *options, const char *name,
                          const lfb_config *wanted, lfb_redis **filter)
{
  lfb_link *link;
  lfb_redis *made;

  lfb_status status = wanted == NULL ? LFB_OK : LFB_RESERVED(wanted);
  if (status == LFB_OK)
    status = lfb_name_check(name);
  if (status == LFB_OK)
    status = lfb_link_open(options, NULL, &link);
  if (status != LFB_OK)
    return status;
  status = remote_open(options, name, wanted, link, &made);
  if (status != LFB_OK) {
    lfb_link_close(link);
    return status;
  }
  lfb_pool_leave(&made->pool, link);
  *filter = made;
  return LFB_OK;
}

/* ---- delete ------------------------------------------------------------------- */

/* Deletes all parts of the filter found. */
static lfb_status delete_found(const lfb_redis_options *options, lfb_link *link,
                               const lfb_redis_place *place)
{
  lfb_redis *filter;

  lfb_status status = lfb_remote_make(options, place, &filter);
  if (status != LFB_OK)
    return status;
  status = lfb_remote_delete(filter, link, filter->place.plan.parts);
  lfb_redis_close(filter);
  return status;
}

static lfb_status delete_by(const lfb_redis_options *options, lfb_link *link, const char *name,
                            bool helper)
{
  lfb_redis_place place = {.name = {name, strlen(name)}};

  lfb_status status = remote_layout_there(link, place.name, helper, &place.layout);
  if (status == LFB_ERROR_REDIS_PART)
    return left_delete(link, place.name);
  if (status != LFB_OK)
    return status;
  if (place.layout == &lfb_redis_layout_helper)
    return lfb_remote_unlink(link, place.name);
  status = place.layout->find(link, &place, NULL, false);
  if (status == LFB_ERROR_OLD_FAST) { /* nothing but its parts' size tells which they are */
    status = lfb_remote_unlink(link, place.name);
    return status == LFB_OK ? left_delete(link, place.name) : status;
  }
  if (status == LFB_ERROR_REDIS_UNFINISHED)
    return lfb_remote_unlink(link, place.name); /* its creator stopped before it made any part */
  return status == LFB_OK ? delete_found(options, link, &place) : status;
}

lfb_status lfb_redis_delete(const lfb_redis_options *options, const char *name,
                            lfb_strategy_id strategy)
{
  lfb_link *link;

  lfb_status status = lfb_name_check(name);
  if (status == LFB_OK)
    status = lfb_link_open(options, NULL, &link);
  if (status != LFB_OK)
    return status;
  status = delete_by(options, link, name, strategy == LFB_REDIS_MITZ32);
  lfb_link_close(link);
  return status;
}
