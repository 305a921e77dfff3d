/*
 * making.h - making mapped files whose filter was described already, and others beside them.
 *
 * Floor 18.  May include: floors 0 to 17.
 */
#ifndef LFB_BLOOM_MAKING_H
#define LFB_BLOOM_MAKING_H

#include "bloom/forms/mapped_header.h"

/* What is done when a new file is whole and has no name yet; the file gets none, and that is
 * why, unless it returns LFB_OK.  `act` may be NULL. */
typedef struct lfb_mapped_before {
  lfb_status (*act)(void *of);
  void *of;
} lfb_mapped_before;

/* Makes a filter in a new file and opens it.  Fails as lfb_mapped_create(), the configuration
 * apart; no file is left. */
lfb_status lfb_mapped_make(const char *path, const lfb_description *description,
                           const lfb_mapped_shape *shape, lfb_mapped_before before,
                           lfb_filter **filter);

/* Makes a file of these bytes, for its owner alone if they are secret, of whose name nobody
 * sees half a file.  Fails: LFB_ERROR_EXISTS,
 * _OPEN, _WRITE, with the cause in errno, _NO_MEMORY; no file is left. */
lfb_status lfb_mapped_make_file(const char *path, const void *bytes, size_t size,
                                bool secret);

#endif
