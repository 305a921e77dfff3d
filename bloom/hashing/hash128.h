/*
 * hash128.h - the AES hash with all of its 16 bytes, for a set that keeps hashes in place of keys.
 *
 * aes.h states the hash; its first 8 bytes are those of a filter.  Two keys of up to 15 bytes never
 * have the same hash; docs/hash.md bounds the probability of it for longer ones.
 *
 * Threads  Any number of threads may hash at once.
 */
#ifndef LFB_BLOOM_HASH128_H
#define LFB_BLOOM_HASH128_H

#include <lfbloom/sink.h>
#include <stddef.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

enum { LFB_HASH128_KEY = 16 }; /* bytes of a key */

typedef struct lfb_hasher lfb_hash128;

/* Returns the hash with this key, for the caller to free(); NULL if there is no memory. */
lfb_hash128 *lfb_hash128_create(const uint8_t key[LFB_HASH128_KEY]);

/* Writes the hashes of `count` keys as two arrays of halves. */
void lfb_hash128_many(const lfb_hash128 *hash, const lfb_key *keys, size_t count, uint64_t *low,
                      uint64_t *high);

LFB_EXTERN_C_END

#endif
