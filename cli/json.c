/* json.c - printing one JSON object, in one line.  Floor 0 of cli/. */
#include "cli/json.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned depth;
static bool member_before; /* in the innermost object */

static void json_quoted(const char *text)
{
  (void)putchar('"');
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      printf("\\%c", *text);
    else if ((unsigned char)*text < ' ')
      printf("\\u%04x", (unsigned)*text);
    else
      (void)putchar(*text);
  }
  (void)putchar('"');
}

static void json_key(const char *key)
{
  if (member_before)
    printf(", ");
  member_before = true;
  json_quoted(key);
  printf(": ");
}

void json_open(const char *key)
{
  if (key != NULL)
    json_key(key);
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

void json_text(const char *key, const char *value)
{
  if (value == NULL) {
    json_null(key);
    return;
  }
  json_key(key);
  json_quoted(value);
}

void json_count(const char *key, uint64_t value)
{
  json_key(key);
  printf("%" PRIu64, value);
}

void json_real(const char *key, double value)
{
  char text[32];

  if (!isfinite(value)) {
    json_null(key);
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

void json_null(const char *key)
{
  json_key(key);
  printf("null");
}
