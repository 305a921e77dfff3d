/* mapped_header.c - writing and checking the head of a mapped file.  Floor 15. */
#include "bloom/forms/mapped_header.h"

/* Where each field of the prefix is, in bytes from the start: docs/formats.md. */
enum {
  MAPPED_AT_MAGIC = 0,
  MAPPED_AT_VERSION = 8,
  MAPPED_AT_PREFIX_SIZE = 12,
  MAPPED_AT_ORDER = 16, /* 8 bytes, as the machine that made the file has them */
  MAPPED_AT_WORDS = 24,
  MAPPED_AT_FILE_SIZE = 32,
  MAPPED_AT_LEASES = 40,
  MAPPED_AT_OWNED = 44,
  MAPPED_AT_SHARED = 48,
  MAPPED_AT_STRIPE_SIZE = 52,
  MAPPED_AT_CLAIM_PLACES = 56,
  MAPPED_AT_RESERVED = 60, /* zero up to the checksum */
  MAPPED_AT_CHECKSUM = 248,
};

static const unsigned char mapped_magic[8] = {'L', 'F', 'B', 'M', 'A', 'P', 'D', '\n'};

static const uint64_t order_mark = UINT64_C(0x0102030405060708);

enum {
  MAPPED_VERSION = 1,
  LEASES = 64,
  OWNED = 64,
  MOST_LEASES = 4096,
  MOST_OWNED = 256,
  SMALL_ALIGNMENT = 1 << 16, /* a page on every machine          */
  MOST_WORDS_AT = 1 << 24,   /* behind the most stripes there can be */
};

/* From how many bytes of words on they begin at a huge page of the file. */
#define LARGE_WORDS (UINT64_C(16) << 20)

static uint64_t mapped_round_up(uint64_t bytes, uint64_t unit)
{
  return (bytes + unit - 1) / unit * unit;
}

uint64_t lfb_mapped_lines_at(const lfb_mapped_shape *shape)
{
  return mapped_round_up(LFB_MAPPED_STATES + shape->leases * sizeof(lfb_word), LFB_CACHE_LINE);
}

uint64_t lfb_mapped_lines_end(const lfb_mapped_shape *shape)
{
  return lfb_mapped_lines_at(shape) +
         lfb_leases_lines(shape->leases, shape->owned) * sizeof(lfb_stripe);
}

lfb_mapped_shape lfb_mapped_shape_for(uint64_t word_bytes)
{
  return lfb_mapped_shape_of(word_bytes, LEASES, OWNED);
}

lfb_mapped_shape lfb_mapped_shape_of(uint64_t word_bytes, uint32_t leases, uint32_t owned)
{
  lfb_mapped_shape shape = {.leases = leases, .owned = owned};

  shape.words_at = mapped_round_up(lfb_mapped_lines_end(&shape),
                                   word_bytes >= LARGE_WORDS ? LFB_HUGE_PAGE : SMALL_ALIGNMENT);
  shape.file_size = shape.words_at + word_bytes;
  return shape;
}

bool lfb_mapped_begins(const unsigned char *bytes)
{
  return memcmp(bytes, mapped_magic, 6) == 0;
}

void lfb_mapped_encode(const lfb_filter *filter, const lfb_mapped_shape *shape, uint64_t now,
                       unsigned char header[LFB_MAPPED_HEADER])
{
  memset(header, 0, LFB_MAPPED_PREFIX);
  memcpy(header + MAPPED_AT_MAGIC, mapped_magic, sizeof mapped_magic);
  lfb_store_le32(header + MAPPED_AT_VERSION, MAPPED_VERSION);
  lfb_store_le32(header + MAPPED_AT_PREFIX_SIZE, LFB_MAPPED_PREFIX);
  memcpy(header + MAPPED_AT_ORDER, &order_mark, sizeof order_mark);
  lfb_store_le64(header + MAPPED_AT_WORDS, shape->words_at);
  lfb_store_le64(header + MAPPED_AT_FILE_SIZE, shape->file_size);
  lfb_store_le32(header + MAPPED_AT_LEASES, shape->leases);
  lfb_store_le32(header + MAPPED_AT_OWNED, shape->owned);
  lfb_store_le32(header + MAPPED_AT_SHARED, LFB_STRIPES_SHARED);
  lfb_store_le32(header + MAPPED_AT_STRIPE_SIZE, sizeof(lfb_stripe));
  lfb_store_le32(header + MAPPED_AT_CLAIM_PLACES, LFB_MAPPED_CLAIM_PLACES);
  lfb_store_le64(header + MAPPED_AT_CHECKSUM, XXH3_64bits(header, MAPPED_AT_CHECKSUM));
  lfb_native_encode(&filter->description, lfb_core_bits_set(filter), now,
                    header + LFB_MAPPED_PREFIX);
}

