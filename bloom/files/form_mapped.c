/*
 * form_mapped.c - the form that several processes map at once (lfbloom/mapped.h): its head; read
 * and written as a snapshot, like the other forms.
 */
#include <stdlib.h>

#include "atomic/words/pages.h"
#include "bloom/files/forms.h"
#include "bloom/files/mapped_header.h"
#include "bloom/filter/figures.h"

/* ---- the head ------------------------------------------------------------------------ */

/* Where each field of the prefix is, in bytes from the start, after those of magic.h:
 * docs/formats.md. */
enum {
  MAPPED_AT_ORDER = 16, /* 8 bytes, in the byte order of the file's maker */
  MAPPED_AT_WORDS = 24,
  MAPPED_AT_FILE_SIZE = 32,
  MAPPED_AT_CELL_COUNT = 40,
  MAPPED_AT_CELL_SIZE = 44,
  MAPPED_AT_RESERVED = 48, /* zero up to the checksum */
};

enum {
  MAPPED_VERSION = 2,
  SMALL_ALIGNMENT = 1 << 16, /* a multiple of every processor's page size */
};

/* From this size on, words begin at a huge page of the file. */
#define LARGE_WORDS (UINT64_C(16) << 20)

uint64_t lfb_mapped_words_from(uint64_t from, uint64_t word_bytes)
{
  const uint64_t unit = word_bytes >= LARGE_WORDS ? LFB_HUGE_PAGE : (uint64_t)SMALL_ALIGNMENT;
  return (from + unit - 1) / unit * unit;
}

lfb_mapped_shape lfb_mapped_shape_for(uint64_t word_bytes)
{
  const uint64_t words_at = lfb_mapped_words_from(LFB_MAPPED_CELLS_END, word_bytes);
  return (lfb_mapped_shape){.words_at = words_at, .file_size = words_at + word_bytes};
}

void lfb_mapped_encode(const lfb_description *description, uint64_t bits_set,
                       const lfb_mapped_shape *shape, unsigned char header[LFB_MAPPED_HEADER])
{
  lfb_head_begin(header, LFB_MAGIC_MAPPED, MAPPED_VERSION);
  lfb_head_store_order(header + MAPPED_AT_ORDER);
  lfb_store_le64(header + MAPPED_AT_WORDS, shape->words_at);
  lfb_store_le64(header + MAPPED_AT_FILE_SIZE, shape->file_size);
  lfb_store_le32(header + MAPPED_AT_CELL_COUNT, LFB_CLAIM_CELLS);
  lfb_store_le32(header + MAPPED_AT_CELL_SIZE, sizeof(lfb_cell));
  lfb_head_end(header);
  lfb_native_encode(description, bits_set, lfb_native_now(), header + LFB_MAPPED_PREFIX);
}

static lfb_status decode_shape(const unsigned char *header, const lfb_geometry *geometry,
                               lfb_mapped_shape *shape)
{
  const lfb_mapped_shape found = {
      .words_at = lfb_load_le64(header + MAPPED_AT_WORDS),
      .file_size = lfb_load_le64(header + MAPPED_AT_FILE_SIZE),
  };

  if (lfb_load_le32(header + MAPPED_AT_CELL_COUNT) != LFB_CLAIM_CELLS ||
      lfb_load_le32(header + MAPPED_AT_CELL_SIZE) != sizeof(lfb_cell))
    return LFB_ERROR_BAD_HEADER;
  /* the sum does not overflow: bit_count is below 2^63 */
  if (found.words_at % LFB_CACHE_LINE != 0 || found.words_at < LFB_MAPPED_CELLS_END ||
      found.words_at > LFB_MAPPED_WORDS_AT_MOST ||
      found.file_size != found.words_at + geometry->word_count * sizeof(lfb_word))
    return LFB_ERROR_BAD_HEADER;
  *shape = found;
  return LFB_OK;
}

/* Checks the fields of the prefix that do not depend on the native header. */
static lfb_status mapped_decode_prefix(const unsigned char *header)
{
  const lfb_status status = lfb_head_check(header, LFB_MAGIC_MAPPED, MAPPED_VERSION);

  return status != LFB_OK                                ? status
         : lfb_head_is_whole(header, MAPPED_AT_RESERVED) ? LFB_OK
                                                         : LFB_ERROR_BAD_HEADER;
}

