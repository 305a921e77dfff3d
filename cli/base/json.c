/* json.c - prints one JSON object on one line. */
#include "cli/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned depth;
static bool member_before; /* in the innermost object */

int json_utf8_size(const unsigned char *text, size_t left)
{
  const int size = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;

  if (text[0] < 0xc2 || text[0] > 0xf4 || (size_t)size > left)
    return 0;
  for (int i = 1; i < size; i++)
    if ((text[i] & 0xc0) != 0x80) /* NUL, too */
      return 0;
  const unsigned begin = (unsigned)text[0] << 8 | text[1];
  const bool none = (begin >= 0xe080 && begin < 0xe0a0) ||                    /* overlong  */
                    (begin >= 0xeda0 && begin < 0xee00) ||                    /* surrogate */
                    (begin >= 0xf080 && begin < 0xf090) || begin >= 0xf490;   /* beyond    */
  return none ? 0 : size;
}

static void json_quoted(const char *text)
{
  (void)putchar('"');
  while (*text != '\0') {
    const unsigned char first = (unsigned char)*text;
    const int size = first < 0x80 ? 1 : json_utf8_size((const unsigned char *)text, 4);
    if (first == '"' || first == '\\')
      printf("\\%c", first);
    else if (first < ' ')
      printf("\\u%04x", (unsigned)first);
    else if (size == 0)
      printf("\\ufffd");
    else
      printf("%.*s", size, text);
    text += size > 0 ? size : 1;
  }
  (void)putchar('"');
}

static void json_comma(void)
{
  if (member_before)
    printf(", ");
  member_before = true;
}

static void json_key(const char *key)
{
  json_comma();
  json_quoted(key);
  printf(": ");
}

void json_open(const char *key)
{
  if (key != NULL)
    json_key(key);
  else
    json_comma();
  (void)putchar('{');
  member_before = false;
  depth++;
}

void json_close(void)
{
  (void)putchar('}');
  member_before = true;
  if (--depth == 0) {
    member_before = false;
    (void)putchar('\n');
  }
}

void json_open_list(const char *key)
{
  json_key(key);
  (void)putchar('[');
  member_before = false;
}

void json_close_list(void)
{
  (void)putchar(']');
  member_before = true;
}

void json_text(const char *key, const char *value)
{
  json_key(key);
  if (value == NULL)
    printf("null");
  else
    json_quoted(value);
}

/* Up to here a double has every whole number, and is no other one rounded: 2^53 - 1. */
#define JSON_EXACT ((UINT64_C(1) << 53) - 1)

void json_count(const char *key, uint64_t value)
{
  if (value > JSON_EXACT) {
    json_digits(key, value);
    return;
  }
  json_key(key);
  printf("%" PRIu64, value);
}

void json_count_if(const char *key, uint64_t value, bool known)
{
  if (known)
    json_count(key, value);
  else
    json_text(key, NULL);
}

void json_digits(const char *key, uint64_t value)
{
  json_key(key);
  printf("\"%" PRIu64 "\"", value);
}

void json_float(const char *key, double value)
{
  char text[32];

  if (!isfinite(value)) {
    json_text(key, NULL);
    return;
  }
  json_key(key);
  for (int digits = 6; digits <= 17; digits++) {
    (void)snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      break;
  }
  printf("%s", text);
}

void json_bool(const char *key, bool value)
{
  json_key(key);
  printf(value ? "true" : "false");
}
