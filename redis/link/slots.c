/* slots.c - CRC-16/XMODEM and hash tags. */
#include "redis/link/slots.h"

#include <string.h>

/* Polynomial x^16 + x^12 + x^5 + 1, from 0, not reflected; four bits at a time. */
static uint16_t slots_crc(const unsigned char *bytes, size_t size)
{
  static const uint16_t of_nibble[16] = {
      0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7,
      0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef,
  };
  uint16_t crc = 0;

  for (size_t i = 0; i < size; i++) {
    crc = (uint16_t)(crc << 4 ^ of_nibble[crc >> 12 ^ bytes[i] >> 4]);
    crc = (uint16_t)(crc << 4 ^ of_nibble[crc >> 12 ^ (bytes[i] & 15)]);
  }
  return crc;
}

const void *lfb_key_hashed(const void *key, size_t *size)
{
  const char *open = *size == 0 ? NULL : memchr(key, '{', *size);

  if (open == NULL)
    return key;
  const size_t left = *size - (size_t)(open + 1 - (const char *)key);
  const char *close = left == 0 ? NULL : memchr(open + 1, '}', left);
  if (close == NULL || close == open + 1)
    return key;
  *size = (size_t)(close - open - 1);
  return open + 1;
}

uint16_t lfb_key_slot(const void *key, size_t size)
{
  const void *hashed = lfb_key_hashed(key, &size);
  return slots_crc(hashed, size) % LFB_KEY_SLOTS;
}
