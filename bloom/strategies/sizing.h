/*
 * sizing.h - the number of bits and probes of a classic Bloom filter, and its
 * false-positive rate.
 *
 * Every function returns, to the bit, what Guava's Java returns for the same numbers.
 * Source: Guava BloomFilter.java (optimalNumOfBits, optimalNumOfHashFunctions,
 * expectedFpp, approximateElementCount), 31.1 and later.
 */
#ifndef LFB_BLOOM_SIZING_H
#define LFB_BLOOM_SIZING_H

#include <lfbloom/filter.h>

LFB_EXTERN_C_BEGIN

enum { LFB_MAX_PROBES = 255 }; /* the largest number in a byte of Guava's form */

/* The size and shape that a strategy derives from a configuration. */
typedef struct lfb_geometry {
  uint64_t bit_count;  /* m: the modulus of the probes            */
  uint64_t word_count; /* 64-bit words that hold them, at least 1 */
  uint32_t probes;     /* k, 1 to LFB_MAX_PROBES                  */
  uint32_t words_per_key; /* 2 P of `fast`, 4 of `sbbf`; 0: a key's bits can be anywhere */
} lfb_geometry;

/* LFB_OK if 0 < fpp < 1; LFB_ERROR_FPP_TOO_LOW (NaN too) or _TOO_HIGH. */
lfb_status lfb_sizing_check_fpp(double fpp);

/* The same for a blocked strategy, from 1e-18 on.  Below no size holds the fpp: a key's hash has 64
 * bits, so it is that of one other key with probability 5.4e-20.  The size would only explode. */
lfb_status lfb_sizing_check_blocked(double fpp);

/* The same, and the memory preference (LFB_ERROR_UNKNOWN_PREFERENCE). */
lfb_status lfb_sizing_check(const lfb_config *config);

/* The least fpp of such a filter that grows: of 1,024 layers the last has 2.8e-18. */
#define LFB_SIZING_LEAST_GROWING 1e-12

/* m = -n ln p / (ln 2)^2, truncated; clamped to 2^63 - 1.  n = 0 counts as 1. */
uint64_t lfb_sizing_bits(uint64_t expected_insertions, double fpp);

/* k by the configuration's formula, unclamped, for m truncated bits. */
uint64_t lfb_sizing_probes(const lfb_config *config, uint64_t bits);

/* Returns a number of blocks or words; if the configuration is foldable, rounded up to a number
 * with many divisors (lfb_config.foldable). */
uint64_t lfb_sizing_foldable(const lfb_config *config, uint64_t blocks);

/*
 * Sizes a classic filter of at most `max_words` words.
 *
 * Fails  in Guava's order: LFB_ERROR_FPP_TOO_LOW, _FPP_TOO_HIGH, _NO_BITS,
 *        _TOO_MANY_BITS, _TOO_MANY_PROBES, _UNKNOWN_FORMULA.
 * Gives  geometry->bit_count as lfb_sizing_bits() returns it, not rounded up to words unless the
 *        configuration is foldable.
 */
lfb_status lfb_sizing_classic(const lfb_config *config, uint64_t max_words,
                              lfb_geometry *geometry);

LFB_EXTERN_C_END

#endif
