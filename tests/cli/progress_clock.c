/* progress_clock.c - the progress bar with the test's clock, on the test's terminal. */
#define _GNU_SOURCE
#define CLI_BASE_CLOCK_H
#include <stdint.h>
#include <sys/ioctl.h>

uint64_t progress_test_ns;
unsigned short progress_test_columns;

#define clock_ns() progress_test_ns
#define clock_seconds(ns) ((double)(ns) / 1e9)
#define ioctl(file, what, window) ((window)->ws_col = progress_test_columns, 0)
#include "cli/base/progress.c"
