/* filter.c - puts and queries of keys in a filter on Redis. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/filter/pieces.h"
#include "redis/filter/remote.h"

/* Keys on their way to the server. */
typedef struct keys_job {
  lfb_redis *filter;
  const void *keys;
  lfb_key_kind kind;
  bool put;
  bool rewritten;    /* by_key: a command was written twice */
  uint64_t *answers; /* one bit each, all 0 at first */
  size_t yes;
  uint64_t count;             /* keys                                             */
  uint32_t each;              /* keys in a command, a power of two                */
  uint64_t next;              /* lfb_put_first()                                  */
  uint64_t commands, replied; /* replies: more than commands if the job is repeated */
} keys_job;

/* The bits of a key.  Computed again when needed: less work than keeping them. */
typedef struct key_bits {
  uint32_t count;
  uint64_t bits[LFB_MAX_PROBES];
} key_bits;

static uint32_t keys_bits_of(const keys_job *job, uint64_t i, uint64_t *bits)
{
  const lfb_redis *filter = job->filter;
  const lfb_hasher *hasher = &filter->layout.hasher;
  lfb_hash hash;

  if (job->kind == LFB_BYTES_KEY) {
    const lfb_key *key = (const lfb_key *)job->keys + i;
    hash = lfb_hasher_bytes(hasher, key->bytes, key->size);
  } else {
    hash = lfb_hasher_u64(hasher, ((const uint64_t *)job->keys)[i]);
  }
  return filter->place.description.strategy->bits_of(&filter->layout, hash, bits);
}

/* What command `i` puts; without the bits. */
static lfb_put keys_put_of(const keys_job *job, uint64_t i)
{
  const uint64_t left = job->count - i * job->each;

  return (lfb_put){.keys = left < job->each ? (uint32_t)left : job->each,
                   .count = job->filter->layout.probes};
}

static uint16_t keys_put_command(keys_job *job, uint64_t i, lfb_wire *wire)
{
  const lfb_redis_place *place = &job->filter->place;
  uint64_t bits[LFB_PUT_KEYS * LFB_MAX_PROBES];
  lfb_put what = keys_put_of(job, i);

  uint32_t k = 0;
  do /* a command has at least one key */
    (void)keys_bits_of(job, i * job->each + k, bits + (size_t)k * what.count);
  while (++k < what.keys);
  what.bits = bits;
  what.first = lfb_put_first(&job->next, i);
  const lfb_part *part = &job->filter->parts[bits[0] / place->plan.part_bits];
  place->layout->put(&place->plan, part, &what, wire);
  return part->slot;
}

static uint16_t keys_ask_command(const keys_job *job, uint64_t i, lfb_wire *wire)
{
  const lfb_redis_place *place = &job->filter->place;
  key_bits key;

  key.count = keys_bits_of(job, i, key.bits);
  const lfb_part *part = &job->filter->parts[key.bits[0] / place->plan.part_bits];
  place->layout->ask(&place->plan, part, key.bits, key.count, wire);
  return part->slot;
}

/* Writes a key as bytes: a number as 8, little-endian. */
static void keys_write(const keys_job *job, uint64_t i, lfb_wire *wire)
{
  if (job->kind == LFB_BYTES_KEY) {
    const lfb_key *key = (const lfb_key *)job->keys + i;
    lfb_wire_string(wire, key->bytes, key->size);
  } else {
    const uint64_t number = LFB_LITTLE_64(((const uint64_t *)job->keys)[i]);
    lfb_wire_string(wire, &number, sizeof number);
  }
}

/* Writes a command to the module: of keys, or the last one, which asks for the mark. */
static uint16_t keys_module_command(keys_job *job, uint64_t i, lfb_wire *wire)
{
  const lfb_part *part = &job->filter->parts[0];
  const uint32_t keys = keys_put_of(job, i).keys;

  job->rewritten |= i < job->next;
  (void)lfb_put_first(&job->next, i);
  if (i == job->commands) {
    lfb_module_ask_mark(part, wire);
    return part->slot;
  }
  lfb_module_begin(part, job->put, keys, wire);
  for (uint32_t k = 0; k < keys; k++)
    keys_write(job, i * job->each + k, wire);
  return part->slot;
}

static uint16_t keys_command(void *context, uint64_t i, lfb_wire *wire)
{
  keys_job *job = context;

  if (job->filter->place.layout->by_key)
    return keys_module_command(job, i, wire);
  return job->put ? keys_put_command(job, i, wire) : keys_ask_command(job, i, wire);
}

static lfb_status keys_put_reply(const keys_job *job, uint64_t i, const redisReply *reply,
                                 bool again, uint64_t *yes)
{
  const lfb_redis_place *place = &job->filter->place;
  const lfb_put what = keys_put_of(job, i);
  const lfb_status status = place->layout->by_key
                                ? lfb_module_answers(reply, what.keys, yes)
                                : place->layout->put_answer(&place->plan, &what, reply, yes);

  if (again) /* bits that the first attempt turned on are already on */
    *yes = ~UINT64_C(0) >> (LFB_WORD_BITS - what.keys);
  return status;
}

