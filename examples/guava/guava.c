/*
 * guava.c - queries a filter that Guava wrote: for each line of input, whether Java put it.
 *
 * The bytes of a key depend on the funnel that the Java side used, which is not in the file:
 *   Funnels.stringFunnel(UTF_8), Funnels.byteArrayFunnel()   the bytes of the line
 *   Funnels.longFunnel()                                     the line as a number: 8 bytes
 *   Funnels.unencodedCharsFunnel()                           the line as UTF-16
 * Through another funnel, almost every answer is "no".
 */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <errno.h>
#include <lfbloom/filter_more.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>

enum { GUAVA_TROUBLE = 2 };

enum reading { READING_NO_KEY, READING_ABSENT, READING_MAYBE };

static enum reading reading_of(bool maybe)
{
  return maybe ? READING_MAYBE : READING_ABSENT;
}

static enum reading ask_string(const lfb_filter *filter, const char *line, size_t size)
{
  return reading_of(lfb_filter_might_contain(filter, line, size));
}

static enum reading ask_long(const lfb_filter *filter, const char *line, size_t size)
{
  char *end;

  errno = 0;
  const long long value = strtoll(line, &end, 10);
  if (end == line || end != line + size || errno != 0)
    return READING_NO_KEY;
  return reading_of(lfb_filter_might_contain_u64(filter, (uint64_t)value));
}

/* Converts UTF-8, the locale's encoding, to UTF-16; false if the line is not UTF-8. */
static bool text_decode(const char *line, size_t size, lfb_utf16 *text, uint16_t *units)
{
  mbstate_t state = {0};
  char16_t unit;

  for (size_t at = 0; at < size;) {
    const size_t got = mbrtoc16(&unit, line + at, size - at, &state);
    if (got == (size_t)-1 || got == (size_t)-2)
      return false;
    if (got != (size_t)-3) /* the second unit of a surrogate pair takes no bytes */
      at += got == 0 ? 1 : got;
    units[text->count++] = unit;
  }
  if (size > 0 && mbrtoc16(&unit, "", 0, &state) == (size_t)-3)
    units[text->count++] = unit; /* the second unit of a pair at the end of the line */
  return true;
}

static enum reading ask_chars(const lfb_filter *filter, const char *line, size_t size)
{
  uint16_t *units = malloc((size + 1) * sizeof *units); /* at most one per byte */
  lfb_utf16 text = {units, 0};
  enum reading reading = READING_NO_KEY;

  if (units != NULL && text_decode(line, size, &text, units))
    reading = reading_of(lfb_filter_might_contain_object(filter, lfb_funnel_utf16, &text));
  free(units);
  return reading;
}

static const struct funnel {
  const char *name;
  enum reading (*ask)(const lfb_filter *filter, const char *line, size_t size);
} funnels[] = {{"string", ask_string}, {"long", ask_long}, {"chars", ask_chars}};

static const struct funnel *funnel_find(const char *name)
{
  for (size_t at = 0; at < sizeof funnels / sizeof *funnels; at++)
    if (strcmp(funnels[at].name, name) == 0)
      return &funnels[at];
  return NULL;
}

/* Prints `maybe LINE` or `no LINE` for each line of input; stops at a line that is not a key. */
static int guava_answer(const lfb_filter *filter, const struct funnel *funnel)
{
  char *line = NULL;
  size_t room = 0;
  ssize_t size;
  int status = EXIT_SUCCESS;

  while (status == EXIT_SUCCESS && (size = getline(&line, &room, stdin)) > 0) {
    if (line[size - 1] == '\n')
      line[--size] = '\0';
    const enum reading reading = funnel->ask(filter, line, (size_t)size);
    if (reading == READING_NO_KEY) {
      fprintf(stderr, "guava: '%s' is not a key for the funnel '%s'\n", line, funnel->name);
      status = GUAVA_TROUBLE;
    } else {
      printf("%s %s\n", reading == READING_MAYBE ? "maybe" : "no", line);
    }
  }
  free(line);
  if (fflush(stdout) == 0 && !ferror(stdin))
    return status;
  fprintf(stderr, "guava: %s\n", strerror(errno));
  return GUAVA_TROUBLE;
}

int main(int argc, char **argv)
{
  const struct funnel *funnel = argc == 3 ? funnel_find(argv[1]) : NULL;
  lfb_filter *filter;

  if (funnel == NULL) {
    fprintf(stderr, "usage: guava string|long|chars FILE\n"
                    "Prints `maybe` or `no` before each line of standard input: whether Java put\n"
                    "it into the BloomFilter in FILE.  `string`, `long` or `chars` is the funnel\n"
                    "that Java used.\n");
    return GUAVA_TROUBLE;
  }
  (void)setlocale(LC_CTYPE, "C.UTF-8"); /* without it, `chars` accepts only ASCII */
  const lfb_status status = lfb_filter_load(argv[2], NULL, &filter);
  if (status != LFB_OK) {
    fprintf(stderr, "guava: %s: %s\n", argv[2], lfb_status_text(status));
    return GUAVA_TROUBLE;
  }
  const int answered = guava_answer(filter, funnel);
  lfb_filter_free(filter);
  return answered;
}
