/* growing.c - see growing.h. */
#include "fuzz/growing.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/outcomes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
  /* the time, which differs in each writing, and what is ignored, which is zeros then */
  CREATED = 40,
  CREATED_END = 112,
  CHECKSUM = 248,
  NATIVE_HEADER = 256,
  NATIVE_WORD_COUNT = 32,
  MIB = 1 << 20,
  KEYS = 64,
  MORE_KEYS = 1500, /* more than the smallest first layer takes */
};

/* ---- the form ------------------------------------------------------------------------ */

bool fuzz_growing_begins(const fuzz_bytes *file)
{
  return file->size >= 6 && memcmp(file->at, "LFBGRO", 6) == 0;
}

/* Returns the layer that begins at `*at`, and sets `*at` to the start of the next one.  If the file
 * has no room for the words that the layer claims, returns an empty one. */
static fuzz_bytes next_layer(const fuzz_bytes *file, size_t *at)
{
  const fuzz_bytes none = {NULL, 0};
  const size_t room = file->size - *at;

  if (room < NATIVE_HEADER)
    return none;
  const uint64_t claimed = fuzz_load64(file->at + *at + NATIVE_WORD_COUNT);
  if (claimed > room / 8)
    return none;
  const size_t words = (size_t)claimed * 8;
  const size_t size = NATIVE_HEADER + words + (words + MIB - 1) / MIB * 8 + 8;
  const fuzz_bytes layer = {file->at + *at, size < room ? size : room};
  *at += layer.size;
  return layer;
}

void fuzz_growing_mend(const fuzz_bytes *file, fuzz_mend what)
{
  size_t at = FUZZ_GROWING_HEADER;

  if (what == FUZZ_MEND_NOTHING || file->size < FUZZ_GROWING_HEADER)
    return;
  fuzz_store64(file->at + CHECKSUM, XXH3_64bits(file->at, CHECKSUM));
  for (size_t last = 0; at != last;) {
    const fuzz_bytes rest = {file->at + at, file->size - at};
    fuzz_native_mend(&rest, what);
    last = at;
    (void)next_layer(file, &at);
  }
}

bool fuzz_growing_same(const fuzz_bytes *read, const fuzz_bytes *written)
{
  size_t a = FUZZ_GROWING_HEADER, b = FUZZ_GROWING_HEADER;

  if (read->size != written->size || memcmp(read->at, written->at, CREATED) != 0 ||
      memcmp(read->at + CREATED_END, written->at + CREATED_END, CHECKSUM - CREATED_END) != 0)
    return false;
  while (a < read->size) {
    const fuzz_bytes one = next_layer(read, &a), other = next_layer(written, &b);
    if (one.size == 0 || one.size != other.size || !fuzz_native_same(&one, &other))
      return false;
  }
  return true;
}

/* ---- the filter ------------------------------------------------------------------------ */

/* Queries KEYS numbers, which `chance` chooses; returns one bit for each. */
static uint64_t growing_ask(const lfb_growing *growing, uint64_t chance)
{
  uint64_t keys[KEYS], many = 0, one = 0;

  for (uint64_t i = 0; i < KEYS; i++) {
    keys[i] = fuzz_mix(chance + i);
    one |= (uint64_t)lfb_growing_might_contain_u64(growing, keys[i]) << i;
  }
  (void)lfb_any_many_u64(fuzz_outcome_any(fuzz_reader_find("growing"), growing), LFB_MIGHT_CONTAIN,
                         keys, KEYS, &many);
  fuzz_must(one == many, "many at a time are answered as one by one");
  return one;
}

