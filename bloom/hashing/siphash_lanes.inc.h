/*
 * siphash_lanes.inc.h - template: SipHash-1-3 of many keys, one in each lane of a vector.
 *
 * Before including it, define
 *
 *   SIP_TARGET  the target attribute of its functions
 *   SIP_(noun)  the name of an inlined function: sip512_##noun
 *   SIP_BYTES_MANY, SIP_U64_MANY, SIP_ROW
 *               names for the functions and the row (hash_function.h)
 *   SIP_LANES   the number of 64-bit lanes
 *   SIP_BUSY    the lanes that must be busy on average if keys differ in size: with fewer, keys
 *               are faster one by one
 *   SIP_VECTOR  a vector of SIP_LANES words
 *   SIP_ROTATE(a, by)
 *   SIP_SET(word_of)  the words word_of(0) to word_of(SIP_LANES - 1)
 *   SIP_ABOVE(a, b, yes, no)  yes in lanes where a is above b, no in the others; below 2^63
 */

#include "bloom/hashing/siphash_state.inc.h"

SIP_TARGET LFB_INLINE SIP_VECTOR SIP_(load)(const uint64_t *words)
{
  SIP_VECTOR vector;
  memcpy(&vector, words, sizeof vector);
  return vector;
}

SIP_TARGET LFB_INLINE SIP_(state) SIP_(start)(const uint64_t key[2])
{
  const lfb_sip one = lfb_sip_start(key);
  SIP_(state) sip;

  LFB_UNROLL
  for (int i = 0; i < 4; i++)
    sip.v[i] = (SIP_VECTOR){0} + one.v[i];
  return sip;
}

SIP_TARGET static void SIP_U64_MANY(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                                    uint64_t *low, uint64_t *high)
{
  const SIP_(state) start = SIP_(start)(hasher->identity.key);
  const SIP_VECTOR last = (SIP_VECTOR){0} + lfb_sip_last(0, sizeof *keys);
  size_t i = 0;

  for (; i + SIP_LANES <= count; i += SIP_LANES) {
    SIP_(state) sip = start;
    SIP_(block)(&sip, SIP_(load)(&keys[i]));
    const SIP_VECTOR hashes = SIP_(finish)(sip, last);
    memcpy(&low[i], &hashes, sizeof hashes);
  }
  _mm256_zeroupper(); /* simd.h */
  siphash_u64_many(hasher, keys + i, count - i, low + i, high);
}

/* Adds the last blocks of SIP_LANES keys, and finishes. */
SIP_TARGET LFB_INLINE void SIP_(finish_keys)(SIP_(state) sip, const lfb_key *keys, uint64_t *low)
{
  uint64_t last[SIP_LANES];

  LFB_UNROLL
  for (size_t j = 0; j < SIP_LANES; j++)
    last[j] = lfb_sip_last_of(keys[j].bytes, keys[j].size, keys[j].size);
  const SIP_VECTOR hashes = SIP_(finish)(sip, SIP_(load)(last));
  memcpy(low, &hashes, sizeof hashes);
}

/* The hashes of SIP_LANES keys with the same number of blocks. */
SIP_TARGET LFB_INLINE void SIP_(equal)(const lfb_hasher *hasher, const lfb_key *keys, uint64_t *low)
{
  const size_t blocks = keys[0].size / 8;
  SIP_(state) sip = SIP_(start)(hasher->identity.key);

#define WORD(j) lfb_load_le64((const unsigned char *)keys[j].bytes + 8 * i)
  for (size_t i = 0; i < blocks; i++)
    SIP_(block)(&sip, SIP_SET(WORD));
#undef WORD
  SIP_(finish_keys)(sip, keys, low);
}

/* The hashes of SIP_LANES keys, the longest of which has `most` blocks. */
SIP_TARGET LFB_INLINE void SIP_(mixed)(const lfb_hasher *hasher, const lfb_key *keys, size_t most,
                                       uint64_t *low)
{
  static const unsigned char none[8];
  const unsigned char *at[SIP_LANES]; /* with something to read, also for a key without a block */
  uint64_t blocks[SIP_LANES];
  SIP_(state) sip = SIP_(start)(hasher->identity.key);

  LFB_UNROLL
  for (size_t j = 0; j < SIP_LANES; j++) {
    blocks[j] = keys[j].size / 8;
    at[j] = blocks[j] == 0 ? none : keys[j].bytes;
  }
  const SIP_VECTOR all = SIP_(load)(blocks);
#define WORD(j) lfb_load_le64(at[j] + (i < blocks[j] ? 8 * i : 0))
  for (size_t i = 0; i < most; i++) {
    const SIP_(state) before = sip;
    SIP_(block)(&sip, SIP_SET(WORD));
    LFB_UNROLL
    for (int k = 0; k < 4; k++)
      sip.v[k] = SIP_ABOVE(all, (SIP_VECTOR){0} + i, sip.v[k], before.v[k]);
  }
#undef WORD
  SIP_(finish_keys)(sip, keys, low);
}

SIP_TARGET static void SIP_BYTES_MANY(const lfb_hasher *hasher, const lfb_key *keys, size_t count,
                                      uint64_t *low, uint64_t *high)
{
  size_t i = 0;

  for (; i + SIP_LANES <= count; i += SIP_LANES) {
    const size_t first = keys[i].size / 8;
    size_t most = 0, sum = 0, differ = 0;
    LFB_UNROLL
    for (size_t j = 0; j < SIP_LANES; j++) {
      const size_t blocks = keys[i + j].size / 8;
      most = blocks > most ? blocks : most;
      sum += blocks;
      differ |= blocks ^ first;
    }
    if (differ == 0)
      SIP_(equal)(hasher, &keys[i], &low[i]);
    else if (sum >= SIP_BUSY * most)
      SIP_(mixed)(hasher, &keys[i], most, &low[i]);
    else
      siphash_bytes_many(hasher, &keys[i], SIP_LANES, &low[i], NULL);
  }
  _mm256_zeroupper(); /* simd.h */
  siphash_bytes_many(hasher, keys + i, count - i, low + i, high);
}

const lfb_hash_function SIP_ROW = {
    .bytes = siphash_bytes,
    .u64 = siphash_u64,
    .bytes_many = SIP_BYTES_MANY,
    .u64_many = SIP_U64_MANY,
    .absorb = siphash_absorb,
    .finish = siphash_finish,
};

#undef SIP_TARGET
#undef SIP_
#undef SIP_LANES
#undef SIP_BUSY
#undef SIP_VECTOR
#undef SIP_BYTES_MANY
#undef SIP_U64_MANY
#undef SIP_ROW
#undef SIP_ROTATE
#undef SIP_SET
#undef SIP_ABOVE
