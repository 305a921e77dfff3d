/* walk.c - the walk over the lines of an input. */
#define _POSIX_C_SOURCE 200809L
#include "cli/input/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/figure.h"
#include "cli/base/grow.h"
#include "cli/base/output.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"

struct walk_job {
  const struct walk *walk;
  struct walk_lines *lines; /* one per thread */
};

size_t walk_sum(const uint64_t *bits, size_t count)
{
  size_t sum = 0;

  for (size_t i = 0; i < count / 64; i++)
    sum += (size_t)__builtin_popcountll(bits[i]);
  if (count % 64 > 0)
    sum += (size_t)__builtin_popcountll(bits[count / 64] & ((UINT64_C(1) << (count % 64)) - 1));
  return sum;
}

/* ---- the lines that are kept -------------------------------------------------------- */

/* Lines that are wanted are moved together in place, each with a delimiter at its end. */
struct kept {
  char *to; /* the place of the next one */
  char delimiter;
};

/* Moves the records from `first` to `last`, which follow one another, down to `to`. */
static void kept_add_run(struct kept *kept, const lfb_key *first, const lfb_key *last)
{
  const char *const begin = first->bytes;
  const size_t size = (size_t)((const char *)last->bytes + last->size - begin);

  if (kept->to != begin)
    memmove(kept->to, begin, size);
  kept->to += size;
  *kept->to++ = kept->delimiter; /* at most at its old place, or in the extra byte */
}

/* Whether one follows the other. */
static bool kept_is_next(const lfb_key *key, const lfb_key *next)
{
  return (const char *)key->bytes + key->size + 1 == (const char *)next->bytes;
}

/* Takes the chunk's next lines. */
static void kept_add(struct kept *kept, const lfb_key *records, size_t count,
                     const uint64_t *wanted)
{
  for (size_t i = 0; i < count; i++) {
    if (!lfb_answer(wanted, i))
      continue;
    const size_t first = i;
    while (i + 1 < count && lfb_answer(wanted, i + 1) && kept_is_next(&records[i], &records[i + 1]))
      i++;
    kept_add_run(kept, &records[first], &records[i]);
  }
}

/* ---- the walk ------------------------------------------------------------------------ */

/* Makes room for a batch more. */
static bool walk_grow(struct walk_lines *lines, bool copies, size_t batch)
{
  const struct grow_row rows[] = {{&lines->records, 64 * sizeof *lines->records},
                                  {&lines->open, 64 * sizeof *lines->open},
                                  {&lines->wanted, sizeof *lines->wanted},
                                  {&lines->passing, sizeof *lines->passing},
                                  {&lines->copies, 64 * sizeof *lines->copies}};

  return grow(rows, copies ? 5 : 4, &lines->capacity, lines->count + batch);
}

/* Clears the bits from `first` on, of `count`. */
static void walk_clear(uint64_t *bits, size_t first, size_t count)
{
  const size_t word = (first + 63) / 64;

  if (first % 64 != 0)
    bits[first / 64] &= (UINT64_C(1) << (first % 64)) - 1;
  memset(bits + word, 0, ((count + 63) / 64 - word) * sizeof *bits);
}

/* Notes which of the lines from `first` on pass, and wants them.  Returns how many do not. */
static size_t walk_note_passing(const struct keys_source *source, struct walk_lines *lines,
                                size_t first, const lfb_key *keys)
{
  size_t left = lines->count - first;

  walk_clear(lines->passing, first, lines->count);
  walk_clear(lines->wanted, first, lines->count);
  for (size_t i = first; source->bad_lines == KEYS_PASS && i < lines->count; i++)
    if (keys_passes(source, keys[i - first])) {
      lines->passing[i / 64] |= UINT64_C(1) << (i % 64);
      walk_want(lines, i, true);
      left--;
    }
  return left;
}

/* Finds the next lines and their keys, NULL after a report.  `*found` is 0 at the end of the
 * chunk. */
static const lfb_key *walk_find(const struct walk *walk, struct walk_lines *lines, size_t *at,
                                size_t *found)
{
  const struct decider *decider = walk->decider;
  const size_t first = lines->count;
  const bool copies = decider->keeps_keys && !keys_are_records(walk->source);

  if (!walk_grow(lines, copies, decider->batch))
    return NULL;
  lfb_key *const records = lines->records + first;
  size_t count = *found = keys_next(walk->source, lines->chunk, at, records, decider->batch);
  const lfb_key *keys = keys_of(walk->source, lines->chunk, records, &count);
  if (keys == NULL)
    return NULL;
  if (copies)
    memcpy(lines->copies + first, keys, count * sizeof *keys);
  lines->keys = copies ? lines->copies : lines->records;
  lines->count += count;
  const size_t with_key = walk_note_passing(walk->source, lines, first, keys);
  if (walk->figures != NULL)
    figure_add(&walk->figures->keys, with_key);
  return keys;
}

/* Finds and takes all lines of the chunk; those that stream are kept or forgotten at once. */
static bool walk_take(const struct walk *walk, struct walk_lines *lines, bool streams)
{
  struct chunk *const chunk = lines->chunk;
  const walk_taker take = walk->decider->take;
  struct kept kept = {chunk->bytes, keys_delimiter(walk->source)};
  size_t at = 0, found = 1;
  bool well = true;

  lines->count = lines->open_count = 0;
  while (well && found > 0 && chunk->refused == 0) {
    const size_t first = lines->count;
    const lfb_key *keys = walk_find(walk, lines, &at, &found);
    well = keys != NULL && (lines->count == first || take == NULL ||
                            take(walk->context, lines, first, keys));
    if (well && streams && walk->prints)
      kept_add(&kept, lines->records, lines->count, lines->wanted);
    if (streams)
      lines->count = 0;
  }
  if (streams && walk->prints)
    chunk->size = (size_t)(kept.to - chunk->bytes);
  return well;
}

