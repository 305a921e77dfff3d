/* fields.c - finds fields of a record. */
#include "cli/input/fields.h"

#include <stddef.h>
#include <string.h>

/* Reads a number from 1 to 10^18 at `*text`, and moves on.  0: there is none. */
static uint64_t fields_number(const char **text)
{
  uint64_t number = 0;

  for (; **text >= '0' && **text <= '9'; (*text)++) {
    number = 10 * number + (uint64_t)(**text - '0');
    if (number > UINT64_C(1000000000000000000))
      return 0;
  }
  return number;
}

bool fields_parse(const char *text, struct fields *fields)
{
  fields->first = fields->last = fields_number(&text);
  if (*text == ',') {
    text++;
    fields->last = fields_number(&text);
  }
  return *text == '\0' && fields->first > 0 && fields->last >= fields->first;
}

static bool fields_blank(char byte)
{
  return byte == ' ' || byte == '\t' || byte == '\n';
}

static const char *fields_skip(const char *at, const char *end, bool blank)
{
  while (at < end && fields_blank(*at) == blank)
    at++;
  return at;
}

static lfb_key fields_between(const char *begin, const char *end)
{
  return (lfb_key){begin, (size_t)(end - begin)};
}

static lfb_key fields_by_blanks(const struct fields *fields, const char *at, const char *end)
{
  const char *begin = at, *stop = at;

  for (uint64_t field = 1; field <= fields->last; field++) {
    at = fields_skip(at, end, true);
    if (at == end)
      return field <= fields->first ? fields_between(end, end) : fields_between(begin, stop);
    if (field == fields->first)
      begin = at;
    at = stop = fields_skip(at, end, false);
  }
  return fields_between(begin, stop);
}

static lfb_key fields_by_separator(const struct fields *fields, const char *at, const char *end)
{
  const char *begin = at, *stop = NULL;

  for (uint64_t field = 1; field <= fields->last; field++) {
    if (field == fields->first)
      begin = at;
    stop = memchr(at, fields->separator, (size_t)(end - at));
    if (stop == NULL)
      return fields_between(field < fields->first ? end : begin, end);
    at = stop + 1;
  }
  return fields_between(begin, stop);
}

lfb_key fields_of(const struct fields *fields, lfb_key record)
{
  const char *const begin = record.bytes;
  const char *const end = begin + record.size;

  return fields->separated ? fields_by_separator(fields, begin, end)
                           : fields_by_blanks(fields, begin, end);
}