static lfb_status keys_ask_reply(const keys_job *job, uint64_t i, const redisReply *reply,
                                 uint64_t *yes)
{
  const lfb_redis_place *place = &job->filter->place;
  key_bits key;
  bool maybe = false;

  if (place->layout->by_key)
    return lfb_module_answers(reply, keys_put_of(job, i).keys, yes);
  key.count = keys_bits_of(job, i, key.bits);
  const lfb_status status = place->layout->answer(&place->plan, key.bits, key.count, reply, &maybe);
  *yes = maybe;
  return status;
}

static lfb_status keys_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  keys_job *job = context;
  const uint64_t first = i * job->each; /* the answers to a command are in one word */
  uint64_t yes = 0;

  if (i == job->commands)
    return lfb_module_mark_answer(&job->filter->place.plan, reply);
  const lfb_status status = job->put ? keys_put_reply(job, i, reply, again, &yes)
                                     : keys_ask_reply(job, i, reply, &yes);
  if (status != LFB_OK || job->replied++ >= job->commands)
    return status; /* the first answer stands */
  job->yes += (size_t)__builtin_popcountll(yes);
  job->answers[first / LFB_WORD_BITS] |= yes << (first % LFB_WORD_BITS);
  return LFB_OK;
}

/* ---- stumps ----------------------------------------------------------------- */

static void stump_command(const lfb_redis *filter, const lfb_part *part, lfb_wire *wire)
{
  static const char script[] =
      "if redis.call('BITFIELD_RO', KEYS[1], 'GET', ARGV[1], ARGV[2])[1] == 0 then "
      "return redis.call('UNLINK', KEYS[1]) end return 0";
  const lfb_plan *plan = &filter->place.plan;
  char digits[LFB_WIRE_DIGITS], type[1 + LFB_WIRE_DIGITS] = "u";
  const lfb_key width = lfb_ask_number(plan->mark_bits, digits);

  memcpy(type + 1, width.bytes, width.size);
  (void)lfb_ask_write(wire, LFB_ARGS(lfb_text("EVAL"), lfb_text(script), lfb_text("1"), part->name,
                                     (lfb_key){type, 1 + width.size}, LFB_NUMBER(plan->mark_at)));
}

static lfb_status stump_reply(const lfb_redis *filter, const redisReply *reply)
{
  (void)filter, (void)reply; /* best effort */
  return LFB_OK;
}

void lfb_remote_clear_stumps(lfb_redis *filter, lfb_link *link)
{
  if (filter->place.layout->clears_stumps)
    (void)lfb_remote_each_part(filter, link, 64, stump_command, stump_reply);
}

/* ---- running it -------------------------------------------------------------- */

static lfb_status keys_send(lfb_redis *filter, lfb_link *link, void *context)
{
  keys_job *keys = context;
  const bool by_key = filter->place.layout->by_key;
  keys->each = keys->put || by_key ? filter->place.layout->put_keys : 1;
  keys->commands = keys->count / keys->each + (keys->count % keys->each != 0);
  const uint64_t marks = by_key && keys->commands > 0 ? 1 : 0;
  const lfb_job job = {keys->commands + marks, keys_command, keys_reply, keys};

  lfb_status status = lfb_link_run(link, &job);
  if (status == LFB_OK && keys->rewritten)
    status = lfb_remote_check(filter, link);
  if (status == LFB_ERROR_REDIS_PART && keys->put)
    lfb_remote_clear_stumps(filter, link);
  return status;
}

lfb_status lfb_redis_many(lfb_redis *filter, lfb_verb verb, const void *keys, size_t count,
                          uint64_t *answers, size_t *yes, lfb_key_kind kind)
{
  const size_t words = count / LFB_WORD_BITS + (count % LFB_WORD_BITS != 0);
  uint64_t one = 0, *found = words > 1 ? calloc(words, sizeof *found) : &one;
  keys_job job = {.filter = filter, .keys = keys, .kind = kind, .put = verb == LFB_PUT,
                  .answers = found, .count = count};

  assert((verb == LFB_PUT || verb == LFB_MIGHT_CONTAIN) && kind != LFB_HASH_KEY);
  if (found == NULL)
    return LFB_ERROR_NO_MEMORY;
  const lfb_status status = lfb_remote_with_link(filter, job.put, keys_send, &job);
  if (status == LFB_OK && answers != NULL)
    memcpy(answers, found, words * sizeof *found);
  if (status == LFB_OK && yes != NULL)
    *yes = job.yes;
  if (found != &one)
    free(found);
  return status;
}

static lfb_status keys_one(lfb_redis *filter, lfb_verb verb, lfb_key key, bool *answer)
{
  size_t yes = 0;
  const lfb_status status = lfb_redis_many(filter, verb, &key, 1, NULL, &yes, LFB_BYTES_KEY);

  if (status == LFB_OK && answer != NULL)
    *answer = yes != 0;
  return status;
}

lfb_status lfb_redis_put(lfb_redis *filter, const void *bytes, size_t size, bool *changed)
{
  return keys_one(filter, LFB_PUT, (lfb_key){bytes, size}, changed);
}

lfb_status lfb_redis_might_contain(lfb_redis *filter, const void *bytes, size_t size, bool *maybe)
{
  return keys_one(filter, LFB_MIGHT_CONTAIN, (lfb_key){bytes, size}, maybe);
}
