/* bits.c - the operations on a whole array of bits. */
#include "atomic/words/bits.h"

uint64_t lfb_bits_or_from(const lfb_bits *into, const lfb_bits *from)
{
  assert(into->word_count == from->word_count);
  uint64_t turned_on = 0;

  for (uint64_t i = 0; i < from->word_count; i++)
    turned_on += lfb_bits_set_mask(into, i, lfb_bits_word(from, i));
  return turned_on;
}

uint64_t lfb_bits_count(const lfb_bits *bits)
{
  uint64_t set = 0;

  for (uint64_t i = 0; i < bits->word_count; i++)
    set += lfb_word_count(lfb_bits_word(bits, i));
  return set;
}

void lfb_bits_snapshot(const lfb_bits *bits, uint64_t first, uint64_t *words, size_t count)
{
  for (size_t i = 0; i < count; i++)
    words[i] = lfb_bits_word(bits, first + i);
}
