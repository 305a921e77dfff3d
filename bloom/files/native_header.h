/*
 * native_header.h - the header of the native form: the full description of a filter in 256 bytes,
 * which can be checked before anything is allocated.
 *
 * docs/formats.md has the layout: little-endian, and unchanged within a version.
 */
#ifndef LFB_BLOOM_NATIVE_HEADER_H
#define LFB_BLOOM_NATIVE_HEADER_H

#include "bloom/files/magic.h"
#include "bloom/filter/description.h"

LFB_EXTERN_C_BEGIN

enum { LFB_NATIVE_HEADER = LFB_HEAD_SIZE }; /* bytes */

/* The header's count of bits set when writing began; at most that of the words. */
uint64_t lfb_native_bits_set(const unsigned char header[LFB_NATIVE_HEADER]);

/* The seconds since 1970: of the environment's SOURCE_DATE_EPOCH if that is a number, so that
 * builds can be repeated byte for byte, else of the clock. */
uint64_t lfb_native_now(void);

/* Writes the header of a filter with `bits_set` bits set; `now` as lfb_native_now(). */
void lfb_native_encode(const lfb_description *description, uint64_t bits_set, uint64_t now,
                               unsigned char header[LFB_NATIVE_HEADER]);

/* Writes only the fields that two filters have in common if one can be put into the other, never a
 * key: for headers of other kinds. */
void lfb_native_encode_identity(const lfb_description *description,
                                unsigned char header[LFB_NATIVE_HEADER]);

/* Compares these fields with a filter's.  Fails: LFB_ERROR_PROBES_DIFFER, _BIT_COUNT_DIFFERS,
 * _STRATEGY_DIFFERS, _HASH_DIFFERS. */
lfb_status lfb_native_compare_identity(const unsigned char header[LFB_NATIVE_HEADER],
                                       const lfb_description *description);

/*
 * Reads a header and checks every field.
 *
 * Takes  key    16 bytes, or NULL.
 * Fails  LFB_ERROR_UNKNOWN_FORM, _UNKNOWN_VERSION, _BAD_CHECKSUM, _BAD_STRATEGY, _OLD_FAST,
 *        _BAD_PROBES, _BAD_WORD_COUNT, _BAD_HEADER, _WRONG_KEY;
 *        _KEY_NEEDED: then the description is written, except its hasher.
 */
lfb_status lfb_native_decode(const unsigned char header[LFB_NATIVE_HEADER],
                                     const uint8_t *key, lfb_description *description);

/* The same, also of strategy `tags`, of which there is no plain filter. */
lfb_status lfb_native_decode_any(const unsigned char header[LFB_NATIVE_HEADER], const uint8_t *key,
                                 lfb_description *description);

LFB_EXTERN_C_END

#endif
