/*
 * publish.c - publishes a filter as the next version.
 *
 * The steps, in this order; the process may be killed between any two:
 *   1. write the notes;
 *   2. write the filter, its description last;
 *   3. write the list of changes;
 *   4. add the entry to the list of editions: this publishes the version;
 *   5. send the news;
 *   6. delete keys that are no longer needed.
 * A failure of step 5 or 6 is not reported to the caller.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "redis/filter/remote.h"
#include "redis/source/changes.h"
#include "redis/source/notes.h"

enum { PUBLISH_KEEP = 2 };

typedef struct publishing {
  const lfb_redis_options *options;
  const lfb_filter *filter;
  lfb_description description; /* the filter's */
  lfb_redis_publication how;
  lfb_link *link;
  lfb_editions editions;
  lfb_edition edition;
} publishing;

/* ---- planning ------------------------------------------------------------------ */

static lfb_status publish_draw(lfb_token *token)
{
  uint64_t bits;

  const lfb_status status = lfb_random_bytes(&bits, sizeof bits);
  if (status != LFB_OK)
    return status;
  (void)snprintf(token->text, sizeof token->text, "%016" PRIx64, bits);
  return LFB_OK;
}

static lfb_status publish_plan(publishing *publish)
{
  const lfb_redis_changes *changes = publish->how.changes;
  lfb_edition *edition = &publish->edition, newest;

  lfb_status status = lfb_editions_newest(publish->link, &publish->editions, &newest);
  if (status != LFB_OK)
    return status;
  if (changes != NULL && changes->after != newest.number)
    return LFB_ERROR_REDIS_OVERTAKEN;
  const uint64_t size = changes == NULL ? UINT64_MAX : lfb_changes_size(changes);
  *edition = (lfb_edition){.number = newest.number + 1,
                           .changes = size == UINT64_MAX ? 0 : size,
                           .shape = lfb_shape_of(&publish->description)};
  return publish_draw(&edition->token);
}

static lfb_note publish_note(const publishing *publish, lfb_note_kind kind, uint64_t parts)
{
  return (lfb_note){kind, publish->edition.token, publish->edition.number, parts};
}

/* The notes to write before the keys. */
typedef struct publish_notes {
  lfb_note all[LFB_NOTE_KINDS];
  size_t count;
} publish_notes;

static lfb_status publish_prepare(const publishing *publish, publish_notes *notes)
{
  char name[LFB_EDITION_NAME];
  lfb_redis_place place;

  lfb_edition_name(&publish->editions, &publish->edition.token, name);
  const lfb_status status =
      lfb_remote_plan(name, &publish->description, publish->how.part_bytes, &place);
  if (status != LFB_OK)
    return status;
  /* A string without a description is refused: a process that has opened it could not detect that
   * it was deleted. */
  if (place.layout == &lfb_redis_layout_helper)
    return LFB_ERROR_FORM_CANNOT_HOLD;
  const uint64_t parts = place.layout->described ? place.plan.parts : 0;
  notes->count = 0;
  notes->all[notes->count++] = publish_note(publish, LFB_NOTE_FILTER, parts);
  if (publish->edition.changes != 0)
    notes->all[notes->count++] = publish_note(publish, LFB_NOTE_CHANGES, 0);
  return LFB_OK;
}

/* ---- writing ------------------------------------------------------------------- */

static lfb_status publish_done(void *context, const redisReply *reply, bool again)
{
  (void)context, (void)again;
  return lfb_editions_expect(reply, REDIS_REPLY_STATUS);
}

static lfb_status publish_changes(const publishing *publish)
{
  char room[LFB_EDITION_NAME];
  lfb_wire list = {0};

  if (publish->edition.changes == 0)
    return LFB_OK;
  lfb_changes_write(publish->how.changes, &list);
  const lfb_key args[] = {
      lfb_ask_text("SET"),
      lfb_edition_changes_key(&publish->editions, &publish->edition.token, room),
      {list.bytes, list.size}};
  const lfb_status status =
      list.failed ? LFB_ERROR_NO_MEMORY
                  : lfb_ask(publish->link, args, sizeof args / sizeof *args, publish_done, NULL);
  lfb_wire_free(&list);
  return status;
}

static lfb_status publish_parts(const publishing *publish)
{
  char name[LFB_EDITION_NAME];

  lfb_edition_name(&publish->editions, &publish->edition.token, name);
  const lfb_status status =
      lfb_redis_save(publish->options, name, publish->filter, publish->how.part_bytes);
  return status == LFB_OK ? publish_changes(publish) : status;
}

static lfb_status publish_announce(const publishing *publish)
{
  return lfb_editions_add(publish->link, &publish->editions, &publish->edition);
}

