/* notes.c - writes notes, and deletes the keys that are no longer needed. */
#include "redis/source/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  NOTE_AT_ONCE = 64,                          /* keys deleted per turn             */
  NOTE_FIELD = LFB_TOKEN_SIZE + sizeof "d:",  /* bytes of a field's name, with NUL */
  NOTE_VALUE = 2 * LFB_WIRE_DIGITS + 2,
};

static const char kinds[LFB_NOTE_KINDS] = {[LFB_NOTE_FILTER] = 'f', [LFB_NOTE_DELTA] = 'd'};

static lfb_key note_field(const lfb_note *note, char buffer[NOTE_FIELD])
{
  (void)snprintf(buffer, NOTE_FIELD, "%c:%s", kinds[note->kind], note->token.text);
  return lfb_text(buffer);
}

/* ---- writing ----------------------------------------------------------------- */

static lfb_status note_done(void *context, const redisReply *reply, bool again)
{
  (void)context, (void)again;
  return lfb_editions_expect(reply, REDIS_REPLY_INTEGER);
}

lfb_status lfb_note_write(lfb_link *link, const lfb_editions *editions, const lfb_note *note)
{
  char field[NOTE_FIELD], value[NOTE_VALUE];

  (void)snprintf(value, sizeof value, "%llu %llu", (unsigned long long)note->number,
                 (unsigned long long)note->parts);
  return lfb_ask(
      link, note_done, NULL,
      LFB_ARGS(lfb_text("HSET"), editions->notes, note_field(note, field), lfb_text(value)));
}

/* ---- deleting ---------------------------------------------------------------- */

/* The keys that a note names: first the parts, then the key under the filter's own name. */
typedef struct note_keys {
  const lfb_editions *editions;
  const lfb_note *note;
} note_keys;

static uint16_t note_unlink(void *context, uint64_t i, lfb_wire *wire)
{
  const note_keys *keys = context;
  const lfb_note *note = keys->note;
  char name[LFB_EDITION_NAME], buffer[LFB_PART_NAME_SIZE];
  lfb_key key;

  lfb_edition_name(keys->editions, &note->token, name);
  if (note->kind == LFB_NOTE_DELTA)
    key = lfb_edition_delta_key(keys->editions, &note->token, buffer);
  else if (i < note->parts)
    key = (lfb_key){buffer, lfb_part_name(&lfb_redis_layout_fast, lfb_text(name), i, buffer)};
  else
    key = lfb_text(name);
  return lfb_ask_write(wire, LFB_ARGS(lfb_text("UNLINK"), key));
}

static lfb_status note_unlinked(void *context, uint64_t i, const redisReply *reply, bool again)
{
  (void)i;
  return note_done(context, reply, again);
}

static lfb_status note_clear(lfb_link *link, const lfb_editions *editions, const lfb_note *note)
{
  note_keys keys = {editions, note};

  return lfb_ask_in_turns(
      link, &(lfb_job){note->parts + 1, note_unlink, note_unlinked, &keys}, NOTE_AT_ONCE);
}

static lfb_status note_forget(lfb_link *link, const lfb_editions *editions, const lfb_note *note)
{
  char field[NOTE_FIELD];

  return lfb_ask(link, note_done, NULL,
                 LFB_ARGS(lfb_text("HDEL"), editions->notes, note_field(note, field)));
}

lfb_status lfb_note_discard(lfb_link *link, const lfb_editions *editions, const lfb_note *note)
{
  const lfb_status status = note_clear(link, editions, note);
  return status == LFB_OK ? note_forget(link, editions, note) : status;
}

/* ---- reading ----------------------------------------------------------------- */

typedef struct notes {
  lfb_note *all;
  size_t count;
} notes;

/* Parses an untrusted note.  Returns false if it is not a note; it is then left on the server. */
static bool note_read(lfb_key field, lfb_key value, lfb_note *note)
{
  const char *name = field.bytes;
  const char *space = value.size == 0 ? NULL : memchr(value.bytes, ' ', value.size);

  if (field.size < 2 || name[1] != ':' || space == NULL)
    return false;
  note->kind = LFB_NOTE_FILTER;
  while (note->kind < LFB_NOTE_KINDS && kinds[note->kind] != name[0])
    note->kind++;
  const size_t before = (size_t)(space - (const char *)value.bytes);
  return note->kind < LFB_NOTE_KINDS && lfb_token_read(name + 2, field.size - 2, &note->token) &&
         lfb_wire_read_digits(value.bytes, before, LFB_EDITION_MOST, &note->number) &&
         lfb_wire_read_digits(space + 1, value.size - before - 1, LFB_MOST_PARTS, &note->parts);
}

