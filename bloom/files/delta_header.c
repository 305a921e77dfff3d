/* delta_header.c - writing and checking the fields of a delta's header. */
#include "bloom/files/delta_header.h"

#include "bloom/files/native_header.h"
#include "bloom/files/rice.h"

/* Where each field is, in bytes from the start, after those of magic.h and beside those that
 * lfb_native_encode_identity() writes: docs/formats.md. */
enum {
  DELTA_AT_BITS = 48,
  DELTA_AT_BODY_SIZE = 56,
  DELTA_AT_CHECKSUM = 72,
  DELTA_AT_PARAMETERS = 80, /* 4 bytes each             */
  DELTA_AT_ZERO = 92,       /* 4 bytes                  */
  DELTA_AT_RESERVED = 104,  /* zero up to the checksum  */
};

enum { DELTA_VERSION = 1 };

void lfb_delta_encode(const lfb_description *description, const lfb_delta_fields *fields,
                      unsigned char header[LFB_DELTA_HEADER])
{
  lfb_head_begin(header, LFB_MAGIC_DELTA, DELTA_VERSION);
  lfb_native_encode_identity(description, header);
  lfb_store_le64(header + DELTA_AT_BITS, fields->bits);
  lfb_store_le64(header + DELTA_AT_BODY_SIZE, fields->body_size);
  lfb_store_le64(header + DELTA_AT_CHECKSUM, fields->checksum);
  for (uint32_t i = 0; i < LFB_DELTA_NUMBERS; i++)
    lfb_store_le32(header + DELTA_AT_PARAMETERS + sizeof(uint32_t) * i, fields->parameters[i]);
  lfb_head_end(header);
}

lfb_status lfb_delta_decode(const unsigned char header[LFB_DELTA_HEADER], lfb_delta_fields *fields)
{
  const lfb_status status = lfb_head_check(header, LFB_MAGIC_DELTA, DELTA_VERSION);
  lfb_delta_fields found = {.bits = lfb_load_le64(header + DELTA_AT_BITS),
                            .body_size = lfb_load_le64(header + DELTA_AT_BODY_SIZE),
                            .checksum = lfb_load_le64(header + DELTA_AT_CHECKSUM)};

  if (status != LFB_OK)
    return status == LFB_ERROR_UNKNOWN_FORM   ? LFB_ERROR_NOT_DELTA
           : status == LFB_ERROR_BAD_CHECKSUM ? LFB_ERROR_BAD_DELTA
                                              : status;
  if (!lfb_head_is_whole(header, DELTA_AT_RESERVED) || lfb_load_le32(header + DELTA_AT_ZERO) != 0)
    return LFB_ERROR_BAD_DELTA;
  for (uint32_t i = 0; i < LFB_DELTA_NUMBERS; i++) {
    found.parameters[i] = lfb_load_le32(header + DELTA_AT_PARAMETERS + sizeof(uint32_t) * i);
    if (found.parameters[i] > LFB_RICE_MOST)
      return LFB_ERROR_BAD_DELTA;
  }
  *fields = found;
  return LFB_OK;
}
