/*
 * memory.c - prints the memory that a filter takes in addition to its bits, as CSV: every byte
 * that the library requests from the C library or the system, from creating a filter to
 * putting into it with two threads.
 *
 *     ./bazelw run -c opt //bench:memory -- [LARGEST]
 *
 * Filters have about 64 KiB to LARGEST bytes (1 GiB).  The program is linked with --wrap, so
 * that calls of the allocator come here first.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <lfbloom/filter_more.h>

/* Bytes requested and not freed; modulo 2^64, so that order does not matter. */
static _Atomic(uint64_t) in_use;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void *at, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *at, size_t size);

static void *counted(void *memory)
{
  atomic_fetch_add(&in_use, malloc_usable_size(memory));
  return memory;
}

void *__wrap_malloc(size_t size)
{
  return counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
  return counted(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  return counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
  atomic_fetch_sub(&in_use, malloc_usable_size(memory));
  __real_free(memory);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
  atomic_fetch_add(&in_use, size);
  return __real_mmap(at, size, protection, flags, file, offset);
}

int __wrap_munmap(void *at, size_t size)
{
  atomic_fetch_sub(&in_use, size);
  return __real_munmap(at, size);
}

static void *put_some(void *filter)
{
  for (uint64_t key = 0; key < 10000; key++)
    (void)lfb_filter_put_u64(filter, key);
  return NULL;
}

static bool measure(lfb_strategy_id strategy, uint64_t size)
{
  /* 12 bits per key are enough at 1 % for both. */
  const lfb_config config = {
      .expected_insertions = size * 8 / 12, .fpp = 0.01, .strategy = strategy};
  const uint64_t before = atomic_load(&in_use);
  lfb_filter *filter;
  lfb_stats stats;
  pthread_t other;

  if (lfb_filter_create(&config, &filter) != LFB_OK)
    return false;
  if (pthread_create(&other, NULL, put_some, filter) == 0)
    (void)pthread_join(other, NULL);
  (void)put_some(filter);
  lfb_filter_stats(filter, &stats);
  const uint64_t all = atomic_load(&in_use) - before;
  (void)printf("%s,%llu,%llu,%llu\n", lfb_strategy_name(strategy),
               (unsigned long long)stats.bytes, (unsigned long long)all,
               (unsigned long long)(all - stats.bytes));
  lfb_filter_free(filter);
  return true;
}

int main(int argc, char **argv)
{
  static const uint64_t sizes[] = {UINT64_C(1) << 16, UINT64_C(1) << 20, UINT64_C(1) << 24,
                                   UINT64_C(1) << 28, UINT64_C(1) << 30};
  const uint64_t largest = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_C(1) << 30;
  bool measured = true;

  (void)puts("strategy,filter_bytes,all_bytes,overhead_bytes");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= largest; i++) {
    measured &= measure(LFB_FAST, sizes[i]);
    measured &= measure(LFB_GUAVA_MITZ64, sizes[i]);
  }
  return measured ? 0 : 1;
}
