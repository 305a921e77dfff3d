/* type.c - saves, loads, frees, copies and measures values for Redis. */
#include "redis/module/commands.h"

#include <stdlib.h>
#include <string.h>

#include "redis/dump/chunk.h"
#include "redis/module/dump.h"
#include "redis/module/later.h"

lfb_redis_type *lfb_module_type;

enum {
  TYPE_VERSION = 1,
  LOADED_FIRST = 1 << 30, /* bytes of a layer that are reserved for its header */
  EFFORT_ASIDE = 65, /* Redis frees a value of more than 64 in a thread of its own */
};

static lfb_redis_context *own_context; /* loading and copying a value get none */

/* The limit on the bytes of a value that RESTORE or COPY makes: files and masters have none. */
static uint64_t value_limit(void)
{
  return lfb_redis.GetContextFlags(own_context) & REDIS_FLAG_REPLICA ? 0 : lfb_limit(own_context);
}

/* ---- RDB -------------------------------------------------------------------------------- */

static lfb_status save_bytes(void *to, const void *bytes, size_t size)
{
  if (size > 0) /* an empty string ends a value */
    lfb_redis.SaveStringBuffer(to, bytes, size);
  return LFB_OK;
}

/* Writes the body of a value; of one that is being loaded, the chunks so far. */
static lfb_status body_write(const lfb_value *value, lfb_write_fn write, void *to)
{
  return value->loading == NULL ? lfb_dump_write_body(value, write, to)
                                : lfb_dump_write_come(value, write, to);
}

static lfb_dump_state value_state(const lfb_value *value)
{
  return value->loading == NULL ? LFB_DUMP_WHOLE : LFB_DUMP_PIECES;
}

static void type_save(lfb_redis_io *io, void *of)
{
  const lfb_value *value = of;
  unsigned char head[LFB_DUMP_HEAD];

  lfb_dump_head(value, value_state(value), head);
  lfb_redis.SaveStringBuffer(io, (const char *)head, sizeof head);
  const lfb_status status = body_write(value, save_bytes, io);
  /* The file is then refused when it is loaded. */
  if (status != LFB_OK)
    lfb_redis.LogIOError(io, "warning", "lfbloom: a filter is not saved: %s",
                         lfb_status_text(status));
  lfb_redis.SaveStringBuffer(io, "", 0);
}

/* The strings of a value in an RDB file. */
typedef struct loaded {
  lfb_redis_io *io;
  char *bytes; /* of the current string */
  size_t size, taken;
} loaded;

/* Reads the next string.  Fails: LFB_ERROR_READ. */
static lfb_status loaded_next(loaded *from)
{
  if (from->bytes != NULL)
    lfb_redis.Free(from->bytes);
  from->taken = from->size = 0;
  from->bytes = lfb_redis.LoadStringBuffer(from->io, &from->size);
  return from->bytes == NULL || lfb_redis.IsIOError(from->io) ? LFB_ERROR_READ : LFB_OK;
}

static lfb_status loaded_read(void *of, void *bytes, size_t size, size_t *got)
{
  loaded *from = of;

  if (from->taken == from->size) {
    const lfb_status status = loaded_next(from);
    if (status != LFB_OK)
      return status;
  }
  const size_t left = from->size - from->taken;
  *got = size < left ? size : left;
  memcpy(bytes, from->bytes + from->taken, *got);
  from->taken += *got;
  return LFB_OK;
}

/* Reads a chain, each string into its layer, or the chunks so far of any value. */
static lfb_status loaded_strings(loaded *from, lfb_value *value, bool whole)
{
  lfb_status status =
      whole ? lfb_dump_begin(value, LOADED_FIRST) : lfb_arrived_create(&value->loading);

  while (status == LFB_OK) {
    status = loaded_next(from);
    if (status != LFB_OK || from->size == 0)
      break;
    status = lfb_dump_add(value, value_limit(), from->bytes, from->size);
  }
  return status == LFB_OK && whole ? lfb_dump_end(value, value_limit()) : status;
}

