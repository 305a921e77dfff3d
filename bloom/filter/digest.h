/*
 * digest.h - the checksum of the words of a form, and the number of bits that are set in them.
 *
 * Threads   No other thread writes to the words.   Progress  wait-free.
 */
#ifndef LFB_BLOOM_DIGEST_H
#define LFB_BLOOM_DIGEST_H

#include <lfbloom/status.h>
#include <stddef.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

/* XXH3-64, seed 0, of `size` bytes. */
uint64_t lfb_digest_xxh3(const void *bytes, size_t size);

/* Returns how many bits of `count` words are set. */
uint64_t lfb_digest_bits(const uint64_t *words, size_t count);

/* The same for processors with AVX2, in builds with LFB_SIMD_X86 (simd.h). */
uint64_t lfb_digest256_xxh3(const void *bytes, size_t size);
uint64_t lfb_digest256_bits(const uint64_t *words, size_t count);

LFB_EXTERN_C_END

#endif
