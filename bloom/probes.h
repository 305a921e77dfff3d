/*
 * probes.h - the classic Bloom filter: k bits anywhere in the array.  The loops
 * that all classic strategies share; a strategy brings only its walk.
 *
 * Floor 9.  May include: floors 0 to 8.
 *
 * The cost of a classic filter is k cache misses.  Both loops first compute the
 * addresses of a group of probes and only then load, without a branch in
 * between, so that the misses of one key overlap; the many-keys loops ask for
 * the lines of several keys ahead.
 *
 * Progress   might_contain: wait-free, k loads.  put: k walks of lfb_bits_set().
 * Stopped    A put that stops half-way leaves some of its key's bits set, as any
 *            other key might have: nobody waits for the rest.
 */
#ifndef LFB_BLOOM_PROBES_H
#define LFB_BLOOM_PROBES_H

#include <lfbloom/cpu.h>
#include "bloom/strategy.h"

/* The state of a walk over the probes of one hash. */
typedef struct lfb_walk {
  uint64_t at;
  uint64_t stride;
} lfb_walk;

typedef lfb_walk (*lfb_walk_start)(lfb_hash hash);

/* The next bit index of a walk, below the layout's bit count. */
typedef uint64_t (*lfb_walk_next)(lfb_walk *walk, const lfb_layout *layout);

enum {
  /* Probes of one key in flight at once.  Covers 1 % whole; a query that is
   * decided by its first group is spared the rest. */
  LFB_PROBES_GROUP = 8,
  /* Probes of all keys in flight at once: measured, more gives nothing. */
  LFB_PROBES_AHEAD = 128,
  /* Slots for the indexes of the keys in flight: room for one key of 255 probes. */
  LFB_PROBES_SLOTS = 256,
};

/* Whether all of `count` bits are set; loads them all, whatever it finds. */
LFB_INLINE bool probes_all_set(const lfb_layout *layout, const uint64_t *index, uint32_t count)
{
  uint64_t all = 1;
  for (uint32_t i = 0; i < count; i++)
    all &= lfb_bits_word(&layout->bits, index[i] / LFB_WORD_BITS) >> (index[i] % LFB_WORD_BITS);
  return all & 1;
}

/* Sets `count` bits; how many this call turned on.  Writes only what is missing. */
LFB_INLINE uint32_t probes_set_all(const lfb_layout *layout, const uint64_t *index,
                                     uint32_t count)
{
  uint32_t turned_on = 0;
  for (uint32_t i = 0; i < count; i++)
    turned_on += lfb_bits_set(&layout->bits, index[i]);
  return turned_on;
}

/* Computes the next indexes of a walk: a group, or what is left of `left`. */
LFB_INLINE uint32_t probes_group(const lfb_layout *layout, lfb_walk *walk, lfb_walk_next next,
                                   uint32_t left, uint64_t index[LFB_PROBES_GROUP])
{
  const uint32_t count = left < LFB_PROBES_GROUP ? left : (uint32_t)LFB_PROBES_GROUP;
  for (uint32_t i = 0; i < count; i++)
    index[i] = next(walk, layout);
  return count;
}

LFB_INLINE bool probes_might_contain(const lfb_layout *layout, lfb_hash hash,
                                       lfb_walk_start start, lfb_walk_next next)
{
  lfb_walk walk = start(hash);
  uint64_t index[LFB_PROBES_GROUP];

  for (uint32_t left = layout->probes; left > 0;) {
    const uint32_t count = probes_group(layout, &walk, next, left, index);
    if (!probes_all_set(layout, index, count))
      return false;
    left -= count;
  }
  return true;
}

LFB_INLINE uint32_t probes_put(const lfb_layout *layout, lfb_hash hash, lfb_walk_start start,
                                 lfb_walk_next next)
{
  lfb_walk walk = start(hash);
  uint64_t index[LFB_PROBES_GROUP];
  uint32_t turned_on = 0;

  for (uint32_t left = layout->probes; left > 0;) {
    const uint32_t count = probes_group(layout, &walk, next, left, index);
    /* Read first, so that the misses overlap: a locked operation waits for the
     * one before it.  And a key that is in already writes nothing. */
    if (!probes_all_set(layout, index, count))
      turned_on += probes_set_all(layout, index, count);
    left -= count;
  }
  return turned_on;
}

