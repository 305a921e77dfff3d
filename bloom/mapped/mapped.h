/*
 * mapped.h - the steps from a file to the filter in it, which making one and opening one share.
 *
 * Floor 17.  May include: floors 0 to 16.
 */
#ifndef LFB_BLOOM_MAPPED_H
#define LFB_BLOOM_MAPPED_H

#include "bloom/forms/mapped_header.h"

/* A mapping without a file yet.  Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_mapped_begin(const char *path, lfb_mapping **mapping);

/* Ends it, successfully or not; returns `status` and keeps errno. */
lfb_status lfb_mapped_abandon(lfb_mapping *mapping, lfb_status status);

/* Maps the whole file, which is open, and finds its parts.  Fails as lfb_pages_map(). */
lfb_status lfb_mapped_map(lfb_mapping *mapping, const lfb_mapped_shape *shape, bool writable);

/* The filter over the words of a file that is mapped; to be joined to it.  Fails as
 * lfb_core_make_over(). */
lfb_status lfb_mapped_over(lfb_mapping *mapping, const lfb_mapped_shape *shape,
                           const lfb_description *description, lfb_filter **filter);

#endif
