/*
 * keys.h - the keys that benchmarks put and ask for: streams of numbers and of
 * UUIDs, the same here and in GuavaBench.java, and of names.
 *
 * A stream is a bijection of a counter: all its keys differ, any part of it can be
 * had without the rest, and an array of them is read in order, so that what a
 * benchmark waits for is the filter's memory and not the keys'.
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
  LFB_KEYS_NAMES,   /* 5 to 31 characters (names.h), 16 on average */
} lfb_keys_kind;

/* From here on a stream's keys are never put: what is asked for in vain. */
#define LFB_KEYS_ABSENT (UINT64_C(1) << 40)

/* Some consecutive keys of a stream. */
typedef struct lfb_keys {
  lfb_keys_kind kind;
  size_t count;
  uint64_t *numbers; /* NUMBERS: the keys                       */
  char *texts;       /* UUIDS: key i from LFB_UUID_SIZE * i on  */
  lfb_key *refs;     /* all: the keys' bytes                    */
  lfb_pages memory;  /* that holds all three; huge pages, as the filter has them */
} lfb_keys;

/* Key `i` of the stream of numbers (splitmix64, a bijection). */
static inline uint64_t lfb_keys_number(uint64_t i)
{
  uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Makes room for `count` keys; false if there is none, or no word list for names. */
bool lfb_keys_init(lfb_keys *keys, lfb_keys_kind kind, size_t count);

void lfb_keys_free(lfb_keys *keys);

/* Makes them keys `first` to `first` + count - 1 of the stream. */
void lfb_keys_fill(lfb_keys *keys, uint64_t first);

#endif
