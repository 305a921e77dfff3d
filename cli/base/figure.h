/*
 * figure.h - figures that threads count together.
 *
 * relaxed, both: all threads are joined before a figure is read.
 */
#ifndef CLI_BASE_FIGURE_H
#define CLI_BASE_FIGURE_H

#include <stdatomic.h>
#include <stdint.h>

static inline void figure_add(_Atomic(uint64_t) *figure, uint64_t amount)
{
  atomic_fetch_add_explicit(figure, amount, memory_order_relaxed);
}

static inline uint64_t figure_get(const _Atomic(uint64_t) *figure)
{
  return atomic_load_explicit(figure, memory_order_relaxed);
}

#endif
