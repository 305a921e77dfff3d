/*
 * pages.h - where the words of a filter live: zeroed memory that belongs to it.
 *
 * Floor 1.  May include: floor 0.
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
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LFB_HUGE_PAGE (UINT64_C(2) << 20) /* bytes */

typedef struct lfb_pages {
  void *address;
  uint64_t size; /* bytes, as asked for */
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

/* Gives the memory back. */
void lfb_pages_free(lfb_pages *pages);

#ifdef __cplusplus
}
#endif

#endif
