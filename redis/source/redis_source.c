/* redis_source.c - versions on a Redis server, as a source for a follower. */
#include <lfbloom/redis_source.h>

#include <lfbloom/delta.h>
#include <stdlib.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "redis/link/link.h"
#include "redis/source/editions.h"
#include "redis/source/listener.h"

enum { SOURCE_TRIES = 8 }; /* to load the newest version */

struct lfb_redis_source {
  lfb_pool pool;
  lfb_editions editions;
  lfb_redis_source_config config;
  lfb_listener *listener; /* NULL: it does not listen                              */
  lfb_edition newest;     /* the last one published, as far as is known            */
  uint64_t version;       /* its version number for the follower                   */
  lfb_edition_list seen;  /* the last ones known, in the order of publication      */
  lfb_edition base;       /* the edition that the follower has                     */
  uint64_t base_version;  /* its version number for the follower; 0: unknown       */
};

/* ---- the newest version -------------------------------------------------------- */

/* The position of an edition among those seen; `none`: it is not one of them. */
static size_t source_place(const lfb_redis_source *source, const lfb_edition *edition, size_t none)
{
  for (size_t i = source->seen.count; i-- > 0;)
    if (lfb_edition_is(&source->seen.all[i], edition))
      return i;
  return none;
}

/* Adds what comes after the last one that was seen before. */
static void source_see(lfb_redis_source *source, const lfb_edition_list *list)
{
  lfb_edition_list *seen = &source->seen;
  size_t from = list->count;

  while (from > 0 && source_place(source, &list->all[from - 1], SIZE_MAX) == SIZE_MAX)
    from--;
  for (; from < list->count; from++) {
    if (seen->count == LFB_REDIS_VERSIONS_REACH)
      memmove(seen->all, seen->all + 1, --seen->count * sizeof *seen->all);
    seen->all[seen->count++] = list->all[from];
  }
}

/* If a newer edition was seen, but never loaded, and is lost, too, the follower's is the newest. */
static void source_return_to_base(lfb_redis_source *source)
{
  if (lfb_edition_is(&source->newest, &source->base))
    return;
  source->newest = source->base;
  source->version++;
}

/* Notes what the server has.  If it has lost the versions after some edition, and the follower has
 * that one or a later one, nothing changes: the next published one will be new.  A server that lost
 * versions reuses their numbers; the version numbers here always rise. */
static void source_note(lfb_redis_source *source, const lfb_edition_list *list)
{
  const lfb_edition *found = &list->all[list->count - 1];
  const uint64_t last = source->newest.number;

  if (source_place(source, found, SIZE_MAX) < source_place(source, &source->base, 0)) {
    source_return_to_base(source);
    return;
  }
  source_see(source, list);
  if (lfb_edition_is(found, &source->newest))
    return;
  source->version += found->number > last ? found->number - last : 1;
  source->newest = *found;
}

/* Reads the editions from the newest known one on; all of them if there is none, or if the server
 * has lost it. */
static lfb_status source_list(const lfb_redis_source *source, lfb_link *link,
                              lfb_edition_list *list)
{
  const lfb_edition *newest = &source->newest;
  const lfb_status status = lfb_editions_from(link, &source->editions, newest->number, list);

  if (status != LFB_OK || newest->number == 0 ||
      (list->count > 0 && lfb_edition_is(&list->all[0], newest)))
    return status;
  return lfb_editions_from(link, &source->editions, 0, list);
}

static lfb_status source_look(lfb_redis_source *source)
{
  lfb_edition_list list;
  lfb_link *link;

  lfb_status status = lfb_pool_take(&source->pool, false, &link);
  if (status != LFB_OK)
    return status;
  status = source_list(source, link, &list);
  lfb_pool_leave(&source->pool, link);
  if (status == LFB_OK && list.count > 0)
    source_note(source, &list);
  return status;
}

static lfb_status source_version(void *self, uint64_t *version)
{
  lfb_redis_source *source = self;

  const lfb_status status = source_look(source);
  if (status == LFB_OK)
    *version = source->version;
  return status;
}

/* ---- deltas -------------------------------------------------------------------- */

/* Where a delta is applied: the follower's running version, or a filter that is being loaded. */
typedef struct applying {
  lfb_keys_sink *sink; /* NULL: the filter    */
  lfb_filter *filter;
  uint64_t size;       /* expected, in bytes  */
} applying;

