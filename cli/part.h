/*
 * part.h - the part of a record that is its key, and the options that choose it.
 *
 * A record whose part is empty, or missing, has the empty key, which is a key as any other.
 */
#ifndef CLI_PART_H
#define CLI_PART_H

#include <lfbloom/sink.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/fields.h"
#include "cli/options.h"

/* All zero: the whole record. */
struct part {
  struct fields fields;
};

/* The options. */
struct option_row part_field_row(struct part *to);
struct option_row part_separator_row(struct part *to);

/* What is wrong with the options together; NULL: nothing. */
const char *part_misuse(const struct part *part);

bool part_is_whole(const struct part *part);

#endif
