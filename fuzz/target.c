/*
 * target.c - makes an input from libFuzzer's bytes, for the reader named LFB_FUZZ_READER.
 */
#include "fuzz/target.h"

#include <stdlib.h>

#include "fuzz/properties.h"

enum {
  DAMAGED = 1,
  KEY = 2,
  FAILS = 4,
  LIMITED = 8,
  UNASKED = 16,
  MENDED = 64,
  MENDED_ALL = 128,
  PADDED = 248, /* the first value of byte 3 that asks for zeros */
};

/* Eight times this has room for the words of go-fnv14, 4 MiB. */
#define PADDING ((size_t)576 << 10)

static uint64_t reached[LFB_ERROR_BITS_LOST + 1]; /* LFB_ERROR_BITS_LOST is the highest status */

const fuzz_reader *fuzz_target(void)
{
  const fuzz_reader *reader = fuzz_reader_find(LFB_FUZZ_READER);

  fuzz_must(reader != NULL, "the target names a reader");
  return reader;
}

uint64_t fuzz_reached(lfb_status status)
{
  return reached[status];
}

static fuzz_mend controls_mend(uint8_t flags)
{
  if ((flags & MENDED) == 0)
    return FUZZ_MEND_NOTHING;
  return (flags & MENDED_ALL) == 0 ? FUZZ_MEND_HEADER : FUZZ_MEND_ALL;
}

static fuzz_input input_make(const uint8_t controls[FUZZ_CONTROLS], const uint8_t *file,
                             size_t size)
{
  const uint8_t flags = controls[0], zeros = controls[3];
  const size_t padding = zeros < PADDED ? 0 : (size_t)(zeros - PADDED + 1) * PADDING;

  return (fuzz_input){
      .file = fuzz_bytes_copy(file, size, size + padding),
      .open_damaged = (flags & DAMAGED) != 0,
      .with_key = (flags & KEY) != 0,
      .fails_at_end = (flags & FAILS) != 0,
      .wants_damage = (flags & UNASKED) == 0,
      .longest_piece = controls[1],
      .max_bytes = (flags & LIMITED) != 0 ? UINT64_C(64) << (controls[2] & 15) : 0,
      .chance = fuzz_load64(controls) >> 32,
  };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const fuzz_reader *reader = fuzz_target();
  lfb_status status;

  if (size < FUZZ_CONTROLS)
    return -1;
  const fuzz_input input = input_make(data, data + FUZZ_CONTROLS, size - FUZZ_CONTROLS);
  if (reader->mend != NULL)
    reader->mend(&input.file, controls_mend(data[0]));
  const bool ours = fuzz_check(reader, &input, &status);
  free(input.file.at);
  reached[status] += ours;
  return ours ? 0 : -1;
}
