/*
 * java_double.c - the textbook Java filter: h1 + i * h2 in ints, Math.abs, mod m.
 *
 * h1 and h2 are murmur3_x86_32 of the key with two seeds; probe i (from 0) is
 * |h1 + i * h2| mod m in 32-bit arithmetic, m not rounded up to words.  For -2^31
 * Java's Math.abs returns a negative number and the Java version throws; here it counts
 * as 2^31.
 */
#include "bloom/strategies/java_int.h"
#include "bloom/strategies/probes.h"
#include "bloom/strategies/strategies.h"

static lfb_walk java_double_start(lfb_hash hash)
{
  return (lfb_walk){hash.low, hash.high};
}

static uint64_t java_double_next(lfb_walk *walk, const lfb_layout *layout)
{
  const uint32_t at = (uint32_t)walk->at; /* wraps, as Java's int does */
  walk->at += walk->stride;
  return lfb_modulo(&layout->modulus, at >> 31 ? 0 - at : at);
}

#define CLASSIC_START java_double_start
#define CLASSIC_NEXT java_double_next
#define CLASSIC_BITS_OF java_double_bits_of
#define CLASSIC_PUT java_double_put
#define CLASSIC_MIGHT_CONTAIN java_double_might_contain
#define CLASSIC_MANY java_double_many
#define CLASSIC_KERNELS java_double_kernels
#include "bloom/strategies/classic.inc.h"

const lfb_strategy lfb_strategy_java_double = {
    .id = LFB_JAVA_DOUBLE,
    .file_id = 4,
    .name = "java-double",
    .hash = LFB_KIND_MURMUR32_PAIR,
    .hash_width = LFB_HASH_32_32,
    .seeding = LFB_SEED_PAIR,
    .reachable_bits = UINT64_MAX,
    .size = lfb_java_int_size,
    .valid = lfb_java_int_valid,
    .rates = &lfb_rates_classic,
    .double_hashing = true,
    .bits_of = java_double_bits_of,
    .kernels = {java_double_kernels},
};
