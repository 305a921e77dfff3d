/*
 * reserved.h - checks the reserved words of a public struct that a caller filled.
 *
 * A word that is not 0 is a field that this library does not know, or memory that the caller did
 * not zero (lfbloom/status.h, Structs).
 */
#ifndef LFB_ATOMIC_RESERVED_H
#define LFB_ATOMIC_RESERVED_H

#include <stddef.h>
#include <stdint.h>

#include <lfbloom/status.h>

/* Returns LFB_OK, or LFB_ERROR_RESERVED if a reserved word of *`given` is not 0. */
#define LFB_RESERVED(given) \
  lfb_reserved((given)->reserved, sizeof(given)->reserved / sizeof *(given)->reserved)

static inline lfb_status lfb_reserved(const uint64_t *words, size_t count)
{
  uint64_t any = 0;

  for (size_t i = 0; i < count; i++)
    any |= words[i];
  return any == 0 ? LFB_OK : LFB_ERROR_RESERVED;
}

#endif
