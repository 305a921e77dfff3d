/* head.c - writes and reads heads. */
#define _DEFAULT_SOURCE /* endian.h */
#include "redis/dump/head.h"

#include <endian.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
  VERSION = 1,
  CHECKSUM_AT = LFB_DUMP_HEAD - 8,
  EXPANSION_MOST = 32768,
};
static const char dump_magic[8] = "LFBREDIS";
static const uint64_t dump_capacity_most = UINT64_C(1) << 56;
static const uint64_t dump_period_most = UINT64_C(1000) * 1000 * 1000 * 1000;

/* The fields of a head, in the order in which it has them. */
typedef struct dump_fields {
  uint32_t version, kind, state, hash;
  uint64_t capacity;
  double error;
  uint32_t expansion, generations;
  uint64_t period_ms, seed;
  uint8_t key[16];
  uint64_t keep_key, items, newest_items, began_ms;
  uint32_t layers, edition;
} dump_fields;

_Static_assert(sizeof(dump_fields) == CHECKSUM_AT - sizeof dump_magic, "no padding");
_Static_assert(LFB_DUMP_EDITION + sizeof(uint32_t) == CHECKSUM_AT, "the edition is the last field");

/* Changes numbers from the processor's byte order to that of a head, or back. */
static void fields_order(dump_fields *fields)
{
  uint64_t error;

  memcpy(&error, &fields->error, sizeof error);
  error = htole64(error);
  memcpy(&fields->error, &error, sizeof error);
  fields->version = htole32(fields->version);
  fields->kind = htole32(fields->kind);
  fields->state = htole32(fields->state);
  fields->hash = htole32(fields->hash);
  fields->capacity = htole64(fields->capacity);
  fields->expansion = htole32(fields->expansion);
  fields->generations = htole32(fields->generations);
  fields->period_ms = htole64(fields->period_ms);
  fields->seed = htole64(fields->seed);
  fields->keep_key = htole64(fields->keep_key);
  fields->items = htole64(fields->items);
  fields->newest_items = htole64(fields->newest_items);
  fields->began_ms = htole64(fields->began_ms);
  fields->layers = htole32(fields->layers);
  fields->edition = htole32(fields->edition);
}

void lfb_dump_fields_write(const lfb_dump_fields *dumped, unsigned char head[LFB_DUMP_HEAD])
{
  const lfb_recipe *recipe = &dumped->recipe;
  dump_fields fields = {
      .version = VERSION,
      .kind = recipe->kind,
      .state = dumped->state,
      .hash = recipe->hash,
      .capacity = recipe->capacity,
      .error = recipe->error,
      .expansion = recipe->expansion,
      .generations = recipe->generations,
      .period_ms = recipe->period_ms,
      .seed = recipe->seed,
      .keep_key = recipe->keep_key,
      .items = dumped->items,
      .newest_items = dumped->newest_items,
      .began_ms = dumped->began_ms,
      .layers = dumped->layers,
      .edition = dumped->edition,
  };

  memcpy(fields.key, recipe->key, sizeof fields.key);
  fields_order(&fields);
  memcpy(head, dump_magic, sizeof dump_magic);
  memcpy(head + sizeof dump_magic, &fields, sizeof fields);
  const uint64_t checksum = htole64(XXH3_64bits(head, CHECKSUM_AT));
  memcpy(head + CHECKSUM_AT, &checksum, sizeof checksum);
}

/* Whether numbers are in their ranges; what belongs to the other kind must be 0. */
static bool fields_fit(const dump_fields *fields)
{
  const bool window = fields->kind == LFB_VALUE_WINDOW;

  return (window || fields->kind == LFB_VALUE_CHAIN) && fields->state <= LFB_DUMP_PIECES &&
         fields->capacity > 0 && fields->capacity <= dump_capacity_most && fields->error > 0 &&
         fields->error < 1 && fields->keep_key <= 1 &&
         (window
              ? (fields->generations == 3 || fields->generations == 7) && fields->expansion == 0 &&
                    fields->layers == 0 && fields->period_ms <= dump_period_most
              : fields->generations == 0 && fields->expansion <= EXPANSION_MOST &&
                    fields->layers <= LFB_VALUE_LAYERS && fields->period_ms == 0 &&
                    fields->began_ms == 0 &&
                    (fields->layers > 0 || fields->state == LFB_DUMP_EMPTY) &&
                    (fields->layers < 2 || fields->expansion > 0)) &&
         (fields->state != LFB_DUMP_EMPTY ||
          (fields->items == 0 && fields->newest_items == 0 && fields->layers <= 1));
}

static lfb_status fields_read(const void *head, size_t size, dump_fields *fields)
{
  uint64_t checksum;

  if (size < sizeof dump_magic)
    return LFB_ERROR_TRUNCATED;
  if (memcmp(head, dump_magic, sizeof dump_magic) != 0)
    return LFB_ERROR_UNKNOWN_FORM; /* a chunk of RedisBloom, for example */
  if (size != LFB_DUMP_HEAD)
    return LFB_ERROR_TRUNCATED;
  memcpy(&checksum, (const char *)head + CHECKSUM_AT, sizeof checksum);
  memcpy(fields, (const char *)head + sizeof dump_magic, sizeof *fields);
  fields_order(fields);
  if (fields->version != VERSION)
    return LFB_ERROR_UNKNOWN_VERSION;
  if (htole64(checksum) != XXH3_64bits(head, CHECKSUM_AT))
    return LFB_ERROR_BAD_CHECKSUM;
  return fields_fit(fields) ? LFB_OK : LFB_ERROR_BAD_HEADER;
}

bool lfb_recipe_has_hash(const lfb_recipe *recipe)
{
  static const uint8_t none[sizeof recipe->key];
  const bool keyed = memcmp(recipe->key, none, sizeof none) != 0;

  switch (recipe->hash) {
  case LFB_HASH_XXH3: return recipe->seed != 0 && !keyed && !recipe->keep_key;
  case LFB_HASH_SIPHASH13:
  case LFB_HASH_AES: return recipe->seed == 0 && keyed && recipe->keep_key;
  default: return false;
  }
}

lfb_status lfb_dump_fields_read(const void *head, size_t size, lfb_dump_fields *dumped)
{
  dump_fields fields;

  const lfb_status status = fields_read(head, size, &fields);
  if (status != LFB_OK)
    return status;
  lfb_dump_fields heard = {
      .recipe = {
          .kind = (lfb_value_kind)fields.kind,
          .capacity = fields.capacity,
          .error = fields.error,
          .expansion = fields.expansion,
          .generations = fields.generations,
          .period_ms = fields.period_ms,
          .hash = (lfb_hash_id)fields.hash,
          .seed = fields.seed,
          .keep_key = fields.keep_key != 0,
      },
      .state = (lfb_dump_state)fields.state,
      .layers = fields.layers,
      .items = fields.items,
      .newest_items = fields.newest_items,
      .began_ms = fields.began_ms,
      .edition = fields.edition,
  };
  memcpy(heard.recipe.key, fields.key, sizeof heard.recipe.key);
  /* Without this check the library would draw a key of its own. */
  if (!lfb_recipe_has_hash(&heard.recipe))
    return LFB_ERROR_BAD_HEADER;
  *dumped = heard;
  return LFB_OK;
}
