/* uuid.c - a sequence of pseudo-random UUIDs. */
#include "cli/uuid.h"

/*
 * Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
 * Generators", 2014; SplitMix64, with Stafford's 13th variant of the mixer.
 */
uint64_t uuid_mix(uint64_t value)
{
  value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31);
}

/* Number `index` of the SplitMix64 sequence that starts at the mixed seed. */
static uint64_t uuid_word(uint64_t seed, uint64_t index)
{
  const uint64_t golden_ratio = UINT64_C(0x9e3779b97f4a7c15);

  return uuid_mix(uuid_mix(seed) + (index + 1) * golden_ratio);
}

/* Writes the `count` highest hexadecimal digits of `value`; returns the end. */
static char *uuid_digits(char *to, uint64_t value, int count)
{
  for (int i = 0; i < count; i++)
    *to++ = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
  return to;
}

void uuid_write(uint64_t seed, uint64_t index, char *text)
{
  uint64_t high = uuid_word(seed, 2 * index);
  uint64_t low = uuid_word(seed, 2 * index + 1);

  high = (high & ~UINT64_C(0xf000)) | UINT64_C(0x4000);  /* version 4: random */
  low = (low & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62; /* RFC 4122's variant */
  text = uuid_digits(text, high, 8);
  *text++ = '-';
  text = uuid_digits(text, high << 32, 4);
  *text++ = '-';
  text = uuid_digits(text, high << 48, 4);
  *text++ = '-';
  text = uuid_digits(text, low, 4);
  *text++ = '-';
  (void)uuid_digits(text, low << 16, 12);
}