static lfb_status delta_came(void *context, const redisReply *reply, bool again)
{
  const applying *apply = context;
  const lfb_status status = lfb_reply_status(reply);

  (void)again;
  if (status != LFB_OK && !lfb_reply_is_error(reply, "WRONGTYPE"))
    return status;
  if (reply->type != REDIS_REPLY_STRING || reply->len != apply->size)
    return LFB_ERROR_NO_CHANGES;
  if (apply->sink != NULL)
    return lfb_keys_give_delta(apply->sink, reply->str, reply->len);
  return lfb_delta_apply(apply->filter, reply->str, reply->len, NULL) == LFB_OK
             ? LFB_OK
             : LFB_ERROR_NO_CHANGES;
}

/* Fails: LFB_ERROR_NO_CHANGES: the delta is gone, damaged, or made for another filter. */
static lfb_status source_apply(const lfb_redis_source *source, lfb_link *link,
                               const lfb_edition *edition, applying *apply)
{
  char buffer[LFB_EDITION_NAME];

  apply->size = edition->delta;
  return lfb_ask(
      link, delta_came, apply,
      LFB_ARGS(lfb_text("GET"), lfb_edition_delta_key(&source->editions, &edition->token, buffer)));
}

/* ---- a version in full --------------------------------------------------------- */

static lfb_status source_load_base(lfb_redis_source *source, lfb_filter **filter)
{
  const lfb_read_limits limits = {.max_bytes = source->config.max_bytes};
  char name[LFB_EDITION_NAME];
  lfb_redis *remote;

  lfb_edition_name(&source->editions, &source->newest.base, name);
  lfb_status status = lfb_redis_open(&source->pool.options, name, &source->config.wanted, &remote);
  if (status != LFB_OK)
    return status;
  status = lfb_redis_load(remote, &limits, filter);
  lfb_redis_close(remote);
  return status;
}

/* Applies the deltas of the listed editions with the base of source->newest.  Only its own is
 * necessary: when it was added to the list, its base had all bits of the versions before it.  The
 * others are applied as far as they are there: a failover may have undone that. */
static lfb_status source_load_deltas(const lfb_redis_source *source, lfb_link *link,
                                     lfb_filter *filter)
{
  const lfb_edition *newest = &source->newest;
  applying apply = {.filter = filter};
  lfb_edition_list list;

  if (lfb_token_is(&newest->token, &newest->base))
    return LFB_OK;
  lfb_status status = source_apply(source, link, newest, &apply);
  if (status == LFB_OK)
    status = lfb_editions_from(link, &source->editions, 0, &list);
  for (size_t i = 0; status == LFB_OK && i < list.count; i++) {
    const lfb_edition *edition = &list.all[i];
    if (lfb_token_is(&edition->base, &newest->base) &&
        !lfb_token_is(&edition->base, &edition->token) && !lfb_edition_is(edition, newest))
      status = source_apply(source, link, edition, &apply);
    if (status == LFB_ERROR_NO_CHANGES)
      status = LFB_OK;
  }
  return status == LFB_ERROR_NO_CHANGES ? LFB_ERROR_REDIS_PART : status;
}

/* Loads source->newest. */
static lfb_status source_load_by_link(lfb_redis_source *source, lfb_link *link,
                                      lfb_filter **filter)
{
  lfb_filter *made = NULL;

  lfb_status status = source_load_base(source, &made);
  if (status != LFB_OK)
    return status;
  status = source_load_deltas(source, link, made);
  if (status == LFB_OK)
    *filter = made;
  else
    lfb_filter_free(made);
  return status;
}

static lfb_status source_load(lfb_redis_source *source, lfb_filter **filter)
{
  lfb_link *link;

  lfb_status status = lfb_pool_take(&source->pool, false, &link);
  if (status != LFB_OK)
    return status;
  status = source_load_by_link(source, link, filter);
  lfb_pool_leave(&source->pool, link);
  return status;
}

/* Whether the failure may mean that the version is being deleted. */
static bool status_is_of_gone(lfb_status status)
{
  return status == LFB_ERROR_REDIS_ABSENT || status == LFB_ERROR_REDIS_PART ||
         status == LFB_ERROR_REDIS_UNFINISHED || status == LFB_ERROR_REDIS_NO_FILTER;
}

/* Retries only if another version has been published during the attempt, and a few times only: the
 * follower is then asked whether it stops, and rests. */