/* The keys in flight: indexes of key i in the slots from (i % keys) * probes on. */
typedef struct lfb_flight {
  size_t keys;
  uint64_t index[LFB_PROBES_SLOTS];
} lfb_flight;

LFB_INLINE uint64_t *flight_slots(lfb_flight *flight, const lfb_layout *layout, size_t key)
{
  return flight->index + key % flight->keys * layout->probes;
}

/* Computes one key's indexes and asks for their lines. */
LFB_INLINE void flight_send(lfb_flight *flight, const lfb_layout *layout, size_t key,
                              lfb_walk walk, lfb_walk_next next,
                              void (*prefetch)(const void *address))
{
  uint64_t *index = flight_slots(flight, layout, key);
  for (uint32_t i = 0; i < layout->probes; i++) {
    index[i] = next(&walk, layout);
    prefetch(&layout->bits.words[index[i] / LFB_WORD_BITS]);
  }
}

/*
 * Sends keys ahead, lands them in order: the lines of LFB_PROBES_AHEAD probes are
 * on their way while one key is put or looked up.
 */
LFB_INLINE uint64_t probes_many(const lfb_layout *layout, const uint64_t *low,
                                  const uint64_t *high, size_t count, uint64_t *answers,
                                  bool put, lfb_walk_start start, lfb_walk_next next)
{
  lfb_flight flight;
  const size_t keys = LFB_PROBES_AHEAD / layout->probes;
  uint64_t turned_on = 0;
  flight.keys = keys > 0 ? keys : 1;

  for (size_t i = 0; i < count + flight.keys; i++) {
    if (i >= flight.keys) {
      const size_t key = i - flight.keys;
      const uint64_t *index = flight_slots(&flight, layout, key);
      const uint32_t on = put ? probes_set_all(layout, index, layout->probes)
                              : probes_all_set(layout, index, layout->probes);
      turned_on += on;
      answers[key / 64] |= (uint64_t)(on != 0) << (key % 64);
    }
    if (i < count) {
      const lfb_hash hash = {low[i], high == NULL ? 0 : high[i]};
      flight_send(&flight, layout, i, start(hash), next,
                  put ? lfb_prefetch_write : lfb_prefetch_read);
    }
  }
  return turned_on;
}

/* Defines the four functions of a classic strategy from its walk. */
#define LFB_CLASSIC_FUNCTIONS(noun, start, next)                                               \
  static uint32_t noun##_put(const lfb_layout *layout, lfb_hash hash)                          \
  {                                                                                            \
    return probes_put(layout, hash, start, next);                                              \
  }                                                                                            \
  static bool noun##_might_contain(const lfb_layout *layout, lfb_hash hash)                    \
  {                                                                                            \
    return probes_might_contain(layout, hash, start, next);                                    \
  }                                                                                            \
  static uint64_t noun##_put_many(const lfb_layout *layout, const uint64_t *low,               \
                                  const uint64_t *high, size_t count, uint64_t *answers)       \
  {                                                                                            \
    return probes_many(layout, low, high, count, answers, true, start, next);                  \
  }                                                                                            \
  static void noun##_might_contain_many(const lfb_layout *layout, const uint64_t *low,         \
                                        const uint64_t *high, size_t count, uint64_t *answers) \
  {                                                                                            \
    (void)probes_many(layout, low, high, count, answers, false, start, next);                  \
  }

/* The fields of a table row that all classic strategies fill alike. */
#define LFB_CLASSIC_ROW(noun)                                                        \
  .count = lfb_sizing_count, .fpp_now = lfb_sizing_fpp_now,                            \
  .put = noun##_put, .might_contain = noun##_might_contain, .put_many = noun##_put_many, \
  .might_contain_many = noun##_might_contain_many

#endif
