/*
 * native_header.h - the header of the native form: all that a filter is, in 256
 * bytes that can be looked at before anything is allocated.
 *
 * The layout is docs/formats.md; it is little-endian and never changes within a
 * version.
 */
#ifndef LFB_BLOOM_NATIVE_HEADER_H
#define LFB_BLOOM_NATIVE_HEADER_H

#include "atomic/words/kin.h"
#include "bloom/files/magic.h"
#include "bloom/filter/create.h"

enum { LFB_NATIVE_HEADER = 256 }; /* bytes */

/* Whether a field that is to be zero is. */
bool lfb_native_is_zero(const unsigned char *from, const unsigned char *end);

/* How many bits a header says were set when writing began: at most those of the words. */
uint64_t lfb_native_bits_set(const unsigned char header[LFB_NATIVE_HEADER]);

/* Writes the header of a filter that has so many bits set; `now` in seconds since 1970. */
LFB_KIN void lfb_native_encode(const lfb_description *description, uint64_t bits_set, uint64_t now,
                               unsigned char header[LFB_NATIVE_HEADER]);

/*
 * Reads a header, checking every field.
 *
 * Takes  key    16 bytes, or NULL.
 * Fails  LFB_ERROR_UNKNOWN_VERSION, _BAD_CHECKSUM, _BAD_STRATEGY, _BAD_HEADER,
 *        _KEY_NEEDED: what is read is all but the hasher; _WRONG_KEY.
 */
LFB_KIN lfb_status lfb_native_decode(const unsigned char header[LFB_NATIVE_HEADER],
                                     const uint8_t *key, lfb_description *description);

#endif
