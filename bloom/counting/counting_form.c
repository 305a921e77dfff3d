/*
 * counting_form.c - the form of a counting filter, and files of it: a prefix, a native header, then
 * the counters or tags, with a checksum per MiB.
 *
 * docs/formats.md describes each field.
 */
#include <assert.h>

#include "bloom/files/forms.h"
#include "bloom/files/native_header.h"
#include "bloom/counting/counting.h"
#include "bloom/strategies/tags_size.h"

/* Where each field is, in bytes from the start, after those of magic.h: docs/formats.md. */
enum {
  COUNTING_AT_COUNTER_BITS = 16, /* or the bits of a tag                    */
  COUNTING_AT_COPIES = 20,       /* tags: config.copies; counters: 0        */
  COUNTING_AT_WORDS = 24,
  COUNTING_AT_RESERVED = 32, /* zero up to the checksum */
};

enum {
  COUNTING_VERSION = 1,
  COUNTING_HEADER = LFB_HEAD_SIZE + LFB_NATIVE_HEADER, /* bytes */
};

/* The bits of a counter or tag. */
static uint32_t counting_cell_bits(const lfb_description *description)
{
  return lfb_counting_has_tags(description) ? description->geometry.probes
                                            : (uint32_t)LFB_COUNTER_BITS;
}

/* ---- writing ---------------------------------------------------------------------- */

static lfb_status counting_write_form(const void *what, const lfb_writer *writer)
{
  const lfb_counting *counting = what;
  const uint64_t word_count = counting->pages.size / sizeof(lfb_word);
  const lfb_bit_array words =
      lfb_bit_array_over(lfb_counting_words(counting), word_count, (lfb_stripes){0});
  unsigned char header[COUNTING_HEADER];

  lfb_head_begin(header, LFB_MAGIC_COUNTING, COUNTING_VERSION);
  lfb_store_le32(header + COUNTING_AT_COUNTER_BITS, counting_cell_bits(&counting->description));
  if (lfb_counting_has_tags(&counting->description))
    lfb_store_le32(header + COUNTING_AT_COPIES, (uint32_t)counting->description.config.copies);
  lfb_store_le64(header + COUNTING_AT_WORDS, word_count);
  lfb_head_end(header);
  lfb_native_encode(&counting->description, lfb_counting_bits_set(counting), lfb_native_now(),
                    header + LFB_HEAD_SIZE);
  const lfb_status status = writer->write(writer->to, header, sizeof header);
  return status != LFB_OK ? status : lfb_form_write_checked(&words, writer);
}

/* ---- reading ---------------------------------------------------------------------- */

/* Checks every field of a header.  With LFB_ERROR_KEY_NEEDED the description is written, except its
 * hasher. */
static lfb_status counting_decode(const unsigned char header[COUNTING_HEADER], const uint8_t *key,
                                  lfb_description *description)
{
  lfb_description found;

  lfb_status status = lfb_head_check(header, LFB_MAGIC_COUNTING, COUNTING_VERSION);
  if (status != LFB_OK)
    return status;
  const uint32_t cell_bits = lfb_load_le32(header + COUNTING_AT_COUNTER_BITS);
  const uint32_t copies = lfb_load_le32(header + COUNTING_AT_COPIES);
  if (!lfb_head_is_whole(header, COUNTING_AT_RESERVED))
    return LFB_ERROR_BAD_HEADER;
  status = lfb_native_decode_any(header + LFB_HEAD_SIZE, key, &found);
  if (status == LFB_ERROR_UNKNOWN_FORM)
    return LFB_ERROR_BAD_HEADER; /* the native header is missing */
  if (status != LFB_OK && status != LFB_ERROR_KEY_NEEDED)
    return status;
  if (cell_bits != counting_cell_bits(&found) ||
      copies > (lfb_counting_has_tags(&found) ? lfb_tags_most_copies(cell_bits) : 0))
    return LFB_ERROR_BAD_HEADER;
  /* the product does not overflow: bit_count is below 2^63 */
  if (lfb_load_le64(header + COUNTING_AT_WORDS) != lfb_counting_word_count(&found))
    return LFB_ERROR_BAD_WORD_COUNT;
  found.config.copies = copies;
  found.form = LFB_FORM_NONE;
  *description = found;
  return status;
}

