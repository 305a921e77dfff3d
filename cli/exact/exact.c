/* exact.c - prints each line the first time only, without loss: the reads, and their memory. */
#define _GNU_SOURCE /* getrandom, lseek */
#include "cli/exact/exact.h"

#include <lfbloom/filter_more.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/base/figure.h"
#include "cli/base/human.h"
#include "cli/base/report.h"
#include "cli/exact/reads.h"
#include "cli/exact/seen.h"
#include "cli/filters/fitted.h"
#include "cli/input/crew.h"
#include "cli/input/walk.h"

#define EXACT_MIB (UINT64_C(1) << 20)
enum { EXACT_LISTED = 1 << 17 };

struct exact_tuning exact_tuning_default(void)
{
  return (struct exact_tuning){
      .table_most = 12 * EXACT_MIB, .fpp = 0.01, .thread_bytes = 2 * EXACT_MIB};
}

uint64_t exact_memory_least(const struct exact_tuning *tuning, unsigned threads)
{
  /* 2 MiB are the buffers of spilled lines. */
  return 4 * EXACT_MIB + tuning->thread_bytes * threads;
}

/* ---- the input ---------------------------------------------------------------------- */

static const char *exact_path(const struct exact *exact, size_t i)
{
  return exact->source->path_count > 0 ? exact->source->paths[i] : "-";
}

static size_t exact_file_count(const struct exact *exact)
{
  return exact->source->path_count > 0 ? exact->source->path_count : 1;
}

static bool exact_look(const char *path, struct stat *file)
{
  return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, file) : stat(path, file)) == 0 ||
         report_false_errno(path);
}

/* Notes what the file is and, of standard input, where it begins. */
static bool exact_note_file(struct exact *exact, size_t i)
{
  const bool standard = strcmp(exact_path(exact, i), "-") == 0;

  if (standard && exact->standard_at < 0 &&
      (exact->standard_at = lseek(STDIN_FILENO, 0, SEEK_CUR)) < 0)
    return report_false_errno("standard input");
  return exact_look(exact_path(exact, i), &exact->files[i]);
}

static bool exact_note_files(struct exact *exact)
{
  exact->standard_at = -1; /* it is not read */
  exact->files = calloc(exact_file_count(exact), sizeof *exact->files);
  if (exact->files == NULL)
    (void)report_errno("dedupe");
  bool noted = exact->files != NULL;
  for (size_t i = 0; noted && i < exact_file_count(exact); i++)
    noted = exact_note_file(exact, i);
  return noted;
}

static bool exact_is_same(const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         memcmp(&a->st_mtim, &b->st_mtim, sizeof a->st_mtim) == 0 &&
         memcmp(&a->st_ctim, &b->st_ctim, sizeof a->st_ctim) == 0;
}

/* Whether the files are what they were. */
static bool exact_check_files(const struct exact *exact)
{
  struct stat now;

  for (size_t i = 0; i < exact_file_count(exact); i++) {
    const char *path = exact_path(exact, i);
    if (!exact_look(path, &now))
      return false;
    if (!exact_is_same(&now, &exact->files[i]))
      return report_false("%s: has changed while it was read",
                          strcmp(path, "-") == 0 ? "standard input" : path);
  }
  return true;
}

/* Makes the input begin again. */
static bool exact_rewind(const struct exact *exact)
{
  if (exact->standard_at >= 0 && lseek(STDIN_FILENO, exact->standard_at, SEEK_SET) < 0)
    return report_false_errno("standard input");
  return exact_check_files(exact);
}

/* ---- the filters ---------------------------------------------------------------------- */

/* How many lines are left, if they are as those before: of `done` bytes of the files. */
static uint64_t exact_lines_left(const struct exact *exact, uint64_t done)
{
  const uint64_t total = input_total_bytes(exact->source->paths, exact->source->path_count);
  const uint64_t lines = atomic_load_explicit(&exact->in, memory_order_relaxed) + 1;
  const double each = (double)(done > 0 ? done : 1) / (double)lines;

  return 1000 + (total > done ? (uint64_t)(1.05 * (double)(total - done) / each) : 0);
}

/* ---- the reads -------------------------------------------------------------------------- */

