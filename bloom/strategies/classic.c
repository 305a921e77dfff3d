/*
 * classic.c - the classic strategies: k bits anywhere in the array (probes.h has their loops,
 * classic.inc.h their kernels).  This file has the walk of each, its sizes and its row.
 *
 * Four of them probe by double hashing; go-fnv14 has 14 seeds instead.
 *
 * Sources: Guava BloomFilterStrategies.java, MURMUR128_MITZ_32, MURMUR128_MITZ_64 and
 * LockFreeBitArray, and BloomFilter.java; Kirsch and Mitzenmacher, "Less Hashing, Same
 * Performance", 2006.
 */
#include <math.h>

#include "bloom/strategies/probes.h"
#include "bloom/strategies/strategies.h"

/* ---- sizes ------------------------------------------------------------------------- */

/* Guava's: the classic size, with the modulus rounded up to whole words. */
static lfb_status guava_size(const lfb_config *config, lfb_geometry *geometry)
{
  const lfb_status status = lfb_sizing_classic(config, LFB_GUAVA_MAX_WORDS, geometry);
  if (status == LFB_OK)
    geometry->bit_count = LFB_WORD_BITS * geometry->word_count;
  return status;
}

static bool guava_valid(const lfb_geometry *geometry)
{
  return geometry->word_count <= LFB_GUAVA_MAX_WORDS && geometry->words_per_key == 0 &&
         geometry->bit_count == LFB_WORD_BITS * geometry->word_count;
}

/* The classic size; the number of bits is a Java int, not rounded up to whole words. */
enum {
  JAVA_INT_MAX_BITS = INT32_MAX,
  JAVA_INT_MAX_WORDS = JAVA_INT_MAX_BITS / LFB_WORD_BITS + 1,
};

static lfb_status java_int_size(const lfb_config *config, lfb_geometry *geometry)
{
  lfb_geometry sized;
  const lfb_status status = lfb_sizing_classic(config, JAVA_INT_MAX_WORDS, &sized);

  if (status != LFB_OK)
    return status;
  if (sized.bit_count > JAVA_INT_MAX_BITS)
    return LFB_ERROR_TOO_MANY_BITS;
  *geometry = sized;
  return LFB_OK;
}

static bool java_int_valid(const lfb_geometry *geometry)
{
  return geometry->bit_count <= JAVA_INT_MAX_BITS && geometry->words_per_key == 0;
}

/* ---- guava-mitz64 ---------------------------------------------------------------- */

/*
 * MURMUR128_MITZ_64, bit for bit as Guava lays it out.  Probe i of hash (low, high) is
 * ((low + i * high) mod 2^64, sign bit cleared) mod bit_count: double hashing with all 128 bits.
 */
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

#define CLASSIC_(noun) mitz64_##noun
#define CLASSIC_BITS_OF mitz64_bits_of
#define CLASSIC_PUT mitz64_put
#define CLASSIC_TURN_ON mitz64_turn_on
#define CLASSIC_MIGHT_CONTAIN mitz64_might_contain
#define CLASSIC_MANY mitz64_many
#define CLASSIC_USUAL 7 /* of 1 % */
#define CLASSIC_BYTES_MIGHT_CONTAIN mitz64_bytes_might_contain
#define CLASSIC_BYTES_MANY mitz64_bytes_many
#include "bloom/strategies/classic.inc.h"

const lfb_strategy lfb_strategy_mitz64 = {
    .id = LFB_GUAVA_MITZ64,
    .file_id = 1, /* Guava's ordinal: in files, never renumbered */
    .name = "guava-mitz64",
    .hash = LFB_KIND_MURMUR128,
    .hash_width = LFB_HASH_128,
    .reachable_bits = UINT64_MAX,
    .size = guava_size,
    .valid = guava_valid,
    .rates = &lfb_rates_classic,
    .double_hashing = true,
    .bits_of = mitz64_bits_of,
    .kernels = {(const lfb_kernel *const[]){&mitz64_kernel}},
    .bytes_kernels = {(const lfb_kernel *const[]){&mitz64_bytes_kernel}},
};

/* ---- guava-mitz32, redis-mitz32 -------------------------------------------------- */

