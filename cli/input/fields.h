/*
 * fields.h - finds fields of a record, as `sort -t` and awk separate them.
 *
 * By default fields are runs of bytes that are not blank: spaces and tabs separate them, and
 * newlines in records that end in NUL.  Blanks before the first field belong to no field.  With a
 * separator, each of its occurrences ends a field, and fields may be empty.
 */
#ifndef CLI_INPUT_FIELDS_H
#define CLI_INPUT_FIELDS_H

#include <lfbloom/sink.h>
#include <stdbool.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

/* All zero: no fields were asked for. */
struct fields {
  uint64_t first; /* from 1              */
  uint64_t last;  /* at least `first`    */
  bool separated; /* by `separator`, not by blanks */
  char separator;
};

/* Reads "N" or "N,M" into `first` and `last`.  Returns whether the text is one of them. */
bool fields_parse(const char *text, struct fields *fields);

/*
 * Finds the bytes from the start of field `first` to the end of field `last`, with the separators
 * between them.  They end with the record if it has fewer fields.  They are none, at the record's
 * end, if it lacks field `first`.
 */
lfb_key fields_of(const struct fields *fields, lfb_key record);

LFB_EXTERN_C_END

#endif
