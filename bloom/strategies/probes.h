/*
 * probes.h - the classic Bloom filter: k bits anywhere in the array.  The loops
 * that all classic strategies share; a strategy brings only its walk.
 *
 * The cost of a classic filter is k cache misses.  A group of probes is
 * computed and loaded without a branch on what was loaded, and before any of it is
 * written, so that the misses of one key overlap; the many-keys loops ask for
 * the lines of several keys ahead.
 *
 * Progress   might_contain: wait-free, k loads.  put: at most k runs of lfb_word_set_seen().
 * Stopped    A put that stops half-way leaves some of its key's bits set, as any
 *            other key might have: nobody waits for the rest.
 */
#ifndef LFB_BLOOM_PROBES_H
#define LFB_BLOOM_PROBES_H

#include <lfbloom/cpu.h>
#include "bloom/strategies/kernel.h"

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

/* Some probes of one key: where they are, and the words as they were found. */
typedef struct lfb_probes {
  uint64_t index[LFB_PROBES_GROUP];
  uint64_t seen[LFB_PROBES_GROUP];
} lfb_probes;

/* Whether the next `count` bits of a walk are set; loads them all, whatever it finds. */
LFB_INLINE bool probes_all_set(const lfb_layout *layout, lfb_walk *walk, lfb_walk_next next,
                               uint32_t count)
{
  uint64_t all = 1;

  LFB_UNROLL
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t index = next(walk, layout);
    all &= lfb_bits_word(&layout->bits, index / LFB_WORD_BITS) >> (index % LFB_WORD_BITS);
  }
  return all & 1;
}

/* Finds the next `count` probes of a walk; bit i of the answer says that probe i is
 * off.  No branch depends on what is loaded. */
LFB_INLINE uint32_t probes_find(const lfb_layout *layout, lfb_walk *walk, lfb_walk_next next,
                                uint32_t count, lfb_probes *probes)
{
  uint32_t missing = 0;

  LFB_UNROLL
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t index = next(walk, layout);
    const uint64_t seen = lfb_bits_word(&layout->bits, index / LFB_WORD_BITS);
    probes->index[i] = index;
    probes->seen[i] = seen;
    missing |= (uint32_t)(~(seen >> (index % LFB_WORD_BITS)) & 1) << i;
  }
  return missing;
}

/* Sets the probes that are missing; how many of them this call turned on.  A loop
 * over them, not a test of each: one wrong guess of the processor, not several. */
LFB_INLINE uint32_t probes_set(const lfb_layout *layout, const lfb_probes *probes,
                               uint32_t missing)
{
  uint32_t turned_on = 0;

  for (; missing != 0; missing &= missing - 1) {
    const uint32_t i = (uint32_t)__builtin_ctz(missing);
    const uint64_t mask = UINT64_C(1) << (probes->index[i] % LFB_WORD_BITS);
    lfb_word *word = &layout->bits.words[probes->index[i] / LFB_WORD_BITS];
    turned_on += lfb_word_set_seen(word, probes->seen[i], mask) != 0;
  }
  return turned_on;
}

LFB_INLINE bool probes_might_contain(const lfb_layout *layout, lfb_hash hash,
                                     lfb_walk_start start, lfb_walk_next next)
{
  lfb_walk walk = start(hash);
  uint32_t left = layout->probes;

  /* 7, which is 1 %, and 8 are numbers that the compiler knows, so that a group's loop unrolls. */
  if (left == 7)
    return probes_all_set(layout, &walk, next, 7);
  for (; left >= LFB_PROBES_GROUP; left -= LFB_PROBES_GROUP)
    if (!probes_all_set(layout, &walk, next, LFB_PROBES_GROUP))
      return false;
  return probes_all_set(layout, &walk, next, left);
}

/* Turns on the next `count` bits of a walk: how many this call turned on.  A group is read before
 * any of it is written, so that the misses overlap: a locked operation holds up the loads behind
 * it.  And a key that is in already writes nothing. */
LFB_INLINE uint32_t probes_put_group(const lfb_layout *layout, lfb_walk *walk, lfb_walk_next next,
                                     uint32_t count)
{
  lfb_probes probes;
  const uint32_t missing = probes_find(layout, walk, next, count, &probes);

  return probes_set(layout, &probes, missing);
}

LFB_INLINE uint32_t probes_put(const lfb_layout *layout, lfb_hash hash, lfb_walk_start start,
                               lfb_walk_next next)
{
  lfb_walk walk = start(hash);
  uint32_t turned_on = 0, left = layout->probes;

  if (left == 7)
    return probes_put_group(layout, &walk, next, 7);
  for (; left >= LFB_PROBES_GROUP; left -= LFB_PROBES_GROUP)
    turned_on += probes_put_group(layout, &walk, next, LFB_PROBES_GROUP);
  return turned_on + probes_put_group(layout, &walk, next, left);
}

/* The keys in flight: indexes of key i in the slots from (i mod keys) * probes on. */
typedef struct lfb_flight {
  size_t keys;     /* a power of two: the mod is a mask               */
  uint32_t probes; /* of a key; a constant where the compiler knows it */
  uint64_t index[LFB_PROBES_SLOTS];
} lfb_flight;

