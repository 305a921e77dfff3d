/* counting_header.c - writing and checking the fields of a counting filter's header. */
#include "bloom/kinds/counting_header.h"

/* Where each field is, in bytes from the start: docs/formats.md. */
enum {
  COUNTING_AT_MAGIC = 0,
  COUNTING_AT_VERSION = 8,
  COUNTING_AT_PREFIX_SIZE = 12,
  COUNTING_AT_COUNTER_BITS = 16,
  COUNTING_AT_ZERO = 20,
  COUNTING_AT_WORDS = 24,
  COUNTING_AT_RESERVED = 32, /* zero up to the checksum */
  COUNTING_AT_CHECKSUM = 248,
};

enum { COUNTING_VERSION = 1 };

void lfb_counting_encode(const lfb_counting *counting, uint64_t now,
                         unsigned char header[LFB_COUNTING_HEADER])
{
  memset(header, 0, LFB_COUNTING_PREFIX);
  memcpy(header + COUNTING_AT_MAGIC, lfb_magic_bytes(LFB_MAGIC_COUNTING), LFB_MAGIC_SIZE);
  lfb_store_le32(header + COUNTING_AT_VERSION, COUNTING_VERSION);
  lfb_store_le32(header + COUNTING_AT_PREFIX_SIZE, LFB_COUNTING_PREFIX);
  lfb_store_le32(header + COUNTING_AT_COUNTER_BITS, LFB_COUNTER_BITS);
  lfb_store_le64(header + COUNTING_AT_WORDS, counting->pages.size / sizeof(lfb_word));
  lfb_store_le64(header + COUNTING_AT_CHECKSUM, XXH3_64bits(header, COUNTING_AT_CHECKSUM));
  lfb_native_encode(&counting->description, lfb_counting_bits_set(counting), now,
                    header + LFB_COUNTING_PREFIX);
}

/* Checks the fields of the prefix that do not depend on the native header. */
static lfb_status counting_decode_prefix(const unsigned char *header)
{
  if (!lfb_magic_is(header, LFB_MAGIC_COUNTING))
    return LFB_ERROR_UNKNOWN_FORM;
  if (lfb_load_le32(header + COUNTING_AT_VERSION) != COUNTING_VERSION)
    return LFB_ERROR_UNKNOWN_VERSION;
  if (lfb_load_le64(header + COUNTING_AT_CHECKSUM) != XXH3_64bits(header, COUNTING_AT_CHECKSUM))
    return LFB_ERROR_BAD_CHECKSUM;
  return lfb_load_le32(header + COUNTING_AT_PREFIX_SIZE) == LFB_COUNTING_PREFIX &&
                 lfb_load_le32(header + COUNTING_AT_COUNTER_BITS) == LFB_COUNTER_BITS &&
                 lfb_load_le32(header + COUNTING_AT_ZERO) == 0 &&
                 lfb_native_is_zero(header + COUNTING_AT_RESERVED, header + COUNTING_AT_CHECKSUM)
             ? LFB_OK
             : LFB_ERROR_BAD_HEADER;
}

lfb_status lfb_counting_decode(const unsigned char header[LFB_COUNTING_HEADER],
                               const uint8_t *key, lfb_description *description)
{
  lfb_description found;

  lfb_status status = counting_decode_prefix(header);
  if (status != LFB_OK)
    return status;
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