static lfb_status loaded_whole(loaded *from, lfb_value *value)
{
  if (value->recipe.kind == LFB_VALUE_CHAIN)
    return loaded_strings(from, value, true);
  lfb_status status = lfb_dump_read_body(value, value_limit(), loaded_read, from);

  if (status == LFB_OK && from->taken != from->size)
    status = LFB_ERROR_TRAILING_BYTES;
  if (status == LFB_OK)
    status = loaded_next(from);
  return status == LFB_OK && from->size > 0 ? LFB_ERROR_TRAILING_BYTES : status;
}

static lfb_status loaded_value(loaded *from, lfb_value **value)
{
  lfb_dump_state state;
  lfb_value *made;

  lfb_status status = loaded_next(from);
  /* The smallest limit: a head alone, which takes no bytes, must not make a filter of any size. */
  if (status == LFB_OK)
    status = lfb_dump_read_head(from->bytes, from->size, 1, &state, &made);
  if (status != LFB_OK)
    return status;
  from->taken = from->size;
  status = state == LFB_DUMP_PIECES  ? loaded_strings(from, made, false)
           : state == LFB_DUMP_WHOLE ? loaded_whole(from, made)
                                     : LFB_ERROR_BAD_HEADER;
  if (status == LFB_OK)
    *value = made;
  else
    lfb_value_free(made);
  return status;
}

static void *type_load(lfb_redis_io *io, int version)
{
  loaded from = {.io = io};
  lfb_value *value = NULL;

  const lfb_status status =
      version == TYPE_VERSION ? loaded_value(&from, &value) : LFB_ERROR_UNKNOWN_VERSION;
  if (from.bytes != NULL)
    lfb_redis.Free(from.bytes);
  if (status != LFB_OK)
    lfb_redis.LogIOError(io, "warning", "lfbloom: a filter cannot be loaded: %s",
                         lfb_status_text(status));
  return value;
}

/* ---- AOF ----------------------------------------------------------------------------------- */

/* Where the chunks of a value go. */
typedef struct rewrite {
  lfb_redis_io *io;
  lfb_redis_string *key;
  uint64_t offset, mark;
} rewrite;

static void rewrite_chunk(rewrite *to, const char *chunk, size_t size)
{
  const uint64_t cursor = 1 + to->offset;
  lfb_redis.EmitAOF(to->io, "BF.LOADCHUNK", "slb", to->key, (long long)cursor, chunk, size);
}

