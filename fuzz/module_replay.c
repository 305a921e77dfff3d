/*
 * module_replay.c - runs module.c on values, and on values with changed bytes: the same in each
 * run.
 *
 * Seen to fail, under AddressSanitizer, with a head accepted that announces a body without layers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/module/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { ROOM = 1 << 20,
       ROUNDS = 3000 };

typedef struct input {
  uint8_t bytes[ROOM];
  size_t size;
} input;

static lfb_status input_take(void *to, const void *bytes, size_t size)
{
  input *made = to;

  if (size > ROOM - made->size)
    return LFB_ERROR_OVER_LIMIT;
  memcpy(made->bytes + made->size, bytes, size);
  made->size += size;
  return LFB_OK;
}

/* Writes a value with keys as an input.  Returns whether it could. */
static bool input_make(input *made, lfb_recipe recipe, int keys)
{
  uint64_t answers[(LFB_VALUE_MANY + 63) / 64];
  lfb_status refused;
  lfb_value *value;
  size_t done;

  if (lfb_recipe_draw(&recipe, LFB_HASH_DEFAULT) != LFB_OK ||
      lfb_value_create(&recipe, 0, &value) != LFB_OK)
    return false;
  for (int i = 0; i < keys; i++)
    (void)lfb_value_add(value, &(lfb_key){&i, sizeof i}, 1, 0, answers, &done, &refused);
  made->bytes[0] = 1;
  lfb_dump_head(value, keys == 0 ? LFB_DUMP_EMPTY : LFB_DUMP_WHOLE, made->bytes + 1);
  made->size = 1 + LFB_DUMP_HEAD;
  const lfb_status status = keys == 0 ? LFB_OK : lfb_dump_write_body(value, input_take, made);
  lfb_value_free(value);
  return status == LFB_OK;
}

/* Runs an input, then with some bytes changed, most of them in the head, or cut. */
static void input_run(const input *made, uint64_t *chance)
{
  static input changed;

  (void)LLVMFuzzerTestOneInput(made->bytes, made->size);
  for (int round = 0; round < ROUNDS; round++) {
    changed = *made;
    for (uint64_t i = 0; i <= (uint64_t)round % 3; i++) {
      *chance = *chance * 6364136223846793005U + 1442695040888963407U;
      const uint64_t drawn = *chance >> 24;
      const size_t range = drawn & 1 ? 1 + LFB_DUMP_HEAD : made->size;
      changed.bytes[(drawn >> 9) % range] ^= (uint8_t)(1U << (drawn >> 1 & 7));
    }
    changed.bytes[0] = (uint8_t)(round | 1); /* also where the chunks are cut */
    if (round % 16 == 0)
      changed.size = (*chance >> 33) % made->size;
    (void)LLVMFuzzerTestOneInput(changed.bytes, changed.size);
  }
}

int main(void)
{
  static const struct {
    lfb_recipe recipe;
    int keys;
  } rows[] = {
      {{.kind = LFB_VALUE_CHAIN, .capacity = 10, .error = 0.1, .expansion = 2}, 0},
      {{.kind = LFB_VALUE_CHAIN, .capacity = 10, .error = 0.1, .expansion = 2}, 40},
      {{.kind = LFB_VALUE_CHAIN, .capacity = 50, .error = 0.01}, 40},
      {{.kind = LFB_VALUE_WINDOW, .capacity = 10, .error = 0.1, .generations = 3}, 40},
      {{.kind = LFB_VALUE_REMOVABLE, .capacity = 50, .error = 0.01, .copies = 2}, 40},
  };
  static input made;
  uint64_t chance = 1;

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!input_make(&made, rows[i].recipe, rows[i].keys)) {
      (void)fprintf(stderr, "module_replay.c: value %zu cannot be made\n", i);
      return 1;
    }
    input_run(&made, &chance);
  }
  return 0;
}
