/*
 * mapped_header.h - the head of a file that holds a filter for several processes: where
 * everything in it is.
 *
 * Floor 15.  May include: floors 0 to 14.
 *
 * A prefix of 256 bytes, the header of a native form, which says what the filter is, and
 * then what the processes share.  The layout is docs/formats.md; it is never changed
 * within a version.
 */
#ifndef LFB_BLOOM_MAPPED_HEADER_H
#define LFB_BLOOM_MAPPED_HEADER_H

#include "bloom/forms/native_header.h"
#include "bloom/mapped/mapping.h"

enum {
  LFB_MAPPED_PREFIX = 256,
  LFB_MAPPED_HEADER = LFB_MAPPED_PREFIX + LFB_NATIVE_HEADER, /* bytes */
};

/* Where the parts of the file are, in bytes from its start. */
typedef struct lfb_mapped_shape {
  uint64_t words_at;
  uint64_t file_size;
  uint32_t leases; /* processes that have stripes of their own          */
  uint32_t owned;  /* stripes of a lease that have one writer each      */
} lfb_mapped_shape;

/* The shape of a new file for words of so many bytes. */
lfb_mapped_shape lfb_mapped_shape_for(uint64_t word_bytes);

/* The same with so many leases, of so many stripes each. */
lfb_mapped_shape lfb_mapped_shape_of(uint64_t word_bytes, uint32_t leases, uint32_t owned);

/* Where the shared parts are that come before the words; the stripes are the last. */
enum {
  LFB_MAPPED_BOOK = 512,
  LFB_MAPPED_CLAIMS = 1024,
  LFB_MAPPED_CLAIM_PLACES = 256, /* words */
  LFB_MAPPED_STATES = 4096,
};
uint64_t lfb_mapped_lines_at(const lfb_mapped_shape *shape);
uint64_t lfb_mapped_lines_end(const lfb_mapped_shape *shape);

/* Whether these six bytes begin such a file. */
bool lfb_mapped_begins(const unsigned char *bytes);

/* Writes the head of a file for this filter; `now` in seconds since 1970. */
void lfb_mapped_encode(const lfb_filter *filter, const lfb_mapped_shape *shape, uint64_t now,
                       unsigned char header[LFB_MAPPED_HEADER]);

/*
 * Reads a head, checking every field.
 *
 * Takes  key    16 bytes, or NULL.
 *        order  receives the order of the words' bytes.
 * Fails  LFB_ERROR_UNKNOWN_FORM, and as lfb_native_decode().
 */
lfb_status lfb_mapped_decode(const unsigned char header[LFB_MAPPED_HEADER], const uint8_t *key,
                             lfb_mapped_shape *shape, bool *other_byte_order,
                             lfb_description *description);

#endif
