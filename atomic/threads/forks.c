/* forks.c - counts the forks that have led to this process. */
#include "atomic/threads/forks.h"

#include <pthread.h>

static uint64_t forks_count;

static void forks_in_child(void)
{
  forks_count++;
}

/* Before constructors without a priority, which may use filters. */
static __attribute__((constructor(101))) void forks_begin(void)
{
  (void)pthread_atfork(NULL, NULL, forks_in_child);
}

uint64_t lfb_forks(void)
{
  return forks_count;
}
