/*
 * publish.c - publishes a filter as the next version: in full, or only its delta.
 *
 * The steps, in this order; the process may be killed between any two:
 *   1. write the notes;
 *   2. write the filter if the version is published in full, its description last;
 *   3. write the delta, if there is one;
 *   4. add the entry to the list of editions: this publishes the version;
 *   5. send the news;
 *   6. set the delta's bits in the base, if the filter was not written;
 *   7. delete keys that are no longer needed.
 * A failure of step 5, 6 or 7 is not reported to the caller.  If step 6 failed, or the process was
 * killed before it ended, the next version is published in full: only this publisher adds editions
 * with its base, and only after step 6 of the one before.
 */
#include <inttypes.h>
#include <lfbloom/delta.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "redis/filter/remote.h"
#include "redis/source/notes.h"

enum {
  PUBLISH_KEEP = 2,
  PUBLISH_FOLD = 16, /* a delta of up to a 16th of the filter's bytes is set in the base.  A command
                        of step 6 has about 20 bytes for each bit, a delta 1 to 2 */
};

struct lfb_redis_publisher {
  lfb_pool pool;
  lfb_editions editions;
  lfb_redis_publication how;
  bool keeps_copy;
  lfb_filter *copy; /* NULL: none                                                     */
  lfb_edition last; /* that has all bits of the copy; its number is 0 if there is none */
  lfb_redis *base;  /* the last filter that was written; NULL: none                   */
  uint64_t deltas;  /* bytes of the deltas with this base                             */
  bool torn;        /* the base may lack bits of one of them                          */
};

typedef struct publishing {
  lfb_redis_publisher *publisher;
  const lfb_filter *filter;
  lfb_description description; /* the filter's */
  lfb_link *link;
  lfb_edition edition;
  lfb_wire delta;
} publishing;

static bool publish_is_whole(const publishing *publish)
{
  return lfb_token_is(&publish->edition.token, &publish->edition.base);
}

static uint64_t publish_bytes(const publishing *publish)
{
  return publish->description.geometry.word_count * sizeof(lfb_word);
}

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

/* Whether a delta may be short enough.  With more than an eighth of the bits new, it would exceed
 * half of the filter's bytes. */
static bool publish_is_near(const publishing *publish)
{
  lfb_stats earlier, later;

  lfb_filter_stats(publish->publisher->copy, &earlier);
  lfb_filter_stats(publish->filter, &later);
  return later.bits_set >= earlier.bits_set &&
         later.bits_set - earlier.bits_set <= publish_bytes(publish);
}

/* Takes bytes of the delta, until it is too long to be useful. */
static lfb_status publish_collect(void *to, const void *bytes, size_t size)
{
  publishing *publish = to;
  const uint64_t half = publish_bytes(publish) / 2, most = LFB_MOST_DELTA;

  if (publish->delta.size + size > (half < most ? half : most))
    return LFB_ERROR_STOPPED;
  lfb_wire_raw(&publish->delta, bytes, size);
  return publish->delta.failed ? LFB_ERROR_NO_MEMORY : LFB_OK;
}

/* Makes the delta from the newest version, if that is the copy's. */
static void publish_compare(publishing *publish, const lfb_edition *newest)
{
  const lfb_redis_publisher *publisher = publish->publisher;

  if (publisher->copy == NULL || newest->number == 0 ||
      !lfb_edition_is(newest, &publisher->last) || !publish_is_near(publish))
    return;
  /* Whatever the reason of a failure, the version is then published without a delta. */
  if (lfb_delta_write(publisher->copy, publish->filter, publish_collect, publish) == LFB_OK)
    publish->edition.delta = publish->delta.size;
}

/* Whether the version can share the base of the last one.  All deltas on a base together are at
 * most as large as the filter, so that loading costs at most twice as much. */
static bool publish_may_share(const publishing *publish)
{
  const lfb_redis_publisher *publisher = publish->publisher;
  const uint64_t delta = publish->edition.delta, bytes = publish_bytes(publish);

  return delta != 0 && !publisher->torn && delta <= bytes / PUBLISH_FOLD &&
         publisher->deltas + delta <= bytes;
}

static lfb_status publish_plan(publishing *publish)
{
  lfb_edition *edition = &publish->edition, newest;

  lfb_status status = lfb_editions_newest(publish->link, &publish->publisher->editions, &newest);
  if (status == LFB_OK)
    status = publish_draw(&edition->token);
  if (status != LFB_OK)
    return status;
  edition->number = newest.number + 1;
  publish_compare(publish, &newest);
  edition->base = publish_may_share(publish) ? newest.base : edition->token;
  return LFB_OK;
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

  lfb_edition_name(&publish->publisher->editions, &publish->edition.token, name);
  const lfb_status status = lfb_remote_plan(name, &publish->description,
                                            publish->publisher->how.part_bytes, &place);
  if (status != LFB_OK)
    return status;
  /* A string without a description is refused: a process that has opened it could not detect that
   * it was deleted. */
  if (place.layout == &lfb_redis_layout_helper)
    return LFB_ERROR_FORM_CANNOT_HOLD;
  const uint64_t parts = place.layout->described ? place.plan.parts : 0;
  notes->count = 0;
  if (publish_is_whole(publish))
    notes->all[notes->count++] = publish_note(publish, LFB_NOTE_FILTER, parts);
  if (publish->edition.delta != 0)
    notes->all[notes->count++] = publish_note(publish, LFB_NOTE_DELTA, 0);
  return LFB_OK;
}

