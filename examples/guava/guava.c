/*
 * guava.c - asks a filter that Guava wrote: for each line of its input, whether Java put it.
 *
 * What the bytes of a key are is the Java side's choice of a funnel, and not in the file:
 *   Funnels.stringFunnel(UTF_8), Funnels.byteArrayFunnel()   the line as it is
 *   Funnels.longFunnel()                                     the line as a number: 8 bytes
 *   Funnels.unencodedCharsFunnel()                           the line as UTF-16
 * Asked through another funnel a filter says "no" to everything, or nearly.
 */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <errno.h>
#include <lfbloom/filter.h>
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

/* Turns UTF-8, which the locale is, into UTF-16; false: it is none. */
static bool text_decode(const char *line, size_t size, lfb_utf16 *text, uint16_t *units)
{
  mbstate_t state = {0};
  char16_t unit;

  for (size_t at = 0; at < size;) {
    const size_t got = mbrtoc16(&unit, line + at, size - at, &state);
    if (got == (size_t)-1 || got == (size_t)-2)
      return false;
    if (got != (size_t)-3) /* the second of a pair takes no bytes */
      at += got == 0 ? 1 : got;
    units[text->count++] = unit;
  }
  if (size > 0 && mbrtoc16(&unit, "", 0, &state) == (size_t)-3)
    units[text->count++] = unit; /* that of a pair which ends the line */
  return true;
}

static enum reading ask_chars(const lfb_filter *filter, const char *line, size_t size)
{
  uint16_t *units = malloc((size + 1) * sizeof *units); /* one at most for each byte */
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

/* Prints `maybe LINE` or `no LINE` for each line of input, up to one that is no key. */
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
      fprintf(stderr, "guava: '%s' is no key for the funnel '%s'\n", line, funnel->name);
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
                    "Prints each line of standard input behind `maybe` or `no`: whether it was\n"
                    "put into the BloomFilter that Java wrote to FILE, by the funnel named.\n");
    return GUAVA_TROUBLE;
  }
  (void)setlocale(LC_CTYPE, "C.UTF-8"); /* without it, only ASCII is text for `chars` */
  const lfb_status status = lfb_filter_load(argv[2], NULL, &filter);
  if (status != LFB_OK) {
    fprintf(stderr, "guava: %s: %s\n", argv[2], lfb_status_text(status));
    return GUAVA_TROUBLE;
  }
  const int answered = guava_answer(filter, funnel);
  lfb_filter_free(filter);
  return answered;
}
