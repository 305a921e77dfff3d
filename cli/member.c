/*
 * member.c - finds the value of a member of a JSON object.
 *
 * Names and values are read by jansson, one at a time.  What is between them is read here, for the
 * object and for those of the path.  Numbers are read here too, because jansson's do not tell how they
 * were written; and strings of printable ASCII without escapes, so that most lines need no jansson:
 * a line of 227 bytes then takes 0.9 us instead of 2.8.
 */
#include "cli/member.h"

#include <stddef.h>
#include <string.h>

bool member_path_is(const char *path)
{
  int names = 1;

  for (const char *at = path; *at != '\0'; at++)
    if (*at == '.') {
      names++;
      if (at == path || at[1] == '.' || at[1] == '\0')
        return false;
    }
  return path[0] != '\0' && names <= MEMBER_DEPTH;
}

#ifdef LFBLOOM_JANSSON

#include <jansson.h>
#include <limits.h>
#include <stdio.h>

bool member_have(void)
{
  return true;
}

/* A text that is being read. */
struct member_reader {
  const char *start;
  const char *at;
  const char *end;
  char *room;
  struct member *member;
  enum member_result result; /* so far; MEMBER_NO_JSON ends the reading */
};

/* False, after the problem was written. */
static bool member_fail(struct member_reader *reader, const char *problem)
{
  (void)snprintf(reader->member->problem, sizeof reader->member->problem, "%s, after %td bytes",
                 problem, reader->at - reader->start);
  reader->result = MEMBER_NO_JSON;
  return false;
}

