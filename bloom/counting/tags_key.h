/*
 * tags_key.h - the operations on one key of a table of tags (tags.h).
 *
 * `bits` is T, a constant wherever speed matters.  `wide`: a line is read in units of 16 bytes,
 * which the processor must have AVX for.
 *
 * Units  A processor with AVX reads 16 aligned bytes by (V)MOVDQA in one access (Intel SDM volume
 *        3A, 9.1.1; AMD64 APM volume 2, 7.3.2), and x86-64 keeps the order of loads.  The load is
 *        inline assembly: a compiler may fold a load of C into the memory operand of a comparison,
 *        for which no processor promises this.  Under ThreadSanitizer a unit is two loads of words,
 *        in order, which the proof allows, too.
 */
#ifndef LFB_BLOOM_TAGS_KEY_H
#define LFB_BLOOM_TAGS_KEY_H

#include <assert.h>
#include <stdbool.h>

#include "bloom/counting/tags.h"

#ifndef LFB_MODEL
#include "bloom/hashing/simd.h"
#endif
#ifdef LFB_SIMD_X86
#include <immintrin.h>
#endif

/* ---- slots of a word ----------------------------------------------------------------- */

/* The slots of a word. */
LFB_INLINE uint32_t tags_slots(uint32_t bits)
{
  return LFB_WORD_BITS / bits;
}

/* A slot's bits, at the bottom of a word. */
LFB_INLINE uint64_t tags_mask(uint32_t bits)
{
  return (UINT64_C(1) << bits) - 1;
}

/* A word with 1 in each slot. */
LFB_INLINE uint64_t tags_ones(uint32_t bits)
{
  return bits == 16   ? UINT64_C(0x0001000100010001)
         : bits == 21 ? UINT64_C(0x0000040000200001)
                      : UINT64_C(0x0000000100000001);
}

/* The top bit of each slot. */
LFB_INLINE uint64_t tags_tops(uint32_t bits)
{
  return tags_ones(bits) << (bits - 1);
}

/* The top bit of each slot that has the tag. */
LFB_INLINE uint64_t tags_equal(uint64_t word, uint64_t tag, uint32_t bits)
{
  const uint64_t x = word ^ tag * tags_ones(bits), tops = tags_tops(bits);
  return ~(((x & ~tops) + (tops - tags_ones(bits))) | x) & tops;
}

/* ---- a key's class ------------------------------------------------------------------- */

/* A tag, and its lines. */
typedef struct tags_class {
  uint64_t tag;
  lfb_word *line[2]; /* A and B */
} tags_class;

/* How far the line B of a tag is after its line A. */
LFB_INLINE uint64_t tags_distance(const lfb_tags *tags, uint64_t tag)
{
  return lfb_multiply_high(tag * UINT64_C(0x9e3779b97f4a7c15), tags->half);
}

/* The class of a tag with line A number `a`. */
LFB_INLINE tags_class tags_class_at(const lfb_tags *tags, uint64_t tag, uint64_t a)
{
  const uint64_t sum = a + tags_distance(tags, tag), less = sum - tags->half;
  const uint64_t b = sum < less ? sum : less; /* less is huge if sum is below half */
  const tags_class at = {
      tag, {tags->words + LFB_TAGS_LINE * a, tags->words + LFB_TAGS_LINE * (tags->half + b)}};
  return at;
}

/* The class of a tag that is in line `line` of all. */
LFB_INLINE tags_class tags_class_in(const lfb_tags *tags, uint64_t tag, uint64_t line)
{
  const uint64_t back = line - tags_distance(tags, tag); /* from half + b: it may be a + half */
  const uint64_t a = line < tags->half ? line : back < tags->half ? back : back - tags->half;
  return tags_class_at(tags, tag, a);
}

LFB_INLINE tags_class tags_class_of(const lfb_tags *tags, uint64_t hash, uint32_t bits)
{
  const uint64_t low = hash & tags_mask(bits);
  return tags_class_at(tags, low + (low == 0), lfb_multiply_high(hash, tags->half));
}

/* ---- looking at a line --------------------------------------------------------------- */

/* What a look at a line finds: how many slots hold a tag, and the first of them. */
typedef struct tags_seen {
  uint32_t count, slot;
} tags_seen;

#ifdef LFB_SIMD_X86
/* Reads unit `i` of a line (head of this file).  volatile: in this order. */
LFB_INLINE __m128i tags_unit(const lfb_word *line, size_t i)
{
#ifdef LFB_THREAD_SANITIZER
  const uint64_t low = lfb_word_get_ordered(&line[2 * i]);
  const uint64_t high = lfb_word_get_ordered(&line[2 * i + 1]);
  return _mm_set_epi64x((long long)high, (long long)low);
#else
  const __m128i *at = (const __m128i *)(const void *)&line[2 * i];
  __m128i unit;
  __asm__ volatile("vmovdqa %1, %0" : "=x"(unit) : "m"(*at));
  return unit;
#endif
}

