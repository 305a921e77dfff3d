/* keys.c - reads or counts the keys of a command. */
#include "cli/keys.h"

#include <stdatomic.h>
#include <unistd.h>

#include "cli/report.h"

enum { KEYS_BATCH = 1024 }; /* keys counted at a time */

char keys_delimiter(const struct keys_source *source)
{
  return source->nul ? '\0' : '\n';
}

/* No bar if keys are on the terminal too: they would mix. */
static bool keys_shows_progress(const struct keys_source *source, bool prints)
{
  const bool typed = source->path_count == 0 && isatty(STDIN_FILENO);

  if (source->progress == PROGRESS_AUTO && (typed || (prints && isatty(STDOUT_FILENO))))
    return false;
  return progress_wanted(source->progress);
}

bool keys_read(const struct keys_source *source, const char *label, struct records_job job)
{
  job.paths = source->paths;
  job.path_count = source->path_count;
  job.delimiter = keys_delimiter(source);
  job.threads = source->threads;
  progress_begin(keys_shows_progress(source, job.emit != NULL), label,
                 input_total_bytes(source->paths, source->path_count), PROGRESS_BYTES);
  const bool read_all = records_run(&job);
  progress_end();
  return read_all;
}

struct keys_count {
  char delimiter;
  _Atomic(uint64_t) keys;
};

static bool keys_count_work(void *context, unsigned thread, struct chunk *chunk)
{
  struct keys_count *all = context;
  lfb_key keys[KEYS_BATCH];
  uint64_t total = 0;
  size_t at = 0;
  size_t count;

  (void)thread;
  while ((count = chunk_keys(chunk, all->delimiter, &at, keys, KEYS_BATCH)) > 0)
    total += count;
  /* relaxed: all threads are joined before it is read. */
  atomic_fetch_add_explicit(&all->keys, total, memory_order_relaxed);
  return true;
}

bool keys_expected(const struct keys_source *source, const char *command,
                   const struct options_count *given, uint64_t *expected)
{
  struct keys_count all = {.delimiter = keys_delimiter(source)};
  const struct records_job job = {.context = &all, .work = keys_count_work};

  if (given->given) {
    *expected = given->value;
    return true;
  }
  if (!input_is_rereadable(source->paths, source->path_count)) {
    (void)report_error("%s: keys from a pipe or standard input cannot be counted first: "
                       "give -n, the number of keys", command);
    return false;
  }
  if (!keys_read(source, "counting", job))
    return false;
  *expected = atomic_load_explicit(&all.keys, memory_order_relaxed);
  return true;
}
