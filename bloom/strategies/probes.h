/*
 * probes.h - the classic Bloom filter: k bits anywhere in the array.  All classic strategies
 * share these loops; a strategy adds only its walk.
 *
 * A classic filter costs k cache misses per key.  Those of one key overlap: a group of probes is
 * loaded without a branch on the loaded words, and before any word of the group is written.  The
 * loops over many keys prefetch the lines of several keys ahead.
 *
 * Progress   might_contain: wait-free, k loads.  put: at most k bits of lfb_bit_array_or_bits().
 * Stopped    A put that stops halfway leaves some of its key's bits set, as other keys might
 *            have set them; no other thread waits for the rest.
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
  /* Probes of one key in flight at once.  One group holds all probes of 1 %.  If the first
   * group decides a query, the others are not loaded. */
  LFB_PROBES_GROUP = LFB_OR_MOST,
  /* Probes of all keys in flight at once; measured: more gives nothing. */
  LFB_PROBES_AHEAD = 128,
  /* Entries for the indexes of the keys in flight: enough for one key of 255 probes. */
  LFB_PROBES_SLOTS = 256,
};

/* What a loop over hashes does.  A constant in each kernel. */
typedef enum lfb_probes_act {
  LFB_PROBES_PUT,
  LFB_PROBES_QUERY,
  LFB_PROBES_QUERY_BYTES, /* bits->words is NULL: in a file (atomic/bit_array.h) */
} lfb_probes_act;

/* Bit 0 of the result is bit `index`; the others mean nothing. */
LFB_INLINE uint64_t probes_look(const lfb_bit_array *bits, uint64_t index, lfb_probes_act act)
{
  return act == LFB_PROBES_QUERY_BYTES
             ? (uint64_t)bits->bytes[(index / 8) ^ bits->flip] >> (index % 8)
             : lfb_bit_array_word(bits, index / LFB_WORD_BITS) >> (index % LFB_WORD_BITS);
}

/* Whether the next `count` bits of a walk are set; always loads all of them. */
LFB_INLINE bool probes_all_set(const lfb_layout *layout, lfb_walk *walk, lfb_walk_next next,
                               uint32_t count, lfb_probes_act act)
{
  uint64_t all = 1;

  LFB_EACH(i, 0, count, 1, all &= probes_look(&layout->bits, next(walk, layout), act));
  return all & 1;
}

LFB_INLINE bool probes_might_contain(const lfb_layout *layout, lfb_hash hash, lfb_probes_act act,
                                     lfb_walk_start start, lfb_walk_next next)
{
  lfb_walk walk = start(hash);
  uint32_t left = layout->probes;

  /* The counts 7 (for 1 %) and 8 are constants, so that the compiler unrolls a group's loop. */
  if (left == 7)
    return probes_all_set(layout, &walk, next, 7, act);
  for (; left >= LFB_PROBES_GROUP; left -= LFB_PROBES_GROUP)
    if (!probes_all_set(layout, &walk, next, LFB_PROBES_GROUP, act))
      return false;
  return probes_all_set(layout, &walk, next, left, act);
}

/* Turns on the next `count` bits of a walk.  Returns how many this call turned on.  A put of a key
 * that is present writes nothing. */
