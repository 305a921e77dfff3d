/*
 * fast_model.h - how often a blocked filter is wrong: the exact model that sizes
 * strategy `fast`.
 *
 * Floor 8.  May include: lfbloom/fast.h, sizing.h and the C standard library.
 *
 * A key has one block of 8 words.  The words are cut into w groups; in each the
 * key has one word, and g bits of it, drawn with replacement.  With `load` keys
 * to a block on average:
 *   - a block has j keys with Poisson probability (binomial for few blocks, whose
 *     spread is smaller: the model then errs on the safe side);
 *   - of those, i have the word that an absent key asks for in a group, with
 *     probability Binomial(j, w / 8); groups are independent given j;
 *   - i * g draws from 64 bits leave N of them set by the occupancy recurrence,
 *     and all g bits asked for are among them with probability (N / 64)^g.
 * The rate is the sum over j of Poisson(j) times the w-th power of the rest.
 *
 * Source: the split of a blocked Bloom filter's rate by Putze, Sanders and
 * Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007, carried to
 * words within the block.
 */
#ifndef LFB_BLOOM_FAST_MODEL_H
#define LFB_BLOOM_FAST_MODEL_H

#include <lfbloom/fast.h>
#include <stdint.h>

#include "bloom/sizing.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_FAST_MODEL_KEYS = 384, /* to a block, that the model counts exactly */
};

/* How a key's bits lie in its block: w words, a power of two up to 8, g bits in each. */
typedef struct lfb_fast_shape {
  uint32_t words;
  uint32_t bits;
} lfb_fast_shape;

typedef struct lfb_fast_model {
  lfb_fast_shape shape;
  /* probability that an absent key is found in a block of j keys */
  double found[LFB_FAST_MODEL_KEYS];
} lfb_fast_model;

void lfb_fast_model_init(lfb_fast_model *model, lfb_fast_shape shape);

/* Probability of a wrong "maybe" at `load` keys to a block on average, at least 0. */
double lfb_fast_model_fpp(const lfb_fast_model *model, double load);

/* The largest load, in keys to a block, at which the rate is at most fpp. */
double lfb_fast_model_load(const lfb_fast_model *model, double fpp);

#ifdef __cplusplus
}
#endif

#endif
