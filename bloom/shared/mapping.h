/*
 * mapping.h - the file of a filter that processes share, and the filter over a range of it.
 *
 * Nothing in the file belongs to a thread or a process (docs/formats.md): the words are put into
 * as words in private memory are, claims are decided in cells of the file
 * (bloom/filter/claims.h), and bits are counted in the words.  So no call after the file is mapped
 * enters the kernel, and nothing has to be renewed in a child, or found dead.
 */
#ifndef LFB_BLOOM_MAPPING_H
#define LFB_BLOOM_MAPPING_H

#include "bloom/filter/create.h"
#include "bloom/files/disk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open file, and as much of it as is mapped.  All zero, and disk.fd -1, at first. */
struct lfb_mapping {
  lfb_pages pages;    /* from the file's first byte on; address NULL: none */
  lfb_disk_file disk; /* fd -1: none                                       */
  char *path;         /* as it was opened; owned                           */
};

/* A mapping without a file yet.  Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_mapping_begin(const char *path, lfb_mapping **mapping);

/* Maps the first `size` bytes of the file, which is open.  Fails as lfb_pages_map(). */
lfb_status lfb_mapping_map(lfb_mapping *mapping, uint64_t size, bool writable);

/* What is mapped at byte `at` of the file. */
static inline void *lfb_mapping_at(const lfb_mapping *mapping, uint64_t at)
{
  return (char *)mapping->pages.address + at;
}

/* Unmaps and closes the file, and frees the mapping; keeps errno. */
void lfb_mapping_end(lfb_mapping *mapping);

/* Ends it as the way of a call that fails; returns `status`. */
lfb_status lfb_mapping_abandon(lfb_mapping *mapping, lfb_status status);

/*
 * Makes a filter over words and cells of a mapped file.
 *
 * Takes  words  mapped; `leave` is to unmap them.
 *        count  of what is put from now on, owned by the filter: in private memory, or in the
 *               file.
 * Fails  LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_mapping_make_filter(const lfb_description *description, const lfb_pages *words,
                                   lfb_cell *cells, lfb_stripes count,
                                   void (*leave)(lfb_filter *filter), lfb_filter **filter);

/* Whether the descriptor still is this file's, and the file as long as what is mapped.  Not where
 * a program has closed descriptors that are not its own, or another one has cut the file short. */
bool lfb_mapping_is_whole(const lfb_mapping *mapping);

/* Makes the file's name last.  Fails: LFB_ERROR_SYNC, _NO_MEMORY. */
lfb_status lfb_mapping_sync_name(const lfb_mapping *mapping);

/* Makes durable what is mapped, the file's size and its name.  Fails: LFB_ERROR_TRUNCATED,
 * _SYNC, _REPLACED, as lfb_mapped_sync(). */
lfb_status lfb_mapping_sync(const lfb_mapping *mapping);

#ifdef __cplusplus
}
#endif

#endif