LFB_INLINE uint32_t probes_put_group(const lfb_layout *layout, lfb_walk *walk, lfb_walk_next next,
                                     uint32_t count)
{
  lfb_bits_read bits;
  uint32_t missing = 0;

  LFB_EACH(i, 0, count, 1,
           missing |= lfb_bit_array_missing(&layout->bits, next(walk, layout), i, &bits));
  return lfb_bit_array_or_bits(&layout->bits, &bits, missing);
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

/* The keys in flight: the indexes of key i begin at entry (i mod keys) * probes. */
typedef struct lfb_flight {
  size_t keys;     /* a power of two: the mod is a mask                 */
  uint32_t probes; /* per key; a constant if the caller passes a constant */
  uint64_t index[LFB_PROBES_SLOTS];
} lfb_flight;

LFB_INLINE uint64_t *flight_slots(lfb_flight *flight, size_t key)
{
  return flight->index + (key & (flight->keys - 1)) * flight->probes;
}

/* Computes one key's indexes and prefetches their lines. */
LFB_INLINE void flight_send(lfb_flight *flight, const lfb_layout *layout, size_t key,
                            lfb_walk walk, lfb_walk_next next, lfb_probes_act act)
{
  uint64_t *index = flight_slots(flight, key);

  LFB_EACH(i, 0, flight->probes, 1, {
    index[i] = next(&walk, layout);
    if (act == LFB_PROBES_QUERY_BYTES)
      lfb_prefetch_read(&layout->bits.bytes[(index[i] / 8) ^ layout->bits.flip]);
    else if (act == LFB_PROBES_QUERY)
      lfb_prefetch_read(&layout->bits.words[index[i] / LFB_WORD_BITS]);
    else
      lfb_prefetch_write(&layout->bits.words[index[i] / LFB_WORD_BITS]);
  });
}

/* Whether all bits of a key are on; its lines have arrived. */
LFB_INLINE uint32_t flight_look_up(const lfb_layout *layout, const uint64_t *index, uint32_t count,
                                   lfb_probes_act act)
{
  uint64_t all = 1;

  LFB_EACH(i, 0, count, 1, all &= probes_look(&layout->bits, index[i], act));
  return (uint32_t)(all & 1);
}

/* Turns on up to LFB_PROBES_GROUP bits of such a key.  Returns how many this call turned on. */
LFB_INLINE uint32_t flight_put(const lfb_layout *layout, const uint64_t *index, uint32_t count)
{
  lfb_bits_read bits;
  uint32_t missing = 0;

  LFB_EACH(i, 0, count, 1, missing |= lfb_bit_array_missing(&layout->bits, index[i], i, &bits));
  return lfb_bit_array_or_bits(&layout->bits, &bits, missing);
}

/* Puts or queries such a key.  Returns more than 0 for true. */
LFB_INLINE uint32_t flight_land(lfb_flight *flight, const lfb_layout *layout, size_t key,
                                lfb_probes_act act)
{
  const uint64_t *index = flight_slots(flight, key);
  uint32_t turned_on = 0, left = flight->probes;

  if (act != LFB_PROBES_PUT)
    return flight_look_up(layout, index, flight->probes, act);
  for (; left > LFB_PROBES_GROUP; left -= LFB_PROBES_GROUP, index += LFB_PROBES_GROUP)
    turned_on += flight_put(layout, index, LFB_PROBES_GROUP);
  return turned_on + flight_put(layout, index, left);
}

/*
 * Puts or queries keys in order, with flight_send() ahead of flight_land(): while one key is put or
 * queried, the lines of up to LFB_PROBES_AHEAD probes are being fetched.
 */
LFB_INLINE uint64_t probes_loop(lfb_flight *flight, const lfb_layout *given, const uint64_t *low,
                                const uint64_t *high, size_t count, uint64_t *answers,
                                lfb_probes_act act, lfb_walk_start start, lfb_walk_next next)
{
  const lfb_layout layout = *given; /* a copy, which no write to `answers` can change */
  uint64_t turned_on = 0, answer = 0;

  flight->keys = 1;
  while (2 * flight->keys * flight->probes <= LFB_PROBES_AHEAD)
    flight->keys *= 2;
  for (size_t i = 0; i < count + flight->keys; i++) {
    if (i >= flight->keys) {
      const size_t key = i - flight->keys;
      const uint32_t on = flight_land(flight, &layout, key, act);
      turned_on += on;
      answer = (key % LFB_WORD_BITS == 0 ? 0 : answer) |
               (uint64_t)(on != 0) << (key % LFB_WORD_BITS);
      answers[key / LFB_WORD_BITS] = answer;
    }
    if (i < count) {
      const lfb_hash hash = {low[i], high == NULL ? 0 : high[i]};
      flight_send(flight, &layout, i, start(hash), next, act);
    }
  }
  return turned_on;
}

/* `usual` probes, unless it is 0, are a constant for the compiler. */
LFB_INLINE uint64_t probes_many(const lfb_layout *layout, const uint64_t *low,
                                const uint64_t *high, size_t count, uint64_t *answers,
                                lfb_probes_act act, uint32_t usual, lfb_walk_start start,
                                lfb_walk_next next)
{
  lfb_flight flight;

  flight.probes = usual;
  if (usual != 0 && layout->probes == usual)
    return probes_loop(&flight, layout, low, high, count, answers, act, start, next);
  flight.probes = layout->probes;
  return probes_loop(&flight, layout, low, high, count, answers, act, start, next);
}

/* Writes the indexes of a walk's bits.  Returns how many. */
LFB_INLINE uint32_t probes_bits_of(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes,
                                   lfb_walk_start start, lfb_walk_next next)
{
  lfb_walk walk = start(hash);

  for (uint32_t i = 0; i < layout->probes; i++)
    indexes[i] = next(&walk, layout);
  return layout->probes;
}

#endif
