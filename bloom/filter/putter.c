/*
 * putter.c - puts single keys some calls late, when their lines have arrived.
 *
 * The places for keys are two halves.  While one half fills, the lines of the other half arrive.
 * When it is full, the kernel puts the other half as a batch.  So each line has between 16 and 32
 * calls to arrive, and a key costs no call of the kernel of its own.
 */
#include <lfbloom/putter.h>

#include "bloom/filter/filter.h"
#include "bloom/filter/pieces.h"
#include "bloom/hashing/hasher.h"

enum { PUTTER_HALF = LFB_PUTTER_KEYS / 2 };

void lfb_putter_init(lfb_putter *putter, lfb_filter *filter)
{
  const bool one_line = filter->description.geometry.words_per_key != 0;

  *putter = (lfb_putter){.filter = filter, .asked = one_line ? filter->layout.bits.word_count : 0};
}

/* Puts `count` keys from place `first` on. */
static void putter_put(lfb_putter *putter, uint32_t first, uint32_t count)
{
  const lfb_filter *filter = putter->filter;
  uint64_t answers = 0;

  lfb_layout_count(&filter->layout,
                   filter->kernel->many(&filter->layout, LFB_KERNEL_PUT, putter->low + first,
                                        putter->high + first, count, &answers));
  putter->new_keys += lfb_word_count(answers);
}

/* The half that ends before `at` is full: puts the keys of the other half, which gets the next
 * keys.  Not inlined: the calls that put nothing then save no registers. */
static __attribute__((noinline)) void putter_turn(lfb_putter *putter)
{
  putter->at %= LFB_PUTTER_KEYS;
  if (putter->full != 0)
    putter_put(putter, putter->at, PUTTER_HALF);
  putter->full = 1;
}

/* Strategies with one line per key choose it by the high bits of hash * lines; so the word that the
 * same product finds among all words is in that line.  Of sbbf, which uses 32 bits of the hash, it
 * can be the next line: a hint only. */
LFB_INLINE void putter_take(lfb_putter *putter, lfb_hash hash)
{
  if (__builtin_expect(putter->asked != 0, 1))
    lfb_prefetch_write((const void *)(putter->filter->layout.bits.words +
                                      lfb_multiply_high(hash.low, putter->asked)));
  putter->low[putter->at] = hash.low;
  putter->high[putter->at] = hash.high;
  putter->at++;
  if (__builtin_expect(putter->at % PUTTER_HALF == 0, 0))
    putter_turn(putter);
}

void lfb_putter_put_soon(lfb_putter *putter, const void *bytes, size_t size)
{
  putter_take(putter, lfb_hasher_bytes(&putter->filter->layout.hasher, bytes, size));
}

void lfb_putter_put_soon_u64(lfb_putter *putter, uint64_t key)
{
  putter_take(putter, lfb_hasher_u64(&putter->filter->layout.hasher, key));
}

void lfb_putter_put_soon_hash(lfb_putter *putter, uint64_t hash)
{
  putter_take(putter, lfb_hasher_from_64(&putter->filter->layout.hasher, hash));
}

uint64_t lfb_putter_flush(lfb_putter *putter)
{
  const uint32_t half = putter->at & PUTTER_HALF;

  if (putter->full != 0)
    putter_put(putter, half ^ PUTTER_HALF, PUTTER_HALF);
  putter_put(putter, half, putter->at - half);
  const uint64_t new_keys = putter->new_keys;
  putter->at = putter->full = 0;
  putter->new_keys = 0;
  return new_keys;
}
