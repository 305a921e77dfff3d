/*
 * counting_header.h - the header of a counting filter's form: a prefix, and the native
 * header of the plain filter with the same configuration.
 *
 * docs/formats.md has the layout: little-endian, and unchanged within a version.
 */
#ifndef LFB_BLOOM_COUNTING_HEADER_H
#define LFB_BLOOM_COUNTING_HEADER_H

#include "bloom/kinds/counting.h"
#include "bloom/files/native_header.h"

enum {
  LFB_COUNTING_PREFIX = 256, /* bytes */
  LFB_COUNTING_HEADER = LFB_COUNTING_PREFIX + LFB_NATIVE_HEADER,
};

/* Writes a counting filter's header; `now` in seconds since 1970. */
void lfb_counting_encode(const lfb_counting *counting, uint64_t now,
                         unsigned char header[LFB_COUNTING_HEADER]);

/*
 * Reads a header and checks every field.
 *
 * Takes  key  16 bytes, or NULL.
 * Fails  LFB_ERROR_UNKNOWN_FORM, and as lfb_native_decode().  With _KEY_NEEDED the description is
 *        written, except its hasher.
 */
lfb_status lfb_counting_decode(const unsigned char header[LFB_COUNTING_HEADER],
                               const uint8_t *key, lfb_description *description);

#endif
