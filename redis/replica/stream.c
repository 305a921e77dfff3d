/* stream.c - adds entries to a filter's stream, and reads them. */
#include "redis/replica/stream.h"

#include <string.h>

#include "redis/replica/lags.h"

enum {
  STREAM_LEAST = 100,      /* entries kept by default: at least, and at most */
  STREAM_MOST = 1 << 14,
  STREAM_FIRST_BLOCK = 20, /* ms                                */
  STREAM_ID_SIZE = 2 * LFB_WIRE_DIGITS + 1,
};

/* ---- the stream ---------------------------------------------------------------- */

/* How many full entries take as much of a server's memory as the filter.  (Measured: 5.4 KiB for
 * one of 4 KiB.) */
static uint64_t stream_most(const lfb_redis *filter, size_t width)
{
  const uint64_t bytes = filter->place.description.geometry.word_count * sizeof(uint64_t);
  const uint64_t entries = bytes / (LFB_STREAM_KEYS * width / 3 * 4);

  return entries < STREAM_LEAST ? STREAM_LEAST : entries > STREAM_MOST ? STREAM_MOST : entries;
}

lfb_status lfb_stream_init(lfb_stream *stream, lfb_redis *filter, uint64_t most,
                           uint64_t longest_ms)
{
  uint64_t origin = 0;

  while (origin == 0) { /* 0 marks an entry of another shape */
    const lfb_status status = lfb_random_bytes(&origin, sizeof origin);
    if (status != LFB_OK)
      return status;
  }
  stream->filter = filter;
  stream->longest_ms = longest_ms;
  stream->block_ms = STREAM_FIRST_BLOCK;
  stream->origin = origin;
  stream->width = lfb_hasher_takes_hashes(&filter->layout.hasher) ? 8 : 16;
  stream->most = most == 0 ? stream_most(filter, stream->width) : most;
  stream->name = (lfb_key){stream->key, lfb_stream_name(filter->place.name, stream->key)};
  stream->slot = lfb_key_slot(stream->name.bytes, stream->name.size);
  atomic_init(&stream->number, 0);
  return LFB_OK;
}

/* As lfb_reply_expect(), but a key of another type is LFB_ERROR_REPLICA_STREAM. */
static lfb_status stream_expect(const redisReply *reply, int type)
{
  const lfb_status status = lfb_reply_expect(reply, type);
  return status == LFB_ERROR_REDIS_NO_FILTER ? LFB_ERROR_REPLICA_STREAM : status;
}

/* ---- parsing entries ----------------------------------------------------------- */

/* Reads digits up to `end`. */
static bool entry_digits(const char *at, const char *end, uint64_t *number)
{
  const size_t size = (size_t)(end - at);
  return size <= LFB_WIRE_DIGITS && lfb_wire_read_digits(at, size, UINT64_MAX, number);
}

static bool word_number(const redisReply *word, uint64_t *number)
{
  return word->type == REDIS_REPLY_STRING &&
         entry_digits(word->str, word->str + word->len, number);
}

static bool word_is(const redisReply *word, char letter)
{
  return word->type == REDIS_REPLY_STRING && word->len == 1 && word->str[0] == letter;
}

/* Reads the number in field `name`; false if it is another field or not a number. */
static bool entry_number(const redisReply *const *field, char name, uint64_t *number)
{
  return word_is(field[0], name) && word_number(field[1], number);
}

typedef struct entry {
  lfb_stream_at at;
  uint64_t waited;
  const char *keys; /* NULL: the entry means "load the filter" */
  size_t size;
} entry;

/* Reads "ms-seq". */
static bool entry_id(const redisReply *id, lfb_stream_at *at)
{
  const char *dash = id->type == REDIS_REPLY_STRING ? memchr(id->str, '-', id->len) : NULL;

  return dash != NULL && entry_digits(id->str, dash, &at->ms) &&
         entry_digits(dash + 1, id->str + id->len, &at->seq);
}

enum { ENTRY_WORDS = 8 };