static bool member_space(char byte)
{
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Skips spaces.  Returns the byte after them; NUL at the end, where no byte is. */
static char member_next(struct member_reader *reader)
{
  while (reader->at < reader->end && member_space(*reader->at))
    reader->at++;
  return reader->at < reader->end ? *reader->at : '\0';
}

static bool member_expect(struct member_reader *reader, char wanted)
{
  const char problem[] = {'n', 'o', ' ', '\'', wanted, '\'', '\0'};

  if (member_next(reader) != wanted)
    return member_fail(reader, problem);
  reader->at++;
  return true;
}

static const char *member_digits(const char *at, const char *end)
{
  while (at < end && *at >= '0' && *at <= '9')
    at++;
  return at;
}

/* Reads a fraction or an exponent, if there is one: `at` is after its first byte.  Returns `from` if
 * it has no digits. */
static const char *member_digits_after(const char *from, const char *at, const char *end)
{
  const char *stop = member_digits(at, end);

  return stop > at ? stop : from;
}

/* Reads a number.  False, without reading, if there is none.   Source  RFC 8259, section 6. */
static bool member_number(struct member_reader *reader)
{
  const char *const end = reader->end;
  const char *at = reader->at + (*reader->at == '-');
  const char *stop = at < end && *at == '0' ? at + 1 : member_digits(at, end);

  if (stop == at)
    return false;
  if (stop < end && *stop == '.')
    stop = member_digits_after(stop, stop + 1, end);
  if (stop < end && (*stop == 'e' || *stop == 'E')) {
    const bool sign = stop + 1 < end && (stop[1] == '+' || stop[1] == '-');
    stop = member_digits_after(stop, stop + 1 + sign, end);
  }
  reader->at = stop;
  return true;
}

/* Reads a string of printable ASCII without escapes.  False, without reading, if it is another. */
static bool member_plain(struct member_reader *reader)
{
  const char *at = reader->at + 1;

  while (at < reader->end && *at >= ' ' && *at <= '~' && *at != '"' && *at != '\\')
    at++;
  if (at == reader->end || *at != '"')
    return false;
  reader->at = at + 1;
  return true;
}

/* Reads a number or a plain string.  False, without reading, if the value is another. */
static bool member_simple(struct member_reader *reader)
{
  switch (member_next(reader)) {
  case '\0':
    return false;
  case '"':
    return member_plain(reader);
  default:
    return member_number(reader);
  }
}

/* Reads one value.  NULL after the problem was written.   Owner  the caller. */
static json_t *member_load(struct member_reader *reader)
{
  const size_t flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL |
                       JSON_DECODE_INT_AS_REAL; /* so that no integer is too big */
  json_error_t error;
  json_t *value = json_loadb(reader->at, (size_t)(reader->end - reader->at), flags, &error);

  if (value == NULL)
    (void)member_fail(reader, error.text);
  else
    reader->at += error.position; /* behind the value */
  return value;
}

/* Takes the simple value from `from` to the reader's place. */
static void member_take_simple(struct member_reader *reader, const char *from)
{
  const bool quoted = *from == '"';

  reader->result = MEMBER_FOUND;
  reader->member->value = (lfb_key){from + quoted, (size_t)(reader->at - from) - 2 * (size_t)quoted};
}

/* Takes another value, from `from` to the reader's place. */
static void member_take(struct member_reader *reader, const char *from, const json_t *value)
{
  reader->result = MEMBER_FOUND;
  if (json_is_object(value) || json_is_array(value))
    reader->result = MEMBER_COMPOUND;
  else if (json_is_string(value)) {
    const size_t size = json_string_length(value); /* no longer than with its escapes */
    memcpy(reader->room, json_string_value(value), size);
    reader->member->value = (lfb_key){reader->room, size};
  } else
    reader->member->value = (lfb_key){from, (size_t)(reader->at - from)};
}

/* Whether the bytes are the first name of the path. */
static bool member_is_first(const char *path, const char *name, size_t size)
{
  return strcspn(path, ".") == size && memcmp(name, path, size) == 0;
}

/* Reads a name and the colon after it.  `*same` is whether it is the first name of the path.  False
 * after a problem was written. */
static bool member_name(struct member_reader *reader, const char *path, bool *same)
{
  if (member_next(reader) != '"')
    return member_fail(reader, "no name of a member");
  const char *from = reader->at + 1;
  if (member_plain(reader)) {
    *same = member_is_first(path, from, (size_t)(reader->at - 1 - from));
    return member_expect(reader, ':');
  }
  json_t *name = member_load(reader);
  *same = name != NULL &&
          member_is_first(path, json_string_value(name), json_string_length(name));
  json_decref(name);
  return name != NULL && member_expect(reader, ':');
}

static bool member_object(struct member_reader *reader, const char *path);

/* Reads the value of a member with the first name of the path.  False after a problem was written. */
static bool member_value(struct member_reader *reader, const char *path)
{
  const char *rest = strchr(path, '.');
  const bool object = member_next(reader) == '{';
  const char *from = reader->at;

  reader->result = MEMBER_MISSING;
  if (rest != NULL && object)
    return member_object(reader, rest + 1); /* MEMBER_DEPTH bounds the recursion */
  if (member_simple(reader)) {
    if (rest == NULL)
      member_take_simple(reader, from);
    return true;
  }
  json_t *value = member_load(reader);
  if (value != NULL && rest == NULL)
    member_take(reader, from, value);
  json_decref(value);
  return value != NULL;
}

static bool member_skip(struct member_reader *reader)
{
  if (member_simple(reader))
    return true;
  json_t *value = member_load(reader);
  json_decref(value);
  return value != NULL;
}

/* Reads an object to its end.  False after a problem was written. */
static bool member_object(struct member_reader *reader, const char *path)
{
  bool same = false;

  if (!member_expect(reader, '{'))
    return false;
  if (member_next(reader) != '}')
    for (;;) {
      if (!member_name(reader, path, &same) ||
          !(same ? member_value(reader, path) : member_skip(reader)))
        return false;
      if (member_next(reader) != ',')
        break;
      reader->at++;
    }
  return member_expect(reader, '}');
}

enum member_result member_find(const char *path, lfb_key text, char *room, struct member *member)
{
  const char *start = text.bytes;
  struct member_reader reader = {.start = start,
                                 .at = start,
                                 .end = start + text.size,
                                 .room = room,
                                 .member = member,
                                 .result = MEMBER_MISSING};

  if (text.size > INT_MAX) /* jansson's positions are int */
    (void)member_fail(&reader, "more than 2 GiB");
  else if (member_object(&reader, path)) {
    (void)member_next(&reader);
    if (reader.at < reader.end)
      (void)member_fail(&reader, "bytes follow the object");
  }
  return reader.result;
}

#else

bool member_have(void)
{
  return false;
}

enum member_result member_find(const char *path, lfb_key text, char *room, struct member *member)
{
  (void)path;
  (void)text;
  (void)room;
  member->problem[0] = '\0';
  return MEMBER_NO_JSON;
}

#endif
