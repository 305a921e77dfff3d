/* pages.c - zeroed memory from the heap or, from 2 MiB up, from the kernel; mapped files. */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise */
#include "atomic/words/pages.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lfbloom/cpu.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; refused by older kernels */
#endif

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

static size_t pages_round_up(size_t size, size_t unit)
{
  return (size + unit - 1) / unit * unit;
}

/* Writes a 0 into every page of fresh memory, for kernels without MADV_POPULATE_WRITE. */
static void pages_touch(char *start, size_t size, size_t page)
{
  for (size_t at = 0; at < size; at += page) {
    volatile char *byte = start + at; /* volatile: the write is the purpose */
    *byte = 0;
  }
}

static bool pages_populate(char *start, size_t size, size_t page)
{
  const char *end = start + size;
  /* In pieces: if memory is short, an early call fails. */
  const size_t piece = (size_t)64 << 20;

  for (char *at = start; at < end; at += piece) {
    const size_t left = (size_t)(end - at);
    const size_t step = left < piece ? left : piece;
    if (madvise(at, step, MADV_POPULATE_WRITE) == 0)
      continue;
    if (errno != EINVAL)
      return false;
    pages_touch(at, step, page);
  }
  return true;
}

/* Maps `size` bytes at a 2 MiB boundary: maps 2 MiB more and unmaps both ends. */
static char *pages_map_aligned(size_t size, int protection)
{
  char *raw = mmap(NULL, size + LFB_HUGE_PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED)
    return NULL;

  const size_t head = pages_round_up((uintptr_t)raw, LFB_HUGE_PAGE) - (uintptr_t)raw;
  if (head > 0)
    (void)munmap(raw, head);
  (void)munmap(raw + head + size, LFB_HUGE_PAGE - head);
  return raw + head;
}

static lfb_status pages_init_large(lfb_pages *pages, size_t size, bool populate)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t mapped = pages_round_up(size, page);
  char *start = pages_map_aligned(mapped, PROT_READ | PROT_WRITE);

  if (start == NULL)
    return LFB_ERROR_NO_MEMORY;
  /* A hint: without huge pages the memory is slower, but works. */
  (void)madvise(start, mapped, MADV_HUGEPAGE);
  if (populate && !pages_populate(start, mapped, page)) {
    (void)munmap(start, mapped);
    return LFB_ERROR_NO_MEMORY;
  }
  pages->address = start;
  pages->size = size;
  return LFB_OK;
}

lfb_status lfb_pages_init(lfb_pages *pages, uint64_t size, bool populate)
{
  assert(size > 0);
  if (size > PTRDIFF_MAX - 2 * LFB_HUGE_PAGE)
    return LFB_ERROR_SIZE_OVERFLOW;
  if (size >= LFB_HUGE_PAGE)
    return pages_init_large(pages, (size_t)size, populate);

  const size_t whole_lines = pages_round_up((size_t)size, LFB_CACHE_LINE);
  void *memory = aligned_alloc(LFB_CACHE_LINE, whole_lines);
  if (memory == NULL)
    return LFB_ERROR_NO_MEMORY;
  pages->address = memset(memory, 0, whole_lines);
  pages->size = size;
  return LFB_OK;
}

void lfb_pages_free(lfb_pages *pages)
{
  if (pages->size >= LFB_HUGE_PAGE)
    lfb_pages_unmap(pages);
  else
    free(pages->address);
  pages->address = NULL;
}

lfb_status lfb_pages_map(lfb_pages *pages, int fd, uint64_t offset, uint64_t size, bool writable)
{
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;

  if (size > PTRDIFF_MAX - 2 * LFB_HUGE_PAGE) {
    errno = EOVERFLOW;
    return LFB_ERROR_MAP;
  }
  const size_t mapped = pages_round_up((size_t)size, (size_t)sysconf(_SC_PAGESIZE));
  /* Reserves an aligned range of addresses, as huge pages need. */
  char *start = pages_map_aligned(mapped, PROT_NONE);
  if (start == NULL)
    return LFB_ERROR_MAP;
  if (mmap(start, (size_t)size, protection, MAP_SHARED | MAP_FIXED, fd, (off_t)offset) ==
      MAP_FAILED) {
    const int cause = errno;
    (void)munmap(start, mapped);
    errno = cause;
    return LFB_ERROR_MAP;
  }
  (void)madvise(start, mapped, MADV_HUGEPAGE); /* a hint, as above */
  *pages = (lfb_pages){start, size};
  return LFB_OK;
}

void lfb_pages_unmap(lfb_pages *pages)
{
  (void)munmap(pages->address,
               pages_round_up((size_t)pages->size, (size_t)sysconf(_SC_PAGESIZE)));
  pages->address = NULL;
}

void lfb_pages_collapse(const lfb_pages *pages, uint64_t first)
{
  if (first < pages->size)
    (void)madvise((char *)pages->address + first,
                  (size_t)((pages->size - first) / LFB_HUGE_PAGE * LFB_HUGE_PAGE), MADV_COLLAPSE);
}

void lfb_pages_populate(const lfb_pages *pages, uint64_t first)
{
  if (first < pages->size)
    (void)madvise((char *)pages->address + first, (size_t)(pages->size - first),
                  MADV_POPULATE_WRITE);
}
