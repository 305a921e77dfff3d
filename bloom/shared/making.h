/*
 * making.h - making the file of a shared filter: it has no name until it is whole.
 */
#ifndef LFB_BLOOM_MAKING_H
#define LFB_BLOOM_MAKING_H

#include "bloom/shared/mapping.h"

/* A file that is being made. */
typedef struct lfb_making {
  lfb_mapping *mapping;
  const char *path;
  bool named; /* already, for want of files without a name, or of /proc to name them by */
} lfb_making;

/*
 * Makes an empty file in the folder of `path`.
 *
 * Takes  mode    its permissions, less the process's umask; 0 for 0600.
 *        secret  whether a key will be in it: then nobody but the owner has any permission.
 * Fails  LFB_ERROR_EXISTS, _OPEN, with the cause in errno, _NO_MEMORY.
 */
lfb_status lfb_making_begin(const char *path, uint32_t mode, bool secret, lfb_making *making);

/* Writes the head of a file that is mapped: its first bytes last, so that no half of it is taken
 * for a whole. */
void lfb_making_write_head(const lfb_making *making, const unsigned char *head, size_t size);

/*
 * Gives the file its name and makes that last, unless `status` says that making it has failed;
 * then no name is left.  The mapping stays the caller's; it may have
 * ended already if `status` is a failure.
 *
 * Fails  as `status`; LFB_ERROR_EXISTS, _OPEN, _SYNC, _NO_MEMORY.
 */
lfb_status lfb_making_end(lfb_making *making, lfb_status status);

#endif
