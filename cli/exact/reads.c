/* reads.c - the reads of `lfbloom dedupe`. */
#include "cli/exact/reads.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/figure.h"
#include "cli/base/human.h"
#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/exact/hashed.h"
#include "cli/exact/seen.h"
#include "cli/filters/fitted.h"

enum { READS_BATCH = 1024 }; /* lines that are found and hashed at once */

bool exact_lines_create(struct exact *exact)
{
  exact->lines = calloc(exact->source->threads, sizeof *exact->lines);
  return exact->lines != NULL || report_false_errno("dedupe");
}

void exact_lines_free(struct exact *exact)
{
  for (unsigned i = 0; exact->lines != NULL && i < exact->source->threads; i++)
    hashed_free(&exact->lines[i]);
  free(exact->lines);
}

/* Adds those of the first lines that have been printed to what later runs leave out. */
static void reads_remember(const struct exact *exact, const struct exact_lines *hashed,
                           const struct walk_lines *lines, size_t count)
{
  for (size_t i = 0; exact->seen != NULL && exact->prints && i < count; i++)
    if (lfb_answer(lines->wanted, i) && !walk_passes(lines, i) &&
        !seen_add(exact->seen, hashed_at(hashed, i)))
      output_end_program(CLI_NOT_DONE);
}

/* Prints what is decided, and stores the lines that wait. */
static void reads_emit(void *context, const struct walk_lines *lines)
{
  struct exact *const exact = context;
  const struct exact_lines *const hashed = &exact->lines[lines->thread];
  const struct chunk *const chunk = lines->chunk;

  if (exact->prints) {
    output_write(hashed->text, hashed->text_size);
    output_write(chunk->bytes, hashed->now);
  }
  reads_remember(exact, hashed, lines, hashed->waiting);
  if (chunk->size > hashed->now && !spill_add_text(&exact->spill, chunk->bytes + hashed->now,
                                                   chunk->size - hashed->now))
    output_end_program(CLI_NOT_DONE);
}

/* Cuts the chunk to the lines that are wanted, of which all but those that wait are printed. */
static void reads_keep(void *context, struct walk_lines *lines)
{
  struct exact *const exact = context;
  struct exact_lines *const hashed = &exact->lines[lines->thread];

  walk_keep(&exact->reading, lines);
  hashed->now = lines->chunk->size;
  for (size_t i = hashed->waiting; i < lines->count; i++)
    hashed->now -= lfb_answer(lines->wanted, i) ? lines->records[i].size + 1 : 0;
}

static void reads_end(struct exact *exact)
{
  exact->ended = true;
  atomic_store_explicit(&exact->enough, true, memory_order_relaxed);
}

/* Reads the input, `again` if an earlier read has counted its bad lines and warned of its CRs. */
static bool reads_run(struct exact *exact, bool again, struct decider decider, struct walk walk)
{
  decider.batch = READS_BATCH;
  decider.emit = walk.prints ? reads_emit : decider.emit;
  exact->reading = *exact->source;
  if (again)
    exact->reading.bad = NULL;
  exact->ended = false;
  atomic_store_explicit(&exact->enough, false, memory_order_relaxed);
  exact->reads++;
  walk.source = &exact->reading;
  walk.decider = &decider;
  walk.context = exact;
  walk.plain = exact->source == &exact->stored;
  walk.crlf |= again;
  walk.enough = &exact->enough;
  return walk_run(&walk);
}

/* ---- the table ---------------------------------------------------------------------- */

/* Inserts the open lines' hashes, and leaves those with at least this answer open.  Returns
 * whether there was room for all. */
static bool table_put(struct exact *exact, const struct exact_lines *hashed,
                      struct walk_lines *lines, enum table_step step, enum table_answer least)
{
  uint8_t answers[TABLE_BATCH];
  size_t left = 0;
  bool room = true;

  for (size_t k = 0, size; k < lines->open_count; k += size) {
    const uint32_t *const open = lines->open + k;
    size = lines->open_count - k < TABLE_BATCH ? lines->open_count - k : (size_t)TABLE_BATCH;
    table_insert_many(&exact->table, hashed->low, hashed->high, open, size, step, answers);
    for (size_t i = 0; i < size; i++) {
      room &= answers[i] != TABLE_FULL;
      if (answers[i] >= least)
        lines->open[left++] = open[i];
    }
  }
  lines->open_count = left;
  return room;
}