/* Parses the fields of an entry, which another program may have written.  Leaves `read` unchanged
 * if they do not begin with o, n and w, and read->keys if the last one is not a valid k. */
static void entry_fields(const redisReply *fields, size_t width, entry *read)
{
  const redisReply *const *words = (const redisReply *const *)fields->element;
  uint64_t origin, number, waited;

  if (fields->type != REDIS_REPLY_ARRAY || fields->elements != ENTRY_WORDS ||
      !entry_number(words, 'o', &origin) || !entry_number(words + 2, 'n', &number) ||
      !entry_number(words + 4, 'w', &waited))
    return;
  read->at.origin = origin;
  read->at.number = number;
  read->waited = waited;
  if (word_is(words[6], 'k') && words[7]->type == REDIS_REPLY_STRING &&
      words[7]->len % width == 0) {
    read->keys = words[7]->str;
    read->size = words[7]->len;
  }
}

/* Parses an entry; false if the reply is not an entry of a stream. */
static bool entry_read(const redisReply *reply, size_t width, entry *read)
{
  *read = (entry){.keys = NULL};
  if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 ||
      !entry_id(reply->element[0], &read->at))
    return false;
  entry_fields(reply->element[1], width, read);
  return true;
}

/* ---- adding ----------------------------------------------------------------------- */

/* What to add: one entry for each LFB_STREAM_KEYS of the puts. */
typedef struct adding {
  lfb_stream *stream;
  const lfb_outgoing *puts;
  size_t count;
  uint64_t number; /* n of the first entry            */
  bool make;       /* create the stream if it is absent */
  bool load;
  lfb_stream_at at; /* of the last entry */
} adding;

static size_t adding_first(uint64_t i)
{
  return (size_t)i * LFB_STREAM_KEYS;
}

static size_t adding_keys(const adding *add, uint64_t i)
{
  const size_t left = add->count - adding_first(i);
  return left < LFB_STREAM_KEYS ? left : (size_t)LFB_STREAM_KEYS;
}

/* How long the oldest put of entry `i` has waited, in microseconds. */
static uint64_t adding_waited(const adding *add, uint64_t i)
{
  const uint64_t now = lfb_lags_now();
  uint64_t oldest = now;

  for (size_t k = 0; k < adding_keys(add, i); k++) {
    const uint64_t since = add->puts[adding_first(i) + k].since;
    oldest = since < oldest ? since : oldest;
  }
  return now - oldest;
}

static void adding_write_keys(const adding *add, uint64_t i, lfb_wire *wire)
{
  const size_t count = adding_keys(add, i), width = add->stream->width;
  unsigned char bytes[LFB_STREAM_KEYS * sizeof(lfb_hash)];

  for (size_t k = 0; k < count; k++) {
    const lfb_hash hash = add->puts[adding_first(i) + k].hash;
    lfb_store_le64(bytes + k * width, hash.low);
    if (width > sizeof hash.low)
      lfb_store_le64(bytes + k * width + sizeof hash.low, hash.high);
  }
  lfb_wire_string(wire, bytes, count * width);
}

static void adding_write_number(lfb_wire *wire, const char *name, uint64_t number)
{
  lfb_wire_text(wire, name);
  lfb_wire_number(wire, number);
}

static uint16_t adding_command(void *context, uint64_t i, lfb_wire *wire)
{
  const adding *add = context;

  lfb_wire_begin(wire, (add->make ? 6U : 7U) + ENTRY_WORDS);
  lfb_wire_text(wire, "XADD");
  lfb_wire_string(wire, add->stream->name.bytes, add->stream->name.size);
  if (!add->make)
    lfb_wire_text(wire, "NOMKSTREAM");
  lfb_wire_text(wire, "MAXLEN");
  lfb_wire_text(wire, "~");
  lfb_wire_number(wire, add->stream->most);
  lfb_wire_text(wire, "*");
  adding_write_number(wire, "o", add->stream->origin);
  adding_write_number(wire, "n", add->number + i);
  adding_write_number(wire, "w", adding_waited(add, i));
  if (add->load) {
    adding_write_number(wire, "load", 1);
    return add->stream->slot;
  }
  lfb_wire_text(wire, "k");
  adding_write_keys(add, i, wire);
  return add->stream->slot;
}

