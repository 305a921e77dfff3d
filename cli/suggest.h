/*
 * suggest.h - "did you mean ...?" for a mistyped name.
 */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

enum { SUGGEST_LONGEST = 31 }; /* longer words and names are not compared */

/* The name nearest to a word so far.  Begin with {.word = ...}. */
struct suggestion {
  const char *word; /* ends at NUL or '=' */
  char name[SUGGEST_LONGEST + 1];
  size_t distance; /* only if there is a name */
  char text[SUGGEST_LONGEST + 24];
};

/*
 * Takes `name` as the suggestion if it is near to the word, and nearer than the names before.
 * Near is an edit distance of at most 2 that is also below half the word's length, leading
 * hyphens not counted.
 */
void suggest_consider(struct suggestion *suggestion, const char *name);

/* Returns "; did you mean 'NAME'?", or "" if no name is near.  The text is part of `suggestion`. */
const char *suggest_text(struct suggestion *suggestion);

#endif
