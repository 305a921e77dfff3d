/* help.c - what --help prints. */
#include "cli/base/help.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
  HELP_OPTION = 22, /* columns of an option's name */
  HELP_INDENT = 2 + HELP_OPTION + 1,
  HELP_COLUMNS = 80,
};

/* The column of the next character, and the first column of a continuation line. */
struct pen {
  size_t columns, at, indent;
};

/* Prints the words of a line, and breaks it where the next word does not fit.  Keeps the spaces
 * between words. */
static void pen_words(struct pen *pen, const char *text, size_t size)
{
  for (const char *end = text + size; text < end;) {
    const size_t gap = strspn(text, " "), word = strcspn(text + gap, " \n");
    if (pen->at > pen->indent && pen->at + gap + word > pen->columns) {
      printf("\n%*s", (int)pen->indent, "");
      pen->at = pen->indent;
    } else {
      printf("%*s", (int)gap, "");
      pen->at += gap;
    }
    printf("%.*s", (int)word, text + gap);
    pen->at += word;
    text += gap + word;
  }
}

void help_option(const char *option, const char *text)
{
  struct pen pen = {HELP_COLUMNS, HELP_INDENT, HELP_INDENT};

  printf("  %-*s ", HELP_OPTION, option);
  pen_words(&pen, text, strlen(text));
  printf("\n");
}

/* The column where the text of "list    Prints ..." begins; 0 for any other line. */
static size_t help_hanging(const char *line)
{
  size_t word = 0;

  while (islower((unsigned char)line[word]) || isdigit((unsigned char)line[word]))
    word++;
  const size_t gap = strspn(line + word, " ");
  return gap >= 2 ? word + gap : 0;
}

void help_text(const char *text)
{
  for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
    const bool is_example = strncmp(text, "  ", 2) == 0;
    struct pen pen = {is_example ? SIZE_MAX : HELP_COLUMNS, 0, help_hanging(text)};
    pen_words(&pen, text, (size_t)(end - text));
    printf("\n");
  }
}

void help_begin(const char *summary, const char *purpose, const char *examples, size_t most)
{
  const char *end = examples;

  printf("%c%s.\n", toupper((unsigned char)summary[0]), summary + 1);
  if (purpose != NULL)
    help_text(purpose);
  for (; most > 0 && *end != '\0'; most--)
    end += strcspn(end, "\n") + 1;
  printf("\n%.*s", (int)(end - examples), examples);
}