static lfb_status adding_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  adding *add = context;

  (void)again; /* an entry may be added twice */
  if (reply->type == REDIS_REPLY_NIL && !add->make)
    return LFB_OK;
  const lfb_status status = stream_expect(reply, REDIS_REPLY_STRING);
  if (status != LFB_OK)
    return status;
  add->at.origin = add->stream->origin;
  add->at.number = add->number + i;
  return entry_id(reply, &add->at) ? LFB_OK : LFB_ERROR_REDIS_PROTOCOL;
}

static lfb_status adding_act(lfb_redis *filter, lfb_link *link, void *context)
{
  adding *add = context;
  const uint64_t entries = add->count == 0 ? 1 : (add->count - 1) / LFB_STREAM_KEYS + 1;
  const lfb_job job = {entries, adding_command, adding_reply, add};

  (void)filter;
  /* relaxed: only needs numbers that differ. */
  add->number = 1 + lfb_add_u64(&add->stream->number, entries, memory_order_relaxed);
  return lfb_link_run(link, &job);
}

lfb_status lfb_stream_greet(lfb_stream *stream, lfb_stream_at *at)
{
  adding add = {.stream = stream, .make = true};
  const lfb_status status = lfb_remote_with_link(stream->filter, adding_act, &add);

  if (status == LFB_OK)
    *at = add.at;
  return status;
}

lfb_status lfb_stream_rouse(lfb_stream *stream)
{
  adding add = {.stream = stream};
  return lfb_remote_with_link(stream->filter, adding_act, &add);
}

lfb_status lfb_stream_tell(lfb_stream *stream, const lfb_outgoing *puts, size_t count)
{
  adding add = {.stream = stream, .puts = puts, .count = count};
  return lfb_remote_write(stream->filter, adding_act, &add);
}

lfb_status lfb_stream_tell_to_load(lfb_stream *stream)
{
  adding add = {.stream = stream, .load = true};
  return lfb_remote_write(stream->filter, adding_act, &add);
}

/* ---- keeping it --------------------------------------------------------------------- */

static lfb_status keep_act(lfb_redis *filter, lfb_link *link, void *context)
{
  const lfb_stream *stream = context;
  int64_t left = 0;

  const lfb_status status = lfb_ask_integer(link, &left, NULL, LFB_ARGS(lfb_text("PTTL"), filter->place.name));
  if (status != LFB_OK)
    return status;
  /* Below 0: the filter does not expire. */
  const uint64_t life = left < 0 || left > LFB_STREAM_LIFE_MS ? LFB_STREAM_LIFE_MS : (uint64_t)left;
  return lfb_ask_integer(link, NULL, NULL, LFB_ARGS(lfb_text("PEXPIRE"), stream->name, LFB_NUMBER(life)));
}

lfb_status lfb_stream_keep(lfb_stream *stream)
{
  return lfb_remote_with_link(stream->filter, keep_act, stream);
}

/* ---- checking the stream ----------------------------------------------------------- */

static lfb_status check_reply(void *context, const redisReply *reply, bool again)
{
  const lfb_stream *stream = context;
  const lfb_status status = stream_expect(reply, REDIS_REPLY_ARRAY);
  entry last;

  (void)again;
  if (status != LFB_OK || reply->elements == 0)
    return status;
  return entry_read(reply->element[0], stream->width, &last) && last.at.origin != 0
             ? LFB_OK
             : LFB_ERROR_REPLICA_STREAM;
}

