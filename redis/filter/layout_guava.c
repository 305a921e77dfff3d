/*
 * layout_guava.c - filters of Guava's two strategies: the string is, byte for byte, what
 * BloomFilter.writeTo writes, so that BloomFilter.readFrom reads what GET returns.
 *
 * The words are big-endian: bit i of the filter is bit 48 + (i XOR 63) of the string.  Guava
 * stores neither n nor p, so neither does this layout.  BITCOUNT name 6 -1 is the bit count.
 * Until a filter is whole, ff 4c and four random bytes are in front, not its header.  Neither Guava
 * nor this library accepts these as a header.
 */
#include <string.h>

#include "bloom/files/guava_header.h"
#include "redis/filter/layouts.h"

static const unsigned char guava_draft[] = {0xff, 'L'};

static void guava_plan_of(const lfb_description *description, lfb_plan *plan)
{
  unsigned char header[LFB_GUAVA_HEADER];
  uint64_t mark = 0;

  lfb_guava_encode(description, header);
  for (int i = 0; i < LFB_GUAVA_HEADER; i++)
    mark = mark << 8 | header[i]; /* not 0: the header's byte of probes is not */
  *plan = (lfb_plan){
      .parts = 1,
      .part_bits = description->geometry.bit_count,
      .part_bytes = LFB_GUAVA_HEADER + description->geometry.word_count * sizeof(uint64_t),
      .first = UINT64_C(8) * LFB_GUAVA_HEADER,
      .flip = LFB_WORD_BITS - 1,
      .mark_bits = 8 * LFB_GUAVA_HEADER,
      .mark_at = 0,
      .mark = mark,
  };
}

static lfb_status guava_plan(lfb_redis_place *place, uint64_t part_bytes)
{
  (void)part_bytes;
  guava_plan_of(&place->description, &place->plan);
  return 8 * place->plan.part_bytes <= LFB_STRING_MOST_BITS ? LFB_OK
                                                            : LFB_ERROR_REDIS_TOO_MANY_BITS;
}

static lfb_status guava_reserve(lfb_link *link, const lfb_redis_place *place)
{
  unsigned char draft[LFB_GUAVA_HEADER];

  const lfb_status status = lfb_random_bytes(draft, sizeof draft);
  if (status != LFB_OK)
    return status;
  memcpy(draft, guava_draft, sizeof guava_draft);
  return lfb_name_take(link, place->name, (lfb_key){draft, sizeof draft}, true);
}

static lfb_status guava_found(void *context, const redisReply *reply, bool again)
{
  lfb_redis_place *place = context;
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_STRING);

  (void)again;
  if (status != LFB_OK)
    return status;
  if (reply->len == LFB_GUAVA_HEADER && memcmp(reply->str, guava_draft, sizeof guava_draft) == 0)
    return LFB_ERROR_REDIS_UNFINISHED;
  if (reply->len != LFB_GUAVA_HEADER ||
      lfb_guava_decode((const unsigned char *)reply->str, &place->description) != LFB_OK)
    return LFB_ERROR_REDIS_NO_FILTER;
  guava_plan_of(&place->description, &place->plan);
  return LFB_OK;
}

static lfb_status guava_find(lfb_link *link, lfb_redis_place *place, const lfb_config *wanted,
                             bool whole)
{
  int64_t size = 0;

  (void)wanted;
  lfb_status status =
      lfb_ask(link, guava_found, place,
              LFB_ARGS(lfb_text("GETRANGE"), place->name, lfb_text("0"), lfb_text("5")));
  if (status == LFB_OK)
    status = lfb_ask_integer(link, &size, NULL, LFB_ARGS(lfb_text("STRLEN"), place->name));
  if (status != LFB_OK || !whole || (uint64_t)size == place->plan.part_bytes)
    return status;
  return (uint64_t)size < place->plan.part_bytes ? LFB_ERROR_REDIS_UNFINISHED
                                                 : LFB_ERROR_REDIS_NO_FILTER;
}

const lfb_redis_layout lfb_redis_layout_guava = {
    .holds = lfb_guava_holds,
    .clears_stumps = true,
    .put_keys = 1,
    .order = LFB_WORDS_BIG,
    .plan = guava_plan,
    .reserve = guava_reserve,
    .find = guava_find,
    .put = lfb_part_put,
    .put_answer = lfb_part_put_answer,
    .ask = lfb_part_ask_bits,
    .answer = lfb_part_bits_answer,
};
