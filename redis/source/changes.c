/* changes.c - writes and reads the list of keys that a version adds. */
#include "redis/source/changes.h"

enum {
  CHANGES_HEAD = 24,     /* bytes of the three counts              */
  CHANGES_AT_ONCE = 256, /* numbers or keys passed to a sink at once */
};

/* ---- writing ----------------------------------------------------------------- */

uint64_t lfb_changes_size(const lfb_redis_changes *changes)
{
  uint64_t left = LFB_REDIS_CHANGES_SIZE - CHANGES_HEAD;

  if (changes->u64_count > left / 8 || changes->hash_count > (left - 8 * changes->u64_count) / 8)
    return UINT64_MAX;
  left -= 8 * (changes->u64_count + changes->hash_count);
  for (size_t i = 0; i < changes->key_count; i++) {
    if (left < 4 || changes->keys[i].size > left - 4)
      return UINT64_MAX;
    left -= 4 + changes->keys[i].size;
  }
  return LFB_REDIS_CHANGES_SIZE - left;
}

static void changes_write_number(lfb_wire *wire, uint64_t number, size_t size)
{
  unsigned char bytes[8];

  for (size_t i = 0; i < size; i++)
    bytes[i] = (unsigned char)(number >> 8 * i);
  lfb_wire_raw(wire, bytes, size);
}

static void changes_write_all(lfb_wire *wire, const uint64_t *numbers, size_t count)
{
  for (size_t i = 0; i < count; i++)
    changes_write_number(wire, numbers[i], 8);
}

void lfb_changes_write(const lfb_redis_changes *changes, lfb_wire *wire)
{
  changes_write_number(wire, changes->key_count, 8);
  changes_write_number(wire, changes->u64_count, 8);
  changes_write_number(wire, changes->hash_count, 8);
  changes_write_all(wire, changes->u64s, changes->u64_count);
  changes_write_all(wire, changes->hashes, changes->hash_count);
  for (size_t i = 0; i < changes->key_count; i++) {
    changes_write_number(wire, changes->keys[i].size, 4);
    lfb_wire_raw(wire, changes->keys[i].bytes, changes->keys[i].size);
  }
}

/* ---- reading ----------------------------------------------------------------- */

typedef struct changes_reading {
  const unsigned char *at;
  size_t left;
  lfb_keys_sink *sink;
} changes_reading;

/* Reads the next number; the caller has checked that `size` bytes are left. */
static uint64_t changes_take(changes_reading *reading, size_t size)
{
  uint64_t number = 0;

  for (size_t i = 0; i < size; i++)
    number |= (uint64_t)reading->at[i] << 8 * i;
  reading->at += size;
  reading->left -= size;
  return number;
}

typedef lfb_status (*changes_give)(lfb_keys_sink *sink, const uint64_t *numbers, size_t count);

static lfb_status changes_give_numbers(changes_reading *reading, uint64_t count,
                                       changes_give give)
{
  uint64_t some[CHANGES_AT_ONCE];
  lfb_status status = LFB_OK;

  if (count > reading->left / 8)
    return LFB_ERROR_NO_CHANGES;
  while (status == LFB_OK && count != 0) {
    const size_t now = count < CHANGES_AT_ONCE ? (size_t)count : (size_t)CHANGES_AT_ONCE;
    for (size_t i = 0; i < now; i++)
      some[i] = changes_take(reading, 8);
    status = give(reading->sink, some, now);
    count -= now;
  }
  return status;
}

/* Reads the next key; false if the list ends inside it. */
static bool changes_take_key(changes_reading *reading, lfb_key *key)
{
  if (reading->left < 4)
    return false;
  const size_t size = (size_t)changes_take(reading, 4);
  if (size > reading->left)
    return false;
  *key = (lfb_key){reading->at, size};
  reading->at += size;
  reading->left -= size;
  return true;
}

static lfb_status changes_give_keys(changes_reading *reading, uint64_t count)
{
  lfb_key some[CHANGES_AT_ONCE];
  lfb_status status = LFB_OK;

  while (status == LFB_OK && count != 0) {
    const size_t now = count < CHANGES_AT_ONCE ? (size_t)count : (size_t)CHANGES_AT_ONCE;
    for (size_t i = 0; i < now; i++)
      if (!changes_take_key(reading, &some[i]))
        return LFB_ERROR_NO_CHANGES;
    status = lfb_keys_give(reading->sink, some, now);
    count -= now;
  }
  return status;
}

lfb_status lfb_changes_give(const void *bytes, size_t size, lfb_keys_sink *sink)
{
  changes_reading reading = {bytes, size, sink};

  if (size < CHANGES_HEAD)
    return LFB_ERROR_NO_CHANGES;
  const uint64_t keys = changes_take(&reading, 8), u64s = changes_take(&reading, 8),
                 hashes = changes_take(&reading, 8);
  lfb_status status = changes_give_numbers(&reading, u64s, lfb_keys_give_u64);
  if (status == LFB_OK)
    status = changes_give_numbers(&reading, hashes, lfb_keys_give_hash);
  if (status == LFB_OK)
    status = changes_give_keys(&reading, keys);
  return status == LFB_OK && reading.left != 0 ? LFB_ERROR_NO_CHANGES : status;
}
