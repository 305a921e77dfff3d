/* growing_header.c - writing and checking the fields of a growing filter's header.
 * Floor 15. */
#include "bloom/forms/growing_header.h"

#include "bloom/forms/native_header.h"
#include "bloom/label.h"

/* Where each field is, in bytes from the start: docs/formats.md. */
enum {
  GROWING_AT_MAGIC = 0,
  GROWING_AT_VERSION = 8,
  GROWING_AT_HEADER_SIZE = 12,
  GROWING_AT_LAYERS = 16,
  GROWING_AT_PREFERENCE = 20,
  GROWING_AT_INSERTIONS = 24,
  GROWING_AT_FPP = 32,
  GROWING_AT_CREATED = 40,
  GROWING_AT_LABEL = 48,
  GROWING_AT_ID = 112,
  GROWING_AT_RESERVED = 120, /* zero up to the checksum */
  GROWING_AT_CHECKSUM = 248,
};

static const unsigned char growing_magic[8] = {'L', 'F', 'B', 'G', 'R', 'O', 'W', '\n'};
static const unsigned char growing_mapped_magic[8] = {'L', 'F', 'B', 'G', 'M', 'A', 'P', '\n'};

enum { GROWING_VERSION = 1 };

lfb_status lfb_growing_begun(const unsigned char *bytes)
{
  return memcmp(bytes, growing_magic, 6) == 0          ? LFB_ERROR_GROWING
         : memcmp(bytes, growing_mapped_magic, 6) == 0 ? LFB_ERROR_GROWING_MAPPED
                                                       : LFB_ERROR_UNKNOWN_FORM;
}

/* The first bytes of a head with this id. */
static const unsigned char *growing_magic_of(uint64_t id)
{
  return id == 0 ? growing_magic : growing_mapped_magic;
}

void lfb_growing_encode(const lfb_growing_head *head, unsigned char header[LFB_GROWING_HEADER])
{
  uint64_t fpp;

  memset(header, 0, LFB_GROWING_HEADER);
  memcpy(header + GROWING_AT_MAGIC, growing_magic_of(head->id), sizeof growing_magic);
  memcpy(&fpp, &head->fpp, sizeof fpp);
  lfb_store_le32(header + GROWING_AT_VERSION, GROWING_VERSION);
  lfb_store_le32(header + GROWING_AT_HEADER_SIZE, LFB_GROWING_HEADER);
  lfb_store_le32(header + GROWING_AT_LAYERS, head->layers);
  lfb_store_le32(header + GROWING_AT_PREFERENCE, head->memory_preference);
  lfb_store_le64(header + GROWING_AT_INSERTIONS, head->first_insertions);
  lfb_store_le64(header + GROWING_AT_FPP, fpp);
  lfb_store_le64(header + GROWING_AT_CREATED, head->written);
  memcpy(header + GROWING_AT_LABEL, head->label, sizeof head->label);
  lfb_store_le64(header + GROWING_AT_ID, head->id);
  lfb_store_le64(header + GROWING_AT_CHECKSUM, XXH3_64bits(header, GROWING_AT_CHECKSUM));
}

static bool growing_head_makes_sense(const lfb_growing_head *head)
{
  return head->layers >= 1 && head->layers <= LFB_GROWING_LAYERS &&
         head->memory_preference <= LFB_MEMORY_SMALLEST &&
         head->first_insertions >= LFB_GROWING_LEAST &&
         lfb_sizing_check_fpp(head->fpp) == LFB_OK;
}

lfb_status lfb_growing_decode(const unsigned char header[LFB_GROWING_HEADER],
                              lfb_growing_head *head)
{
  const uint64_t id = lfb_load_le64(header + GROWING_AT_ID);

  if (memcmp(header, growing_magic, sizeof growing_magic) != 0 &&
      memcmp(header, growing_mapped_magic, sizeof growing_mapped_magic) != 0)
    return LFB_ERROR_UNKNOWN_FORM;
  if (lfb_load_le32(header + GROWING_AT_VERSION) != GROWING_VERSION)
    return LFB_ERROR_UNKNOWN_VERSION;
  if (lfb_load_le64(header + GROWING_AT_CHECKSUM) != XXH3_64bits(header, GROWING_AT_CHECKSUM))
    return LFB_ERROR_BAD_CHECKSUM;

  const uint64_t fpp = lfb_load_le64(header + GROWING_AT_FPP);
  lfb_growing_head found = {
      .id = id,
      .first_insertions = lfb_load_le64(header + GROWING_AT_INSERTIONS),
      .layers = lfb_load_le32(header + GROWING_AT_LAYERS),
      .memory_preference = (lfb_memory_preference)lfb_load_le32(header + GROWING_AT_PREFERENCE),
      .written = lfb_load_le64(header + GROWING_AT_CREATED)};
  memcpy(&found.fpp, &fpp, sizeof fpp);
  if (memcmp(header, growing_magic_of(id), sizeof growing_magic) != 0 ||
      lfb_load_le32(header + GROWING_AT_HEADER_SIZE) != LFB_GROWING_HEADER ||
      !lfb_native_is_zero(header + GROWING_AT_RESERVED, header + GROWING_AT_CHECKSUM) ||
      lfb_label_read(found.label, header + GROWING_AT_LABEL) != LFB_OK ||
      !growing_head_makes_sense(&found))
    return LFB_ERROR_BAD_HEADER;
  *head = found;
  return LFB_OK;
}
