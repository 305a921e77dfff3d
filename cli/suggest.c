/* suggest.c - "did you mean ...?" for a mistyped name. */
#include "cli/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SUGGEST_FARTHEST = 2 };

static size_t suggest_least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/*
 * The edit distance: how many insertions, deletions, substitutions and swaps of two neighbours
 * turn one text into the other.  `rows[i % 3][j]` is the distance of the first i characters of
 * `a` from the first j of `b`.
 */
static size_t suggest_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
  size_t rows[3][SUGGEST_LONGEST + 1];

  for (size_t j = 0; j <= b_size; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= a_size; i++) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i + 2) % 3], *above_that = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_size; j++) {
      row[j] = suggest_least(suggest_least(above[j], row[j - 1]) + 1,
                             above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = suggest_least(row[j], above_that[j - 2] + 1);
    }
  }
  return rows[a_size % 3][b_size];
}

void suggest_consider(struct suggestion *suggestion, const char *name)
{
  const size_t word_size = strcspn(suggestion->word, "="), name_size = strlen(name);

  if (word_size > SUGGEST_LONGEST || name_size > SUGGEST_LONGEST)
    return;
  const size_t distance = suggest_distance(suggestion->word, word_size, name, name_size);
  const bool nearer = suggestion->name[0] == '\0' || distance < suggestion->distance;
  const size_t letters = word_size - strspn(suggestion->word, "-");
  if (distance > SUGGEST_FARTHEST || 2 * distance >= letters || !nearer)
    return;
  suggestion->distance = distance;
  memcpy(suggestion->name, name, name_size + 1);
}

const char *suggest_text(struct suggestion *suggestion)
{
  if (suggestion->name[0] == '\0')
    return "";
  (void)snprintf(suggestion->text, sizeof suggestion->text, "; did you mean '%s'?",
                 suggestion->name);
  return suggestion->text;
}
