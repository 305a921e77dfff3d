/*
 * answer.c - see answer.h.
 */
#include "examples/server/answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool answer_has(lfb_filter *filter, const void *key, size_t size)
{
  return lfb_filter_might_contain(filter, key, size);
}

static const struct verb {
  const char *name; /* with the blank after it */
  bool (*run)(lfb_filter *filter, const void *key, size_t size);
} verbs[] = {{"PUT ", lfb_filter_put}, {"CLAIM ", lfb_filter_claim}, {"HAS ", answer_has}};

static size_t answer_text(char out[ANSWER_MOST], const char *text)
{
  return (size_t)snprintf(out, ANSWER_MOST, "%s\n", text);
}

static size_t answer_count(const lfb_filter *filter, char out[ANSWER_MOST])
{
  lfb_stats stats;

  lfb_filter_stats(filter, &stats);
  return (size_t)snprintf(out, ANSWER_MOST, "%" PRIu64 "\n", stats.approximate_count);
}

size_t answer_line(lfb_filter *filter, const char *line, size_t size, char out[ANSWER_MOST])
{
  for (size_t at = 0; at < sizeof verbs / sizeof *verbs; at++) {
    const size_t verb = strlen(verbs[at].name);
    if (size > verb && memcmp(line, verbs[at].name, verb) == 0)
      return answer_text(out, verbs[at].run(filter, line + verb, size - verb) ? "1" : "0");
  }
  if (size == strlen("COUNT") && memcmp(line, "COUNT", size) == 0)
    return answer_count(filter, out);
  return answer_text(out, "ERR expected PUT KEY, CLAIM KEY, HAS KEY or COUNT");
}
