/*
 * words.c - finds the lines of a text that may contain a word or a phrase of a list: a spam
 * filter, or a keyword search.
 *
 * The list becomes a filter of 39 bits per line, regardless of the line's length, and is not kept.
 * The program queries each word of the text, and each run of words as long as a phrase of the
 * list; text.h defines a word.  One query in a million is a false
 * positive: to be sure, look the few hits up in the list.
 */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <errno.h>
#include <inttypes.h>
#include <lfbloom/filter.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/words/text.h"

enum {
  WORDS_FOUND = 0,
  WORDS_NONE = 1,
  WORDS_TROUBLE = 2,
  WORDS_IN_PHRASE = 16, /* words in a phrase of the list, at most */
  WORDS_ASKED = 512,    /* phrases queried at once                */
};

/* The list: its phrases, and how many words they have. */
struct list {
  lfb_filter *phrases;
  bool has[WORDS_IN_PHRASE + 1]; /* has[i]: some phrases have i words */
};

static int complain(const char *what, const char *why)
{
  fprintf(stderr, "words: %s: %s\n", what, why);
  return WORDS_TROUBLE;
}

/* Passes each line of a file, without its newline, to `act`, until `act` returns a value other
 * than 0.  Returns that value, or WORDS_TROUBLE after a report. */
static int lines_each(FILE *file, const char *name,
                      int (*act)(void *to, const char *line, size_t size), void *to)
{
  char *line = NULL;
  size_t room = 0;
  ssize_t size;
  int result = 0;

  while (result == 0 && (size = getline(&line, &room, file)) > 0)
    result = act(to, line, (size_t)size - (line[size - 1] == '\n'));
  const int cause = errno;
  free(line);
  /* Not by ferror(): it is not set if there is no memory for a line. */
  return result == 0 && !feof(file) ? complain(name, strerror(cause)) : result;
}

/* A phrase: `count` words in a row. */
static lfb_key phrase_of(const struct text *text, size_t first, size_t count)
{
  const size_t begin = text->words[first].begin;
  return (lfb_key){text->bytes + begin, text->words[first + count - 1].end - begin};
}

/* ---- the list ---- */

struct reading {
  struct list *list;
  const char *path;
  uint64_t line;
  struct text text;
};

static int list_count(void *to, const char *line, size_t size)
{
  (void)line;
  (void)size;
  ++*(uint64_t *)to;
  return 0;
}

static int reading_refuse(const struct reading *reading, const char *why)
{
  fprintf(stderr, "words: %s:%" PRIu64 ": %s\n", reading->path, reading->line, why);
  return WORDS_TROUBLE;
}

static int reading_put(void *to, const char *line, size_t size)
{
  struct reading *reading = to;

  reading->line++;
  if (size == 0)
    return 0;
  if (!text_fold(&reading->text, line, size))
    return reading_refuse(reading, "out of memory");
  const size_t count = reading->text.count;
  if (count == 0)
    return reading_refuse(reading, "the line has no word");
  if (count > WORDS_IN_PHRASE)
    return reading_refuse(reading, "a phrase of more than 16 words");
  const lfb_key phrase = phrase_of(&reading->text, 0, count);
  (void)lfb_filter_put(reading->list->phrases, phrase.bytes, phrase.size);
  reading->list->has[count] = true;
  return 0;
}

/* Makes a filter for one phrase per line, and puts the phrases. */
static int list_fill(struct list *list, FILE *file, const char *path, uint64_t lines)
{
  const lfb_config config = {.expected_insertions = lines, .fpp = 1e-6};
  struct reading reading = {.list = list, .path = path};
  const lfb_status status = lfb_filter_create(&config, &list->phrases);

  if (status != LFB_OK)
    return complain(path, lfb_status_text(status));
  const int result = lines_each(file, path, reading_put, &reading);
  text_free(&reading.text);
  if (result != 0)
    lfb_filter_free(list->phrases);
  return result;
}

static int list_read(struct list *list, const char *path)
{
  FILE *file = fopen(path, "r");
  uint64_t lines = 0;

  if (file == NULL)
    return complain(path, strerror(errno));
  int result = lines_each(file, path, list_count, &lines);
  if (result == 0 && fseek(file, 0, SEEK_SET) != 0)
    result = complain(path, strerror(errno));
  if (result == 0)
    result = list_fill(list, file, path, lines);
  (void)fclose(file);
  return result;
}

/* ---- the text ---- */

struct asking {
  const struct list *list;
  uint64_t line;
  bool found;   /* in any line  */
  bool in_line; /* in this line */
  struct text text;
  lfb_key phrases[WORDS_ASKED]; /* not queried yet */
  size_t count;
};

static void asking_print(struct asking *asking, lfb_key phrase)
{
  if (asking->in_line)
    printf(", ");
  else
    printf("%" PRIu64 ": ", asking->line);
  (void)fwrite(phrase.bytes, 1, phrase.size, stdout);
  asking->in_line = true;
}

static void asking_flush(struct asking *asking)
{
  uint64_t answers[WORDS_ASKED / 64];

  if (lfb_filter_might_contain_many(asking->list->phrases, asking->phrases, asking->count,
                                    answers) > 0)
    for (size_t i = 0; i < asking->count; i++)
      if (lfb_answer(answers, i))
        asking_print(asking, asking->phrases[i]);
  asking->count = 0;
}

/* Queries all phrases that begin with word `first`. */
static void asking_word(struct asking *asking, size_t first)
{
  const size_t left = asking->text.count - first;

  for (size_t count = 1; count <= WORDS_IN_PHRASE && count <= left; count++) {
    if (!asking->list->has[count])
      continue;
    asking->phrases[asking->count++] = phrase_of(&asking->text, first, count);
    if (asking->count == WORDS_ASKED)
      asking_flush(asking);
  }
}

static int asking_line(void *to, const char *line, size_t size)
{
  struct asking *asking = to;

  asking->line++;
  asking->in_line = false;
  if (!text_fold(&asking->text, line, size))
    return complain("standard input", "out of memory");
  for (size_t first = 0; first < asking->text.count; first++)
    asking_word(asking, first);
  asking_flush(asking);
  if (asking->in_line)
    (void)putchar('\n');
  asking->found = asking->found || asking->in_line;
  return 0;
}

static int text_answer(const struct list *list)
{
  struct asking asking = {.list = list};
  const int result = lines_each(stdin, "standard input", asking_line, &asking);

  text_free(&asking.text);
  if (result != 0)
    return result;
  if (fflush(stdout) != 0 || ferror(stdout))
    return complain("standard output", strerror(errno));
  return asking.found ? WORDS_FOUND : WORDS_NONE;
}

int main(int argc, char **argv)
{
  struct list list = {0};

  if (argc != 2 || argv[1][0] == '-') {
    fprintf(stderr, "usage: words LIST\n"
                    "Prints the number of each line of standard input that may contain a word or\n"
                    "a phrase of the file LIST, which has one per line, and what it found.\n"
                    "Case does not matter.\n"
                    "Exits with 0 if there are such lines, with 1 if not, with 2 on an error.\n");
    return WORDS_TROUBLE;
  }
  if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
    return complain("C.UTF-8", "this locale is not installed, and is needed to read UTF-8");
  int result = list_read(&list, argv[1]);
  if (result == 0) {
    result = text_answer(&list);
    lfb_filter_free(list.phrases);
  }
  return result;
}
