/*
 * growing_files.h - the file of a growing filter that processes share: its head, and the layers
 * in it.
 *
 * A layer is a range of the file.  The head has a table with the geometry of each layer, from
 * which the ranges follow: each begins after the end of the one before.
 *
 * Adding     A process that finds the newest layer full chooses the geometry of the next,
 *            reserves the range and then writes the geometry into the table by a CAS from 0.
 *            Of several processes one succeeds; the others take what it wrote.  Then all of
 *            them raise the number of layers, by a CAS.
 * Stopped    A process that stops or dies in between leaves a range that nobody uses yet, or a
 *            geometry that the next process takes.
 * Descriptor The file is the one that was opened, whatever has its path: no name is needed to
 *            grow, so a child grows that may not open anything.  Before a process uses the
 *            descriptor, it checks that it still is the file.
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
  LFB_GROWING_FIRST = LFB_GROWING_HEADER, /* a native header, of the first layer        */
  LFB_GROWING_READ = LFB_GROWING_FIRST + LFB_NATIVE_HEADER, /* what is read before all  */
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

/* A growing filter's file. */
typedef struct lfb_growing_files {
  lfb_layers_shared shared; /* first: what the layers know of it       */
  lfb_mapping *mapping;     /* of the head                             */
  lfb_description first;    /* of the first layer                      */
  bool writable;
  bool limited;             /* the caller has said how large it may be */
} lfb_growing_files;

static inline lfb_growing_files *lfb_growing_files_of(const lfb_growing *growing)
{
  return (lfb_growing_files *)(void *)growing->shared;
}

/* How many layers there are, in the head. */
static inline lfb_word *lfb_growing_files_count(const lfb_growing_files *files)
{
  return (lfb_word *)lfb_mapping_at(files->mapping, LFB_GROWING_COUNT);
}

/* A growing filter that has no layers yet, in the file of a mapping that it owns.  Fails:
 * LFB_ERROR_NO_MEMORY; then the mapping stays the caller's. */
lfb_status lfb_growing_files_begin(lfb_mapping *mapping, bool writable, lfb_growing **growing);

/* What is touched of a file that has one layer; its words, the last of these, are its end.
 * Fails: LFB_ERROR_TOO_MANY_BITS. */
enum { LFB_GROWING_FIRST_ROOMS = 3 };
lfb_status lfb_growing_files_first(const lfb_description *first,
                                   lfb_room rooms[LFB_GROWING_FIRST_ROOMS]);

/* Whether the descriptor still is the file's, and the file as long as so many layers are. */
bool lfb_growing_files_are_whole(const lfb_growing_files *files, uint32_t count);

/* Sees to it that all that will be touched of a file with so many layers is there and has its
 * blocks.  Fails: LFB_ERROR_OPEN, _TRUNCATED, and as lfb_room_fill_holes() and _check_holes(). */
lfb_status lfb_growing_files_check_holes(const lfb_growing_files *files, uint32_t count);

/* Writes the head of a file of one layer, which is mapped. */
void lfb_growing_files_write_head(const lfb_making *making, const lfb_growing_head *head,
                                  const lfb_description *first);

/*
 * Opens a layer that the table says is there.
 *
 * Takes  max_bytes  that its words may have; 0 for any number.
 * Fails  LFB_ERROR_BAD_HEADER, _TRUNCATED, _OVER_LIMIT, _WRITE, _MAP, _NO_MEMORY.
 */
lfb_status lfb_growing_layer_open(const lfb_growing *growing, uint32_t number, uint64_t max_bytes,
                                  lfb_filter **filter);

#ifdef __cplusplus
}
#endif

#endif