/* Whether the words' bytes are in the other order than this machine's. */
static lfb_status decode_order(const unsigned char *header, bool *other)
{
  uint64_t mark;

  memcpy(&mark, header + MAPPED_AT_ORDER, sizeof mark);
  if (mark != order_mark && mark != __builtin_bswap64(order_mark))
    return LFB_ERROR_BAD_HEADER;
  *other = mark != order_mark;
  return LFB_OK;
}

static lfb_status decode_shape(const unsigned char *header, const lfb_geometry *geometry,
                               lfb_mapped_shape *shape)
{
  const lfb_mapped_shape found = {lfb_load_le64(header + MAPPED_AT_WORDS),
                                  lfb_load_le64(header + MAPPED_AT_FILE_SIZE),
                                  lfb_load_le32(header + MAPPED_AT_LEASES),
                                  lfb_load_le32(header + MAPPED_AT_OWNED)};

  if (found.leases > MOST_LEASES || found.owned > MOST_OWNED ||
      lfb_load_le32(header + MAPPED_AT_SHARED) != LFB_STRIPES_SHARED ||
      lfb_load_le32(header + MAPPED_AT_STRIPE_SIZE) != sizeof(lfb_stripe) ||
      lfb_load_le32(header + MAPPED_AT_CLAIM_PLACES) != LFB_MAPPED_CLAIM_PLACES ||
      lfb_leases_lines(found.leases, found.owned) > LFB_CLAIMANTS_MOST)
    return LFB_ERROR_BAD_HEADER;
  /* the sum does not overflow: bit_count is below 2^63 */
  if (found.words_at % LFB_CACHE_LINE != 0 || found.words_at < lfb_mapped_lines_end(&found) ||
      found.words_at > MOST_WORDS_AT ||
      found.file_size != found.words_at + geometry->word_count * sizeof(lfb_word))
    return LFB_ERROR_BAD_HEADER;
  *shape = found;
  return LFB_OK;
}

/* What the prefix says by itself. */
static lfb_status mapped_decode_prefix(const unsigned char *header)
{
  if (memcmp(header, mapped_magic, sizeof mapped_magic) != 0)
    return LFB_ERROR_UNKNOWN_FORM;
  if (lfb_load_le32(header + MAPPED_AT_VERSION) != MAPPED_VERSION)
    return LFB_ERROR_UNKNOWN_VERSION;
  if (lfb_load_le64(header + MAPPED_AT_CHECKSUM) != XXH3_64bits(header, MAPPED_AT_CHECKSUM))
    return LFB_ERROR_BAD_CHECKSUM;
  return lfb_native_is_zero(header + MAPPED_AT_RESERVED, header + MAPPED_AT_CHECKSUM) &&
                 lfb_load_le32(header + MAPPED_AT_PREFIX_SIZE) == LFB_MAPPED_PREFIX
             ? LFB_OK
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
  if (status == LFB_OK)
    status = decode_order(header, other_byte_order);
  if (status != LFB_OK)
    return status == LFB_ERROR_UNKNOWN_FORM && lfb_mapped_begins(header) ? LFB_ERROR_BAD_HEADER
                                                                         : status;
  found.form = LFB_FORM_MAPPED;
  *description = found;
  return LFB_OK;
}