LFB_INLINE uint64_t *flight_slots(lfb_flight *flight, size_t key)
{
  return flight->index + (key & (flight->keys - 1)) * flight->probes;
}

/* Computes one key's indexes and asks for their lines. */
LFB_INLINE void flight_send(lfb_flight *flight, const lfb_layout *layout, size_t key,
                            lfb_walk walk, lfb_walk_next next,
                            void (*prefetch)(const void *address))
{
  uint64_t *index = flight_slots(flight, key);

  LFB_UNROLL_8
  for (uint32_t i = 0; i < flight->probes; i++) {
    index[i] = next(&walk, layout);
    prefetch(&layout->bits.words[index[i] / LFB_WORD_BITS]);
  }
}

/* Whether all bits of a key whose lines have arrived are on. */
LFB_INLINE uint32_t flight_look_up(const lfb_layout *layout, const uint64_t *index, uint32_t count)
{
  uint64_t all = 1;

  LFB_UNROLL_8
  for (uint32_t i = 0; i < count; i++)
    all &= lfb_bits_word(&layout->bits, index[i] / LFB_WORD_BITS) >> (index[i] % LFB_WORD_BITS);
  return (uint32_t)(all & 1);
}

/* Turns on up to LFB_PROBES_GROUP bits of such a key: how many this call turned on. */
LFB_INLINE uint32_t flight_put(const lfb_layout *layout, const uint64_t *index, uint32_t count)
{
  uint32_t missing = 0;
  lfb_probes probes;

  LFB_UNROLL_8
  for (uint32_t i = 0; i < count; i++) {
    probes.index[i] = index[i];
    probes.seen[i] = lfb_bits_word(&layout->bits, index[i] / LFB_WORD_BITS);
    missing |= (uint32_t)(~(probes.seen[i] >> (index[i] % LFB_WORD_BITS)) & 1) << i;
  }
  return probes_set(layout, &probes, missing);
}

/* Puts or looks up a key whose lines have arrived; more than 0 for true. */
LFB_INLINE uint32_t flight_land(lfb_flight *flight, const lfb_layout *layout, size_t key, bool put)
{
  const uint64_t *index = flight_slots(flight, key);
  uint32_t turned_on = 0, left = flight->probes;

  if (!put)
    return flight_look_up(layout, index, flight->probes);
  for (; left > LFB_PROBES_GROUP; left -= LFB_PROBES_GROUP, index += LFB_PROBES_GROUP)
    turned_on += flight_put(layout, index, LFB_PROBES_GROUP);
  return turned_on + flight_put(layout, index, left);
}

/*
 * Sends keys ahead, lands them in order: the lines of LFB_PROBES_AHEAD probes are
 * on their way while one key is put or looked up.
 */
LFB_INLINE uint64_t probes_loop(const lfb_layout *given, uint32_t probes, const uint64_t *low,
                                const uint64_t *high, size_t count, uint64_t *answers, bool put,
                                lfb_walk_start start, lfb_walk_next next)
{
  const lfb_layout layout = *given; /* that no write to `answers` can change it */
  lfb_flight flight;
  uint64_t turned_on = 0, answer = 0;

  flight.probes = probes;
  flight.keys = 1;
  while (2 * flight.keys * probes <= LFB_PROBES_AHEAD)
    flight.keys *= 2;
  for (size_t i = 0; i < count + flight.keys; i++) {
    if (i >= flight.keys) {
      const size_t key = i - flight.keys;
      const uint32_t on = flight_land(&flight, &layout, key, put);
      turned_on += on;
      answer = (key % LFB_WORD_BITS == 0 ? 0 : answer) | (uint64_t)(on != 0) << (key % LFB_WORD_BITS);
      answers[key / LFB_WORD_BITS] = answer;
    }
    if (i < count) {
      const lfb_hash hash = {low[i], high == NULL ? 0 : high[i]};
      flight_send(&flight, &layout, i, start(hash), next,
                  put ? lfb_prefetch_write : lfb_prefetch_read);
    }
  }
  return turned_on;
}

/* 7 probes, those of 1 %, are a number that the compiler knows. */
LFB_INLINE uint64_t probes_many(const lfb_layout *layout, const uint64_t *low,
                                const uint64_t *high, size_t count, uint64_t *answers, bool put,
                                lfb_walk_start start, lfb_walk_next next)
{
  return layout->probes == 7
             ? probes_loop(layout, 7, low, high, count, answers, put, start, next)
             : probes_loop(layout, layout->probes, low, high, count, answers, put, start, next);
}

/* Writes the indexes of a walk's bits; how many. */
LFB_INLINE uint32_t probes_bits_of(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes,
                                   lfb_walk_start start, lfb_walk_next next)
{
  lfb_walk walk = start(hash);

  for (uint32_t i = 0; i < layout->probes; i++)
    indexes[i] = next(&walk, layout);
  return layout->probes;
}

#endif
