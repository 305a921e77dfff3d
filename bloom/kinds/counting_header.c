/* counting_header.c - writing and checking the fields of a counting filter's header. */
#include "bloom/kinds/counting_header.h"

/* Where each field is, in bytes from the start, after those of magic.h: docs/formats.md. */
enum {
  COUNTING_AT_COUNTER_BITS = 16,
  COUNTING_AT_ZERO = 20,
  COUNTING_AT_WORDS = 24,
  COUNTING_AT_RESERVED = 32, /* zero up to the checksum */
};

enum { COUNTING_VERSION = 1 };

void lfb_counting_encode(const lfb_counting *counting, uint64_t now,
                         unsigned char header[LFB_COUNTING_HEADER])
{
  lfb_head_begin(header, LFB_MAGIC_COUNTING, COUNTING_VERSION);
  lfb_store_le32(header + COUNTING_AT_COUNTER_BITS, LFB_COUNTER_BITS);
  lfb_store_le64(header + COUNTING_AT_WORDS, counting->pages.size / sizeof(lfb_word));
  lfb_head_end(header);
  lfb_native_encode(&counting->description, lfb_counting_bits_set(counting), now,
                    header + LFB_COUNTING_PREFIX);
}

lfb_status lfb_counting_decode(const unsigned char header[LFB_COUNTING_HEADER],
                               const uint8_t *key, lfb_description *description)
{
  lfb_description found;

  lfb_status status = lfb_head_check(header, LFB_MAGIC_COUNTING, COUNTING_VERSION);
  if (status != LFB_OK)
    return status;
  if (!lfb_head_is_whole(header, COUNTING_AT_RESERVED) ||
      lfb_load_le32(header + COUNTING_AT_COUNTER_BITS) != LFB_COUNTER_BITS ||
      lfb_load_le32(header + COUNTING_AT_ZERO) != 0)
    return LFB_ERROR_BAD_HEADER;
  status = lfb_native_decode(header + LFB_COUNTING_PREFIX, key, &found);
  if (status == LFB_ERROR_UNKNOWN_FORM)
    return LFB_ERROR_BAD_HEADER; /* the native header is missing */
  if (status != LFB_OK && status != LFB_ERROR_KEY_NEEDED)
    return status;
  /* the product does not overflow: bit_count is below 2^63 */
  if (lfb_load_le64(header + COUNTING_AT_WORDS) != LFB_COUNTING_WORDS * found.geometry.word_count)
    return LFB_ERROR_BAD_WORD_COUNT;
  found.form = LFB_FORM_NONE;
  *description = found;
  return status;
}
