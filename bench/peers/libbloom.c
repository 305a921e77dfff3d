/*
 * libbloom.c - libbloom 1.6 (package libbloom-dev): a classic filter over MurmurHash2.  A number is
 * put as its 8 bytes: there is no other call.
 *
 * Not for threads: a put is a plain read and write of a byte.  Sizes are ints, so the
 * largest is just below 2^31 bits.  In its favour its memory is on huge pages.
 */
#define _GNU_SOURCE /* madvise */
#include <bloom.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <stdint.h>
#include <sys/mman.h>

#include "bench/ways.h"

/* bloom_add() returns whether the key was present; a put here returns the opposite. */
static bool libbloom_put(struct bloom *bloom, const void *bytes, size_t size)
{
  return bloom_add(bloom, bytes, (int)size) == 0;
}

static bool libbloom_query(struct bloom *bloom, const void *bytes, size_t size)
{
  return bloom_check(bloom, bytes, (int)size) == 1;
}

SINGLE_WAY(libbloom_number, filter, libbloom_put, libbloom_query, &keys->numbers[i], 8)
SINGLE_WAY(libbloom_text, filter, libbloom_put, libbloom_query, keys->refs[i].bytes,
           keys->refs[i].size)

static const lfb_way libbloom_ways[] = {
    WAY_ROW("single/u64", LFB_KEYS_NUMBERS, libbloom_number),
    WAY_ROW("single/bytes36", LFB_KEYS_UUIDS, libbloom_text),
};

/* As bloom_init() computes it. */
static bool libbloom_size(const lfb_contender *contender, uint64_t n, double fpp,
                          uint64_t *bytes)
{
  const double bits = (double)n * -log(fpp) / 0.480453013918201;
  (void)contender;

  *bytes = ((uint64_t)bits + 7) / 8;
  return bits < INT_MAX;
}

/* The field is private to libbloom, but there is no other way to copy a filter. */
static lfb_bench_bits libbloom_bits(void *filter)
{
  const struct bloom *bloom = filter;
  return (lfb_bench_bits){bloom->bf, (uint64_t)bloom->bytes};
}

/* Called before the first touch; starts at the first whole page. */
static void libbloom_ask_huge_pages(struct bloom *bloom)
{
  const uintptr_t page = 4096, start = ((uintptr_t)bloom->bf + page - 1) & ~(page - 1);

  if ((uint64_t)bloom->bytes > LFB_HUGE_PAGE)
    (void)madvise((void *)start, (size_t)bloom->bytes - page, MADV_HUGEPAGE);
}

static void *libbloom_create(const lfb_contender *contender, uint64_t n, double fpp)
{
  struct bloom *bloom = calloc(1, sizeof *bloom);
  (void)contender;

  if (bloom == NULL || bloom_init(bloom, (int)n, fpp) != 0) {
    free(bloom);
    return NULL;
  }
  libbloom_ask_huge_pages(bloom);
  return bloom;
}

static void libbloom_free(void *filter)
{
  if (filter != NULL)
    bloom_free(filter);
  free(filter);
}

static void libbloom_fill(void *filter, const uint64_t *numbers, size_t count)
{
  for (size_t i = 0; i < count; i++)
    (void)libbloom_put(filter, &numbers[i], sizeof numbers[i]);
}

const lfb_contender lfb_peer_libbloom = {
    .name = "libbloom",
    .ways = libbloom_ways,
    .way_count = sizeof libbloom_ways / sizeof *libbloom_ways,
    .one_thread = true,
    .size = libbloom_size,
    .create = libbloom_create,
    .free = libbloom_free,
    .bits = libbloom_bits,
    .fill = libbloom_fill,
};