static lfb_status source_filter(void *self, lfb_filter **filter)
{
  lfb_redis_source *source = self;
  const uint64_t asked = source->version;
  unsigned left = SOURCE_TRIES;
  lfb_edition tried;
  lfb_status status, looked;

  do {
    tried = source->newest;
    status = source_load(source, filter);
    looked = status_is_of_gone(status) ? source_look(source) : status;
  } while (--left > 0 && status != LFB_OK && looked == LFB_OK &&
           !lfb_edition_is(&tried, &source->newest));
  if (status != LFB_OK)
    return looked != LFB_OK                            ? looked
           : lfb_edition_is(&tried, &source->newest) ? status
                                                      : LFB_ERROR_REDIS_OUTPACED;
  source->base = tried;
  source->base_version = asked; /* the follower takes it for that */
  return LFB_OK;
}

/* ---- changes ------------------------------------------------------------------- */

/* Whether deltas lead without a gap from the follower's edition, which must be the first
 * of `list`, to the newest edition.  Sets `to` to the newest one's position. */
static bool source_leads(const lfb_redis_source *source, const lfb_edition_list *list, size_t *to)
{
  size_t i = 0;

  if (list->count == 0 || !lfb_edition_is(&list->all[0], &source->base))
    return false;
  while (!lfb_edition_is(&list->all[i], &source->newest)) {
    if (++i == list->count)
      return false;
    const lfb_edition *next = &list->all[i];
    if (next->number != list->all[i - 1].number + 1 || next->delta == 0)
      return false;
  }
  *to = i;
  return true;
}

static lfb_status source_give_all(lfb_redis_source *source, lfb_link *link, lfb_keys_sink *sink)
{
  applying apply = {.sink = sink};
  lfb_edition_list list;
  size_t to = 0;

  lfb_status status = lfb_editions_from(link, &source->editions, source->base.number, &list);
  if (status == LFB_OK && !source_leads(source, &list, &to))
    return LFB_ERROR_NO_CHANGES;
  for (size_t i = 1; i <= to && status == LFB_OK; i++)
    status = source_apply(source, link, &list.all[i], &apply);
  return status;
}

static lfb_status source_changes(void *self, uint64_t since, lfb_keys_sink *sink)
{
  lfb_redis_source *source = self;
  lfb_link *link;

  if (since != source->base_version)
    return LFB_ERROR_NO_CHANGES;
  if (lfb_edition_is(&source->newest, &source->base)) { /* the server may have lost it */
    source->base_version = source->version;
    return LFB_OK;
  }
  lfb_status status = lfb_pool_take(&source->pool, false, &link);
  if (status != LFB_OK)
    return status;
  status = source_give_all(source, link, sink);
  lfb_pool_leave(&source->pool, link);
  if (status == LFB_OK) {
    source->base = source->newest;
    source->base_version = source->version;
  }
  return status;
}

lfb_source lfb_redis_source_functions(lfb_redis_source *source)
{
  return (lfb_source){.self = source,
                      .version = source_version,
                      .changes = source_changes,
                      .filter = source_filter};
}

/* ---- listening ----------------------------------------------------------------- */

static void source_wake(void *to)
{
  lfb_follow_wake(to);
}

lfb_status lfb_redis_source_listen(lfb_redis_source *source, lfb_follow *follow)
{
  if (source->listener != NULL)
    return LFB_ERROR_FOLLOWING;
  return lfb_listener_start(&source->pool.options, source->editions.versions, source_wake, follow,
                            &source->listener);
}

void lfb_redis_source_silence(lfb_redis_source *source)
{
  lfb_listener_stop(source->listener);
  source->listener = NULL;
}

/* ---- life ---------------------------------------------------------------------- */

lfb_status lfb_redis_source_create(const lfb_redis_options *options, const char *name,
                                   const lfb_redis_source_config *config,
                                   lfb_redis_source **source)
{
  if (config != NULL && LFB_RESERVED(config) != LFB_OK)
    return LFB_ERROR_RESERVED;
  lfb_redis_source *made = calloc(1, sizeof *made);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_editions_init(&made->editions, name);
  if (status == LFB_OK)
    status = lfb_pool_init(&made->pool, options);
  if (status != LFB_OK) {
    free(made);
    return status;
  }
  if (config != NULL)
    made->config = *config;
  *source = made;
  return LFB_OK;
}

void lfb_redis_source_free(lfb_redis_source *source)
{
  if (source == NULL)
    return;
  lfb_redis_source_silence(source);
  lfb_pool_free(&source->pool);
  free(source);
}
