/* exact_reads.c - the reads of `lfbloom dedupe` without loss: exact.h. */
#include <string.h>

#include "cli/base/human.h"
#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/exact/lines.h"
#include "cli/exact/seen.h"
#include "cli/filters/fitted.h"

enum { TABLE_ASKED = 1024 }; /* lines, after which it is seen whether asking paid */

/* Adds those of the first lines that have been printed to what later runs leave out. */
static void reads_remember(const struct exact *exact, const struct exact_lines *lines, size_t count)
{
  for (size_t i = 0; exact->seen != NULL && exact->prints && i < count; i++)
    if (lfb_answer(lines->answers, i) && !lfb_answer(lines->passing, i) &&
        !seen_add(exact->seen, lines_hash(lines, i)))
      output_end_program(CLI_NOT_DONE);
}

static void reads_emit(void *context, unsigned thread, const struct chunk *chunk)
{
  const struct exact_read *read = context;

  const struct exact_lines *const lines = &read->exact->lines[thread];
  const bool writes = read->exact->numbered;
  const size_t size = writes ? lines->text_size : chunk->size;

  if (size > 0 && read->exact->prints)
    output_write(writes ? lines->text : chunk->bytes, size);
  reads_remember(read->exact, lines, lines->count);
}

/* Whether nothing more is to be read. */
static bool reads_enough(const void *context)
{
  const struct exact_read *read = context;

  /* relaxed: what is read beyond it does no harm. */
  return atomic_load_explicit(&read->exact->enough, memory_order_relaxed);
}

static void reads_end(struct exact *exact)
{
  exact->ended = true;
  atomic_store_explicit(&exact->enough, true, memory_order_relaxed);
}

/* Reads the input, `again` if an earlier read has counted its bad lines and warned of its CRs. */
static bool reads_run(struct exact *exact, const char *label, bool again, struct records_job job)
{
  struct exact_read read = {.exact = exact, .source = *exact->source};

  if (again)
    read.source.bad = NULL;
  exact->ended = false;
  atomic_store_explicit(&exact->enough, false, memory_order_relaxed);
  exact->reads++;
  job.plain = exact->source == &exact->stored;
  job.crlf |= again;
  job.context = &read;
  job.enough = reads_enough;
  return keys_read_part(&read.source, label, job);
}

/* ---- the table ---------------------------------------------------------------------- */

/* Asks which lines the table has; the others are left open. */
static bool table_ask(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;
  struct exact_table *const table = &read->exact->table;
  struct exact_lines *const lines = &read->exact->lines[thread];
  bool asks = read->source.threads > 1;

  if (!lines_find(lines, read, chunk))
    return false;
  for (size_t i = 0; i < lines->count; i++) {
    if (asks && i + LINES_AHEAD < lines->count)
      table_prefetch(table, lines_hash(lines, i + LINES_AHEAD));
    if (!lfb_answer(lines->passing, i) && !lfb_answer(lines->seen, i) &&
        !(asks && table_holds(table, lines_hash(lines, i))))
      lines->open[lines->open_count++] = (uint32_t)i;
    if (i % TABLE_ASKED == TABLE_ASKED - 1) /* of new lines it only takes time */
      asks = asks && i + 1 - lines->open_count >= i / 4;
  }
  return true;
}

/* The table has no room for line i: from there on the input is read again, or its lines wait. */
static bool table_overflow(struct exact *exact, struct exact_lines *lines, size_t i,
                           struct chunk *chunk)
{
  if (exact->rereadable) {
    exact->settled += (uint64_t)((const char *)lines->records[i].bytes - chunk->bytes);
    lines->count = lines->waiting = i;
    chunk->refused = 0; /* it is read again */
    reads_end(exact);
    return true;
  }
  lines->waiting = i;
  return spill_begin(&exact->spill, true);
}

/* Decides line i.  False after a report. */
static bool table_decide_one(struct exact *exact, struct exact_lines *lines, size_t i,
                             struct chunk *chunk)
{
  const struct exact_hash hash = lines_hash(lines, i);
  enum table_answer answer = TABLE_FOUND;

