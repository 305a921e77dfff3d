/*
 * answer.c - see answer.h.
 */
#include "examples/server/answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct row {
  const char *name; /* with the blank after it */
  lfb_verb verb;
} rows[] = {{"PUT ", LFB_PUT}, {"CLAIM ", LFB_CLAIM}, {"HAS ", LFB_MIGHT_CONTAIN}};

static size_t answer_text(char out[ANSWER_MOST], const char *text)
{
  return (size_t)snprintf(out, ANSWER_MOST, "%s\n", text);
}

static size_t answer_count(lfb_any keys, char out[ANSWER_MOST])
{
  lfb_figures figures;

  lfb_any_stats(keys, &figures);
  return (size_t)snprintf(out, ANSWER_MOST, "%" PRIu64 "\n", figures.all.approximate_count);
}

size_t answer_line(lfb_any keys, const char *line, size_t size, char out[ANSWER_MOST])
{
  for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
    const size_t verb = strlen(rows[at].name);
    const lfb_key key = {line + verb, size - verb};
    if (size > verb && memcmp(line, rows[at].name, verb) == 0)
      return answer_text(out, lfb_any_many(keys, rows[at].verb, &key, 1, NULL) > 0 ? "1" : "0");
  }
  if (size == strlen("COUNT") && memcmp(line, "COUNT", size) == 0)
    return answer_count(keys, out);
  return answer_text(out, "ERR expected PUT KEY, CLAIM KEY, HAS KEY or COUNT");
}
