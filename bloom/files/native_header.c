/* native_header.c - writing and checking the fields of a native header. */
#define _GNU_SOURCE /* secure_getenv */
#include "bloom/files/native_header.h"

#include "bloom/filter/description.h"
#include "bloom/hashing/aes_derive.h"
#include "bloom/strategies/strategies.h"

#include <stdlib.h>
#include <time.h>

/* Where each field is, in bytes from the start, after those of magic.h: docs/formats.md. */
enum {
  NATIVE_AT_STRATEGY = 16,
  NATIVE_AT_HASH = 20,
  NATIVE_AT_BIT_COUNT = 24,
  NATIVE_AT_WORD_COUNT = 32,
  NATIVE_AT_PROBES = 40,
  NATIVE_AT_WORDS_PER_KEY = 44,
  NATIVE_AT_INSERTIONS = 48,
  NATIVE_AT_FPP = 56,
  NATIVE_AT_SEED = 64,
  NATIVE_AT_BITS_SET = 72,
  NATIVE_AT_CREATED = 80,
  NATIVE_AT_FORMULA = 88,
  NATIVE_AT_CHECKED_BYTES = 92,
  NATIVE_AT_KEY_CHECK = 96,
  NATIVE_AT_KEY_TYPE = 167, /* one byte; the 63 before it are ignored */
  NATIVE_AT_KEY = 168,      /* if native_hashes has it */
  NATIVE_AT_RESERVED = 184, /* zero up to the checksum */
};

enum {
  NATIVE_VERSION = 1,
  NATIVE_OLD_FAST = 2, /* the number of `fast` before it had pairs */
};

/* What each number of a hash means.  Number 0: the strategy leaves no choice. */
static const struct native_hash {
  lfb_hash_kind kind;
  bool has_key; /* in the header */
} native_hashes[] = {
    [1] = {LFB_KIND_XXH3, false},
    [2] = {LFB_KIND_SIPHASH13, false},
    [3] = {LFB_KIND_SIPHASH13, true},
    [4] = {LFB_KIND_AES, false},
    [5] = {LFB_KIND_AES, true},
};

enum { NATIVE_HASHES = sizeof native_hashes / sizeof *native_hashes };

static uint32_t native_hash_number(lfb_hash_kind kind, bool has_key)
{
  for (uint32_t i = 1; i < NATIVE_HASHES; i++)
    if (native_hashes[i].kind == kind && native_hashes[i].has_key == has_key)
      return i;
  return 0;
}

uint64_t lfb_native_bits_set(const unsigned char header[LFB_NATIVE_HEADER])
{
  return lfb_load_le64(header + NATIVE_AT_BITS_SET);
}

/* A check value that exposes a wrong key without revealing the right one. */
static uint64_t native_key_check(const lfb_hash_identity *hash)
{
  uint8_t key[LFB_HASHER_KEY];

  lfb_hash_key(hash, key);
  if (hash->kind == LFB_KIND_AES)
    return lfb_aes_check(key);
  return lfb_siphash13(lfb_magic_bytes(LFB_MAGIC_NATIVE), LFB_MAGIC_SIZE, hash->key);
}

/* Writes the fields of the identity; `with_key`: the number of the hash says that the key is in the
 * header. */
static void native_encode_identity(const lfb_description *description, bool with_key,
                                   unsigned char *header)
{
  const lfb_geometry *geometry = &description->geometry;
  const lfb_hash_identity *hash = &description->hash;

  lfb_store_le32(header + NATIVE_AT_STRATEGY, description->strategy->file_id);
  lfb_store_le32(header + NATIVE_AT_HASH, native_hash_number(hash->kind, with_key));
  lfb_store_le64(header + NATIVE_AT_BIT_COUNT, geometry->bit_count);
  lfb_store_le64(header + NATIVE_AT_WORD_COUNT, geometry->word_count);
  lfb_store_le32(header + NATIVE_AT_PROBES, geometry->probes);
  lfb_store_le32(header + NATIVE_AT_WORDS_PER_KEY, geometry->words_per_key);
  lfb_store_le64(header + NATIVE_AT_SEED, hash->seed);
  if (lfb_hash_keyed(hash->kind))
    lfb_store_le64(header + NATIVE_AT_KEY_CHECK, native_key_check(hash));
}

void lfb_native_encode_identity(const lfb_description *description,
                                unsigned char header[LFB_NATIVE_HEADER])
{
  native_encode_identity(description, false, header);
}