static lfb_growing_figures check_figures(const lfb_growing *growing, const fuzz_input *input)
{
  lfb_growing_figures figures;

  lfb_growing_stats(growing, &figures);
  fuzz_must(figures.layers >= 1 && figures.layers <= LFB_GROWING_LAYERS &&
                figures.first_insertions >= LFB_GROWING_LEAST && figures.fpp > 0 &&
                figures.fpp < 1 && figures.bits_set <= figures.bit_count &&
                figures.bytes >= (figures.bit_count - 1) / 8 + 1 && figures.expected_fpp >= 0 &&
                figures.expected_fpp <= 1,
            "the figures fit one another");
  fuzz_must(figures.strategy != LFB_GO_FNV14, "what has one size does not grow");
  fuzz_must(input->max_bytes == 0 || figures.bytes <= input->max_bytes, "the limit is kept");
  return figures;
}

static void growing_put(lfb_growing *growing, uint64_t chance)
{
  uint64_t keys[KEYS];

  for (uint64_t i = 0; i < KEYS; i++) {
    const uint64_t key = keys[i] = fuzz_mix(chance + i);
    const bool there = lfb_growing_might_contain_u64(growing, key);
    const bool first = i % 2 == 0 ? lfb_growing_put_u64(growing, key)
                                  : lfb_growing_claim_u64(growing, key);
    fuzz_must(first == !there, "put and claim say whether a key is new");
  }
  for (uint64_t i = 0; i < MORE_KEYS; i++)
    (void)lfb_growing_put_u64(growing, fuzz_mix(~chance + i));
  const lfb_any any = fuzz_outcome_any(fuzz_reader_find("growing"), growing);
  fuzz_must(lfb_any_many_u64(any, LFB_PUT, keys, KEYS, NULL) == 0, "nothing is new twice");
  fuzz_must(growing_ask(growing, chance) == UINT64_MAX, "what was put is found");
}

static void check_copy(const fuzz_reader *reader, const lfb_growing *growing,
                       const fuzz_bytes *written)
{
  lfb_any copy;

  fuzz_must(lfb_any_copy(fuzz_outcome_any(reader, growing), &copy) == LFB_OK, "it copies");
  fuzz_outcome_check_written(reader, copy.growing, written, "a copy is written alike");
  lfb_any_free(copy);
}

static void check_again(const fuzz_reader *reader, const lfb_growing *growing,
                        const fuzz_bytes *written, uint64_t chance)
{
  lfb_growing *again = fuzz_outcome_reread(reader, written);

  fuzz_must(growing_ask(growing, chance) == growing_ask(again, chance), "and answers alike");
  lfb_growing_free(again);
}

/* Damages the words of the first layer, or their checksums, of a filter with keys. */
static void check_damaged(const fuzz_reader *reader, const lfb_growing *whole, uint64_t chance)
{
  const fuzz_bytes bytes = fuzz_outcome_written(reader, whole);
  size_t at = FUZZ_GROWING_HEADER;
  const fuzz_bytes layer = next_layer(&bytes, &at);

  fuzz_bytes_damage(&layer, NATIVE_HEADER, chance);
  lfb_growing *open = fuzz_outcome_damaged(reader, &bytes);
  fuzz_must((growing_ask(whole, chance) & ~growing_ask(open, chance)) == 0,
            "no damage makes a maybe a no");
  lfb_growing_free(open);
  free(bytes.at);
}

static void check_growing(const fuzz_reader *reader, const fuzz_input *input, void *made,
                          size_t taken, const fuzz_bytes *written)
{
  const fuzz_bytes read = {input->file.at, taken};
  lfb_growing *growing = made;
  const lfb_growing_figures figures = check_figures(growing, input);

  (void)growing_ask(growing, input->chance);
  /* a filter opened damaged has other words now */
  fuzz_must(input->open_damaged || fuzz_growing_same(&read, written),
            "what was read is what is written");
  check_again(reader, growing, written, input->chance);
  check_copy(reader, growing, written);
  growing_put(growing, input->chance);
  lfb_growing_figures now;
  lfb_growing_stats(growing, &now);
  fuzz_must(now.layers >= figures.layers && now.bits_set >= figures.bits_set, "it only grows");
  check_damaged(reader, growing, input->chance);
}

const fuzz_kind fuzz_growing = {LFB_KIND_GROWING, check_growing};
