/* form_words.c - reading and writing the words of a form.  Floor 14. */
#include "bloom/forms.h"

#include <string.h>

enum {
  WRITE_WORDS = 2048, /* at a time: 16 KiB of the caller's stack */
};

/* Bytes of words taken on the word of a header alone; then as they come. */
#define FIRST_BYTES (UINT64_C(1) << 20)

/* Turns words from a byte order into this machine's, or back. */
static void words_reorder(uint64_t *words, size_t count, lfb_byte_order order)
{
  const bool swap = (order == LFB_ORDER_LITTLE) != (LFB_LITTLE_32(1) == 1);

  for (size_t i = 0; swap && i < count; i++)
    words[i] = __builtin_bswap64(words[i]);
}

lfb_status lfb_form_read_bytes(const lfb_reader *reader, void *bytes, size_t size)
{
  for (size_t have = 0; have < size;) {
    size_t got = 0;
    const lfb_status status =
        reader->read(reader->from, (char *)bytes + have, size - have, &got);
    if (status != LFB_OK)
      return status;
    if (got == 0)
      return LFB_ERROR_TRUNCATED;
    have += got;
  }
  return LFB_OK;
}

/* Moves what has come into more memory: at most 4 times as much as has come. */
static lfb_status words_grow(lfb_pages *pages, uint64_t wanted)
{
  const uint64_t size = wanted / 4 > pages->size ? 4 * pages->size : wanted;
  lfb_pages larger;
  const lfb_status status = lfb_pages_init(&larger, size, false);

  if (status != LFB_OK)
    return status;
  memcpy(larger.address, pages->address, pages->size);
  lfb_pages_free(pages);
  *pages = larger;
  return LFB_OK;
}

/* Reads `size` bytes into pages, which are the caller's to free also on failure. */
static lfb_status words_fill(const lfb_reader *reader, lfb_pages *pages, uint64_t size)
{
  for (uint64_t have = 0;;) {
    lfb_status status =
        lfb_form_read_bytes(reader, (char *)pages->address + have, pages->size - have);
    if (status != LFB_OK || pages->size == size)
      return status;
    have = pages->size;
    status = words_grow(pages, size);
    if (status != LFB_OK)
      return status;
  }
}

/* Whether the last word has bits set that are beyond the filter's last one. */
static bool words_overhang(const lfb_geometry *geometry, const uint64_t *words)
{
  const uint32_t used = geometry->bit_count % LFB_WORD_BITS;
  return used != 0 && words[geometry->word_count - 1] >> used != 0;
}

lfb_status lfb_form_read_words(const lfb_reader *reader, lfb_byte_order order,
                               lfb_words_check check, const lfb_description *description,
                               lfb_filter **filter)
{
  const uint64_t words = description->geometry.word_count;
  const uint64_t size = words * sizeof(lfb_word);
  lfb_pages pages;

  if (reader->limits.max_bytes != 0 && size > reader->limits.max_bytes)
    return LFB_ERROR_OVER_LIMIT;
  if (reader->known_bytes != 0 && size > reader->known_bytes)
    return LFB_ERROR_TRUNCATED;
  const bool all_there = reader->known_bytes != 0 || size < FIRST_BYTES;
  lfb_status status = lfb_pages_init(&pages, all_there ? size : FIRST_BYTES, false);
  if (status != LFB_OK)
    return status;

  lfb_filter *made = NULL;
  status = words_fill(reader, &pages, size);
  if (status == LFB_OK && check != NULL)
    status = check(reader, &description->geometry, pages.address);
  if (status == LFB_OK) {
    words_reorder(pages.address, words, order);
    status = words_overhang(&description->geometry, pages.address)
                 ? LFB_ERROR_BAD_HEADER
                 : lfb_core_make(description, &pages, &made);
  }
  if (status != LFB_OK) {
    lfb_pages_free(&pages);
    return status;
  }
  lfb_layout_count(&made->layout, lfb_bits_count(&made->layout.bits));
  *filter = made;
  return LFB_OK;
}

lfb_status lfb_form_write_words(const lfb_filter *filter, lfb_byte_order order,
                                const lfb_writer *writer, uint64_t *checksums)
{
  const lfb_bits *bits = &filter->layout.bits;
  const uint64_t checked_words = LFB_CHECKED_BYTES / sizeof(uint64_t); /* whole chunks */
  uint64_t words[WRITE_WORDS];
  XXH3_state_t state;

  for (uint64_t first = 0; first < bits->word_count; first += WRITE_WORDS) {
    const uint64_t left = bits->word_count - first;
    const size_t count = left < WRITE_WORDS ? (size_t)left : (size_t)WRITE_WORDS;
    lfb_bits_snapshot(bits, first, words, count);
    words_reorder(words, count, order);
    if (checksums != NULL && first % checked_words == 0)
      (void)XXH3_64bits_reset(&state);
    if (checksums != NULL) {
      (void)XXH3_64bits_update(&state, words, count * sizeof *words);
      checksums[first / checked_words] = XXH3_64bits_digest(&state);
    }
    const lfb_status status = writer->write(writer->to, words, count * sizeof *words);
    if (status != LFB_OK)
      return status;
  }
  return LFB_OK;
}