/*
 * The first is MURMUR128_MITZ_32, bit for bit as Guava lays it out.  The second is the same with a
 * modulus that is not rounded up to words: the Java helper class over RedisTemplate computes the
 * offsets of its SETBITs so.
 *
 * With a and b the low and high half of the hash's first 64 bits, probe i (from 1) is a + i * b in
 * 32-bit arithmetic, inverted if negative, mod bit_count.  It is always below 2^31, so a larger
 * filter never uses its bits from 2^31 on.
 */
#define MITZ32_REACH (UINT64_C(1) << 31)

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

#define CLASSIC_(noun) mitz32_##noun
#define CLASSIC_BITS_OF mitz32_bits_of
#define CLASSIC_PUT mitz32_put
#define CLASSIC_TURN_ON mitz32_turn_on
#define CLASSIC_MIGHT_CONTAIN mitz32_might_contain
#define CLASSIC_MANY mitz32_many
#define CLASSIC_USUAL 0
#define CLASSIC_BYTES_MIGHT_CONTAIN mitz32_bytes_might_contain
#define CLASSIC_BYTES_MANY mitz32_bytes_many
#include "bloom/strategies/classic.inc.h"

const lfb_strategy lfb_strategy_mitz32 = {
    .id = LFB_GUAVA_MITZ32,
    .file_id = 0, /* Guava's ordinal: written in files, never renumbered */
    .name = "guava-mitz32",
    .hash = LFB_KIND_MURMUR128,
    .reachable_bits = MITZ32_REACH,
    .size = guava_size,
    .valid = guava_valid,
    .rates = &lfb_rates_classic,
    .double_hashing = true,
    .bits_of = mitz32_bits_of,
    .kernels = {(const lfb_kernel *const[]){&mitz32_kernel}},
    .bytes_kernels = {(const lfb_kernel *const[]){&mitz32_bytes_kernel}},
};

const lfb_strategy lfb_strategy_redis_mitz32 = {
    .id = LFB_REDIS_MITZ32,
    .file_id = 7,
    .name = "redis-mitz32",
    .hash = LFB_KIND_MURMUR128,
    .reachable_bits = UINT64_MAX, /* all its bits are below MITZ32_REACH */
    .size = java_int_size,
    .valid = java_int_valid,
    .rates = &lfb_rates_classic,
    .double_hashing = true,
    .bits_of = mitz32_bits_of,
    .kernels = {(const lfb_kernel *const[]){&mitz32_kernel}},
};

/* ---- java-double ----------------------------------------------------------------- */

/*
 * The textbook Java filter: h1 + i * h2 in ints, Math.abs, mod m.  h1 and h2 are murmur3_x86_32 of
 * the key with two seeds; probe i (from 0) is |h1 + i * h2| mod m in 32-bit arithmetic, m not
 * rounded up to words.  For -2^31 Java's Math.abs returns a negative number and the Java version
 * throws; here it counts as 2^31.
 */
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

#define CLASSIC_(noun) java_double_##noun
#define CLASSIC_BITS_OF java_double_bits_of
#define CLASSIC_PUT java_double_put
#define CLASSIC_TURN_ON java_double_turn_on
#define CLASSIC_MIGHT_CONTAIN java_double_might_contain
#define CLASSIC_MANY java_double_many
#define CLASSIC_USUAL 0
#include "bloom/strategies/classic.inc.h"

const lfb_strategy lfb_strategy_java_double = {
    .id = LFB_JAVA_DOUBLE,
    .file_id = 4,
    .name = "java-double",
    .hash = LFB_KIND_MURMUR32_PAIR,
    .hash_width = LFB_HASH_32_32,
    .seeding = LFB_SEED_PAIR,
    .reachable_bits = UINT64_MAX,
    .size = java_int_size,
    .valid = java_int_valid,
    .rates = &lfb_rates_classic,
    .double_hashing = true,
    .bits_of = java_double_bits_of,
    .kernels = {(const lfb_kernel *const[]){&java_double_kernel}},
};

/* ---- go-fnv14 -------------------------------------------------------------------- */

