/*
 * start.h - what a file of keys begins with: text, compressed text, or something that is no list of
 * keys at all.
 */
#ifndef CLI_INPUT_START_H
#define CLI_INPUT_START_H

#include <stddef.h>

#include "cli/input/codec.h"

enum { START_MOST = 10 }; /* bytes that can be needed to tell */

enum start_kind {
  START_TEXT,
  START_OPEN,   /* more bytes are needed to tell; without any more, it is text */
  START_PACKED, /* compressed: `codec` reads it                                */
  START_REFUSED /* `why` says what it is instead                               */
};

struct start {
  enum start_kind kind;
  const struct codec *codec;
  const char *why;
};

/* Reads at most `size` bytes from the start of a regular file.  Returns how many; 0 for anything
 * else. */
size_t start_read(const char *path, char *bytes, size_t size);

/* Tells what begins with these bytes; keys end at the delimiter. */
struct start start_of(const char *bytes, size_t size, char delimiter);

/* What begins with these bytes instead of lines of JSON; NULL: nothing else that is known. */
const char *start_no_json_lines(const char *bytes, size_t size);

#endif