static lfb_status notes_taken(void *context, const redisReply *reply, bool again)
{
  notes *taken = context;
  const lfb_status status = lfb_editions_expect(reply, REDIS_REPLY_ARRAY);

  (void)again;
  if (status != LFB_OK || reply->elements < 2)
    return status;
  taken->all = malloc(reply->elements / 2 * sizeof *taken->all);
  if (taken->all == NULL)
    return LFB_ERROR_NO_MEMORY;
  for (size_t i = 0; i + 1 < reply->elements; i += 2)
    taken->count += note_read(lfb_reply_bytes(reply->element[i]),
                              lfb_reply_bytes(reply->element[i + 1]), &taken->all[taken->count]);
  return LFB_OK;
}

static lfb_status notes_take(lfb_link *link, const lfb_editions *editions, notes *taken)
{
  *taken = (notes){NULL, 0};
  return lfb_ask(link, notes_taken, taken, LFB_ARGS(lfb_text("HGETALL"), editions->notes));
}

/* ---- sweeping ---------------------------------------------------------------- */

/* What a sweep does: keep the keys and the note, delete the keys, or delete both. */
typedef enum note_fate { NOTE_STAYS, NOTE_CLEARED, NOTE_DISCARDED } note_fate;

/* Whether an edition needs the keys of a note.  `age` is 1 for the newest. */
static bool note_is_needed(const lfb_note *note, const lfb_edition *edition, size_t age,
                           uint32_t keep)
{
  return note->kind == LFB_NOTE_DELTA ? lfb_token_is(&edition->token, &note->token)
                                      : age <= keep && lfb_token_is(&edition->base, &note->token);
}

static note_fate note_fate_of(const lfb_note *note, const lfb_edition_list *list, uint32_t keep)
{
  const uint64_t newest = list->count == 0 ? 0 : list->all[list->count - 1].number;
  bool published = false;

  for (size_t i = 0; i < list->count; i++) {
    if (note_is_needed(note, &list->all[i], list->count - i, keep))
      return NOTE_STAYS;
    published |= lfb_token_is(&list->all[i].token, &note->token);
  }
  if (note->number > newest)
    return NOTE_STAYS; /* its publisher may still publish it */
  return published || newest - note->number >= LFB_NOTES_LATE ? NOTE_DISCARDED : NOTE_CLEARED;
}

static lfb_status notes_sweep(lfb_link *link, const lfb_editions *editions, uint32_t keep,
                              const notes *taken)
{
  lfb_edition_list list;

  /* The list is read after the notes.  An edition with one of these notes, and with a number up to
   * the newest's, is in this list or will never be in it. */
  lfb_status status = lfb_editions_from(link, editions, 0, &list);
  for (size_t i = 0; i < taken->count && status == LFB_OK; i++) {
    const note_fate fate = note_fate_of(&taken->all[i], &list, keep);
    if (fate == NOTE_CLEARED)
      status = note_clear(link, editions, &taken->all[i]);
    else if (fate == NOTE_DISCARDED)
      status = lfb_note_discard(link, editions, &taken->all[i]);
  }
  return status;
}

lfb_status lfb_notes_sweep(lfb_link *link, const lfb_editions *editions, uint32_t keep)
{
  notes taken;

  lfb_status status = notes_take(link, editions, &taken);
  if (status == LFB_OK)
    status = notes_sweep(link, editions, keep, &taken);
  free(taken.all);
  return status;
}

lfb_status lfb_notes_discard_all(lfb_link *link, const lfb_editions *editions)
{
  notes taken;

  lfb_status status = notes_take(link, editions, &taken);
  for (size_t i = 0; i < taken.count && status == LFB_OK; i++)
    status = lfb_note_discard(link, editions, &taken.all[i]);
  free(taken.all);
  return status;
}
