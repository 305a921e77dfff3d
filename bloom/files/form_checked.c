/*
 * form_checked.c - words with a checksum per MiB: the words, little-endian; then the XXH3-64 of
 * each MiB; then the XXH3-64 of this table of checksums.
 */
#include <stdlib.h>
#include <string.h>

#include "bloom/files/forms.h"

lfb_status lfb_form_write_checked(const lfb_bits *bits, const lfb_writer *writer)
{
  const size_t count = lfb_checksum_count(bits->word_count * sizeof(lfb_word));
  uint64_t *table = malloc((count + 1) * sizeof *table);

  if (table == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_form_write_words(bits, LFB_ORDER_LITTLE, writer, table);
  if (status == LFB_OK) {
    table[count] = LFB_LITTLE_64(XXH3_64bits(table, count * sizeof *table));
    status = writer->write(writer->to, table, (count + 1) * sizeof *table);
  }
  free(table);
  return status;
}

/* Compares the words' checksums with the table.  Sets words that do not match to all ones. */
static void checked_mend_words(const lfb_reader *reader, uint64_t offset, lfb_words *words,
                               const uint64_t *table)
{
  for (uint64_t at = 0; at < words->pages.size; at += LFB_CHECKED_BYTES) {
    const uint64_t left = words->pages.size - at, number = at / LFB_CHECKED_BYTES;
    const size_t piece = (size_t)(left < LFB_CHECKED_BYTES ? left : LFB_CHECKED_BYTES);
    const bool match = words->checksums[number] == table[number];
    lfb_form_compared(reader, offset + at, piece, match);
    if (match)
      continue;
    memset((unsigned char *)words->pages.address + at, 0xff, piece);
    words->changed = true;
  }
}

lfb_status lfb_form_check_words(const lfb_reader *reader, uint64_t offset, lfb_words *words)
{
  const size_t count = lfb_checksum_count(words->pages.size), size = (count + 1) * sizeof(uint64_t);
  uint64_t *table = malloc(size);

  if (table == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_form_read_bytes(reader, table, size);
  if (status == LFB_OK) {
    const bool whole = XXH3_64bits(table, count * sizeof *table) == LFB_LITTLE_64(table[count]);
    checked_mend_words(reader, offset, words, table);
    lfb_form_compared(reader, offset + words->pages.size, size, whole);
    if ((!whole || words->changed) && !reader->limits.open_damaged)
      status = LFB_ERROR_BAD_CHECKSUM;
  }
  free(table);
  return status;
}
