/*
 * notes.h - what a publisher notes on the server before he makes it, so that the next one can
 * delete it.
 *
 * A hash, {name:notes}, has a field for each filter and each list of changes that belong to an
 * edition: the kind and its token; with the number that it is to have and how many parts it is of.
 * What has a number up to the newest one's and is no edition can never become one
 * (editions.h): no clock, and no guess who is still alive, says what is rubbish.
 *
 * Late  Who makes such rubbish may be slow, and not dead: he makes more of it, then is refused,
 *       and deletes it.  For the case that he dies before, the note stays, and is acted upon again,
 *       until LFB_NOTES_LATE versions more have been published.
 */
#ifndef LFB_REDIS_NOTES_H
#define LFB_REDIS_NOTES_H

#include "redis/source/editions.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_NOTES_LATE = 16 };

typedef enum lfb_note_kind { LFB_NOTE_FILTER, LFB_NOTE_CHANGES, LFB_NOTE_KINDS } lfb_note_kind;

typedef struct lfb_note {
  lfb_note_kind kind;
  lfb_token token;
  uint64_t number; /* of the edition that it is to be part of                        */
  uint64_t parts;  /* of a filter; 0: it is a string under its name, as changes are */
} lfb_note;

/* Notes it.  Fails: LFB_ERROR_REDIS_NO_VERSIONS; as lfb_ask(). */
lfb_status lfb_note_write(lfb_link *link, const lfb_editions *editions, const lfb_note *note);

/* Deletes what was noted, then the note. */
lfb_status lfb_note_discard(lfb_link *link, const lfb_editions *editions, const lfb_note *note);

/* Deletes what belongs to no edition, filters of all but the `keep` newest, and changes that
 * reach back to none. */
lfb_status lfb_notes_sweep(lfb_link *link, const lfb_editions *editions, uint32_t keep);

/* Deletes all that was noted. */
lfb_status lfb_notes_discard_all(lfb_link *link, const lfb_editions *editions);

#ifdef __cplusplus
}
#endif

#endif
