/*
 * dedupe_keys.c - reads and claims the keys of `lfbloom dedupe`, and prints the new ones.
 *
 * In order     Chunks are decided one at a time, in the order of the input, so the first occurrence
 *              of a key is the new one.  Before that all threads ask the filter which of their keys
 *              are present: a key that is present then was put by an earlier chunk or another
 *              process, and stays present.  Only the other keys are left to be decided, and their
 *              lines of the filter are in a cache.
 * Unordered    All threads claim their keys concurrently.  One claim of each key wins.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/grow.h"
#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/commands/dedupe.h"
#include "cli/input/kept.h"

/* Claims keys in a filter that is here.  If no other thread puts into it at the same time, a put of
 * a new key is a claim that wins. */
static size_t keys_claim_here(struct dedupe *dedupe, const lfb_key *keys, size_t count,
                              uint64_t *answers)
{
  const bool alone = dedupe->shared == NULL && (!dedupe->unordered || dedupe->source.threads == 1);
  const bool numbers = dedupe->source.type == TYPED_I64;

  /* numbers: as other programs put them into a shared filter */
  return source_do(dedupe->into.any, alone && !numbers ? LFB_PUT : LFB_CLAIM, numbers, keys, count,
                   answers);
}

/* Claims keys, and adds the number of the new ones to the figure. */
static bool keys_claim_all(struct dedupe *dedupe, const lfb_key *keys, size_t count,
                           uint64_t *answers)
{
  size_t claimed;

  if (count == 0)
    return true;
  if (dedupe->window.filter != NULL)
    claimed = window_claim(&dedupe->window, keys, count, answers);
  else if (dedupe->into.remote.filter == NULL) {
    /* A batch that finds the filter full is the last: of its keys about as many are left out as p
     * says.  source_settle() reports it if there is no other. */
    if (!source_can_grow(dedupe->shared, &dedupe->into))
      return false;
    claimed = keys_claim_here(dedupe, keys, count, answers);
  } else if (!remote_put(&dedupe->into.remote, keys, count, answers, &claimed))
    return false;
  figure_add(&dedupe->out, claimed);
  return true;
}

/* The same beside lines that pass, which are printed without being claimed. */
static bool keys_claim_beside_bad(struct dedupe *dedupe, const lfb_key *keys, size_t count,
                                  uint64_t *answers)
{
  lfb_key good[SOURCE_BATCH] = {{NULL, 0}};
  uint64_t of_good[SOURCE_BATCH / 64] = {0};
  size_t goods = 0, next = 0;

  for (size_t i = 0; i < count; i++)
    if (!keys_passes(&dedupe->source, keys[i]))
      good[goods++] = keys[i];
  if (!keys_claim_all(dedupe, good, goods, of_good))
    return false;
  memset(answers, 0, (count + 63) / 64 * sizeof *answers);
  for (size_t i = 0; i < count; i++) {
    bool wanted = keys_passes(&dedupe->source, keys[i]);
    if (!wanted) {
      wanted = lfb_answer(of_good, next);
      next++;
    }
    answers[i / 64] |= (uint64_t)wanted << (i % 64);
  }
  return true;
}

/* Claims at most SOURCE_BATCH keys. */
static bool keys_claim(struct dedupe *dedupe, const lfb_key *keys, size_t count, uint64_t *answers)
{
  return (dedupe->source.bad_lines == KEYS_PASS ? keys_claim_beside_bad : keys_claim_all)(
      dedupe, keys, count, answers);
}

/* How many of the keys are none of lines that pass. */
static size_t keys_counted(const struct keys_source *source, const lfb_key *keys, size_t count)
{
  size_t counted = count;

  for (size_t i = 0; source->bad_lines == KEYS_PASS && i < count; i++)
    counted -= keys_passes(source, keys[i]);
  return counted;
}

/* ---- unordered ------------------------------------------------------------------ */

static bool keys_claim_chunk(void *context, unsigned thread, struct chunk *chunk)
{
  struct dedupe *dedupe = context;
  const size_t most = source_shared_batch(&dedupe->into);
  struct kept kept = kept_begin(chunk, keys_delimiter(&dedupe->source));
  lfb_key records[SOURCE_BATCH];
  uint64_t answers[SOURCE_BATCH / 64];
  uint64_t in = 0;
  bool claimed = true;
  size_t at = 0;
  size_t count;

  (void)thread;
  figure_add(&dedupe->bytes, chunk->size);
  while (claimed && chunk->refused == 0 &&
         (count = keys_next(&dedupe->source, chunk, &at, records, most)) > 0) {
    const lfb_key *keys = keys_of(&dedupe->source, chunk, records, &count);
    in += keys == NULL ? 0 : keys_counted(&dedupe->source, keys, count);
    claimed = keys != NULL && keys_claim(dedupe, keys, count, answers);
    if (claimed && !dedupe->json)
      kept_add(&kept, records, count, answers, true);
  }
  kept_end(&kept);
  figure_add(&dedupe->in, in);
  return claimed;
}

/* ---- in order ------------------------------------------------------------------- */

/* The records of a thread's chunk that are left to be decided, and the answers. */
struct keys_open {
  lfb_key *records;
  lfb_key *keys;     /* of the records; the same memory if whole records are keys */
  uint64_t *answers; /* bit i % 64 of word i / 64: whether key i is new */
  size_t count;
  size_t decided;
  size_t capacity;
};

struct keys_job {
  struct dedupe *dedupe;
  struct keys_open *open; /* one per thread */
};

