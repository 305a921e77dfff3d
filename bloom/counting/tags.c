/*
 * tags.c - the kernels of strategy `tags`, by tags_key.h, and what is done with whole tables.
 */
#include "bloom/counting/counting.h"
#include "bloom/counting/tags_key.h"
#include "bloom/strategies/tags_size.h"

enum { TAGS_AHEAD = LFB_LINES_AHEAD / 2 }; /* keys: each has two lines */

/* ---- the operations on keys ---------------------------------------------------------- */

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

#define TAGS_KERNEL(name, TARGET, T, wide)                                                      \
  TARGET static bool name##_has(const lfb_counting *counting, lfb_hash hash)                    \
  {                                                                                             \
    const tags_class at = tags_class_of(&counting->tags, hash.low, T);                          \
    return tags_has(&at, T, wide);                                                              \
  }                                                                                             \
  TARGET static bool name##_change(const lfb_counting *counting, lfb_hash hash, bool remove)    \
  {                                                                                             \
    return tags_change(counting, hash.low, remove, T, wide);                                    \
  }                                                                                             \
  TARGET static void name##_has_many(const lfb_counting *counting, lfb_piece hashes,            \
                                     uint64_t *answers)                                         \
  {                                                                                             \
    tags_many(counting, hashes, answers, NULL, false, T, wide);                                 \
  }                                                                                             \
  TARGET static void name##_change_many(const lfb_counting *counting, lfb_piece hashes,         \
                                        uint64_t *answers, bool remove)                         \
  {                                                                                             \
    tags_many(counting, hashes, answers, name##_change, remove, T, wide);                       \
  }                                                                                             \
  static const lfb_counting_kernel name##_kernel = {name##_has, name##_change, name##_has_many, \
                                                    name##_change_many};
TAGS_KERNEL(tags_16, , 16, false)
TAGS_KERNEL(tags_21, , 21, false)
TAGS_KERNEL(tags_32, , 32, false)
#ifdef LFB_SIMD_X86
TAGS_KERNEL(tags_16_wide, LFB_AVX2_TARGET, 16, true)
TAGS_KERNEL(tags_21_wide, LFB_AVX2_TARGET, 21, true)
TAGS_KERNEL(tags_32_wide, LFB_AVX2_TARGET, 32, true)
#endif

const lfb_counting_kernel *lfb_tags_kernel(uint32_t bits)
{
#ifdef LFB_SIMD_X86
  if (lfb_simd_chosen() >= LFB_SIMD_AVX2) /* so it has AVX */
    return bits == 16 ? &tags_16_wide_kernel : bits == 21 ? &tags_21_wide_kernel
                                                          : &tags_32_wide_kernel;
#endif
  return bits == 16 ? &tags_16_kernel : bits == 21 ? &tags_21_kernel : &tags_32_kernel;
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

lfb_status lfb_tags_put_all(const lfb_counting *into, const lfb_counting *from)
{
  const uint64_t words = from->description.geometry.word_count;
  const lfb_geometry *geometry = &into->description.geometry;
  uint64_t done = 0;
  bool fits = true;

  if ((lfb_counting_bits_set(into) + lfb_counting_bits_set(from)) / geometry->probes >
      lfb_tags_planned(geometry, into->description.config.copies))
    return LFB_ERROR_FULL;
  for (uint64_t i = 0; fits && i < words; i++) /* in this order: tags.h */
    fits = tags_put_word(into, lfb_word_get_ordered(&from->tags.words[i]), i / LFB_TAGS_LINE,
                         &done);
  lfb_counting_count_in(&into->on, done);
  return fits ? LFB_OK : LFB_ERROR_FULL;
}