/* Inserts the hashes, without marks; what has a mark is a repeat, the others are left open.  A
 * hash of a line that is never decided does no harm: the next read meets it without a mark. */
static bool table_ask(void *context, struct walk_lines *lines)
{
  struct exact *const exact = context;
  struct exact_lines *const hashed = &exact->lines[lines->thread];

  if (!hashed_ask(exact, hashed, lines))
    return false;
  for (size_t i = 0; i < lines->count; i++)
    if (!walk_passes(lines, i) && !lfb_answer(hashed->seen, i))
      walk_open(lines, i);
  /* One thread alone would only search twice. */
  hashed->inserted = exact->reading.threads > 1 &&
                     table_put(exact, hashed, lines, TABLE_MEETS, TABLE_NEW);
  return true;
}

/* The table has no room for line i: from there on the input is read again, or its lines wait. */
static bool table_overflow(struct exact *exact, struct exact_lines *hashed,
                           struct walk_lines *lines, size_t i)
{
  hashed->waiting = i;
  if (!exact->rereadable)
    return spill_begin(&exact->spill, true);
  exact->settled += (uint64_t)((const char *)lines->records[i].bytes - lines->chunk->bytes);
  lines->count = i;
  lines->chunk->refused = 0; /* it is read again */
  reads_end(exact);
  return true;
}

/* Decides line i.  False after a report. */
static bool table_decide_one(struct exact *exact, struct exact_lines *hashed,
                             struct walk_lines *lines, size_t i)
{
  const struct exact_hash hash = hashed_at(hashed, i);
  const enum table_answer answer = table_insert(&exact->table, hash, !exact->spill.begun);

  if (answer == TABLE_FULL && !exact->spill.begun && !table_overflow(exact, hashed, lines, i))
    return false;
  if (exact->ended)
    return true;
  walk_want(lines, i, answer != TABLE_FOUND);
  return answer != TABLE_FULL || spill_add(&exact->spill, hash);
}

/* Decides the open lines, as far as there is room.  False after a report. */
static bool table_decide_open(struct exact *exact, struct exact_lines *hashed,
                              struct walk_lines *lines)
{
  if (hashed->inserted && !exact->spill.begun) {
    (void)table_put(exact, hashed, lines, TABLE_DECIDES, TABLE_NEW);
    for (size_t k = 0; k < lines->open_count; k++)
      walk_want(lines, lines->open[k], true);
    return true;
  }
  for (size_t k = 0; k < lines->open_count && !exact->ended; k++) {
    if (k + TABLE_AHEAD < lines->open_count)
      table_prefetch(&exact->table, hashed_at(hashed, lines->open[k + TABLE_AHEAD]));
    if (!table_decide_one(exact, hashed, lines, lines->open[k]))
      return false;
  }
  return true;
}

/* Those before a line without a key are printed first: it is reported at the end. */
static void table_refuse(struct exact *exact, const struct walk_lines *lines)
{
  exact->refused = *lines->chunk;
  lines->chunk->refused = 0;
  reads_end(exact);
}

static bool table_decide(void *context, struct walk_lines *lines)
{
  struct exact *const exact = context;
  struct exact_lines *const hashed = &exact->lines[lines->thread];

  if (exact->ended) {
    lines->count = hashed->waiting = 0;
    lines->chunk->refused = 0;
    return true;
  }
  if (exact->spill.begun)
    hashed->waiting = 0;
  if (!table_decide_open(exact, hashed, lines)) {
    lines->count = hashed->waiting; /* what was decided is printed */
    return false;
  }
  if (!exact->ended)
    exact->settled += lines->chunk->size;
  if (lines->chunk->refused != 0 && exact->spill.begun)
    table_refuse(exact, lines);
  hashed_tally(exact, lines, hashed->waiting);
  return true;
}

