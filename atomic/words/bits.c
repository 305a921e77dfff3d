/* bits.c - the operations on a whole array of bits. */
#include "atomic/words/bits.h"

uint64_t lfb_bits_or_from(const lfb_bits *into, const lfb_bits *from, uint64_t run,
                          uint64_t *full)
{
  const uint64_t factor = from->word_count / into->word_count;
  uint64_t turned_on = 0, filled = 0;

  assert(into->word_count * factor == from->word_count && into->word_count % run == 0);
  for (uint64_t first = 0; first < into->word_count; first += run)
    for (uint64_t i = first; i < first + run; i++) {
      uint64_t mask = 0;
      for (uint64_t r = 0; r < factor; r++)
        mask |= lfb_bits_read(from, first * factor + r * run + (i - first));
      const uint32_t gained = lfb_bits_set_mask(into, i, mask);
      turned_on += gained;
      filled += gained > 0 && mask == UINT64_MAX;
    }
  *full = filled;
  return turned_on;
}

uint64_t lfb_bits_count(const lfb_bits *bits)
{
  uint64_t set = 0;

  for (uint64_t i = 0; i < bits->word_count; i++)
    set += lfb_word_count(lfb_bits_read(bits, i));
  return set;
}

void lfb_bits_snapshot(const lfb_bits *bits, uint64_t first, uint64_t *words, size_t count)
{
  for (size_t i = 0; i < count; i++)
    words[i] = lfb_bits_read(bits, first + i);
}
