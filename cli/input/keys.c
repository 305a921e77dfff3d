/* keys.c - reads or counts the keys of a command. */
#include "cli/input/keys.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/human.h"
#include "cli/base/report.h"

char keys_delimiter(const struct keys_source *source)
{
  return source->nul ? '\0' : '\n';
}

static bool keys_read_bad_lines(const char *option, const char *text, void *to)
{
  static const char *const names[] = {
      [KEYS_FAIL] = "fail", [KEYS_PASS] = "pass", [KEYS_SKIP] = "skip"};

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(text, names[i]) == 0) {
      *(enum keys_bad *)to = (enum keys_bad)i;
      return true;
    }
  return report_false("%s '%s': must be fail, pass or skip", option, text);
}

OPTIONS_DEFINE(keys_crlf_row, bool, '\0', "crlf", NULL, NULL,
               "lines end in CR LF: the CR is no part of a key")

OPTIONS_DEFINE(keys_ignore_case_row, bool, 'i', "ignore-case", NULL, NULL,
               "ASCII capitals in keys count as small letters")

OPTIONS_DEFINE(keys_bad_lines_row, enum keys_bad, '\0', "bad-lines", "WHAT", keys_read_bad_lines,
               "at a line without a key: fail (default), pass or skip")

bool keys_can_be_bad(const struct keys_source *source)
{
  return source->part.member_count != 0 || !typed_is_text(source->type);
}

const char *keys_misuse(const struct keys_source *source)
{
  if (source->crlf && source->nul)
    return "--crlf applies to lines: leave out -0";
  if (source->bad_lines == KEYS_PASS && !typed_is_text(source->type))
    return "--bad-lines=pass applies only to keys that are text";
  if (!typed_is_text(source->type) && part_room(&source->part) > 1)
    return "--keys applies to keys of one field";
  return source->part.field_count != 0 && source->part.member_count != 0
             ? "-k and --jsonl cannot be combined"
             : NULL;
}

bool keys_check(const struct keys_source *source, const struct command *command)
{
  const char *misuse = keys_misuse(source);

  if (misuse != NULL)
    return options_misused(command, misuse) != CLI_NOT_DONE;
  if (source->bad_lines != KEYS_FAIL && !keys_can_be_bad(source))
    report_note("note: --bad-lines changes nothing without --jsonl or --keys");
  if (source->part.separation.separated && source->part.field_count == 0)
    report_note("note: -t changes nothing without -k");
  return (source->skipped != NULL || input_check(source->paths, source->path_count)) &&
         input_check_starts(source->paths, source->path_count, keys_delimiter(source));
}

/* Whether a line has nothing but blanks, as JSON has them. */
static bool keys_is_blank(lfb_key line)
{
  const char *at = line.bytes, *const end = at + line.size;

  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
    at++;
  return at == end;
}

size_t keys_next(const struct keys_source *source, const struct chunk *chunk, size_t *at,
                 lfb_key *records, size_t most)
{
  size_t count, left;

  do {
    count = chunk_keys(chunk, keys_delimiter(source), at, records, most);
    if (source->part.member_count == 0)
      return count;
    left = 0;
    for (size_t i = 0; i < count; i++)
      if (!keys_is_blank(records[i]))
        records[left++] = records[i];
  } while (left == 0 && count > 0);
  return left;
}

bool keys_are_records(const struct keys_source *source)
{
  return part_is_whole(&source->part) && !source->crlf && !source->ignore_case &&
         typed_is_text(source->type);
}

/* What the key of a bad line begins with: no other key does, since UTF-8 has no such byte. */
#define KEYS_BAD ((char)0xfe)

bool keys_passes(const struct keys_source *source, lfb_key key)
{
  return source->bad_lines == KEYS_PASS && key.size > 0 && *(const char *)key.bytes == KEYS_BAD;
}

/* The bytes of room for each byte of a record and its delimiter: of its part, of what that is, and
 * of its small letters. */
static size_t keys_room(const struct keys_source *source)
{
  return part_room(&source->part) + (typed_is_text(source->type) ? 0 : (size_t)TYPED_ROOM) +
         source->ignore_case;
}

/* Writes small letters in place of the capitals of ASCII, and leaves all other bytes.  Eight bytes
 * at a time: in each, the highest bit says whether the others are at least 'A', or above 'Z'. */