  if (!exact->spill.begun)
    answer = table_insert(&exact->table, hash, true);
  else if (!table_holds(&exact->table, hash))
    answer = TABLE_FULL;
  if (answer == TABLE_FULL && !exact->spill.begun && !table_overflow(exact, lines, i, chunk))
    return false;
  if (exact->ended)
    return true;
  bits_set(lines->answers, i, answer != TABLE_FOUND);
  return answer != TABLE_FULL || spill_add(&exact->spill, hash);
}

/* Those before a line without a key are printed first: it is reported at the end. */
static void table_refuse(struct exact *exact, struct chunk *chunk)
{
  exact->refused = *chunk;
  chunk->refused = 0;
  reads_end(exact);
}

static bool table_decide(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;
  struct exact *const exact = read->exact;
  struct exact_lines *const lines = &exact->lines[thread];

  if (exact->ended) {
    lines->count = lines->waiting = 0;
    chunk->refused = 0;
    return true;
  }
  if (exact->spill.begun)
    lines->waiting = 0;
  for (size_t k = 0; k < lines->open_count && !exact->ended; k++) {
    if (k + LINES_AHEAD < lines->open_count)
      table_prefetch(&exact->table, lines_hash(lines, lines->open[k + LINES_AHEAD]));
    if (!table_decide_one(exact, lines, lines->open[k], chunk)) {
      lines->count = lines->waiting; /* what was decided is printed */
      return false;
    }
  }
  if (!exact->ended)
    exact->settled += chunk->size;
  if (chunk->refused != 0 && exact->spill.begun)
    table_refuse(exact, chunk);
  lines_tally(lines, exact,
              bits_sum(lines->answers, lines->waiting) - bits_sum(lines->passing, lines->waiting));
  return true;
}

static void table_keep(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;
  struct exact_lines *const lines = &read->exact->lines[thread];

  lines_keep(lines, read->exact, chunk);
  lines->now = chunk->size;
  for (size_t i = lines->waiting; i < lines->count; i++)
    lines->now -= lfb_answer(lines->answers, i) ? lines->records[i].size + 1 : 0;
}

static void table_emit(void *context, unsigned thread, const struct chunk *chunk)
{
  const struct exact_read *read = context;
  const struct exact_lines *const lines = &read->exact->lines[thread];
  const size_t now = lines->now;

  if (now > 0 && read->exact->prints)
    output_write(chunk->bytes, now);
  reads_remember(read->exact, lines, lines->waiting);
  if (chunk->size > now &&
      !spill_add_text(&read->exact->spill, chunk->bytes + now, chunk->size - now))
    output_end_program(CLI_NOT_DONE);
}

bool exact_read_table(struct exact *exact)
{
  return reads_run(exact, "deduplicating", false,
                   (struct records_job){.work = table_ask,
                                        .decide = table_decide,
                                        .finish = table_keep,
                                        .emit = table_emit});
}

/* ---- the first of two reads ----------------------------------------------------------- */

/* Puts a key for which the table has no room among those in doubt.  False after a report. */
static bool claims_doubt(struct exact *exact, uint64_t hash)
{
  /* acquire: another thread may have made the filter. */
  lfb_filter *doubted = atomic_load_explicit(&exact->doubted, memory_order_acquire);

  if (exact_counts(exact))
    return report_false("dedupe: the keys that may be repeated need more memory than --memory "
                        "gives: %s", human_bytes(exact->memory).text);
  if (doubted == NULL) {
    (void)pthread_mutex_lock(&exact->doubting);
    doubted = atomic_load_explicit(&exact->doubted, memory_order_relaxed); /* the lock orders it */
    if (doubted == NULL &&
        fitted_filter(exact->tuning.fpp, exact->tuning.strategy, exact->doubted_bytes * 8 / 12,
                      exact->doubted_bytes, &doubted))
      atomic_store_explicit(&exact->doubted, doubted, memory_order_release);
    (void)pthread_mutex_unlock(&exact->doubting);
  }
  if (doubted != NULL)
    (void)lfb_filter_put_hash(doubted, hash);
  return doubted != NULL;
}