static lfb_status rewrite_bytes(void *of, const void *bytes, size_t size)
{
  rewrite *to = of;

  char *chunk = malloc(LFB_CHUNK_WORDS + size);
  if (chunk == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_chunk_put_words(chunk, to->offset, false, to->mark);
  memcpy(chunk + LFB_CHUNK_WORDS, bytes, size);
  to->offset += size;
  rewrite_chunk(to, chunk, LFB_CHUNK_WORDS + size);
  free(chunk);
  return LFB_OK;
}

static void type_rewrite(lfb_redis_io *io, lfb_redis_string *key, void *of)
{
  const lfb_value *value = of;
  rewrite to = {.io = io, .key = key};
  unsigned char head[LFB_DUMP_HEAD];
  char last[LFB_CHUNK_WORDS];

  lfb_dump_head(value, LFB_DUMP_WHOLE, head);
  to.mark = lfb_dump_mark(head);
  lfb_redis.EmitAOF(io, "BF.LOADCHUNK", "slb", key, 1LL, (const char *)head, sizeof head);
  const lfb_status status = body_write(value, rewrite_bytes, &to);
  if (status != LFB_OK)
    lfb_redis.LogIOError(io, "warning", "lfbloom: a filter is not rewritten: %s",
                         lfb_status_text(status));
  if (value->loading != NULL)
    return;
  lfb_chunk_put_words(last, to.offset, true, to.mark);
  rewrite_chunk(&to, last, sizeof last);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static size_t type_memory(const void *value)
{
  return lfb_value_memory(value);
}

static void type_free(void *value)
{
  lfb_value_free(value);
}

static size_t type_effort(lfb_redis_string *key, const void *value)
{
  (void)key;
  return lfb_value_memory(value) < LFB_ASIDE_FROM ? 1 : EFFORT_ASIDE;
}

static void *type_copy(lfb_redis_string *from, lfb_redis_string *to, const void *of)
{
  const lfb_value *value = of;
  lfb_value *copy = NULL;

  (void)from, (void)to;
  if (value->loading == NULL)
    lfb_ignore(lfb_dump_copy(value, value_limit(), &copy));
  lfb_module_continue();
  return copy; /* NULL: Redis reports an error */
}

static void digest_words(lfb_redis_digest *digest, const lfb_filter *filter)
{
  uint64_t words[1024], at = 0;
  size_t got;

  lfb_later_ready_words(filter, 0, UINT64_MAX);
  while ((got = lfb_filter_words(filter, at, words, sizeof words / sizeof *words)) > 0) {
    lfb_redis.DigestAddStringBuffer(digest, (const char *)words, got * sizeof *words);
    at += got;
  }
}

static lfb_status digest_bytes(void *digest, const void *bytes, size_t size)
{
  lfb_redis.DigestAddStringBuffer(digest, bytes, size);
  return LFB_OK;
}

static void type_digest(lfb_redis_digest *digest, void *of)
{
  const lfb_value *value = of;
  unsigned char head[LFB_DUMP_HEAD];

  lfb_dump_head(value, value_state(value), head);
  memset(head + LFB_DUMP_EDITION, 0, sizeof head - LFB_DUMP_EDITION); /* of this server alone */
  lfb_redis.DigestAddStringBuffer(digest, (const char *)head, sizeof head);
  for (uint32_t i = 0; value->loading == NULL && i < value->layer_count; i++)
    digest_words(digest, value->layers[i].filter);
  if (value->loading != NULL)
    lfb_ignore(body_write(value, digest_bytes, digest));
  else if (value->any.kind != LFB_KIND_NONE) { /* its form has the time of writing */
    const lfb_pages *words = lfb_value_pages(value);
    const uint64_t generation = value->any.kind == LFB_KIND_WINDOW
                                    ? lfb_window_generation(value->any.window)
                                    : 0;
    lfb_ignore(digest_bytes(digest, &generation, sizeof generation));
    lfb_ignore(digest_bytes(digest, words->address, words->size));
  }
  lfb_redis.DigestEndSequence(digest);
}

/* ---- steps (later.h) ------------------------------------------------------------------------- */

static bool timer_runs;

static void timer_step(lfb_redis_context *context, void *unused)
{
  (void)context, (void)unused;
  timer_runs = false;
  if (lfb_later_step())
    lfb_module_continue();
}

void lfb_module_continue(void)
{
  if (timer_runs)
    return;
  timer_runs = true;
  (void)lfb_redis.CreateTimer(own_context, 1, timer_step, NULL);
}

bool lfb_type_register(lfb_redis_context *context)
{
  static const lfb_redis_type_functions functions = {
      .version = REDIS_TYPE_VERSION,
      .rdb_load = type_load,
      .rdb_save = type_save,
      .aof_rewrite = type_rewrite,
      .mem_usage = type_memory,
      .digest = type_digest,
      .free = type_free,
      .free_effort = type_effort,
      .copy = type_copy,
  };

  own_context = lfb_redis.GetDetachedThreadSafeContext(context);
  if (!lfb_later_begin())
    return false;
  lfb_module_type = lfb_redis.CreateDataType(context, LFB_MODULE_TYPE, TYPE_VERSION, &functions);
  return lfb_module_type != NULL;
}