/* tags_equal() of two words; with T = 16 and 32 all bits of such a slot. */
LFB_INLINE __m128i tags_unit_equal(const lfb_word *line, size_t i, __m128i tag, uint32_t bits)
{
  const __m128i unit = tags_unit(line, i), x = _mm_xor_si128(unit, tag);
  const __m128i tops = _mm_set1_epi64x((long long)tags_tops(bits));
  const __m128i most = _mm_set1_epi64x((long long)(tags_tops(bits) - tags_ones(bits)));
  if (bits == 16)
    return _mm_cmpeq_epi16(unit, tag);
  if (bits == 32)
    return _mm_cmpeq_epi32(unit, tag);
  return _mm_andnot_si128(_mm_or_si128(_mm_add_epi64(_mm_andnot_si128(tops, x), most), x), tops);
}

/* With T = 21 the four units' top bits are moved to bits 17 to 20 of each slot: bit 17 + i is that
 * of unit i. */
LFB_INLINE tags_seen tags_seen_in_21(__m128i a, __m128i b, __m128i c, __m128i d)
{
  const __m128i all = _mm_or_si128(_mm_or_si128(_mm_srli_epi64(a, 3), _mm_srli_epi64(b, 2)),
                                   _mm_or_si128(_mm_srli_epi64(c, 1), d));
  const uint64_t low = (uint64_t)_mm_cvtsi128_si64(all);
  const uint64_t high = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(all, all));
  const uint64_t either = low | high, units = (either | either >> 21 | either >> 42) >> 17 & 15;
  const uint32_t unit = (uint32_t)__builtin_ctzll(units | 16);
  const uint64_t in_low = low >> (17 + unit) & tags_ones(21);
  const uint64_t in_high = high >> (17 + unit) & tags_ones(21);
  const uint64_t in = in_low != 0 ? in_low : in_high;
  return (tags_seen){
      (uint32_t)(__builtin_popcountll(low) + __builtin_popcountll(high)),
      6 * unit + (in_low != 0 ? 0 : 3) + (uint32_t)__builtin_ctzll(in | UINT64_C(1) << 63) / 21};
}

LFB_INLINE tags_seen tags_look_wide(const lfb_word *line, uint64_t tag, uint32_t bits)
{
  const uint64_t word = tag * tags_ones(bits);
  const __m128i t = _mm_set1_epi64x((long long)word);
  const __m128i a = tags_unit_equal(line, 0, t, bits), b = tags_unit_equal(line, 1, t, bits);
  const __m128i c = tags_unit_equal(line, 2, t, bits), d = tags_unit_equal(line, 3, t, bits);
  uint32_t slots;

  if (bits == 21)
    return tags_seen_in_21(a, b, c, d);
  if (bits == 16)
    slots = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b)) |
            (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(c, d)) << 16;
  else
    slots = (uint32_t)_mm_movemask_epi8(
        _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
  return (tags_seen){(uint32_t)__builtin_popcountll(slots),
                     (uint32_t)__builtin_ctzll(slots | UINT64_C(1) << 32)};
}

/* Whether one of the class's slots has its tag. */
LFB_INLINE bool tags_has_wide(const tags_class *at, uint32_t bits)
{
  const uint64_t word = at->tag * tags_ones(bits);
  const __m128i tag = _mm_set1_epi64x((long long)word);
  __m128i any = _mm_setzero_si128();

  LFB_UNROLL
  for (uint32_t i = 0; i < 8; i++)
    any = _mm_or_si128(any, tags_unit_equal(at->line[i / 4], i % 4, tag, bits));
  return _mm_movemask_epi8(_mm_cmpeq_epi8(any, _mm_setzero_si128())) != 0xffff;
}
#endif

/* Looks for a tag in a line, each word once, in order; 0 for free slots. */
LFB_INLINE tags_seen tags_look(const lfb_word *line, uint64_t tag, uint32_t bits, bool wide)
{
  const uint32_t slots = tags_slots(bits);
  uint64_t first = 0, sum = 0;
  uint32_t at = 0;

#ifdef LFB_SIMD_X86
  if (wide)
    return tags_look_wide(line, tag, bits);
#endif
  (void)wide;
  for (uint32_t i = 0; i < LFB_TAGS_LINE; i++) {
    const uint64_t equal = tags_equal(lfb_word_get_ordered(&line[i]), tag, bits);
    at = first == 0 ? i : at;
    first = first == 0 ? equal : first;
    sum += equal >> (bits - 1); /* slot by slot */
  }
  return (tags_seen){(uint32_t)(sum * tags_ones(bits) >> bits * (slots - 1) & tags_mask(bits)),
                     slots * at + (uint32_t)__builtin_ctzll(first | UINT64_C(1) << 63) / bits};
}

