/* window.c - see window.h. */
#include "fuzz/window.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/outcomes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
  PREFIX = 256, /* bytes before the header, which is as in the native form */
  PREFIX_CHECKSUM = 248,
  GENERATIONS = 16,
  WORDS = 20,
  BY_INSERTIONS = 28,
  BLOCKS = 32,
  SHARED = 88, /* where the words of a shared file are */
  KEYS = 64,
};

/* ---- the form ------------------------------------------------------------------------ */

bool fuzz_window_begins(const fuzz_bytes *file)
{
  return file->size >= 6 && memcmp(file->at, "LFBWIN", 6) == 0 &&
         (file->size < FUZZ_WINDOW_HEADER || fuzz_load64(file->at + SHARED) == 0);
}

/* Bytes of the words that the header announces; a product that overflows is not the size of any
 * file. */
static uint64_t window_words(const fuzz_bytes *file)
{
  return fuzz_load64(file->at + BLOCKS) * ((uint64_t)file->at[GENERATIONS] +
                                           1) * file->at[WORDS] * 8;
}

void fuzz_window_mend(const fuzz_bytes *file, fuzz_mend what)
{
  if (what == FUZZ_MEND_NOTHING || file->size < FUZZ_WINDOW_HEADER)
    return;
  const fuzz_bytes header = {file->at + PREFIX, FUZZ_WINDOW_HEADER - PREFIX};
  fuzz_native_mend(&header, FUZZ_MEND_HEADER);
  fuzz_store64(file->at + PREFIX_CHECKSUM, XXH3_64bits(file->at, PREFIX_CHECKSUM));
  if (what == FUZZ_MEND_ALL)
    fuzz_native_mend_words(file, FUZZ_WINDOW_HEADER, window_words(file) / 8);
}

bool fuzz_window_same(const fuzz_bytes *read, const fuzz_bytes *written)
{
  const fuzz_bytes a = {read->at + PREFIX, read->size - PREFIX};
  const fuzz_bytes b = {written->at + PREFIX, written->size - PREFIX};

  return memcmp(read->at, written->at, PREFIX) == 0 && fuzz_native_same(&a, &b);
}

/* ---- the window ------------------------------------------------------------------------ */

/* Bit i is 1 if the answer for key i is "maybe". */
static uint64_t ask(const lfb_window *window, uint64_t chance)
{
  uint64_t answers = 0, many, keys[KEYS];

  for (uint64_t i = 0; i < KEYS; i++) {
    keys[i] = fuzz_mix(chance + i);
    answers |= (uint64_t)lfb_window_might_contain_u64(window, keys[i]) << i;
  }
  (void)lfb_any_many_u64(fuzz_outcome_any(fuzz_reader_find("window"), window), LFB_MIGHT_CONTAIN,
                         keys, KEYS, &many);
  fuzz_must(many == answers, "one key and many are answered alike");
  return answers;
}

static void check_figures(const lfb_window *window, const fuzz_input *input)
{
  lfb_window_figures figures;

  lfb_window_stats(window, &figures);
  fuzz_must(input->max_bytes == 0 || figures.bytes <= input->max_bytes, "the limit is kept");
  fuzz_must(figures.generation > figures.generations && figures.expected_fpp >= 0 &&
                figures.expected_fpp <= 1 && figures.bit_count <= figures.bytes * 8,
            "the figures are in their ranges");
  for (uint32_t i = 0; i < LFB_WINDOW_LIVE; i++)
    fuzz_must(figures.live[i].bits_set <= (i <= figures.generations ? figures.bit_count : 0),
              "no generation has more bits than there are");
}

static void check_again(const fuzz_reader *reader, const lfb_window *window,
                        const fuzz_bytes *written, uint64_t chance)
{
  lfb_window *again = fuzz_outcome_reread(reader, written);
  fuzz_must(ask(window, chance) == ask(again, chance), "and answers alike");
  lfb_window_free(again);
}

/* Damages the words, or their checksums, of a window. */
static void check_damaged(const fuzz_reader *reader, const lfb_window *whole, uint64_t chance)
{
  const fuzz_bytes bytes = fuzz_outcome_written(reader, whole);

  fuzz_bytes_damage(&bytes, reader->fixed, chance);
  lfb_window *open = fuzz_outcome_damaged(reader, &bytes);
  fuzz_must((ask(whole, chance) & ~ask(open, chance)) == 0, "no damage makes a maybe a no");
  free(bytes.at);
  lfb_window_free(open);
}

/* Puts and claims keys; they are found until G generations later. */
static void check_keys(lfb_window *window, uint64_t chance)
{
  lfb_window_figures figures;

  lfb_window_stats(window, &figures);
  for (uint64_t i = 0; i < KEYS; i++) {
    const uint64_t key = fuzz_mix(chance + i);
    const bool there = lfb_window_might_contain_u64(window, key);
    fuzz_must(lfb_window_claim_u64(window, key) == !there, "the first claim wins");
    fuzz_must(!lfb_window_claim_u64(window, key), "no other does");
    (void)lfb_window_put_u64(window, key);
    fuzz_must(!lfb_window_put_u64(window, key), "a key is new once");
  }
  for (uint32_t i = 0; i <= figures.generations; i++) {
    fuzz_must(ask(window, chance) == UINT64_MAX, "keys are found for the span");
    fuzz_must(lfb_window_advance(window, figures.generation + i) == LFB_OK, "it advances");
  }
}

static void check_window(const fuzz_reader *reader, const fuzz_input *input, void *made,
                         size_t taken, const fuzz_bytes *written)
{
  const fuzz_bytes read = {input->file.at, taken};

  check_figures(made, input);
  /* a window opened damaged has other words now */
  fuzz_must(input->open_damaged || reader->same(&read, written),
            "what was read is what is written");
  check_again(reader, made, written, input->chance);
  check_damaged(reader, made, input->chance);
  if (read.at[BY_INSERTIONS] == 0) /* one that advances by itself may forget all of them */
    check_keys(made, input->chance);
}

const fuzz_kind fuzz_window = {LFB_KIND_WINDOW, check_window};
