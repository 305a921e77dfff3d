/* compare.c - estimates what two filters have in common (bloom/strategies/spread.h). */
#include <math.h>

#include "bloom/filter/filter.h"
#include "bloom/filter/digest.h"

/* The three sets whose sizes are estimated from bits: all other figures follow from them. */
enum { SET_A, SET_B, SET_EITHER, SETS };

/* The numbers of keys, and the covariances of these estimates. */
typedef struct compare_sizes {
  double keys[SETS];
  double covariance[SETS][SETS];
} compare_sizes;

/* Counts the set bits of A, of B and of both together in one walk: each word is read once, so that
 * the counts fit each other also during puts.  A piece is copied because lfb_digest_bits(), which
 * has vector code, takes words that do not change. */
static void compare_walk(const lfb_bit_array *a, const lfb_bit_array *b, uint64_t bits_set[SETS])
{
  enum { PIECE = 256 };
  uint64_t of_a[PIECE], of_b[PIECE];
  size_t count;

  bits_set[SET_A] = bits_set[SET_B] = bits_set[SET_EITHER] = 0;
  for (uint64_t first = 0; first < a->word_count; first += count) {
    const uint64_t left = a->word_count - first;
    count = left < PIECE ? (size_t)left : PIECE;
    lfb_bit_array_snapshot(a, first, of_a, count);
    lfb_bit_array_snapshot(b, first, of_b, count);
    bits_set[SET_A] += lfb_digest_bits(of_a, count);
    bits_set[SET_B] += lfb_digest_bits(of_b, count);
    for (size_t i = 0; i < count; i++)
      of_a[i] |= of_b[i];
    bits_set[SET_EITHER] += lfb_digest_bits(of_a, count);
  }
}

/* The keys in both, of which raw estimates can be negative. */
static double compare_both(const double keys[SETS])
{
  return keys[SET_A] + keys[SET_B] - keys[SET_EITHER];
}

/* The covariance of two estimates is v(their common keys).  No estimate is more exact than one bit:
 * a key that sets no new bit leaves no trace. */
static void compare_covariances(const lfb_spread *spread, const uint64_t bits_set[SETS],
                                compare_sizes *sizes)
{
  for (int s = 0; s < SETS; s++)
    for (int t = 0; t < SETS; t++) {
      const double common = s == t || t == SET_EITHER ? sizes->keys[s]
                            : s == SET_EITHER         ? sizes->keys[t]
                                                      : fmax(compare_both(sizes->keys), 0);
      sizes->covariance[s][t] = lfb_spread_variance(spread, common);
      if (s == t)
        sizes->covariance[s][t] += pow(lfb_spread_step(spread, bits_set[s]), 2);
    }
}

/* The estimate of a value by its derivatives by the three sizes. */
static lfb_estimate compare_estimate(const compare_sizes *sizes, double value, double by_a,
                                     double by_b, double by_either)
{
  const double by[SETS] = {by_a, by_b, by_either};
  double variance = 0;

  if (!isfinite(value))
    return (lfb_estimate){NAN, INFINITY};
  for (int s = 0; s < SETS; s++)
    for (int t = 0; t < SETS; t++)
      if (by[s] != 0 && by[t] != 0) /* so that a saturated set does not count */
        variance += by[s] * by[t] * sizes->covariance[s][t];
  return (lfb_estimate){fmax(value, 0), isnan(variance) ? INFINITY : sqrt(fmax(variance, 0))};
}

static void compare_fill(const compare_sizes *sizes, lfb_comparison *result)
{
  const double a = sizes->keys[SET_A], b = sizes->keys[SET_B], either = sizes->keys[SET_EITHER];
  const double both = compare_both(sizes->keys);

  *result = (lfb_comparison){
      .a = compare_estimate(sizes, a, 1, 0, 0),
      .b = compare_estimate(sizes, b, 0, 1, 0),
      .either = compare_estimate(sizes, either, 0, 0, 1),
      .both = compare_estimate(sizes, both, 1, 1, -1),
      .jaccard = compare_estimate(sizes, both / either, 1 / either, 1 / either,
                                  -(a + b) / (either * either)),
      .a_in_b = compare_estimate(sizes, both / a, (1 - both / a) / a, 1 / a, -1 / a),
      .b_in_a = compare_estimate(sizes, both / b, 1 / b, (1 - both / b) / b, -1 / b),
  };
}

lfb_status lfb_filter_compare(const lfb_filter *a, const lfb_filter *b, lfb_comparison *result)
{
  const lfb_description *of = &a->description;
  const lfb_status status = lfb_description_compatible(of, &b->description, false);
  uint64_t bits_set[SETS];
  compare_sizes sizes;

  if (status != LFB_OK)
    return status;
  /* Words that damage filled say nothing about keys: as if all bits were set. */
  const bool in_a = lfb_filter_full_words(a) > 0, in_b = lfb_filter_full_words(b) > 0;
  const bool damaged[SETS] = {[SET_A] = in_a, [SET_B] = in_b, [SET_EITHER] = in_a || in_b};
  const lfb_spread spread = lfb_strategy_spread(a->strategy, &of->geometry);
  compare_walk(&a->layout.bits, &b->layout.bits, bits_set);
  for (int s = 0; s < SETS; s++)
    sizes.keys[s] = damaged[s] ? NAN
                               : a->strategy->rates->count(a->strategy, &of->geometry, bits_set[s]);
  compare_covariances(&spread, bits_set, &sizes);
  compare_fill(&sizes, result);
  return LFB_OK;
}
