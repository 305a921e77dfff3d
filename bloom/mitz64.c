/*
 * mitz64.c - strategy MURMUR128_MITZ_64, bit for bit as Guava lays it out.
 *
 * Floor 10.
 *
 * Probe i of hash (low, high) is ((low + i * high) mod 2^64, sign bit cleared)
 * mod bit_count: double hashing, with all 128 bits in play.
 *
 * Source: Guava BloomFilterStrategies.java, MURMUR128_MITZ_64; Kirsch and
 * Mitzenmacher, "Less Hashing, Same Performance", 2006.
 */
#include "bloom/guava.h"
#include "bloom/probes.h"
#include "bloom/strategies.h"

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

static double mitz64_fpp_after(const lfb_geometry *geometry, double insertions)
{
  return lfb_sizing_fpp_after((double)geometry->bit_count, geometry->probes, insertions);
}

LFB_CLASSIC_FUNCTIONS(mitz64, mitz64_start, mitz64_next)

const lfb_strategy lfb_strategy_mitz64 = {
    .id = LFB_GUAVA_MITZ64,
    .file_id = 1, /* Guava's ordinal: written in files, never renumbered */
    .name = "guava-mitz64",
    .hash = LFB_KIND_MURMUR128,
    .reachable_bits = UINT64_MAX,
    .size = lfb_guava_size,
    .valid = lfb_guava_valid,
    .fpp_after = mitz64_fpp_after,
    LFB_CLASSIC_ROW(mitz64),
};
