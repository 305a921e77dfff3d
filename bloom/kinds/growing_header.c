/* growing_header.c - writing and checking the fields of a growing filter's header. */
#include "bloom/kinds/growing_header.h"

#include "bloom/files/native_header.h"
#include "bloom/filter/label.h"

/* Where each field is, in bytes from the start, after those of magic.h: docs/formats.md. */
enum {
  GROWING_AT_LAYERS = 16,
  GROWING_AT_PREFERENCE = 20,
  GROWING_AT_INSERTIONS = 24,
  GROWING_AT_FPP = 32,
  GROWING_AT_CREATED = 40,
  GROWING_AT_LABEL = 48,
  GROWING_AT_ORDER = 112, /* of a mapped file, in the byte order of its maker; otherwise zero */
  GROWING_AT_RESERVED = 120, /* zero up to the checksum */
};

static const uint64_t growing_order_mark = UINT64_C(0x0102030405060708);

enum {
  GROWING_VERSION = 1,
  GROWING_MAPPED_VERSION = 2, /* in version 1 a mapped filter was several files */
};

void lfb_growing_encode(const lfb_growing_head *head, unsigned char header[LFB_GROWING_HEADER])
{
  uint64_t fpp;

  if (head->mapped)
    lfb_head_begin(header, LFB_MAGIC_GROWING_MAPPED, GROWING_MAPPED_VERSION);
  else
    lfb_head_begin(header, LFB_MAGIC_GROWING, GROWING_VERSION);
  memcpy(&fpp, &head->fpp, sizeof fpp);
  lfb_store_le32(header + GROWING_AT_LAYERS, head->layers);
  lfb_store_le32(header + GROWING_AT_PREFERENCE, head->memory_preference);
  lfb_store_le64(header + GROWING_AT_INSERTIONS, head->first_insertions);
  lfb_store_le64(header + GROWING_AT_FPP, fpp);
  lfb_store_le64(header + GROWING_AT_CREATED, head->written);
  memcpy(header + GROWING_AT_LABEL, head->label, sizeof head->label);
  if (head->mapped)
    memcpy(header + GROWING_AT_ORDER, &growing_order_mark, sizeof growing_order_mark);
  lfb_head_end(header);
}

static bool growing_head_makes_sense(const lfb_growing_head *head)
{
  return head->layers >= 1 && head->layers <= LFB_GROWING_LAYERS &&
         head->memory_preference <= LFB_MEMORY_SMALLEST &&
         head->first_insertions >= LFB_GROWING_LEAST &&
         lfb_sizing_check_fpp(head->fpp) == LFB_OK;
}

/* Checks how the header begins, and its checksum. */
static lfb_status growing_check_head(const unsigned char *header)
{
  if (!lfb_magic_is(header, LFB_MAGIC_GROWING_MAPPED))
    return lfb_head_check(header, LFB_MAGIC_GROWING, GROWING_VERSION);
  return lfb_load_le32(header + LFB_HEAD_AT_VERSION) == GROWING_VERSION
             ? LFB_ERROR_OLD_GROWING
             : lfb_head_check(header, LFB_MAGIC_GROWING_MAPPED, GROWING_MAPPED_VERSION);
}

/* Whether the words of a mapped file have this processor's byte order. */
static lfb_status growing_check_order(const unsigned char *header)
{
  uint64_t mark;

  memcpy(&mark, header + GROWING_AT_ORDER, sizeof mark);
  if (mark == (lfb_magic_is(header, LFB_MAGIC_GROWING_MAPPED) ? growing_order_mark : 0))
    return LFB_OK;
  return mark == __builtin_bswap64(growing_order_mark) ? LFB_ERROR_BYTE_ORDER
                                                       : LFB_ERROR_BAD_HEADER;
}

/* Reads the fields of a header after its checksum was compared. */
static lfb_status growing_read(const unsigned char *header, lfb_growing_head *head)
{
  const uint64_t fpp = lfb_load_le64(header + GROWING_AT_FPP);
  lfb_growing_head found = {
      .mapped = lfb_magic_is(header, LFB_MAGIC_GROWING_MAPPED),
      .first_insertions = lfb_load_le64(header + GROWING_AT_INSERTIONS),
      .layers = lfb_load_le32(header + GROWING_AT_LAYERS),
      .memory_preference = (lfb_memory_preference)lfb_load_le32(header + GROWING_AT_PREFERENCE),
      .written = lfb_load_le64(header + GROWING_AT_CREATED)};

  memcpy(&found.fpp, &fpp, sizeof fpp);
  if (!lfb_head_is_whole(header, GROWING_AT_RESERVED) ||
      lfb_label_read(found.label, header + GROWING_AT_LABEL) != LFB_OK ||
      !growing_head_makes_sense(&found))
    return LFB_ERROR_BAD_HEADER;
  *head = found;
  return LFB_OK;
}

lfb_status lfb_growing_decode(const unsigned char header[LFB_GROWING_HEADER],
                              lfb_growing_head *head)
{
  lfb_status status = growing_check_head(header);
  if (status == LFB_OK)
    status = growing_check_order(header);
  return status == LFB_OK ? growing_read(header, head) : status;
}
