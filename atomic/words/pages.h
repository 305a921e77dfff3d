/*
 * pages.h - where the words of a filter live: zeroed memory that belongs to it, or
 * a part of a file that several processes have in memory.
 *
 * From 2 MiB up the memory begins on a 2 MiB boundary and the system is asked
 * for huge pages (4 KiB pages cost random access a third of its speed); below,
 * it begins on a cache line.
 *
 * Exclusive  No two functions at once on one lfb_pages.
 */
#ifndef LFB_ATOMIC_PAGES_H
#define LFB_ATOMIC_PAGES_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LFB_HUGE_PAGE ((size_t)2 << 20) /* bytes */

typedef struct lfb_pages {
  void *address;
  uint64_t size; /* bytes, as asked for; below PTRDIFF_MAX */
} lfb_pages;

/*
 * Makes `size` bytes of zeroed memory.
 *
 * Takes  size     bytes, at least 1.
 *        populate whether to have the system back every page now, so that no
 *                 later access enters the kernel for it.
 * Fails  LFB_ERROR_SIZE_OVERFLOW   no address space is that large
 *        LFB_ERROR_NO_MEMORY       the system refuses
 */
lfb_status lfb_pages_init(lfb_pages *pages, uint64_t size, bool populate);

/* Gives the memory of lfb_pages_init() back. */
void lfb_pages_free(lfb_pages *pages);

/*
 * Maps `size` bytes of a file from byte `offset` on, shared with all processes that do the same.
 *
 * Takes  fd      a regular file of at least offset + size bytes: beyond its end, memory that is
 *                touched kills the process.  It may be closed afterwards.
 *        offset  a multiple of the page size.
 * Fails  LFB_ERROR_MAP with the cause in errno.
 */
lfb_status lfb_pages_map(lfb_pages *pages, int fd, uint64_t offset, uint64_t size, bool writable);

/* Ends that; the file keeps what was written. */
void lfb_pages_unmap(lfb_pages *pages);

/*
 * Has whole huge pages from `first` on, a multiple of LFB_HUGE_PAGE, moved into such, as
 * far as the system can: files in memory (tmpfs) have none on their own.  A wish.
 */
void lfb_pages_collapse(const lfb_pages *pages, uint64_t first);

/* Has the system back every page from `first` on now.  A wish. */
void lfb_pages_populate(const lfb_pages *pages, uint64_t first);

#ifdef __cplusplus
}
#endif

#endif
