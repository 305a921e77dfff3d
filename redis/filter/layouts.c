/* layouts.c - the names and commands that layouts share. */
#include "redis/filter/layouts.h"

#include <string.h>

/* ---- names ----------------------------------------------------------------- */

lfb_status lfb_name_check(const char *name)
{
  const size_t size = strlen(name);
  return size >= 1 && size <= LFB_REDIS_NAME_SIZE ? LFB_OK : LFB_ERROR_REDIS_BAD_NAME;
}

static char *name_add(char *at, const void *bytes, size_t size)
{
  memcpy(at, bytes, size);
  return at + size;
}

size_t lfb_name_with(lfb_key name, lfb_key what, bool apart, char *key)
{
  size_t hashed = name.size;
  const bool tagged = lfb_key_hashed(name.bytes, &hashed) != name.bytes;
  char *at = key;

  if (!tagged)
    *at++ = '{';
  at = name_add(at, name.bytes, name.size);
  if (!tagged && !apart)
    *at++ = '}';
  *at++ = ':';
  at = name_add(at, what.bytes, what.size);
  if (!tagged && apart)
    *at++ = '}';
  return (size_t)(at - key);
}

size_t lfb_part_name(const lfb_redis_layout *layout, lfb_key name, uint64_t i,
                     char key[LFB_PART_NAME_SIZE])
{
  char digits[LFB_WIRE_DIGITS];

  if (!layout->described)
    return (size_t)(name_add(key, name.bytes, name.size) - key);
  return lfb_name_with(name, lfb_ask_number(i, digits), true, key);
}

/* ---- taking a name --------------------------------------------------------- */

typedef struct taking {
  lfb_key bytes;
  bool unsure; /* the name was taken: by another client, or by our first attempt */
} taking;

static lfb_status take_reply(void *context, const redisReply *reply, bool again)
{
  taking *take = context;

  if (reply->type != REDIS_REPLY_NIL)
    return lfb_reply_expect(reply, REDIS_REPLY_STATUS);
  take->unsure = again;
  return LFB_ERROR_REDIS_EXISTS;
}

static lfb_status take_compare(void *context, const redisReply *reply, bool again)
{
  const lfb_key *bytes = &((const taking *)context)->bytes;

  (void)again;
  return reply->type == REDIS_REPLY_STRING && reply->len == bytes->size &&
                 memcmp(reply->str, bytes->bytes, bytes->size) == 0
             ? LFB_OK
             : LFB_ERROR_REDIS_EXISTS;
}

lfb_status lfb_name_take(lfb_link *link, lfb_key name, lfb_key bytes, bool unique)
{
  taking take = {bytes, false};

  const lfb_status status = lfb_ask(link, take_reply, &take,
                                    LFB_ARGS(lfb_text("SET"), name, bytes, lfb_text("NX")));
  return status == LFB_ERROR_REDIS_EXISTS && take.unsure && unique
             ? lfb_ask(link, take_compare, &take,
                       LFB_ARGS(lfb_text("GETRANGE"), name, lfb_text("0"), LFB_NUMBER(bytes.size)))
             : status;
}

/* ---- fields ---------------------------------------------------------------- */

/* An argument known at compile time: saves formatting its size. */
#define WIRE_CONSTANT(wire, text) lfb_wire_raw(wire, text, sizeof text - 1)

#define WIRE_GET "$3\r\nGET\r\n"
#define WIRE_SET "$3\r\nSET\r\n"
#define WIRE_BIT "$2\r\nu1\r\n"
#define WIRE_ONE "$1\r\n1\r\n"
#define WIRE_WORD "$3\r\ni64\r\n"

/* For example "u48". */
static void wire_mark_type(lfb_wire *wire, const lfb_plan *plan)
{
  const char type[] = {'u', (char)('0' + plan->mark_bits / 10), (char)('0' + plan->mark_bits % 10)};

  if (plan->mark_bits < 10)
    WIRE_CONSTANT(wire, WIRE_BIT); /* helper's, the only one so small */
  else
    lfb_wire_string(wire, type, sizeof type);
}

/* Begins a command that has `fields` arguments after the key and the GET of the mark. */
static void wire_begin(const lfb_plan *plan, const lfb_part *part, bool put, uint32_t fields,
                       lfb_wire *wire)
{
  lfb_wire_begin(wire, 5 + (uint64_t)fields);
  if (put)
    WIRE_CONSTANT(wire, "$8\r\nBITFIELD\r\n");
  else
    WIRE_CONSTANT(wire, "$11\r\nBITFIELD_RO\r\n");
  lfb_wire_string(wire, part->name.bytes, part->name.size);
  WIRE_CONSTANT(wire, WIRE_GET);
  wire_mark_type(wire, plan);
  lfb_wire_number(wire, plan->mark_at);
}

/* The offset of the filter's bit in its part's string. */
static uint64_t bit_offset(const lfb_plan *plan, uint64_t bit)
{
  return plan->first + (bit % plan->part_bits ^ plan->flip);
}

/* Checks that a reply holds the right mark and `count` more fields. */
static lfb_status fields_expect(const lfb_plan *plan, const redisReply *reply, uint32_t count)
{
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_ARRAY);

  if (status == LFB_ERROR_REDIS_NO_FILTER)
    return LFB_ERROR_REDIS_PART; /* something else has the part's name */
  if (status != LFB_OK)
    return status;
  if (reply->elements != 1 + (size_t)count)
    return LFB_ERROR_REDIS_PROTOCOL;
  for (size_t i = 0; i < reply->elements; i++)
    if (reply->element[i]->type != REDIS_REPLY_INTEGER)
      return LFB_ERROR_REDIS_PROTOCOL;
  return (uint64_t)reply->element[0]->integer == plan->mark ? LFB_OK : LFB_ERROR_REDIS_PART;
}

