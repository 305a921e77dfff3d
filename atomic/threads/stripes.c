/* stripes.c - makes, frees and sums a striped counter; the shared stripes. */
#define _GNU_SOURCE /* sched_getcpu */
#include "atomic/threads/stripes.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSOR_USES = 256 }; /* additions between two looks at the processor's number */

_Static_assert(sizeof(lfb_stripe) == LFB_CACHE_LINE, "a stripe has a line of its own");
_Static_assert((LFB_STRIPES_SHARED & (LFB_STRIPES_SHARED - 1)) == 0, "a power of two");

/* At least 64, so that up to 64 threads share no stripe, also on a host with few processors. */
static uint32_t stripes_wanted(void)
{
  const long processors = sysconf(_SC_NPROCESSORS_CONF);

  if (processors <= 64)
    return 64;
  return processors >= LFB_SLOT_COUNT ? (uint32_t)LFB_SLOT_COUNT : (uint32_t)processors;
}

lfb_status lfb_stripes_init(lfb_stripes *stripes)
{
  return lfb_stripes_init_owned(stripes, stripes_wanted());
}

lfb_status lfb_stripes_init_owned(lfb_stripes *stripes, uint32_t owned)
{
  const size_t size = (owned + (size_t)LFB_STRIPES_SHARED) * sizeof(lfb_stripe);
  lfb_stripe *memory = aligned_alloc(LFB_CACHE_LINE, size);

  if (memory == NULL)
    return LFB_ERROR_NO_MEMORY;
  memset(memory, 0, size);
  *stripes = (lfb_stripes){.stripes = memory, .owned = owned, .shared = LFB_STRIPES_SHARED};
  return LFB_OK;
}

void lfb_stripes_free(lfb_stripes *stripes)
{
  free(stripes->stripes);
  *stripes = (lfb_stripes){0};
}

lfb_stripes lfb_stripes_over(lfb_stripe *stripes)
{
  return (lfb_stripes){.stripes = stripes, .shared = LFB_STRIPES_IN_FILE};
}

/* The number of a processor that the thread ran on recently.  It only spreads the threads, so
 * an old number does no harm, nor does a signal handler or a fork in between. */
static uint32_t stripes_processor(void)
{
  static LFB_THREAD_LOCAL uint32_t processor;
  static LFB_THREAD_LOCAL uint32_t left;

  if (left-- == 0) {
    const int now = sched_getcpu();
    processor = now < 0 ? lfb_slot() : (uint32_t)now;
    left = PROCESSOR_USES;
  }
  return processor;
}

uint64_t lfb_stripes_add_shared(const lfb_stripes *stripes, uint64_t amount)
{
  const uint32_t which = stripes->owned + stripes_processor() % stripes->shared;

  /* release: pairs with the acquire in lfb_stripes_sum(). */
  return lfb_add_u64(&stripes->stripes[which].count, amount, memory_order_release);
}

void lfb_stripes_add_slow(const lfb_stripes *stripes, uint64_t amount)
{
  (void)lfb_stripes_fetch_add(stripes, amount);
}

uint64_t lfb_stripes_sum(const lfb_stripes *stripes)
{
  uint64_t sum = 0;

  for (uint32_t i = 0; i < stripes->owned + stripes->shared; i++)
    /* acquire: pairs with the release of the additions. */
    sum += atomic_load_explicit(&stripes->stripes[i].count, memory_order_acquire);
  return sum;
}
