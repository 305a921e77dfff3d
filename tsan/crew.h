/*
 * crew.h - more threads than cores, which do all of a structure's operations at once for
 * ThreadSanitizer to watch.
 *
 * Each thread walks the same acts, each round from another on, so that any two meet.
 */
#ifndef LFB_TSAN_CREW_H
#define LFB_TSAN_CREW_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  CREW_ROUNDS = 6,
  CREW_KEYS = 500, /* at `first` that an act has for itself; half of them are its neighbour's too */
};

/* Which thread does an act, and when. */
typedef struct crew_turn {
  unsigned thread;
  uint64_t round;
  uint64_t first; /* key: those of different rounds are never the same */
} crew_turn;

typedef void (*crew_act)(const crew_turn *turn);

/* How many threads there are: two more than the machine has cores, and at least 8. */
unsigned crew_size(void);

/* Does all of `acts` on all threads, CREW_ROUNDS times, and comes back when all have ended. */
void crew_run(const crew_act *acts, size_t count);

/* Counts what does not hold; any thread. */
void crew_expect(bool holds);
void crew_expect_ok(lfb_status status);

/* The keys first .. first + CREW_KEYS - 1. */
void crew_keys(uint64_t first, uint64_t keys[CREW_KEYS]);

/* A file of this name where the test may write; the caller's, who frees it. */
char *crew_path(const char *name);

/* Takes what is written, and forgets it: an lfb_write_fn. */
lfb_status crew_discard(void *to, const void *bytes, size_t size);

/* Says how it went; what main() returns. */
int crew_end(void);

#endif