void lfb_part_ask_mark(const lfb_plan *plan, const lfb_part *part, lfb_wire *wire)
{
  wire_begin(plan, part, false, 0, wire);
}

lfb_status lfb_part_mark_answer(const lfb_plan *plan, const redisReply *reply)
{
  return fields_expect(plan, reply, 0);
}

static void wire_set_mark(const lfb_plan *plan, const lfb_part *part, uint64_t mark,
                          lfb_wire *wire)
{
  lfb_wire_begin(wire, 6);
  lfb_wire_text(wire, "BITFIELD");
  lfb_wire_string(wire, part->name.bytes, part->name.size);
  WIRE_CONSTANT(wire, WIRE_SET);
  wire_mark_type(wire, plan);
  lfb_wire_number(wire, plan->mark_at);
  lfb_wire_number(wire, mark);
}

void lfb_part_set_mark(const lfb_plan *plan, const lfb_part *part, lfb_wire *wire)
{
  wire_set_mark(plan, part, plan->mark, wire);
}

void lfb_part_grow(const lfb_plan *plan, const lfb_part *part, uint64_t bytes, lfb_wire *wire)
{
  if (bytes == plan->part_bytes && plan->draft != 0) { /* the mark is at the end */
    wire_set_mark(plan, part, plan->draft, wire);
    return;
  }
  (void)lfb_ask_write(wire, LFB_ARGS(lfb_text("BITFIELD"), part->name, lfb_text("INCRBY"),
                                     lfb_text("u1"), LFB_NUMBER(8 * bytes - 1), lfb_text("0")));
}

bool lfb_put_first(uint64_t *next, uint64_t i)
{
  const bool first = i == 0 || i < *next;

  if (i >= *next)
    *next = i + 1;
  return first;
}

/* ---- bits ------------------------------------------------------------------ */

void lfb_part_put(const lfb_plan *plan, const lfb_part *part, const lfb_put *what, lfb_wire *wire)
{
  wire_begin(plan, part, true, 4 * what->count, wire);
  for (uint32_t i = 0; i < what->count; i++) {
    WIRE_CONSTANT(wire, WIRE_SET WIRE_BIT);
    lfb_wire_number(wire, bit_offset(plan, what->bits[i]));
    WIRE_CONSTANT(wire, WIRE_ONE);
  }
}

/* Whether all fields after the mark are 1. */
static bool fields_all_on(const redisReply *reply)
{
  bool all = true;

  for (size_t i = 1; i < reply->elements; i++)
    all &= reply->element[i]->integer == 1;
  return all;
}

lfb_status lfb_part_put_answer(const lfb_plan *plan, const lfb_put *what, const redisReply *reply,
                               uint64_t *changed)
{
  const lfb_status status = fields_expect(plan, reply, what->count);

  if (status == LFB_OK)
    *changed = !fields_all_on(reply);
  return status;
}

void lfb_part_ask_bits(const lfb_plan *plan, const lfb_part *part, const uint64_t *bits,
                       uint32_t count, lfb_wire *wire)
{
  wire_begin(plan, part, false, 3 * count, wire);
  for (uint32_t i = 0; i < count; i++) {
    WIRE_CONSTANT(wire, WIRE_GET WIRE_BIT);
    lfb_wire_number(wire, bit_offset(plan, bits[i]));
  }
}

lfb_status lfb_part_bits_answer(const lfb_plan *plan, const uint64_t *bits, uint32_t count,
                                const redisReply *reply, bool *maybe)
{
  const lfb_status status = fields_expect(plan, reply, count);

  (void)bits;
  if (status == LFB_OK)
    *maybe = fields_all_on(reply);
  return status;
}

/* ---- words ----------------------------------------------------------------- */

/* The words that hold a key's bits, in order of first occurrence. */
typedef struct key_words {
  uint32_t count;
  uint64_t word[LFB_BLOCK_WORDS];
  uint64_t mask[LFB_BLOCK_WORDS];
} key_words;

static key_words words_of(const uint64_t *bits, uint32_t count)
{
  key_words words = {0, {0}, {0}};

  for (uint32_t i = 0; i < count; i++) {
    uint32_t at = 0;
    while (at < words.count && words.word[at] != bits[i] / LFB_WORD_BITS)
      at++;
    if (at == words.count)
      words.word[words.count++] = bits[i] / LFB_WORD_BITS;
    words.mask[at] |= UINT64_C(1) << (bits[i] % LFB_WORD_BITS);
  }
  return words;
}

void lfb_part_ask_words(const lfb_plan *plan, const lfb_part *part, const uint64_t *bits,
                        uint32_t count, lfb_wire *wire)
{
  const key_words words = words_of(bits, count);

  wire_begin(plan, part, false, 3 * words.count, wire);
  for (uint32_t i = 0; i < words.count; i++) {
    WIRE_CONSTANT(wire, WIRE_GET WIRE_WORD);
    /* a word begins with its highest bit: bit 63, flipped */
    lfb_wire_number(wire, bit_offset(plan, words.word[i] * LFB_WORD_BITS + plan->flip));
  }
}

lfb_status lfb_part_words_answer(const lfb_plan *plan, const uint64_t *bits, uint32_t count,
                                 const redisReply *reply, bool *maybe)
{
  const key_words words = words_of(bits, count);
  const lfb_status status = fields_expect(plan, reply, words.count);
  uint64_t missing = 0;

  if (status != LFB_OK)
    return status;
  for (uint32_t i = 0; i < words.count; i++)
    missing |= words.mask[i] & ~(uint64_t)reply->element[1 + i]->integer;
  *maybe = missing == 0;
  return LFB_OK;
}
