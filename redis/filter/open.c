/* open.c - creating, opening and deleting a filter by its name. */
#include <stdlib.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "redis/filter/remote.h"
#include "bloom/filter/figures.h"

/* ---- create ------------------------------------------------------------------ */

lfb_status lfb_redis_create(const lfb_redis_options *options, const char *name,
                            const lfb_config *config, uint64_t part_bytes, lfb_redis **filter)
{
  lfb_description description;
  lfb_redis_place place;

  lfb_status status = lfb_description_make(config, &description);
  if (status == LFB_OK)
    status = lfb_remote_plan(name, &description, part_bytes, &place);
  return status == LFB_OK ? lfb_remote_build(options, &place, NULL, filter) : status;
}

/* ---- open -------------------------------------------------------------------- */

/* The wanted configuration.  LFB_DEFAULT fits both strategies that it can be. */
static lfb_config remote_wanted(const lfb_description *found, const lfb_config *wanted)
{
  const lfb_strategy_id id = found->strategy->id;
  lfb_config chosen = *wanted;

  if (wanted->strategy == LFB_DEFAULT && (id == LFB_FAST || id == LFB_FAST_PAIR))
    chosen.strategy = id;
  return chosen;
}

/* Whether the filter found is the wanted one. */
static lfb_status remote_fits(const lfb_description *found, const lfb_config *wanted)
{
  const lfb_geometry *a = &found->geometry;
  lfb_description described;
  lfb_stats stats;

  if (wanted == NULL || wanted->fpp == 0)
    return LFB_OK;
  const lfb_config chosen = remote_wanted(found, wanted);
  const lfb_status status = lfb_description_make(&chosen, &described);
  if (status != LFB_OK)
    return status;
  const lfb_geometry *b = &described.geometry;
  lfb_stats_plan(&described, &stats);
  if (found->strategy->id != chosen.strategy)
    return LFB_ERROR_STRATEGY_DIFFERS;
  if (a->probes != b->probes)
    return LFB_ERROR_PROBES_DIFFER;
  if (a->bit_count != b->bit_count || a->words_per_key != b->words_per_key)
    return LFB_ERROR_BIT_COUNT_DIFFERS;
  /* What the caller left open fits: the default hash, a seed of 0.  A key fits a keyed hash; that it
   * is the right one was checked when the description was read. */
  const bool any = wanted->hash == LFB_HASH_DEFAULT && wanted->seed == 0;
  return (any ? !lfb_config_has_key(wanted) || lfb_hash_keyed(found->hash.kind)
              : lfb_hash_id_of(&found->hash) == stats.hash) &&
                 (wanted->seed == 0 || found->hash.seed == wanted->seed)
             ? LFB_OK
             : LFB_ERROR_HASH_DIFFERS;
}

typedef struct remote_type {
  bool none, hash, string;
} remote_type;

static lfb_status remote_typed(void *context, const redisReply *reply, bool again)
{
  const lfb_status status = lfb_ask_expect(reply, REDIS_REPLY_STATUS);

  (void)again;
  if (status == LFB_OK)
    *(remote_type *)context = (remote_type){strcmp(reply->str, "none") == 0,
                                            strcmp(reply->str, "hash") == 0,
                                            strcmp(reply->str, "string") == 0};
  return status;
}

/* Finds the layout under a name by the key's type.  Only the caller knows if a string is
 * helper's. */
static lfb_status remote_layout_there(lfb_link *link, lfb_key name, bool helper,
                                      const lfb_redis_layout **layout)
{
  const lfb_key args[] = {lfb_ask_text("TYPE"), name};
  remote_type type = {false, false, false};

  const lfb_status status =
      lfb_ask(link, args, sizeof args / sizeof *args, remote_typed, &type);
  if (status != LFB_OK)
    return status;
  if (type.none)
    return LFB_ERROR_REDIS_ABSENT;
  if (!type.hash && !type.string)
    return LFB_ERROR_REDIS_NO_FILTER;
  *layout = type.hash ? &lfb_redis_layout_fast
            : helper  ? &lfb_redis_layout_helper
                      : &lfb_redis_layout_guava;
  return LFB_OK;
}

/* Finds the place of the filter under a name. */
static lfb_status remote_find(lfb_link *link, const char *name, const lfb_config *wanted,
                              bool whole, lfb_redis_place *place)
{
  const bool helper = wanted != NULL && wanted->strategy == LFB_REDIS_MITZ32;
  lfb_redis_place found = {.name = {name, strlen(name)}};

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
    status = lfb_remote_check_name(name);
  if (status == LFB_OK)
    status = lfb_link_open(options, &link);
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
  if (status != LFB_OK)
    return status;
  if (place.layout == &lfb_redis_layout_helper)
    return lfb_remote_unlink(link, place.name);
  status = place.layout->find(link, &place, NULL, false);
  if (status == LFB_ERROR_REDIS_UNFINISHED)
    return lfb_remote_unlink(link, place.name); /* its creator stopped before it made any part */
  return status == LFB_OK ? delete_found(options, link, &place) : status;
}

lfb_status lfb_redis_delete(const lfb_redis_options *options, const char *name,
                            lfb_strategy_id strategy)
{
  lfb_link *link;

  lfb_status status = lfb_remote_check_name(name);
  if (status == LFB_OK)
    status = lfb_link_open(options, &link);
  if (status != LFB_OK)
    return status;
  status = delete_by(options, link, name, strategy == LFB_REDIS_MITZ32);
  /* After the parts: a local replica that finds parts missing makes no new stream. */
  if (status == LFB_OK)
    status = lfb_remote_unlink_stream(link, (lfb_key){name, strlen(name)});
  lfb_link_close(link);
  return status;
}
