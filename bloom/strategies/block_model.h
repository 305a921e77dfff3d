/*
 * block_model.h - the false-positive rate of a blocked filter: the exact model that sizes `fast`,
 * windows and `sbbf`.
 *
 * The block is cut into units, and the units into groups.  In each group a key has one unit, and
 * draws g bits of each of its words, with replacement.  (`fast`: a unit is a pair, of which there
 * is a choice of two, or none.  sbbf: a unit is a word of 32 bits.)  With `load` keys per block on
 * average:
 *   - A block has j keys with binomial probability; for infinitely many blocks this is
 *     Poisson's.  With few blocks the keys per block vary less and the rate is lower, so a
 *     size found by Poisson is on the safe side.
 *   - In each group, each of these keys has the unit that an absent key tests with probability
 *     1 / choices, and then draws g of the W bits of each word (64; sbbf: 32).  Given j, the groups
 *     are independent; given the keys of a unit, so are its words.
 *   - on[d] is the probability that d given bits of a word are on.  After a draw it is
 *     (1 - d/W) on[d] + (d/W) on[d-1].  Either the draw is none of the d bits, or it is one of
 *     them and leaves d - 1 to the other draws.  Of a unit of two words, on[c][d] is the
 *     probability for c bits of the first and d of the second.  All terms are positive, so the
 *     smallest rates have full precision.
 *   - The absent key tests d different bits of a word with the probability that g draws hit d
 *     different bits.
 * The rate is the sum over j of the probability of j times the product of the groups'
 * probabilities.  From some 690 keys per block on, the model treats the words of a block as filled
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
  LFB_BLOCK_MODEL_BITS = LFB_FAST_MAX_PROBES / 2, /* in a word: a key has two words or more */
  LFB_BLOCK_MODEL_JOINT = LFB_FAST_MAX_PROBES / 4, /* bits in each of two words, of 2 P >= 4 */
};

/* A block: of each of `units` groups, a power of two, a key has one of `choices` units of `words`
 * words, and `bits` bits in each of these words. */
typedef struct lfb_block_shape {
  uint32_t units;
  uint32_t words; /* 1; or 2, with up to LFB_BLOCK_MODEL_JOINT bits if there is a choice */
  uint32_t bits;
  uint32_t choices;
} lfb_block_shape;

/* The shape of P pairs of fast_view.h with g bits in each word. */
static inline lfb_block_shape lfb_block_shape_of(uint32_t pairs, uint32_t bits)
{
  return (lfb_block_shape){pairs, LFB_PAIR_WORDS, bits, pairs == 1 ? 1U : 2U};
}

/* The words of the block, and of a key. */
static inline uint32_t lfb_block_words(lfb_block_shape shape)
{
  return shape.units * shape.words * shape.choices;
}

static inline uint32_t lfb_block_key_words(lfb_block_shape shape)
{
  return shape.units * shape.words;
}

/* The model of one shape, with its intermediate results; for one thread. */
typedef struct lfb_block_model {
  lfb_block_shape shape;
  uint32_t word_bits;
  int known;                             /* the entries of found[] that are computed    */
  double asked[LFB_BLOCK_MODEL_BITS + 1]; /* probability of testing d different bits     */
  /* a key that has the word makes on[d] the sum of step[d][from] * on[from], from 0 to d */
  double step[LFB_BLOCK_MODEL_BITS + 1][LFB_BLOCK_MODEL_BITS + 1];
  /* with `known` keys in the block: on[0][d]; if there is a choice of two words, on[c][d] */
  double on[LFB_BLOCK_MODEL_JOINT + 1][LFB_BLOCK_MODEL_BITS + 1];
  double found[LFB_BLOCK_MODEL_KEYS]; /* false-positive probability with j keys, j < known */
} lfb_block_model;

/* Starts the model of a shape, with at most LFB_FAST_MAX_PROBES bits of a key. */
void lfb_block_model_init(lfb_block_model *model, lfb_block_shape shape, uint32_t word_bits);

/* The probability of a false positive with load * blocks keys, at least 0, in `blocks` blocks, at
 * least 1; INFINITY for Poisson. */
double lfb_block_model_fpp(lfb_block_model *model, double load, double blocks);

/* The load, in keys per block, at which the rate is fpp, 0 < fpp < 1, by Poisson. */
double lfb_block_model_load(lfb_block_model *model, double fpp);

LFB_EXTERN_C_END

#endif
