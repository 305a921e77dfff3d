/* crew.c - runs the threads, and counts failed checks. */
#define _POSIX_C_SOURCE 200809L /* sysconf, sched_yield */
#include "tsan/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CREW_LEAST = 8, CREW_MOST = 64 };

/* One thread, and its acts. */
struct part {
  pthread_t thread;
  unsigned number;
  const crew_act *acts;
  size_t count;
};

static _Atomic(unsigned) wrong, waiting;

unsigned crew_size(void)
{
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);

  return cores < CREW_LEAST - 2 ? CREW_LEAST : cores > CREW_MOST - 2 ? CREW_MOST
                                                                     : (unsigned)cores + 2;
}

void crew_expect(bool holds)
{
  /* relaxed, here and below: they must add no order, or the sanitizer would miss races. */
  if (!holds)
    atomic_fetch_add_explicit(&wrong, 1, memory_order_relaxed);
}

void crew_expect_ok(lfb_status status)
{
  if (status != LFB_OK)
    fprintf(stderr, "%s\n", lfb_status_text(status));
  crew_expect(status == LFB_OK);
}

void crew_keys(uint64_t first, uint64_t keys[CREW_KEYS])
{
  for (uint64_t i = 0; i < CREW_KEYS; i++)
    keys[i] = first + i;
}

char *crew_path(const char *name)
{
  const char *directory = getenv("TEST_TMPDIR");
  const size_t size = strlen(directory == NULL ? "." : directory) + strlen(name) + 2;
  char *path = malloc(size);

  if (path == NULL)
    abort();
  (void)snprintf(path, size, "%s/%s", directory == NULL ? "." : directory, name);
  return path;
}

lfb_status crew_discard(void *to, const void *bytes, size_t size)
{
  (void)to, (void)bytes, (void)size;
  return LFB_OK;
}

static void *part_do(void *given)
{
  const struct part *part = given;

  /* No thread begins before all have started. */
  atomic_fetch_sub_explicit(&waiting, 1, memory_order_relaxed);
  while (atomic_load_explicit(&waiting, memory_order_relaxed) > 0)
    sched_yield();
  for (uint64_t round = 0; round < CREW_ROUNDS; round++)
    for (size_t i = 0; i < part->count; i++) {
      const crew_turn turn = {part->number, round, CREW_KEYS / 2 * part->number + 100000 * round};
      part->acts[(i + part->number) % part->count](&turn);
    }
  return NULL;
}

void crew_run(const crew_act *acts, size_t count)
{
  struct part parts[CREW_MOST];
  const unsigned size = crew_size();

  atomic_store_explicit(&waiting, size, memory_order_relaxed);
  for (unsigned i = 0; i < size; i++) {
    parts[i] = (struct part){.number = i, .acts = acts, .count = count};
    if (pthread_create(&parts[i].thread, NULL, part_do, &parts[i]) != 0)
      abort();
  }
  for (unsigned i = 0; i < size; i++)
    pthread_join(parts[i].thread, NULL);
}

int crew_end(void)
{
  const unsigned found = atomic_load_explicit(&wrong, memory_order_relaxed);

  printf("%u threads, %d rounds, %u wrong\n", crew_size(), CREW_ROUNDS, found);
  return found == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
