/*
 * layout_helper.c - filters of strategy redis-mitz32: what the Java helper class over
 * RedisTemplate makes, by SETBIT name offset 1.
 *
 * Bit i of the filter is bit i of the string.  That class writes no description, so a caller that
 * opens such a filter must say what it was made for.  The mark is bit m, after the last one.
 * The first client that opens a filter of the class sets the mark, and makes the string as long
 * as it can become.
 */
#include "redis/filter/layouts.h"

static bool helper_holds(const lfb_strategy *strategy)
{
  return strategy->id == LFB_REDIS_MITZ32;
}

static lfb_status helper_plan(lfb_redis_place *place, uint64_t part_bytes)
{
  const uint64_t bits = place->description.geometry.bit_count; /* below 2^31 */

  (void)part_bytes;
  place->plan = (lfb_plan){
      .parts = 1,
      .part_bits = bits,
      .part_bytes = bits / 8 + 1,
      .mark_bits = 1,
      .mark_at = bits,
      .mark = 1,
  };
  return LFB_OK;
}

static lfb_status helper_reserve(lfb_link *link, const lfb_redis_place *place)
{
  return lfb_redis_place_reserve(link, place, "", 0);
}

static lfb_status helper_find(lfb_link *link, lfb_redis_place *place, const lfb_config *wanted,
                              bool whole)
{
  const lfb_key length[] = {lfb_ask_text("STRLEN"), place->name};
  int64_t size = 0;

  (void)whole;
  if (wanted == NULL || wanted->strategy != LFB_REDIS_MITZ32)
    return LFB_ERROR_REDIS_NO_FILTER;
  lfb_status status = lfb_description_make(wanted, &place->description);
  if (status == LFB_OK)
    status = helper_plan(place, 0);
  if (status == LFB_OK)
    status = lfb_ask_integer(link, length, sizeof length / sizeof *length, &size, NULL);
  if (status == LFB_OK && (uint64_t)size > place->plan.part_bytes)
    status = LFB_ERROR_BIT_COUNT_DIFFERS; /* made for more than the caller wants */
  return status;
}

const lfb_redis_layout lfb_redis_layout_helper = {
    .name = "helper",
    .holds = helper_holds,
    .order = LFB_WORDS_TURNED,
    .plan = helper_plan,
    .reserve = helper_reserve,
    .find = helper_find,
    .ask = lfb_part_ask_bits,
    .answer = lfb_part_bits_answer,
};
