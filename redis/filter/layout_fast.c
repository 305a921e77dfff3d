/*
 * layout_fast.c - filters of strategy `fast`: words spread over as many strings as needed, and a
 * hash that describes them.
 *
 * A part holds lines of 64 bytes, then the mark, 4 bytes.  A line is 8 words, big-endian, so that
 * GET i64 reads a word.  No part divides a block (fast_view.h): four blocks of one pair are a line,
 * and a block of two lines is in one part.  If the last line has fewer blocks, the rest is 0.  All
 * parts of a filter have the same length.  The hash, under the filter's name, has the fields
 *     lfbloom      1, the version of this layout
 *     mark         the number that each part holds: from 1 to 2^32 - 2, drawn at random
 *     part_blocks  lines in each part
 *     header       the header of the native form, 256 bytes: the rest of the description
 *     whole        1, once all parts are complete
 */
#include <stdlib.h>
#include <string.h>

#include "bloom/files/native_header.h"
#include "redis/filter/layouts.h"

enum {
  FAST_VERSION = 1,
  FAST_MARK_BYTES = 4,
  FAST_LINE_BITS = 8 * LFB_CACHE_LINE,
  /* Upper limit of a part's bytes. */
  FAST_MOST_BYTES = 64 << 20,
  /* Default.  If the server moves a part of this size while it grows (remote.c), that takes 1 to
   * 2 ms.  No command makes a long string of zeros without writing each.  Setting a bit at its
   * end zeroes all of it in one go.  A SET of zeros is read as it arrives, but is copied once more
   * for the append-only file and for each Redis replica: 3 s at 512 MiB. */
  FAST_PART_BYTES = 4 << 20,
};

#define FAST_MOST_MARK (UINT32_MAX - 1) /* so that no draft is 0 */

static bool fast_holds(const lfb_strategy *strategy)
{
  return strategy->in_pairs;
}

static uint64_t fast_lines(const lfb_description *description)
{
  return (description->geometry.word_count - 1) / LFB_BLOCK_WORDS + 1;
}

static void fast_plan_of(const lfb_description *description, uint64_t part_lines, uint32_t mark,
                         lfb_plan *plan)
{
  *plan = (lfb_plan){
      .parts = (fast_lines(description) - 1) / part_lines + 1,
      .part_bits = part_lines * FAST_LINE_BITS,
      .part_bytes = part_lines * LFB_CACHE_LINE + FAST_MARK_BYTES,
      .flip = LFB_WORD_BITS - 1,
      .mark_bits = 8 * FAST_MARK_BYTES,
      .mark_at = part_lines * FAST_LINE_BITS,
      .mark = mark,
      .draft = UINT32_MAX - mark,
  };
}

bool lfb_fast_is_part(int64_t bytes)
{
  return bytes > FAST_MARK_BYTES && bytes % LFB_CACHE_LINE == FAST_MARK_BYTES;
}

/* The most lines in a part of so many bytes, the mark's among them; at least 1. */
static uint64_t fast_most_lines(uint64_t part_bytes)
{
  const uint64_t most = FAST_MOST_BYTES;
  const uint64_t wish = part_bytes == 0 ? FAST_PART_BYTES : part_bytes < most ? part_bytes : most;
  return wish < LFB_CACHE_LINE + FAST_MARK_BYTES ? 1 : (wish - FAST_MARK_BYTES) / LFB_CACHE_LINE;
}

/* The lines of a block; 1 if a line has several blocks. */
static uint64_t fast_block_lines(const lfb_description *description)
{
  return (lfb_strategy_block_words(description->strategy, &description->geometry) - 1) /
             LFB_BLOCK_WORDS +
         1;
}

