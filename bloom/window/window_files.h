/*
 * window_files.h - the header of windows in files (docs/formats.md): of the form that
 * lfb_any_write() writes, with a checksum per MiB of words, and of files that processes share.
 *
 * Both have a prefix, and the native header of the plain filter for as many keys.  The form has its
 * words next.  A shared file has the head (window.h), the cells of claims, a counter, and its
 * words.
 */
#ifndef LFB_BLOOM_WINDOW_FILES_H
#define LFB_BLOOM_WINDOW_FILES_H

#include "bloom/files/native_header.h"
#include "bloom/window/window.h"

enum {
  LFB_WINDOW_HEADER = LFB_HEAD_SIZE + LFB_NATIVE_HEADER, /* bytes */
  LFB_WINDOW_HEAD = LFB_WINDOW_HEADER,                   /* where the parts of a shared file are */
  LFB_WINDOW_CELLS = 4096,
  LFB_WINDOW_STRIPES = LFB_WINDOW_CELLS + LFB_CLAIM_CELLS * sizeof(lfb_cell),
  LFB_WINDOW_PARTS_END = LFB_WINDOW_STRIPES + LFB_STRIPES_IN_FILE * sizeof(lfb_stripe),
};

/* What a header says. */
typedef struct lfb_window_file {
  lfb_description description;
  lfb_window_config config;
  lfb_window_geometry geometry;
  uint64_t words_at; /* of a shared file; 0: the words follow the header       */
  bool other_order;  /* of a shared file: that of the other byte order         */
  /* Not of a shared file: */
  uint64_t generation;
  lfb_window_moment began; /* when it began */
} lfb_window_file;

/* Writes a header; the words, if it is shared, are in this processor's byte order. */
void lfb_window_encode(const lfb_window_file *file, unsigned char header[LFB_WINDOW_HEADER]);

/* Checks every field.  Fails as lfb_native_decode().  With LFB_ERROR_KEY_NEEDED `*file` is written,
 * except the hash. */
lfb_status lfb_window_decode(const unsigned char header[LFB_WINDOW_HEADER], const uint8_t *key,
                             lfb_window_file *file);

/* Whether a generation can be that of a window. */
static inline bool lfb_window_is_generation(const lfb_window_geometry *geometry,
                                            uint64_t generation)
{
  return generation >= lfb_window_layers(geometry) && generation <= LFB_WINDOW_LAST / 2;
}

#endif
