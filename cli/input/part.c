/* part.c - the options that choose the part of a record that is its key. */
#include "cli/input/part.h"

#include <stdio.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/input/member.h"

#define PART_JOINT ((char)0xff)

/* Counts one more of `count`.  False after a report, if there are too many. */
static bool part_count(const char *option, size_t *count)
{
  if (*count == PART_MOST)
    return report_false("%s: more than %d of them", option, PART_MOST);
  ++*count;
  return true;
}

static bool part_read_field(const char *option, const char *text, void *to)
{
  struct part *part = to;

  if (!part_count(option, &part->field_count))
    return false;
  if (fields_parse(text, &part->fields[part->field_count - 1]))
    return true;
  return report_false("%s '%s': not a field such as 2, and not fields such as 2,4", option, text);
}

static bool part_read_separator(const char *option, const char *text, void *to)
{
  struct fields *separation = &((struct part *)to)->separation;
  const bool tab = strcmp(text, "\\t") == 0;

  separation->separated = tab || strlen(text) == 1;
  separation->separator = tab ? '\t' : text[0];
  if (!separation->separated)
    (void)report_error("%s '%s': not a single byte, and not \\t, a tab", option, text);
  return separation->separated;
}

static bool part_read_member(const char *option, const char *text, void *to)
{
  struct part *part = to;

  if (!part_count(option, &part->member_count))
    return false;
  part->members[part->member_count - 1] = text;
  if (!member_have())
    (void)report_error("%s: this lfbloom was built without jansson", option);
  else if (member_path_is(text))
    return true;
  else
    (void)report_error("%s '%s': not a name, and not at most %d names with a dot between", option,
                       text, MEMBER_DEPTH);
  return false;
}

OPTIONS_DEFINE(part_field_row, struct part, 'k', "field", "FIELD...", part_read_field,
               "the key is field N of each line, or fields N to M (N,M)")

OPTIONS_DEFINE(part_separator_row, struct part, 't', "separator", "BYTE", part_read_separator,
               "with -k: the byte between fields, such as , or \\t")

OPTIONS_DEFINE(part_jsonl_row, struct part, '\0', "jsonl", "NAME...", part_read_member,
               "the key is member NAME of each line, a JSON object")

static size_t part_pieces(const struct part *part)
{
  return part->field_count + part->member_count;
}

bool part_is_whole(const struct part *part)
{
  return part_pieces(part) == 0;
}

size_t part_room(const struct part *part)
{
  return part_pieces(part);
}

static bool part_find_member(const char *path, lfb_key record, char *room, lfb_key *key,
                             struct part_problem *problem)
{
  struct member member;

  switch (member_find(path, record, room, &member)) {
  case MEMBER_FOUND:
    *key = member.value;
    return true;
  case MEMBER_MISSING:
    (void)snprintf(problem->text, sizeof problem->text, "no member %.99s", path);
    return false;
  case MEMBER_COMPOUND:
    (void)snprintf(problem->text, sizeof problem->text,
                   "member %.99s is an object or an array, which is no key", path);
    return false;
  default:
    (void)snprintf(problem->text, sizeof problem->text, "no JSON object: %s", member.problem);
    return false;
  }
}

/* Finds field or member i. */
static bool part_find_piece(const struct part *part, size_t i, lfb_key record, char *room,
                            lfb_key *key, struct part_problem *problem)
{
  struct fields fields = part->separation;

  if (part->member_count != 0)
    return part_find_member(part->members[i], record, room, key, problem);
  fields.first = part->fields[i].first;
  fields.last = part->fields[i].last;
  *key = fields_of(&fields, record);
  return true;
}

bool part_find(const struct part *part, lfb_key record, char *room, lfb_key *key,
               struct part_problem *problem)
{
  const size_t pieces = part_pieces(part);
  char *end = room;
  lfb_key piece;

  if (pieces == 1)
    return part_find_piece(part, 0, record, room, key, problem);
  for (size_t i = 0; i < pieces; i++) {
    if (i > 0)
      *end++ = PART_JOINT;
    if (!part_find_piece(part, i, record, end, &piece, problem))
      return false;
    if (piece.bytes != end)
      memcpy(end, piece.bytes, piece.size);
    end += piece.size;
  }
  *key = (lfb_key){room, (size_t)(end - room)};
  return true;
}
