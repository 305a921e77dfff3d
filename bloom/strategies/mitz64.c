/*
 * mitz64.c - strategy MURMUR128_MITZ_64, bit for bit as Guava lays it out.
 *
 * Probe i of hash (low, high) is ((low + i * high) mod 2^64, sign bit cleared)
 * mod bit_count: double hashing with all 128 bits.
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

#define CLASSIC_START mitz64_start
#define CLASSIC_NEXT mitz64_next
#define CLASSIC_BITS_OF mitz64_bits_of
#define CLASSIC_PUT mitz64_put
#define CLASSIC_MIGHT_CONTAIN mitz64_might_contain
#define CLASSIC_MANY mitz64_many
#define CLASSIC_KERNELS mitz64_kernels
#define CLASSIC_BYTES_MIGHT_CONTAIN mitz64_bytes_might_contain
#define CLASSIC_BYTES_MANY mitz64_bytes_many
#define CLASSIC_BYTES_KERNELS mitz64_bytes_kernels
#include "bloom/strategies/classic.inc.h"

const lfb_strategy lfb_strategy_mitz64 = {
    .id = LFB_GUAVA_MITZ64,
    .file_id = 1, /* Guava's ordinal: in files, never renumbered */
    .name = "guava-mitz64",
    .hash = LFB_KIND_MURMUR128,
    .hash_width = LFB_HASH_128,
    .reachable_bits = UINT64_MAX,
    .size = lfb_guava_size,
    .valid = lfb_guava_valid,
    .rates = &lfb_rates_classic,
    .double_hashing = true,
    .bits_of = mitz64_bits_of,
    .kernels = {mitz64_kernels},
    .bytes_kernels = {mitz64_bytes_kernels},
};
