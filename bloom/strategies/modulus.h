/*
 * modulus.h - x mod d by multiplication, for a fixed d.
 *
 * For 1 <= d < 2^63 let s = ceil(log2 d) and r = ceil(2^(63+s) / d).  Then for
 * every x < 2^63:  floor(x / d) = floor(2x * r / 2^(64+s)), that is, the high
 * word of 2x * r, shifted right by s.
 *
 * Proof.  r fits a word: d = 2^s gives r = 2^63; otherwise d >= 2^(s-1) + 1, so
 * 2^(63+s) / d <= 2^64 - 2^64 / (2^(s-1) + 1), at least 3 below 2^64 as s <= 63.
 * Let e = r * d - 2^(63+s), so 0 <= e < d <= 2^s.  Then
 *     x * r / 2^(63+s) = x / d + (e * x) / (d * 2^(63+s)),
 * and the last term is below 1/d, since e * x < 2^s * 2^63.  The fraction of x/d
 * is at most (d-1)/d, so adding less than 1/d to it does not reach the next
 * integer.  q.e.d.
 *
 * Guava's probes take a 63-bit x; a 64-bit x would need a 65-bit r.
 *
 * Source: Granlund and Montgomery, "Division by Invariant Integers using
 * Multiplication", 1994, theorem 4.2.
 */
#ifndef LFB_BLOOM_MODULUS_H
#define LFB_BLOOM_MODULUS_H

#include <assert.h>
#include <stdint.h>

#include <lfbloom/cpu.h>

typedef struct lfb_modulus {
  uint64_t divisor;    /* d, 1 to 2^63 - 1 */
  uint64_t reciprocal; /* r                */
  uint32_t shift;      /* s                */
} lfb_modulus;

/* Prepares a divisor, 1 to 2^63 - 1. */
static inline lfb_modulus lfb_modulus_for(uint64_t divisor)
{
  assert(divisor >= 1 && divisor <= INT64_MAX);
  lfb_modulus modulus = {divisor, 1, 0};

  while ((UINT64_C(1) << modulus.shift) < divisor)
    modulus.shift++;
  /* 2^s / d is 1 with remainder 2^s - d; 63 doublings make it 2^(63+s) / d. */
  uint64_t remainder = (UINT64_C(1) << modulus.shift) - divisor;
  for (int i = 0; i < 63; i++) {
    const uint64_t carry = 2 * remainder >= divisor;
    modulus.reciprocal = 2 * modulus.reciprocal + carry;
    remainder = 2 * remainder - carry * divisor;
  }
  modulus.reciprocal += remainder > 0;
  return modulus;
}

/* x mod d, for x below 2^63. */
static inline uint64_t lfb_modulo(const lfb_modulus *modulus, uint64_t x)
{
  assert(x <= INT64_MAX);
  const uint64_t quotient = lfb_multiply_high(2 * x, modulus->reciprocal) >> modulus->shift;
  return x - quotient * modulus->divisor;
}

#endif