static lfb_status fast_plan(lfb_redis_place *place, uint64_t part_bytes)
{
  const lfb_description *description = &place->description;
  const uint64_t each = fast_block_lines(description), blocks = fast_lines(description) / each;
  const uint64_t wish = fast_most_lines(part_bytes) / each, most = wish == 0 ? 1 : wish;
  const uint64_t parts = (blocks - 1) / most + 1;
  uint32_t mark = 0;

  if (parts > LFB_MOST_PARTS)
    return LFB_ERROR_TOO_MANY_BITS;
  while (mark == 0 || mark > FAST_MOST_MARK) {
    const lfb_status status = lfb_random_bytes(&mark, sizeof mark);
    if (status != LFB_OK)
      return status;
  }
  fast_plan_of(description, ((blocks - 1) / parts + 1) * each, mark, &place->plan);
  return LFB_OK;
}

/* ---- the description ------------------------------------------------------- */

static lfb_status fast_mark_is(void *context, const redisReply *reply, bool again)
{
  const lfb_redis_place *place = context;
  char digits[LFB_WIRE_DIGITS];
  const lfb_key mark = lfb_ask_number(place->plan.mark, digits);

  (void)again;
  return reply->type == REDIS_REPLY_STRING && reply->len == mark.size &&
                 memcmp(reply->str, mark.bytes, mark.size) == 0
             ? LFB_OK
             : LFB_ERROR_REDIS_EXISTS;
}

/* Removes the mark from a hash that is not ours. */
static lfb_status fast_withdraw(lfb_link *link, const lfb_redis_place *place)
{
  const lfb_status status =
      lfb_ask_integer(link, NULL, NULL, LFB_ARGS(lfb_text("HDEL"), place->name, lfb_text("mark")));

  return status == LFB_OK ? LFB_ERROR_REDIS_EXISTS : status;
}

/* Of all clients that set the mark of one name, one succeeds; and only if there was no hash
 * before. */
static lfb_status fast_win(lfb_link *link, const lfb_redis_place *place)
{
  const lfb_key field = lfb_text("mark");
  int64_t won = 0, fields = 0;
  bool again = false;

  lfb_status status = lfb_ask_integer(
      link, &won, &again,
      LFB_ARGS(lfb_text("HSETNX"), place->name, field, LFB_NUMBER(place->plan.mark)));
  if (status != LFB_OK)
    return status == LFB_ERROR_REDIS_NO_FILTER ? LFB_ERROR_REDIS_EXISTS : status;
  /* If it was sent twice, the first attempt may have set it: the mark tells. */
  if (won == 0)
    status = again ? lfb_ask(link, fast_mark_is, (void *)(uintptr_t)place,
                             LFB_ARGS(lfb_text("HGET"), place->name, field))
                   : LFB_ERROR_REDIS_EXISTS;
  if (status == LFB_OK)
    status = lfb_ask_integer(link, &fields, NULL, LFB_ARGS(lfb_text("HLEN"), place->name));
  return status == LFB_OK && fields != 1 ? fast_withdraw(link, place) : status;
}

static lfb_status fast_reserve(lfb_link *link, const lfb_redis_place *place)
{
  unsigned char header[LFB_NATIVE_HEADER];

  const lfb_status status = fast_win(link, place);
  if (status != LFB_OK)
    return status;
  lfb_native_encode(&place->description, 0, lfb_native_now(), header);
  return lfb_ask_integer(
      link, NULL, NULL,
      LFB_ARGS(lfb_text("HSET"), place->name, lfb_text("lfbloom"), LFB_NUMBER(FAST_VERSION),
               lfb_text("part_blocks"), LFB_NUMBER(place->plan.part_bits / FAST_LINE_BITS),
               lfb_text("header"), (lfb_key){header, sizeof header}));
}

static lfb_status fast_finish(lfb_link *link, const lfb_redis_place *place)
{
  return lfb_ask_integer(link, NULL, NULL,
                         LFB_ARGS(lfb_text("HSET"), place->name, lfb_text("whole"), lfb_text("1")));
}

/* ---- reading it ------------------------------------------------------------ */

