/*
 * module_load.c - loads a key of the module into memory, by BF.SCANDUMP.
 *
 * The body of a key is one native form, or that of a window or a counting filter, or, without its
 * header, that of a growing filter.  So the library's own readers read it while it arrives, and
 * check every byte.
 */
#include <stdlib.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "bloom/files/native_header.h"
#include "bloom/growing/growing_files.h"
#include "redis/dump/chunk.h"
#include "redis/dump/head.h"
#include "redis/filter/module_key.h"
#include "redis/filter/remote.h"
#include "redis/link/options.h"

/* Attempts to read a key that changes. */
enum { MODULE_TRIES = 8 };

/* A key that is being read. */
typedef struct reading {
  lfb_link *link;
  const lfb_redis_options *options;
  lfb_key name;
  lfb_read_limits limits;
  uint64_t cursor; /* of the next chunk               */
  uint64_t offset; /* of the next chunk in the body   */
  uint64_t mark;   /* of the dump                     */
  char *bytes;     /* of the current chunk            */
  size_t capacity; /* of `bytes`                      */
  size_t have, used;
  bool ended; /* the current chunk is the last */
} reading;

/* ---- chunks ---------------------------------------------------------------------- */

/* Makes room for a chunk, and sets its size. */
static lfb_status reading_size(reading *from, size_t size)
{
  if (size > from->capacity) {
    char *bytes = realloc(from->bytes, size);
    if (bytes == NULL)
      return LFB_ERROR_NO_MEMORY;
    from->bytes = bytes;
    from->capacity = size;
  }
  from->have = size;
  from->used = 0;
  return LFB_OK;
}

static lfb_status scan_reply(void *context, const redisReply *reply, bool again)
{
  reading *from = context;
  lfb_status status = lfb_module_status(reply);

  (void)again; /* it changes nothing */
  if (status != LFB_OK)
    return status;
  if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2)
    return LFB_ERROR_REDIS_PROTOCOL;
  const redisReply *cursor = reply->element[0], *bytes = reply->element[1];
  if (cursor->type != REDIS_REPLY_INTEGER || cursor->integer < 0 ||
      bytes->type != REDIS_REPLY_STRING ||
      bytes->len > LFB_CHUNK_WORDS + LFB_DUMP_CHUNK_WINDOW + LFB_DUMP_CHUNK_MORE)
    return LFB_ERROR_REDIS_PROTOCOL;
  status = reading_size(from, bytes->len);
  if (status != LFB_OK)
    return status;
  if (bytes->len > 0)
    memcpy(from->bytes, bytes->str, bytes->len);
  from->cursor = (uint64_t)cursor->integer;
  return LFB_OK;
}

/* Requests the next chunk. */
static lfb_status reading_scan(reading *from)
{
  return lfb_ask(from->link, scan_reply, from,
                 LFB_ARGS(lfb_text("BF.SCANDUMP"), from->name, LFB_NUMBER(from->cursor)));
}

/* Requests the next chunk of the body.  Each has bytes, except the last. */
static lfb_status reading_next(reading *from)
{
  const lfb_status status = reading_scan(from);
  if (status != LFB_OK)
    return status;
  if (from->have < LFB_CHUNK_WORDS)
    return LFB_ERROR_TRUNCATED;
  if (lfb_chunk_word(from->bytes, 1) != from->mark)
    return LFB_ERROR_MODULE_CHANGED;
  from->used = LFB_CHUNK_WORDS;
  from->ended = from->have == LFB_CHUNK_WORDS;
  if (lfb_chunk_word(from->bytes, 0) != (from->offset << 1 | from->ended))
    return LFB_ERROR_BAD_HEADER;
  from->offset += from->have - LFB_CHUNK_WORDS;
  return lfb_options_moved(from->options, from->have);
}

/* An lfb_read_fn of the body. */
static lfb_status reading_take(void *of, void *bytes, size_t size, size_t *got)
{
  reading *from = of;

  if (from->used == from->have && !from->ended) {
    const lfb_status status = reading_next(from);
    if (status != LFB_OK)
      return status;
  }
  const size_t left = from->have - from->used;
  *got = size < left ? size : left;
  memcpy(bytes, from->bytes + from->used, *got);
  from->used += *got;
  return LFB_OK;
}

/* ---- values ------------------------------------------------------------------------ */

static lfb_status read_filter(reading *from, lfb_redis_module_value *value)
{
  lfb_figures figures;

  const lfb_status status =
      lfb_any_read(reading_take, from, LFB_KIND_PLAIN, &from->limits, &value->any);
  if (status != LFB_OK)
    return status;
  lfb_any_plan(value->any, &figures);
  return figures.all.form == LFB_FORM_NATIVE && figures.all.strategy == LFB_FAST
             ? LFB_OK
             : LFB_ERROR_BAD_HEADER;
}

