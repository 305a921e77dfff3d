/* memory.c - the library's allocations, from Redis' allocator. */
#define _GNU_SOURCE /* madvise */
#include "redis/module/memory.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lfbloom/cpu.h>
#include <lfbloom/status.h>

#include "atomic/threads/stripes.h"
#include "bloom/filter/claims.h"
#include "redis/module/api.h"

/* What the linker calls instead of the C library's and the library's functions. */
void *lfb_memory_malloc(size_t size);
void *lfb_memory_calloc(size_t count, size_t size);
void *lfb_memory_aligned_alloc(size_t alignment, size_t size);
void lfb_memory_free(void *memory);
lfb_status lfb_memory_pages_init(lfb_pages *pages, uint64_t size, bool populate);
void lfb_memory_pages_free(lfb_pages *pages);
lfb_status lfb_memory_stripes_init(lfb_stripes *stripes);
lfb_status lfb_memory_claims_init(lfb_claims *claims, lfb_hash_width width);

/* From this size on, the kernel gives zeroed pages, and huge ones if asked. */
enum { HUGE_FROM = 16 << 20 };

/* Stands in the word before each block. */
typedef struct origin {
  void *raw;   /* what Redis returned               */
  size_t size; /* what the tally has counted for it */
} origin;

static _Thread_local uint64_t memory_tally;
static _Atomic(uint64_t) memory_all; /* of all threads */

void lfb_memory_begin(void)
{
  memory_tally = 0;
  atomic_store_explicit(&memory_all, 0, memory_order_relaxed); /* as lfb_memory_all() */
}

uint64_t lfb_memory_tally(void)
{
  return memory_tally;
}

void lfb_memory_tally_reset(uint64_t tally)
{
  memory_tally = tally;
}

uint64_t lfb_memory_all(void)
{
  /* relaxed: a figure for INFO, which orders nothing. */
  return atomic_load_explicit(&memory_all, memory_order_relaxed);
}

static void *memory_raw(size_t size)
{
  return lfb_redis.TryAlloc != NULL ? lfb_redis.TryAlloc(size) : lfb_redis.Alloc(size);
}

/* Takes memory whose address is a multiple of `alignment`, a power of two. */
static void *memory_aligned(size_t size, size_t alignment)
{
  const size_t more = alignment + sizeof(origin);

  if (size > PTRDIFF_MAX - more)
    return NULL;
  char *raw = memory_raw(size + more);
  if (raw == NULL)
    return NULL;
  char *memory = raw + sizeof(origin);
  memory += (alignment - (uintptr_t)memory % alignment) % alignment;
  const size_t counted = lfb_redis.MallocSize != NULL ? lfb_redis.MallocSize(raw) : size + more;
  const origin from = {raw, counted};
  memcpy(memory - sizeof from, &from, sizeof from);
  memory_tally += counted;
  atomic_fetch_add_explicit(&memory_all, counted, memory_order_relaxed); /* as lfb_memory_all() */
  return memory;
}

/* ---- the C library's --------------------------------------------------------- */

void *lfb_memory_malloc(size_t size)
{
  return memory_aligned(size, sizeof(origin));
}

void *lfb_memory_calloc(size_t count, size_t size)
{
  if (size > 0 && count > SIZE_MAX / size)
    return NULL;
  void *memory = lfb_memory_malloc(count * size);
  return memory == NULL ? NULL : memset(memory, 0, count * size);
}

void *lfb_memory_aligned_alloc(size_t alignment, size_t size)
{
  return memory_aligned(size, alignment < sizeof(origin) ? sizeof(origin) : alignment);
}

void lfb_memory_free(void *memory)
{
  origin from;

  if (memory == NULL)
    return;
  memcpy(&from, (char *)memory - sizeof from, sizeof from);
  memory_tally -= from.size;
  atomic_fetch_sub_explicit(&memory_all, from.size, memory_order_relaxed); /* as above */
  lfb_redis.Free(from.raw);
}

/* ---- the words of a filter ----------------------------------------------------- */

/* Makes whole pages read as zeros.  The kernel takes back the pages that the allocator has used
 * before, and gives each zeroed when it is touched: large memory costs nothing until it is used. */
static void pages_zero(char *start, size_t size, size_t page)
{
  const size_t head = (page - (uintptr_t)start % page) % page;

  if (size < HUGE_FROM || madvise(start + head, (size - head) / page * page, MADV_DONTNEED) != 0) {
    memset(start, 0, size);
    return;
  }
  const size_t whole = (size - head) / page * page;
  memset(start, 0, head);
  memset(start + head + whole, 0, size - head - whole);
}

/* A hint for the whole huge pages of large memory.  It does not begin on one: what that takes can
 * cost a fifth more, because the allocator has few sizes (14 MiB, 16, 20, 24). */
static void pages_advise(const lfb_pages *pages, int advice)
{
  const size_t head = (LFB_HUGE_PAGE - (uintptr_t)pages->address % LFB_HUGE_PAGE) % LFB_HUGE_PAGE;

  if (pages->size >= HUGE_FROM)
    (void)madvise((char *)pages->address + head,
                  (pages->size - head) / LFB_HUGE_PAGE * LFB_HUGE_PAGE, advice);
}

lfb_status lfb_memory_pages_init(lfb_pages *pages, uint64_t size, bool populate)
{
  (void)populate; /* a filter never holds up other clients for its pages */
  if (size > PTRDIFF_MAX - LFB_HUGE_PAGE)
    return LFB_ERROR_SIZE_OVERFLOW;
  char *start = memory_aligned((size_t)size, LFB_CACHE_LINE);
  if (start == NULL)
    return LFB_ERROR_NO_MEMORY;
  pages_zero(start, (size_t)size, (size_t)sysconf(_SC_PAGESIZE));
  *pages = (lfb_pages){start, size};
  pages_advise(pages, MADV_NOHUGEPAGE);
  return LFB_OK;
}

void lfb_memory_settle(const lfb_pages *words)
{
  pages_advise(words, MADV_HUGEPAGE);
}

void lfb_memory_pages_free(lfb_pages *pages)
{
  lfb_memory_free(pages->address);
  pages->address = NULL;
}

/* ---- what only several threads need (memory.h) ---------------------------------------- */

lfb_status lfb_memory_stripes_init(lfb_stripes *stripes)
{
  lfb_stripe *one = memory_aligned(sizeof *one, LFB_CACHE_LINE);

  if (one == NULL)
    return LFB_ERROR_NO_MEMORY;
  memset(one, 0, sizeof *one);
  *stripes = (lfb_stripes){.stripes = one, .shared = 1};
  return LFB_OK;
}

lfb_status lfb_memory_claims_init(lfb_claims *claims, lfb_hash_width width)
{
  *claims = lfb_claims_over(NULL, width);
  return LFB_OK;
}
