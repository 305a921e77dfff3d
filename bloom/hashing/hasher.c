/* hasher.c - chooses the row of a hash function. */
#include "bloom/hashing/hasher.h"

#include "bloom/hashing/aes_derive.h"

/* The rows: of each kind those by better instructions first. */
static const struct {
  lfb_hash_kind kind;
  lfb_simd level; /* that the row needs */
  const lfb_hash_function *function;
} hasher_rows[] = {
#ifdef LFB_SIMD_X86
    {LFB_KIND_AES, LFB_SIMD_AVX512, &lfb_hash_aes512},
    {LFB_KIND_AES, LFB_SIMD_AVX2, &lfb_hash_aes256},
#endif
#ifdef LFB_AES_COMPILED
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
