/* bit_array.c - the bit array for programs, and the operations on a whole one. */
#include "atomic/bit_array.h"

#include <stdlib.h>
#include "atomic/words/pages.h"

lfb_status lfb_bit_array_create(uint64_t bit_count, lfb_bit_array **array)
{
  const uint64_t word_count = bit_count == 0 ? 1 : (bit_count - 1) / LFB_WORD_BITS + 1;
  lfb_bit_array *made = calloc(1, sizeof *made);
  lfb_pages pages = {0};

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_stripes_init(&made->count);
  if (status == LFB_OK)
    status = lfb_pages_init(&pages, word_count * sizeof(lfb_word), true);
  *made = lfb_bit_array_over(pages.address, word_count, made->count);
  if (status == LFB_OK)
    *array = made;
  else
    lfb_bit_array_free(made);
  return status;
}

void lfb_bit_array_free(lfb_bit_array *array)
{
  if (array == NULL)
    return;
  lfb_pages pages = {array->words, array->words == NULL ? 0 : array->word_count * sizeof(lfb_word)};
  lfb_pages_free(&pages);
  lfb_stripes_free(&array->count);
  free(array);
}

bool lfb_bit_array_set(lfb_bit_array *array, uint64_t index)
{
  const uint32_t turned_on = lfb_bit_array_or(array, index / LFB_WORD_BITS,
                                              UINT64_C(1) << (index % LFB_WORD_BITS));
  lfb_bit_array_add(array, turned_on);
  return turned_on > 0;
}

bool lfb_bit_array_get(const lfb_bit_array *array, uint64_t index)
{
  return (lfb_bit_array_word(array, index / LFB_WORD_BITS) >> (index % LFB_WORD_BITS) & 1) != 0;
}

uint64_t lfb_bit_array_count(const lfb_bit_array *array)
{
  return lfb_stripes_sum(&array->count);
}

uint64_t lfb_bit_array_size(const lfb_bit_array *array)
{
  return array->word_count * LFB_WORD_BITS;
}

uint64_t lfb_bit_array_put_from(lfb_bit_array *into, const lfb_bit_array *from, uint64_t run,
                                bool alone)
{
  const uint64_t factor = from->word_count / into->word_count;
  uint64_t turned_on = 0, filled = 0;

  assert(into->word_count * factor == from->word_count && into->word_count % run == 0);
  for (uint64_t first = 0; first < into->word_count; first += run)
    for (uint64_t i = first; i < first + run; i++) {
      uint64_t mask = 0;
      for (uint64_t r = 0; r < factor; r++)
        mask |= lfb_bit_array_read(from, first * factor + r * run + (i - first));
      const uint32_t gained = alone ? lfb_word_count(mask) : lfb_bit_array_or(into, i, mask);
      if (alone && mask != 0) /* 0: a page of zeros stays untouched */
        lfb_word_store_alone(&into->words[i], mask);
      turned_on += gained;
      filled += gained > 0 && mask == UINT64_MAX;
    }
  lfb_bit_array_add(into, turned_on);
  return filled;
}

lfb_status lfb_bit_array_put_all(lfb_bit_array *into, const lfb_bit_array *from)
{
  if (into->word_count != from->word_count)
    return LFB_ERROR_BIT_COUNT_DIFFERS;
  (void)lfb_bit_array_put_from(into, from, into->word_count, false);
  return LFB_OK;
}

lfb_status lfb_bit_array_copy(const lfb_bit_array *array, lfb_bit_array **copy)
{
  const lfb_status status = lfb_bit_array_create(lfb_bit_array_size(array), copy);

  if (status == LFB_OK)
    (void)lfb_bit_array_put_from(*copy, array, array->word_count, true);
  return status;
}

void lfb_bit_array_snapshot(const lfb_bit_array *array, uint64_t first, uint64_t *to, size_t count)
{
  if (array->words != NULL) /* ordered: tables of tags need it (bloom/counting/tags.h) */
    for (size_t i = 0; i < count; i++)
      to[i] = lfb_word_get_ordered(&array->words[first + i]);
  else
    for (size_t i = 0; i < count; i++)
      to[i] = lfb_bit_array_read(array, first + i);
}
