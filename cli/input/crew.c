/* crew.c - runs one piece of work in several threads. */
#define _GNU_SOURCE /* pthread_attr_setstacksize */
#include "cli/input/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"

/* Enough for each part, also for jansson at its deepest, under ThreadSanitizer, which takes 384
 * KiB; the default of 8 MiB per thread counts against a limit on memory. */
enum { CREW_STACK = 1024 * 1024 };

enum crew_state { CREW_GATHERING, CREW_WORKING, CREW_CALLED_OFF };

struct crew {
  pthread_mutex_t lock;
  pthread_cond_t decided;
  enum crew_state state; /* under the lock */
  crew_work work;
  void *context;
};

struct crew_member {
  struct crew *crew;
  unsigned number;
  pthread_t thread;
};

static void crew_decide(struct crew *crew, enum crew_state state)
{
  (void)pthread_mutex_lock(&crew->lock);
  crew->state = state;
  (void)pthread_cond_broadcast(&crew->decided);
  (void)pthread_mutex_unlock(&crew->lock);
}

static bool crew_wait(struct crew *crew)
{
  (void)pthread_mutex_lock(&crew->lock);
  while (crew->state == CREW_GATHERING)
    (void)pthread_cond_wait(&crew->decided, &crew->lock);
  const bool working = crew->state == CREW_WORKING;
  (void)pthread_mutex_unlock(&crew->lock);
  return working;
}

static void *crew_member_main(void *argument)
{
  struct crew_member *member = argument;

  if (crew_wait(member->crew))
    member->crew->work(member->crew->context, member->number);
  return NULL;
}

/* Starts members 1 and up.  Returns how many exist, number 0 included. */
static unsigned crew_gather(struct crew_member *members, unsigned threads, enum crew_need need)
{
  pthread_attr_t attributes;
  unsigned count = 1;
  int problem = pthread_attr_init(&attributes);

  if (problem == 0)
    (void)pthread_attr_setstacksize(&attributes, CREW_STACK);
  for (; problem == 0 && count < threads; count++) {
    problem = pthread_create(&members[count].thread, &attributes, crew_member_main,
                             &members[count]);
    if (problem != 0)
      break;
  }
  if (problem != 0 && need == CREW_ALL)
    (void)report_error("cannot start thread %u of %u: %s; give fewer --threads",
                       count + 1, threads, strerror(problem));
  if (problem != 0 && need == CREW_ANY)
    report_note("warning: %u of %u threads are used: %s", count, threads, strerror(problem));
  (void)pthread_attr_destroy(&attributes);
  return count;
}

static bool crew_run_many(unsigned threads, enum crew_need need, struct crew *crew,
                          struct crew_member *members)
{
  for (unsigned i = 0; i < threads; i++)
    members[i] = (struct crew_member){.crew = crew, .number = i};
  const unsigned count = crew_gather(members, threads, need);
  const bool goes = count == threads || need == CREW_ANY;

  crew_decide(crew, goes ? CREW_WORKING : CREW_CALLED_OFF);
  if (goes)
    crew->work(crew->context, 0);
  for (unsigned i = 1; i < count; i++)
    (void)pthread_join(members[i].thread, NULL);
  return goes;
}

bool crew_run(unsigned threads, enum crew_need need, crew_work work, void *context)
{
  struct crew crew = {.lock = PTHREAD_MUTEX_INITIALIZER,
                      .decided = PTHREAD_COND_INITIALIZER,
                      .work = work,
                      .context = context};
  struct crew_member *members = calloc(threads, sizeof *members);

  if (members == NULL)
    return report_false("cannot start %u threads: %s; give fewer --threads", threads,
                        strerror(errno));
  const bool done = crew_run_many(threads, need, &crew, members);
  free(members);
  return done;
}
