/*
 * report.c - see report.h.
 */
#include "examples/guard/report.h"

#include <stdarg.h>
#include <stdio.h>

void report(const char *format, ...)
{
  char line[512];
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "guard: %s\n", line);
}
