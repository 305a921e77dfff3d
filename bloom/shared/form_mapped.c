/*
 * form_mapped.c - the form that several processes map at once (lfbloom/mapped.h), read and
 * written as a snapshot, like the other forms.
 */
#include <stdlib.h>

#include "bloom/files/forms.h"
#include "bloom/shared/mapped_header.h"
#include "bloom/filter/stats.h"

/* Reads and discards the bytes between two offsets. */
static lfb_status mapped_skip(const lfb_reader *reader, uint64_t from, uint64_t to)
{
  unsigned char piece[4096];

  while (from < to) {
    const uint64_t left = to - from;
    const size_t size = left < sizeof piece ? (size_t)left : sizeof piece;
    const lfb_status status = lfb_form_read_bytes(reader, piece, size);
    if (status != LFB_OK)
      return status;
    from += size;
  }
  return LFB_OK;
}

static lfb_status mapped_form_read(const lfb_reader *reader,
                                   const unsigned char head[LFB_FORM_HEAD], lfb_filter **filter)
{
  unsigned char header[LFB_MAPPED_HEADER];
  lfb_description description;
  lfb_mapped_shape shape;
  bool other;

  memcpy(header, head, LFB_FORM_HEAD);
  lfb_status status =
      lfb_form_read_bytes(reader, header + LFB_FORM_HEAD, sizeof header - LFB_FORM_HEAD);
  if (status == LFB_OK)
    status = lfb_mapped_decode(header, reader->limits.key, &shape, &other, &description);
  if (status != LFB_OK)
    return status;
  /* First the limit, which does not need the input's size: a stream and a file fail alike. */
  const uint64_t most = reader->limits.max_bytes, wanted = shape.file_size - shape.words_at;
  if (most != 0 && wanted > most)
    return LFB_ERROR_OVER_LIMIT;
  if (reader->known_bytes != 0 && shape.file_size > reader->known_bytes)
    return LFB_ERROR_TRUNCATED;
  status = mapped_skip(reader, sizeof header, shape.words_at);
  if (status != LFB_OK)
    return status;
  const bool little = (LFB_LITTLE_32(1) == 1) != other;
  return lfb_form_read_words(reader, little ? LFB_ORDER_LITTLE : LFB_ORDER_BIG, NULL,
                             &description, filter);
}

static lfb_status mapped_form_write(const lfb_filter *filter, const lfb_writer *writer)
{
  const lfb_mapped_shape shape = lfb_mapped_shape_for(filter->pages.size);
  const bool little = LFB_LITTLE_32(1) == 1;
  unsigned char *head = calloc(1, (size_t)shape.words_at); /* 2 MiB at most */

  if (head == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_mapped_encode(&filter->description, lfb_filter_bits_set(filter), &shape, head);
  const lfb_status status = writer->write(writer->to, head, (size_t)shape.words_at);
  free(head);
  return status == LFB_OK
             ? lfb_form_write_words(&filter->layout.bits,
                                    little ? LFB_ORDER_LITTLE : LFB_ORDER_BIG, writer, NULL)
             : status;
}

const lfb_form_row lfb_form_row_mapped = {
    .form = LFB_FORM_MAPPED,
    .name = "mapped",
    .magic = LFB_MAGIC_MAPPED,
    .write = mapped_form_write,
    .read = mapped_form_read,
};
