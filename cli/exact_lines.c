/* exact_lines.c - the lines of a chunk: found, hashed and kept. */
#include "cli/exact_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/kept.h"
#include "cli/report.h"
#include "cli/seen.h"

enum { LINES_BATCH = 1024 }; /* records that are found and hashed at once */

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
  if (exact->lines == NULL)
    (void)report_error("cannot start %u threads: %s; give fewer --threads", exact->source->threads,
                       strerror(errno));
  return exact->lines != NULL;
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

/* Grows an array; it stays if there is no memory. */
static bool lines_grow_array(void *array, size_t capacity, size_t size)
{
  void *before;

  memcpy(&before, array, sizeof before); /* a pointer of any type */
  void *grown = realloc(before, capacity * size);
  if (grown != NULL)
    memcpy(array, &grown, sizeof grown);
  return grown != NULL;
}

/* Makes room for the batch that is found next. */
static bool lines_grow(struct exact_lines *lines)
{
  const size_t needed = lines->count + LINES_BATCH;
  size_t capacity = lines->capacity == 0 ? 8 * (size_t)LINES_BATCH : lines->capacity;

  if (needed <= lines->capacity)
    return true;
  while (capacity < needed)
    capacity *= 2; /* no overflow: `needed` is at most the bytes in memory and a batch */
  const size_t words = capacity / 64 * sizeof(uint64_t);
  if (!lines_grow_array(&lines->records, capacity, sizeof *lines->records) ||
      !lines_grow_array(&lines->low, capacity, sizeof *lines->low) ||
      !lines_grow_array(&lines->high, capacity, sizeof *lines->high) ||
      !lines_grow_array(&lines->open, capacity, sizeof *lines->open) ||
      !lines_grow_array(&lines->slots, capacity, sizeof *lines->slots) ||
      !lines_grow_array(&lines->answers, words, 1) ||
      !lines_grow_array(&lines->passing, words, 1) || !lines_grow_array(&lines->seen, words, 1) ||
      !lines_grow_array(&lines->doubts, words, 1)) {
    (void)report_error("dedupe: %zu lines at once: %s", needed, strerror(errno));
    return false;
  }
  lines->capacity = capacity;
  return true;
}

/* Finds the next batch of lines and hashes their keys.  `*found` is how many records there were.  False
 * after a report. */
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
    lfb_wide_many(read->exact->hash, keys, count, lines->low + first, lines->high + first);
  for (size_t i = 0; read->source.bad_lines == KEYS_PASS && i < count; i++)
    bits_set(lines->passing, first + i, keys_passes(&read->source, keys[i]));
  lines->count += count;
  return true;
}

bool lines_find(struct exact_lines *lines, const struct exact_read *read,
                       struct chunk *chunk)
{
  size_t at = 0, found = 1;

  lines->count = lines->open_count = lines->now = lines->text_size = 0;
  while (found > 0 && chunk->refused == 0)
    if (!lines_find_batch(lines, read, chunk, &at, &found)) {
      chunk->size = 0;
      return false;
    }
  if (read->source.bad_lines != KEYS_PASS)
    memset(lines->passing, 0, (lines->count + 63) / 64 * sizeof *lines->passing);
  memcpy(lines->answers, lines->passing, (lines->count + 63) / 64 * sizeof *lines->answers);
  lines->waiting = lines->count;
  if (read->exact->seen == NULL)
    memset(lines->seen, 0, (lines->count + 63) / 64 * sizeof *lines->seen);
  else if (!seen_ask(read->exact->seen, lines->low, lines->high, lines->count, lines->doubts, lines->seen)) {
    chunk->size = 0;
    return false;
  }
  return true;
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

/* Makes room for a number, a line and its delimiter. */
static bool lines_grow_text(struct exact_lines *lines, size_t size)
{
  const size_t needed = lines->text_size + LINES_NUMBER + size + 1;
  size_t capacity = lines->text_capacity == 0 ? 1U << 20 : lines->text_capacity;

  if (needed <= lines->text_capacity)
    return true;
  while (capacity < needed)
    capacity *= 2;
  if (!lines_grow_array(&lines->text, capacity, 1)) {
    (void)report_error("dedupe: %zu bytes of lines at once: %s", needed, strerror(errno));
    return false;
  }
  lines->text_capacity = capacity;
  return true;
}

/* Writes a number, at the end of seven columns or of more, and a space. */
static void lines_add_number(struct exact_lines *lines, uint64_t number)
{
  char text[LINES_NUMBER], *const end = text + LINES_NUMBER, *at = end;

  *--at = ' ';
  for (; number > 0 || at == end - 1; number /= 10)
    *--at = (char)('0' + number % 10);
  while (end - at < 8)
    *--at = ' ';
  memcpy(lines->text + lines->text_size, at, (size_t)(end - at));
  lines->text_size += (size_t)(end - at);
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
    if (!bits_get(lines->answers, i))
      continue;
    if (!lines_grow_text(lines, record.size))
      return false;
    if (!bits_get(lines->passing, i))
      lines_add_number(lines, is_open ? *table_times(&exact->table, lines_hash(lines, i),
                                                     lines->slots[open - 1])
                                      : 1);
    memcpy(lines->text + lines->text_size, record.bytes, record.size);
    lines->text_size += record.size;
    lines->text[lines->text_size++] = delimiter;
  }
  return true;
}
