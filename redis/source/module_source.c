/*
 * module_source.c - a key of the module lfbloom_redis.so, as a source for a follower.
 *
 * The module notes the hashes of the keys that were added last (docs/module.md, BF.CHANGES): their
 * number since it began is the version there, and a random epoch tells one such log from another.
 * A copy begins with the version and the header, and then takes the words; keys that are added
 * meanwhile have their hashes after that version.  Putting a hash twice changes nothing.
 */
#include <lfbloom/redis_source.h>

#include <stdlib.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "bloom/files/native_header.h"
#include "redis/dump/chunk.h"
#include "redis/filter/module_key.h"
#include "redis/filter/remote.h"
#include "redis/filter/words.h"
#include "redis/link/options.h"

enum {
  MODULE_TRIES = 8,    /* to load a key whose log ends meanwhile */
  MODULE_PIECE = 1024, /* hashes that are put at a time          */
};

/* A point in a log of the server. */
typedef struct module_point {
  uint64_t epoch; /* 0: none */
  uint64_t count; /* hashes since the log began */
} module_point;

struct lfb_redis_module_source {
  lfb_pool pool;
  lfb_key key; /* `name` */
  uint64_t max_bytes;
  module_point newest;   /* as last read from the server              */
  unsigned char header[LFB_NATIVE_HEADER];
  uint64_t number;       /* of `newest`, as a version of the follower */
  module_point base;     /* what the follower has                     */
  uint64_t base_number;  /* its version; 0: unknown                   */
  char name[];
};

/* ---- replies -------------------------------------------------------------------- */

static bool reply_number(const redisReply *reply, uint64_t *number)
{
  if (reply->type != REDIS_REPLY_INTEGER || reply->integer < 0)
    return false;
  *number = (uint64_t)reply->integer;
  return true;
}

/* Reads a reply to BF.CHANGES; gives its third part. */
static lfb_status reply_read(const redisReply *reply, module_point *point,
                             const redisReply **rest)
{
  const lfb_status status = lfb_module_status(reply);

  if (status != LFB_OK)
    return status;
  if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 3 ||
      !reply_number(reply->element[0], &point->epoch) || point->epoch == 0 ||
      !reply_number(reply->element[1], &point->count))
    return LFB_ERROR_REDIS_PROTOCOL;
  *rest = reply->element[2];
  return LFB_OK;
}

/* ---- the version --------------------------------------------------------------- */

static lfb_status look_reply(void *context, const redisReply *reply, bool again)
{
  lfb_redis_module_source *source = context;
  module_point found = {.epoch = 0};
  const redisReply *header;

  (void)again; /* it changes nothing */
  const lfb_status status = reply_read(reply, &found, &header);
  if (status != LFB_OK)
    return status;
  if (header->type != REDIS_REPLY_STRING || header->len != sizeof source->header)
    return LFB_ERROR_REDIS_PROTOCOL;
  memcpy(source->header, header->str, sizeof source->header);
  if (found.epoch != source->newest.epoch || found.count != source->newest.count)
    source->number++;
  source->newest = found;
  return LFB_OK;
}

static lfb_status module_look(lfb_redis_module_source *source, lfb_link *link)
{
  const lfb_key args[] = {lfb_ask_text("BF.CHANGES"), source->key};

  return lfb_ask(link, args, sizeof args / sizeof *args, look_reply, source);
}

static lfb_status module_version(void *self, uint64_t *version)
{
  lfb_redis_module_source *source = self;
  lfb_link *link;

  lfb_status status = lfb_pool_take(&source->pool, &link);
  if (status != LFB_OK)
    return status;
  status = module_look(source, link);
  lfb_pool_leave(&source->pool, link);
  if (status == LFB_OK)
    *version = source->number;
  return status;
}

/* ---- the filter ---------------------------------------------------------------- */

/* A filter that is being loaded. */
typedef struct module_reading {
  const lfb_redis_module_source *source;
  lfb_link *link;
  uint64_t first; /* the next word      */
  void *words;    /* where it goes      */
  size_t count;   /* how many are wanted */
} module_reading;

