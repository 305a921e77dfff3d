/* grow.c - arrays that grow together. */
#include "cli/base/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"

enum { GROW_LEAST = 4096 }; /* elements */

static bool grow_one(const struct grow_row *row, size_t capacity)
{
  void *before;

  memcpy(&before, row->array, sizeof before); /* a pointer of any type */
  void *grown = realloc(before, capacity / 64 * row->each);
  if (grown != NULL)
    memcpy(row->array, &grown, sizeof grown);
  return grown != NULL;
}

bool grow(const struct grow_row *rows, size_t count, size_t *capacity, size_t needed)
{
  size_t grown = *capacity == 0 ? (size_t)GROW_LEAST : *capacity;

  if (needed <= *capacity)
    return true;
  while (grown < needed)
    grown *= 2; /* no overflow: `needed` is at most the bytes in memory and a batch */
  for (size_t i = 0; i < count; i++)
    if (!grow_one(&rows[i], grown))
      return report_false("dedupe: %zu keys at once: %s", needed, strerror(errno));
  *capacity = grown;
  return true;
}