/* Puts the hashes of the lines that did not win into the table, or else among those in doubt. */
static bool claims_lose(struct exact *exact, const struct exact_lines *lines)
{
  for (size_t k = 0; k < lines->open_count; k++) {
    const struct exact_hash hash = lines_hash(lines, lines->open[k]);
    if (k + LINES_AHEAD < lines->open_count)
      table_prefetch(&exact->table, lines_hash(lines, lines->open[k + LINES_AHEAD]));
    if (table_insert(&exact->table, hash, false) == TABLE_FULL && !claims_doubt(exact, hash.low))
      return false;
  }
  return true;
}

static bool claims_work(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;
  struct exact_lines *const lines = &read->exact->lines[thread];

  if (!lines_find(lines, read, chunk))
    return false;
  (void)lfb_filter_claim_many_hash(read->exact->claimed, lines->low, lines->count, lines->answers);
  for (size_t i = 0; i < lines->count; i++)
    if (!lfb_answer(lines->answers, i) && !lfb_answer(lines->passing, i) &&
        !lfb_answer(lines->seen, i))
      lines->open[lines->open_count++] = (uint32_t)i;
  if (!claims_lose(read->exact, lines))
    return false;
  if (chunk->refused != 0) { /* the next read ends there; what comes later need not be claimed */
    chunk->refused = 0;
    atomic_store_explicit(&read->exact->enough, true, memory_order_relaxed);
  }
  return true;
}

bool exact_read_claims(struct exact *exact)
{
  /* Bad lines are counted by this read, which then is one of the whole input. */
  const bool whole = exact->source->bad_lines != KEYS_FAIL;
  if (whole && exact->source->bad != NULL)
    atomic_store_explicit(exact->source->bad, 0, memory_order_relaxed);
  /* Whether an earlier read has warned of CRs. */
  const bool warned = exact_counts(exact) ? exact->source == &exact->stored : whole;
  return reads_run(exact, "reading 1 of 2", false,
                   (struct records_job){
                       .work = claims_work, .crlf = warned, .skip = whole ? 0 : exact->settled});
}

/* ---- the next reads --------------------------------------------------------------------- */

/* Sets the bits of the lines that the filter may contain; without a filter, of all. */
static void again_ask(const lfb_filter *filter, const struct exact_lines *lines, uint64_t *bits)
{
  if (filter != NULL)
    (void)lfb_filter_might_contain_many_hash(filter, lines->low, lines->count, bits);
  else
    memset(bits, 0xff, (lines->count + 63) / 64 * sizeof *bits);
}

/* Opens the lines that the table may have or that are in doubt. */
static void again_open(struct exact_lines *lines)
{
  for (size_t word = 0; 64 * word < lines->count; word++) {
    uint64_t maybe =
        (lines->answers[word] | lines->doubts[word]) & ~lines->passing[word] & ~lines->seen[word];
    for (; maybe != 0; maybe &= maybe - 1) {
      const size_t i = 64 * word + (size_t)__builtin_ctzll(maybe);
      if (i < lines->count)
        lines->open[lines->open_count++] = (uint32_t)i;
    }
  }
}

/* Leaves open the lines that the table has or that are in doubt; the others come once, and are
 * printed if `once`. */
static void again_seek(const struct exact_table *table, struct exact_lines *lines, bool once)
{
  size_t left = 0;

  for (size_t word = 0; 64 * word < lines->count; word++)
    lines->answers[word] = once ? ~lines->seen[word] : lines->passing[word];
  for (size_t k = 0; k < lines->open_count; k++) {
    const uint32_t i = lines->open[k];
    if (k + LINES_AHEAD < lines->open_count)
      table_prefetch(table, lines_hash(lines, lines->open[k + LINES_AHEAD]));
    struct table_slot *slot = table_find(table, lines_hash(lines, i));
    if (slot == NULL && !lfb_answer(lines->doubts, i))
      continue;
    bits_set(lines->answers, i, false);
    lines->slots[left] = slot;
    lines->open[left++] = i;
  }
  lines->open_count = left;
}

