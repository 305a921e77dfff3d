/* help.c - what --help prints. */
#define _GNU_SOURCE /* struct winsize */
#include "cli/help.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
  HELP_OPTION = 22, /* columns of an option's name */
  HELP_INDENT = 2 + HELP_OPTION + 1,
  HELP_LEAST = 2 * HELP_INDENT, /* in a narrower window, the terminal breaks lines as it does */
  HELP_MOST = 96, /* what is longer is hard to read */
};

/* 0: not to be filled. */
static size_t help_columns(void)
{
  struct winsize window;

  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 ||
      window.ws_col < HELP_LEAST)
    return 0;
  return window.ws_col < HELP_MOST ? window.ws_col : HELP_MOST;
}

/* Where the next character goes, and where a line that is too long goes on. */
struct pen {
  size_t columns, at, indent;
};

/* Prints the words of a line, each behind the spaces that are in front of it; the first one,
 * where a line goes on, behind one. */
static void pen_words(struct pen *pen, const char *text, size_t size)
{
  const char *begin = text;

  for (const char *end = text + size; text < end;) {
    const size_t spaces = strspn(text, " "), word = strcspn(text + spaces, " \n");
    const size_t gap = text == begin && pen->at > pen->indent ? 1 : spaces;
    if (pen->at > pen->indent && pen->at + gap + word > pen->columns) {
      printf("\n%*s", (int)pen->indent, "");
      pen->at = pen->indent;
    } else {
      printf("%*s", (int)gap, "");
      pen->at += gap;
    }
    printf("%.*s", (int)word, text + spaces);
    pen->at += word;
    text += spaces + word;
  }
}

static void pen_end_line(struct pen *pen)
{
  if (pen->at > 0)
    printf("\n");
  pen->at = 0;
  pen->indent = 0;
}

void help_option(const char *option, const char *text)
{
  struct pen pen = {help_columns(), HELP_INDENT, HELP_INDENT};

  printf("  %-*s ", HELP_OPTION, option);
  if (pen.columns > 0)
    pen_words(&pen, text, strlen(text));
  else
    printf("%s", text);
  printf("\n");
}

/* "list    prints ..", or a line that goes on below such a text: where the text begins; else 0. */
static size_t help_hanging(const char *line)
{
  size_t word = 0;

  while (islower((unsigned char)line[word]))
    word++;
  const size_t gap = strspn(line + word, " ");
  return gap >= 2 ? word + gap : 0;
}

static bool help_is_example(const char *line)
{
  return strncmp(line, "  ", 2) == 0 && line[2] != ' ';
}

static void help_line(struct pen *pen, const char *line, size_t size)
{
  const size_t hanging = help_hanging(line);
  const bool begins = size == 0 || (hanging > 0 && line[0] != ' ');

  if (begins || hanging != pen->indent)
    pen_end_line(pen);
  if (size == 0 || help_is_example(line)) {
    printf("%.*s\n", (int)size, line);
    return;
  }
  pen->indent = hanging;
  pen_words(pen, line, size);
  if (hanging == 0 && line[size - 1] == '.')
    pen_end_line(pen);
}

void help_text(const char *text)
{
  struct pen pen = {help_columns(), 0, 0};

  if (pen.columns == 0) {
    printf("%s", text);
    return;
  }
  for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
    help_line(&pen, text, (size_t)(end - text));
  pen_end_line(&pen);
}