bool exact_read_table(struct exact *exact)
{
  return reads_run(exact, false,
                   (struct decider){.take = hashed_take, .ask = table_ask,
                                    .decide = table_decide, .finish = reads_keep},
                   (struct walk){.label = "deduplicating", .prints = true});
}

/* ---- the first of two reads ----------------------------------------------------------- */

/* Puts a key for which the table has no room among those in doubt.  False after a report. */
static bool claims_doubt(struct exact *exact, uint64_t hash)
{
  /* acquire: another thread may have made the filter. */
  lfb_filter *doubted = atomic_load_explicit(&exact->doubted, memory_order_acquire);

  if (exact_counts(exact))
    return report_false("dedupe: the keys that may be repeated need more memory than --memory %s",
                        human_count(exact->memory).text);
  if (doubted == NULL) {
    (void)pthread_mutex_lock(&exact->doubting);
    doubted = atomic_load_explicit(&exact->doubted, memory_order_relaxed); /* the lock orders it */
    if (doubted == NULL &&
        fitted_filter(exact->tuning.fpp, exact->doubted_bytes * 8 / 12, exact->doubted_bytes,
                      &doubted))
      atomic_store_explicit(&exact->doubted, doubted, memory_order_release);
    (void)pthread_mutex_unlock(&exact->doubting);
  }
  if (doubted != NULL)
    (void)lfb_filter_put_hash(doubted, hash);
  return doubted != NULL;
}

