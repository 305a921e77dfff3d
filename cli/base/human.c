/* human.c - formats numbers for people. */
#include "cli/base/human.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct human human_count(uint64_t count)
{
  char digits[24];
  struct human result;
  char *to = result.text;
  size_t left = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, count);

  for (const char *from = digits; left > 0; from++) {
    *to++ = *from;
    if (--left > 0 && left % 3 == 0)
      *to++ = ',';
  }
  *to = '\0';
  return result;
}

/* About three digits, without trailing zeros after the point. */
static struct human human_scaled(double value, const char *unit)
{
  struct human result;

  (void)snprintf(result.text, sizeof result.text, value < 999.5 ? "%.3g%s" : "%.0f%s", value, unit);
  return result;
}

struct human human_short(double value)
{
  static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t unit = 0;

  while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
    value /= 1000;
    unit++;
  }
  return human_scaled(value, units[unit]);
}

struct human human_bytes(uint64_t bytes)
{
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  struct human result;
  double value = (double)bytes;
  size_t unit = 0;

  while (value >= 1024 && unit + 1 < sizeof units / sizeof *units) {
    value /= 1024;
    unit++;
  }
  (void)snprintf(result.text, sizeof result.text, "%.*f %s", unit == 0 ? 0 : 2, value,
                 units[unit]);
  return result;
}

struct human human_seconds(double seconds)
{
  if (seconds < 0.9995)
    return human_scaled(seconds * 1e3, " ms");
  return human_scaled(seconds, " s");
}

struct human human_probability(double probability)
{
  struct human result;

  (void)snprintf(result.text, sizeof result.text, "%.3g", probability);
  return result;
}
