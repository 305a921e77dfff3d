/* exact_units.c - the units of text that `lfbloom dedupe --unit` removes. */
#define _GNU_SOURCE /* memrchr */
#include "cli/exact_units.h"

#include <stdio.h>
#include <string.h>

#include "cli/grow.h"
#include "cli/member.h"

/* Of the numbers of units: it is a paragraph, not blanks. */
#define UNITS_PARAGRAPH (UINT32_C(1) << 31)

static uint32_t units_count(uint32_t paragraph)
{
  return paragraph & ~UNITS_PARAGRAPH;
}

static bool units_is_blank(char byte)
{
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* The keys that are hashed next. */
struct units_batch {
  struct exact_lines *lines;
  const struct exact *exact;
  lfb_key keys[LINES_BATCH];
  size_t count;
};

static bool units_hash(struct units_batch *batch)
{
  struct exact_lines *const lines = batch->lines;

  if (!lines_grow(lines))
    return false;
  if (batch->count > 0)
    lfb_wide_many(batch->exact->hash, batch->keys, batch->count, lines->low + lines->count,
                  lines->high + lines->count);
  lines->count += batch->count;
  batch->count = 0;
  return true;
}

static bool units_add(struct units_batch *batch, lfb_key key)
{
  batch->keys[batch->count++] = key;
  return batch->count < LINES_BATCH || units_hash(batch);
}

/* Adds the n-grams of a paragraph: its words with one space between them. */
static bool units_add_ngrams(struct units_batch *batch, lfb_key paragraph, uint32_t *count)
{
  struct exact_lines *const lines = batch->lines;
  const size_t words_each = batch->exact->ngram;
  const char *at = paragraph.bytes, *const end = at + paragraph.size;
  size_t starts[UNITS_NGRAM], words = 0;

  if (!grow_array(&lines->words, &lines->words_capacity, paragraph.size + 1, 1))
    return false;
  for (char *to = lines->words;; *to++ = ' ', words++) {
    while (at < end && units_is_blank(*at))
      at++;
    if (at == end)
      break;
    starts[words % words_each] = (size_t)(to - lines->words);
    while (at < end && !units_is_blank(*at))
      *to++ = *at++;
    if (words + 1 < words_each)
      continue;
    const char *const from = lines->words + starts[(words + 1) % words_each];
    if (!units_add(batch, (lfb_key){from, (size_t)(to - from)}))
      return false;
    ++*count;
  }
  return units_hash(batch); /* the next paragraph takes the place of its words */
}

/* Adds a paragraph, or its n-grams. */
static bool units_add_paragraph(struct units_batch *batch, lfb_key paragraph)
{
  struct exact_lines *const lines = batch->lines;
  const char *at = paragraph.bytes, *const end = at + paragraph.size;
  uint32_t count = 0;

  if (!grow_array(&lines->paragraphs, &lines->paragraph_capacity, lines->paragraph_count + 1,
                  sizeof *lines->paragraphs))
    return false;
  while (at < end && units_is_blank(*at))
    at++;
  if (at < end && batch->exact->unit == EXACT_NGRAM && !units_add_ngrams(batch, paragraph, &count))
    return false;
  if (at < end && batch->exact->unit == EXACT_PARAGRAPH) {
    count = 1;
    if (!units_add(batch, paragraph))
      return false;
  }
  lines->paragraphs[lines->paragraph_count++] = count | (at < end ? UNITS_PARAGRAPH : 0);
  return true;
}

/* The paragraph that begins at `from`: of a member it ends at a newline. */
static lfb_key units_paragraph(const struct exact *exact, const char *from, const char *end)
{
  const size_t size = (size_t)(end - from);
  const char *const stop = exact->source->part.member_count > 0 ? memchr(from, '\n', size) : NULL;

  return (lfb_key){from, stop != NULL ? (size_t)(stop - from) : size};
}

/* Adds the paragraphs of a record. */
static bool units_add_record(struct units_batch *batch, lfb_key record, lfb_key text)
{
  struct exact_lines *const lines = batch->lines;
  const char *at = text.bytes, *const end = at + text.size;
  const size_t first = lines->paragraph_count;

  if (!grow_array(&lines->texts, &lines->text_count_capacity, lines->text_count + 1, sizeof *lines->texts))
    return false;
  for (bool more = !keys_passes(batch->exact->source, text); more;) {
    const lfb_key paragraph = units_paragraph(batch->exact, at, end);
    if (!units_add_paragraph(batch, paragraph))
      return false;
    at += paragraph.size + 1;
    more = at <= end; /* after a newline there is one more, maybe of no bytes */
  }
  lines->texts[lines->text_count++] = (struct exact_text){record, lines->paragraph_count - first};
  return true;
}

bool units_find(struct exact_lines *lines, const struct exact_read *read, struct chunk *chunk)
{
  struct units_batch batch = {.lines = lines, .exact = read->exact};
  lfb_key records[LINES_BATCH];
  size_t at = 0, found = 1;

  lines_begin(lines);
  lines->text_count = lines->paragraph_count = 0;
  while (found > 0 && chunk->refused == 0) {
    size_t count = found = keys_next(&read->source, chunk, &at, records, LINES_BATCH);
    const lfb_key *const texts = keys_of(&read->source, chunk, records, &count);
    bool added = texts != NULL;
    for (size_t i = 0; added && i < count; i++)
      added = units_add_record(&batch, records[i], texts[i]);
    if (!added || !units_hash(&batch))
      return false;
  }
  return lines_end(lines, read);
}

void units_decide(struct exact_lines *lines, struct exact_table *table)
{
  size_t from = 0, to = 0, end = 0;

  for (size_t i = 0; i < lines->paragraph_count; i++) {
    end += units_count(lines->paragraphs[i]);
    for (; to < lines->open_count && lines->open[to] < end; to++)
      bits_set(lines->answers, lines->open[to], !table_is_marked(lines->slots[to]));
    for (; from < to; from++)
      (void)table_mark(table, lines->slots[from]);
  }
}

/* ---- writing ------------------------------------------------------------------------------ */

/* A record that is written. */
struct units_writing {
  struct exact_lines *lines;
  const struct exact *exact;
  const struct exact_text *text;
  const uint32_t *paragraphs; /* of the record */
  size_t unit;                /* its first one */
};

/* Whether a paragraph, the first unit of which is `unit`, goes. */
static bool units_goes(const struct units_writing *writing, size_t unit, uint32_t paragraph)
{
  const uint32_t count = units_count(paragraph);
  uint64_t kept = 0;

  for (size_t i = unit; i < unit + count; i++)
    kept += lfb_answer(writing->lines->answers, i);
  return 5 * (count - kept) > 4 * (uint64_t)count; /* more than 0.80 */
}

/* Where the next newline of a JSON string is, and its size: \n or \u000a; at the end, where that is, and 0. */
static size_t units_newline(const char **at, const char *end)
{
  const char *escape;

  for (; (escape = memchr(*at, '\\', (size_t)(end - *at))) != NULL; *at = escape + 2) {
    *at = escape;
    if (escape[1] == 'n')
      return 2;
    if (end - escape >= 6 && (memcmp(escape, "\\u000a", 6) == 0 || memcmp(escape, "\\u000A", 6) == 0))
      return 6;
  }
  *at = end;
  return 0;
}

/* Writes the record without the paragraphs that go.  `value` is the text between its quotes. */
static bool units_write_rest(const struct units_writing *writing, lfb_key value)
{
  const lfb_key record = writing->text->record;
  const char *at = value.bytes, *const end = at + value.size, *const start = record.bytes;
  size_t unit = writing->unit;
  bool goes = false, any = false;

  if (!lines_add_text(writing->lines, start, (size_t)(at - start)))
    return false;
  const char *from = at; /* of the newline before the paragraph, but for the first one */
  for (size_t i = 0; i < writing->text->paragraphs; i++) {
    const char *const paragraph = at;
    const size_t newline = units_newline(&at, end);
    if ((writing->paragraphs[i] & UNITS_PARAGRAPH) != 0) /* blank ones go with the one before */
      goes = units_goes(writing, unit, writing->paragraphs[i]);
    unit += units_count(writing->paragraphs[i]);
    const char *const first = any ? from : paragraph;
    if (!goes && !lines_add_text(writing->lines, first, (size_t)(at - first)))
      return false;
    any |= !goes;
    from = at;
    at += newline;
  }
  return lines_add_text(writing->lines, end, (size_t)(start + record.size - end));
}

static size_t units_characters(const char *bytes, size_t size)
{
  size_t count = 0;

  for (size_t i = 0; i < size; i++)
    count += ((unsigned char)bytes[i] & 0xc0) != 0x80;
  return count;
}

/* Writes the record with one more member: where the paragraphs are that would go, in characters of the text. */
static bool units_write_places(const struct units_writing *writing, lfb_key value)
{
  static const char name[] = ", \"duplicate_spans\": [";
  const lfb_key record = writing->text->record;
  const char *const start = record.bytes, *const end = memrchr(start, '}', record.size);
  const char *at = value.bytes, *const stop = at + value.size;
  size_t unit = writing->unit, character = 0;
  const char *before = "";
  char place[64];

  if (!lines_add_text(writing->lines, start, (size_t)(end - start)) ||
      !lines_add_text(writing->lines, name, sizeof name - 1))
    return false;
  for (size_t i = 0; i < writing->text->paragraphs; i++) {
    const lfb_key paragraph = units_paragraph(writing->exact, at, stop);
    const size_t size = units_characters(paragraph.bytes, paragraph.size);
    if (units_goes(writing, unit, writing->paragraphs[i])) {
      const int some = snprintf(place, sizeof place, "%s[%zu, %zu]", before, character, character + size);
      before = ", ";
      if (!lines_add_text(writing->lines, place, (size_t)some))
        return false;
    }
    unit += units_count(writing->paragraphs[i]);
    character += size + 1;
    at += paragraph.size + 1;
  }
  return lines_add_text(writing->lines, "]", 1) &&
         lines_add_text(writing->lines, end, (size_t)(start + record.size - end));
}

static bool units_write_whole(const struct units_writing *writing)
{
  const lfb_key record = writing->text->record;

  return lines_add_text(writing->lines, record.bytes, record.size) && lines_add_text(writing->lines, "\n", 1);
}

/* Writes a record from which some paragraphs go, or all. */
static bool units_write_changed(const struct units_writing *writing, bool all)
{
  const lfb_key record = writing->text->record;
  const bool plain = writing->exact->source->part.member_count == 0;
  struct exact_lines *const lines = writing->lines;
  struct member member;

  if (plain)
    return all || units_write_whole(writing);
  if (!grow_array(&lines->words, &lines->words_capacity, record.size + 1, 1))
    return false;
  if (member_find(writing->exact->source->part.members[0], record, lines->words, &member) != MEMBER_FOUND ||
      !member.is_string) /* a number is a text, of which nothing can go */
    return units_write_whole(writing);
  if (all && !writing->exact->annotates)
    return true;
  return (writing->exact->annotates ? units_write_places(writing, member.value)
                                    : units_write_rest(writing, member.raw)) &&
         lines_add_text(lines, "\n", 1);
}

/* Writes one record, unless nothing is left of it. */
static bool units_write_one(const struct units_writing *writing, struct exact *exact)
{
  const struct exact_text *const text = writing->text;
  uint64_t in = 0, out = 0;
  size_t unit = writing->unit;

  for (size_t i = 0; i < text->paragraphs; unit += units_count(writing->paragraphs[i++])) {
    const bool is_one = (writing->paragraphs[i] & UNITS_PARAGRAPH) != 0;
    in += is_one;
    out += is_one && !units_goes(writing, unit, writing->paragraphs[i]);
  }
  /* relaxed: all threads are joined before they are read. */
  atomic_fetch_add_explicit(&exact->in, in, memory_order_relaxed);
  atomic_fetch_add_explicit(&exact->out, out, memory_order_relaxed);
  return text->paragraphs > 0 && (exact->annotates || out < in) ? units_write_changed(writing, out == 0)
                                                                : units_write_whole(writing);
}

bool units_write(struct exact_lines *lines, struct exact *exact)
{
  struct units_writing writing = {.lines = lines, .exact = exact, .paragraphs = lines->paragraphs};

  for (size_t i = 0; i < lines->text_count; i++) {
    size_t units = 0;
    writing.text = &lines->texts[i];
    for (size_t j = 0; j < writing.text->paragraphs; j++)
      units += units_count(writing.paragraphs[j]);
    if (writing.unit + units > lines->count)
      break; /* deciding has failed there */
    if (!units_write_one(&writing, exact))
      return false;
    writing.unit += units;
    writing.paragraphs += writing.text->paragraphs;
  }
  return true;
}