/*
 * The Go filter of 14 fixed seeds over FNV-1a 32 and 2^25 bits.
 *
 * With x = h ^ (h >> 16), probe i is ((2^25 - 1 & seed[i]) * x + 2^25) mod 2^25 in
 * 64-bit arithmetic: seed[i] * x mod 2^25, as all seeds are below 2^25.  All 14
 * probes depend on the low 25 bits of x only, so two keys with the same low bits are
 * the same key to this filter.  The classic formula does not know that.
 *
 * The rate when a share u of the 2^25 values of x was put: each seed is odd and so has an inverse.
 * Bit b is on if and only if one of the 14 values b / seed[j] was put, so a share
 * 1 - (1 - u)^14 of the bits is on.  The value of an absent key was put with probability u.  If
 * it was not, probe i finds its bit on if one of the values x * seed[i] / seed[j], j not i, was
 * put.  These are 13 other values, and no two probes share one.  In total the rate is
 * u + (1 - u) (1 - (1 - u)^13)^14; n keys make u = 1 - (1 - 2^-25)^n.  This holds for keys that
 * FNV-1a spreads: the rate of sequential numbers is some percent higher.
 */
enum { GO_BITS = 1 << 25, GO_PROBES = 14 };

static const uint16_t go_fnv14_seeds[GO_PROBES] = {3,   13,  47,  67,  89,  137, 193,
                                                257, 331, 421, 521, 631, 761, 907};

static bool go_fnv14_valid(const lfb_geometry *geometry)
{
  return geometry->bit_count == GO_BITS && geometry->probes == GO_PROBES &&
         geometry->words_per_key == 0;
}

static lfb_walk go_fnv14_start(lfb_hash hash)
{
  const uint32_t h = (uint32_t)hash.low;
  return (lfb_walk){h ^ h >> 16, 0};
}

static uint64_t go_fnv14_next(lfb_walk *walk, const lfb_layout *layout)
{
  (void)layout;
  return go_fnv14_seeds[walk->stride++] * walk->at % GO_BITS;
}

/* The rate if log(1 - u) is `absent`. */
static double go_fnv14_rate(double absent)
{
  return -expm1(absent) + exp(absent) * pow(-expm1((GO_PROBES - 1) * absent), GO_PROBES);
}

static double go_fnv14_fpp_after(const lfb_strategy *strategy, const lfb_geometry *geometry,
                                 double insertions)
{
  (void)strategy;
  (void)geometry;
  return go_fnv14_rate(insertions * log1p(-1 / (double)GO_BITS));
}

static double go_fnv14_fpp_now(const lfb_strategy *strategy, const lfb_geometry *geometry,
                               uint64_t bits_set)
{
  (void)strategy;
  return go_fnv14_rate(log1p(-(double)bits_set / (double)geometry->bit_count) / (double)GO_PROBES);
}

/* The size is fixed; fpp only has to be valid.  With a limit in bytes n and p are to hold. */
static lfb_status go_fnv14_size(const lfb_config *config, lfb_geometry *geometry)
{
  const double n = (double)config->expected_insertions;
  const lfb_status status = lfb_sizing_check_fpp(config->fpp);

  *geometry = (lfb_geometry){GO_BITS, GO_BITS / LFB_WORD_BITS, GO_PROBES, 0};
  return status == LFB_OK && config->bytes > 0 && go_fnv14_fpp_after(NULL, NULL, n) > config->fpp
             ? LFB_ERROR_TOO_MANY_BITS
             : status;
}

static const lfb_rates go_fnv14_rates = {go_fnv14_fpp_after, lfb_rates_classic_count,
                                         go_fnv14_fpp_now};

#define CLASSIC_(noun) go_fnv14_##noun
#define CLASSIC_BITS_OF go_fnv14_bits_of
#define CLASSIC_PUT go_fnv14_put
#define CLASSIC_TURN_ON go_fnv14_turn_on
#define CLASSIC_MIGHT_CONTAIN go_fnv14_might_contain
#define CLASSIC_MANY go_fnv14_many
#define CLASSIC_USUAL 0
#include "bloom/strategies/classic.inc.h"

const lfb_strategy lfb_strategy_go_fnv14 = {
    .id = LFB_GO_FNV14,
    .file_id = 5,
    .name = "go-fnv14",
    .hash = LFB_KIND_FNV1A32,
    .reachable_bits = UINT64_MAX,
    .size = go_fnv14_size,
    .valid = go_fnv14_valid,
    .rates = &go_fnv14_rates,
    .bits_of = go_fnv14_bits_of,
    .kernels = {(const lfb_kernel *const[]){&go_fnv14_kernel}},
};
