/*
 * mapping.h - the file of a filter that processes share, and the filter over a range of it.
 *
 * Nothing in the file belongs to a thread or a process (docs/formats.md).  Puts work on the words
 * as on words in private memory.  Claims are decided in cells of the file (bloom/filter/claims.h).
 * Bits are counted in the words.  So after the file is mapped, no put, query or claim enters the
 * kernel, and nothing has to be renewed in a child, or recovered after a crash.
 */
#ifndef LFB_BLOOM_MAPPING_H
#define LFB_BLOOM_MAPPING_H

#include "bloom/filter/filter.h"
#include "bloom/files/disk.h"

LFB_EXTERN_C_BEGIN

/* An open file and its mapped part.  At first all fields are zero, and disk.fd is -1. */
struct lfb_mapping {
  lfb_pages pages;    /* from the file's first byte on; address NULL: none */
  lfb_disk_file disk; /* fd -1: none                                       */
  char *path;         /* that was opened; owned                            */
};

/* Makes a mapping that has no file yet.  Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_mapping_begin(const char *path, lfb_mapping **mapping);

/* Maps the first `size` bytes of the open file.  Fails as lfb_pages_map(). */
lfb_status lfb_mapping_map(lfb_mapping *mapping, uint64_t size, bool writable);

/* The address of byte `at` of the file. */
static inline void *lfb_mapping_at(const lfb_mapping *mapping, uint64_t at)
{
  return (char *)mapping->pages.address + at;
}

/* Compares what a head announces, bytes of words and of the whole file, with the limits and with the file's
 * size, `there`.  Fails: LFB_ERROR_OVER_LIMIT, _TRUNCATED, _TRAILING_BYTES. */
lfb_status lfb_mapping_check(uint64_t words, uint64_t size, uint64_t there, const lfb_read_limits *limits);

/* Unmaps and closes the file, and frees the mapping; keeps errno. */
void lfb_mapping_end(lfb_mapping *mapping);

/* Ends the mapping after a failure; returns `status`. */
lfb_status lfb_mapping_abandon(lfb_mapping *mapping, lfb_status status);

/*
 * Makes a filter over words and cells of a mapped file.
 *
 * Takes  words  mapped; `destroy` must unmap them.
 *        count  stripes for the bits turned on from now on, in private memory or in the file; the
 *               filter owns them.
 * Fails  LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_mapping_make_filter(const lfb_description *description, const lfb_pages *words,
                                   lfb_cell *cells, lfb_stripes count,
                                   void (*destroy)(lfb_filter *filter), lfb_filter **filter);

/* Whether the descriptor still is this file's, and the file not shorter than the mapped part.
 * False if this program has closed a descriptor of the library, or any program has cut the file
 * short. */
bool lfb_mapping_is_whole(const lfb_mapping *mapping);

/* Makes the file's name durable.  Fails: LFB_ERROR_SYNC, _NO_MEMORY. */
lfb_status lfb_mapping_sync_name(const lfb_mapping *mapping);

/* Makes the mapped part, the file's size and its name durable.  Fails: LFB_ERROR_TRUNCATED,
 * _SYNC, _REPLACED, as lfb_mapped_sync(); _NO_MEMORY. */
lfb_status lfb_mapping_sync(const lfb_mapping *mapping);

LFB_EXTERN_C_END

#endif
