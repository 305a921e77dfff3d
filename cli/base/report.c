/* report.c - prints messages on standard error. */
#define _GNU_SOURCE /* write */
#include "cli/base/report.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/human.h"
#include "cli/base/progress.h"
#include "cli/base/usable.h"

/* An error here cannot be reported. */
static void report_line(const char *format, va_list arguments)
{
  char line[8192] = "lfbloom: ";
  const size_t head = strlen(line);
  const size_t room = sizeof line - head - 1;
  const int wanted = vsnprintf(line + head, room, format, arguments);
  size_t size = head;

  if (wanted > 0)
    size += (size_t)wanted < room ? (size_t)wanted : room - 1;
  for (size_t i = 0; i < size; i++)
    if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
      line[i] = '?';
  line[size++] = '\n';
  progress_clear();
  if (write(STDERR_FILENO, line, size) < 0)
    return;
}

int report_error(const char *format, ...)
{
  static pthread_mutex_t reporting = PTHREAD_MUTEX_INITIALIZER; /* guards `reported` */
  static bool reported;
  const int cause = errno;
  va_list arguments;

  /* Two threads may fail at once, and the second end the program, but after the line is written. */
  (void)pthread_mutex_lock(&reporting);
  if (!reported) {
    reported = true;
    progress_end();
    va_start(arguments, format);
    report_line(format, arguments);
    va_end(arguments);
  }
  (void)pthread_mutex_unlock(&reporting);
  errno = cause;
  return CLI_NOT_DONE;
}

const char *report_cause(lfb_status status)
{
  static _Thread_local char text[128];
  const bool errno_says_why =
      ((status >= LFB_ERROR_OPEN && status <= LFB_ERROR_RENAME) || status == LFB_ERROR_MAP) &&
      errno != 0;

  (void)snprintf(text, sizeof text, ": %s", strerror(errno));
  return errno_says_why ? text : "";
}

int report_status(const char *what, lfb_status status)
{
  return report_error("%s: %s%s", what, lfb_status_text(status), report_cause(status));
}

int report_errno(const char *what)
{
  return report_error("%s: %s", what, strerror(errno));
}

void report_note(const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  report_line(format, arguments);
  va_end(arguments);
}

struct report_room report_room(lfb_status status, uint64_t bytes)
{
  struct report_room room = {""};

  if (status == LFB_ERROR_NO_MEMORY && bytes > 0)
    (void)snprintf(room.text, sizeof room.text, ": it takes %s, and %s may be used",
                   human_bytes(bytes).text, human_bytes(usable_memory("")).text);
  return room;
}

int report_unmade(const char *command, const lfb_config *config, uint64_t bytes, lfb_status status)
{
  return report_error("%s: %" PRIu64 " keys at -p %g: %s%s", command, config->expected_insertions,
                      config->fpp, lfb_status_text(status), report_room(status, bytes).text);
}

void report_overfull(const char *what, const lfb_stats *stats)
{
  report_note("warning: more than the %s distinct keys that the %s made for: "
              "false-positive probability %s instead of %s",
              human_count(stats->expected_insertions).text, what,
              human_probability(stats->expected_fpp).text, human_probability(stats->fpp).text);
}

const char *report_misfit_advice(lfb_status status)
{
  switch (status) {
  case LFB_ERROR_HASH_DIFFERS:
    return ": build one with --like the other, or both with one --seed or --key-file, as counting "
           "filters must be";
  case LFB_ERROR_BIT_COUNT_DIFFERS:
    return ": build both with the same -n and -p (and --copies), or large ones, but no counting "
           "ones, with --foldable and -n that differ by 2, 4, 8, ...";
  case LFB_ERROR_PROBES_DIFFER:
    return ": build both with the same -n, -p and --probes-formula";
  case LFB_ERROR_PROBES_DIFFER_BY_FORMULA:
    return ": build both with the same --probes-formula";
  case LFB_ERROR_STRATEGY_DIFFERS:
    return ": build both with the same --strategy";
  default:
    return "";
  }
}