/* Reads a chain that has grown, after the header that a growing filter's form would have.  Only a
 * chain that doubles, and that none was merged into, has the layers of a growing filter. */
static lfb_status read_growing(reading *from, const lfb_dump_fields *dumped,
                               lfb_redis_module_value *value)
{
  const lfb_recipe *recipe = &dumped->recipe;
  const lfb_growing like = {
      .config = {.expected_insertions = recipe->capacity, .fpp = recipe->error}};

  if (recipe->expansion != 2 || recipe->capacity < LFB_GROWING_LEAST ||
      dumped->layers > LFB_GROWING_LAYERS)
    return LFB_ERROR_MODULE_CHAIN;
  const lfb_status status = reading_size(from, LFB_GROWING_HEADER);
  if (status != LFB_OK)
    return status;
  lfb_growing_encode(&like, LFB_MAGIC_GROWING, dumped->layers, lfb_native_now(),
                     (unsigned char *)from->bytes);
  const lfb_status read =
      lfb_any_read(reading_take, from, LFB_KIND_GROWING, &from->limits, &value->any);
  return read == LFB_ERROR_BAD_HEADER ? LFB_ERROR_MODULE_CHAIN : read;
}

/* Reads what is no chain. */
static lfb_status read_any(reading *from, const lfb_dump_fields *dumped,
                           lfb_redis_module_value *value)
{
  const bool window = dumped->recipe.kind == LFB_VALUE_WINDOW;

  value->period_ms = dumped->recipe.period_ms;
  return lfb_any_read(reading_take, from, window ? LFB_KIND_WINDOW : LFB_KIND_COUNTING,
                      &from->limits, &value->any);
}

static lfb_status read_head(reading *from, lfb_dump_fields *dumped)
{
  lfb_status status = reading_scan(from);

  if (status == LFB_OK)
    status = lfb_dump_fields_read(from->bytes, from->have, dumped);
  if (status == LFB_OK && dumped->state != LFB_DUMP_WHOLE)
    status = LFB_ERROR_BAD_HEADER;
  if (status == LFB_OK)
    from->mark = lfb_dump_mark((const unsigned char *)from->bytes);
  from->used = from->have;
  return status;
}

static lfb_status read_end(reading *from)
{
  char more;
  size_t got;

  const lfb_status status = reading_take(from, &more, sizeof more, &got);
  if (status != LFB_OK)
    return status;
  return got == 0 ? LFB_OK : LFB_ERROR_TRAILING_BYTES;
}

/* Reads the key once, from its beginning. */
static lfb_status module_read(reading *from, lfb_redis_module_value *value)
{
  lfb_redis_module_value made = {.period_ms = 0};
  lfb_dump_fields dumped;

  from->cursor = from->offset = 0;
  from->ended = false;
  lfb_status status = read_head(from, &dumped);
  if (status != LFB_OK)
    return status;
  if (dumped.recipe.kind != LFB_VALUE_CHAIN)
    status = read_any(from, &dumped, &made);
  else
    status = dumped.layers == 1 ? read_filter(from, &made) : read_growing(from, &dumped, &made);
  if (status == LFB_OK)
    status = read_end(from);
  if (status == LFB_OK)
    *value = made;
  else
    lfb_any_free(made.any);
  return status;
}

static lfb_status module_load(reading *from, lfb_redis_module_value *value)
{
  lfb_redis_type type;

  lfb_status status = lfb_key_find(from->link, from->name, &type);
  if (status != LFB_OK)
    return status;
  if (type != LFB_KEY_MODULE)
    return type == LFB_KEY_NONE ? LFB_ERROR_REDIS_ABSENT : LFB_ERROR_REDIS_NO_FILTER;
  status = LFB_ERROR_MODULE_CHANGED;
  for (int i = 0; i < MODULE_TRIES && status == LFB_ERROR_MODULE_CHANGED; i++)
    status = module_read(from, value);
  return status;
}

lfb_status lfb_redis_module_load(const lfb_redis_options *options, const char *name,
                                 const lfb_read_limits *limits, lfb_redis_module_value *value)
{
  reading from = {.options = options, .name = {name, strlen(name)}};

  lfb_status status = limits == NULL ? LFB_OK : LFB_RESERVED(limits);
  if (status == LFB_OK)
    status = lfb_name_check(name);
  if (status == LFB_OK)
    status = lfb_link_open(options, NULL, &from.link);
  if (status != LFB_OK)
    return status;
  from.limits.max_bytes = limits == NULL ? 0 : limits->max_bytes;
  status = module_load(&from, value);
  free(from.bytes);
  lfb_link_close(from.link);
  return status;
}
