/* counting_tags.c - the kernels of strategy `tags`, by tags_key.h, and what is done with tables. */
#include "bloom/counting/counting.h"
#include "bloom/counting/tags_key.h"
#include "bloom/strategies/tags_size.h"

enum { TAGS_AHEAD = LFB_LINES_AHEAD / 2 }; /* keys: each has two lines */

/* A put and a removal prefetch both lines for writing: with two threads 15 % less time. */
LFB_INLINE void tags_prefetch(const tags_class *at, bool writes)
{
  for (uint32_t i = 0; i < 2; i++)
    if (writes)
      lfb_prefetch_write((const void *)at->line[i]);
    else
      lfb_prefetch_read((const void *)at->line[i]);
}

/* Puts or removes a key, and counts it. */
LFB_INLINE bool tags_change(const lfb_counting *counting, uint64_t hash, bool remove,
                            uint32_t bits, bool wide)
{
  const tags_class at = tags_class_of(&counting->tags, hash, bits);

  tags_prefetch(&at, true);
  const bool done = remove ? tags_remove(&at, bits, wide)
                           : tags_put(&counting->tags, &at, bits, wide);
  if (done)
    lfb_stripes_add(remove ? &counting->off : &counting->on, 1);
  else if (!remove)
    lfb_stripes_add(&counting->lost, 1);
  return done;
}

/* Calls `change` for each key, or looks for it if that is NULL. */
LFB_INLINE void tags_many(const lfb_counting *counting, lfb_piece hashes, uint64_t *answers,
                          bool (*change)(const lfb_counting *counting, lfb_hash hash, bool remove),
                          bool remove, uint32_t bits, bool wide)
{
  const lfb_tags tags = counting->tags; /* a copy, which no write to `answers` can change */
  uint64_t answer = 0;

  for (size_t i = 0; i < hashes.count + TAGS_AHEAD; i++) {
    if (i < hashes.count) {
      const tags_class ahead = tags_class_of(&tags, hashes.low[i], bits);
      tags_prefetch(&ahead, change != NULL);
    }
    if (i < TAGS_AHEAD)
      continue;
    const size_t key = i - TAGS_AHEAD;
    const tags_class at = tags_class_of(&tags, hashes.low[key], bits);
    const uint64_t yes = change == NULL ? tags_has(&at, bits, wide)
                                        : change(counting, (lfb_hash){hashes.low[key], 0}, remove);
    answer = (key % LFB_WORD_BITS == 0 ? 0 : answer) | yes << key % LFB_WORD_BITS;
    answers[key / LFB_WORD_BITS] = answer;
  }
}

#define TAGS_ROWS(row)                                                         \
  row(tags_16_has, tags_16_change, tags_16_has_many, tags_16_change_many, 16)  \
  row(tags_21_has, tags_21_change, tags_21_has_many, tags_21_change_many, 21)  \
  row(tags_32_has, tags_32_change, tags_32_has_many, tags_32_change_many, 32)
#define TAGS_WIDE_ROWS(row)                                                                    \
  row(tags128_16_has, tags128_16_change, tags128_16_has_many, tags128_16_change_many, 16)      \
  row(tags128_21_has, tags128_21_change, tags128_21_has_many, tags128_21_change_many, 21)      \
  row(tags128_32_has, tags128_32_change, tags128_32_has_many, tags128_32_change_many, 32)
#define TAGS_DEFINE(TARGET, wide, has, change, has_many, change_many, T)                    \
  TARGET static bool has(const lfb_counting *counting, lfb_hash hash)                       \
  {                                                                                         \
    const tags_class at = tags_class_of(&counting->tags, hash.low, T);                      \
    return tags_has(&at, T, wide);                                                          \
  }                                                                                         \
  TARGET static bool change(const lfb_counting *counting, lfb_hash hash, bool remove)       \
  {                                                                                         \
    return tags_change(counting, hash.low, remove, T, wide);                                \
  }                                                                                         \
  TARGET static void has_many(const lfb_counting *counting, lfb_piece hashes, uint64_t *to) \
  {                                                                                         \
    tags_many(counting, hashes, to, NULL, false, T, wide);                                  \
  }                                                                                         \
  TARGET static void change_many(const lfb_counting *counting, lfb_piece hashes,            \
                                 uint64_t *to, bool remove)                                 \
  {                                                                                         \
    tags_many(counting, hashes, to, change, remove, T, wide);                               \
  }
#define TAGS_KERNEL(has, change, has_many, change_many, T) {has, change, has_many, change_many},
#define TAGS_WORDS(...) TAGS_DEFINE(, false, __VA_ARGS__)
#define TAGS_WIDE(...) TAGS_DEFINE(LFB_AVX2_TARGET, true, __VA_ARGS__)
TAGS_ROWS(TAGS_WORDS)
static const lfb_counting_kernel tags_kernels[] = {TAGS_ROWS(TAGS_KERNEL)};
#ifdef LFB_SIMD_X86
TAGS_WIDE_ROWS(TAGS_WIDE)
static const lfb_counting_kernel tags_wide_kernels[] = {TAGS_WIDE_ROWS(TAGS_KERNEL)};
#endif

const lfb_counting_kernel *lfb_tags_kernel(uint32_t bits)
{
  const uint32_t row = bits == 16 ? 0 : bits == 21 ? 1 : 2;

#ifdef LFB_SIMD_X86
  if (lfb_simd_chosen() >= LFB_SIMD_AVX2) /* so it has AVX */
    return &tags_wide_kernels[row];
#endif
  return &tags_kernels[row];
}

/* ---- whole tables -------------------------------------------------------------------- */

_Static_assert((int)LFB_TAGS_LINE == (int)LFB_TAGS_LINE_WORDS, "sizes are those of the table");

uint32_t lfb_tags_of_word(uint64_t word, uint32_t bits)
{
  return tags_slots(bits) - lfb_word_count(tags_equal(word, 0, bits));
}

/* Puts the tags of a word of line `line` into another table. */
static bool tags_put_word(const lfb_counting *into, uint64_t word, uint64_t line, uint64_t *done)
{
  const uint32_t bits = into->description.geometry.probes;

  for (; word != 0; word >>= bits) {
    const uint64_t tag = word & tags_mask(bits);
    if (tag == 0)
      continue;
    const tags_class at = tags_class_in(&into->tags, tag, line);
    if (!tags_put(&into->tags, &at, bits, false))
      return false;
    ++*done;
  }
  return true;
}

__attribute__((cold)) /* compiled for its size */
lfb_status lfb_tags_put_all(const lfb_counting *into, const lfb_counting *from)
{
  const uint64_t words = from->description.geometry.word_count;
  uint64_t done = 0;
  bool fits = true;

  for (uint64_t i = 0; fits && i < words; i++) /* in this order: tags.h */
    fits = tags_put_word(into, lfb_word_get_ordered(&from->tags.words[i]), i / LFB_TAGS_LINE,
                         &done);
  lfb_counting_count_in(&into->on, done);
  return fits ? LFB_OK : LFB_ERROR_FULL;
}
