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

typedef uint64_t sip256 __attribute__((vector_size(32)));

#define SIP_TARGET LFB_AVX2_TARGET
#define SIP_(noun) sip256_##noun
#define SIP_LANES 4
#define SIP_BUSY 2
#define SIP_VECTOR sip256
#define SIP_BYTES_MANY siphash_bytes_many_256
#define SIP_U64_MANY siphash_u64_many_256
#define SIP_ROW lfb_hash_siphash13_256

/* Rotates each word by whole bytes: by 16 bits. */
#define SIP_BYTES _mm256_set_epi8(13, 12, 11, 10, 9, 8, 15, 14, 5, 4, 3, 2, 1, 0, 7, 6, \
                                  13, 12, 11, 10, 9, 8, 15, 14, 5, 4, 3, 2, 1, 0, 7, 6)

#define SIP_ROTATE(a, by)                                               \
  ((by) == 32   ? (sip256)_mm256_shuffle_epi32((__m256i)(a), 0xb1)      \
   : (by) == 16 ? (sip256)_mm256_shuffle_epi8((__m256i)(a), SIP_BYTES)  \
                : (a) << (by) | (a) >> (64 - (by)))
#define SIP_SET(word_of) (sip256){word_of(0), word_of(1), word_of(2), word_of(3)}
#define SIP_ABOVE(a, b, yes, no)                                         \
  (sip256)_mm256_blendv_epi8((__m256i)(no), (__m256i)(yes),              \
                             _mm256_cmpgt_epi64((__m256i)(a), (__m256i)(b)))
#include "bloom/hashing/siphash_lanes.inc.h"
#undef SIP_BYTES
#endif

#ifdef LFB_HASH_X86_512
typedef uint64_t sip512 __attribute__((vector_size(64)));

#define SIP_TARGET LFB_AVX512_TARGET
#define SIP_(noun) sip512_##noun
#define SIP_LANES 8
#define SIP_BUSY 3
#define SIP_VECTOR sip512
#define SIP_BYTES_MANY siphash_bytes_many_512
#define SIP_U64_MANY siphash_u64_many_512
#define SIP_ROW lfb_hash_siphash13_512

#define SIP_ROTATE(a, by) (sip512)_mm512_rol_epi64((__m512i)(a), by)
#define SIP_SET(word_of)                                            \
  (sip512){word_of(0), word_of(1), word_of(2), word_of(3),          \
           word_of(4), word_of(5), word_of(6), word_of(7)}
#define SIP_ABOVE(a, b, yes, no)                                              \
  (sip512)_mm512_mask_mov_epi64(                                              \
      (__m512i)(no), _mm512_cmpgt_epi64_mask((__m512i)(a), (__m512i)(b)), (__m512i)(yes))
#include "bloom/hashing/siphash_lanes.inc.h"
#endif