/* The requested fields, in the order of the reply. */
typedef enum fast_field { AT_VERSION, AT_MARK, AT_LINES, AT_HEADER, AT_WHOLE, FIELDS } fast_field;

/* A field as a number from 1 to `most`; 0 if it is none. */
static uint64_t fast_number(const redisReply *field, uint64_t most)
{
  uint64_t number;

  return field->type == REDIS_REPLY_STRING &&
                 lfb_wire_read_digits(field->str, field->len, most, &number)
             ? number
             : 0;
}

typedef struct fast_finding {
  lfb_redis_place *place;
  const uint8_t *key;
  bool whole; /* the filter must be finished */
} fast_finding;

/* Checks the fields one after the other; they may be hostile. */
static lfb_status fast_read(const fast_finding *finding, redisReply *const *fields)
{
  const uint64_t version = fast_number(fields[AT_VERSION], UINT32_MAX);
  const uint64_t mark = fast_number(fields[AT_MARK], FAST_MOST_MARK);
  const uint64_t lines = fast_number(fields[AT_LINES], fast_most_lines(FAST_MOST_BYTES));
  const redisReply *header = fields[AT_HEADER];
  lfb_redis_place *place = finding->place;

  if (mark == 0)
    return LFB_ERROR_REDIS_NO_FILTER; /* another program's hash */
  if (version == 0 || header->type != REDIS_REPLY_STRING ||
      (finding->whole && fields[AT_WHOLE]->type != REDIS_REPLY_STRING))
    return LFB_ERROR_REDIS_UNFINISHED;
  if (version != FAST_VERSION)
    return LFB_ERROR_UNKNOWN_VERSION;
  if (header->len != LFB_NATIVE_HEADER || lines == 0)
    return LFB_ERROR_BAD_HEADER;
  const lfb_status status =
      lfb_native_decode((const unsigned char *)header->str, finding->key, &place->description);
  /* Deletion needs only the parts' names, and so no hash key. */
  if (status != LFB_OK && (finding->whole || status != LFB_ERROR_KEY_NEEDED))
    return status;
  if (!fast_holds(place->description.strategy))
    return LFB_ERROR_BAD_STRATEGY;
  if (lines % fast_block_lines(&place->description) != 0)
    return LFB_ERROR_BAD_HEADER;
  place->description.form = LFB_FORM_NONE;
  fast_plan_of(&place->description, lines, (uint32_t)mark, &place->plan);
  return place->plan.parts <= LFB_MOST_PARTS ? LFB_OK : LFB_ERROR_BAD_HEADER;
}

static lfb_status fast_found(void *context, const redisReply *reply, bool again)
{
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_ARRAY);

  (void)again;
  if (status != LFB_OK)
    return status;
  return reply->elements == FIELDS ? fast_read(context, reply->element) : LFB_ERROR_REDIS_PROTOCOL;
}

static lfb_status fast_find(lfb_link *link, lfb_redis_place *place, const lfb_config *wanted,
                            bool whole)
{
  const bool keyed = wanted != NULL && lfb_config_has_key(wanted);
  fast_finding finding = {place, keyed ? wanted->key : NULL, whole};

  return lfb_ask(link, fast_found, &finding,
                 LFB_ARGS(lfb_text("HMGET"), place->name, lfb_text("lfbloom"), lfb_text("mark"),
                          lfb_text("part_blocks"), lfb_text("header"), lfb_text("whole")));
}

const lfb_redis_layout lfb_redis_layout_fast = {
    .holds = fast_holds,
    .described = true,
    .clears_stumps = true,
    .put_keys = 1,
    .order = LFB_WORDS_BIG,
    .plan = fast_plan,
    .reserve = fast_reserve,
    .finish = fast_finish,
    .find = fast_find,
    .put = lfb_part_put,
    .put_answer = lfb_part_put_answer,
    .ask = lfb_part_ask_words,
    .answer = lfb_part_words_answer,
};
