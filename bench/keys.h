/*
 * keys.h - the keys that benchmarks put and query: streams of numbers and of
 * UUIDs, the same here and in GuavaBench.java.
 *
 * A stream is a bijection of a counter: all its keys differ, and any part of it can be
 * made without the rest.  Arrays of keys are read in order, so that a benchmark waits
 * for the filter's memory and not for the keys'.
 */
#ifndef LFB_BENCH_KEYS_H
#define LFB_BENCH_KEYS_H

#include <lfbloom/sink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atomic/words/pages.h"

enum { LFB_UUID_SIZE = 36 };

typedef enum lfb_keys_kind {
  LFB_KEYS_NUMBERS, /* 64 bits each */
  LFB_KEYS_UUIDS,   /* 36 characters */
} lfb_keys_kind;

/* A stream's keys from here on are never put: the absent keys. */
#define LFB_KEYS_ABSENT (UINT64_C(1) << 40)

/* Some consecutive keys of a stream. */
typedef struct lfb_keys {
  lfb_keys_kind kind;
  size_t count;
  uint64_t *numbers; /* NUMBERS: the keys                       */
  char *texts;       /* UUIDS: key i from LFB_UUID_SIZE * i on  */
  lfb_key *refs;     /* UUIDs: the keys' bytes                  */
  lfb_pages memory;  /* holds all three; huge pages, like the filter's */
} lfb_keys;

/* Key `i` of the stream of numbers (splitmix64, a bijection). */
static inline uint64_t lfb_keys_number(uint64_t i)
{
  uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Makes room for `count` keys; false if there is no memory. */
bool lfb_keys_init(lfb_keys *keys, lfb_keys_kind kind, size_t count);

void lfb_keys_free(lfb_keys *keys);

/* Writes keys `first` to `first` + count - 1 of the stream. */
void lfb_keys_fill(lfb_keys *keys, uint64_t first);

#endif
