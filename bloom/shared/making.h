/*
 * making.h - making the file of a shared filter.  The file has no name until it is complete.
 */
#ifndef LFB_BLOOM_MAKING_H
#define LFB_BLOOM_MAKING_H

#include "bloom/shared/room.h"

/* A file that is being made. */
typedef struct lfb_making {
  lfb_mapping *mapping;
  const char *path;
  bool named; /* true from the start if the system lacks unnamed files, or /proc to name them */
} lfb_making;

/*
 * Makes an empty file in the folder of `path`.
 *
 * Takes  mode    its permissions, less the process's umask; 0 for 0600.
 *        secret  whether the file will hold a key: then only the owner has permissions.
 * Fails  LFB_ERROR_EXISTS, _OPEN, with the cause in errno, _NO_MEMORY.
 */
lfb_status lfb_making_begin(const char *path, uint32_t mode, bool secret, lfb_making *making);

/* Sets the file's size to the end of its words, maps it, and reserves its front and its words, in huge pages if
 * the system has them.  `lazy` as lfb_config.lazy_memory.  Fails: as lfb_room_reserve() and
 * lfb_mapping_map(). */
lfb_status lfb_making_reserve(const lfb_making *making, lfb_room front, lfb_room words, bool lazy);

/* Writes the head of a mapped file.  Its first bytes are written last, so that a partial head is
 * never taken for a complete one. */
void lfb_making_write_head(const lfb_making *making, const unsigned char *head, size_t size);

/*
 * Gives the file its name and makes the name durable.  If `status` is a failure, no name is left.
 * The mapping stays the caller's; if `status` is a failure, it may have ended already.
 *
 * Fails  as `status`; LFB_ERROR_EXISTS, _OPEN, _SYNC, _NO_MEMORY.
 */
lfb_status lfb_making_end(lfb_making *making, lfb_status status);

#endif
