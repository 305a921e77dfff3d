/*
 * mitz32.c - strategies guava-mitz32 and redis-mitz32.  The first is MURMUR128_MITZ_32, bit for
 * bit as Guava lays it out.  The second is the same with a modulus that is not rounded up to
 * words: the Java helper class over RedisTemplate computes the offsets of its SETBITs so.
 *
 * With a and b the low and high half of the hash's first 64 bits, probe i (from
 * 1) is a + i * b in 32-bit arithmetic, inverted if negative, mod bit_count.  It is
 * always below 2^31, so a larger filter never uses its bits from 2^31 on.
 *
 * Source: Guava BloomFilterStrategies.java, MURMUR128_MITZ_32.
 */
#include "bloom/strategies/guava.h"
#include "bloom/strategies/java_int.h"
#include "bloom/strategies/probes.h"
#include "bloom/strategies/strategies.h"

#define REACH (UINT64_C(1) << 31)

static lfb_walk mitz32_start(lfb_hash hash)
{
  const uint32_t b = (uint32_t)(hash.low >> 32);
  return (lfb_walk){(uint32_t)hash.low + b, b};
}

static uint64_t mitz32_next(lfb_walk *walk, const lfb_layout *layout)
{
  const uint32_t at = (uint32_t)walk->at; /* wraps, as Java's int does */
  walk->at += walk->stride;
  /* at >> 31 is 1 for a negative int: all bits inverted by 0 - 1. */
  return lfb_modulo(&layout->modulus, at ^ (0 - (at >> 31)));
}

#define CLASSIC_START mitz32_start
#define CLASSIC_NEXT mitz32_next
#define CLASSIC_BITS_OF mitz32_bits_of
#define CLASSIC_PUT mitz32_put
#define CLASSIC_MIGHT_CONTAIN mitz32_might_contain
#define CLASSIC_MANY mitz32_many
#define CLASSIC_KERNELS mitz32_kernels
#define CLASSIC_BYTES_MIGHT_CONTAIN mitz32_bytes_might_contain
#define CLASSIC_BYTES_MANY mitz32_bytes_many
#define CLASSIC_BYTES_KERNELS mitz32_bytes_kernels
#include "bloom/strategies/classic.inc.h"

const lfb_strategy lfb_strategy_mitz32 = {
    .id = LFB_GUAVA_MITZ32,
    .file_id = 0, /* Guava's ordinal: written in files, never renumbered */
    .name = "guava-mitz32",
    .hash = LFB_KIND_MURMUR128,
    .reachable_bits = REACH,
    .size = lfb_guava_size,
    .valid = lfb_guava_valid,
    .rates = &lfb_rates_classic,
    .double_hashing = true,
    .bits_of = mitz32_bits_of,
    .kernels = {mitz32_kernels},
    .bytes_kernels = {mitz32_bytes_kernels},
};

const lfb_strategy lfb_strategy_redis_mitz32 = {
    .id = LFB_REDIS_MITZ32,
    .file_id = 7,
    .name = "redis-mitz32",
    .hash = LFB_KIND_MURMUR128,
    .reachable_bits = UINT64_MAX, /* all its bits are below REACH */
    .size = lfb_java_int_size,
    .valid = lfb_java_int_valid,
    .rates = &lfb_rates_classic,
    .double_hashing = true,
    .bits_of = mitz32_bits_of,
    .kernels = {mitz32_kernels},
};