lfb_status lfb_native_compare_identity(const unsigned char header[LFB_NATIVE_HEADER],
                                       const lfb_description *description)
{
  unsigned char own[LFB_NATIVE_HEADER] = {0};
  static const struct {
    uint32_t at, size;
    lfb_status status;
  } fields[] = {
      {NATIVE_AT_PROBES, 4, LFB_ERROR_PROBES_DIFFER},
      {NATIVE_AT_BIT_COUNT, 16, LFB_ERROR_BIT_COUNT_DIFFERS}, /* and the word count */
      {NATIVE_AT_STRATEGY, 4, LFB_ERROR_STRATEGY_DIFFERS},
      {NATIVE_AT_WORDS_PER_KEY, 4, LFB_ERROR_STRATEGY_DIFFERS},
      {NATIVE_AT_HASH, 4, LFB_ERROR_HASH_DIFFERS},
      {NATIVE_AT_SEED, 8, LFB_ERROR_HASH_DIFFERS},
      {NATIVE_AT_KEY_CHECK, 8, LFB_ERROR_HASH_DIFFERS},
  };

  native_encode_identity(description, false, own);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (memcmp(header + fields[i].at, own + fields[i].at, fields[i].size) != 0)
      return fields[i].status;
  return LFB_OK;
}

/* Reads SOURCE_DATE_EPOCH.   Source  reproducible-builds.org/specs/source-date-epoch */
static bool native_epoch(uint64_t *seconds)
{
  const char *text = secure_getenv("SOURCE_DATE_EPOCH");
  uint64_t value = 0;

  if (text == NULL || text[0] == '\0')
    return false;
  for (; *text >= '0' && *text <= '9'; text++) {
    if (value > INT64_MAX / 100)
      return false;
    value = 10 * value + (uint64_t)(*text - '0');
  }
  *seconds = value;
  return *text == '\0';
}

uint64_t lfb_native_now(void)
{
  uint64_t seconds;

  /* Linux sets no clock to before 1970. */
  return native_epoch(&seconds) ? seconds : (uint64_t)time(NULL);
}

/* A later version may have more types. */
static lfb_key_type native_key_type(unsigned number)
{
  return number <= LFB_KEYS_HEX ? (lfb_key_type)number : LFB_KEYS_UNKNOWN;
}

void lfb_native_encode(const lfb_description *description, uint64_t bits_set, uint64_t now,
                       unsigned char header[LFB_NATIVE_HEADER])
{
  const bool with_key = lfb_description_writes_key(description);

  lfb_head_begin(header, LFB_MAGIC_NATIVE, NATIVE_VERSION);
  native_encode_identity(description, with_key, header);
  if (with_key)
    lfb_hash_key(&description->hash, header + NATIVE_AT_KEY);
  lfb_store_le64(header + NATIVE_AT_INSERTIONS, description->config.expected_insertions);
  lfb_head_store_double(header + NATIVE_AT_FPP, description->config.fpp);
  lfb_store_le64(header + NATIVE_AT_BITS_SET, bits_set);
  lfb_store_le64(header + NATIVE_AT_CREATED, now);
  lfb_store_le32(header + NATIVE_AT_FORMULA, description->config.probes_formula);
  lfb_store_le32(header + NATIVE_AT_CHECKED_BYTES, LFB_CHECKED_BYTES);
  header[NATIVE_AT_KEY_TYPE] = (unsigned char)native_key_type(description->config.key_type);
  lfb_head_end(header);
}

static lfb_status decode_geometry(const unsigned char *header, const lfb_strategy *strategy,
                                  lfb_geometry *geometry)
{
  *geometry = (lfb_geometry){.bit_count = lfb_load_le64(header + NATIVE_AT_BIT_COUNT),
                             .word_count = lfb_load_le64(header + NATIVE_AT_WORD_COUNT),
                             .probes = lfb_load_le32(header + NATIVE_AT_PROBES)};
  geometry->words_per_key = lfb_load_le32(header + NATIVE_AT_WORDS_PER_KEY);
  if (geometry->probes < 1 || geometry->probes > LFB_MAX_PROBES)
    return LFB_ERROR_BAD_PROBES;
  if (geometry->bit_count == 0 || geometry->bit_count > INT64_MAX ||
      geometry->word_count != (geometry->bit_count - 1) / LFB_WORD_BITS + 1)
    return LFB_ERROR_BAD_WORD_COUNT;
  if (lfb_load_le64(header + NATIVE_AT_BITS_SET) > geometry->bit_count)
    return LFB_ERROR_BAD_HEADER;
  return strategy->valid(geometry) ? LFB_OK : LFB_ERROR_BAD_HEADER;
}

static lfb_status decode_config(const unsigned char *header, const lfb_strategy *strategy,
                                lfb_config *config)
{
  const uint64_t fpp = lfb_load_le64(header + NATIVE_AT_FPP);
  const uint32_t formula = lfb_load_le32(header + NATIVE_AT_FORMULA);

  *config = (lfb_config){
      .expected_insertions = lfb_load_le64(header + NATIVE_AT_INSERTIONS),
      .strategy = strategy->id,
      .probes_formula = (lfb_probes_formula)formula,
      .seed = lfb_load_le64(header + NATIVE_AT_SEED),
      .key_type = native_key_type(header[NATIVE_AT_KEY_TYPE]),
  };
  config->fpp = lfb_head_load_double(header + NATIVE_AT_FPP);
  if (formula > LFB_PROBES_GUAVA_CURRENT)
    return LFB_ERROR_BAD_HEADER;
  /* 0 if the filter came from a form without fpp */
  return fpp == 0 || lfb_sizing_check_fpp(config->fpp) == LFB_OK ? LFB_OK
                                                                : LFB_ERROR_BAD_HEADER;
}

