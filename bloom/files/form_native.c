/*
 * form_native.c - the library's own form: a header that describes the whole filter, the words, and
 * a checksum per MiB.
 *
 * 256 bytes of header, then words and checksums as in form_words.c.  docs/formats.md describes
 * each field.
 */
#include "bloom/files/forms.h"
#include "bloom/files/native_header.h"
#include "bloom/filter/figures.h"

static lfb_status native_form_write(const lfb_filter *filter, const lfb_writer *writer)
{
  unsigned char header[LFB_NATIVE_HEADER];

  lfb_native_encode(&filter->description, lfb_filter_bits_set(filter), lfb_native_now(), header);
  const lfb_status status = writer->write(writer->to, header, sizeof header);
  return status != LFB_OK ? status : lfb_form_write_checked(&filter->layout.bits, writer);
}

static lfb_status native_check(const lfb_reader *reader, lfb_words *words)
{
  return lfb_form_check_words(reader, LFB_NATIVE_HEADER, words);
}

/* Reads the rest of the header and decodes it. */
static lfb_status native_read_header(const lfb_reader *reader, const unsigned char *head,
                                     unsigned char header[LFB_NATIVE_HEADER],
                                     lfb_description *description)
{
  memcpy(header, head, LFB_FORM_HEAD);
  const lfb_status status =
      lfb_form_read_bytes(reader, header + LFB_FORM_HEAD, LFB_NATIVE_HEADER - LFB_FORM_HEAD);
  return status != LFB_OK
             ? status
             : lfb_form_decoded(reader, LFB_NATIVE_HEADER,
                                lfb_native_decode(header, reader->limits.key, description));
}

static lfb_status native_form_locate(const lfb_reader *reader,
                                     const unsigned char head[LFB_FORM_HEAD],
                                     lfb_form_located *located)
{
  lfb_form_located found = {.order = LFB_ORDER_LITTLE, .words_at = LFB_NATIVE_HEADER};
  unsigned char header[LFB_NATIVE_HEADER];
  const lfb_status status = native_read_header(reader, head, header, &found.description);

  if (status != LFB_OK)
    return status;
  found.size = found.words_at + lfb_form_checked_size(found.description.geometry.word_count *
                                                      sizeof(lfb_word));
  *located = found;
  return LFB_OK;
}

static lfb_status native_form_read(const lfb_reader *reader,
                                   const unsigned char head[LFB_FORM_HEAD], lfb_filter **filter)
{
  lfb_damage *damage = reader->limits.damage;
  unsigned char header[LFB_NATIVE_HEADER];
  lfb_description description;
  lfb_filter *made;

  const lfb_status decoded = native_read_header(reader, head, header, &description);
  if (decoded != LFB_OK && (decoded != LFB_ERROR_KEY_NEEDED || damage == NULL))
    return decoded;
  const lfb_status status =
      lfb_form_read_words(reader, LFB_ORDER_LITTLE, native_check, &description, &made);
  if (status != LFB_OK)
    return status;
  if (damage != NULL) {
    const uint64_t counted = lfb_native_bits_set(header);
    const uint64_t there = lfb_bit_array_count(&made->layout.bits);
    damage->bits_missing += counted > there ? counted - there : 0;
  }
  if (decoded == LFB_OK)
    *filter = made;
  else
    lfb_filter_free(made); /* only compared: without its key it cannot answer */
  return decoded;
}

const lfb_form_row lfb_form_row_native = {
    .form = LFB_FORM_NATIVE,
    .name = "native",
    .magic = LFB_MAGIC_NATIVE,
    .write = native_form_write,
    .locate = native_form_locate,
    .read = native_form_read,
};
