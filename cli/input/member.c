/*
 * member.c - finds the value of a member of a JSON object.
 *
 * The names, and the value that is looked for, are read by jansson.  What is between them is read
 * here, for the object and for those of the path.  Numbers are read here too, because jansson's do
 * not tell how they were written; and strings of UTF-8 but for pairs of surrogates, so that most
 * lines need no jansson: a line of 227 bytes then takes 0.9 us instead of 2.8.
 *
 * Other values are skipped by their brackets, strings and words, since what jansson does not take
 * (1e400, a lone surrogate, bytes that are no UTF-8) is no reason to refuse the line.
 */
#include "cli/input/member.h"

#include <stddef.h>
#include <stdint.h>
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

#include "cli/base/json.h"

bool member_have(void)
{
  return true;
}

enum {
  MEMBER_NESTED = 2048, /* brackets in brackets, as jansson allows */
  MEMBER_FLAGS = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL,
};

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

/* Reads a fraction or an exponent, if there is one: `at` is after its first byte.  Returns `from`
 * if it has no digits. */
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

static bool member_is_plain(char byte)
{
  return byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\';
}

typedef signed char member_bytes __attribute__((vector_size(16)));

/* Returns the first byte that is not plain, or `end`.  Most bytes of a text are skipped here, 16 at
 * a time. */
static const char *member_skip_plain(const char *at, const char *end)
{
  for (; end - at >= (ptrdiff_t)sizeof(member_bytes); at += sizeof(member_bytes)) {
    member_bytes bytes;
    uint64_t halves[2];
    memcpy(&bytes, at, sizeof bytes);
    const member_bytes other = (bytes < ' ') | (bytes > '~') | (bytes == '"') | (bytes == '\\');
    memcpy(halves, &other, sizeof other);
    if ((halves[0] | halves[1]) != 0)
      break;
  }
  while (at < end && member_is_plain(*at))
    at++;
  return at;
}

/* Reads a string of printable ASCII without escapes.  False, without reading, if it is another. */
static bool member_plain(struct member_reader *reader)
{
  const char *const at = member_skip_plain(reader->at + 1, reader->end);

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
  json_error_t error;
  json_t *value = json_loadb(reader->at, (size_t)(reader->end - reader->at), MEMBER_FLAGS, &error);

  if (value == NULL)
    (void)member_fail(reader, error.text);
  else
    reader->at += error.position; /* behind the value */
  return value;
}

/* Reads the four digits of \uXXXX.  Returns 0 if they are none, or NUL, or half of a pair. */
static unsigned member_code(const char *at, const char *end)
{
  unsigned code = 0;

  if (end - at < 4)
    return 0;
  for (int i = 0; i < 4; i++, at++) {
    const char low = (char)(*at | 0x20);
    if (!((*at >= '0' && *at <= '9') || (low >= 'a' && low <= 'f')))
      return 0;
    code = 16 * code + (unsigned)(*at <= '9' ? *at - '0' : low - 'a' + 10);
  }
  return code >= 0xd800 && code < 0xe000 ? 0 : code;
}

