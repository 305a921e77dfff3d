/*
 * digest.h - the checksum of the words of a form, and the number of bits that are set in them.
 *
 * Threads   Others may write only words that lfb_digest_copy() reads.   Progress  wait-free.
 */
#ifndef LFB_BLOOM_DIGEST_H
#define LFB_BLOOM_DIGEST_H

#include <lfbloom/status.h>
#include <lfbloom/word.h>
#include <stddef.h>

LFB_EXTERN_C_BEGIN

/* XXH3-64, seed 0, of `size` bytes. */
uint64_t lfb_digest_xxh3(const void *bytes, size_t size);

/* Copies `count` words to memory that no other thread sees; `to` may be NULL.  Returns how many
 * bits are set in what it read: one walk, since a second one would wait for memory again. */
uint64_t lfb_digest_copy(lfb_word *to, const lfb_word *from, size_t count);

LFB_INLINE uint64_t lfb_digest_copy_here(lfb_word *to, const lfb_word *from, size_t count)
{
  uint64_t set = 0;

  for (size_t i = 0; i < count; i++) {
    const uint64_t word = lfb_word_get(&from[i]);
    if (to != NULL)
      lfb_word_store_alone(&to[i], word);
    set += lfb_word_count(word);
  }
  return set;
}

/* Returns how many bits of `count` words are set. */
static inline uint64_t lfb_digest_bits(const uint64_t *words, size_t count)
{
  return lfb_digest_copy(NULL, (const lfb_word *)(const void *)words, count);
}

/* The same for processors with AVX2, in builds with LFB_SIMD_X86 (simd.h). */
uint64_t lfb_digest256_xxh3(const void *bytes, size_t size);
uint64_t lfb_digest256_copy(lfb_word *to, const lfb_word *from, size_t count);

LFB_EXTERN_C_END

#endif
