/*
 * module_save.c - makes a key of the module from a filter in memory, by BF.LOADCHUNK.
 *
 * The key is loaded under a name of its own, {name}:loading:NUMBER, which expires, and gets its
 * name when it is whole.  So its name never refers to a part of it, and what a killed process
 * leaves goes away.
 *
 * The head's fields come from the headers in the filter's serialised form.  So a filter is written
 * twice: once for its headers, once for the body.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "bloom/files/native_header.h"
#include "bloom/filter/figures.h"
#include "bloom/growing/growing_files.h"
#include "redis/dump/chunk.h"
#include "redis/dump/head.h"
#include "redis/filter/module_key.h"
#include "redis/filter/remote.h"
#include "redis/link/options.h"

enum {
  LOADING_LIFE_MS = 10 * 60 * 1000, /* from the last chunk on */
  LOADING_NAME_SIZE = LFB_REDIS_NAME_SIZE + 3 + 24,
};

/* ---- the head ------------------------------------------------------------------------ */

/* Collects headers from the bytes of a form, and passes over what is between them. */
typedef struct survey {
  const lfb_redis_module_value *value;
  lfb_dump_fields dumped;
  uint64_t skip; /* bytes to pass over before the next header */
  size_t have;   /* of that header                            */
  unsigned char header[LFB_HEAD_SIZE];
  bool prefixed; /* the prefix of another kind than plain has come */
} survey;

/* Where these figures are in the prefix of a window, or of a counting filter: docs/formats.md. */
enum { WINDOW_AT_GENERATIONS = 16,
       WINDOW_AT_BY_INSERTIONS = 28,
       COUNTING_AT_COPIES = 20 };

static lfb_status survey_prefix(survey *of)
{
  lfb_recipe *recipe = &of->dumped.recipe;
  lfb_growing growing = {.config = {0}};
  uint32_t layers;

  of->prefixed = true;
  if (of->value->any.kind == LFB_KIND_COUNTING) {
    recipe->copies = lfb_load_le32(of->header + COUNTING_AT_COPIES);
    return LFB_OK;
  }
  if (of->value->any.kind == LFB_KIND_WINDOW) {
    recipe->generations = lfb_load_le32(of->header + WINDOW_AT_GENERATIONS);
    /* The module ends its generations: a window that does so, too, would forget too early. */
    return lfb_load_le32(of->header + WINDOW_AT_BY_INSERTIONS) == 0 ? LFB_OK
                                                                    : LFB_ERROR_MODULE_FILTER;
  }
  const lfb_status status = lfb_growing_decode(of->header, &growing, &layers);
  recipe->capacity = growing.config.expected_insertions;
  recipe->error = growing.config.fpp;
  recipe->expansion = LFB_MODULE_EXPANSION;
  return status;
}

/* Notes the hash, and what else the first native header tells. */
static void survey_first(survey *of, const lfb_description *description)
{
  lfb_recipe *recipe = &of->dumped.recipe;

  lfb_recipe_take_hash(recipe, description);
  if (of->value->any.kind != LFB_KIND_GROWING) {
    recipe->capacity = description->config.expected_insertions;
    recipe->error = description->config.fpp;
  }
}

/* Notes a filter of a chain. */
static void survey_layer(survey *of, const lfb_description *description)
{
  const uint64_t words = description->geometry.word_count;
  const uint64_t pieces = (words * sizeof(lfb_word) - 1) / LFB_CHECKED_BYTES + 1;
  lfb_stats stats;

  lfb_stats_fill(description, lfb_native_bits_set(of->header), 0, &stats);
  const uint64_t most = stats.expected_insertions, count = stats.approximate_count;
  of->dumped.newest_items = count < most ? count : most;
  of->dumped.items += of->dumped.newest_items;
  of->dumped.layers++;
  of->skip = words * sizeof(lfb_word) + 8 * (pieces + 1);
}

