/*
 * bits.h - a fixed array of bits that many threads may set at once.
 *
 * The words belong to the caller (private pages, a mapped file).  The array owns
 * no memory, so there is nothing to free.
 *
 * An array can also be bytes of a file that no thread writes to: 64-bit words of either byte order,
 * at any address.  Only lfb_bits_read() and the functions on whole arrays read it.
 *
 * Ordering, Progress, Stopped  as lfbloom/word.h states for each word: relaxed,
 *            lock-free, nothing held.
 * Threads    Any function concurrently with any other, on the same array and bit.
 *
 * Source: Guava BloomFilterStrategies.java, LockFreeBitArray.
 */
#ifndef LFB_ATOMIC_BITS_H
#define LFB_ATOMIC_BITS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <lfbloom/word.h>
#include <lfbloom/status.h>

LFB_EXTERN_C_BEGIN

typedef struct lfb_bits {
  uint64_t word_count; /* in 64-bit words, at least 1; never changes   */
  lfb_word *words;     /* bit i is bit (i % 64) of words[i / 64]; NULL: only bytes */
  const unsigned char *bytes; /* of the words                          */
  uint32_t flip; /* words NULL: bit i is bit (i % 8) of bytes[(i / 8) ^ flip]: 7 if big-endian, 0
                    if little-endian                                   */
} lfb_bits;

/* The bit array over `word_count` words, which the caller keeps as long as the array is used. */
static inline lfb_bits lfb_bits_over(lfb_word *words, uint64_t word_count)
{
  assert(word_count > 0);
  lfb_bits bits;
  bits.word_count = word_count;
  bits.words = words;
  bits.bytes = (const unsigned char *)words;
  bits.flip = 0;
  return bits;
}

/* The bit array of `word_count` words that begin at `bytes`, any address, and are only read. */
static inline lfb_bits lfb_bits_of_bytes(const unsigned char *bytes, uint64_t word_count,
                                         bool big_endian)
{
  lfb_bits bits = lfb_bits_over(NULL, word_count);
  bits.bytes = bytes;
  bits.flip = big_endian ? (uint32_t)sizeof(lfb_word) - 1 : 0;
  return bits;
}

/* Sets bit `index`, below 64 * word_count.  Returns whether this call turned it on. */
static inline bool lfb_bits_set(const lfb_bits *bits, uint64_t index)
{
  assert(index / LFB_WORD_BITS < bits->word_count);
  return lfb_word_set(&bits->words[index / LFB_WORD_BITS],
                      UINT64_C(1) << (index % LFB_WORD_BITS)) != 0;
}

/* Sets the bits of `mask` in word `word`.  Returns how many of them this call turned on. */
static inline uint32_t lfb_bits_set_mask(const lfb_bits *bits, uint64_t word, uint64_t mask)
{
  assert(word < bits->word_count);
  return lfb_word_count(lfb_word_set(&bits->words[word], mask));
}

/* Returns the current value of word `word`, below word_count. */
static inline uint64_t lfb_bits_word(const lfb_bits *bits, uint64_t word)
{
  assert(word < bits->word_count);
  return lfb_word_get(&bits->words[word]);
}

/* The same, also of bytes. */
static inline uint64_t lfb_bits_read(const lfb_bits *bits, uint64_t word)
{
  const bool big_endian_here = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  uint64_t value;

  if (bits->words != NULL)
    return lfb_bits_word(bits, word);
  assert(word < bits->word_count);
  memcpy(&value, bits->bytes + word * sizeof value, sizeof value);
  return (bits->flip != 0) == big_endian_here ? value : __builtin_bswap64(value);
}

/*
 * Turns on every bit of `into` that is on in `from`, or in `from` folded to the size of `into`.
 *
 * Takes   from  f times as many words as `into` has, f at least 1.
 *         run   words that stay together; divides the words of `into`.  Run i of `into` receives
 *               the runs f * i to f * i + f - 1 of `from`.
 *         full  receives how many words of `into` this call made all ones because `from` has all
 *               ones there.  Of concurrent calls at most one counts a word.
 * Returns how many bits this call turned on in `into`.
 * Order   the call copies all bits of `from` that were set before it, and some of
 *         those that are set during it.
 */
uint64_t lfb_bits_or_from(const lfb_bits *into, const lfb_bits *from, uint64_t run,
                          uint64_t *full);

/* Returns how many bits are set.  While other threads set bits, each word counts as of the time
 * when it is read. */
uint64_t lfb_bits_count(const lfb_bits *bits);

/* Copies `count` words from word `first` on into `words`, each as of the time when it is read. */
void lfb_bits_snapshot(const lfb_bits *bits, uint64_t first, uint64_t *words, size_t count);

LFB_EXTERN_C_END

#endif