/* Makes room for the batch that is found next. */
static bool open_grow(struct keys_open *open, bool whole)
{
  const struct grow_row rows[] = {{&open->records, 64 * sizeof *open->records},
                                  {&open->answers, sizeof *open->answers},
                                  {&open->keys, 64 * sizeof *open->keys}};
  const bool grown = grow(rows, whole ? 2 : 3, &open->capacity, open->count + SOURCE_BATCH);

  if (whole)
    open->keys = open->records;
  return grown;
}

static void open_free(struct keys_open *open)
{
  if (open->keys != open->records)
    free(open->keys);
  free(open->records);
  free(open->answers);
}

/* Adds the `count` keys that were found after the open ones, without those that are present.
 * Returns whether asking paid: of new keys it only takes time. */
static bool open_add(struct keys_open *open, const struct keys_source *source,
                     const struct source_shared *into, size_t count)
{
  lfb_key *const records = open->records + open->count, *const keys = open->keys + open->count;
  uint64_t present[SOURCE_BATCH / 64];
  size_t absent = 0;

  (void)lfb_any_many(into->any, LFB_MIGHT_CONTAIN, keys, count, present);
  for (size_t i = 0; i < count; i++) {
    records[absent] = records[i];
    keys[absent] = keys[i];
    absent += !lfb_answer(present, i) || keys_passes(source, keys[i]);
  }
  open->count += absent;
  return count - absent >= count / 4;
}

/* Finds the keys of the next batch of records.  False after a report. */
static bool open_find(struct keys_open *open, const struct keys_source *source,
                      struct chunk *chunk, size_t *count)
{
  lfb_key *const records = open->records + open->count, *const keys = open->keys + open->count;
  const lfb_key *found = keys_of(source, chunk, records, count);

  if (found != NULL && keys != records)
    memcpy(keys, found, *count * sizeof *keys);
  return found != NULL;
}

/* Finds the keys of the chunk.  Asks about its first batch, and about a later one if that paid. */
static bool keys_find(void *context, unsigned thread, struct chunk *chunk)
{
  const struct keys_job *job = context;
  struct dedupe *dedupe = job->dedupe;
  struct keys_open *open = &job->open[thread];
  const size_t most = source_shared_batch(&dedupe->into);
  bool asks = dedupe->into.any.kind != LFB_KIND_NONE && dedupe->source.threads > 1 &&
              dedupe->source.type != TYPED_I64; /* open_add() asks by bytes */
  size_t in = 0, at = 0, found = 1, count = 0;

  open->count = open->decided = 0;
  while (found > 0 && chunk->refused == 0) {
    const bool room = open_grow(open, keys_are_records(&dedupe->source));
    if (room)
      found = count = keys_next(&dedupe->source, chunk, &at, open->records + open->count, most);
    if (!room || !open_find(open, &dedupe->source, chunk, &count)) {
      chunk->size = 0;
      return false;
    }
    in += keys_counted(&dedupe->source, open->keys + open->count, count);
    if (asks)
      asks = open_add(open, &dedupe->source, &dedupe->into, count);
    else
      open->count += count;
  }
  figure_add(&dedupe->bytes, chunk->size);
  figure_add(&dedupe->in, in);
  return true;
}

static bool keys_decide(void *context, unsigned thread, struct chunk *chunk)
{
  const struct keys_job *job = context;
  struct keys_open *open = &job->open[thread];
  const size_t most = source_shared_batch(&job->dedupe->into); /* a multiple of 64 */

  (void)chunk;
  while (open->decided < open->count) {
    const size_t left = open->count - open->decided, count = left < most ? left : most;
    if (!keys_claim(job->dedupe, open->keys + open->decided, count,
                    open->answers + open->decided / 64))
      return false;
    open->decided += count;
  }
  return true;
}

static void keys_keep(void *context, unsigned thread, struct chunk *chunk)
{
  const struct keys_job *job = context;
  const struct keys_open *open = &job->open[thread];
  struct kept kept = kept_begin(chunk, keys_delimiter(&job->dedupe->source));

  if (!job->dedupe->json)
    kept_add(&kept, open->records, open->decided, open->answers, true);
  kept_end(&kept);
}

/* ---- both ----------------------------------------------------------------------- */

static void keys_emit(void *context, unsigned thread, const struct chunk *chunk)
{
  (void)context;
  (void)thread;
  if (chunk->size > 0)
    output_write(chunk->bytes, chunk->size);
}

static bool keys_read_unordered(struct dedupe *dedupe)
{
  return keys_read(&dedupe->source, "deduplicating",
                   (struct records_job){.context = dedupe,
                                        .work = keys_claim_chunk,
                                        .emit = dedupe->json ? NULL : keys_emit});
}

static bool keys_read_ordered(struct dedupe *dedupe)
{
  const unsigned threads = dedupe->source.threads;
  struct keys_job job = {dedupe, calloc(threads, sizeof *job.open)};

  if (job.open == NULL)
    return report_false("cannot start %u threads: %s; give fewer --threads", threads,
                        strerror(errno));
  const bool read_all = keys_read(&dedupe->source, "deduplicating",
                                  (struct records_job){.context = &job,
                                                       .work = keys_find,
                                                       .decide = keys_decide,
                                                       .finish = keys_keep,
                                                       .emit = dedupe->json ? NULL : keys_emit});
  for (unsigned i = 0; i < threads; i++)
    open_free(&job.open[i]);
  free(job.open);
  return read_all;
}

bool dedupe_keys(struct dedupe *dedupe)
{
  return dedupe->unordered ? keys_read_unordered(dedupe) : keys_read_ordered(dedupe);
}