static lfb_status publish_make(const publishing *publish, const publish_notes *notes)
{
  lfb_status status = LFB_OK;

  for (size_t i = 0; i < notes->count && status == LFB_OK; i++)
    status = lfb_note_write(publish->link, &publish->editions, &notes->all[i]);
  if (status == LFB_OK)
    status = publish_parts(publish);
  if (status == LFB_OK)
    status = publish_announce(publish);
  return status;
}

/* Why a version could not be published.  A publisher that published the same version concurrently
 * deletes our keys; the server then reports some other error, not this reason. */
static lfb_status publish_why(const publishing *publish, lfb_status status)
{
  lfb_edition newest;

  if (lfb_editions_newest(publish->link, &publish->editions, &newest) != LFB_OK)
    return status;
  return newest.number >= publish->edition.number ? LFB_ERROR_REDIS_OVERTAKEN : status;
}

/* Whether the result is unknown.  The server may or may not have executed the commands, a failover
 * may undo them, or the server cannot be reached any more. */
static bool publish_is_in_doubt(lfb_status status)
{
  return status == LFB_ERROR_REDIS_LOST || status == LFB_ERROR_REDIS_TIMEOUT ||
         status == LFB_ERROR_REDIS_CONNECT || status == LFB_ERROR_REDIS_UNAVAILABLE ||
         status == LFB_ERROR_REDIS_REPLICAS;
}

/* ---- news ----------------------------------------------------------------------- */

static lfb_status publish_heard(void *context, const redisReply *reply, bool again)
{
  (void)context, (void)again;
  return lfb_ask_expect(reply, REDIS_REPLY_INTEGER);
}

static lfb_status publish_tell(const publishing *publish)
{
  char number[LFB_WIRE_DIGITS];
  const lfb_key args[] = {lfb_ask_text("PUBLISH"), publish->editions.versions,
                          lfb_ask_number(publish->edition.number, number)};

  return lfb_ask(publish->link, args, sizeof args / sizeof *args, publish_heard, NULL);
}

/* ---- publishing ----------------------------------------------------------------- */

static lfb_status publish_by_link(publishing *publish)
{
  const uint32_t keep = publish->how.keep == 0 ? PUBLISH_KEEP : publish->how.keep;
  publish_notes notes;

  lfb_status status = publish_plan(publish);
  if (status == LFB_OK)
    status = publish_prepare(publish, &notes);
  if (status != LFB_OK)
    return status;
  lfb_link_write(publish->link, true);
  status = publish_make(publish, &notes);
  lfb_link_write(publish->link, false);
  if (publish_is_in_doubt(status))
    return status;
  if (status != LFB_OK) {
    status = publish_why(publish, status);
    for (size_t i = 0; i < notes.count; i++)
      (void)lfb_note_discard(publish->link, &publish->editions, &notes.all[i]);
    return status;
  }
  (void)publish_tell(publish); /* if it fails, followers find the version by polling */
  /* If this fails, the next publisher sweeps. */
  (void)lfb_notes_sweep(publish->link, &publish->editions, keep);
  return LFB_OK;
}

static lfb_status publish_check(const lfb_redis_publication *how)
{
  const lfb_status status = LFB_RESERVED(how);

  return status == LFB_OK && how->changes != NULL ? LFB_RESERVED(how->changes) : status;
}

lfb_status lfb_redis_publish(const lfb_redis_options *options, const char *name,
                             const lfb_filter *filter, const lfb_redis_publication *publication,
                             uint64_t *number)
{
  publishing publish = {.options = options, .filter = filter};

  if (publication != NULL)
    publish.how = *publication;
  lfb_status status = publish_check(&publish.how);
  if (status == LFB_OK)
    status = lfb_editions_init(&publish.editions, name);
  if (status == LFB_OK)
    status = lfb_words_describe(filter, &publish.description);
  if (status == LFB_OK)
    status = lfb_link_open(options, &publish.link);
  if (status != LFB_OK)
    return status;
  status = publish_by_link(&publish);
  lfb_link_close(publish.link);
  if (status == LFB_OK && number != NULL)
    *number = publish.edition.number;
  return status;
}

/* ---- unpublishing ---------------------------------------------------------------- */

/* The list is deleted first, so that no process begins to load what is being deleted. */
static lfb_status unpublish_by_link(lfb_link *link, const lfb_editions *editions)
{
  lfb_status status = lfb_remote_unlink(link, editions->versions);

  if (status == LFB_OK)
    status = lfb_notes_discard_all(link, editions);
  return status == LFB_OK ? lfb_remote_unlink(link, editions->notes) : status;
}

lfb_status lfb_redis_unpublish(const lfb_redis_options *options, const char *name)
{
  lfb_editions editions;
  lfb_link *link;

  lfb_status status = lfb_editions_init(&editions, name);
  if (status == LFB_OK)
    status = lfb_link_open(options, &link);
  if (status != LFB_OK)
    return status;
  status = unpublish_by_link(link, &editions);
  lfb_link_close(link);
  return status;
}