/* ---- writing ------------------------------------------------------------------- */

static void publisher_close_base(lfb_redis_publisher *publisher)
{
  lfb_redis_close(publisher->base);
  publisher->base = NULL;
}

/* Brings the copy up to the filter: by the delta, or by another copy. */
static lfb_status publish_copy(publishing *publish)
{
  lfb_redis_publisher *publisher = publish->publisher;

  if (publish->edition.delta != 0)
    return lfb_delta_apply(publisher->copy, publish->delta.bytes, publish->delta.size, NULL);
  lfb_filter_free(publisher->copy);
  publisher->copy = NULL;
  return lfb_filter_copy(publish->filter, &publisher->copy);
}

/* Writes the filter; if a copy is kept, that copy, so that the version has all its bits. */
static lfb_status publish_filter(publishing *publish)
{
  lfb_redis_publisher *publisher = publish->publisher;
  char name[LFB_EDITION_NAME];
  lfb_status status = LFB_OK;

  if (!publish_is_whole(publish))
    return LFB_OK;
  publisher->last = (lfb_edition){0}; /* no version has all bits of the copy from now on */
  publisher_close_base(publisher);
  if (publisher->keeps_copy)
    status = publish_copy(publish);
  lfb_edition_name(&publisher->editions, &publish->edition.token, name);
  return status == LFB_OK
             ? lfb_remote_save(&publisher->pool.options, name,
                               publisher->keeps_copy ? publisher->copy : publish->filter,
                               publisher->how.part_bytes, &publisher->base)
             : status;
}

static lfb_status publish_done(void *context, const redisReply *reply, bool again)
{
  (void)context, (void)again;
  return lfb_editions_expect(reply, REDIS_REPLY_STATUS);
}

static lfb_status publish_delta(const publishing *publish)
{
  char buffer[LFB_EDITION_NAME];

  if (publish->edition.delta == 0)
    return LFB_OK;
  return lfb_ask(publish->link, publish_done, NULL,
                 LFB_ARGS(lfb_text("SET"),
                          lfb_edition_delta_key(&publish->publisher->editions,
                                                &publish->edition.token, buffer),
                          (lfb_key){publish->delta.bytes, publish->delta.size}));
}

static lfb_status publish_make(publishing *publish, const publish_notes *notes)
{
  const lfb_editions *editions = &publish->publisher->editions;
  lfb_status status = LFB_OK;

  for (size_t i = 0; i < notes->count && status == LFB_OK; i++)
    status = lfb_note_write(publish->link, editions, &notes->all[i]);
  if (status == LFB_OK)
    status = publish_filter(publish);
  if (status == LFB_OK)
    status = publish_delta(publish);
  if (status == LFB_OK)
    status = lfb_editions_add(publish->link, editions, &publish->edition);
  return status;
}

/* Finds out why a version could not be published.  A publisher that published the same version
 * concurrently deletes our keys; the server then reports some other error, not this reason.
 * Returns whether the version's keys can be deleted: not if it is in the list, or if that is
 * unknown. */
static bool publish_why(const publishing *publish, lfb_status *status)
{
  lfb_edition_list list;

  if (lfb_editions_from(publish->link, &publish->publisher->editions, publish->edition.number,
                        &list) != LFB_OK)
    return false;
  if (list.count == 0)
    return true;
  if (lfb_edition_is(&list.all[0], &publish->edition))
    return false;
  *status = LFB_ERROR_REDIS_OVERTAKEN;
  return true;
}

static void publish_discard(const publishing *publish, const publish_notes *notes)
{
  for (size_t i = 0; i < notes->count; i++)
    (void)lfb_note_discard(publish->link, &publish->publisher->editions, &notes->all[i]);
}

/* Whether the result is unknown.  The server may or may not have executed the commands, a failover
 * may undo them, or the server cannot be reached any more. */
static bool publish_is_in_doubt(lfb_status status)
{
  return lfb_connection_may_pass(status) || status == LFB_ERROR_REDIS_REPLICAS;
}

/* ---- the base ------------------------------------------------------------------ */

/* Sets the delta's bits in the base, and in the copy.  Bits that were put into the filter in the
 * meantime may be set in the base too: they are in the next delta. */
