/*
 * pages.h - the memory for the words of a filter: zeroed private memory, or a part of a
 * file that several processes map.
 *
 * From 2 MiB up the memory begins on a 2 MiB boundary, and the kernel is asked for huge
 * pages: 4 KiB pages cost random access a third of its speed.  Smaller memory begins on a
 * cache line.
 *
 * Exclusive  No two functions at once on one lfb_pages.
 */
#ifndef LFB_ATOMIC_PAGES_H
#define LFB_ATOMIC_PAGES_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

#define LFB_HUGE_PAGE ((size_t)2 << 20) /* bytes */

typedef struct lfb_pages {
  void *address;
  uint64_t size; /* bytes, as requested; below PTRDIFF_MAX */
} lfb_pages;

/*
 * Allocates `size` bytes of zeroed memory.
 *
 * Takes  size     bytes, at least 1.
 *        populate if true, every page is backed with memory now, so that no later
 *                 access enters the kernel.
 * Fails  LFB_ERROR_SIZE_OVERFLOW   no address space is that large
 *        LFB_ERROR_NO_MEMORY       the kernel or the heap refuses
 */
lfb_status lfb_pages_init(lfb_pages *pages, uint64_t size, bool populate);

/* Frees the memory of lfb_pages_init(). */
void lfb_pages_free(lfb_pages *pages);

/*
 * Maps `size` bytes of a file from byte `offset` on, shared with all processes that do the same.
 *
 * Takes  fd      a regular file of at least offset + size bytes: an access beyond its end kills
 *                the process.  The caller may close it afterwards.
 *        offset  a multiple of the page size.
 * Fails  LFB_ERROR_MAP with the cause in errno.
 */
lfb_status lfb_pages_map(lfb_pages *pages, int fd, uint64_t offset, uint64_t size, bool writable);

/* Unmaps the memory of lfb_pages_map(); the file keeps what was written. */
void lfb_pages_unmap(lfb_pages *pages);

/*
 * Asks the kernel to move the memory from `first` on, a multiple of LFB_HUGE_PAGE, into huge
 * pages, as far as whole ones fit: files in memory (tmpfs) have none by themselves.  A hint.
 */
void lfb_pages_collapse(const lfb_pages *pages, uint64_t first);

/* Asks the kernel to back every page from `first` on with memory now.  A hint. */
void lfb_pages_populate(const lfb_pages *pages, uint64_t first);

LFB_EXTERN_C_END

#endif