static lfb_status decode_keyed(const unsigned char *header, lfb_hash_kind kind,
                               const uint8_t *key, lfb_hash_identity *identity)
{
  if (lfb_load_le64(header + NATIVE_AT_SEED) != 0)
    return LFB_ERROR_BAD_HEADER;
  if (key == NULL)
    return LFB_ERROR_KEY_NEEDED;
  *identity = lfb_hash_with_key(kind, key);
  return native_key_check(identity) == lfb_load_le64(header + NATIVE_AT_KEY_CHECK)
             ? LFB_OK
             : LFB_ERROR_WRONG_KEY;
}

/* Takes the key from the file.  A caller that passes another key has the wrong file. */
static lfb_status decode_with_key(const unsigned char *header, lfb_hash_kind kind,
                                  const uint8_t *key, lfb_hash_identity *identity)
{
  static const uint8_t none[LFB_HASHER_KEY];
  const lfb_status status = decode_keyed(header, kind, header + NATIVE_AT_KEY, identity);

  if (memcmp(header + NATIVE_AT_KEY, none, sizeof none) == 0)
    return LFB_ERROR_BAD_HEADER; /* no filter has this key: a configuration draws one instead */
  if (status == LFB_ERROR_WRONG_KEY)
    return LFB_ERROR_BAD_HEADER; /* the file's key contradicts the file's check value */
  return status == LFB_OK && key != NULL && memcmp(key, header + NATIVE_AT_KEY, 16) != 0
             ? LFB_ERROR_WRONG_KEY
             : status;
}

static lfb_status decode_hash(const unsigned char *header, const lfb_strategy *strategy,
                              uint32_t number, const uint8_t *key, lfb_hash_identity *identity)
{
  const struct native_hash *hash = &native_hashes[number];
  const uint64_t seed = lfb_load_le64(header + NATIVE_AT_SEED);
  const bool chosen = strategy->seeding == LFB_SEED_RANDOM;

  if (chosen != (number != 0))
    return LFB_ERROR_BAD_HEADER;
  if (chosen && lfb_hash_keyed(hash->kind))
    return hash->has_key ? decode_with_key(header, hash->kind, key, identity)
                         : decode_keyed(header, hash->kind, key, identity);
  /* a seed is present exactly if the strategy has one: a seed of 0 would request a random one */
  if ((strategy->seeding == LFB_SEED_NONE) != (seed == 0) ||
      lfb_load_le64(header + NATIVE_AT_KEY_CHECK) != 0)
    return LFB_ERROR_BAD_HEADER;
  *identity = (lfb_hash_identity){chosen ? hash->kind : strategy->hash, seed, {0, 0}};
  return LFB_OK;
}

lfb_status lfb_native_decode(const unsigned char header[LFB_NATIVE_HEADER], const uint8_t *key,
                             lfb_description *description)
{
  lfb_description found = {.strategy = NULL};

  const lfb_status status = lfb_native_decode_any(header, key, &found);
  if (status != LFB_OK && status != LFB_ERROR_KEY_NEEDED)
    return status;
  if (found.strategy != NULL && found.strategy->id == LFB_TAGS)
    return LFB_ERROR_BAD_STRATEGY;
  *description = found;
  return status;
}

lfb_status lfb_native_decode_any(const unsigned char header[LFB_NATIVE_HEADER], const uint8_t *key,
                                 lfb_description *description)
{
  lfb_status status = lfb_head_check(header, LFB_MAGIC_NATIVE, NATIVE_VERSION);
  if (status != LFB_OK)
    return status;
  const uint32_t number = lfb_load_le32(header + NATIVE_AT_HASH);
  if (number >= NATIVE_HASHES ||
      lfb_load_le32(header + NATIVE_AT_CHECKED_BYTES) != LFB_CHECKED_BYTES ||
      !lfb_head_is_whole(header,
                         native_hashes[number].has_key ? NATIVE_AT_RESERVED : NATIVE_AT_KEY))
    return LFB_ERROR_BAD_HEADER;

  const uint32_t file_id = lfb_load_le32(header + NATIVE_AT_STRATEGY);
  const lfb_strategy *strategy =
      file_id > UINT8_MAX ? NULL : lfb_strategy_find_in_file((uint8_t)file_id);
  if (strategy == NULL)
    return file_id == NATIVE_OLD_FAST ? LFB_ERROR_OLD_FAST : LFB_ERROR_BAD_STRATEGY;

  lfb_description found = {.strategy = strategy,
                           .form = LFB_FORM_NATIVE,
                           .written = lfb_load_le64(header + NATIVE_AT_CREATED)};
  status = decode_geometry(header, strategy, &found.geometry);
  if (status == LFB_OK)
    status = decode_config(header, strategy, &found.config);
  found.config.keep_key = native_hashes[number].has_key;
  if (status == LFB_OK)
    status = decode_hash(header, strategy, number, key, &found.hash);
  if (status == LFB_OK || status == LFB_ERROR_KEY_NEEDED)
    *description = found;
  return status;
}
