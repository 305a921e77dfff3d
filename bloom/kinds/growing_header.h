/*
 * growing_header.h - the header of a growing filter's form: 256 bytes before the layers,
 * each in the native form.
 *
 * docs/formats.md has the layout: little-endian, and unchanged within a version.
 */
#ifndef LFB_BLOOM_GROWING_HEADER_H
#define LFB_BLOOM_GROWING_HEADER_H

#include "bloom/files/magic.h"
#include "bloom/kinds/layers.h"

enum { LFB_GROWING_HEADER = 256 }; /* bytes */

/*
 * Writes the header of a growing filter with `layers` layers.
 *
 * Takes  magic    LFB_MAGIC_GROWING, or LFB_MAGIC_GROWING_MAPPED for the head of a mapped file.
 *        written  in seconds since 1970.
 */
void lfb_growing_encode(const lfb_growing *growing, lfb_magic magic, uint32_t layers,
                        uint64_t written, unsigned char header[LFB_GROWING_HEADER]);

/*
 * Reads a header that begins with one of the two magic numbers, and checks every field.
 *
 * Gives  growing  its configuration as far as the header has it, its time and its label.
 *        layers   1 to LFB_GROWING_LAYERS.
 * Fails  LFB_ERROR_UNKNOWN_VERSION, _OLD_GROWING, _BYTE_ORDER, _BAD_CHECKSUM, _BAD_HEADER; then
 *        both have any content.
 */
lfb_status lfb_growing_decode(const unsigned char header[LFB_GROWING_HEADER],
                              lfb_growing *growing, uint32_t *layers);

#endif
