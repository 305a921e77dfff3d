/* numbers.c - reads numbers as people type them. */
#include "cli/base/numbers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number read so far: mantissa * 10^scale. */
struct decimal {
  uint64_t mantissa;
  int scale;
  bool has_digits;
  bool too_large;
};

static bool decimal_times_ten_plus(struct decimal *decimal, unsigned digit)
{
  if (decimal->mantissa > (UINT64_MAX - digit) / 10)
    return false;
  decimal->mantissa = 10 * decimal->mantissa + digit;
  return true;
}

/* Reads a run of digits, each worth `scale_step` powers of ten; returns its end. */
static const char *decimal_digits(struct decimal *decimal, const char *at, int scale_step)
{
  for (; isdigit((unsigned char)*at); at++) {
    decimal->has_digits = true;
    if (!decimal_times_ten_plus(decimal, (unsigned)(*at - '0')))
      decimal->too_large = true;
    decimal->scale += scale_step;
  }
  return at;
}

/*
 * Reads the digits before a point.  They may be in groups of three, as the tool prints them:
 * 1,000,000.  Returns their end; any other comma is left unread.
 */
static const char *decimal_groups(struct decimal *decimal, const char *text)
{
  const char *at = decimal_digits(decimal, text, 0);

  if (at == text || at - text > 3)
    return at;
  while (at[0] == ',' && isdigit((unsigned char)at[1]) && isdigit((unsigned char)at[2]) &&
         isdigit((unsigned char)at[3]) && !isdigit((unsigned char)at[4]))
    at = decimal_digits(decimal, at + 1, 0);
  return at;
}

/* Reads "e7", "E+7" or nothing.  Returns its end, or NULL if 'e' has no digits. */
static const char *decimal_exponent(struct decimal *decimal, const char *at)
{
  int exponent = 0;

  if (*at != 'e' && *at != 'E')
    return at;
  at++;
  const bool negative = *at == '-';
  if (*at == '-' || *at == '+')
    at++;
  if (!isdigit((unsigned char)*at))
    return NULL;
  for (; isdigit((unsigned char)*at); at++)
    if (exponent < 1000) /* more is out of range in any case */
      exponent = 10 * exponent + (*at - '0');
  decimal->scale += negative ? -exponent : exponent;
  return at;
}

static const char *decimal_suffix(struct decimal *decimal, const char *at)
{
  static const char letters[] = "kKMGT";
  static const int powers[] = {3, 3, 6, 9, 12};
  const char *letter = *at == '\0' ? NULL : strchr(letters, *at);

  if (letter == NULL)
    return at;
  decimal->scale += powers[letter - letters];
  return at + 1;
}

static enum numbers_result decimal_value(struct decimal decimal, uint64_t *value)
{
  if (decimal.too_large)
    return NUMBERS_TOO_LARGE;
  if (decimal.mantissa == 0)
    decimal.scale = 0;
  for (; decimal.scale < 0; decimal.scale++) {
    if (decimal.mantissa % 10 != 0)
      return NUMBERS_NOT_WHOLE;
    decimal.mantissa /= 10;
  }
  for (; decimal.scale > 0; decimal.scale--)
    if (!decimal_times_ten_plus(&decimal, 0))
      return NUMBERS_TOO_LARGE;
  *value = decimal.mantissa;
  return NUMBERS_OK;
}

enum numbers_result numbers_whole(const char *text, uint64_t *value)
{
  struct decimal decimal = {0};
  const char *at = decimal_groups(&decimal, text);

  if (*at == '.')
    at = decimal_digits(&decimal, at + 1, -1);
  if (!decimal.has_digits)
    return NUMBERS_MALFORMED;
  at = decimal_exponent(&decimal, at);
  if (at != NULL)
    at = decimal_suffix(&decimal, at);
  if (at == NULL || *at != '\0')
    return NUMBERS_MALFORMED;
  return decimal_value(decimal, value);
}

bool numbers_real(const char *text, double *value)
{
  char *end = NULL;

  if (*text == '\0' || isspace((unsigned char)*text))
    return false;
  const double number = strtod(text, &end);
  if (*end != '\0')
    return false;
  *value = number;
  return true;
}

bool numbers_probability(const char *text, double *value)
{
  char plain[64];
  const size_t digits = strspn(text, "0123456789.,");
  const bool percent = strcmp(text + digits, "%") == 0;

  if (!percent && memchr(text, ',', digits) == NULL)
    return numbers_real(text, value);
  if (digits == 0 || strlen(text) + sizeof "e-2" > sizeof plain)
    return false;
  (void)snprintf(plain, sizeof plain, "%.*s%s", (int)digits, text, percent ? "e-2" : text + digits);
  for (char *comma = plain; (comma = strchr(comma, ',')) != NULL;)
    *comma = '.';
  return numbers_real(plain, value);
}

static int numbers_digit(char digit)
{
  static const char digits[] = "0123456789abcdef0123456789ABCDEF";
  const char *found = digit == '\0' ? NULL : strchr(digits, digit);
  return found == NULL ? -1 : (int)((found - digits) % 16);
}

bool numbers_hex(const char *digits, size_t size, void *bytes)
{
  for (size_t i = 0; i < size; i++) {
    const int high = numbers_digit(digits[2 * i]), low = numbers_digit(digits[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    ((uint8_t *)bytes)[i] = (uint8_t)(16 * high + low);
  }
  return true;
}
