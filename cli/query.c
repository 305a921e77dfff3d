/*
 * query.c - `lfbloom query`: prints the keys that may be in a filter.
 *
 * Floor 6 of cli/.  May include: options.h, output.h, records.h, report.h,
 * source.h and the public headers.
 */
#define _GNU_SOURCE /* optind */
#include <inttypes.h>
#include <lfbloom/mapped.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/records.h"
#include "cli/report.h"
#include "cli/source.h"

enum { QUERY_BATCH = 1024 }; /* keys asked for at a time */

struct query {
  bool invert;
  bool count_only;
  bool nul;
  unsigned threads;
  enum progress_when progress;
  const lfb_filter *filter;
  _Atomic(uint64_t) selected;
};

static char query_delimiter(const struct query *query)
{
  return query->nul ? '\0' : '\n';
}

/* Where a chunk's selected records are moved together, from its beginning on. */
struct kept {
  char *to;
  char delimiter;
};

/* Moves down one record, which lies at or above `to`, and ends it with a delimiter. */
static void kept_add(struct kept *kept, const lfb_key *key)
{
  memmove(kept->to, key->bytes, key->size);
  kept->to += key->size;
  *kept->to++ = kept->delimiter; /* at most where its own was, or in the byte of room */
}

/* Keeps those of a batch whose answer is the wanted one; returns how many. */
static size_t query_keep(const struct query *query, const lfb_key *keys, size_t count,
                         const uint64_t *answers, struct kept *kept)
{
  size_t selected = 0;

  for (size_t i = 0; i < count; i++) {
    const bool found = (answers[i / 64] >> (i % 64) & 1) != 0;
    if (found == query->invert)
      continue;
    selected++;
    if (!query->count_only)
      kept_add(kept, &keys[i]);
  }
  return selected;
}

static void query_work(void *context, unsigned thread, struct chunk *chunk)
{
  struct query *query = context;
  lfb_key keys[QUERY_BATCH];
  uint64_t answers[QUERY_BATCH / 64];
  struct kept kept = {.to = chunk->bytes, .delimiter = query_delimiter(query)};
  uint64_t selected = 0;
  size_t at = 0;
  size_t count;

  (void)thread;

  while ((count = chunk_keys(chunk, kept.delimiter, &at, keys, QUERY_BATCH)) > 0) {
    (void)lfb_filter_might_contain_many(query->filter, keys, count, answers);
    selected += query_keep(query, keys, count, answers, &kept);
  }
  chunk->size = (size_t)(kept.to - chunk->bytes);
  /* relaxed: read after all threads were joined. */
  atomic_fetch_add_explicit(&query->selected, selected, memory_order_relaxed);
}

static void query_emit(void *context, const struct chunk *chunk)
{
  (void)context;
  output_write(chunk->bytes, chunk->size);
}

/* A bar would be drawn between the keys, were both on the terminal. */
static bool query_shows_progress(const struct query *query, bool reads_terminal)
{
  if (query->progress == PROGRESS_AUTO && (isatty(STDOUT_FILENO) || reads_terminal))
    return false;
  return progress_wanted(query->progress);
}

static int query_files(struct query *query, char *const *paths, size_t path_count)
{
  const bool reads_terminal = path_count == 0 && isatty(STDIN_FILENO);
  const struct records_job job = {.paths = paths,
                                  .path_count = path_count,
                                  .delimiter = query_delimiter(query),
                                  .threads = query->threads,
                                  .context = query,
                                  .work = query_work,
                                  .emit = query->count_only ? NULL : query_emit};

  progress_begin(query_shows_progress(query, reads_terminal), "querying",
                 input_total_bytes(paths, path_count), PROGRESS_BYTES);
  const bool read_all = records_run(&job);
  progress_end();
  if (!read_all)
    return CLI_TROUBLE;
  const uint64_t selected = atomic_load_explicit(&query->selected, memory_order_relaxed);
  if (query->count_only)
    printf("%" PRIu64 "\n", selected);
  return selected > 0 ? CLI_FOUND : CLI_NOTHING;
}

static int query_run(int argc, char **argv)
{
  struct query query = {.threads = options_default_threads()};
  const struct option_row rows[] = {
      {'v', "invert", NULL, "print the keys that are not in", NULL, &query.invert},
      {'c', "count", NULL, "print only how many keys it would print", NULL, &query.count_only},
      options_nul(&query.nul),
      options_threads(&query.threads),
      options_progress(&query.progress),
  };
  int status = options_parse(&command_query, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  if (optind == argc)
    return options_misused(&command_query, "no filter given");
  const char *path = argv[optind];
  char *const *files = argv + optind + 1;
  const size_t file_count = (size_t)(argc - optind - 1);
  if (!input_check(files, file_count))
    return CLI_TROUBLE;
  query.filter = source_open(path);
  if (query.filter == NULL)
    return CLI_TROUBLE;
  status = query_files(&query, files, file_count);
  lfb_mapped_close(query.filter);
  return status;
}

const struct command command_query = {
    .name = "query",
    .operands = "FILTER [FILE...]",
    .summary = "print the keys that may be in a filter, in input order",
    .details =
        "Reads standard input where no FILE is given, or FILE is -.  Keys are bytes: a\n"
        "carriage return belongs to its line.  Empty lines are skipped.\n"
        "A filter of 'build --shared' is asked as it is while others put into it.\n"
        "Exit status: 0 if there was such a key, 1 if none, 2 on error.\n"
        "\n"
        "  lfbloom query seen.bloom urls.txt          what may have been seen\n"
        "  lfbloom query -v seen.bloom < urls.txt     what surely has not\n",
    .run = query_run,
};
