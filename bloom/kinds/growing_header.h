/*
 * growing_header.h - the header of a growing filter's form: 256 bytes before the layers,
 * each in the native form.
 *
 * docs/formats.md has the layout: little-endian, and unchanged within a version.
 */
#ifndef LFB_BLOOM_GROWING_HEADER_H
#define LFB_BLOOM_GROWING_HEADER_H

#include <lfbloom/growing.h>

enum { LFB_GROWING_HEADER = 256 }; /* bytes */

/* The fields of a header. */
typedef struct lfb_growing_head {
  bool mapped; /* the head of a mapped file; otherwise its layers follow */
  uint64_t first_insertions; /* n of the first layer                 */
  double fpp;                /* p of the whole                       */
  uint32_t layers;           /* 1 to LFB_GROWING_LAYERS              */
  lfb_memory_preference memory_preference; /* of later layers */
  uint64_t written;          /* in seconds since 1970                */
  char label[LFB_LABEL_SIZE + 1]; /* as lfb_label_set() leaves it      */
} lfb_growing_head;

/* Writes a header. */
void lfb_growing_encode(const lfb_growing_head *head, unsigned char header[LFB_GROWING_HEADER]);

/*
 * Reads a header and checks every field.
 *
 * Fails  LFB_ERROR_UNKNOWN_FORM, _UNKNOWN_VERSION, _BAD_CHECKSUM, _BAD_HEADER.
 */
lfb_status lfb_growing_decode(const unsigned char header[LFB_GROWING_HEADER],
                              lfb_growing_head *head);

#endif
