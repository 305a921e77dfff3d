/*
 * grow.h - arrays that grow together: their capacity doubles.
 */
#ifndef CLI_BASE_GROW_H
#define CLI_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* An array; the pointer to it is at `array`. */
struct grow_row {
  void *array;
  size_t each; /* bytes, for 64 elements */
};

/* Makes room for `needed` elements in arrays of one capacity, a multiple of 64; 0: they are NULL.
 * False after a report: the elements stay. */
bool grow(const struct grow_row *rows, size_t count, size_t *capacity, size_t needed);

#endif
