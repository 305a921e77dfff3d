/* busy_test.c - shows what counts as others' use of the processors. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "bench/busy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(bool right, const char *what)
{
  if (right)
    return;
  (void)fprintf(stderr, "FAILED: %s\n", what);
  exit(EXIT_FAILURE);
}

static bool read_text(const char *text, lfb_busy_reading *reading)
{
  FILE *file = fmemopen((void *)(size_t)text, strlen(text), "r");
  expect(file != NULL, "there is no memory");
  const bool read = lfb_busy_read(file, 100, reading);
  (void)fclose(file);
  return read;
}

int main(void)
{
  lfb_busy_reading before = {.own = 1, .at = 10}, after = {.own = 2.5, .at = 12};

  expect(read_text("cpu  100 0 100 5000 70 0 0 0 0 0\ncpu0 1 2 3\n", &before), "before is read");
  /* 1.5 s of its own, and of others: user 0.2, nice 0.1, system 0.3, irq 0.1, softirq 0.1, steal
   * 0.2.  Idle and waiting count for nothing. */
  expect(read_text("cpu  270 10 130 5900 99 10 10 20 0 0\n", &after), "after is read");
  const double share = lfb_busy_share(&before, &after);
  expect(share > 0.499 && share < 0.501, "others used 1 s of 2");
  expect(!read_text("cpu  1 2 3\n", &after), "too few numbers are refused");
  expect(!read_text("intr 1 2 3 4 5 6 7 8\n", &after), "another file is refused");
  return 0;
}
