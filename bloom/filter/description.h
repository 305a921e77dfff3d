/*
 * description.h - what a filter is, apart from its bits.
 */
#ifndef LFB_BLOOM_DESCRIPTION_H
#define LFB_BLOOM_DESCRIPTION_H

#include <lfbloom/filter.h>

#include "atomic/words/kin.h"
#include "bloom/strategies/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a filter is, apart from its bits. */
typedef struct lfb_description {
  const lfb_strategy *strategy;
  lfb_geometry geometry;
  lfb_hasher hasher;
  lfb_config config; /* as given; fpp 0 where a form did not say */
  lfb_form form;     /* that it was read from                    */
  uint64_t written;  /* then, in seconds since 1970; 0: unknown  */
  char label[LFB_LABEL_SIZE + 1]; /* ends in NUL, and only NUL from there on */
  uint64_t full_words; /* of checked pieces that were all ones when they were read, as damage
                          is opened; 0 where a key's bits lie anywhere             */
} lfb_description;

/* The description of a new filter.  Fails as lfb_filter_create(), memory apart. */
LFB_KIN lfb_status lfb_description_make(const lfb_config *config, lfb_description *description);

/* Random bytes, at most 256, of the system's.  Fails: LFB_ERROR_NO_RANDOM. */
LFB_KIN lfb_status lfb_random_bytes(void *bytes, size_t size);

/* Whether two hashers give the same hashes. */
bool lfb_hasher_same(const lfb_hasher *a, const lfb_hasher *b);

/* Where the bits of a described filter are; `words` and `filter` may be NULL where nobody
 * looks for them. */
LFB_KIN lfb_layout lfb_layout_of(const lfb_description *description, lfb_word *words,
                                   lfb_stripes count, const lfb_filter *filter);

/* Whether its files hold the key of its hash, but those of forms without room for one. */
bool lfb_description_writes_key(const lfb_description *description);

/* The choice of hash that a hasher is. */
LFB_KIN lfb_hash_id lfb_hasher_id(const lfb_hasher *hasher);

/* Whether the one can be put into the other, not being the same: LFB_OK, or why not. */
lfb_status lfb_description_compatible(const lfb_description *into, const lfb_description *from);

#ifdef __cplusplus
}
#endif

#endif
