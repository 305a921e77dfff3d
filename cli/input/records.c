/*
 * records.c - processes all records of an input, in parallel and in order.
 *
 * A thread that holds `reading` fills its chunk and takes the next number.  Chunks are decided and
 * emitted in the order of their numbers.  Each thread has one chunk, so at most `threads` chunks
 * are in progress, and the first of them never waits for another.  So there is no deadlock.  After
 * a failure the failed chunk does not wait for later ones, and then the program ends.
 */
#include "cli/input/records.h"

#include <pthread.h>
#include <stdint.h>

#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/input/crew.h"

/* Threads that wait are woken by seat, number % RECORDS_SEATS: one at a time up to 64 threads. */
enum { RECORDS_SEATS = 64 };

/* Turns, in which threads do a step one after another, in the order of numbers from 0.  What a
 * thread wrote before it passed its turn is visible to all later turns. */
struct turns {
  pthread_mutex_t lock; /* guards `next` */
  pthread_cond_t seats[RECORDS_SEATS];
  uint64_t next; /* the number that may go on */
};

static void turns_init(struct turns *turns)
{
  (void)pthread_mutex_init(&turns->lock, NULL);
  for (int i = 0; i < RECORDS_SEATS; i++)
    (void)pthread_cond_init(&turns->seats[i], NULL);
  turns->next = 0;
}

static void turns_await(struct turns *turns, uint64_t number)
{
  (void)pthread_mutex_lock(&turns->lock);
  while (turns->next != number)
    (void)pthread_cond_wait(&turns->seats[number % RECORDS_SEATS], &turns->lock);
  (void)pthread_mutex_unlock(&turns->lock);
}

static void turns_pass(struct turns *turns)
{
  (void)pthread_mutex_lock(&turns->lock);
  turns->next++;
  (void)pthread_cond_broadcast(&turns->seats[turns->next % RECORDS_SEATS]);
  (void)pthread_mutex_unlock(&turns->lock);
}

struct records {
  const struct records_job *job;

  pthread_mutex_t reading; /* guards the next four */
  struct input input;
  uint64_t next_number;
  bool ended;
  bool failed;

  struct turns deciding; /* of chunk numbers */
  struct turns emitting;
};

/* Fills the chunk and numbers it.  False at the end, or if reading failed. */
static bool records_take(struct records *records, struct chunk *chunk, uint64_t *number)
{
  const struct records_job *job = records->job;

  (void)pthread_mutex_lock(&records->reading);
  /* relaxed: what is read beyond it does no harm. */
  records->ended |=
      job->enough != NULL && atomic_load_explicit(job->enough, memory_order_relaxed);
  if (!records->ended) {
    const enum input_result result = input_next(&records->input, chunk);
    records->ended = result != INPUT_CHUNK;
    records->failed = result == INPUT_FAILED;
  }
  const bool taken = !records->ended;
  if (taken)
    *number = records->next_number++;
  (void)pthread_mutex_unlock(&records->reading);
  return taken;
}

/* Decides the chunk in its turn, and finishes it.  If deciding fails, or a line was refused, the
 * turn is not passed on: what is decided later would not be emitted. */
static bool records_decide(struct records *records, unsigned thread, struct chunk *chunk,
                           uint64_t number)
{
  const struct records_job *job = records->job;

  turns_await(&records->deciding, number);
  const bool decided = job->decide(job->context, thread, chunk);
  if (decided && chunk->refused == 0)
    turns_pass(&records->deciding);
  job->finish(job->context, thread, chunk);
  return decided;
}

/* Emits the chunk in its turn.  Without `go_on`, then ends the program.  So the line that is
 * reported is the first one of the input that was refused, and what comes before it has been
 * emitted. */
static void records_emit(struct records *records, unsigned thread, const struct chunk *chunk,
                         uint64_t number, bool go_on)
{
  turns_await(&records->emitting, number);
  if (records->job->emit != NULL)
    records->job->emit(records->job->context, thread, chunk);
  if (!go_on) {
    chunk_report(chunk);
    output_end_program(CLI_NOT_DONE);
  }
  turns_pass(&records->emitting);
}

static void records_work(void *context, unsigned thread)
{
  struct records *records = context;
  struct chunk chunk = {0};
  uint64_t number = 0;

  while (records_take(records, &chunk, &number)) {
    bool worked = records->job->work(records->job->context, thread, &chunk);
    if (worked && records->job->decide != NULL)
      worked = records_decide(records, thread, &chunk, number);
    worked &= chunk.refused == 0;
    if (records->job->emit != NULL || records->job->input.number_lines)
      records_emit(records, thread, &chunk, number, worked);
    else if (!worked)
      output_end_program(CLI_NOT_DONE);
  }
  chunk_free(&chunk);
}

bool records_run(const struct records_job *job)
{
  struct records records = {.job = job,
                            .reading = PTHREAD_MUTEX_INITIALIZER,
                            .input = job->input};
  struct input *input = &records.input;

  input->refuse_output = job->emit != NULL || (input->header != NULL && input->header->prints);
  if (!input_begin(input))
    return false;
  turns_init(&records.deciding);
  turns_init(&records.emitting);
  const bool ran = crew_run(job->threads, CREW_ANY, records_work, &records);
  input_end(input);
  return ran && !records.failed;
}