static lfb_status words_reply(void *context, const redisReply *reply, bool again)
{
  const module_reading *from = context;
  const lfb_status status = lfb_module_status(reply);

  (void)again; /* as above */
  if (status != LFB_OK)
    return status;
  if (reply->type == REDIS_REPLY_NIL) /* the log has ended */
    return LFB_ERROR_MODULE_CHANGED;
  if (reply->type != REDIS_REPLY_STRING || reply->len != from->count * sizeof(uint64_t))
    return LFB_ERROR_REDIS_PROTOCOL;
  memcpy(from->words, reply->str, reply->len);
  return LFB_OK;
}

/* An lfb_read_fn of the words; lfb_words_read() never asks for more than there are. */
static lfb_status words_take(void *of, void *bytes, size_t size, size_t *got)
{
  module_reading *from = of;
  char rooms[3][LFB_WIRE_DIGITS];

  from->words = bytes;
  from->count = (size < LFB_CHANGES_MOST ? size : (size_t)LFB_CHANGES_MOST) / sizeof(uint64_t);
  const lfb_key args[] = {lfb_ask_text("BF.WORDS"), from->source->key,
                          lfb_ask_number(from->source->newest.epoch, rooms[0]),
                          lfb_ask_number(from->first, rooms[1]),
                          lfb_ask_number(from->count, rooms[2])};
  const lfb_status status = lfb_ask(from->link, args, sizeof args / sizeof *args, words_reply, from);
  if (status != LFB_OK)
    return status;
  from->first += from->count;
  *got = from->count * sizeof(uint64_t);
  return lfb_options_moved(&from->source->pool.options, *got);
}

/* Loads source->newest, and perhaps keys that were added since. */
static lfb_status module_load(const lfb_redis_module_source *source, lfb_link *link,
                              lfb_filter **filter)
{
  module_reading from = {.source = source, .link = link};
  lfb_description description;

  const lfb_status status = lfb_native_decode(source->header, NULL, &description);
  if (status != LFB_OK)
    return status;
  if (description.strategy->id != LFB_FAST)
    return LFB_ERROR_BAD_HEADER;
  if (source->max_bytes > 0 && description.geometry.word_count > source->max_bytes / sizeof(lfb_word))
    return LFB_ERROR_OVER_LIMIT; /* before memory is taken */
  return lfb_words_read(&description, LFB_WORDS_BIG, source->max_bytes, words_take, &from, filter);
}

static lfb_status module_filter(void *self, lfb_filter **filter)
{
  lfb_redis_module_source *source = self;
  const uint64_t asked = source->number;
  lfb_link *link;

  lfb_status status = lfb_pool_take(&source->pool, &link);
  if (status != LFB_OK)
    return status;
  status = module_load(source, link, filter);
  for (int i = 1; i < MODULE_TRIES && status == LFB_ERROR_MODULE_CHANGED; i++) {
    status = module_look(source, link);
    if (status == LFB_OK)
      status = module_load(source, link, filter);
  }
  lfb_pool_leave(&source->pool, link);
  if (status != LFB_OK)
    return status;
  source->base = source->newest;
  source->base_number = asked; /* which the follower takes it for */
  return LFB_OK;
}

/* ---- changes ------------------------------------------------------------------- */

/* Changes that are being given to a follower. */
typedef struct module_giving {
  lfb_redis_module_source *source;
  lfb_keys_sink *sink;
} module_giving;

static lfb_status hashes_give(lfb_keys_sink *sink, const unsigned char *bytes, size_t count)
{
  uint64_t hashes[MODULE_PIECE];
  lfb_status status = LFB_OK;

  for (size_t done = 0, some; status == LFB_OK && done < count; done += some) {
    some = count - done < MODULE_PIECE ? count - done : (size_t)MODULE_PIECE;
    for (size_t i = 0; i < some; i++)
      hashes[i] = lfb_load_le64(bytes + (done + i) * sizeof *hashes);
    status = lfb_keys_give_hash_uncounted(sink, hashes, some);
  }
  return status;
}

