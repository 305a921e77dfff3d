/* keys.c - reads or counts the keys of a command. */
#include "cli/keys.h"

#include <unistd.h>

#include "cli/count.h"
#include "cli/report.h"

char keys_delimiter(const struct keys_source *source)
{
  return source->nul ? '\0' : '\n';
}

bool keys_check(const struct keys_source *source, const struct command *command)
{
  const char *misuse = part_misuse(&source->part);

  if (misuse != NULL)
    (void)options_misused(command, misuse);
  return misuse == NULL &&
         (source->skipped != NULL || input_check(source->paths, source->path_count));
}

const lfb_key *keys_of(const struct keys_source *source, struct chunk *chunk,
                       const lfb_key *records, size_t *count)
{
  struct part_problem problem;

  if (part_is_whole(&source->part) || *count == 0)
    return records;
  if (!chunk_parts(chunk, chunk->size))
    return NULL;
  for (size_t i = 0; i < *count; i++) {
    char *const room = chunk->text + ((const char *)records[i].bytes - chunk->bytes);
    if (!part_find(&source->part, records[i], room, &chunk->parts[i], &problem)) {
      chunk_refuse(chunk, keys_delimiter(source), records[i].bytes, problem.text);
      *count = i;
    }
  }
  return chunk->parts;
}

/* No bar if keys are on the terminal too: they would mix. */
static bool keys_shows_progress(const struct keys_source *source, bool prints)
{
  const bool typed = source->path_count == 0 && isatty(STDIN_FILENO);

  if (source->progress == PROGRESS_AUTO && (typed || (prints && isatty(STDOUT_FILENO))))
    return false;
  return progress_wanted(source->progress);
}

static void keys_begin(const struct keys_source *source, const char *label, bool prints)
{
  progress_begin(keys_shows_progress(source, prints), label,
                 input_total_bytes(source->paths, source->path_count), PROGRESS_BYTES);
}

bool keys_read(const struct keys_source *source, const char *label, struct records_job job)
{
  job.paths = source->paths;
  job.path_count = source->path_count;
  job.delimiter = keys_delimiter(source);
  job.threads = source->threads;
  job.skipped = source->skipped;
  job.number_lines = source->part.member != NULL;
  keys_begin(source, label, job.emit != NULL);
  const bool read_all = records_run(&job);
  progress_end();
  return read_all;
}

bool keys_expected(const struct keys_source *source, const char *command,
                   const struct options_count *given, uint64_t *expected)
{
  if (given->given) {
    *expected = given->value;
    return true;
  }
  if (!input_is_rereadable(source->paths, source->path_count)) {
    (void)report_error("%s: keys from a pipe or terminal cannot be counted first: "
                       "give -n, the number of keys", command);
    return false;
  }
  keys_begin(source, "counting", false);
  const bool counted = count_keys(source->paths, source->path_count, keys_delimiter(source),
                                  source->threads, expected);
  progress_end();
  return counted;
}
