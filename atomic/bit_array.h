/*
 * bit_array.h - bits in words of 64 that many threads set at once, and the striped count of those
 * that are on: Guava's LockFreeBitArray.  Every strategy keeps a filter's bits in one.
 *
 * Counting  lfb_bit_array_set() and _put_all() count what they turn on.  A kernel turns on a key's
 *           bits by lfb_bit_array_or_*(); its caller adds their number once, afterwards.  So the
 *           count is exact while no call runs, and never above the truth.
 * Progress  Each reads first.  If a bit is off, it exchanges the word or pair, and again only if
 *           another thread turned on a bit there: at most 64 times, or 128.  The loops are
 *           lfb_word_set_seen_by() (lfbloom/word.h) and lfb_pair_set_seen_by() (words/pair.h).
 * Ordering  Words are relaxed; an addition to the count is a release, the sum an acquire.
 * Stopped   A thread that stops inside holds nothing; what it has not added stays uncounted.
 * Threads   Any calls at once, on the same array and bit, except lfb_bit_array_free().
 * Bytes     An array can also be bytes of a file that no thread writes to, at any address, without
 *           a count: for lfb_bit_array_read() and the functions on whole arrays.
 *
 * Source: Guava BloomFilterStrategies.java, LockFreeBitArray (there sequentially consistent).
 */
#ifndef LFB_ATOMIC_BIT_ARRAY_H
#define LFB_ATOMIC_BIT_ARRAY_H

#include <assert.h>
#include <string.h>

#include <lfbloom/bit_array.h>
#include <lfbloom/word.h>
#include "atomic/threads/stripes.h"
#include "atomic/words/pair.h"

LFB_EXTERN_C_BEGIN

struct lfb_bit_array {
  lfb_stripes count;   /* of the bits that are on */
  lfb_word *words;     /* bit i is bit (i % 64) of words[i / 64]; NULL: only bytes */
  uint64_t word_count; /* in 64-bit words, at least 1; never changes */
  const unsigned char *bytes; /* of the words */
  uint32_t flip; /* words NULL: bit i is bit (i % 8) of bytes[(i / 8) ^ flip]: 7 if big-endian */
};

enum { LFB_OR_MOST = 8, LFB_PAIRS_MOST = 4 }; /* bits, and pairs, that a call changes */

/* The array over words and stripes of the caller, and over bytes. */
static inline lfb_bit_array lfb_bit_array_over(lfb_word *words, uint64_t word_count,
                                               lfb_stripes count)
{
  return (lfb_bit_array){count, words, word_count, (const unsigned char *)words, 0};
}

static inline lfb_bit_array lfb_bit_array_of_bytes(const unsigned char *bytes, uint64_t word_count,
                                                   bool big_endian)
{
  const uint32_t flip = big_endian ? (uint32_t)sizeof(lfb_word) - 1 : 0;
  return (lfb_bit_array){{NULL, 0, 0}, NULL, word_count, bytes, flip};
}

/* Returns the current value of word `word`, below word_count: wait-free. */
static inline uint64_t lfb_bit_array_word(const lfb_bit_array *array, uint64_t word)
{
  assert(word < array->word_count);
  return lfb_word_get(&array->words[word]);
}

/* The same, also of bytes. */
static inline uint64_t lfb_bit_array_read(const lfb_bit_array *array, uint64_t word)
{
  uint64_t value;

  assert(word < array->word_count);
  if (array->words != NULL)
    return lfb_word_get(&array->words[word]);
  memcpy(&value, array->bytes + word * sizeof value, sizeof value);
  const bool swaps = (array->flip != 0) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
  return swaps ? __builtin_bswap64(value) : value;
}

/* Counts bits that the caller has turned on before, by a release: never above the truth.  Returns
 * whether it is one. */
LFB_INLINE bool lfb_bit_array_add(const lfb_bit_array *array, uint64_t turned_on)
{
  if (turned_on == 0)
    return false;
  lfb_stripes_add(&array->count, turned_on);
  return true;
}

/* Turns on the bits of `mask` in word `word`.  Returns how many this call turned on. */
LFB_INLINE uint32_t lfb_bit_array_or(const lfb_bit_array *array, uint64_t word, uint64_t mask)
{
  assert(word < array->word_count);
  return lfb_word_count(lfb_word_set(&array->words[word], mask));
}

/* The same in a pair of words, all bits at once. */
LFB_INLINE uint32_t lfb_bit_array_or_pair(lfb_word *pair, lfb_two mask)
{
  return lfb_two_count(lfb_pair_set_seen(pair, lfb_pair_get(pair), mask));
}

/* The same in up to LFB_PAIRS_MOST pairs.  It reads all before it writes the first: a locked
 * operation delays the loads after it, so loads in between would add their latency. */
LFB_INLINE uint32_t lfb_bit_array_or_pairs(lfb_word *const *pair, const lfb_two *mask,
                                           uint32_t count)
{
  lfb_two seen[LFB_PAIRS_MOST];
  uint32_t turned_on = 0;

  LFB_EACH(i, 0, count, 1, seen[i] = lfb_pair_get(pair[i]));
  LFB_EACH(i, 0, count, 1,
           turned_on += lfb_two_count(lfb_pair_set_seen(pair[i], seen[i], mask[i])));
  return turned_on;
}

/* Up to LFB_OR_MOST bits anywhere, and the words that were read for them. */
typedef struct lfb_bits_read { uint64_t index[LFB_OR_MOST], seen[LFB_OR_MOST]; } lfb_bits_read;

/* Reads bit `index` as number i of `bits`.  Returns 1 << i if it is off, or 0, without a branch. */
LFB_INLINE uint32_t lfb_bit_array_missing(const lfb_bit_array *array, uint64_t index, uint32_t i,
                                          lfb_bits_read *bits)
{
  const uint64_t seen = lfb_bit_array_word(array, index / LFB_WORD_BITS);
  bits->index[i] = index;
  bits->seen[i] = seen;
  return (uint32_t)(~(seen >> (index % LFB_WORD_BITS)) & 1) << i;
}

/* Turns on the bits i that are on in `missing`.  A loop over them, not a test of each: one
 * mispredicted branch, not several. */
LFB_INLINE uint32_t lfb_bit_array_or_bits(const lfb_bit_array *array, const lfb_bits_read *bits,
                                          uint32_t missing)
{
  lfb_word *const words = array->words;
  uint32_t turned_on = 0;

  for (; missing != 0; missing &= missing - 1) {
    const uint32_t i = (uint32_t)__builtin_ctz(missing);
    const uint64_t index = bits->index[i], mask = UINT64_C(1) << (index % LFB_WORD_BITS);
    turned_on += lfb_word_set_seen(&words[index / LFB_WORD_BITS], bits->seen[i], mask) != 0;
  }
  return turned_on;
}

/* Puts `from`, folded to the size of `into`, into `into`, and counts.  `from` has f times as many
 * words.  Run i of `into`, of `run` words, receives the runs f * i to f * i + f - 1 of `from`.
 * `alone`: no other thread sees `into`, and all its bits are in `from`.  Returns how many words it
 * made all ones because they are so in `from`; of concurrent calls at most one counts a word. */
uint64_t lfb_bit_array_put_from(lfb_bit_array *into, const lfb_bit_array *from, uint64_t run,
                                bool alone);

/* Copies `count` words from word `first` on, each as of the time when it is read, in order. */
void lfb_bit_array_snapshot(const lfb_bit_array *array, uint64_t first, uint64_t *to, size_t count);

LFB_EXTERN_C_END

#endif
