/*
 * mapped_header.h - the head of a file with a filter for several processes: it locates all parts
 * of the file.
 *
 * The file has a prefix of 256 bytes, a native header, which describes the filter, the cells of
 * claims, and the words.  docs/formats.md has the layout, which is unchanged within a version.
 */
#ifndef LFB_BLOOM_MAPPED_HEADER_H
#define LFB_BLOOM_MAPPED_HEADER_H

#include "bloom/filter/claims.h"
#include "bloom/files/native_header.h"

enum {
  LFB_MAPPED_PREFIX = LFB_HEAD_SIZE,
  LFB_MAPPED_HEADER = LFB_MAPPED_PREFIX + LFB_NATIVE_HEADER, /* bytes */
  LFB_MAPPED_CELLS = 4096, /* where the cells are, in bytes from the start */
  LFB_MAPPED_CELLS_END = LFB_MAPPED_CELLS + LFB_CLAIM_CELLS * sizeof(lfb_cell),
  LFB_MAPPED_WORDS_AT_MOST = 1 << 24, /* where words can begin at most */
};

/* Where the words are, in bytes from the file's start. */
typedef struct lfb_mapped_shape {
  uint64_t words_at;
  uint64_t file_size;
} lfb_mapped_shape;

/* The offset of `word_bytes` bytes of words, at or after byte `from` of the file.  It is aligned to
 * a page of any processor; large words are aligned to a huge page. */
uint64_t lfb_mapped_words_from(uint64_t from, uint64_t word_bytes);

/* The shape of a new file for `word_bytes` bytes of words. */
lfb_mapped_shape lfb_mapped_shape_for(uint64_t word_bytes);

/* Writes the head of a file for a filter of this description with `bits_set` bits set. */
void lfb_mapped_encode(const lfb_description *description, uint64_t bits_set,
                       const lfb_mapped_shape *shape, unsigned char header[LFB_MAPPED_HEADER]);

/*
 * Reads a head and checks every field.
 *
 * Takes  key               16 bytes, or NULL.
 *        other_byte_order  receives whether the words have the other byte order than this
 *                          processor.
 * Fails  LFB_ERROR_UNKNOWN_FORM, and as lfb_native_decode().
 */
lfb_status lfb_mapped_decode(const unsigned char header[LFB_MAPPED_HEADER], const uint8_t *key,
                             lfb_mapped_shape *shape, bool *other_byte_order,
                             lfb_description *description);

#endif
