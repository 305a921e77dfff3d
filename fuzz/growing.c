/* growing.c - see growing.h. */
#include "fuzz/growing.h"

#include <lfbloom/growing.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/outcomes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
  CREATED = 40, /* of the writing, not of the filter */
  CREATED_END = 48,
  CHECKSUM = 248,
  NATIVE_HEADER = 256,
  NATIVE_WORD_COUNT = 32,
  MIB = 1 << 20,
  KEYS = 64,
  MORE_KEYS = 1500, /* above what the smallest first layer takes */
};

/* ---- the form ------------------------------------------------------------------------ */

bool fuzz_growing_begins(const fuzz_bytes *file)
{
  return file->size >= 6 && memcmp(file->at, "LFBGRO", 6) == 0;
}

/* The layer that begins at `*at`, and in `*at` where the next one does; of no size where the
 * file has no room for what it claims. */
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

static fuzz_bytes growing_written(const lfb_growing *growing)
{
  fuzz_gathered all = {{NULL, 0}, 0};

  fuzz_must(lfb_growing_write(growing, fuzz_bytes_gather, &all) == LFB_OK, "it can be written");
  return fuzz_bytes_gathered(&all);
}

static void check_written_as(const lfb_growing *growing, const fuzz_bytes *other, const char *what)
{
  const fuzz_bytes bytes = growing_written(growing);

  fuzz_must(fuzz_growing_same(other, &bytes), what);
  free(bytes.at);
}

/* ---- its use --------------------------------------------------------------------------- */

/* What it says of KEYS hashes, which `chance` chooses; a bit for each. */
static uint64_t growing_ask(const lfb_growing *growing, uint64_t chance)
{
  uint64_t hashes[KEYS], many = 0, one = 0;

  for (uint64_t i = 0; i < KEYS; i++) {
    hashes[i] = fuzz_mix(chance + i);
    one |= (uint64_t)lfb_growing_might_contain_hash(growing, hashes[i]) << i;
  }
  (void)lfb_growing_might_contain_many_hash(growing, hashes, KEYS, &many);
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
  fuzz_must(lfb_label_check(lfb_growing_label(growing)) == LFB_OK, "the label is one");
  return figures;
}

static void growing_put(lfb_growing *growing, uint64_t chance)
{
  uint64_t hashes[KEYS];

  for (uint64_t i = 0; i < KEYS; i++) {
    const uint64_t hash = hashes[i] = fuzz_mix(chance + i);
    const bool there = lfb_growing_might_contain_hash(growing, hash);
    const bool first = i % 2 == 0 ? lfb_growing_put_hash(growing, hash)
                                  : lfb_growing_claim_hash(growing, hash);
    fuzz_must(first == !there, "put and claim say whether a key is new");
  }
  for (uint64_t i = 0; i < MORE_KEYS; i++)
    (void)lfb_growing_put_hash(growing, fuzz_mix(~chance + i));
  fuzz_must(lfb_growing_put_many_hash(growing, hashes, KEYS, NULL) == 0, "nothing is new twice");
  fuzz_must(growing_ask(growing, chance) == UINT64_MAX, "what was put is found");
}

static void check_copy(const lfb_growing *growing, const fuzz_bytes *written)
{
  lfb_growing *copy;

  fuzz_must(lfb_growing_copy(growing, &copy) == LFB_OK, "it copies");
  check_written_as(copy, written, "a copy is written alike");
  lfb_growing_free(copy);
}

static void check_again(const fuzz_reader *reader, const lfb_growing *growing,
                        const fuzz_bytes *written, uint64_t chance)
{
  const fuzz_outcome again = fuzz_outcome_again(reader, *written, false);

  fuzz_must(again.status == LFB_OK && again.taken == written->size &&
                again.damage.count == 0 && again.damage.bits_missing == 0,
            "what was written reads again, whole");
  fuzz_must(growing_ask(growing, chance) == growing_ask(again.made, chance),
            "and answers alike");
  check_written_as(again.made, written, "and is written alike");
  lfb_growing_free(again.made);
}

/* One with keys in it whose layers' words, or their checksums, are damaged in a byte. */
static void check_damaged(const fuzz_reader *reader, const lfb_growing *whole, uint64_t chance)
{
  const fuzz_bytes bytes = growing_written(whole);
  size_t at = FUZZ_GROWING_HEADER;
  const fuzz_bytes layer = next_layer(&bytes, &at);
  const size_t body = layer.size - NATIVE_HEADER;

  layer.at[NATIVE_HEADER + (size_t)(fuzz_mix(chance) % body)] ^=
      (unsigned char)(1 + fuzz_mix(chance + 1) % 255);
  const fuzz_outcome refused = fuzz_outcome_again(reader, bytes, false);
  fuzz_must(refused.status == LFB_ERROR_BAD_CHECKSUM && refused.damage.count > 0,
            "damage is found");
  const fuzz_outcome open = fuzz_outcome_again(reader, bytes, true);
  fuzz_must(open.status == LFB_OK, "damaged words open");
  fuzz_must((growing_ask(whole, chance) & ~growing_ask(open.made, chance)) == 0,
            "no damage makes a maybe a no");
  lfb_growing_free(open.made);
  free(bytes.at);
}

static void check_made(const fuzz_reader *reader, const fuzz_input *input,
                       const fuzz_outcome *seen, const fuzz_bytes *written)
{
  const fuzz_bytes read = {input->file.at, seen->taken};
  lfb_growing *growing = seen->made;
  const lfb_growing_figures figures = check_figures(growing, input);

  (void)growing_ask(growing, input->chance);
  /* of a damaged one, the words are others now */
  fuzz_must(input->open_damaged || fuzz_growing_same(&read, written),
            "what was read is what is written");
  check_again(reader, growing, written, input->chance);
  check_copy(growing, written);
  growing_put(growing, input->chance);
  lfb_growing_figures now;
  lfb_growing_stats(growing, &now);
  fuzz_must(now.layers >= figures.layers && now.bits_set >= figures.bits_set, "it only grows");
  check_damaged(reader, growing, input->chance);
}

/* Every other way gives what the first gave; `written`: NULL if it was refused. */
static void check_ways(const fuzz_reader *reader, const fuzz_input *input,
                       const fuzz_outcome *first, const fuzz_bytes *written)
{
  for (const fuzz_way *way = reader->ways + 1; way->read != NULL; way++) {
    const fuzz_outcome seen = fuzz_outcome_of(way, input);
    fuzz_outcome_check_same(way, input, first, &seen);
    if (seen.status == LFB_OK && written != NULL)
      check_written_as(seen.made, written, "all ways to read give one filter");
    lfb_growing_free(seen.made);
  }
}

bool fuzz_growing_check(const fuzz_reader *reader, const fuzz_input *input, lfb_status *status)
{
  const fuzz_outcome first = fuzz_outcome_of(reader->ways, input);
  const bool ours = reader->begins(&input->file);

  *status = first.status;
  if (ours)
    fuzz_outcome_check_damage(reader, input, &first);
  if (ours && first.status != LFB_OK)
    fuzz_outcome_check_refused(reader, &first);
  if (first.status != LFB_OK) {
    check_ways(reader, input, &first, NULL);
    return ours;
  }
  const fuzz_bytes written = growing_written(first.made);
  check_ways(reader, input, &first, &written);
  check_made(reader, input, &first, &written);
  free(written.at);
  lfb_growing_free(first.made);
  return ours;
}