static lfb_status survey_header(survey *of)
{
  lfb_description description;

  if (of->value->any.kind != LFB_KIND_PLAIN && !of->prefixed)
    return survey_prefix(of);
  const bool counting = of->value->any.kind == LFB_KIND_COUNTING;
  const lfb_status status = lfb_native_decode_any(of->header, NULL, &description);
  if (status == LFB_ERROR_KEY_NEEDED ||
      (status == LFB_OK && description.strategy->id != (counting ? LFB_TAGS : LFB_FAST)))
    return LFB_ERROR_MODULE_FILTER;
  if (status != LFB_OK)
    return status;
  if (of->dumped.layers == 0)
    survey_first(of, &description);
  if (of->value->any.kind != LFB_KIND_WINDOW && !counting)
    survey_layer(of, &description);
  /* No other header follows, unless the filter grows. */
  return of->value->any.kind == LFB_KIND_GROWING ? LFB_OK : LFB_ERROR_STOPPED;
}

/* An lfb_write_fn. */
static lfb_status survey_take(void *to, const void *bytes, size_t size)
{
  const unsigned char *from = bytes;
  survey *of = to;

  while (size > 0) {
    if (of->skip >= size) {
      of->skip -= size;
      return LFB_OK;
    }
    from += of->skip;
    size -= (size_t)of->skip;
    of->skip = 0;
    const size_t missing = sizeof of->header - of->have, taken = size < missing ? size : missing;
    memcpy(of->header + of->have, from, taken);
    of->have += taken;
    from += taken;
    size -= taken;
    if (of->have < sizeof of->header)
      return LFB_OK;
    of->have = 0;
    const lfb_status status = survey_header(of);
    if (status != LFB_OK)
      return status;
  }
  return LFB_OK;
}

/* A window tells itself how many keys it has. */
static void survey_window(survey *of)
{
  lfb_window_figures figures;

  lfb_window_stats(of->value->any.window, &figures);
  for (int i = 0; i < LFB_WINDOW_LIVE; i++) {
    const uint64_t count = figures.live[i].approximate_count;
    of->dumped.items += count < figures.expected_insertions ? count : figures.expected_insertions;
    if (i == 0)
      of->dumped.newest_items = of->dumped.items;
  }
  of->dumped.recipe.period_ms = of->value->period_ms;
  /* The first generation is longer or shorter by the difference of the two clocks. */
  if (of->value->period_ms != 0)
    of->dumped.began_ms = 1000 * lfb_native_now();
}

/* Writes the head of a value.  Fails: LFB_ERROR_MODULE_FILTER, _NO_MEMORY. */
static lfb_status value_head(const lfb_redis_module_value *value, lfb_dump_fields *dumped,
                             unsigned char head[LFB_DUMP_HEAD])
{
  static const lfb_value_kind kinds[] = {LFB_VALUE_CHAIN, LFB_VALUE_CHAIN, LFB_VALUE_CHAIN,
                                         LFB_VALUE_REMOVABLE, LFB_VALUE_WINDOW};
  survey of = {.value = value,
               .dumped = {.state = LFB_DUMP_WHOLE, .recipe.kind = kinds[value->any.kind]}};
  lfb_figures figures;

  const lfb_status status = lfb_any_write(value->any, survey_take, &of);
  if (status != LFB_OK && status != LFB_ERROR_STOPPED)
    return status;
  if (value->any.kind == LFB_KIND_WINDOW)
    survey_window(&of);
  if (value->any.kind == LFB_KIND_COUNTING) {
    lfb_any_stats(value->any, &figures);
    of.dumped.items = figures.all.copies;
  }
  lfb_dump_fields_write(&of.dumped, head);
  return lfb_dump_fields_read(head, LFB_DUMP_HEAD, dumped) == LFB_OK ? LFB_OK
                                                                     : LFB_ERROR_MODULE_FILTER;
}

/* ---- chunks ---------------------------------------------------------------------------- */

/* A key that is being loaded. */
typedef struct loading {
  lfb_link *link;
  const lfb_redis_options *options;
  lfb_key name, temporary;
  uint16_t slot;
  uint64_t skip;   /* bytes before the body                    */
  uint64_t offset; /* of the next chunk in the body            */
  uint64_t mark;   /* of all chunks                            */
  const void *bytes;
  size_t size;                    /* of the current chunk */
  uint64_t cursor;                /* of the current chunk */
  char words[LFB_CHUNK_WORDS];    /* before its bytes     */
  size_t words_size;              /* 0: it is the head    */
  char buffer[LOADING_NAME_SIZE]; /* of `temporary`       */
} loading;