/* ---- one slot ------------------------------------------------------------------------ */

LFB_INLINE uint64_t tags_slot(const lfb_word *line, uint32_t slot, uint32_t bits)
{
  const uint32_t slots = tags_slots(bits);
  return lfb_word_get_ordered(&line[slot / slots]) >> bits * (slot % slots) & tags_mask(bits);
}

/* Changes a slot from one value to the other; one of them is 0.  Returns false if the slot has
 * another value, or another thread changed its word. */
LFB_INLINE bool tags_exchange(lfb_word *line, uint32_t slot, uint64_t from, uint64_t to,
                              uint32_t bits)
{
  const uint32_t slots = tags_slots(bits), shift = bits * (slot % slots);
  lfb_word *word = &line[slot / slots];
  uint64_t seen = lfb_word_get_ordered(word);

  /* seq_cst: in one order with the looks. */
  return (seen >> shift & tags_mask(bits)) == from &&
         lfb_cas_u64(word, &seen, seen ^ (from ^ to) << shift, LFB_STD memory_order_seq_cst);
}

/* ---- the operations ------------------------------------------------------------------ */

/* Whether a key of the class may be present. */
LFB_INLINE bool tags_has(const tags_class *at, uint32_t bits, bool wide)
{
  const uint64_t ones = tags_ones(bits), tag = at->tag * ones;
  uint64_t found = 0;

#ifdef LFB_SIMD_X86
  if (wide)
    return tags_has_wide(at, bits);
#endif
  (void)wide;
  LFB_UNROLL
  for (uint32_t i = 0; i < 2 * LFB_TAGS_LINE; i++) {
    const uint64_t x = lfb_word_get_ordered(&at->line[i / LFB_TAGS_LINE][i % LFB_TAGS_LINE]) ^ tag;
    found |= (x - ones) & ~x; /* exact up to the first slot that is 0 */
  }
  return (found & tags_tops(bits)) != 0;
}

/* Takes the first copy.  Returns false if there is none: nothing changed. */
LFB_INLINE bool tags_remove(const tags_class *at, uint32_t bits, bool wide)
{
  for (;;) {
    tags_seen seen[2];
    seen[0] = tags_look(at->line[0], at->tag, bits, wide);
    seen[1] = tags_look(at->line[1], at->tag, bits, wide);
    const uint32_t which = seen[0].count == 0;
    if (seen[which].count == 0)
      return false;
    /* If it fails, it looks again from the first word: going on would miss keys. */
    if (tags_exchange(at->line[which], seen[which].slot, at->tag, 0, bits))
      return true;
  }
}

/*
 * Makes room in a full line A: moves one of its tags to that tag's own line B.  It is called so
 * rarely that all kernels share it.
 *
 * Returns true if a slot may be free now, false if none of the tags can move.
 */
static __attribute__((noinline, cold, unused)) bool tags_move(const lfb_tags *tags, lfb_word *line,
                                                uint32_t bits)
{
  const uint64_t a = (uint64_t)(line - tags->words) / LFB_TAGS_LINE;

  for (uint32_t slot = 0; slot < LFB_TAGS_LINE * tags_slots(bits); slot++) {
    const uint64_t tag = tags_slot(line, slot, bits);
    if (tag == 0)
      return true;
    const tags_class its = tags_class_at(tags, tag, a);
    const tags_seen room = tags_look(its.line[1], 0, bits, false);
    if (room.count == 0)
      continue;
    if (!tags_exchange(its.line[1], room.slot, 0, tag, bits))
      return true; /* another thread was faster: the put looks again */
    while (!tags_exchange(line, slot, tag, 0, bits))
      if (tags_slot(line, slot, bits) != tag) {
        (void)tags_remove(&its, bits, false); /* a removal took that copy: one is too many */
        break;
      }
    return true;
  }
  return false;
}

/* Stores one copy more.  Returns false if it saw no free slot: no answer has changed. */
LFB_INLINE bool tags_put(const lfb_tags *tags, const tags_class *at, uint32_t bits, bool wide)
{
  for (;;) {
    tags_seen room[2];
    room[0] = tags_look(at->line[0], 0, bits, wide);
    room[1] = tags_look(at->line[1], 0, bits, wide);
    const uint32_t which = room[1].count > room[0].count;
    if (__builtin_expect(room[which].count == 0, 0)) {
      if (!tags_move(tags, at->line[0], bits))
        return false;
    } else if (tags_exchange(at->line[which], room[which].slot, 0, at->tag, bits)) {
      return true;
    }
  }
}

#endif
