/* keys.c - makes the keys of a stream. */
#include "bench/keys.h"

/* The most bytes of a key. */
static const size_t keys_sizes[] = {
    [LFB_KEYS_NUMBERS] = sizeof(uint64_t),
    [LFB_KEYS_UUIDS] = LFB_UUID_SIZE,
};

bool lfb_keys_init(lfb_keys *keys, lfb_keys_kind kind, size_t count)
{
  const size_t refs_size = kind == LFB_KEYS_UUIDS ? count * sizeof *keys->refs : 0;
  lfb_pages memory;

  if (lfb_pages_init(&memory, refs_size + count * keys_sizes[kind], true) != LFB_OK)
    return false;
  char *start = memory.address;
  *keys = (lfb_keys){.kind = kind, .count = count, .memory = memory};
  if (kind == LFB_KEYS_NUMBERS) {
    keys->numbers = memory.address;
  } else {
    keys->refs = memory.address;
    keys->texts = start + refs_size;
  }
  return true;
}

void lfb_keys_free(lfb_keys *keys)
{
  if (keys->memory.address != NULL)
    lfb_pages_free(&keys->memory);
  *keys = (lfb_keys){.kind = keys->kind};
}

/* Writes the UUID of these 128 bits, as version 4: xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx. */
static void keys_uuid(char text[LFB_UUID_SIZE], uint64_t high, uint64_t low)
{
  static const char digits[] = "0123456789abcdef";
  const uint64_t halves[2] = {(high & ~UINT64_C(0xf000)) | UINT64_C(0x4000),
                              low >> 2 | UINT64_C(1) << 63};
  size_t at = 0;

  for (unsigned i = 0; i < 32; i++) {
    if (i == 8 || i == 12 || i == 16 || i == 20)
      text[at++] = '-';
    text[at++] = digits[halves[i / 16] >> (60 - 4 * (i % 16)) & 15];
  }
}

static void keys_fill_numbers(lfb_keys *keys, uint64_t first)
{
  for (size_t i = 0; i < keys->count; i++)
    keys->numbers[i] = lfb_keys_number(first + i);
}

static void keys_fill_uuids(lfb_keys *keys, uint64_t first)
{
  for (size_t i = 0; i < keys->count; i++) {
    char *text = keys->texts + LFB_UUID_SIZE * i;
    const uint64_t half = 2 * (first + i);
    keys_uuid(text, lfb_keys_number(half), lfb_keys_number(half + 1));
    keys->refs[i] = (lfb_key){text, LFB_UUID_SIZE};
  }
}

void lfb_keys_fill(lfb_keys *keys, uint64_t first)
{
  switch (keys->kind) {
  case LFB_KEYS_NUMBERS: keys_fill_numbers(keys, first); break;
  case LFB_KEYS_UUIDS: keys_fill_uuids(keys, first); break;
  }
}