lfb_status lfb_mapped_decode(const unsigned char header[LFB_MAPPED_HEADER], const uint8_t *key,
                             lfb_mapped_shape *shape, bool *other_byte_order,
                             lfb_description *description)
{
  lfb_description found;

  lfb_status status = mapped_decode_prefix(header);
  if (status == LFB_OK)
    status = lfb_native_decode(header + LFB_MAPPED_PREFIX, key, &found);
  if (status == LFB_OK)
    status = decode_shape(header, &found.geometry, shape);
  if (status == LFB_OK && !lfb_head_load_order(header + MAPPED_AT_ORDER, other_byte_order))
    status = LFB_ERROR_BAD_HEADER;
  if (status != LFB_OK)
    return status == LFB_ERROR_UNKNOWN_FORM && lfb_magic_begun(header) == LFB_MAGIC_MAPPED
               ? LFB_ERROR_BAD_HEADER
               : status;
  found.form = LFB_FORM_MAPPED;
  *description = found;
  return LFB_OK;
}

/* ---- the form ------------------------------------------------------------------------ */

static lfb_status mapped_form_locate(const lfb_reader *reader,
                                     const unsigned char head[LFB_FORM_HEAD],
                                     lfb_form_located *located)
{
  const bool big = lfb_byte_order_here() == LFB_ORDER_BIG;
  unsigned char header[LFB_MAPPED_HEADER];
  lfb_form_located found = {0};
  lfb_mapped_shape shape;
  bool other;

  memcpy(header, head, LFB_FORM_HEAD);
  lfb_status status =
      lfb_form_read_bytes(reader, header + LFB_FORM_HEAD, sizeof header - LFB_FORM_HEAD);
  if (status == LFB_OK)
    status = lfb_mapped_decode(header, reader->limits.key, &shape, &other, &found.description);
  if (status != LFB_OK)
    return status;
  found.order = big != other ? LFB_ORDER_BIG : LFB_ORDER_LITTLE;
  found.words_at = shape.words_at;
  found.size = shape.file_size;
  *located = found;
  return LFB_OK;
}

static lfb_status mapped_form_read(const lfb_reader *reader,
                                   const unsigned char head[LFB_FORM_HEAD], lfb_filter **filter)
{
  lfb_form_located located;

  lfb_status status = mapped_form_locate(reader, head, &located);
  if (status != LFB_OK)
    return status;
  /* First the limit, which does not need the input's size: a stream and a file fail alike. */
  const uint64_t most = reader->limits.max_bytes, wanted = located.size - located.words_at;
  if (most != 0 && wanted > most)
    return LFB_ERROR_OVER_LIMIT;
  if (reader->known_bytes != 0 && located.size > reader->known_bytes)
    return LFB_ERROR_TRUNCATED;
  status = lfb_form_skip(reader, LFB_MAPPED_HEADER, located.words_at);
  return status == LFB_OK
             ? lfb_form_read_words(reader, located.order, NULL, &located.description, filter)
             : status;
}

static lfb_status mapped_form_write(const lfb_filter *filter, const lfb_writer *writer)
{
  const lfb_mapped_shape shape = lfb_mapped_shape_for(filter->pages.size);
  unsigned char *head = calloc(1, (size_t)shape.words_at); /* 2 MiB at most */

  if (head == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_mapped_encode(&filter->description, lfb_filter_bits_set(filter), &shape, head);
  const lfb_status status = writer->write(writer->to, head, (size_t)shape.words_at);
  free(head);
  return status == LFB_OK
             ? lfb_form_write_words(&filter->layout.bits, lfb_byte_order_here(), writer, NULL)
             : status;
}

const lfb_form_row lfb_form_row_mapped = {
    .form = LFB_FORM_MAPPED,
    .name = "mapped",
    .magic = LFB_MAGIC_MAPPED,
    .write = mapped_form_write,
    .locate = mapped_form_locate,
    .read = mapped_form_read,
};