/* Reads and decodes the header, after checking the form by its first bytes. */
static lfb_status counting_read_head(const lfb_reader *reader, lfb_description *description)
{
  unsigned char header[COUNTING_HEADER];
  const lfb_status status = lfb_form_read_header(reader, LFB_MAGIC_COUNTING, LFB_ERROR_NOT_COUNTING,
                                                 header, sizeof header);

  return status != LFB_OK
             ? status
             : lfb_form_decoded(reader, sizeof header,
                                counting_decode(header, reader->limits.key, description));
}

/* Checks words of tags.  Damaged ones cannot be opened: no content would keep their keys. */
static lfb_status counting_check_tags(const lfb_geometry *geometry, const lfb_words *come)
{
  const uint64_t *words = come->pages.address;
  const uint64_t unused = ~(UINT64_MAX >> LFB_WORD_BITS % geometry->probes);
  uint64_t all = 0;

  for (uint64_t i = 0; i < geometry->word_count; i++)
    all |= words[i];
  if (come->changed)
    return LFB_ERROR_BAD_CHECKSUM;
  return (all & unused) == 0 ? LFB_OK : LFB_ERROR_BAD_HEADER;
}

/*
 * Checks that the counters after the last bit are 0.  If damaged words were changed to ones, it
 * sets these counters to 0.  Fails if the file itself has one above 0.
 */
static lfb_status counting_trim(const lfb_geometry *geometry, const lfb_words *come)
{
  uint64_t *words = come->pages.address, beyond = 0;

  for (uint64_t i = geometry->bit_count; i < geometry->word_count * LFB_WORD_BITS; i++) {
    uint64_t *word = &words[i / LFB_COUNTERS_A_WORD];
    const uint64_t counter = (uint64_t)LFB_COUNTER_MOST
                             << (LFB_COUNTER_BITS * (i % LFB_COUNTERS_A_WORD));
    beyond |= *word & counter;
    if (come->changed)
      *word &= ~counter;
  }
  return beyond == 0 || come->changed ? LFB_OK : LFB_ERROR_BAD_HEADER;
}

/* Reads and checks the counters, and makes a filter of them. */
static lfb_status counting_read_words(const lfb_reader *reader,
                                      const lfb_description *description,
                                      lfb_counting **counting)
{
  lfb_words come;

  lfb_status status = lfb_form_take_words(reader, LFB_ORDER_LITTLE,
                                          lfb_counting_word_count(description) * sizeof(lfb_word),
                                          &come);
  if (status != LFB_OK)
    return status;
  status = lfb_form_check_words(reader, COUNTING_HEADER, &come);
  if (status == LFB_OK)
    status = lfb_counting_has_tags(description) ? counting_check_tags(&description->geometry, &come)
                                                : counting_trim(&description->geometry, &come);
  if (status == LFB_OK)
    status = lfb_counting_make(description, &come.pages, counting);
  if (status == LFB_OK) {
    come.pages = (lfb_pages){0}; /* the filter's now */
    lfb_counting_count_all(*counting);
  }
  lfb_words_free(&come);
  return status;
}

static lfb_status counting_read_form(const lfb_reader *reader, void **made)
{
  lfb_description description = {0};
  lfb_counting *counting;

  const lfb_status decoded = counting_read_head(reader, &description);
  if (decoded != LFB_OK && (decoded != LFB_ERROR_KEY_NEEDED || reader->limits.damage == NULL))
    return decoded;
  assert(description.strategy != NULL);
  const lfb_status status = counting_read_words(reader, &description, &counting);
  if (status != LFB_OK)
    return status;
  if (decoded == LFB_OK)
    *made = counting;
  else
    lfb_counting_free(counting); /* only compared: without its key it cannot answer */
  return decoded;
}

const lfb_any_form lfb_any_form_counting = {counting_write_form, counting_read_form};
