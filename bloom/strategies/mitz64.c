/*
 * mitz64.c - strategy MURMUR128_MITZ_64, bit for bit as Guava lays it out.
 *
 * Probe i of hash (low, high) is ((low + i * high) mod 2^64, sign bit cleared)
 * mod bit_count: double hashing, with all 128 bits in play.
 *
 * Source: Guava BloomFilterStrategies.java, MURMUR128_MITZ_64; Kirsch and
 * Mitzenmacher, "Less Hashing, Same Performance", 2006.
 */
#include "bloom/strategies/guava.h"
#include "bloom/strategies/probes.h"
#include "bloom/strategies/strategies.h"

static lfb_walk mitz64_start(lfb_hash hash)
{
  return (lfb_walk){hash.low, hash.high};
}

static uint64_t mitz64_next(lfb_walk *walk, const lfb_layout *layout)
{
  const uint64_t index = lfb_modulo(&layout->modulus, walk->at & INT64_MAX);
  walk->at += walk->stride; /* wraps, as Java's long does */
  return index;
}

LFB_CLASSIC_FUNCTIONS(mitz64, mitz64_start, mitz64_next)

const lfb_strategy lfb_strategy_mitz64 = {
    LFB_MITZ64_ROW,
    LFB_CLASSIC_ACTS(mitz64),
};