/* Checks the whole reply before it gives a hash. */
static lfb_status changes_reply(void *context, const redisReply *reply, bool again)
{
  const module_giving *giving = context;
  module_point *base = &giving->source->base;
  module_point found = {.epoch = 0};
  const redisReply *hashes;

  (void)again; /* as above */
  lfb_status status = reply_read(reply, &found, &hashes);
  if (status != LFB_OK)
    return status;
  if (hashes->type == REDIS_REPLY_NIL || found.epoch != base->epoch)
    return LFB_ERROR_NO_CHANGES;
  const uint64_t count = hashes->len / sizeof(uint64_t);
  if (hashes->type != REDIS_REPLY_STRING || hashes->len % sizeof(uint64_t) != 0 || count == 0 ||
      hashes->len > LFB_CHANGES_MOST || found.count < base->count ||
      count > found.count - base->count)
    return LFB_ERROR_REDIS_PROTOCOL;
  status = hashes_give(giving->sink, (const unsigned char *)hashes->str, (size_t)count);
  if (status != LFB_OK)
    return status;
  base->count += count;
  return lfb_options_moved(&giving->source->pool.options, hashes->len);
}

static lfb_status module_give(lfb_redis_module_source *source, lfb_link *link, lfb_keys_sink *sink)
{
  module_giving giving = {source, sink};
  lfb_status status = LFB_OK;

  /* The version that was read last is the end, however fast keys are added meanwhile. */
  while (status == LFB_OK && source->base.count < source->newest.count) {
    char rooms[2][LFB_WIRE_DIGITS];
    const lfb_key args[] = {lfb_ask_text("BF.CHANGES"), source->key,
                            lfb_ask_number(source->base.epoch, rooms[0]),
                            lfb_ask_number(source->base.count, rooms[1])};
    status = lfb_ask(link, args, sizeof args / sizeof *args, changes_reply, &giving);
  }
  return status;
}

static lfb_status module_changes(void *self, uint64_t since, lfb_keys_sink *sink)
{
  lfb_redis_module_source *source = self;
  lfb_link *link;

  if (since != source->base_number || source->newest.epoch != source->base.epoch)
    return LFB_ERROR_NO_CHANGES;
  lfb_status status = lfb_pool_take(&source->pool, &link);
  if (status != LFB_OK)
    return status;
  status = module_give(source, link, sink);
  lfb_pool_leave(&source->pool, link);
  if (status == LFB_OK)
    source->base_number = source->number;
  return status;
}

lfb_source lfb_redis_module_source_functions(lfb_redis_module_source *source)
{
  return (lfb_source){.self = source,
                      .version = module_version,
                      .changes = module_changes,
                      .filter = module_filter};
}

/* ---- life ---------------------------------------------------------------------- */

lfb_status lfb_redis_module_source_create(const lfb_redis_options *options, const char *key,
                                          const lfb_read_limits *limits,
                                          lfb_redis_module_source **source)
{
  lfb_status status = limits == NULL ? LFB_OK : LFB_RESERVED(limits);

  if (status == LFB_OK)
    status = lfb_remote_check_name(key);
  if (status != LFB_OK)
    return status;
  const size_t size = strlen(key);
  lfb_redis_module_source *made = calloc(1, sizeof *made + size + 1);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  memcpy(made->name, key, size + 1);
  made->key = (lfb_key){made->name, size};
  made->max_bytes = limits == NULL ? 0 : limits->max_bytes;
  status = lfb_pool_init(&made->pool, options);
  if (status != LFB_OK) {
    free(made);
    return status;
  }
  *source = made;
  return LFB_OK;
}

void lfb_redis_module_source_free(lfb_redis_module_source *source)
{
  if (source == NULL)
    return;
  lfb_pool_free(&source->pool);
  free(source);
}
