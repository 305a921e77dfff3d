/* part.c - the options that choose the part of a record that is its key. */
#include "cli/part.h"

#include <string.h>

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

const char *part_misuse(const struct part *part)
{
  return part->fields.separated && part->fields.first == 0 ? "-t applies only to -k" : NULL;
}

bool part_is_whole(const struct part *part)
{
  return part->fields.first == 0;
}