/* Puts the hashes of the lines that did not win into the table, or else among those in doubt. */
static bool claims_ask(void *context, struct walk_lines *lines)
{
  struct exact *const exact = context;
  struct exact_lines *const hashed = &exact->lines[lines->thread];

  if (!hashed_ask(exact, hashed, lines))
    return false;
  if (lines->count > 0)
    (void)lfb_filter_many(exact->claimed, LFB_CLAIM, hashed->low, lines->count, hashed->maybe,
                          LFB_HASH_KEY);
  for (size_t i = 0; i < lines->count; i++)
    if (!lfb_answer(hashed->maybe, i) && !walk_passes(lines, i) && !lfb_answer(hashed->seen, i))
      walk_open(lines, i);
  (void)table_put(exact, hashed, lines, TABLE_NOTES, TABLE_FULL);
  for (size_t k = 0; k < lines->open_count; k++)
    if (!claims_doubt(exact, hashed->low[lines->open[k]]))
      return false;
  if (lines->chunk->refused != 0) { /* the next read ends there: nothing later need be claimed */
    lines->chunk->refused = 0;
    atomic_store_explicit(&exact->enough, true, memory_order_relaxed);
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
  return reads_run(exact, false, (struct decider){.take = hashed_take, .ask = claims_ask},
                   (struct walk){.label = "reading 1 of 2",
                                 .crlf = warned,
                                 .skip = whole ? 0 : exact->settled});
}

/* ---- the next reads --------------------------------------------------------------------- */

/* Sets the bits of the lines that the filter may contain; without a filter, of all or of none. */
static void again_filter(const lfb_filter *filter, const struct exact_lines *hashed, size_t count,
                         uint64_t *bits, bool all)
{
  if (filter != NULL)
    (void)lfb_filter_might_contain_many_hash(filter, hashed->low, count, bits);
  else
    memset(bits, all ? 0xff : 0, (count + 63) / 64 * sizeof *bits);
}

/* Opens the lines that the table may have or that are in doubt. */
static void again_open(const struct exact_lines *hashed, struct walk_lines *lines)
{
  for (size_t word = 0; 64 * word < lines->count; word++) {
    uint64_t maybe =
        (hashed->maybe[word] | hashed->doubts[word]) & ~lines->passing[word] & ~hashed->seen[word];
    for (; maybe != 0; maybe &= maybe - 1) {
      const size_t i = 64 * word + (size_t)__builtin_ctzll(maybe);
      if (i < lines->count)
        walk_open(lines, i);
    }
  }
}

/* Leaves open the lines that are in doubt, and those that the table has without a mark: with one
 * they are repeats.  What it lacks comes once, and is printed if `once`. */
static void again_seek(const struct exact_table *table, struct exact_lines *hashed,
                       struct walk_lines *lines, bool once)
{
  size_t left = 0;

  for (size_t word = 0; once && 64 * word < lines->count; word++)
    lines->wanted[word] = ~hashed->seen[word];
  for (size_t k = 0; k < lines->open_count; k++) {
    const uint32_t i = lines->open[k];
    if (k + TABLE_AHEAD < lines->open_count)
      table_prefetch(table, hashed_at(hashed, lines->open[k + TABLE_AHEAD]));
    struct table_slot *slot = table_find(table, hashed_at(hashed, i));
    if (slot == NULL && !lfb_answer(hashed->doubts, i))
      continue;
    walk_want(lines, i, false);
    if (slot != NULL && table_meet(slot, false)) /* an earlier turn has wanted the first one */
      continue;
    hashed->slots[left] = slot;
    lines->open[left++] = i;
  }
  lines->open_count = left;
}

/* Finds the lines that have to be decided: they are left open. */
static bool again_ask(void *context, struct walk_lines *lines)
{
  const struct exact *const exact = context;
  struct exact_lines *const hashed = &exact->lines[lines->thread];
  /* relaxed: the threads of the first read are joined. */
  const lfb_filter *doubted = atomic_load_explicit(&exact->doubted, memory_order_relaxed);

  if (!hashed_ask(exact, hashed, lines))
    return false;
  if (lines->count == 0)
    return true;
  again_filter(exact->listed, hashed, lines->count, hashed->maybe, true);
  again_filter(doubted, hashed, lines->count, hashed->doubts, exact->waiting);
  again_open(hashed, lines);
  again_seek(&exact->table, hashed, lines, exact->which != EXACT_REPEATED);
  return true;
}

static bool again_decide(void *context, struct walk_lines *lines)
{
  struct exact *const exact = context;
  const struct exact_lines *const hashed = &exact->lines[lines->thread];

  for (size_t k = 0; k < lines->open_count; k++) {
    const size_t i = lines->open[k];
    bool first = false;
    if (hashed->slots[k] != NULL)
      first = !table_meet(hashed->slots[k], true);
    else if (!spill_next(&exact->spill, hashed_at(hashed, i), &first)) {
      lines->count = i;
      return false;
    }
    walk_want(lines, i, first);
  }
  return true;
}

static void again_keep(void *context, struct walk_lines *lines)
{
  struct exact *const exact = context;

  hashed_tally(exact, lines, lines->count);
  if (!exact->numbered)
    reads_keep(exact, lines);
  else if (hashed_number(exact, &exact->lines[lines->thread], lines))
    lines->chunk->size = 0; /* the text is printed instead */
  else
    output_end_program(CLI_NOT_DONE);
}

bool exact_read_again(struct exact *exact)
{
  return reads_run(exact, true,
                   (struct decider){.take = hashed_take, .ask = again_ask,
                                    .decide = again_decide, .finish = again_keep},
                   (struct walk){.label = exact->waiting ? "printing" : "reading 2 of 2",
                                 .prints = true,
                                 .skip = exact->waiting ? 0 : exact->settled});
}

/* Whether a read that prints nothing has ended before this chunk; then its line without a key is
 * none of it. */
static bool reads_have_ended(const struct exact *exact, const struct walk_lines *lines)
{
  if (exact->ended)
    lines->chunk->refused = 0;
  return exact->ended;
}

/* If the chunk has a line without a key, ends the read there; the last one reports it. */
static bool reads_end_refused(struct exact *exact, const struct walk_lines *lines)
{
  if (lines->chunk->refused != 0) {
    lines->chunk->refused = 0;
    reads_end(exact);
  }
  return true;
}

static bool doubts_decide(void *context, struct walk_lines *lines)
{
  struct exact *const exact = context;
  const struct exact_lines *const hashed = &exact->lines[lines->thread];

  if (reads_have_ended(exact, lines))
    return true;
  for (size_t k = 0; k < lines->open_count; k++)
    if (hashed->slots[k] == NULL &&
        !spill_add(&exact->spill, hashed_at(hashed, lines->open[k])))
      return false;
  return reads_end_refused(exact, lines);
}

bool exact_read_doubts(struct exact *exact)
{
  return spill_begin(&exact->spill, false) &&
         reads_run(exact, true,
                   (struct decider){.take = hashed_take, .ask = again_ask, .decide = doubts_decide},
                   (struct walk){.label = "reading the lines in doubt",
                                 .skip = exact->settled});
}

/* ---- with counts ------------------------------------------------------------------------ */

/* How often the key of open line k comes. */
static uint64_t *counts_times(const struct exact *exact, const struct exact_lines *hashed,
                              const struct walk_lines *lines, size_t k)
{
  return table_times(&exact->table, hashed_at(hashed, lines->open[k]), hashed->slots[k]);
}

/* Counts one at a time, in the order of the input, so that what comes after a line without a key is
 * not counted. */
static bool counts_decide(void *context, struct walk_lines *lines)
{
  struct exact *const exact = context;
  const struct exact_lines *const hashed = &exact->lines[lines->thread];

  if (reads_have_ended(exact, lines))
    return true;
  for (size_t k = 0; k < lines->open_count; k++) {
    if (k + TABLE_AHEAD < lines->open_count)
      __builtin_prefetch(counts_times(exact, hashed, lines, k + TABLE_AHEAD), 1);
    ++*counts_times(exact, hashed, lines, k);
  }
  return reads_end_refused(exact, lines);
}

bool exact_read_counts(struct exact *exact)
{
  return reads_run(exact, true,
                   (struct decider){.take = hashed_take, .ask = again_ask, .decide = counts_decide},
                   (struct walk){.label = "counting"});
}

static bool counted_decide(void *context, struct walk_lines *lines)
{
  struct exact *const exact = context;
  const struct exact_lines *const hashed = &exact->lines[lines->thread];

  for (size_t k = 0; k < lines->open_count; k++) {
    const bool once = *counts_times(exact, hashed, lines, k) == 1;
    const bool first = !table_meet(hashed->slots[k], true);
    if (first && !once)
      figure_add(&exact->repeated, 1);
    walk_want(lines, lines->open[k],
              exact->which == EXACT_UNIQUE     ? once
              : exact->which == EXACT_REPEATED ? first && !once
                                               : first);
  }
  return true;
}

bool exact_read_counted(struct exact *exact)
{
  return reads_run(exact, true,
                   (struct decider){.take = hashed_take, .ask = again_ask,
                                    .decide = counted_decide, .finish = again_keep},
                   (struct walk){.label = "printing", .prints = true});
}

/* ---- storing ---------------------------------------------------------------------------- */

/* Cuts the chunk before its first line without a key, which follows those that were found. */
static bool store_ask(void *context, struct walk_lines *lines)
{
  struct exact *const exact = context;
  struct chunk *const chunk = lines->chunk;

  if (chunk->refused != 0)
    chunk->size = (size_t)((const char *)lines->records[lines->count].bytes - chunk->bytes);
  figure_add(&exact->stored_keys, lines->count);
  return true;
}

/* What comes after a line without a key is not stored; it is reported after those before it. */
static bool store_decide(void *context, struct walk_lines *lines)
{
  struct exact *const exact = context;

  if (reads_have_ended(exact, lines))
    lines->chunk->size = 0;
  else if (lines->chunk->refused != 0)
    table_refuse(exact, lines);
  return true;
}

static void store_emit(void *context, const struct walk_lines *lines)
{
  struct exact *const exact = context;
  const struct chunk *const chunk = lines->chunk;
  const char delimiter = keys_delimiter(&exact->reading);
  const bool ended = chunk->size == 0 || chunk->bytes[chunk->size - 1] == delimiter;

  if (!spill_add_text(&exact->spill, chunk->bytes, chunk->size) ||
      (!ended && !spill_add_text(&exact->spill, &delimiter, 1)))
    output_end_program(CLI_NOT_DONE);
}

bool exact_read_store(struct exact *exact)
{
  return spill_begin(&exact->spill, true) &&
         reads_run(exact, false,
                   (struct decider){.ask = store_ask, .decide = store_decide, .emit = store_emit},
                   (struct walk){.label = "storing"}) &&
         spill_read_text(&exact->spill);
}