/* Command 0 loads a chunk, command 1 extends the key's expiry. */
static uint16_t chunk_command(void *context, uint64_t i, lfb_wire *wire)
{
  const loading *to = context;

  if (i == 1)
    return lfb_ask_write(wire,
                         LFB_ARGS(lfb_text("PEXPIRE"), to->temporary, LFB_NUMBER(LOADING_LIFE_MS)));
  lfb_wire_begin(wire, 4);
  lfb_wire_text(wire, "BF.LOADCHUNK");
  lfb_wire_string(wire, to->temporary.bytes, to->temporary.size);
  lfb_wire_number(wire, to->cursor);
  lfb_wire_count(wire, '$', to->words_size + to->size);
  lfb_wire_raw(wire, to->words, to->words_size);
  lfb_wire_raw(wire, to->bytes, to->size);
  lfb_wire_raw(wire, "\r\n", 2);
  return to->slot;
}

/* A chunk that was sent twice is refused the second time, if it was loaded the first time.  If it
 * was not, the next chunk is refused, or the key is not whole in the end. */
static bool chunk_was_loaded(const redisReply *reply)
{
  return lfb_module_says(reply, LFB_SAYS_NOT_NEXT) || lfb_module_says(reply, LFB_SAYS_INCOMPLETE) ||
         lfb_module_says(reply, LFB_SAYS_EXISTS);
}

static lfb_status chunk_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  (void)context;
  if (i == 1)
    return lfb_reply_expect(reply, REDIS_REPLY_INTEGER);
  if (again && chunk_was_loaded(reply))
    return LFB_OK;
  const lfb_status status = lfb_module_status(reply);
  if (status != LFB_OK)
    return status;
  return reply->type == REDIS_REPLY_STATUS ? LFB_OK : LFB_ERROR_REDIS_PROTOCOL;
}

static lfb_status load_chunk(loading *to)
{
  const lfb_status status = lfb_link_run(to->link, &(lfb_job){2, chunk_command, chunk_reply, to});
  if (status != LFB_OK)
    return status;
  return lfb_options_moved(to->options, to->size);
}

static lfb_status load_head(loading *to, const unsigned char head[LFB_DUMP_HEAD])
{
  to->bytes = head;
  to->size = LFB_DUMP_HEAD;
  to->cursor = lfb_cursor(0, false);
  to->words_size = 0;
  to->mark = lfb_dump_mark(head);
  return load_chunk(to);
}

/* Loads the next bytes of the body; none: its end. */
static lfb_status load_body(loading *to, const void *bytes, size_t size)
{
  const bool last = size == 0;

  lfb_chunk_put_words(to->words, to->offset, last, to->mark);
  to->words_size = sizeof to->words;
  to->offset += size;
  to->bytes = bytes;
  to->size = size;
  to->cursor = lfb_cursor(to->offset, last);
  return load_chunk(to);
}

/* An lfb_write_fn: each call, at most about 1 MiB, is a chunk. */
static lfb_status load_take(void *of, const void *bytes, size_t size)
{
  loading *to = of;
  const size_t skipped = to->skip < size ? (size_t)to->skip : size;

  to->skip -= skipped;
  return size == skipped ? LFB_OK
                         : load_body(to, (const char *)bytes + skipped, size - skipped);
}

/* ---- the name ------------------------------------------------------------------------------ */

/* Gives the key its name, if that is unused.  Returns 2 if the key does not exist, 3 if another one
 * has the name then. */
static const char name_script[] =
    "if redis.call('EXISTS',KEYS[1])==0 then return 2+redis.call('EXISTS',KEYS[2]) end "
    "local renamed=redis.call('RENAMENX',KEYS[1],KEYS[2]) "
    "if renamed==1 then redis.call('PERSIST',KEYS[2]) end "
    "return renamed";

enum { NAME_TAKEN = 0,
       NAME_GIVEN = 1,
       NAME_THERE = 3 };

static uint16_t name_command(void *context, uint64_t i, lfb_wire *wire)
{
  const loading *to = context;

  (void)i;
  (void)lfb_ask_write(wire, LFB_ARGS(lfb_text("EVAL"), lfb_text(name_script), lfb_text("2"),
                                     to->temporary, to->name));
  return to->slot;
}

static lfb_status name_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_INTEGER);

  (void)context, (void)i;
  if (status != LFB_OK)
    return status;
  if (reply->integer == NAME_GIVEN || (reply->integer == NAME_THERE && again))
    return LFB_OK; /* the first time gave it its name */
  return reply->integer == NAME_TAKEN ? LFB_ERROR_REDIS_EXISTS : LFB_ERROR_REDIS_PART;
}

