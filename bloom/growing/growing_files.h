/*
 * growing_files.h - the header of a growing filter's form, 256 bytes before the layers, each in the
 * native form (docs/formats.md), and the layout of the file of a growing filter that processes
 * share: its head, and the layers in it.
 *
 * A layer is a range of the file.  The head has a table with the geometry of each layer.  The
 * ranges follow from the table: each begins after the end of the one before.
 *
 * Adding     A process that finds the newest layer full chooses the geometry of the next,
 *            reserves the range and then writes the geometry into the table by a CAS from 0.
 *            Of several processes one succeeds; the others use the geometry that it wrote.  Then
 *            all of them raise the number of layers, by a CAS.
 * Stopped    In between it leaves an unused range, or a geometry that the next process uses.
 * Descriptor A process grows the file through the descriptor it opened.  Before that it checks that
 *            the descriptor still is that of the file.
 */
#ifndef LFB_BLOOM_GROWING_FILES_H
#define LFB_BLOOM_GROWING_FILES_H

#include "bloom/files/native_header.h"
#include "bloom/growing/layers.h"

enum { LFB_GROWING_HEADER = 256 }; /* bytes of the header of the whole */

/* Where the parts of the file are, in bytes. */
enum {
  LFB_GROWING_FIRST = LFB_GROWING_HEADER, /* the native header of the first layer       */
  LFB_GROWING_READ = LFB_GROWING_FIRST + LFB_NATIVE_HEADER, /* end of what is read first */
  LFB_GROWING_COUNT = LFB_GROWING_READ,   /* a word: the number of layers               */
  LFB_GROWING_TABLE = LFB_GROWING_COUNT + sizeof(lfb_word), /* a word for each layer    */
  LFB_GROWING_CELLS = 4096,
  LFB_GROWING_CELLS_END = LFB_GROWING_CELLS + LFB_CLAIM_CELLS * sizeof(lfb_cell),
  LFB_GROWING_STRIPES = 1 << 16,          /* LFB_STRIPES_IN_FILE of each layer          */
  LFB_GROWING_STRIPES_SIZE = LFB_STRIPES_IN_FILE * sizeof(lfb_stripe),
  LFB_GROWING_HEAD =
      LFB_GROWING_STRIPES + LFB_GROWING_LAYERS * LFB_GROWING_STRIPES_SIZE, /* mapped as one */
};

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
 * Gives  growing  its configuration as far as the header has it, and its time.
 *        layers   1 to LFB_GROWING_LAYERS.
 * Fails  LFB_ERROR_UNKNOWN_VERSION, _BYTE_ORDER, _BAD_CHECKSUM, _BAD_HEADER; then
 *        both have any content.
 */
lfb_status lfb_growing_decode(const unsigned char header[LFB_GROWING_HEADER],
                              lfb_growing *growing, uint32_t *layers);

#endif