static lfb_status check_act(lfb_redis *filter, lfb_link *link, void *context)
{
  const lfb_stream *stream = context;

  (void)filter;
  return lfb_ask(link, check_reply, context,
                 LFB_ARGS(lfb_text("XREVRANGE"), stream->name, lfb_text("+"), lfb_text("-"), lfb_text("COUNT"),
                          lfb_text("1")));
}

lfb_status lfb_stream_check(lfb_stream *stream)
{
  return lfb_remote_with_link(stream->filter, check_act, stream);
}

/* ---- reading ------------------------------------------------------------------------- */

/* The commands of a read. */
typedef enum read_step { READ_NEXT, READ_LAST, READ_TIME, READ_LENGTH, READ_STEPS } read_step;

typedef struct reading {
  const lfb_stream *stream;
  lfb_stream_at at, next; /* the last entry of the previous read, and of this one */
  lfb_stream_take take;
  void *context;
  lfb_stream_news *news;
  bool read;       /* the reply with the entries has arrived               */
  bool kept;       /* `at` still existed when asked for after that         */
  uint64_t time;   /* the server's, in microseconds                        */
  uint64_t length; /* of the stream                                        */
  uint64_t ages[LFB_STREAM_ENTRIES]; /* when entries were added, in the server's microseconds */
} reading;

/* The id of an entry; its text is kept in `room`. */
static lfb_key reading_id(const lfb_stream_at *at, char room[STREAM_ID_SIZE])
{
  char *const end = room + STREAM_ID_SIZE;
  char *begin = lfb_wire_digits(end, at->seq);

  *--begin = '-';
  begin = lfb_wire_digits(begin, at->ms);
  return (lfb_key){begin, (size_t)(end - begin)};
}

static uint16_t reading_command(void *context, uint64_t i, lfb_wire *wire)
{
  const reading *read = context;
  char room[STREAM_ID_SIZE];
  const lfb_key name = read->stream->name, id = reading_id(&read->at, room);

  switch ((read_step)i) {
  case READ_NEXT:
    (void)lfb_ask_write(wire, LFB_ARGS(lfb_text("XREAD"), lfb_text("COUNT"), LFB_NUMBER(LFB_STREAM_ENTRIES),
                                       lfb_text("BLOCK"), LFB_NUMBER(read->stream->block_ms),
                                       lfb_text("STREAMS"), name, id));
    break;
  case READ_LAST:
    (void)lfb_ask_write(wire, LFB_ARGS(lfb_text("XRANGE"), name, id, id));
    break;
  case READ_TIME: /* of the stream's node: that clock is in the entries' ids */
    lfb_wire_begin(wire, 1);
    lfb_wire_text(wire, "TIME");
    break;
  case READ_LENGTH:
  case READ_STEPS:
    (void)lfb_ask_write(wire, LFB_ARGS(lfb_text("XLEN"), name));
    break;
  }
  return read->stream->slot;
}

/* Passes an entry's hashes to `take`, and notes their lag. */
static void reading_take_keys(reading *read, const entry *one)
{
  const size_t width = read->stream->width;
  lfb_stream_news *news = read->news;

  for (size_t at = 0; at < one->size; at += width) {
    const unsigned char *bytes = (const unsigned char *)one->keys + at;
    const uint64_t high = width > sizeof high ? lfb_load_le64(bytes + sizeof high) : 0;
    read->take(read->context, (lfb_hash){lfb_load_le64(bytes), high});
  }
  if (one->size == 0)
    return;
  news->keys += one->size / width;
  news->lags[news->lag_count].keys = one->size / width;
  news->lags[news->lag_count].microseconds = one->waited;
  read->ages[news->lag_count++] = one->at.ms * 1000;
}

static lfb_status reading_take(reading *read, const redisReply *reply)
{
  entry one;

  if (!entry_read(reply, read->stream->width, &one))
    return LFB_ERROR_REDIS_PROTOCOL;
  read->next = one.at;
  if (one.at.origin == read->stream->origin)
    return LFB_OK; /* our own puts are already in the local filter */
  if (one.keys == NULL)
    read->news->reload = true;
  else
    reading_take_keys(read, &one);
  return LFB_OK;
}

