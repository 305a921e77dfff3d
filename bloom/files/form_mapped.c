/*
 * form_mapped.c - the form that several processes map at once (lfbloom/mapped.h), read and
 * written as a snapshot, like the other forms.
 */
#include <stdlib.h>

#include "bloom/files/forms.h"
#include "bloom/files/mapped_header.h"
#include "bloom/filter/figures.h"

static lfb_status mapped_form_locate(const lfb_reader *reader,
                                     const unsigned char head[LFB_FORM_HEAD],
                                     lfb_form_place *place)
{
  const bool big = lfb_byte_order_here() == LFB_ORDER_BIG;
  unsigned char header[LFB_MAPPED_HEADER];
  lfb_form_place found = {0};
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
  found.old = shape.old;
  *place = found;
  return LFB_OK;
}

static lfb_status mapped_form_read(const lfb_reader *reader,
                                   const unsigned char head[LFB_FORM_HEAD], lfb_filter **filter)
{
  lfb_form_place place;

  lfb_status status = mapped_form_locate(reader, head, &place);
  if (status != LFB_OK)
    return status;
  /* First the limit, which does not need the input's size: a stream and a file fail alike. */
  const uint64_t most = reader->limits.max_bytes, wanted = place.size - place.words_at;
  if (most != 0 && wanted > most)
    return LFB_ERROR_OVER_LIMIT;
  if (reader->known_bytes != 0 && place.size > reader->known_bytes)
    return LFB_ERROR_TRUNCATED;
  status = lfb_form_skip(reader, LFB_MAPPED_HEADER, place.words_at);
  return status == LFB_OK
             ? lfb_form_read_words(reader, place.order, NULL, &place.description, filter)
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
