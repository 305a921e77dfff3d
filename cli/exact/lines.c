/* exact_lines.c - the lines of a chunk: found, hashed and kept. */
#include "cli/exact/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/grow.h"
#include "cli/base/report.h"
#include "cli/exact/seen.h"
#include "cli/input/kept.h"

uint64_t bits_sum(const uint64_t *bits, size_t count)
{
  uint64_t sum = 0;

  for (size_t i = 0; i < count / 64; i++)
    sum += (uint64_t)__builtin_popcountll(bits[i]);
  if (count % 64 > 0)
    sum += (uint64_t)__builtin_popcountll(bits[count / 64] & ((UINT64_C(1) << (count % 64)) - 1));
  return sum;
}

bool exact_lines_create(struct exact *exact)
{
  exact->lines = calloc(exact->source->threads, sizeof *exact->lines);
  return exact->lines != NULL ||
         report_false("cannot start %u threads: %s; give fewer --threads", exact->source->threads,
                      strerror(errno));
}

static void lines_free(struct exact_lines *lines)
{
  free(lines->records);
  free(lines->low);
  free(lines->high);
  free(lines->answers);
  free(lines->passing);
  free(lines->seen);
  free(lines->doubts);
  free(lines->open);
  free((void *)lines->slots);
  free(lines->text);
  *lines = (struct exact_lines){0};
}

void exact_lines_free(struct exact *exact)
{
  for (unsigned i = 0; exact->lines != NULL && i < exact->source->threads; i++)
    lines_free(&exact->lines[i]);
  free(exact->lines);
}

/* Makes room for a batch more. */
static bool lines_grow(struct exact_lines *lines)
{
  const struct grow_row rows[] = {
      {&lines->records, 64 * sizeof *lines->records}, {&lines->low, 64 * sizeof *lines->low},
      {&lines->high, 64 * sizeof *lines->high},       {&lines->open, 64 * sizeof *lines->open},
      {&lines->slots, 64 * sizeof *lines->slots},     {&lines->answers, sizeof *lines->answers},
      {&lines->passing, sizeof *lines->passing},      {&lines->seen, sizeof *lines->seen},
      {&lines->doubts, sizeof *lines->doubts},
  };

  return grow(rows, sizeof rows / sizeof *rows, &lines->capacity, lines->count + LINES_BATCH);
}

/* Finds the next batch of lines and hashes their keys.  `*found` is how many records there were.
 * False after a report. */
static bool lines_find_batch(struct exact_lines *lines, const struct exact_read *read,
                             struct chunk *chunk, size_t *at, size_t *found)
{
  const size_t first = lines->count;

  if (!lines_grow(lines))
    return false;
  *found = keys_next(&read->source, chunk, at, lines->records + first, LINES_BATCH);
  size_t count = *found;
  const lfb_key *keys = keys_of(&read->source, chunk, lines->records + first, &count);
  if (keys == NULL)
    return false;
  if (count > 0)
    lfb_hash128_many(read->exact->hash, keys, count, lines->low + first, lines->high + first);
  for (size_t i = 0; read->source.bad_lines == KEYS_PASS && i < count; i++)
    bits_set(lines->passing, first + i, keys_passes(&read->source, keys[i]));
  lines->count += count;
  return true;
}

static void lines_begin(struct exact_lines *lines)
{
  lines->count = lines->open_count = lines->now = lines->text_size = 0;
}

/* What follows from all lines of a chunk. */
static bool lines_end(struct exact_lines *lines, const struct exact_read *read)
{
  const size_t size = (lines->count + 63) / 64 * sizeof *lines->passing;

  lines->waiting = lines->count;
  if (lines->count == 0)
    return true;
  if (read->source.bad_lines != KEYS_PASS)
    memset(lines->passing, 0, size);
  memcpy(lines->answers, lines->passing, size);
  if (read->exact->seen != NULL)
    return seen_ask(read->exact->seen, lines->low, lines->high, lines->count, lines->doubts,
                    lines->seen);
  memset(lines->seen, 0, size);
  return true;
}

bool lines_find(struct exact_lines *lines, const struct exact_read *read, struct chunk *chunk)
{
  size_t at = 0, found = 1;
  bool well = true;

  lines_begin(lines);
  while (well && found > 0 && chunk->refused == 0)
    well = lines_find_batch(lines, read, chunk, &at, &found);
  if (well && lines_end(lines, read))
    return true;
  chunk->size = 0;
  lines_begin(lines);
  return false;
}

void lines_tally(const struct exact_lines *lines, struct exact *exact, uint64_t printed)
{
  const uint64_t passing = bits_sum(lines->passing, lines->count);

  /* relaxed: all threads are joined before they are read. */
  atomic_fetch_add_explicit(&exact->in, lines->count - passing, memory_order_relaxed);
  atomic_fetch_add_explicit(&exact->out, printed, memory_order_relaxed);
}

void lines_keep(const struct exact_lines *lines, const struct exact *exact,
                       struct chunk *chunk)
{
  struct kept kept = kept_begin(chunk, keys_delimiter(exact->source));

  kept_add(&kept, lines->records, lines->count, lines->answers, true);
  kept_end(&kept);
}

enum { LINES_NUMBER = 21 }; /* at most: 20 digits and a space */

static bool lines_add_text(struct exact_lines *lines, const char *bytes, size_t size)
{
  const struct grow_row row = {&lines->text, 64};

  if (!grow(&row, 1, &lines->text_capacity, lines->text_size + size))
    return false;
  memcpy(lines->text + lines->text_size, bytes, size);
  lines->text_size += size;
  return true;
}

/* Writes a number, at the end of seven columns or of more, and a space. */
static bool lines_add_number(struct exact_lines *lines, uint64_t number)
{
  char text[LINES_NUMBER], *const end = text + LINES_NUMBER, *at = end;

  *--at = ' ';
  for (; number > 0 || at == end - 1; number /= 10)
    *--at = (char)('0' + number % 10);
  while (end - at < 8)
    *--at = ' ';
  return lines_add_text(lines, at, (size_t)(end - at));
}

bool lines_number(struct exact_lines *lines, const struct exact *exact)
{
  const char delimiter = keys_delimiter(exact->source);
  size_t open = 0;

  lines->text_size = 0;
  for (size_t i = 0; i < lines->count; i++) {
    const lfb_key record = lines->records[i];
    const bool is_open = open < lines->open_count && lines->open[open] == i;
    open += is_open;
    if (!lfb_answer(lines->answers, i))
      continue;
    const uint64_t *const times =
        is_open ? table_times(&exact->table, lines_hash(lines, i), lines->slots[open - 1]) : NULL;
    if ((!lfb_answer(lines->passing, i) && !lines_add_number(lines, times != NULL ? *times : 1)) ||
        !lines_add_text(lines, record.bytes, record.size) || !lines_add_text(lines, &delimiter, 1))
      return false;
  }
  return true;
}