/* Finds the lines that have to be decided: they are left open. */
static bool again_work(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;
  const struct exact *const exact = read->exact;
  struct exact_lines *const lines = &read->exact->lines[thread];
  /* relaxed: the threads of the first read are joined. */
  const lfb_filter *doubted = atomic_load_explicit(&exact->doubted, memory_order_relaxed);

  if (!lines_find(lines, read, chunk))
    return false;
  again_ask(exact->listed, lines, lines->answers);
  if (doubted != NULL || read->exact->waiting)
    again_ask(doubted, lines, lines->doubts);
  else
    memset(lines->doubts, 0, (lines->count + 63) / 64 * sizeof *lines->doubts);
  again_open(lines);
  again_seek(&exact->table, lines, exact->which != EXACT_REPEATED);
  return true;
}

static bool again_decide(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;
  struct exact *const exact = read->exact;
  struct exact_lines *const lines = &exact->lines[thread];

  (void)chunk;
  for (size_t k = 0; k < lines->open_count; k++) {
    const size_t i = lines->open[k];
    bool first = false;
    if (lines->slots[k] != NULL)
      first = table_mark(&exact->table, lines->slots[k]);
    else if (!spill_next(&exact->spill, lines_hash(lines, i), &first)) {
      lines->count = i;
      return false;
    }
    bits_set(lines->answers, i, first);
  }
  return true;
}

static void again_keep(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;
  struct exact_lines *const lines = &read->exact->lines[thread];

  const uint64_t printed =
      bits_sum(lines->answers, lines->count) - bits_sum(lines->passing, lines->count);

  if (read->exact->waiting) /* its lines have been counted */
    atomic_fetch_add_explicit(&read->exact->out, printed, memory_order_relaxed);
  else
    lines_tally(lines, read->exact, printed);
  lines_keep(lines, read->exact, chunk);
}

bool exact_read_again(struct exact *exact)
{
  return reads_run(exact, exact->waiting ? "printing" : "reading 2 of 2", true,
                   (struct records_job){.work = again_work,
                                        .decide = again_decide,
                                        .finish = again_keep,
                                        .emit = reads_emit,
                                        .skip = exact->waiting ? 0 : exact->settled});
}

/* Whether a read that prints nothing has ended before this chunk; then its line without a key is
 * none of it. */
static bool reads_have_ended(const struct exact *exact, struct chunk *chunk)
{
  if (exact->ended)
    chunk->refused = 0;
  return exact->ended;
}

/* If the chunk has a line without a key, ends the read there; the last one reports it. */
static bool reads_end_refused(struct exact *exact, struct chunk *chunk)
{
  if (chunk->refused != 0) {
    chunk->refused = 0;
    reads_end(exact);
  }
  return true;
}

static bool doubts_decide(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;
  struct exact *const exact = read->exact;
  const struct exact_lines *const lines = &exact->lines[thread];

  if (reads_have_ended(exact, chunk))
    return true;
  for (size_t k = 0; k < lines->open_count; k++)
    if (lines->slots[k] == NULL &&
        !spill_add(&exact->spill, lines_hash(lines, lines->open[k])))
      return false;
  return reads_end_refused(exact, chunk);
}

static void doubts_keep(void *context, unsigned thread, struct chunk *chunk)
{
  (void)context;
  (void)thread;
  (void)chunk;
}

bool exact_read_doubts(struct exact *exact)
{
  return spill_begin(&exact->spill, false) &&
         reads_run(exact, "reading the lines in doubt", true,
                   (struct records_job){.work = again_work,
                                        .decide = doubts_decide,
                                        .finish = doubts_keep,
                                        .skip = exact->settled});
}

/* ---- with counts ------------------------------------------------------------------------ */

static uint64_t *counts_times(const struct exact *exact, const struct exact_lines *lines, size_t k)
{
  return table_times(&exact->table, lines_hash(lines, lines->open[k]), lines->slots[k]);
}

/* Counts one at a time, in the order of the input, so that what comes after a line without a key is
 * not counted. */
static bool counts_decide(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;
  struct exact *const exact = read->exact;
  const struct exact_lines *const lines = &exact->lines[thread];

  if (reads_have_ended(exact, chunk))
    return true;
  for (size_t k = 0; k < lines->open_count; k++) {
    if (k + LINES_AHEAD < lines->open_count)
      __builtin_prefetch(counts_times(exact, lines, k + LINES_AHEAD), 1);
    ++*counts_times(exact, lines, k);
  }
  return reads_end_refused(exact, chunk);
}

