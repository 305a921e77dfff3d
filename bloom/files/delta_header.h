/*
 * delta_header.h - the header of a delta: which filter it is for, and how its bits are coded.
 *
 * 256 bytes, with the fields of a native header that describe the filter (native_header.h), so that
 * a delta is compared with a filter and no field of it is trusted.  docs/formats.md has the layout.
 */
#ifndef LFB_BLOOM_DELTA_HEADER_H
#define LFB_BLOOM_DELTA_HEADER_H

#include "bloom/files/magic.h"
#include "bloom/filter/description.h"

LFB_EXTERN_C_BEGIN

enum { LFB_DELTA_HEADER = LFB_HEAD_SIZE }; /* bytes */

/* The numbers that a delta consists of. */
typedef enum lfb_delta_number {
  LFB_DELTA_GAP,    /* blocks, or bits, between two that changed     */
  LFB_DELTA_COUNT,  /* new bits of a block, less 1                   */
  LFB_DELTA_OFFSET, /* bits between two new bits of a block          */
  LFB_DELTA_NUMBERS,
} lfb_delta_number;

/* What a header says except for the filter. */
typedef struct lfb_delta_fields {
  uint64_t bits;      /* new ones                         */
  uint64_t body_size; /* of the bytes after the header    */
  uint64_t checksum;  /* of these                         */
  uint32_t parameters[LFB_DELTA_NUMBERS]; /* rice.h       */
} lfb_delta_fields;

/* Writes a header. */
void lfb_delta_encode(const lfb_description *description, const lfb_delta_fields *fields,
                      unsigned char header[LFB_DELTA_HEADER]);

/* Reads a header and checks its fields.  Fails: LFB_ERROR_NOT_DELTA, _UNKNOWN_VERSION,
 * _BAD_DELTA. */
lfb_status lfb_delta_decode(const unsigned char header[LFB_DELTA_HEADER], lfb_delta_fields *fields);

LFB_EXTERN_C_END

#endif
