/*
 * form_native.c - the library's own form: a header that says all, the words, and
 * a checksum for each MiB of them.
 *
 * Floor 15.
 *
 * 256 bytes of header; the words, little-endian; then for each MiB of words its
 * XXH3-64, and the XXH3-64 of those.  docs/formats.md has it field by field.
 */
#include <stdlib.h>
#include <time.h>

#include "bloom/forms.h"
#include "bloom/native_header.h"

static bool native_form_holds(const lfb_strategy *strategy)
{
  (void)strategy;
  return true;
}

static bool native_form_begins(const unsigned char head[LFB_FORM_HEAD])
{
  return lfb_native_begins(head);
}

static size_t native_checksum_count(uint64_t size)
{
  return (size_t)((size + LFB_CHECKED_BYTES - 1) / LFB_CHECKED_BYTES);
}

/* Turns the table from or into little-endian: the same either way. */
static void native_table_little(uint64_t *table, size_t count)
{
  for (size_t i = 0; i < count; i++)
    table[i] = LFB_LITTLE_64(table[i]);
}

/* Writes the table, and the checksum of its bytes behind it. */
static lfb_status native_write_table(uint64_t *table, size_t count, const lfb_writer *writer)
{
  native_table_little(table, count);
  table[count] = LFB_LITTLE_64(XXH3_64bits(table, count * sizeof *table));
  return writer->write(writer->to, table, (count + 1) * sizeof *table);
}

static lfb_status native_form_write(const lfb_filter *filter, const lfb_writer *writer)
{
  const size_t count = native_checksum_count(filter->pages.size);
  const time_t now = time(NULL);
  unsigned char header[LFB_NATIVE_HEADER];

  uint64_t *table = malloc((count + 1) * sizeof *table);
  if (table == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_native_encode(filter, now < 0 ? 0 : (uint64_t)now, header);
  lfb_status status = writer->write(writer->to, header, sizeof header);
  if (status == LFB_OK)
    status = lfb_form_write_words(filter, LFB_ORDER_LITTLE, writer, table);
  if (status == LFB_OK)
    status = native_write_table(table, count, writer);
  free(table);
  return status;
}

/* Compares the words' bytes with the table's checksums. */
static bool native_words_match(const unsigned char *bytes, uint64_t size, const uint64_t *table)
{
  for (uint64_t at = 0; at < size; at += LFB_CHECKED_BYTES) {
    const uint64_t left = size - at;
    const size_t piece = (size_t)(left < LFB_CHECKED_BYTES ? left : LFB_CHECKED_BYTES);
    if (XXH3_64bits(bytes + at, piece) != table[at / LFB_CHECKED_BYTES])
      return false;
  }
  return true;
}

static lfb_status native_check(const lfb_reader *reader, const void *bytes, uint64_t size)
{
  const size_t count = native_checksum_count(size);
  uint64_t *table = malloc((count + 1) * sizeof *table);

  if (table == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_form_read_bytes(reader, table, (count + 1) * sizeof *table);
  if (status == LFB_OK) {
    const uint64_t whole = XXH3_64bits(table, count * sizeof *table);
    native_table_little(table, count + 1);
    if (table[count] != whole || !native_words_match(bytes, size, table))
      status = LFB_ERROR_BAD_CHECKSUM;
  }
  free(table);
  return status;
}

static lfb_status native_form_read(const lfb_reader *reader,
                                   const unsigned char head[LFB_FORM_HEAD], lfb_filter **filter)
{
  unsigned char header[LFB_NATIVE_HEADER];
  lfb_description description;

  memcpy(header, head, LFB_FORM_HEAD);
  lfb_status status =
      lfb_form_read_bytes(reader, header + LFB_FORM_HEAD, sizeof header - LFB_FORM_HEAD);
  if (status == LFB_OK)
    status = lfb_native_decode(header, reader->limits.key, &description);
  if (status != LFB_OK)
    return status;
  return lfb_form_read_words(reader, LFB_ORDER_LITTLE, native_check, &description, filter);
}

const lfb_form_row lfb_form_row_native = {
    .form = LFB_FORM_NATIVE,
    .name = "native",
    .holds = native_form_holds,
    .begins = native_form_begins,
    .write = native_form_write,
    .read = native_form_read,
};