static void keys_lower(const char *from, size_t size, char *to)
{
  const uint64_t each = UINT64_C(0x0101010101010101);
  uint64_t bytes = 0;

  for (size_t at = 0; at < size; at += sizeof bytes) {
    const size_t some = size - at < sizeof bytes ? size - at : sizeof bytes;
    memcpy(&bytes, from + at, some);
    const uint64_t low = bytes & 0x7f * each;
    const uint64_t capital = (low + (0x80 - 'A') * each) & ~(low + (0x7f - 'Z') * each) & ~bytes &
                             0x80 * each;
    bytes |= capital >> 2;
    memcpy(to + at, &bytes, some);
  }
}

/* Finds the key of one record, without its CR. */
static bool keys_find(const struct keys_source *source, lfb_key record, char *room, lfb_key *key,
                      struct part_problem *problem)
{
  if (source->crlf && record.size > 0 && ((const char *)record.bytes)[record.size - 1] == '\r')
    record.size--;
  *key = record;
  if (!part_is_whole(&source->part) && !part_find(&source->part, record, room, key, problem))
    return false;
  if (source->ignore_case) {
    const char *const bytes = key->bytes, *const line = record.bytes;
    const bool in_line = bytes >= line && bytes <= line + record.size; /* or else in the room */
    char *const lower =
        in_line ? room + (keys_room(source) - 1) * (record.size + 1) : room + (bytes - room);
    keys_lower(key->bytes, key->size, lower);
    key->bytes = lower;
  }
  if (typed_is_text(source->type))
    return true;
  char *const converted = room + part_room(&source->part) * (record.size + 1);
  const char *why = typed_of(source->type, *key, converted, key);
  if (why != NULL)
    (void)snprintf(problem->text, sizeof problem->text, "%s (--keys=%s)", why,
                   typed_name(source->type));
  return why == NULL;
}

/* Counts a bad line.  Returns whether it stays, with a key of its own. */
static bool keys_keeps_bad(const struct keys_source *source, lfb_key record, char *room,
                           lfb_key *key)
{
  if (source->bad != NULL) /* relaxed: read after all threads were joined */
    atomic_fetch_add_explicit(source->bad, 1, memory_order_relaxed);
  room[0] = KEYS_BAD;
  memcpy(room + 1, record.bytes, record.size);
  *key = (lfb_key){room, record.size + 1};
  return source->bad_lines == KEYS_PASS;
}

const lfb_key *keys_of(const struct keys_source *source, struct chunk *chunk, lfb_key *records,
                       size_t *count)
{
  const size_t room_per_byte = keys_room(source);
  struct part_problem problem;
  size_t left = 0;

  if (keys_are_records(source) || *count == 0)
    return records;
  if (!chunk_parts(chunk, room_per_byte * (chunk->size + 1)))
    return NULL;
  for (size_t i = 0; i < *count; i++) {
    const size_t at = (size_t)((const char *)records[i].bytes - chunk->bytes);
    char *const room = chunk->text + room_per_byte * at;
    lfb_key *const key = &chunk->parts[left];
    if (!keys_find(source, records[i], room, key, &problem)) {
      if (source->bad_lines == KEYS_FAIL) {
        chunk_refuse(chunk, keys_delimiter(source), records[i].bytes, problem.text);
        break;
      }
      if (!keys_keeps_bad(source, records[i], room, key))
        continue;
    }
    records[left++] = records[i];
  }
  *count = left;
  return chunk->parts;
}

/* No bar if keys are on the terminal too: they would mix. */
static bool keys_shows_progress(const struct keys_source *source, bool prints)
{
  const bool typed = source->path_count == 0 && isatty(STDIN_FILENO);

  if (source->progress == PROGRESS_AUTO && (typed || (prints && isatty(STDOUT_FILENO))))
    return false;
  return progress_wanted(source->progress);
}

void keys_begin(const struct keys_source *source, const char *label, bool prints)
{
  progress_begin(keys_shows_progress(source, prints), label,
                 input_total_bytes(source->paths, source->path_count), PROGRESS_BYTES);
}

void keys_note_bad(const struct keys_source *source)
{
  const uint64_t bad =
      source->bad == NULL ? 0 : atomic_load_explicit(source->bad, memory_order_relaxed);

  if (bad > 0)
    report_note("%s line%s without a key %s", human_count(bad).text, bad == 1 ? "" : "s",
                source->bad_lines == KEYS_PASS ? "passed" : "skipped");
}