static void publish_fold(const publishing *publish)
{
  lfb_redis_publisher *publisher = publish->publisher;

  publisher->torn = lfb_mend(publisher->base, publish->filter, publisher->copy) != LFB_OK;
  publisher->deltas += publish->delta.size;
  lfb_ignore(lfb_delta_apply(publisher->copy, publish->delta.bytes, publish->delta.size, NULL));
}

static void publish_settle(const publishing *publish)
{
  lfb_redis_publisher *publisher = publish->publisher;

  if (!publish_is_whole(publish)) {
    publish_fold(publish);
  } else {
    publisher->deltas = 0;
    publisher->torn = false;
  }
  publisher->last = publish->edition;
}

/* ---- news ----------------------------------------------------------------------- */

static lfb_status publish_tell(const publishing *publish)
{
  return lfb_ask_integer(publish->link, NULL, NULL,
                         LFB_ARGS(lfb_text("PUBLISH"), publish->publisher->editions.versions,
                                  LFB_NUMBER(publish->edition.number)));
}

/* ---- publishing ----------------------------------------------------------------- */

static lfb_status publish_by_link(publishing *publish)
{
  const lfb_editions *editions = &publish->publisher->editions;
  const uint32_t keep = publish->publisher->how.keep;
  publish_notes notes;

  lfb_status status = publish_plan(publish);
  if (status == LFB_OK)
    status = publish_prepare(publish, &notes);
  if (status != LFB_OK)
    return status;
  publish->link->writes = true;
  status = publish_make(publish, &notes);
  publish->link->writes = false;
  if (publish_is_in_doubt(status))
    return status;
  if (status != LFB_OK) {
    const lfb_said said = publish->link->said; /* not that of a deletion which fails, too */
    if (publish_why(publish, &status))
      publish_discard(publish, &notes);
    lfb_said_tell(&said, status);
    return status;
  }
  (void)publish_tell(publish); /* if it fails, followers find the version by polling */
  publish_settle(publish);
  /* If this fails, the next publisher sweeps. */
  (void)lfb_notes_sweep(publish->link, editions, keep == 0 ? PUBLISH_KEEP : keep);
  return LFB_OK;
}

lfb_status lfb_redis_publisher_publish(lfb_redis_publisher *publisher, const lfb_filter *filter,
                                       uint64_t *number)
{
  publishing publish = {.publisher = publisher, .filter = filter};

  lfb_status status = lfb_words_describe(filter, &publish.description);
  if (status == LFB_OK)
    status = lfb_pool_take(&publisher->pool, false, &publish.link);
  if (status != LFB_OK)
    return status;
  status = publish_by_link(&publish);
  lfb_pool_leave(&publisher->pool, publish.link);
  lfb_wire_free(&publish.delta);
  if (status == LFB_OK && number != NULL)
    *number = publish.edition.number;
  return status;
}

/* ---- publishers ----------------------------------------------------------------- */

static lfb_status publisher_init(lfb_redis_publisher *publisher, const lfb_redis_options *options,
                                 const char *name, const lfb_redis_publication *publication)
{
  if (publication != NULL)
    publisher->how = *publication;
  lfb_status status = LFB_RESERVED(&publisher->how);
  if (status == LFB_OK)
    status = lfb_editions_init(&publisher->editions, name);
  return status == LFB_OK ? lfb_pool_init(&publisher->pool, options) : status;
}

static void publisher_end(lfb_redis_publisher *publisher)
{
  publisher_close_base(publisher);
  lfb_filter_free(publisher->copy);
  lfb_pool_free(&publisher->pool);
}

lfb_status lfb_redis_publisher_create(const lfb_redis_options *options, const char *name,
                                      const lfb_redis_publication *publication,
                                      lfb_redis_publisher **publisher)
{
  lfb_redis_publisher *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->keeps_copy = true;
  const lfb_status status = publisher_init(made, options, name, publication);
  if (status == LFB_OK)
    *publisher = made;
  else
    free(made);
  return status;
}

void lfb_redis_publisher_free(lfb_redis_publisher *publisher)
{
  if (publisher == NULL)
    return;
  publisher_end(publisher);
  free(publisher);
}

lfb_status lfb_redis_publish(const lfb_redis_options *options, const char *name,
                             const lfb_filter *filter, const lfb_redis_publication *publication,
                             uint64_t *number)
{
  lfb_redis_publisher publisher = {.keeps_copy = false};

  lfb_status status = publisher_init(&publisher, options, name, publication);
  if (status != LFB_OK)
    return status;
  status = lfb_redis_publisher_publish(&publisher, filter, number);
  publisher_end(&publisher);
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
    status = lfb_link_open(options, NULL, &link);
  if (status != LFB_OK)
    return status;
  status = unpublish_by_link(link, &editions);
  lfb_link_close(link);
  return status;
}
