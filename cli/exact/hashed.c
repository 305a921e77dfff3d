/* hashed.c - the hashes of a chunk's lines, and the lines with their numbers. */
#include "cli/exact/hashed.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/figure.h"
#include "cli/base/grow.h"
#include "cli/exact/seen.h"

/* Makes room for as many lines as `lines` has. */
static bool hashed_grow(struct exact_lines *hashed, const struct walk_lines *lines)
{
  const struct grow_row rows[] = {
      {&hashed->low, 64 * sizeof *hashed->low},     {&hashed->high, 64 * sizeof *hashed->high},
      {&hashed->slots, 64 * sizeof *hashed->slots}, {&hashed->maybe, sizeof *hashed->maybe},
      {&hashed->seen, sizeof *hashed->seen},        {&hashed->doubts, sizeof *hashed->doubts},
  };

  return grow(rows, sizeof rows / sizeof *rows, &hashed->capacity, lines->capacity);
}

bool hashed_take(void *context, struct walk_lines *lines, size_t first, const lfb_key *keys)
{
  const struct exact *const exact = context;
  struct exact_lines *const hashed = &exact->lines[lines->thread];

  if (!hashed_grow(hashed, lines))
    return false;
  lfb_hash128_many(exact->hash, keys, lines->count - first, hashed->low + first,
                   hashed->high + first);
  return true;
}

bool hashed_ask(const struct exact *exact, struct exact_lines *hashed,
                const struct walk_lines *lines)
{
  hashed->waiting = lines->count;
  hashed->now = hashed->text_size = 0;
  if (lines->count == 0)
    return true;
  if (exact->seen != NULL)
    return seen_ask(exact->seen, hashed->low, hashed->high, lines->count, hashed->doubts,
                    hashed->seen);
  memset(hashed->seen, 0, (lines->count + 63) / 64 * sizeof *hashed->seen);
  return true;
}

void hashed_tally(struct exact *exact, const struct walk_lines *lines, size_t count)
{
  if (!exact->waiting) /* they have been counted */
    figure_add(&exact->in, lines->count - walk_sum(lines->passing, lines->count));
  figure_add(&exact->out, walk_sum(lines->wanted, count) - walk_sum(lines->passing, count));
}

enum { HASHED_NUMBER = 21 }; /* at most: 20 digits and a space */

static bool hashed_add_text(struct exact_lines *hashed, const char *bytes, size_t size)
{
  const struct grow_row row = {&hashed->text, 64};

  if (!grow(&row, 1, &hashed->text_capacity, hashed->text_size + size))
    return false;
  memcpy(hashed->text + hashed->text_size, bytes, size);
  hashed->text_size += size;
  return true;
}

/* Writes a number, at the end of seven columns or of more, and a space. */
static bool hashed_add_number(struct exact_lines *hashed, uint64_t number)
{
  char text[HASHED_NUMBER], *const end = text + HASHED_NUMBER, *at = end;

  *--at = ' ';
  for (; number > 0 || at == end - 1; number /= 10)
    *--at = (char)('0' + number % 10);
  while (end - at < 8)
    *--at = ' ';
  return hashed_add_text(hashed, at, (size_t)(end - at));
}

bool hashed_number(const struct exact *exact, struct exact_lines *hashed,
                   const struct walk_lines *lines)
{
  const char delimiter = keys_delimiter(exact->source);
  size_t open = 0;

  hashed->text_size = 0;
  for (size_t i = 0; i < lines->count; i++) {
    const lfb_key record = lines->records[i];
    const bool is_open = open < lines->open_count && lines->open[open] == i;
    open += is_open;
    if (!lfb_answer(lines->wanted, i))
      continue;
    const uint64_t *const times =
        is_open ? table_times(&exact->table, hashed_at(hashed, i), hashed->slots[open - 1]) : NULL;
    if ((!walk_passes(lines, i) && !hashed_add_number(hashed, times != NULL ? *times : 1)) ||
        !hashed_add_text(hashed, record.bytes, record.size) ||
        !hashed_add_text(hashed, &delimiter, 1))
      return false;
  }
  return true;
}

void hashed_free(struct exact_lines *hashed)
{
  free(hashed->low);
  free(hashed->high);
  free(hashed->maybe);
  free(hashed->seen);
  free(hashed->doubts);
  free((void *)hashed->slots);
  free(hashed->text);
  *hashed = (struct exact_lines){0};
}
