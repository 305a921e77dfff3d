/*
 * form_mapped.c - the form that several processes map at once (lfbloom/mapped.h), read
 * and written as the others are: as a snapshot.
 *
 * Floor 16.
 */
#include <time.h>

#include "bloom/forms/digest.h"
#include "bloom/forms/forms.h"
#include "bloom/forms/mapped_header.h"

static bool mapped_form_holds(const lfb_strategy *strategy)
{
  (void)strategy;
  return true;
}

/* Reads what lies between two offsets, and forgets it. */
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
  /* What both a stream and a file can know is asked first, so that they agree. */
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

/* Writes zeros between two offsets. */
static lfb_status mapped_pad(const lfb_writer *writer, uint64_t from, uint64_t to)
{
  static const unsigned char zeros[4096];

  while (from < to) {
    const uint64_t left = to - from;
    const size_t size = left < sizeof zeros ? (size_t)left : sizeof zeros;
    const lfb_status status = writer->write(writer->to, zeros, size);
    if (status != LFB_OK)
      return status;
    from += size;
  }
  return LFB_OK;
}

/* Writes what the processes share.  Others may put meanwhile, so that the words have more
 * bits than were counted: the book says that somebody died, until mapped_settle(). */
static lfb_status mapped_write_shared(const lfb_filter *filter, const lfb_mapped_shape *shape,
                                      const lfb_writer *writer)
{
  const uint64_t book[sizeof(lfb_lease_book) / sizeof(uint64_t)] = {1, 0};
  const uint64_t count = lfb_core_bits_set(filter);
  const uint64_t lines_at = lfb_mapped_lines_at(shape);

  lfb_status status = writer->write(writer->to, book, sizeof book);
  if (status == LFB_OK)
    status = mapped_pad(writer, LFB_MAPPED_BOOK + sizeof book, lines_at);
  if (status == LFB_OK)
    status = writer->write(writer->to, &count, sizeof count);
  if (status == LFB_OK)
    status = mapped_pad(writer, lines_at + sizeof count, shape->words_at);
  return status;
}

/* A writer of words, which counts their bits. */
typedef struct mapped_counted {
  const lfb_writer *writer;
  uint64_t bits_set;
} mapped_counted;

static lfb_status mapped_write_counted(void *to, const void *bytes, size_t size)
{
  mapped_counted *counted = to;

  counted->bits_set += lfb_digest_bits(bytes, size / sizeof(uint64_t));
  return counted->writer->write(counted->writer->to, bytes, size);
}

/* Where that can be done, makes the count that of the words which were written: then
 * nobody has died. */
static lfb_status mapped_settle(const lfb_writer *writer, const lfb_mapped_shape *shape,
                                uint64_t bits_set)
{
  static const uint64_t book[sizeof(lfb_lease_book) / sizeof(uint64_t)];

  if (writer->rewrite == NULL)
    return LFB_OK;
  const lfb_status status =
      writer->rewrite(writer->to, lfb_mapped_lines_at(shape), &bits_set, sizeof bits_set);
  return status == LFB_OK ? writer->rewrite(writer->to, LFB_MAPPED_BOOK, book, sizeof book)
                          : status;
}

static lfb_status mapped_form_write(const lfb_filter *filter, const lfb_writer *writer)
{
  const lfb_mapped_shape shape = lfb_mapped_shape_for(filter->pages.size);
  const time_t now = time(NULL);
  mapped_counted counted = {.writer = writer};
  unsigned char header[LFB_MAPPED_HEADER];

  lfb_mapped_encode(filter, &shape, now < 0 ? 0 : (uint64_t)now, header);
  lfb_status status = writer->write(writer->to, header, sizeof header);
  if (status == LFB_OK)
    status = mapped_write_shared(filter, &shape, writer);
  if (status != LFB_OK)
    return status;
  const bool little = LFB_LITTLE_32(1) == 1;
  status = lfb_form_write_words(&filter->layout.bits, little ? LFB_ORDER_LITTLE : LFB_ORDER_BIG,
                                &(lfb_writer){.write = mapped_write_counted, .to = &counted}, NULL);
  return status == LFB_OK ? mapped_settle(writer, &shape, counted.bits_set) : status;
}

const lfb_form_row lfb_form_row_mapped = {
    .form = LFB_FORM_MAPPED,
    .name = "mapped",
    .holds = mapped_form_holds,
    .begins = lfb_mapped_begins,
    .write = mapped_form_write,
    .read = mapped_form_read,
};
