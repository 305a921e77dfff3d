/* growing_header.c - writing and checking the fields of a growing filter's header.
 * Floor 15. */
#include "bloom/growing_header.h"

#include "bloom/label.h"
#include "bloom/native_header.h"

/* Where each field is, in bytes from the start: docs/formats.md. */
enum {
  AT_MAGIC = 0,
  AT_VERSION = 8,
  AT_HEADER_SIZE = 12,
  AT_LAYERS = 16,
  AT_PREFERENCE = 20,
  AT_INSERTIONS = 24,
  AT_FPP = 32,
  AT_CREATED = 40,
  AT_LABEL = 48,
  AT_ID = 112,
  AT_RESERVED = 120, /* zero up to the checksum */
  AT_CHECKSUM = 248,
};

static const unsigned char magic[8] = {'L', 'F', 'B', 'G', 'R', 'O', 'W', '\n'};
static const unsigned char mapped_magic[8] = {'L', 'F', 'B', 'G', 'M', 'A', 'P', '\n'};

enum { VERSION = 1 };

lfb_status lfb_growing_begun(const unsigned char *bytes)
{
  return memcmp(bytes, magic, 6) == 0          ? LFB_ERROR_GROWING
         : memcmp(bytes, mapped_magic, 6) == 0 ? LFB_ERROR_GROWING_MAPPED
                                               : LFB_ERROR_UNKNOWN_FORM;
}

/* The first bytes of a head with this id. */
static const unsigned char *growing_magic(uint64_t id)
{
  return id == 0 ? magic : mapped_magic;
}

void lfb_growing_encode(const lfb_growing_head *head, unsigned char header[LFB_GROWING_HEADER])
{
  uint64_t fpp;

  memset(header, 0, LFB_GROWING_HEADER);
  memcpy(header + AT_MAGIC, growing_magic(head->id), sizeof magic);
  memcpy(&fpp, &head->fpp, sizeof fpp);
  lfb_store_le32(header + AT_VERSION, VERSION);
  lfb_store_le32(header + AT_HEADER_SIZE, LFB_GROWING_HEADER);
  lfb_store_le32(header + AT_LAYERS, head->layers);
  lfb_store_le32(header + AT_PREFERENCE, head->memory_preference);
  lfb_store_le64(header + AT_INSERTIONS, head->first_insertions);
  lfb_store_le64(header + AT_FPP, fpp);
  lfb_store_le64(header + AT_CREATED, head->written);
  memcpy(header + AT_LABEL, head->label, sizeof head->label);
  lfb_store_le64(header + AT_ID, head->id);
  lfb_store_le64(header + AT_CHECKSUM, XXH3_64bits(header, AT_CHECKSUM));
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
  const uint64_t id = lfb_load_le64(header + AT_ID);

  if (memcmp(header, magic, sizeof magic) != 0 &&
      memcmp(header, mapped_magic, sizeof mapped_magic) != 0)
    return LFB_ERROR_UNKNOWN_FORM;
  if (lfb_load_le32(header + AT_VERSION) != VERSION)
    return LFB_ERROR_UNKNOWN_VERSION;
  if (lfb_load_le64(header + AT_CHECKSUM) != XXH3_64bits(header, AT_CHECKSUM))
    return LFB_ERROR_BAD_CHECKSUM;

  const uint64_t fpp = lfb_load_le64(header + AT_FPP);
  lfb_growing_head found = {
      .id = id,
      .first_insertions = lfb_load_le64(header + AT_INSERTIONS),
      .layers = lfb_load_le32(header + AT_LAYERS),
      .memory_preference = (lfb_memory_preference)lfb_load_le32(header + AT_PREFERENCE),
      .written = lfb_load_le64(header + AT_CREATED)};
  memcpy(&found.fpp, &fpp, sizeof fpp);
  if (memcmp(header, growing_magic(id), sizeof magic) != 0 ||
      lfb_load_le32(header + AT_HEADER_SIZE) != LFB_GROWING_HEADER ||
      !lfb_native_is_zero(header + AT_RESERVED, header + AT_CHECKSUM) ||
      lfb_label_read(found.label, header + AT_LABEL) != LFB_OK ||
      !growing_head_makes_sense(&found))
    return LFB_ERROR_BAD_HEADER;
  *head = found;
  return LFB_OK;
}
