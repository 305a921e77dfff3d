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
  lfb_native_encode(&filter->description, lfb_core_bits_set(filter), now < 0 ? 0 : (uint64_t)now,
                    header);
  lfb_status status = writer->write(writer->to, header, sizeof header);
  if (status == LFB_OK)
    status = lfb_form_write_words(filter, LFB_ORDER_LITTLE, writer, table);
  if (status == LFB_OK)
    status = native_write_table(table, count, writer);
  free(table);
  return status;
}

/* Compares the words' checksums with the table's, and makes those words that do not match
 * all ones; whether all do. */
static bool native_mend_words(const lfb_reader *reader, unsigned char *words, uint64_t size,
                              const uint64_t *checksums, const uint64_t *table)
{
  bool whole = true;

  for (uint64_t at = 0; at < size; at += LFB_CHECKED_BYTES) {
    const uint64_t left = size - at;
    const size_t piece = (size_t)(left < LFB_CHECKED_BYTES ? left : LFB_CHECKED_BYTES);
    const bool match = checksums[at / LFB_CHECKED_BYTES] == table[at / LFB_CHECKED_BYTES];
    lfb_form_compared(reader, LFB_NATIVE_HEADER + at, piece, match);
    if (!match)
      memset(words + at, 0xff, piece);
    whole &= match;
  }
  return whole;
}

/* Compares everything behind the header, all of which has been read. */
static lfb_status native_compare(const lfb_reader *reader, const lfb_geometry *geometry,
                                 uint64_t *words, const uint64_t *checksums, bool *changed,
                                 uint64_t *table)
{
  const uint64_t size = geometry->word_count * sizeof *words;
  const uint32_t used = geometry->bit_count % LFB_WORD_BITS;
  const size_t count = native_checksum_count(size);
  const bool table_whole = XXH3_64bits(table, count * sizeof *table) == LFB_LITTLE_64(table[count]);

  native_table_little(table, count);
  const bool words_whole =
      native_mend_words(reader, (unsigned char *)words, size, checksums, table);
  lfb_form_compared(reader, LFB_NATIVE_HEADER + size, (count + 1) * sizeof *table, table_whole);
  *changed = !words_whole;
  if (words_whole && table_whole)
    return LFB_OK;
  /* of the ones, too, none beyond the last bit */
  if (!words_whole && used != 0)
    words[geometry->word_count - 1] &= (UINT64_C(1) << used) - 1;
  return reader->limits.open_damaged ? LFB_OK : LFB_ERROR_BAD_CHECKSUM;
}

static lfb_status native_check(const lfb_reader *reader, const lfb_geometry *geometry,
                               uint64_t *words, const uint64_t *checksums, bool *changed)
{
  const size_t count = native_checksum_count(geometry->word_count * sizeof *words);
  uint64_t *table = malloc((count + 1) * sizeof *table);

  if (table == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_form_read_bytes(reader, table, (count + 1) * sizeof *table);
  if (status == LFB_OK)
    status = native_compare(reader, geometry, words, checksums, changed, table);
  free(table);
  return status;
}

/* Reads the rest of the header, and what it says. */
static lfb_status native_read_header(const lfb_reader *reader, const unsigned char *head,
                                     unsigned char header[LFB_NATIVE_HEADER],
                                     lfb_description *description)
{
  memcpy(header, head, LFB_FORM_HEAD);
  lfb_status status =
      lfb_form_read_bytes(reader, header + LFB_FORM_HEAD, LFB_NATIVE_HEADER - LFB_FORM_HEAD);
  if (status != LFB_OK)
    return status;
  status = lfb_native_decode(header, reader->limits.key, description);
  if (status != LFB_ERROR_UNKNOWN_FORM && status != LFB_ERROR_UNKNOWN_VERSION)
    lfb_form_compared(reader, 0, LFB_NATIVE_HEADER, status != LFB_ERROR_BAD_CHECKSUM);
  return status;
}

static lfb_status native_form_read(const lfb_reader *reader,
                                   const unsigned char head[LFB_FORM_HEAD], lfb_filter **filter)
{
  lfb_damage *damage = reader->limits.damage;
  unsigned char header[LFB_NATIVE_HEADER];
  lfb_description description;
  lfb_filter *made;

  lfb_status status = native_read_header(reader, head, header, &description);
  const bool only_compared = status == LFB_ERROR_KEY_NEEDED && damage != NULL;
  if (status != LFB_OK && !only_compared)
    return status;
  status = lfb_form_read_words(reader, LFB_ORDER_LITTLE, native_check, &description, &made);
  if (status != LFB_OK)
    return status;
  if (damage != NULL) {
    const uint64_t counted = lfb_native_bits_set(header);
    const uint64_t there = lfb_stripes_sum(&made->layout.count);
    damage->bits_missing += counted > there ? counted - there : 0;
  }
  if (only_compared) {
    lfb_filter_free(made); /* which could answer nothing */
    return LFB_ERROR_KEY_NEEDED;
  }
  *filter = made;
  return LFB_OK;
}

const lfb_form_row lfb_form_row_native = {
    .form = LFB_FORM_NATIVE,
    .name = "native",
    .holds = native_form_holds,
    .begins = native_form_begins,
    .write = native_form_write,
    .read = native_form_read,
};
