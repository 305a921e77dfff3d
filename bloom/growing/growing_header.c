/* growing_header.c - writing and checking the fields of a growing filter's header. */
#include "bloom/growing/growing_files.h"

#include "bloom/files/native_header.h"
#include "bloom/filter/description.h"

/* Where each field is, in bytes from the start, after those of magic.h: docs/formats.md. */
enum {
  GROWING_AT_LAYERS = 16,
  GROWING_AT_PREFERENCE = 20,
  GROWING_AT_INSERTIONS = 24,
  GROWING_AT_FPP = 32,
  GROWING_AT_CREATED = 40,
  /* the 64 bytes from 48 on are ignored */
  GROWING_AT_ORDER = 112, /* of a mapped file, in the byte order of its maker; otherwise zero */
  GROWING_AT_RESERVED = 120, /* zero up to the checksum */
};

enum {
  GROWING_VERSION = 1,
  GROWING_MAPPED_VERSION = 2,
};

void lfb_growing_encode(const lfb_growing *growing, lfb_magic magic, uint32_t layers,
                        uint64_t written, unsigned char header[LFB_GROWING_HEADER])
{
  const bool mapped = magic == LFB_MAGIC_GROWING_MAPPED;

  lfb_head_begin(header, magic, mapped ? GROWING_MAPPED_VERSION : GROWING_VERSION);
  lfb_store_le32(header + GROWING_AT_LAYERS, layers);
  lfb_store_le32(header + GROWING_AT_PREFERENCE, growing->config.memory_preference);
  lfb_store_le64(header + GROWING_AT_INSERTIONS, growing->config.expected_insertions);
  lfb_head_store_double(header + GROWING_AT_FPP, growing->config.fpp);
  lfb_store_le64(header + GROWING_AT_CREATED, written);
  if (mapped)
    lfb_head_store_order(header + GROWING_AT_ORDER);
  lfb_head_end(header);
}

/* Reads the fields of a header after its checksum was compared. */
static lfb_status growing_read(const unsigned char *header, lfb_growing *growing,
                               uint32_t *layers)
{
  const uint32_t preference = lfb_load_le32(header + GROWING_AT_PREFERENCE);
  lfb_config config = {.expected_insertions = lfb_load_le64(header + GROWING_AT_INSERTIONS),
                       .fpp = lfb_head_load_double(header + GROWING_AT_FPP),
                       .memory_preference = (lfb_memory_preference)preference};

  *layers = lfb_load_le32(header + GROWING_AT_LAYERS);
  growing->config = config;
  growing->written = lfb_load_le64(header + GROWING_AT_CREATED);
  return lfb_head_is_whole(header, GROWING_AT_RESERVED) && *layers >= 1 &&
         *layers <= LFB_GROWING_LAYERS &&
                 preference <= LFB_MEMORY_SMALLEST &&
                 config.expected_insertions >= LFB_GROWING_LEAST &&
                 lfb_sizing_check_fpp(config.fpp) == LFB_OK
             ? LFB_OK
             : LFB_ERROR_BAD_HEADER;
}

lfb_status lfb_growing_decode(const unsigned char header[LFB_GROWING_HEADER],
                              lfb_growing *growing, uint32_t *layers)
{
  const bool mapped = lfb_magic_is(header, LFB_MAGIC_GROWING_MAPPED);
  bool other;

  const lfb_status status =
      lfb_head_check(header, mapped ? LFB_MAGIC_GROWING_MAPPED : LFB_MAGIC_GROWING,
                     mapped ? GROWING_MAPPED_VERSION : GROWING_VERSION);
  if (status != LFB_OK)
    return status;
  if (mapped ? !lfb_head_load_order(header + GROWING_AT_ORDER, &other)
             : lfb_load_le64(header + GROWING_AT_ORDER) != 0)
    return LFB_ERROR_BAD_HEADER;
  if (mapped && other)
    return LFB_ERROR_BYTE_ORDER;
  return growing_read(header, growing, layers);
}