/* The reply is [[name, [entry, ..]]], or nil if no entry came in time. */
static lfb_status reading_next_reply(reading *read, const redisReply *reply)
{
  read->read = true;
  if (reply->type == REDIS_REPLY_NIL)
    return LFB_OK;
  lfb_status status = stream_expect(reply, REDIS_REPLY_ARRAY);
  if (status != LFB_OK)
    return status;
  const redisReply *stream = reply->elements == 1 ? reply->element[0] : NULL;
  if (stream == NULL || stream->type != REDIS_REPLY_ARRAY || stream->elements != 2 ||
      stream->element[1]->type != REDIS_REPLY_ARRAY ||
      stream->element[1]->elements > LFB_STREAM_ENTRIES)
    return LFB_ERROR_REDIS_PROTOCOL;
  const redisReply *entries = stream->element[1];
  for (size_t i = 0; status == LFB_OK && i < entries->elements; i++)
    status = reading_take(read, entries->element[i]);
  read->news->count = entries->elements;
  return status;
}

/* The reply has the last entry of the previous read, or is empty if that entry is gone. */
static lfb_status reading_last_reply(reading *read, const redisReply *reply)
{
  const lfb_status status = stream_expect(reply, REDIS_REPLY_ARRAY);
  entry last;

  if (status != LFB_OK || reply->elements == 0)
    return status;
  read->kept = read->read && entry_read(reply->element[0], read->stream->width, &last) &&
               last.at.origin == read->at.origin && last.at.number == read->at.number;
  return LFB_OK;
}

static lfb_status reading_time_reply(reading *read, const redisReply *reply)
{
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_ARRAY);
  uint64_t seconds, rest;

  if (status != LFB_OK)
    return status;
  if (reply->elements != 2 || !word_number(reply->element[0], &seconds) ||
      !word_number(reply->element[1], &rest))
    return LFB_ERROR_REDIS_PROTOCOL;
  read->time = seconds * 1000000 + rest;
  return LFB_OK;
}

static lfb_status reading_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  reading *read = context;

  (void)again;
  if (i == READ_NEXT)
    return reading_next_reply(read, reply);
  if (i == READ_LAST)
    return reading_last_reply(read, reply);
  if (i == READ_TIME)
    return reading_time_reply(read, reply);
  const lfb_status status = stream_expect(reply, REDIS_REPLY_INTEGER);
  if (status == LFB_OK)
    read->length = (uint64_t)reply->integer;
  return status;
}

static lfb_status reading_act(lfb_redis *filter, lfb_link *link, void *context)
{
  const lfb_job job = {READ_STEPS, reading_command, reading_reply, context};

  (void)filter;
  return lfb_link_run(link, &job);
}

lfb_status lfb_stream_read(lfb_stream *stream, lfb_stream_at *at, lfb_stream_take take,
                           void *context, lfb_stream_news *news)
{
  reading read = {.stream = stream, .at = *at, .next = *at, .take = take, .context = context,
                  .news = news};

  *news = (lfb_stream_news){.reload = false};
  if (stream->block_ms > stream->longest_ms)
    stream->block_ms = stream->longest_ms;
  const lfb_status status = lfb_remote_with_link(stream->filter, reading_act, &read);
  if (status != LFB_OK)
    return status;
  for (uint32_t i = 0; i < news->lag_count; i++)
    news->lags[i].microseconds += read.time > read.ages[i] ? read.time - read.ages[i] : 0;
  /* While a slot moves, a cluster may delay the read until after the request for the last entry.
   * `kept` is then not set, and the filter is loaded, once per move. */
  news->reload |= !read.kept;
  news->behind = news->count == LFB_STREAM_ENTRIES ? read.length : 0;
  stream->block_ms = news->count != 0 || news->reload ? STREAM_FIRST_BLOCK : 2 * stream->block_ms;
  if (!news->reload)
    *at = read.next;
  return LFB_OK;
}
