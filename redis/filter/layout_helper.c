/*
 * layout_helper.c - filters of strategy redis-mitz32: what the Java helper class over
 * RedisTemplate makes, by SETBIT name offset 1.
 *
 * Bit i of the filter is bit i of the string.  That class writes no description, so a caller that
 * opens such a filter must say what it was made for.  The mark is bit m, after the last one.
 * The first client that opens a filter of the class sets the mark, and makes the string as long
 * as it can become.
 *
 * A string without the mark may be the class's, so no command of this layout may make one: see
 * Stump in layouts.h.  Puts and adoption are scripts that change only a string that exists.
 */
#include "redis/filter/layouts.h"

enum { HELPER_STEP = 1 << 20 }; /* bytes, as REMOTE_STEP in remote.c */

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
  return lfb_name_take(link, place->name, lfb_text(""), false);
}

static lfb_status helper_find(lfb_link *link, lfb_redis_place *place, const lfb_config *wanted,
                              bool whole)
{
  int64_t size = 0;

  (void)whole;
  if (wanted == NULL || wanted->strategy != LFB_REDIS_MITZ32)
    return LFB_ERROR_REDIS_NO_FILTER;
  lfb_status status = lfb_description_make(wanted, &place->description);
  if (status == LFB_OK)
    status = helper_plan(place, 0);
  if (status == LFB_OK)
    status = lfb_ask_integer(link, &size, NULL, LFB_ARGS(lfb_text("STRLEN"), place->name));
  if (status == LFB_OK && (uint64_t)size > place->plan.part_bytes)
    status = LFB_ERROR_BIT_COUNT_DIFFERS; /* made for more than the caller wants */
  return status;
}

/* ---- puts ------------------------------------------------------------------ */

/*
 * KEYS[1]  the string
 * ARGV     the mark's bit, the number of bits of each key, the bits of one key after the other
 * Returns  -1: no mark; otherwise the sum of 2^i for each key i that turned on a bit.
 *
 * Several keys in a command, because running a script costs a server as much as six SETBITs.
 * (Redis 6.2 says where in a script a command was refused, then "-" and the refusal.)
 */
static const char helper_put_script[] =
    "local c,k,per,n,bit=redis.pcall,KEYS[1],tonumber(ARGV[2]),0,1 "
    "local r=c('GETBIT',k,ARGV[1]) "
    "if r~=1 then return r==0 and -1 or r end "
    "for i=3,#ARGV,per do "
    "local new=0 "
    "for j=i,i+per-1 do "
    "r=c('SETBIT',k,ARGV[j],'1') "
    "if r==0 then new=bit "
    "elseif r~=1 then return {err=r.err:match('%u%u+ .*') or r.err} end "
    "end "
    "n=n+new bit=bit*2 "
    "end "
    "return n";

/* The SHA-1 of the script: its name once a server has run it. */
static const char helper_put_name[] = "f8a46168f0b8692b3ee3c95cd43dcd82a1a6a9de";

static void helper_put(const lfb_plan *plan, const lfb_part *part, const lfb_put *what,
                       lfb_wire *wire)
{
  const uint32_t bits = what->keys * what->count;

  lfb_wire_begin(wire, 6 + (uint64_t)bits);
  if (what->first) {
    lfb_wire_text(wire, "EVAL");
    lfb_wire_string(wire, helper_put_script, sizeof helper_put_script - 1);
  } else {
    lfb_wire_text(wire, "EVALSHA");
    lfb_wire_string(wire, helper_put_name, sizeof helper_put_name - 1);
  }
  lfb_wire_text(wire, "1");
  lfb_wire_string(wire, part->name.bytes, part->name.size);
  lfb_wire_number(wire, plan->mark_at);
  lfb_wire_number(wire, what->count);
  for (uint32_t i = 0; i < bits; i++)
    lfb_wire_number(wire, what->bits[i]);
}

/* Reads a script's number.  Fails: LFB_ERROR_REDIS_PART: -1, or the string is something else. */
static lfb_status helper_number(const redisReply *reply, int64_t *number)
{
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_INTEGER);

  if (status == LFB_ERROR_REDIS_NO_FILTER)
    return LFB_ERROR_REDIS_PART;
  if (status != LFB_OK)
    return status;
  *number = reply->integer;
  return reply->integer == -1 ? LFB_ERROR_REDIS_PART : LFB_OK;
}

static lfb_status helper_put_answer(const lfb_plan *plan, const lfb_put *what,
                                    const redisReply *reply, uint64_t *changed)
{
  int64_t sum = 0;
  const lfb_status status = helper_number(reply, &sum);

  (void)plan;
  if (status != LFB_OK)
    return status;
  if (sum < 0 || sum >= INT64_C(1) << what->keys)
    return LFB_ERROR_REDIS_PROTOCOL;
  *changed = (uint64_t)sum;
  return LFB_OK;
}

/* ---- adoption -------------------------------------------------------------- */

/* Sets bit ARGV[1] to ARGV[2], by default to what it is, which makes the string long enough.
 * Returns -1 if there is no string. */
static const char helper_adopt_script[] =
    "local c,k,i=redis.call,KEYS[1],ARGV[1] "
    "if c('EXISTS',k)==0 then return -1 end "
    "return c('SETBIT',k,i,ARGV[2] or c('GETBIT',k,i))";

static uint64_t helper_steps(const lfb_plan *plan)
{
  return (plan->part_bytes - 1) / HELPER_STEP + 1;
}

/* The last step sets the mark, in the last byte. */
static uint16_t helper_adopt_command(void *context, uint64_t i, lfb_wire *wire)
{
  const lfb_redis_place *place = context;
  const bool last = i == helper_steps(&place->plan) - 1;
  const uint64_t bit = last ? place->plan.mark_at : 8 * (i + 1) * HELPER_STEP - 1;
  const lfb_key args[] = {lfb_text("EVAL"), lfb_text(helper_adopt_script), lfb_text("1"),
                          place->name, LFB_NUMBER(bit), lfb_text("1")};

  (void)lfb_ask_write(wire, args, last ? 6 : 5);
  return lfb_key_slot(place->name.bytes, place->name.size);
}

static lfb_status helper_adopt_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  int64_t was;

  (void)context, (void)i, (void)again; /* may be done twice */
  return helper_number(reply, &was);
}

/* In steps that are short for the server. */
static lfb_status helper_adopt(lfb_link *link, lfb_redis_place *place)
{
  const lfb_job job = {helper_steps(&place->plan), helper_adopt_command, helper_adopt_reply, place};

  return lfb_ask_in_turns(link, &job, 1);
}

const lfb_redis_layout lfb_redis_layout_helper = {
    .holds = helper_holds,
    .order = LFB_WORDS_TURNED,
    .plan = helper_plan,
    .reserve = helper_reserve,
    .find = helper_find,
    .adopt = helper_adopt,
    .put_keys = LFB_PUT_KEYS,
    .put = helper_put,
    .put_answer = helper_put_answer,
    .ask = lfb_part_ask_bits,
    .answer = lfb_part_bits_answer,
};
