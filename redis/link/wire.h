/*
 * wire.h - writes commands, one after another, as a Redis server reads them (RESP); and reads
 * numbers.
 *
 *     lfb_wire_begin(wire, 3);
 *     lfb_wire_text(wire, "GETBIT");
 *     lfb_wire_string(wire, key, key_size);
 *     lfb_wire_number(wire, offset);
 *
 * Memory     If there is no memory, the wire drops what was to be written and is `failed` from
 *            then on.  The sender checks this once, not after each call.
 * Threads    One at a time.
 */
#ifndef LFB_REDIS_WIRE_H
#define LFB_REDIS_WIRE_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

LFB_EXTERN_C_BEGIN

enum {
  LFB_WIRE_DIGITS = 20,  /* of the largest 64-bit number              */
  LFB_WIRE_LEAST = 4096, /* bytes that a wire allocates at the least */
};

/* All zero is an empty wire. */
typedef struct lfb_wire {
  char *bytes;
  size_t size;     /* bytes written   */
  size_t capacity; /* bytes allocated */
  bool failed;
} lfb_wire;

static inline void lfb_wire_free(lfb_wire *wire)
{
  free(wire->bytes);
  memset(wire, 0, sizeof *wire);
}

/* Makes room for `size` more bytes: the slow half of lfb_wire_room(). */
static inline bool lfb_wire_grow(lfb_wire *wire, size_t size)
{
  const size_t needed = wire->size + size;
  size_t capacity = 2 * wire->capacity;

  if (capacity < LFB_WIRE_LEAST)
    capacity = LFB_WIRE_LEAST;
  if (capacity < needed)
    capacity = needed;
  char *bytes = needed < size ? NULL : (char *)realloc(wire->bytes, capacity);
  if (bytes == NULL) {
    wire->failed = true;
    return false;
  }
  wire->bytes = bytes;
  wire->capacity = capacity;
  return true;
}

/* Makes sure that there is room for `size` more bytes; false: no memory. */
static inline bool lfb_wire_room(lfb_wire *wire, size_t size)
{
  return wire->capacity - wire->size >= size || lfb_wire_grow(wire, size);
}

/* Writes bytes unchanged. */
static inline void lfb_wire_raw(lfb_wire *wire, const void *bytes, size_t size)
{
  if (size == 0 || !lfb_wire_room(wire, size))
    return;
  memcpy(wire->bytes + wire->size, bytes, size);
  wire->size += size;
}

/* Writes a number's digits so that they end before `end`; returns where they begin. */
static inline char *lfb_wire_digits(char *end, uint64_t number)
{
  do
    *--end = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  return end;
}

/* Writes "<mark><count>\r\n". */
static inline void lfb_wire_count(lfb_wire *wire, char mark, uint64_t count)
{
  char text[LFB_WIRE_DIGITS + 3];
  char *const end = text + sizeof text - 2;
  char *at = lfb_wire_digits(end, count);

  *--at = mark;
  memcpy(end, "\r\n", 2);
  lfb_wire_raw(wire, at, (size_t)(end + 2 - at));
}

/* Begins a command of `argc` arguments, including its name. */
static inline void lfb_wire_begin(lfb_wire *wire, uint64_t argc)
{
  lfb_wire_count(wire, '*', argc);
}

/* Writes an argument of `size` bytes. */
static inline void lfb_wire_string(lfb_wire *wire, const void *bytes, size_t size)
{
  lfb_wire_count(wire, '$', size);
  lfb_wire_raw(wire, bytes, size);
  lfb_wire_raw(wire, "\r\n", 2);
}

/* Writes a C string as an argument. */
static inline void lfb_wire_text(lfb_wire *wire, const char *text)
{
  lfb_wire_string(wire, text, strlen(text));
}

/* Writes a number as an argument, in decimal digits. */
static inline void lfb_wire_number(lfb_wire *wire, uint64_t number)
{
  char text[LFB_WIRE_DIGITS];
  char *at = lfb_wire_digits(text + sizeof text, number);

  lfb_wire_string(wire, at, (size_t)(text + sizeof text - at));
}

/* Reads a number of at least one decimal digit and nothing else; false: it is none, or above
 * `most`. */
static inline bool lfb_wire_read_digits(const char *digits, size_t size, uint64_t most,
                                        uint64_t *number)
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

LFB_EXTERN_C_END

#endif
