/*
 * part.h - the part of a record that is its key, and the options that choose it.
 *
 * A record that lacks a field has the empty key, which is a key as any other.  A record that lacks
 * a member, or is no JSON object, is an error.
 */
#ifndef CLI_INPUT_PART_H
#define CLI_INPUT_PART_H

#include <lfbloom/sink.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/base/options.h"
#include "cli/input/fields.h"

enum { PART_MOST = 8 };

/*
 * Fields of a line, or members of a JSON object; a key of several has them in the order in which
 * they were given, with the byte 0xff between them, which no UTF-8 text has.  All zero: the whole
 * record.
 */
struct part {
  struct fields separation; /* of all fields: by a separator, or by blanks */
  struct fields fields[PART_MOST];
  const char *members[PART_MOST]; /* their paths */
  size_t field_count, member_count;
};

/* Why a record has no key. */
struct part_problem {
  char text[256];
};

/* The options. */
struct option_row part_field_row(struct part *to);
struct option_row part_separator_row(struct part *to);
struct option_row part_jsonl_row(struct part *to);

bool part_is_whole(const struct part *part);

/* How many times the bytes of a record, and its delimiter, part_find() may need as room. */
size_t part_room(const struct part *part);

/*
 * Finds the key of a record.
 *
 * Takes   room  part_room() times the record's bytes and one; the key may be there.
 * Returns false if it has none: `problem` then says why.
 */
bool part_find(const struct part *part, lfb_key record, char *room, lfb_key *key,
               struct part_problem *problem);

#endif
