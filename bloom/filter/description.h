/*
 * description.h - the description of a filter: everything except its bits.
 */
#ifndef LFB_BLOOM_DESCRIPTION_H
#define LFB_BLOOM_DESCRIPTION_H

#include <lfbloom/filter_more.h>

#include "bloom/strategies/strategy.h"

LFB_EXTERN_C_BEGIN

/* Everything that defines a filter except its bits. */
typedef struct lfb_description {
  const lfb_strategy *strategy;
  lfb_geometry geometry;
  lfb_hash_identity hash;
  lfb_config config; /* as given; strategy, n and p chosen, bytes 0; fpp 0: not in the form */
  lfb_form form;     /* the form that the filter was read from            */
  uint64_t written;  /* when that was written, in seconds since 1970; 0: unknown */
} lfb_description;

/* Makes the description of a new filter.  Fails as lfb_filter_create(), except for memory. */
lfb_status lfb_description_make(const lfb_config *config, lfb_description *description);

/* The same, also of strategy `tags`, of which there is no plain filter. */
lfb_status lfb_description_make_any(const lfb_config *config, lfb_description *description);

/* Fills `bytes`, at most 256, with random bytes of the kernel.  Fails: LFB_ERROR_NO_RANDOM. */
lfb_status lfb_random_bytes(void *bytes, size_t size);

/* The layout of a described filter.  `words` may be NULL if the caller does not use them. */
lfb_layout lfb_layout_of(const lfb_description *description, lfb_word *words, lfb_stripes count);

/* Whether files of the filter hold the key of its hash.  Forms without room for a key never do. */
bool lfb_description_writes_key(const lfb_description *description);

/* Whether the caller gave a key of the hash. */
bool lfb_config_has_key(const lfb_config *config);

/* The configuration, with the strategy that LFB_DEFAULT stands for. */
lfb_config lfb_config_chosen(const lfb_config *config);

/* The choice of hash (lfb_config.hash) that gives this one. */
lfb_hash_id lfb_hash_id_of(const lfb_hash_identity *hash);

/* Describes a filter with `factor` times fewer words that has all keys of this one.  Fails:
 * LFB_ERROR_CANNOT_FOLD. */
lfb_status lfb_description_fold(const lfb_description *from, uint64_t factor,
                                lfb_description *folded);

/*
 * The words of a described filter that stay together when a larger one is folded to its size
 * (lfb_bit_array_put_from()).
 *
 * Blocks   The block of a hash h among b blocks is floor(h * b / 2^64) (sbbf: 2^32).  If f divides
 *          b, then floor(floor(h * b / 2^64) / f) = floor(h * (b / f) / 2^64), since floor(floor(x)
 *          / f) = floor(x / f).  So block i of b / f blocks is the union of the f blocks from f * i
 *          on.  A key's bits within its block do not depend on b.
 * Others   A bit's index is some x mod m, and (x mod m) mod (m / f) = x mod (m / f).  So the f
 *          parts of m / f bits are laid one over another; each part is whole words.
 */
uint64_t lfb_description_run(const lfb_description *description);

/* Whether `from` can be put into `into`, another filter of the same size or, if `folds`, of the
 * size of `from` folded: LFB_OK, or the reason why not. */
lfb_status lfb_description_compatible(const lfb_description *into, const lfb_description *from,
                                      bool folds);

LFB_EXTERN_C_END

#endif
