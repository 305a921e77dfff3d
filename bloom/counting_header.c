/* counting_header.c - writing and checking the fields of a counting filter's header.
 * Floor 16. */
#include "bloom/counting_header.h"

/* Where each field is, in bytes from the start: docs/formats.md. */
enum {
  AT_MAGIC = 0,
  AT_VERSION = 8,
  AT_PREFIX_SIZE = 12,
  AT_COUNTER_BITS = 16,
  AT_ZERO = 20,
  AT_WORDS = 24,
  AT_RESERVED = 32, /* zero up to the checksum */
  AT_CHECKSUM = 248,
};

static const unsigned char magic[8] = {'L', 'F', 'B', 'C', 'N', 'T', 'S', '\n'};

enum { VERSION = 1 };

bool lfb_counting_begins(const unsigned char *bytes)
{
  return memcmp(bytes, magic, 6) == 0;
}

void lfb_counting_encode(const lfb_counting *counting, uint64_t now,
                         unsigned char header[LFB_COUNTING_HEADER])
{
  memset(header, 0, LFB_COUNTING_PREFIX);
  memcpy(header + AT_MAGIC, magic, sizeof magic);
  lfb_store_le32(header + AT_VERSION, VERSION);
  lfb_store_le32(header + AT_PREFIX_SIZE, LFB_COUNTING_PREFIX);
  lfb_store_le32(header + AT_COUNTER_BITS, LFB_COUNTER_BITS);
  lfb_store_le64(header + AT_WORDS, counting->pages.size / sizeof(lfb_word));
  lfb_store_le64(header + AT_CHECKSUM, XXH3_64bits(header, AT_CHECKSUM));
  lfb_native_encode(&counting->description, lfb_counting_bits_set(counting), now,
                    header + LFB_COUNTING_PREFIX);
}

/* What the prefix says by itself. */
static lfb_status decode_prefix(const unsigned char *header)
{
  if (memcmp(header, magic, sizeof magic) != 0)
    return LFB_ERROR_UNKNOWN_FORM;
  if (lfb_load_le32(header + AT_VERSION) != VERSION)
    return LFB_ERROR_UNKNOWN_VERSION;
  if (lfb_load_le64(header + AT_CHECKSUM) != XXH3_64bits(header, AT_CHECKSUM))
    return LFB_ERROR_BAD_CHECKSUM;
  return lfb_load_le32(header + AT_PREFIX_SIZE) == LFB_COUNTING_PREFIX &&
                 lfb_load_le32(header + AT_COUNTER_BITS) == LFB_COUNTER_BITS &&
                 lfb_load_le32(header + AT_ZERO) == 0 &&
                 lfb_native_is_zero(header + AT_RESERVED, header + AT_CHECKSUM)
             ? LFB_OK
             : LFB_ERROR_BAD_HEADER;
}

lfb_status lfb_counting_decode(const unsigned char header[LFB_COUNTING_HEADER],
                               const uint8_t *key, lfb_description *description)
{
  lfb_description found;

  lfb_status status = decode_prefix(header);
  if (status != LFB_OK)
    return status;
  status = lfb_native_decode(header + LFB_COUNTING_PREFIX, key, &found);
  if (status == LFB_ERROR_UNKNOWN_FORM)
    return LFB_ERROR_BAD_HEADER; /* no native header, where there has to be one */
  if (status != LFB_OK && status != LFB_ERROR_KEY_NEEDED)
    return status;
  /* the product does not overflow: bit_count is below 2^63 */
  if (lfb_load_le64(header + AT_WORDS) != LFB_COUNTING_WORDS * found.geometry.word_count)
    return LFB_ERROR_BAD_WORD_COUNT;
  found.form = LFB_FORM_NONE;
  *description = found;
  return status;
}
