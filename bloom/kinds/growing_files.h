/*
 * growing_files.h - the file of a growing filter that processes share: its head, and the layers
 * in it.
 *
 * A layer is a range of the file.  The head has a table with the geometry of each layer.  The
 * ranges follow from the table: each begins after the end of the one before.
 *
 * Adding     A process that finds the newest layer full chooses the geometry of the next,
 *            reserves the range and then writes the geometry into the table by a CAS from 0.
 *            Of several processes one succeeds; the others use the geometry that it wrote.  Then
 *            all of them raise the number of layers, by a CAS.
 * Stopped    A process that stops or is killed in between leaves an unused range, or a geometry
 *            that the next process uses.
 * Descriptor A process grows the file through the descriptor it opened, and never through the path.
 *            So a child that may not open files can grow the filter.  Before a process uses the
 *            descriptor, it checks that the descriptor still is that of the file.
 */
#ifndef LFB_BLOOM_GROWING_FILES_H
#define LFB_BLOOM_GROWING_FILES_H

#include "bloom/kinds/growing_header.h"
#include "bloom/shared/mapped_header.h"
#include "bloom/files/native_header.h"
#include "bloom/kinds/layers.h"
#include "bloom/shared/making.h"
#include "bloom/shared/room.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the parts of the file are, in bytes. */
enum {
  LFB_GROWING_FIRST = LFB_GROWING_HEADER, /* the native header of the first layer       */
  LFB_GROWING_READ = LFB_GROWING_FIRST + LFB_NATIVE_HEADER, /* end of what is read first */
  LFB_GROWING_COUNT = LFB_GROWING_READ,   /* a word: the number of layers               */
  LFB_GROWING_TABLE = LFB_GROWING_COUNT + sizeof(lfb_word), /* a word for each layer    */
  LFB_GROWING_TABLE_END = LFB_GROWING_TABLE + LFB_GROWING_LAYERS * sizeof(lfb_word),
  LFB_GROWING_CELLS = 4096,
  LFB_GROWING_CELLS_END = LFB_GROWING_CELLS + LFB_CLAIM_CELLS * sizeof(lfb_cell),
  LFB_GROWING_STRIPES = 1 << 16,          /* LFB_STRIPES_IN_FILE of each layer          */
  LFB_GROWING_STRIPES_SIZE = LFB_STRIPES_IN_FILE * sizeof(lfb_stripe),
  LFB_GROWING_HEAD =
      LFB_GROWING_STRIPES + LFB_GROWING_LAYERS * LFB_GROWING_STRIPES_SIZE, /* mapped as one */
};

/* A growing filter's open file. */
typedef struct lfb_growing_files {
  lfb_layers_shared shared; /* must be the first member; used by the layers */
  lfb_mapping *mapping;     /* of the head                                  */
  lfb_description first;    /* of the first layer                           */
  bool writable;
  bool limited;             /* the caller has set a limit to its size       */
} lfb_growing_files;

static inline lfb_growing_files *lfb_growing_files_of(const lfb_growing *growing)
{
  return (lfb_growing_files *)(void *)growing->shared;
}

/* The number of layers, in the head. */
static inline lfb_word *lfb_growing_files_count(const lfb_growing_files *files)
{
  return (lfb_word *)lfb_mapping_at(files->mapping, LFB_GROWING_COUNT);
}

/* Makes a growing filter without layers over a mapped file; it owns the mapping.  Fails:
 * LFB_ERROR_NO_MEMORY; then the mapping stays the caller's. */
lfb_status lfb_growing_files_begin(lfb_mapping *mapping, bool writable, lfb_growing **growing);

/* The ranges that are used of a file with one layer.  The last range is the layer's words, which
 * end the file.  Fails: LFB_ERROR_TOO_MANY_BITS. */
enum { LFB_GROWING_FIRST_ROOMS = 3 };
lfb_status lfb_growing_files_first(const lfb_description *first,
                                   lfb_room rooms[LFB_GROWING_FIRST_ROOMS]);

/* Whether the descriptor still is the file's, and the file long enough for `count` layers. */
bool lfb_growing_files_are_whole(const lfb_growing_files *files, uint32_t count);

/* Checks that the file is long enough for `count` layers, and reserves the blocks it lacks; if the
 * file is read-only, checks them.  Fails: LFB_ERROR_OPEN, _TRUNCATED, and as lfb_room_fill_holes()
 * and _check_holes(). */
lfb_status lfb_growing_files_check_holes(const lfb_growing_files *files, uint32_t count);

/* Writes the head of a mapped file with one layer. */
void lfb_growing_files_write_head(const lfb_making *making, const lfb_growing_head *head,
                                  const lfb_description *first);

/*
 * Opens a layer that has an entry in the table.
 *
 * Takes  max_bytes  the limit for the bytes of its words; 0 for none.
 * Fails  LFB_ERROR_BAD_HEADER, _TRUNCATED, _OVER_LIMIT, _WRITE, _MAP, _NO_MEMORY.
 */
lfb_status lfb_growing_layer_open(const lfb_growing *growing, uint32_t number, uint64_t max_bytes,
                                  lfb_filter **filter);

#ifdef __cplusplus
}
#endif

#endif
