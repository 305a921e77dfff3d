/* row_siphash.c - the rows of SipHash-1-3. */
#include "bloom/hashing/hasher.h"

static lfb_hash siphash_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  return (lfb_hash){lfb_siphash13(bytes, size, hasher->identity.key), 0};
}

static lfb_hash siphash_u64(const lfb_hasher *hasher, uint64_t key)
{
  return (lfb_hash){lfb_siphash13_u64(key, hasher->identity.key), 0};
}

static void siphash_bytes_many(const lfb_hasher *hasher, const lfb_key *keys, size_t count,
                               uint64_t *low, uint64_t *high)
{
  lfb_hash_each_bytes(hasher, keys, count, low, high, siphash_bytes);
}

static void siphash_u64_many(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                             uint64_t *low, uint64_t *high)
{
  lfb_hash_each_u64(hasher, keys, count, low, high, siphash_u64);
}

static void siphash_absorb(lfb_hash_stream *stream, const unsigned char *groups, size_t count)
{
  const unsigned char *const end = groups + count * LFB_HASH_GROUP;
  lfb_sip sip =
      stream->groups == 0 ? lfb_sip_start(stream->hasher->identity.key) : stream->state.sip;

  for (; groups < end; groups += 8)
    lfb_sip_block(&sip, lfb_load_le64(groups));
  stream->state.sip = sip;
}

static lfb_hash siphash_finish(lfb_hash_stream *stream, const unsigned char *rest, size_t left,
                               uint64_t size)
{
  return (lfb_hash){lfb_sip_rest(stream->state.sip, rest, left, size), 0};
}

const lfb_hash_function lfb_hash_siphash13 = {
    .bytes = siphash_bytes,
    .u64 = siphash_u64,
    .bytes_many = siphash_bytes_many,
    .u64_many = siphash_u64_many,
    .absorb = siphash_absorb,
    .finish = siphash_finish,
};

#ifdef LFB_HASH_X86
#include <immintrin.h>

#define SIP_TARGET LFB_AVX2_TARGET
#define SIP_(noun) sip256_##noun
#define SIP_LANES 4
#define SIP_BUSY 2
#define SIP_VECTOR __m256i
#define SIP_BYTES_MANY siphash_bytes_many_256
#define SIP_U64_MANY siphash_u64_many_256
#define SIP_ROW lfb_hash_siphash13_256

/* Rotates each word by whole bytes: by 16 bits. */
#define SIP_BYTES _mm256_set_epi8(13, 12, 11, 10, 9, 8, 15, 14, 5, 4, 3, 2, 1, 0, 7, 6, \
                                  13, 12, 11, 10, 9, 8, 15, 14, 5, 4, 3, 2, 1, 0, 7, 6)

#define SIP_ALL(word) _mm256_set1_epi64x(word)
#define SIP_LOAD(words) _mm256_loadu_si256((const __m256i *)(const void *)(words))
#define SIP_STORE(words, vector) _mm256_storeu_si256((__m256i *)(void *)(words), vector)
#define SIP_SET(word_of) _mm256_set_epi64x(word_of(3), word_of(2), word_of(1), word_of(0))
#define SIP_ADD(a, b) _mm256_add_epi64(a, b)
#define SIP_XOR(a, b) _mm256_xor_si256(a, b)
#define SIP_ROTATE(a, by)                           \
  ((by) == 32   ? _mm256_shuffle_epi32(a, 0xb1)     \
   : (by) == 16 ? _mm256_shuffle_epi8(a, SIP_BYTES) \
                : _mm256_or_si256(_mm256_slli_epi64(a, by), _mm256_srli_epi64(a, 64 - (by))))
#define SIP_ABOVE(a, b, yes, no) _mm256_blendv_epi8(no, yes, _mm256_cmpgt_epi64(a, b))
#include "bloom/hashing/siphash_lanes.inc.h"

#define SIP_TARGET LFB_AVX512_TARGET
#define SIP_(noun) sip512_##noun
#define SIP_LANES 8
#define SIP_BUSY 3
#define SIP_VECTOR __m512i
#define SIP_BYTES_MANY siphash_bytes_many_512
#define SIP_U64_MANY siphash_u64_many_512
#define SIP_ROW lfb_hash_siphash13_512

#define SIP_ALL(word) _mm512_set1_epi64(word)
#define SIP_LOAD(words) _mm512_loadu_si512(words)
#define SIP_STORE(words, vector) _mm512_storeu_si512(words, vector)
#define SIP_SET(word_of)                                                       \
  _mm512_set_epi64(word_of(7), word_of(6), word_of(5), word_of(4), word_of(3), \
                   word_of(2), word_of(1), word_of(0))
#define SIP_ADD(a, b) _mm512_add_epi64(a, b)
#define SIP_XOR(a, b) _mm512_xor_si512(a, b)
#define SIP_ROTATE(a, by) _mm512_rol_epi64(a, by)
#define SIP_ABOVE(a, b, yes, no) _mm512_mask_mov_epi64(no, _mm512_cmpgt_epi64_mask(a, b), yes)
#include "bloom/hashing/siphash_lanes.inc.h"
#undef SIP_BYTES
#endif
