/* wire.c - memory of a wire, and reading digits. */
#include "redis/link/wire.h"

#include <stdlib.h>

enum { WIRE_LEAST = 4096 };

void lfb_wire_free(lfb_wire *wire)
{
  free(wire->bytes);
  *wire = (lfb_wire){0};
}

bool lfb_wire_grow(lfb_wire *wire, size_t size)
{
  const size_t needed = wire->size + size;
  size_t capacity = wire->capacity < WIRE_LEAST ? WIRE_LEAST : 2 * wire->capacity;

  if (capacity < needed)
    capacity = needed;
  char *bytes = needed < size ? NULL : realloc(wire->bytes, capacity);
  if (bytes == NULL) {
    wire->failed = true;
    return false;
  }
  wire->bytes = bytes;
  wire->capacity = capacity;
  return true;
}

bool lfb_wire_read_digits(const char *digits, size_t size, uint64_t most, uint64_t *number)
{
  uint64_t read = 0;

  for (size_t i = 0; i < size; i++) {
    const uint64_t digit = (uint64_t)(unsigned char)digits[i] - '0'; /* others: above 9 */
    if (digit > 9 || digit > most || read > (most - digit) / 10)
      return false;
    read = 10 * read + digit;
  }
  *number = read;
  return size > 0;
}