/* Writes an escape's character to `*to`.  Returns the bytes of the escape; 0: none of these. */
static size_t member_escape(const char *at, const char *end, char **to)
{
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  const char *const name = at + 1 < end && at[1] != '\0' ? strchr(names, at[1]) : NULL;
  const unsigned code = name == NULL && at + 1 < end && at[1] == 'u' ? member_code(at + 2, end) : 0;

  if (name != NULL)
    *(*to)++ = values[name - names];
  else if (code == 0)
    return 0;
  else if (code < 0x80)
    *(*to)++ = (char)code;
  else {
    if (code < 0x800)
      *(*to)++ = (char)(0xc0 | code >> 6);
    else {
      *(*to)++ = (char)(0xe0 | code >> 12);
      *(*to)++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *(*to)++ = (char)(0x80 | (code & 0x3f));
  }
  return name != NULL ? 2 : 6;
}

/* Reads a string of UTF-8 into the room, without its escapes: jansson takes 17 ns a byte.  False,
 * without reading, if it is another, or has escapes that are left to jansson. */
static bool member_text(struct member_reader *reader)
{
  const char *at = reader->at + 1, *const end = reader->end;
  char *to = reader->room;

  for (size_t size; at < end && *at != '"'; at += size) {
    size = (size_t)(member_skip_plain(at, end) - at);
    if (size == 0 && (unsigned char)*at >= 0x80)
      size = (size_t)json_utf8_size((const unsigned char *)at, (size_t)(end - at));
    memcpy(to, at, size);
    to += size;
    if (size == 0 && (*at != '\\' || (size = member_escape(at, end, &to)) == 0))
      return false;
  }
  if (at >= end)
    return false;
  reader->at = at + 1;
  reader->member->value = (lfb_key){reader->room, (size_t)(to - reader->room)};
  return true;
}

/* Takes the value from `from` to the reader's place; `value` is NULL if it is a simple one. */
static void member_take(struct member_reader *reader, const char *from, const json_t *value)
{
  struct member *const member = reader->member;

  reader->result = MEMBER_FOUND;
  const bool is_string = *from == '"';
  member->value = (lfb_key){from + is_string, (size_t)(reader->at - from) - 2 * (size_t)is_string};
  if (value != NULL && is_string) {
    const size_t size = json_string_length(value); /* no longer than with its escapes */
    memcpy(reader->room, json_string_value(value), size);
    member->value = (lfb_key){reader->room, size};
  }
}

/* Whether the bytes are the first name of the path. */
static bool member_is_first(const char *path, const char *name, size_t size)
{
  return strcspn(path, ".") == size && memcmp(name, path, size) == 0;
}

/* Skips a string as it stands. */
static bool member_skip_string(struct member_reader *reader)
{
  const char *at = reader->at + 1;

  while (at < reader->end && *at != '"')
    at += *at == '\\' && at + 1 < reader->end ? 2 : 1;
  if (at >= reader->end)
    return member_fail(reader, "a string without an end");
  reader->at = at + 1;
  return true;
}

/* Skips true, false, null or a number. */
static bool member_skip_word(struct member_reader *reader)
{
  static const char *const words[] = {"true", "false", "null"};

  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const size_t size = strlen(words[i]);
    if ((size_t)(reader->end - reader->at) >= size && memcmp(reader->at, words[i], size) == 0) {
      reader->at += size;
      return true;
    }
  }
  return (reader->at < reader->end && member_number(reader)) || member_fail(reader, "no value");
}

/* Skips a value.  Of objects and arrays only the brackets are checked. */
static bool member_skip(struct member_reader *reader)
{
  char closing[MEMBER_NESTED];
  size_t depth = 0;

  do {
    const char next = member_next(reader);
    if (next == '{' || next == '[') {
      if (depth == sizeof closing)
        return member_fail(reader, "too many brackets in brackets");
      closing[depth++] = next == '{' ? '}' : ']';
      reader->at++;
    } else if (depth > 0 && (next == closing[depth - 1] || next == ',' || next == ':')) {
      depth -= next == closing[depth - 1];
      reader->at++;
    } else if (!(next == '"' ? member_skip_string(reader) : member_skip_word(reader))) {
      return false;
    }
  } while (depth > 0);
  return true;
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
  json_t *name = json_loadb(reader->at, (size_t)(reader->end - reader->at), MEMBER_FLAGS, NULL);
  *same = name != NULL && /* else it is no UTF-8 text, as each name of the path is */
          member_is_first(path, json_string_value(name), json_string_length(name));
  json_decref(name);
  return member_skip_string(reader) && member_expect(reader, ':');
}

static bool member_object(struct member_reader *reader, const char *path);

/* Reads the value of a member with the first name of the path.  False: a problem was written. */
static bool member_value(struct member_reader *reader, const char *path)
{
  const char *rest = strchr(path, '.');
  const char next = member_next(reader);
  const bool object = next == '{';
  const char *from = reader->at;

  reader->result = MEMBER_MISSING;
  if (rest != NULL && object)
    return member_object(reader, rest + 1); /* MEMBER_DEPTH bounds the recursion */
  if (rest != NULL)
    return member_skip(reader);
  if (object || next == '[') {
    reader->result = MEMBER_COMPOUND;
    return member_skip(reader);
  }
  if (member_simple(reader)) {
    member_take(reader, from, NULL);
    return true;
  }
  if (next == '"' && member_text(reader)) {
    const lfb_key text = reader->member->value;
    member_take(reader, from, NULL);
    reader->member->value = text;
    return true;
  }
  json_t *value = member_load(reader);
  if (value != NULL)
    member_take(reader, from, value);
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
  static const char mark[] = "\xef\xbb\xbf"; /* of the byte order, which may begin a file */
  const char *start = text.bytes;
  const bool marked = text.size >= 3 && memcmp(start, mark, 3) == 0;
  struct member_reader reader = {.start = start,
                                 .at = start + (marked ? 3 : 0),
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
