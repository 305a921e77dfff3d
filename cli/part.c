/* part.c - the options that choose the part of a record that is its key. */
#include "cli/part.h"

#include <stdio.h>
#include <string.h>

#include "cli/member.h"
#include "cli/report.h"

static bool part_read_field(const char *option, const char *text, void *to)
{
  struct part *part = to;

  if (fields_parse(text, &part->fields))
    return true;
  (void)report_error("%s '%s': not a field such as 2, and not fields such as 2,4", option, text);
  return false;
}

static bool part_read_separator(const char *option, const char *text, void *to)
{
  struct part *part = to;
  const bool tab = strcmp(text, "\\t") == 0;

  part->fields.separated = tab || strlen(text) == 1;
  part->fields.separator = tab ? '\t' : text[0];
  if (!part->fields.separated)
    (void)report_error("%s '%s': not a single byte, and not \\t, a tab", option, text);
  return part->fields.separated;
}

static bool part_read_member(const char *option, const char *text, void *to)
{
  struct part *part = to;

  part->member = text;
  if (!member_have())
    (void)report_error("%s: this lfbloom was built without jansson", option);
  else if (member_path_is(text))
    return true;
  else
    (void)report_error("%s '%s': not a name, and not at most %d names with a dot between", option,
                       text, MEMBER_DEPTH);
  return false;
}

struct option_row part_field_row(struct part *to)
{
  return (struct option_row){'k', "field", "FIELD",
                             "the key is field N of each line, or fields N to M (N,M)",
                             part_read_field, to};
}

struct option_row part_separator_row(struct part *to)
{
  return (struct option_row){'t', "separator", "BYTE",
                             "with -k: what separates fields; \\t is a tab (default: blanks)",
                             part_read_separator, to};
}

struct option_row part_jsonl_row(struct part *to)
{
  return (struct option_row){'\0', "jsonl", "NAME",
                             "the key is member NAME of each line, a JSON object; A.B is member B "
                             "of member A",
                             part_read_member, to};
}

const char *part_misuse(const struct part *part)
{
  if (part->fields.separated && part->fields.first == 0)
    return "-t applies only to -k";
  return part->fields.first != 0 && part->member != NULL ? "-k and --jsonl cannot be combined"
                                                         : NULL;
}

bool part_is_whole(const struct part *part)
{
  return part->fields.first == 0 && part->member == NULL;
}

static bool part_find_member(const struct part *part, lfb_key record, char *room, lfb_key *key,
                             struct part_problem *problem)
{
  struct member member;

  switch (member_find(part->member, record, room, &member)) {
  case MEMBER_FOUND:
    *key = member.value;
    return true;
  case MEMBER_MISSING:
    (void)snprintf(problem->text, sizeof problem->text, "no member %.99s", part->member);
    return false;
  case MEMBER_COMPOUND:
    (void)snprintf(problem->text, sizeof problem->text,
                   "member %.99s is an object or an array, which is no key", part->member);
    return false;
  default:
    (void)snprintf(problem->text, sizeof problem->text, "no JSON object: %s", member.problem);
    return false;
  }
}

bool part_find(const struct part *part, lfb_key record, char *room, lfb_key *key,
               struct part_problem *problem)
{
  if (part->member != NULL)
    return part_find_member(part, record, room, key, problem);
  *key = fields_of(&part->fields, record);
  return true;
}
