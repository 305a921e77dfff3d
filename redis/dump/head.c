/* head.c - writes and reads heads. */
#define _DEFAULT_SOURCE /* endian.h */
#include "redis/dump/head.h"

#include <endian.h>
#include <string.h>

#include "bloom/hashing/hasher.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
  VERSION = 1,
  VERSION_REMOVABLE = 2, /* so a module that does not know this kind names the version */
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
  uint32_t expansion, generations; /* or copies */
  uint64_t period_ms, seed;
  uint8_t key[16];
  uint64_t keep_key, items, newest_items, began_ms;
  uint32_t layers, edition;
} dump_fields;

_Static_assert(sizeof(dump_fields) == CHECKSUM_AT - sizeof dump_magic, "no padding");
_Static_assert(LFB_DUMP_EDITION + sizeof(uint32_t) == CHECKSUM_AT, "the edition is the last field");

static uint32_t kind_version(uint32_t kind)
{
  return kind == LFB_VALUE_REMOVABLE ? VERSION_REMOVABLE : VERSION;
}

/* Changes numbers from the processor's byte order to that of a head, or back. */
static void fields_order(dump_fields *fields)
{
  static const uint8_t sizes[] = {4, 4, 4, 4, 8, 8, 4, 4, 8, 8, sizeof fields->key,
                                  8, 8, 8, 8, 4, 4};
  unsigned char *at = (unsigned char *)fields;

  for (size_t i = 0; htole32(1) != 1 && i < sizeof sizes; at += sizes[i++])
    for (size_t k = 0; sizes[i] <= 8 && k < sizes[i] / 2; k++) {
      const unsigned char byte = at[k];
      at[k] = at[sizes[i] - 1 - k];
      at[sizes[i] - 1 - k] = byte;
    }
}

void lfb_dump_fields_write(const lfb_dump_fields *dumped, unsigned char head[LFB_DUMP_HEAD])
{
  const lfb_recipe *recipe = &dumped->recipe;
  dump_fields fields = {
      .version = kind_version(recipe->kind),
      .kind = recipe->kind,
      .state = dumped->state,
      .hash = recipe->hash,
      .capacity = recipe->capacity,
      .error = recipe->error,
      .expansion = recipe->expansion,
      .generations = recipe->kind == LFB_VALUE_WINDOW ? recipe->generations : recipe->copies,
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
  lfb_store_le64(head + CHECKSUM_AT, XXH3_64bits(head, CHECKSUM_AT));
}

/* Whether numbers are in their ranges; what belongs to the other kind must be 0. */
static bool fields_fit(const dump_fields *fields)
{
  const bool window = fields->kind == LFB_VALUE_WINDOW, chain = fields->kind == LFB_VALUE_CHAIN;
  const bool fit =
      chain ? fields->generations == 0 && fields->expansion <= EXPANSION_MOST &&
                  fields->layers <= LFB_VALUE_LAYERS &&
                  (fields->layers > 0 || fields->state == LFB_DUMP_EMPTY) &&
                  (fields->layers < 2 || fields->expansion > 0)
            : fields->expansion == 0 && fields->layers == 0 &&
                  (window ? fields->generations == 3 || fields->generations == 7
                          : fields->kind == LFB_VALUE_REMOVABLE && fields->newest_items == 0);

  return fit && fields->state <= LFB_DUMP_PIECES && fields->capacity > 0 &&
         fields->capacity <= dump_capacity_most && fields->error > 0 && fields->error < 1 &&
         fields->keep_key <= 1 && fields->period_ms <= dump_period_most &&
         (window || (fields->period_ms == 0 && fields->began_ms == 0)) &&
         (fields->state != LFB_DUMP_EMPTY ||
          (fields->items == 0 && fields->newest_items == 0 && fields->layers <= 1));
}

static lfb_status fields_read(const void *head, size_t size, dump_fields *fields)
{
  if (size < sizeof dump_magic)
    return LFB_ERROR_TRUNCATED;
  if (memcmp(head, dump_magic, sizeof dump_magic) != 0)
    return LFB_ERROR_UNKNOWN_FORM; /* a chunk of RedisBloom, for example */
  if (size != LFB_DUMP_HEAD)
    return LFB_ERROR_TRUNCATED;
  memcpy(fields, (const char *)head + sizeof dump_magic, sizeof *fields);
  fields_order(fields);
  if (fields->version != kind_version(fields->kind))
    return LFB_ERROR_UNKNOWN_VERSION;
  if (lfb_dump_mark(head) != XXH3_64bits(head, CHECKSUM_AT))
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

void lfb_recipe_take_hash(lfb_recipe *recipe, const lfb_description *description)
{
  recipe->hash = lfb_hash_id_of(&description->hash);
  recipe->seed = description->hash.seed;
  recipe->keep_key = lfb_description_writes_key(description);
  lfb_hash_key(&description->hash, recipe->key);
}

bool lfb_recipe_same_hash(const lfb_recipe *a, const lfb_recipe *b)
{
  return a->hash == b->hash && a->seed == b->seed && a->keep_key == b->keep_key &&
         memcmp(a->key, b->key, sizeof a->key) == 0;
}

lfb_config lfb_recipe_config(const lfb_recipe *recipe, uint64_t capacity, double error)
{
  lfb_config config = {
      .expected_insertions = capacity,
      .fpp = error,
      .strategy = LFB_FAST,
      .hash = recipe->hash,
      .seed = recipe->seed,
      .keep_key = recipe->keep_key,
  };

  memcpy(config.key, recipe->key, sizeof config.key);
  return config;
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
          .generations = fields.kind == LFB_VALUE_WINDOW ? fields.generations : 0,
          .copies = fields.kind == LFB_VALUE_REMOVABLE ? fields.generations : 0,
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
