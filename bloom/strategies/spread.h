/*
 * spread.h - how the bits of a key are spread over a filter, and how much the number of set bits
 * says about the number of keys.
 *
 * A filter has m bits.  A key sets a given bit with probability p, two given bits with probability
 * p2 (it depends on where they are), and keys are independent.  With q = 1 - p:
 *   - After n keys a bit is off with probability q^n, so n = ln(Z / m) / ln q for Z bits that are
 *     off.
 *   - Let S and T be sets of keys with k keys in common, each in a filter of its own.  Bit i of the
 *     first filter and bit j of the second are both off with probability
 *     q^(n_S + n_T - 2 k) (1 - 2 p + p2)^k.
 *   - The covariance of the two estimates therefore depends on the common keys only.  To first
 *     order in ln Z it is
 *     v(k) = sum over j of [((1 - 2 p + p2) / q^2)^k - 1] / (m ln^2 q).
 *   - v(n) is the variance of the estimate of n keys: S and T are the same.
 * The numbers of keys are fixed here: nothing is assumed to be Poisson's.
 *
 * Source: the expectation by Swamidass and Baldi, "Mathematical Correction for Fingerprint
 * Similarity Measures", 2007; the covariance follows from independent keys as above.
 */
#ifndef LFB_BLOOM_SPREAD_H
#define LFB_BLOOM_SPREAD_H

#include <lfbloom/status.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

/* A key has one block, and in it `words` words: in each of the words / unit equal groups of the
 * block's words one unit of neighbours.  It draws `bits` bits of each word, with replacement.  A
 * classic filter is one block of one word. */
typedef struct lfb_spread {
  double blocks;
  double block_words; /* at least `words`                        */
  double word_bits;
  double words;
  double unit; /* 1; or 2, words that are chosen together */
  double bits;
} lfb_spread;

/* The most likely number of keys for this many set bits; INFINITY if all are set. */
double lfb_spread_count(const lfb_spread *spread, uint64_t bits_set);

/* v(keys), in keys squared. */
double lfb_spread_variance(const lfb_spread *spread, double keys);

/* How many keys the next set bit stands for, with this many set; INFINITY if all are set. */
double lfb_spread_step(const lfb_spread *spread, uint64_t bits_set);

LFB_EXTERN_C_END

#endif