/* Decides the spilled hashes with the memory that nothing else takes. */
static bool exact_decide_spilled(struct exact *exact)
{
  const uint64_t taken = atomic_load_explicit(&exact->table.bytes, memory_order_relaxed) +
                         exact->doubted_bytes;
  const uint64_t left = exact->room > taken ? exact->room - taken : 0;

  progress_begin(progress_wanted(exact->source->progress), "deciding", exact->spill.count,
                 PROGRESS_KEYS);
  const bool decided = spill_decide(&exact->spill, exact->source->threads, left);
  progress_end();
  return decided;
}

/* What is read from now on is the text that was stored, as standard input. */
static void exact_use_stored(struct exact *exact)
{
  exact->stored = *exact->source;
  exact->stored.paths = NULL;
  exact->stored.path_count = 0;
  exact->stored.header = NULL; /* it was left out */
  exact->source = &exact->stored;
}

/* Reports the line without a key after which nothing was read.  False if there is one. */
static bool exact_report_refused(const struct exact *exact)
{
  chunk_report(&exact->refused);
  return exact->refused.refused == 0;
}

/* Prints the lines that waited for the end of the input. */
static bool exact_finish_waiting(struct exact *exact)
{
  exact->repeated = table_repeated(&exact->table);
  table_clear(&exact->table);
  report_note("the table of %s is full: the rest is decided at the end of the input",
              human_bytes(exact->room).text);
  exact_use_stored(exact);
  exact->waiting = true;
  if (!exact_decide_spilled(exact) || !spill_read_text(&exact->spill) || !exact_read_again(exact))
    return false;
  return exact_report_refused(exact);
}

/* What the table may take beside a filter, and when that is freed, beside what comes then. */
static uint64_t exact_table_most(const struct exact *exact, uint64_t filter)
{
  const uint64_t quarter = exact->room / 4;
  const uint64_t beside = exact->room - filter, beside_counts = exact->room / 8 * 5;

  if (exact_counts(exact)) /* half as much again */
    return beside < beside_counts ? beside : beside_counts;
  /* What the filter takes, and at least a quarter, is there later to decide what is spilled. */
  return exact->room - exact->doubted_bytes - (filter > quarter ? filter : quarter);
}

/* The first of several reads, for about `keys` keys. */
static bool exact_claim(struct exact *exact, uint64_t keys)
{
  const uint64_t table = atomic_load_explicit(&exact->table.bytes, memory_order_relaxed);
  const uint64_t claimed = (exact->room - exact->doubted_bytes - table) / 2;
  lfb_stats stats;

  if (!exact_rewind(exact) || !fitted_filter(exact->tuning.fpp, keys, claimed, &exact->claimed))
    return false;
  lfb_filter_stats(exact->claimed, &stats);
  atomic_store_explicit(&exact->table.limit, exact_table_most(exact, stats.bytes),
                        memory_order_relaxed);
  const bool read = exact_read_claims(exact);
  lfb_filter_free(exact->claimed);
  exact->claimed = NULL;
  return read;
}

static void list_work(void *context, unsigned thread)
{
  struct exact *const exact = context;
  uint64_t lows[256], answers[256 / 64];
  size_t count;
  int shard;

  (void)thread;
  /* relaxed: each shard goes to one thread; nothing else is shared. */
  while ((shard = atomic_fetch_add_explicit(&exact->listing, 1, memory_order_relaxed)) <
         TABLE_SHARDS)
    for (uint64_t at = 0; (count = table_lows(&exact->table, shard, &at, lows, 256)) > 0;)
      (void)lfb_filter_put_many_hash(exact->listed, lows, count, answers);
}

/* Fills a filter with what the table has.  Without memory for it there is none.  False after a
 * report. */
static bool exact_list(struct exact *exact)
{
  const uint64_t count = table_count(&exact->table);
  const lfb_config config = {.expected_insertions = count + 1, .fpp = 0.01};

  /* With fewer, it takes longer to start a thread. */
  return lfb_filter_create(&config, &exact->listed) != LFB_OK ||
         crew_run(count < EXACT_LISTED ? 1 : exact->source->threads, CREW_ANY, list_work, exact);
}

