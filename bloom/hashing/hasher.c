/* hasher.c - chooses the row of a hash function; keys that are given in parts; integers as text. */
#include "bloom/hashing/hasher.h"

#include "bloom/hashing/aes_derive.h"

/* The rows: of each kind those by better instructions first. */
static const struct {
  lfb_hash_kind kind;
  lfb_simd level; /* that the row needs */
  const lfb_hash_function *function;
} hasher_rows[] = {
#ifdef LFB_HASH_X86_512
    {LFB_KIND_XXH3, LFB_SIMD_AVX512, &lfb_hash_xxh3_512},
    {LFB_KIND_AES, LFB_SIMD_AVX512, &lfb_hash_aes512},
#endif
#ifdef LFB_HASH_X86
    {LFB_KIND_AES, LFB_SIMD_AVX2, &lfb_hash_aes256},
#endif
#ifdef LFB_AES_HERE
    {LFB_KIND_AES, LFB_SIMD_AES, &lfb_hash_aes128},
#endif
    {LFB_KIND_XXH3, LFB_SIMD_NONE, &lfb_hash_xxh3},
    {LFB_KIND_SIPHASH13, LFB_SIMD_NONE, &lfb_hash_siphash13},
    {LFB_KIND_AES, LFB_SIMD_NONE, &lfb_hash_aes},
    {LFB_KIND_MURMUR128, LFB_SIMD_NONE, &lfb_hash_murmur128},
    {LFB_KIND_MURMUR32_PAIR, LFB_SIMD_NONE, &lfb_hash_murmur32_pair},
    {LFB_KIND_FNV1A32, LFB_SIMD_NONE, &lfb_hash_fnv1a32},
    {LFB_KIND_XXH64, LFB_SIMD_NONE, &lfb_hash_xxh64},
};

/* The row of a kind, by the best instructions up to level `most`. */
static const lfb_hash_function *hasher_function(lfb_hash_kind kind, lfb_simd most)
{
  size_t i = 0;

  while (hasher_rows[i].kind != kind || hasher_rows[i].level > most ||
         (kind == LFB_KIND_AES && hasher_rows[i].level != LFB_SIMD_NONE &&
          !lfb_simd_has_aes(hasher_rows[i].level)))
    i++;
  return hasher_rows[i].function;
}

void lfb_hasher_init(lfb_hasher *hasher, const lfb_hash_identity *identity, lfb_simd most)
{
  hasher->function = hasher_function(identity->kind, most);
  hasher->identity = *identity;
  hasher->inlined = identity->kind == LFB_KIND_XXH3 ? LFB_INLINED_MIXER
                    : identity->kind == LFB_KIND_AES && hasher->function != &lfb_hash_aes
                        ? LFB_INLINED_AES
                        : LFB_INLINED_NONE;
  if (identity->kind == LFB_KIND_AES) {
    uint8_t key[LFB_HASHER_KEY];
    lfb_hash_key(identity, key);
    lfb_aes_init(&hasher->aes, key);
  }
}

bool lfb_hash_aes_is_fast(void)
{
  return lfb_simd_chosen() >= LFB_SIMD_AES && lfb_simd_has_aes(LFB_SIMD_AES);
}

bool lfb_hash_same(const lfb_hash_identity *a, const lfb_hash_identity *b)
{
  return a->kind == b->kind && a->seed == b->seed && a->key[0] == b->key[0] &&
         a->key[1] == b->key[1];
}

void lfb_hash_stream_init(lfb_hash_stream *stream, const lfb_hasher *hasher)
{
  stream->hasher = hasher;
  stream->groups = 0;
  stream->kept = 0;
}

static void stream_absorb(lfb_hash_stream *stream, const unsigned char *groups, size_t count)
{
  if (count > 0)
    stream->hasher->function->absorb(stream, groups, count);
  stream->groups += count;
}

void lfb_hash_stream_overflow(lfb_hash_stream *stream, const void *bytes, size_t size)
{
  const unsigned char *at = bytes;
  unsigned char *const fresh = stream->last + (stream->groups == 0 ? 0 : LFB_HASH_GROUP);
  unsigned char *const end = stream->last + stream->kept;
  const size_t fill = (sizeof stream->last - stream->kept) % LFB_HASH_GROUP;
  const size_t whole = (size - fill - 1) / LFB_HASH_GROUP; /* groups that need no copy */

  memcpy(end, at, fill);
  stream_absorb(stream, fresh, (size_t)(end + fill - fresh) / LFB_HASH_GROUP);
  stream_absorb(stream, at + fill, whole);
  at += fill + whole * LFB_HASH_GROUP;
  size -= fill + whole * LFB_HASH_GROUP;
  memcpy(stream->last, (whole > 0 ? at : end + fill) - LFB_HASH_GROUP, LFB_HASH_GROUP);
  memcpy(stream->last + LFB_HASH_GROUP, at, size);
  stream->kept = LFB_HASH_GROUP + size;
}

lfb_hash lfb_hash_stream_finish(lfb_hash_stream *stream)
{
  const lfb_hash_function *const function = stream->hasher->function;
  const size_t left = stream->kept - LFB_HASH_GROUP;

  if (stream->groups == 0)
    return function->bytes(stream->hasher, stream->last, stream->kept);
  return function->finish(stream, stream->last + LFB_HASH_GROUP, left,
                          LFB_HASH_GROUP * stream->groups + left);
}