static lfb_status card_reply(void *context, const redisReply *reply, bool again)
{
  const lfb_dump_fields *dumped = context;
  const lfb_status status = lfb_module_status(reply);

  (void)again;
  if (status == LFB_ERROR_REDIS_ABSENT || status == LFB_ERROR_REDIS_UNFINISHED)
    return LFB_ERROR_REDIS_PART;
  if (status != LFB_OK)
    return status;
  return reply->type == REDIS_REPLY_INTEGER && (uint64_t)reply->integer == dumped->items
             ? LFB_OK
             : LFB_ERROR_REDIS_PART;
}

/* Checks that the key is whole: only then does it tell how many keys it has. */
static lfb_status load_check(const loading *to, lfb_dump_fields *dumped)
{
  return lfb_ask(to->link, card_reply, dumped, LFB_ARGS(lfb_text("BF.CARD"), to->temporary));
}

/* ---- all of it -------------------------------------------------------------------- */

/* Chooses the name to load under, in the slot of the name to give. */
static lfb_status loading_begin(loading *to)
{
  uint64_t number;
  char what[24 + 1];

  const lfb_status status = lfb_random_bytes(&number, sizeof number);
  if (status != LFB_OK)
    return status;
  (void)snprintf(what, sizeof what, "loading:%016llx", (unsigned long long)number);
  to->temporary = (lfb_key){to->buffer, lfb_name_with(to->name, lfb_text(what), false, to->buffer)};
  to->slot = lfb_key_slot(to->name.bytes, to->name.size);
  return !to->link->nodes.cluster ||
                 lfb_key_slot(to->temporary.bytes, to->temporary.size) == to->slot
             ? LFB_OK
             : LFB_ERROR_REDIS_OTHER_SLOT;
}

static lfb_status load_all(loading *to, const lfb_redis_module_value *value,
                           const unsigned char head[LFB_DUMP_HEAD], lfb_dump_fields *dumped)
{
  lfb_status status = load_head(to, head);

  to->skip = value->any.kind != LFB_KIND_GROWING ? 0 : LFB_GROWING_HEADER;
  if (status == LFB_OK)
    status = lfb_any_write(value->any, load_take, to);
  if (status == LFB_OK)
    status = load_body(to, "", 0);
  if (status == LFB_OK)
    status = load_check(to, dumped);
  return status == LFB_OK ? lfb_link_run(to->link, &(lfb_job){1, name_command, name_reply, to})
                          : status;
}

static lfb_status module_save(loading *to, const lfb_redis_module_value *value,
                              const unsigned char head[LFB_DUMP_HEAD], lfb_dump_fields *dumped)
{
  lfb_redis_type type;

  lfb_status status = lfb_key_find(to->link, to->name, &type);
  if (status == LFB_OK && type != LFB_KEY_NONE)
    status = LFB_ERROR_REDIS_EXISTS;
  if (status == LFB_OK)
    status = loading_begin(to);
  if (status != LFB_OK)
    return status;
  to->link->writes = true;
  status = load_all(to, value, head, dumped);
  to->link->writes = false; /* deletion does not wait for replicas */
  if (status != LFB_OK) {
    const lfb_said said = to->link->said; /* not that of a deletion which fails, too */
    (void)lfb_remote_unlink(to->link, to->temporary); /* if the server can be reached */
    lfb_said_tell(&said, status);
  }
  return status;
}

lfb_status lfb_redis_module_save(const lfb_redis_options *options, const char *name,
                                 const lfb_redis_module_value *value)
{
  loading to = {.options = options, .name = {name, strlen(name)}};
  unsigned char head[LFB_DUMP_HEAD];
  lfb_dump_fields dumped;

  lfb_status status = LFB_RESERVED(value);
  if (status == LFB_OK)
    status = lfb_name_check(name);
  if (status == LFB_OK && value->any.kind == LFB_KIND_NONE)
    status = LFB_ERROR_MODULE_FILTER;
  if (status == LFB_OK)
    status = value_head(value, &dumped, head);
  if (status == LFB_OK)
    status = lfb_link_open(options, NULL, &to.link);
  if (status != LFB_OK)
    return status;
  status = module_save(&to, value, head, &dumped);
  lfb_link_close(to.link);
  return status;
}