void walk_keep(const struct keys_source *source, const struct walk_lines *lines)
{
  struct kept kept = {lines->chunk->bytes, keys_delimiter(source)};

  kept_add(&kept, lines->records, lines->count, lines->wanted);
  lines->chunk->size = (size_t)(kept.to - lines->chunk->bytes);
}

static bool walk_decide(void *context, unsigned thread, struct chunk *chunk)
{
  const struct walk_job *job = context;

  (void)chunk; /* lines->chunk */
  return job->walk->decider->decide(job->walk->context, &job->lines[thread]);
}

static void walk_finish(void *context, unsigned thread, struct chunk *chunk)
{
  const struct walk_job *job = context;
  const struct walk *walk = job->walk;

  (void)chunk; /* lines->chunk */
  if (walk->decider->finish != NULL)
    walk->decider->finish(walk->context, &job->lines[thread]);
  else if (walk->prints)
    walk_keep(walk->source, &job->lines[thread]);
}

static bool walk_work(void *context, unsigned thread, struct chunk *chunk)
{
  const struct walk_job *job = context;
  const struct walk *walk = job->walk;
  const struct decider *decider = walk->decider;
  struct walk_lines *lines = &job->lines[thread];

  lines->chunk = chunk;
  lines->thread = thread;
  if (walk->figures != NULL)
    figure_add(&walk->figures->bytes, chunk->size);
  const bool streams = decider->ask == NULL && decider->decide == NULL;
  bool well = walk_take(walk, lines, streams);
  if (well && decider->ask != NULL)
    well = decider->ask(walk->context, lines);
  if (well && walk->unordered && decider->decide != NULL) {
    well = walk_decide(context, thread, chunk);
    walk_finish(context, thread, chunk);
  } else if (!well && !streams) { /* nothing is decided */
    lines->count = lines->open_count = 0;
    chunk->size = 0;
  }
  return well;
}

static void walk_emit(void *context, unsigned thread, const struct chunk *chunk)
{
  const struct walk_job *job = context;
  const struct walk *walk = job->walk;

  if (chunk->size == 0 && job->lines[thread].count == 0) /* nothing was decided, maybe a failure */
    return;
  if (walk->decider->emit != NULL)
    walk->decider->emit(walk->context, &job->lines[thread]);
  else if (chunk->size > 0)
    output_write(chunk->bytes, chunk->size);
}

static void walk_free(struct walk_lines *lines, unsigned threads)
{
  for (unsigned i = 0; i < threads; i++) {
    free(lines[i].records);
    free(lines[i].wanted);
    free(lines[i].passing);
    free(lines[i].open);
    free(lines[i].copies);
  }
  free(lines);
}

bool walk_run(const struct walk *walk)
{
  const struct keys_source *source = walk->source;
  const struct decider *decider = walk->decider;
  const bool emits = walk->prints || decider->emit != NULL;
  const bool ordered = decider->decide != NULL && !walk->unordered;
  struct walk_job job = {walk, calloc(source->threads, sizeof *job.lines)};

  if (job.lines == NULL)
    return report_false("cannot start %u threads: %s; give fewer --threads", source->threads,
                        strerror(errno));
  keys_begin(source, walk->label, emits);
  const bool read_all = records_run(
      &(struct records_job){.input = {.paths = source->paths,
                                      .path_count = source->path_count,
                                      .delimiter = keys_delimiter(source),
                                      .skipped = source->skipped,
                                      .header = source->header,
                                      .number_lines = keys_can_be_bad(source),
                                      .crlf = walk->crlf || source->crlf ||
                                              source->part.member_count != 0, /* a blank of JSON */
                                      .plain = walk->plain,
                                      .json = !walk->plain && source->part.member_count != 0,
                                      .skip = walk->skip},
                            .threads = source->threads,
                            .enough = walk->enough,
                            .context = &job,
                            .work = walk_work,
                            .decide = ordered ? walk_decide : NULL,
                            .finish = walk_finish,
                            .emit = emits ? walk_emit : NULL});
  progress_end();
  walk_free(job.lines, source->threads);
  return read_all;
}

/* ---- counting --------------------------------------------------------------------- */

/* Counts all lines.  Standard input is then read again from where it was. */
static bool count_lines(const struct keys_source *source, uint64_t *count)
{
  static const struct decider decider = {.batch = WALK_BATCH};
  const struct keys_source lines = {.paths = source->paths,
                                    .path_count = source->path_count,
                                    .nul = source->nul,
                                    .threads = source->threads,
                                    .progress = source->progress};
  const off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
  struct walk_figures figures = {0};
  const bool counted = walk_run(&(struct walk){.source = &lines,
                                               .label = "counting",
                                               .decider = &decider,
                                               .figures = &figures,
                                               .crlf = true});

  *count = figure_get(&figures.keys);
  return counted && (at < 0 || lseek(STDIN_FILENO, at, SEEK_SET) == at ||
                     report_false_errno("standard input"));
}

bool walk_expected(const struct keys_source *source, const char *command, bool guess,
                   const struct options_count *given, uint64_t *expected)
{
  const bool counts = !given->given && input_is_rereadable(source->paths, source->path_count);

  *expected = given->given ? given->value : 0;
  if (given->given || (guess && !counts))
    return true;
  return counts ? count_lines(source, expected)
                : report_false("%s: keys from a pipe or terminal cannot be counted first: give "
                               "-n, the number of keys", command);
}
