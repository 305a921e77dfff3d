/*
 * crew.h - more threads than cores, which run all operations of a structure concurrently under
 * ThreadSanitizer.
 *
 * All threads run the same acts, each thread from another act on, so that any two run concurrently.
 */
#ifndef LFB_TSAN_CREW_H
#define LFB_TSAN_CREW_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  CREW_ROUNDS = 6,
  CREW_KEYS = 500, /* keys of an act, from `first` on; half are also those of the next thread */
};

/* One run of an act. */
typedef struct crew_turn {
  unsigned thread;
  uint64_t round;
  uint64_t first; /* key; different rounds have different keys */
} crew_turn;

typedef void (*crew_act)(const crew_turn *turn);

/* Returns the number of threads: two more than there are processors, at least 8, at most 64. */
unsigned crew_size(void);

/* Runs all of `acts` on all threads, CREW_ROUNDS times; returns when all have ended. */
void crew_run(const crew_act *acts, size_t count);

/* Count a failed check; any thread. */
void crew_expect(bool holds);
void crew_expect_ok(lfb_status status);

/* Fills `keys` with first .. first + CREW_KEYS - 1. */
void crew_keys(uint64_t first, uint64_t keys[CREW_KEYS]);

/* Returns the path of a file that the test may write; the caller must free it. */
char *crew_path(const char *name);

/* Discards the bytes: an lfb_write_fn. */
lfb_status crew_discard(void *to, const void *bytes, size_t size);

/* Prints the result; returns the exit status for main(). */
int crew_end(void);

#endif
