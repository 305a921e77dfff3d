/*
 * growing_files.h - a growing filter in mapped files: its head, and the files of its layers.
 *
 * Floor 19.  May include: floors 0 to 18.  docs/formats.md has the head field by field.
 */
#ifndef LFB_BLOOM_GROWING_FILES_H
#define LFB_BLOOM_GROWING_FILES_H

#include "bloom/disk.h"
#include "bloom/forms/growing_header.h"
#include "bloom/growing/layers.h"
#include "bloom/mapped/making.h"

/* Where its parts are, in bytes. */
enum {
  LFB_GROWING_FIRST = LFB_GROWING_HEADER, /* a native header, of the first layer            */
  LFB_GROWING_COUNT = LFB_GROWING_FIRST + LFB_NATIVE_HEADER, /* of layers, as this machine has
                                                                words                       */
  LFB_GROWING_FILE = 4096, /* all of it */
};

/* A growing filter's files, but for its layers. */
typedef struct lfb_growing_files {
  lfb_layers_shared shared; /* first: what the layers know of it       */
  lfb_pages head;
  char *path;               /* of the head; without links, from / on   */
  lfb_description first;    /* of the first layer                      */
  uint64_t id;
  lfb_disk_file disk;       /* the head                                */
  bool writable;
} lfb_growing_files;

static inline lfb_growing_files *lfb_growing_files_of(const lfb_growing *growing)
{
  return (lfb_growing_files *)(void *)growing->shared;
}

/* How many layers there are, in the head. */
static inline lfb_word *lfb_growing_files_count(const lfb_growing_files *files)
{
  return (lfb_word *)(void *)((char *)files->head.address + LFB_GROWING_COUNT);
}

/* ---- layers ------------------------------------------------------------------------ */

/* The path of a layer, for the caller to free; NULL where there is no memory. */
char *lfb_growing_layer_path(const char *head, uint32_t number);

/* Makes the file of a layer of that number, of the growing filter of that id, and opens it.
 * Fails as lfb_mapped_make(). */
lfb_status lfb_growing_layer_make_file(const char *path, uint64_t id, uint32_t number,
                                       const lfb_description *description,
                                       lfb_mapped_before before, lfb_filter **filter);

/* As lfb_layers_shared has them; the second within so many bytes, 0: any number. */
lfb_status lfb_growing_layer_make(lfb_growing *growing, uint32_t number,
                                  const lfb_description *description, lfb_filter **filter);
lfb_status lfb_growing_layer_open_within(const lfb_growing *growing, uint32_t number,
                                         uint64_t max_bytes, lfb_filter **filter);
lfb_status lfb_growing_layer_open(const lfb_growing *growing, uint32_t number,
                                  lfb_filter **filter);
void lfb_growing_files_leave(lfb_layers_shared *shared);

/* ---- the head ---------------------------------------------------------------------- */

/* Opens the head's file, which is there.  Fails as lfb_disk_open(). */
lfb_status lfb_growing_head_open(lfb_growing_files *files, const char *path);

/* Reads what the head says, with the hash's key where that is not in it. */
lfb_status lfb_growing_head_decode(lfb_growing_files *files, const uint8_t *key,
                                   lfb_growing *growing);

/* Maps the head, which has been read. */
lfb_status lfb_growing_head_map(lfb_growing_files *files);

/* Writes the head of a filter whose first layer was described. */
void lfb_growing_head_encode(const lfb_growing_head *head, const lfb_description *first,
                             unsigned char bytes[LFB_GROWING_FILE]);

#endif
