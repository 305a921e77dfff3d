/*
 * module.c - fuzzes the parser of the module for Redis: heads and bodies of values, as RDB files,
 * RESTORE and BF.LOADCHUNK give them to it.
 *
 * An input is a flag, a head, and a body.  If the flag is odd, the head's checksum is made to fit.
 * A value that is accepted must work: keys that are added to it are found, and removed if they can
 * be, and it can be written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/module/dump.h"
#include "redis/module/memory.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MAX_BYTES = 1 << 20,
       KEYS = 100 };

/* The module's own counts what Redis' allocator gives. */
uint64_t lfb_memory_tally(void)
{
  return 0;
}

void lfb_memory_tally_reset(uint64_t tally)
{
  (void)tally;
}

void lfb_memory_settle(const lfb_pages *words)
{
  (void)words;
}

static void must(bool holds, const char *what)
{
  if (holds)
    return;
  (void)fprintf(stderr, "module.c: not so: %s\n", what);
  abort();
}

static lfb_status count_bytes(void *to, const void *bytes, size_t size)
{
  (void)bytes;
  *(uint64_t *)to += size;
  return LFB_OK;
}

/* Adds keys, as far as the value takes them, and asks for those; removes them if they can be. */
static void value_use(lfb_value *value)
{
  const bool removable = value->any.kind == LFB_KIND_COUNTING;
  uint64_t answers[(LFB_VALUE_MANY + 63) / 64], put[(LFB_VALUE_MANY + 63) / 64], written = 0;
  uint32_t numbers[KEYS];
  lfb_key keys[KEYS];
  lfb_status refused;
  size_t done;

  for (uint32_t i = 0; i < KEYS; i++) {
    numbers[i] = i;
    keys[i] = (lfb_key){&numbers[i], sizeof numbers[i]};
  }
  (void)lfb_value_add(value, keys, KEYS, MAX_BYTES, put, &done, &refused);
  lfb_value_exist(value, keys, done, answers);
  for (size_t i = 0; i < done; i++)
    must((removable && !lfb_answer(put, i)) || lfb_answer(answers, i),
         "a key that was added is found");
  for (size_t i = 0; removable && i < done; i++) {
    if (!lfb_answer(put, i))
      continue;
    lfb_value_remove(value, &keys[i], 1, answers);
    must(lfb_answer(answers, 0), "a key that was added is removed");
  }
  must(lfb_dump_write_body(value, count_bytes, &written) == LFB_OK && written > 0,
       "an accepted value is written");
  must(lfb_value_capacity(value) > 0, "it has a capacity");
}

/* Reads a value, and uses it.  Its body comes at once, as from an RDB file, or in two chunks, which
 * a chain takes as they come.  Returns whether it could. */
static bool value_read(const unsigned char head[LFB_DUMP_HEAD], const uint8_t *body, size_t size,
                       size_t first, bool chunks)
{
  lfb_dump_state state;
  lfb_value *value;

  if (lfb_dump_read_head(head, LFB_DUMP_HEAD, MAX_BYTES, &state, &value) != LFB_OK)
    return false;
  lfb_status status = LFB_OK;
  if (state != LFB_DUMP_EMPTY) {
    status = chunks ? lfb_dump_begin(value, 1 << 20) : lfb_arrived_create(&value->loading);
    if (status == LFB_OK)
      status = lfb_dump_add(value, MAX_BYTES, body, first);
    if (status == LFB_OK)
      status = lfb_dump_add(value, MAX_BYTES, body + first, size - first);
    if (status == LFB_OK)
      status = lfb_dump_end(value, MAX_BYTES);
  }
  if (status == LFB_OK)
    value_use(value);
  lfb_value_free(value);
  return status == LFB_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  unsigned char head[LFB_DUMP_HEAD];

  if (size < 1 + sizeof head)
    return 0;
  memcpy(head, bytes + 1, sizeof head);
  if (bytes[0] & 1) {
    uint64_t checksum = XXH3_64bits(head, sizeof head - 8);
    for (size_t i = sizeof head - 8; i < sizeof head; i++, checksum >>= 8)
      head[i] = (unsigned char)checksum;
  }
  const uint8_t *body = bytes + 1 + sizeof head;
  const size_t left = size - 1 - sizeof head, first = left * bytes[0] / UINT8_MAX;
  must(value_read(head, body, left, left, false) == value_read(head, body, left, first, true),
       "a value is read alike at once and in chunks");
  return 0;
}