bool exact_read_counts(struct exact *exact)
{
  return reads_run(exact, "counting", true,
                   (struct records_job){
                       .work = again_work, .decide = counts_decide, .finish = doubts_keep});
}

static bool counted_decide(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;
  struct exact *const exact = read->exact;
  struct exact_lines *const lines = &read->exact->lines[thread];

  (void)chunk;
  for (size_t k = 0; k < lines->open_count; k++) {
    const bool once = *counts_times(exact, lines, k) == 1;
    const bool first = table_mark(&exact->table, lines->slots[k]);
    if (first && !once)
      atomic_fetch_add_explicit(&exact->repeated, 1, memory_order_relaxed);
    bits_set(lines->answers, lines->open[k],
             exact->which == EXACT_UNIQUE     ? once
             : exact->which == EXACT_REPEATED ? first && !once
                                              : first);
  }
  return true;
}

static void counted_keep(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;
  struct exact_lines *const lines = &read->exact->lines[thread];

  lines_tally(lines, read->exact,
              bits_sum(lines->answers, lines->count) - bits_sum(lines->passing, lines->count));
  if (!read->exact->numbered)
    lines_keep(lines, read->exact, chunk);
  else if (!lines_number(lines, read->exact))
    output_end_program(CLI_NOT_DONE);
}

bool exact_read_counted(struct exact *exact)
{
  return reads_run(exact, "printing", true,
                   (struct records_job){.work = again_work,
                                        .decide = counted_decide,
                                        .finish = counted_keep,
                                        .emit = reads_emit});
}

/* ---- storing ---------------------------------------------------------------------------- */

/* Cuts the chunk before its first line without a key, which is known by its place here alone. */
static bool store_find_refused(const struct keys_source *source, struct chunk *chunk)
{
  lfb_key records[LINES_BATCH];
  size_t at = 0, found = 1;

  while (found > 0 && chunk->refused == 0) {
    size_t count = found = keys_next(source, chunk, &at, records, LINES_BATCH);
    if (keys_of(source, chunk, records, &count) == NULL)
      return false;
    if (chunk->refused != 0)
      chunk->size = (size_t)((const char *)records[count].bytes - chunk->bytes);
  }
  return true;
}

static bool store_work(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;

  (void)thread;
  if (read->source.bad_lines == KEYS_FAIL && keys_can_be_bad(&read->source) &&
      !store_find_refused(&read->source, chunk))
    return false;
  /* relaxed: all threads are joined before it is read. */
  atomic_fetch_add_explicit(
      &read->exact->stored_keys,
      lines_count(chunk->bytes, chunk->size, keys_delimiter(&read->source), '\n'),
      memory_order_relaxed);
  return true;
}

/* What comes after a line without a key is not stored; it is reported after those before it. */
static bool store_decide(void *context, unsigned thread, struct chunk *chunk)
{
  const struct exact_read *read = context;

  (void)thread;
  if (reads_have_ended(read->exact, chunk))
    chunk->size = 0;
  else if (chunk->refused != 0)
    table_refuse(read->exact, chunk);
  return true;
}

static void store_emit(void *context, unsigned thread, const struct chunk *chunk)
{
  const struct exact_read *read = context;
  const char delimiter = keys_delimiter(&read->source);
  const bool ended = chunk->size == 0 || chunk->bytes[chunk->size - 1] == delimiter;

  (void)thread;
  if (!spill_add_text(&read->exact->spill, chunk->bytes, chunk->size) ||
      (!ended && !spill_add_text(&read->exact->spill, &delimiter, 1)))
    output_end_program(CLI_NOT_DONE);
}

bool exact_read_store(struct exact *exact)
{
  return spill_begin(&exact->spill, true) &&
         reads_run(exact, "storing", false,
                   (struct records_job){.work = store_work,
                                        .decide = store_decide,
                                        .finish = doubts_keep,
                                        .emit = store_emit}) &&
         spill_read_text(&exact->spill);
}
