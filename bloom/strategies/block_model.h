/*
 * block_model.h - the false-positive rate of a blocked filter: the exact model that sizes `fast`,
 * `sbbf` (words of 32 bits) and `fast-pair` (blocks of 2 words).
 *
 * A key has one block of 8 words (fast-pair: 2 here and below).  The words are cut into w groups.
 * In each group the key has one word, and g bits of that word, drawn with replacement.  With
 * `load` keys per block on average:
 *   - A block has j keys with binomial probability; for infinitely many blocks this is
 *     Poisson's.  With few blocks the keys per block vary less and the rate is lower, so a
 *     size found by Poisson is on the safe side.
 *   - In each group, each of these keys has the word that an absent key tests with probability
 *     w / 8, and then draws g of the word's W bits (64; sbbf: 32).  Given j, the groups are
 *     independent.
 *   - on[d] is the probability that d given bits are on.  After a draw it is
 *     (1 - d/W) on[d] + (d/W) on[d-1].  Either the draw is none of the d bits, or it is one of
 *     them and leaves d - 1 to the other draws.  All terms are positive, so the smallest rates
 *     have full precision.
 *   - The absent key tests d different bits with the probability that g draws hit d
 *     different bits.
 * The rate is the sum over j of the probability of j times the w-th power of a group's
 * probability.  From some 690 keys per block on, the model treats the words of a block as filled
 * independently.  There the rate is 0.74 or more, and the result at most 0.14 % below the truth
 * (0.21 % with one or two blocks).
 *
 * Source: the split of a blocked Bloom filter's rate by Putze, Sanders and
 * Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007, carried to
 * words within the block.
 */
#ifndef LFB_BLOOM_BLOCK_MODEL_H
#define LFB_BLOOM_BLOCK_MODEL_H

#include <lfbloom/filter.h>
#include <stdint.h>

#include "bloom/strategies/fast_view.h"
#include "bloom/strategies/sizing.h"

LFB_EXTERN_C_BEGIN

enum {
  LFB_BLOCK_MODEL_KEYS = 1024, /* keys per block that the model counts one by one */
};

/* The bits of a key in its block: w words, a power of two, with g bits in each. */
typedef struct lfb_block_shape {
  uint32_t words;
  uint32_t bits;
  uint32_t of_words; /* words of the block, at least w: 8 for `fast` */
} lfb_block_shape;

/* The model of one shape, with its intermediate results; for one thread. */
typedef struct lfb_block_model {
  lfb_block_shape shape;
  uint32_t word_bits;
  int known;                             /* the entries of found[] that are computed    */
  double asked[LFB_FAST_MAX_PROBES + 1]; /* probability of testing d different bits     */
  double on[LFB_FAST_MAX_PROBES + 1];    /* on[d] with `known` keys in the block        */
  /* a key makes on[d] the sum of step[d * (d + 1) / 2 + from] * on[from], from 0 to d */
  double step[(LFB_FAST_MAX_PROBES + 1) * (LFB_FAST_MAX_PROBES + 2) / 2];
  double found[LFB_BLOCK_MODEL_KEYS]; /* false-positive probability with j keys, j < known */
} lfb_block_model;

/* Starts the model of a shape with w * g at most LFB_FAST_MAX_PROBES. */
void lfb_block_model_init(lfb_block_model *model, lfb_block_shape shape, uint32_t word_bits);

/* The probability of a false positive with load * blocks keys, at least 0, in `blocks` blocks, at
 * least 1; INFINITY for Poisson. */
double lfb_block_model_fpp(lfb_block_model *model, double load, double blocks);

/* The load, in keys per block, at which the rate is fpp, 0 < fpp < 1, by Poisson. */
double lfb_block_model_load(lfb_block_model *model, double fpp);

LFB_EXTERN_C_END

#endif
