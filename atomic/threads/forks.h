/* forks.h - tells a process from the child that a fork made of it.  Apart from sections.h, so that
 * only programs with versions need ConcurrencyKit. */
#ifndef LFB_ATOMIC_FORKS_H
#define LFB_ATOMIC_FORKS_H

#include <lfbloom/status.h>
#include <stdint.h>
#include <unistd.h>

LFB_EXTERN_C_BEGIN

/* How many forks have led to this process: another number in a child. */
uint64_t lfb_forks(void);

/* Another number in each child, also if that has its parent's number in a namespace of its own, or
 * clone() made it, past the handlers of fork().  Never 0. */
static inline uint64_t lfb_forks_process(void)
{
  return lfb_forks() << 32 | (uint64_t)getpid();
}

LFB_EXTERN_C_END

#endif
