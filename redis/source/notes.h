/*
 * notes.h - notes that a publisher writes on the server before it creates keys, so that a later
 * publisher can delete the keys if the first one is killed.
 *
 * The Redis hash {name:notes} has one field for each filter and each delta of an edition.  The
 * field's name is the kind and the token.  Its value is the intended number of the
 * edition and the number of parts.
 *
 * A note with a number up to the newest edition's, but with no edition, can never become one
 * (editions.h).  Its keys are garbage.  This needs no clock and no guess whether a publisher
 * is still alive.
 *
 * Late  The publisher of such keys may be slow, not killed.  It then creates more keys, is
 *       refused, and deletes them.  It may be killed before it deletes them: the note therefore
 *       stays, and its keys are deleted again by each sweep, until LFB_NOTES_LATE more versions
 *       have been published.
 */
#ifndef LFB_REDIS_NOTES_H
#define LFB_REDIS_NOTES_H

#include "redis/source/editions.h"

LFB_EXTERN_C_BEGIN

enum { LFB_NOTES_LATE = 16 };

typedef enum lfb_note_kind { LFB_NOTE_FILTER, LFB_NOTE_DELTA, LFB_NOTE_KINDS } lfb_note_kind;

typedef struct lfb_note {
  lfb_note_kind kind;
  lfb_token token;
  uint64_t number; /* of the edition that the keys are intended for              */
  uint64_t parts;  /* of a filter; 0: one string, stored under the name itself, as
                      a delta is                                                 */
} lfb_note;

/* Writes a note.  Fails: LFB_ERROR_REDIS_NO_VERSIONS; as lfb_ask(). */
lfb_status lfb_note_write(lfb_link *link, const lfb_editions *editions, const lfb_note *note);

/* Deletes the keys that a note names, then the note. */
lfb_status lfb_note_discard(lfb_link *link, const lfb_editions *editions, const lfb_note *note);

/* Deletes the keys of no edition, the filters that are not the base of one of the `keep` newest,
 * and the deltas of editions that are no longer listed. */
lfb_status lfb_notes_sweep(lfb_link *link, const lfb_editions *editions, uint32_t keep);

/* Deletes the keys of all notes, and the notes. */
lfb_status lfb_notes_discard_all(lfb_link *link, const lfb_editions *editions);

LFB_EXTERN_C_END

#endif
