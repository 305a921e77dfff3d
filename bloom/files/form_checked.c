/*
 * form_checked.c - words with a checksum per MiB: the words, little-endian; then the XXH3-64 of
 * each MiB; then the XXH3-64 of this table of checksums.
 */
#include <stdlib.h>
#include <string.h>

#include "bloom/files/forms.h"

static size_t checked_checksum_count(uint64_t size)
{
  return (size_t)((size + LFB_CHECKED_BYTES - 1) / LFB_CHECKED_BYTES);
}

/* Converts the table from or to little-endian; both are the same operation. */
static void checked_table_little(uint64_t *table, size_t count)
{
  for (size_t i = 0; i < count; i++)
    table[i] = LFB_LITTLE_64(table[i]);
}

/* Writes the table, and then the checksum of its bytes. */
static lfb_status checked_write_table(uint64_t *table, size_t count, const lfb_writer *writer)
{
  checked_table_little(table, count);
  table[count] = LFB_LITTLE_64(XXH3_64bits(table, count * sizeof *table));
  return writer->write(writer->to, table, (count + 1) * sizeof *table);
}

lfb_status lfb_form_write_checked(const lfb_bits *bits, const lfb_writer *writer)
{
  const size_t count = checked_checksum_count(bits->word_count * sizeof(lfb_word));
  uint64_t *table = malloc((count + 1) * sizeof *table);

  if (table == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_form_write_words(bits, LFB_ORDER_LITTLE, writer, table);
  if (status == LFB_OK)
    status = checked_write_table(table, count, writer);
  free(table);
  return status;
}

/* Compares the words' checksums with the table.  Sets words that do not match to all ones.  Returns
 * whether all match. */
static bool checked_mend_words(const lfb_reader *reader, uint64_t offset, unsigned char *words,
                               uint64_t size, const uint64_t *checksums, const uint64_t *table)
{
  bool whole = true;

  for (uint64_t at = 0; at < size; at += LFB_CHECKED_BYTES) {
    const uint64_t left = size - at;
    const size_t piece = (size_t)(left < LFB_CHECKED_BYTES ? left : LFB_CHECKED_BYTES);
    const bool match = checksums[at / LFB_CHECKED_BYTES] == table[at / LFB_CHECKED_BYTES];
    lfb_form_compared(reader, offset + at, piece, match);
    if (!match)
      memset(words + at, 0xff, piece);
    whole &= match;
  }
  return whole;
}

/* Compares the words and the table after both were read.  Returns whether both are undamaged. */
static bool checked_compare(const lfb_reader *reader, uint64_t offset, uint64_t *words,
                            uint64_t size, const uint64_t *checksums, bool *changed,
                            uint64_t *table)
{
  const size_t count = checked_checksum_count(size);
  const bool table_whole = XXH3_64bits(table, count * sizeof *table) == LFB_LITTLE_64(table[count]);

  checked_table_little(table, count);
  *changed =
      !checked_mend_words(reader, offset, (unsigned char *)words, size, checksums, table);
  lfb_form_compared(reader, offset + size, (count + 1) * sizeof *table, table_whole);
  return table_whole && !*changed;
}

lfb_status lfb_form_check_words(const lfb_reader *reader, uint64_t offset, uint64_t *words,
                                uint64_t size, const uint64_t *checksums, bool *changed)
{
  const size_t count = checked_checksum_count(size);
  uint64_t *table = malloc((count + 1) * sizeof *table);

  if (table == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_form_read_bytes(reader, table, (count + 1) * sizeof *table);
  if (status == LFB_OK &&
      !checked_compare(reader, offset, words, size, checksums, changed, table) &&
      !reader->limits.open_damaged)
    status = LFB_ERROR_BAD_CHECKSUM;
  free(table);
  return status;
}
