/*
 * block_model.h - how often a blocked filter is wrong: the exact model that sizes
 * `fast`, `sbbf` (words of 32 bits) and `fast-pair` (blocks of 2 words).
 *
 * A key has one block of 8 words (fast-pair: 2, and so below).  The words are cut into w
 * groups; in each the key has one word, and g bits of it, drawn with replacement.  With `load`
 * keys to a block on average:
 *   - a block has j of the keys with binomial probability, which is Poisson's for
 *     endless blocks; few blocks spread less and are wrong less often, so that a size
 *     found by Poisson is on the safe side;
 *   - each of those has the word that an absent key asks for in a group with
 *     probability w / 8, and draws g of its W bits (64; sbbf: 32); groups are independent
 *     given j;
 *   - on[d], the probability that d given bits are on: after a draw it is
 *     (1 - d/W) on[d] + (d/W) on[d-1], since the draw is one of the d, and leaves
 *     d - 1 to the others, or none of them.  All terms are positive, so that the
 *     smallest rates come out to full precision;
 *   - the absent key asks for d different bits with the probability that g draws
 *     are so many.
 * The rate is the sum over j of that probability times the w-th power of the rest.  From some
 * 690 keys to a block on, the words of a block count as filled independently: the rate
 * is 0.74 or more there, and 0.14 % below the truth at most, in a block or two 0.21 %.
 *
 * Source: the split of a blocked Bloom filter's rate by Putze, Sanders and
 * Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007, carried to
 * words within the block.
 */
#ifndef LFB_BLOOM_BLOCK_MODEL_H
#define LFB_BLOOM_BLOCK_MODEL_H

#include <lfbloom/fast.h>
#include <stdint.h>

#include "bloom/strategies/sizing.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_BLOCK_MODEL_KEYS = 1024, /* to a block, that the model counts one by one */
};

/* How a key's bits lie in its block: w words, a power of two, g bits in each. */
typedef struct lfb_block_shape {
  uint32_t words;
  uint32_t bits;
  uint32_t of_words; /* that the block has, at least w: 8 for `fast` */
} lfb_block_shape;

/* The model of one shape, and what has been computed of it: one thread's own. */
typedef struct lfb_block_model {
  lfb_block_shape shape;
  uint32_t word_bits;
  int known;                             /* numbers of keys in the table below         */
  double asked[LFB_FAST_MAX_PROBES + 1]; /* probability of asking for d different bits */
  double on[LFB_FAST_MAX_PROBES + 1];    /* on[d] with `known` keys in the block       */
  /* a key makes on[d] the sum of step[d * (d + 1) / 2 + from] * on[from], from 0 to d */
  double step[(LFB_FAST_MAX_PROBES + 1) * (LFB_FAST_MAX_PROBES + 2) / 2];
  double found[LFB_BLOCK_MODEL_KEYS]; /* of finding an absent key among j, j < known */
} lfb_block_model;

/* Starts the model of a shape whose w * g is at most LFB_FAST_MAX_PROBES. */
void lfb_block_model_init(lfb_block_model *model, lfb_block_shape shape, uint32_t word_bits);

/* Probability of a wrong "maybe" with load * blocks keys, at least 0, in `blocks` blocks,
 * at least 1; INFINITY for Poisson. */
double lfb_block_model_fpp(lfb_block_model *model, double load, double blocks);

/* The load, in keys to a block, at which the rate is fpp, 0 < fpp < 1, by Poisson. */
double lfb_block_model_load(lfb_block_model *model, double fpp);

#ifdef __cplusplus
}
#endif

#endif
