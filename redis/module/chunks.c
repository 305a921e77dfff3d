/* chunks.c - BF.SCANDUMP and BF.LOADCHUNK. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/dump/chunk.h"
#include "redis/module/commands.h"
#include "redis/module/dump.h"

static const uint64_t cursor_position = (UINT64_C(1) << LFB_CURSOR_LAST) - 1;
static const uint64_t cursor_all = (UINT64_C(1) << 53) - 1;

static long long cursor_make(const lfb_value *value, uint64_t offset, bool last)
{
  const uint64_t changes = (value->changes & 0xff) << LFB_CURSOR_CHANGES;
  return (long long)(lfb_cursor(offset, last) | changes);
}

/* ---- BF.SCANDUMP ----------------------------------------------------------------------------- */

static void scan_reply(lfb_redis_context *context, long long cursor, const void *bytes, size_t size)
{
  (void)lfb_redis.ReplyWithArray(context, 2);
  (void)lfb_redis.ReplyWithLongLong(context, cursor);
  (void)lfb_redis.ReplyWithStringBuffer(context, bytes, size);
}

static int scan_head(lfb_open_key *key)
{
  unsigned char head[LFB_DUMP_HEAD];

  lfb_dump_head(key->value, LFB_DUMP_WHOLE, head);
  scan_reply(key->context, cursor_make(key->value, 0, false), head, sizeof head);
  lfb_key_close(key);
  return REDIS_OK;
}

static int scan_part(lfb_open_key *key, uint64_t offset)
{
  unsigned char head[LFB_DUMP_HEAD];
  char *chunk;
  size_t size;

  lfb_dump_head(key->value, LFB_DUMP_WHOLE, head);
  const lfb_status status = lfb_dump_part(key->value, offset, LFB_CHUNK_WORDS, &chunk, &size);
  if (status != LFB_OK)
    return lfb_key_fail(key, status);
  const bool last = size == 0;
  lfb_chunk_put_words(chunk, offset, last, lfb_dump_mark(head));
  scan_reply(key->context, cursor_make(key->value, offset + size, last), chunk,
             LFB_CHUNK_WORDS + size);
  free(chunk);
  lfb_key_close(key);
  return REDIS_OK;
}

int lfb_command_scandump(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  long long number;

  if (count != 3)
    return lfb_redis.WrongArity(context);
  lfb_open_key key = lfb_key_open(context, words[1], REDIS_READ);
  if (key.found != LFB_FOUND_VALUE)
    return lfb_key_refuse(&key);
  if (lfb_redis.StringToLongLong(words[2], &number) != REDIS_OK || number < 0 ||
      (uint64_t)number > cursor_all)
    return lfb_key_error(&key, "Second argument must be numeric");
  if (number == 0)
    return scan_head(&key);
  const uint64_t cursor = (uint64_t)number, position = cursor & cursor_position;
  if (position == 0 || cursor >> LFB_CURSOR_CHANGES != (key.value->changes & 0xff))
    return lfb_key_error(&key, LFB_SAYS_CHANGED " since this iteration began: begin again with 0");
  if (cursor >> LFB_CURSOR_LAST & 1) {
    lfb_key_close(&key);
    scan_reply(context, 0, "", 0);
    return REDIS_OK;
  }
  return scan_part(&key, position - 1);
}

/* ---- BF.LOADCHUNK ---------------------------------------------------------------------------- */

static int load_reply(lfb_open_key *key)
{
  (void)lfb_redis.ReplicateVerbatim(key->context);
  return lfb_key_done(key);
}

static int load_head(lfb_open_key *key, const char *bytes, size_t size)
{
  lfb_dump_state state;
  lfb_value *value;

  if (key->found != LFB_FOUND_NOTHING)
    return lfb_key_refuse(key);
  lfb_status status = lfb_dump_read_head(bytes, size, lfb_limit(key->context), &state, &value);
  if (status == LFB_ERROR_UNKNOWN_FORM)
    return lfb_key_error(key, LFB_SAYS_NOT_OURS);
  if (status != LFB_OK)
    return lfb_key_fail(key, status);
  status = state == LFB_DUMP_EMPTY ? LFB_OK : lfb_dump_begin(value, UINT64_MAX);
  if (status != LFB_OK) {
    lfb_value_free(value);
    return lfb_key_fail(key, status);
  }
  (void)lfb_redis.ModuleTypeSetValue(key->key, lfb_module_type, value);
  (void)lfb_redis.NotifyKeyspaceEvent(key->context, REDIS_NOTIFY_MODULE, "bf.loadchunk", key->name);
  return load_reply(key);
}

/* Deletes a value that can never be complete, on this server and on replicas. */
static int load_give_up(lfb_open_key *key, lfb_status status)
{
  char text[256];

  lfb_key_delete(key);
  (void)snprintf(text, sizeof text, LFB_SAYS_DELETED "%s", lfb_status_text(status));
  return lfb_key_error(key, text);
}

static int load_piece(lfb_open_key *key, const char *bytes, size_t size)
{
  const uint64_t limit = lfb_limit(key->context);
  const bool last = size == LFB_CHUNK_WORDS;
  unsigned char head[LFB_DUMP_HEAD];

  lfb_dump_head(key->value, LFB_DUMP_WHOLE, head);
  if (size < LFB_CHUNK_WORDS ||
      lfb_chunk_word(bytes, 0) != (lfb_arrived_size(key->value->loading) << 1 | last) ||
      lfb_chunk_word(bytes, 1) != lfb_dump_mark(head))
    return lfb_key_error(key, LFB_SAYS_NOT_NEXT " that follows the one before, or the filter has "
                                                "changed while it was dumped");
  const lfb_status status =
      last ? lfb_dump_end(key->value, limit)
           : lfb_dump_add(key->value, limit, bytes + LFB_CHUNK_WORDS, size - LFB_CHUNK_WORDS);
  if (status != LFB_OK)
    return last || key->value->coming != NULL ? load_give_up(key, status)
                                              : lfb_key_fail(key, status);
  key->value->changes++;
  return load_reply(key);
}

int lfb_command_loadchunk(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  long long number;
  size_t size;

  if (count != 4)
    return lfb_redis.WrongArity(context);
  if (lfb_redis.StringToLongLong(words[2], &number) != REDIS_OK)
    return lfb_redis.ReplyWithError(context, "ERR Second argument must be numeric");
  const char *bytes = lfb_redis.StringPtrLen(words[3], &size);
  lfb_open_key key = lfb_key_open(context, words[1], REDIS_READ | REDIS_WRITE);
  if (((uint64_t)number & cursor_position) == 1)
    return load_head(&key, bytes, size);
  return key.found == LFB_FOUND_LOADING ? load_piece(&key, bytes, size) : lfb_key_refuse(&key);
}