static bool exact_read_twice(struct exact *exact, uint64_t keys)
{
  if (!exact_claim(exact, keys) || !exact_list(exact))
    return false;
  /* relaxed: the threads of the first read are joined. */
  if (atomic_load_explicit(&exact->doubted, memory_order_relaxed) != NULL &&
      (!exact_rewind(exact) || !exact_read_doubts(exact) || !exact_decide_spilled(exact)))
    return false;
  if (exact->tuning.between != NULL)
    exact->tuning.between();
  return exact_rewind(exact) && exact_read_again(exact) && exact_check_files(exact);
}

/* Stores an input that cannot be read again, so that it can. */
static bool exact_store(struct exact *exact)
{
  if (!exact_read_store(exact))
    return false;
  exact_use_stored(exact);
  exact->rereadable = true;
  return exact_note_files(exact);
}

static bool exact_count_lines(const struct exact *exact, uint64_t *lines)
{
  const struct options_count none = {0};

  *lines = atomic_load_explicit(&exact->stored_keys, memory_order_relaxed);
  return exact->source == &exact->stored ||
         walk_expected(exact->source, "dedupe", false, &none, lines);
}

static bool exact_read_thrice(struct exact *exact)
{
  uint64_t lines;

  if ((!exact->rereadable && !exact_store(exact)) || !exact_count_lines(exact, &lines) ||
      !exact_claim(exact, lines + 1) || !exact_list(exact))
    return false;
  if (!table_begin_times(&exact->table))
    return report_false_errno("dedupe");
  if (!exact_rewind(exact) || !exact_read_counts(exact))
    return false;
  if (exact->tuning.between != NULL)
    exact->tuning.between();
  if (!exact_rewind(exact) || !exact_read_counted(exact) || !exact_check_files(exact))
    return false;
  keys_note_bad(exact->source);
  return exact_report_refused(exact);
}

static bool exact_read(struct exact *exact)
{
  if (exact_counts(exact))
    return exact_read_thrice(exact);
  if (!exact_read_table(exact))
    return false;
  if (exact->spill.begun && !exact_finish_waiting(exact))
    return false;
  /* Of standard input, what is left is known at its beginning. */
  if (exact->ended && !exact->spill.begun &&
      !(exact_rewind(exact) && exact_read_twice(exact, exact_lines_left(exact, progress_done()))))
    return false;
  keys_note_bad(exact->source);
  return true;
}

static bool exact_begin(struct exact *exact)
{
  uint8_t key[LFB_HASH128_KEY];

  exact->rereadable = input_is_rereadable(exact->source->paths, exact->source->path_count);
  exact->room = exact->memory - exact->tuning.thread_bytes * exact->source->threads -
                (exact->seen != NULL ? seen_bytes(exact->seen) : 0);
  exact->doubted_bytes = exact->room / 16;
  table_init(&exact->table, exact->rereadable && exact->tuning.table_most < exact->room / 4
                                ? exact->tuning.table_most
                            : exact->rereadable ? exact->room / 4
                                                : exact->room);
  if (exact->seen != NULL)
    memcpy(key, seen_key(exact->seen), sizeof key);
  else if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key) /* so few are never cut short */
    return report_false_errno("cannot get random bytes");
  exact->hash = lfb_hash128_create(key);
  if (exact->hash == NULL)
    (void)report_errno("dedupe");
  return exact->hash != NULL && exact_lines_create(exact) &&
         (!exact->rereadable || exact_note_files(exact));
}

bool exact_run(struct exact *exact)
{
  (void)pthread_mutex_init(&exact->doubting, NULL);
  const bool done = exact_begin(exact) && exact_read(exact);

  if (!exact_counts(exact))
    figure_add(&exact->repeated, table_repeated(&exact->table) + exact->spill.repeated);
  lfb_filter_free(exact->claimed);
  lfb_filter_free(exact->listed);
  lfb_filter_free(atomic_load_explicit(&exact->doubted, memory_order_relaxed));
  table_clear(&exact->table);
  spill_end(&exact->spill);
  exact_lines_free(exact);
  free(exact->files);
  free(exact->hash);
  return done;
}
