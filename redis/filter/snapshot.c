/* snapshot.c - a filter's words between the server and memory, part after part. */
#include <stdlib.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "redis/filter/remote.h"
#include "redis/filter/words.h"
#include "redis/link/options.h"

enum {
  SNAPSHOT_PIECE = 256 << 10, /* bytes that the server copies at a time */
  SNAPSHOT_PIECES = 8,        /* in flight                              */
};

/* Bytes of words in each part except the last. */
static uint64_t snapshot_region(const lfb_plan *plan, const lfb_geometry *geometry)
{
  return plan->parts == 1 ? geometry->word_count * sizeof(lfb_word) : plan->part_bits / 8;
}

/* A piece of the words, within one part. */
typedef struct snapshot_piece {
  const lfb_part *part;
  uint64_t at; /* byte in the part's string */
  size_t size;
  size_t missing; /* bytes of it beyond the string's end */
} snapshot_piece;

/* The piece that begins at byte `at` of the words, of at most `most` bytes. */
static snapshot_piece snapshot_piece_at(const lfb_redis *filter, uint64_t at, size_t most)
{
  const lfb_plan *plan = &filter->place.plan;
  const uint64_t region = snapshot_region(plan, &filter->place.description.geometry);
  const uint64_t left = region - at % region;
  snapshot_piece piece = {&filter->parts[at / region], plan->first / 8 + at % region,
                          left < most ? (size_t)left : most, 0};

  if (piece.at + piece.size > plan->part_bytes)
    piece.missing = (size_t)(piece.at + piece.size - plan->part_bytes);
  return piece;
}

/* ---- load ----------------------------------------------------------------------- */

typedef struct loading {
  lfb_redis *filter;
  lfb_link *link;
  const lfb_read_limits *limits;
  lfb_filter *made;      /* NULL until it is made */
  uint64_t at, size;     /* bytes of the words: requested, and in all */
  unsigned char *buffer; /* holds the pieces                          */
  size_t used, have;     /* bytes of the buffer: returned, and filled */
  snapshot_piece pieces[SNAPSHOT_PIECES];
  unsigned char *targets[SNAPSHOT_PIECES]; /* of these pieces, in the buffer */
} loading;

static uint16_t load_command(void *context, uint64_t i, lfb_wire *wire)
{
  const loading *load = context;
  const snapshot_piece *piece = &load->pieces[i];

  return lfb_ask_write(wire,
                       LFB_ARGS(lfb_text("GETRANGE"), piece->part->name, LFB_NUMBER(piece->at),
                                LFB_NUMBER(piece->at + piece->size - 1)));
}

static lfb_status load_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  const loading *load = context;
  const snapshot_piece *piece = &load->pieces[i];
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_STRING);

  (void)again;
  if (status == LFB_ERROR_REDIS_NO_FILTER)
    return LFB_ERROR_REDIS_PART;
  if (status != LFB_OK)
    return status;
  if (reply->len != piece->size - piece->missing)
    return LFB_ERROR_REDIS_PART;
  memcpy(load->targets[i], reply->str, reply->len);
  memset(load->targets[i] + reply->len, 0, piece->missing);
  return LFB_OK;
}

/* Loads the next pieces of the words. */
static lfb_status load_ahead(loading *load)
{
  lfb_job some = {0, load_command, load_reply, load};
  size_t have = 0;

  for (; some.count < SNAPSHOT_PIECES && load->at < load->size; some.count++) {
    const uint64_t left = load->size - load->at;
    const size_t most = left < SNAPSHOT_PIECE ? (size_t)left : (size_t)SNAPSHOT_PIECE;
    const snapshot_piece piece = snapshot_piece_at(load->filter, load->at, most);
    load->pieces[some.count] = piece;
    load->targets[some.count] = load->buffer + have;
    load->at += piece.size;
    have += piece.size;
  }
  load->used = 0;
  load->have = have;
  const lfb_status status = lfb_link_run(load->link, &some);
  return status == LFB_OK ? lfb_options_moved(&load->filter->pool.options, have) : status;
}

static lfb_status load_read(void *from, void *bytes, size_t size, size_t *got)
{
  loading *load = from;

  if (load->used == load->have) {
    const lfb_status status = load_ahead(load);
    if (status != LFB_OK)
      return status;
  }
  const size_t left = load->have - load->used;
  *got = size < left ? size : left;
  memcpy(bytes, load->buffer + load->used, *got);
  load->used += *got;
  return LFB_OK;
}

static lfb_status load_all(lfb_redis *filter, lfb_link *link, void *context)
{
  loading *load = context;
  const uint64_t most = load->limits == NULL ? 0 : load->limits->max_bytes;

  load->link = link;
  const lfb_status status = lfb_words_read(&filter->place.description, filter->place.layout->order,
                                           most, load_read, load, &load->made);
  /* The bytes are the filter's if each part still has its mark after the last of them. */
  return status == LFB_OK ? lfb_remote_check(filter, link) : status;
}

lfb_status lfb_redis_load(lfb_redis *filter, const lfb_read_limits *limits, lfb_filter **local)
{
  const uint64_t size = filter->place.description.geometry.word_count * sizeof(lfb_word);
  loading load = {.filter = filter, .limits = limits, .size = size};

  if (limits != NULL && LFB_RESERVED(limits) != LFB_OK)
    return LFB_ERROR_RESERVED;
  if (filter->place.layout->by_key)
    return LFB_ERROR_REDIS_NO_FILTER; /* lfb_redis_module_load() */
  load.buffer = malloc((size_t)SNAPSHOT_PIECES * SNAPSHOT_PIECE);
  if (load.buffer == NULL)
    return LFB_ERROR_NO_MEMORY;
  const lfb_status status = lfb_remote_with_link(filter, false, load_all, &load);
  free(load.buffer);
  if (status == LFB_OK)
    *local = load.made;
  else
    lfb_filter_free(load.made);
  return status;
}

/* ---- save ----------------------------------------------------------------------- */

typedef struct saving {
  const lfb_filter *from;
  lfb_redis *filter;
  lfb_link *link;
  uint64_t at; /* bytes of the words that were written */
} saving;

static bool save_is_zero(const unsigned char *bytes, size_t size)
{
  return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* Writes a piece.  A piece of zeros need not be written: growing has zeroed the part. */
static lfb_status save_piece(const saving *save, const snapshot_piece *piece,
                             const unsigned char *bytes)
{
  const size_t size = piece->size - piece->missing;

  if (size == 0 || save_is_zero(bytes, size))
    return LFB_OK;
  return lfb_ask_integer(save->link, NULL, NULL,
                         LFB_ARGS(lfb_text("SETRANGE"), piece->part->name, LFB_NUMBER(piece->at),
                                  (lfb_key){bytes, size}));
}

static lfb_status save_write(void *to, const void *bytes, size_t size)
{
  saving *save = to;
  lfb_status status = LFB_OK;

  for (size_t done = 0, now; status == LFB_OK && done < size; done += now) {
    const size_t left = size - done;
    const snapshot_piece piece =
        snapshot_piece_at(save->filter, save->at, left < SNAPSHOT_PIECE ? left : SNAPSHOT_PIECE);
    now = piece.size;
    status = save_piece(save, &piece, (const unsigned char *)bytes + done);
    if (status == LFB_OK)
      status = lfb_options_moved(&save->filter->pool.options, now);
    save->at += now;
  }
  return status;
}

static lfb_status save_fill(lfb_redis *filter, lfb_link *link, void *context)
{
  saving *save = context;

  save->filter = filter;
  save->link = link;
  return lfb_words_write(save->from, filter->place.layout->order, save_write, save);
}

lfb_status lfb_remote_save(const lfb_redis_options *options, const char *name,
                           const lfb_filter *from, uint64_t part_bytes, lfb_redis **filter)
{
  saving save = {.from = from};
  lfb_description description;
  lfb_redis_place place;

  lfb_status status = lfb_words_describe(from, &description);
  if (status == LFB_OK)
    status = lfb_remote_plan(name, &description, part_bytes, &place);
  return status == LFB_OK ? lfb_remote_build(options, &place,
                                             &(lfb_remote_fill){save_fill, &save}, filter)
                          : status;
}

lfb_status lfb_redis_save(const lfb_redis_options *options, const char *name,
                          const lfb_filter *from, uint64_t part_bytes)
{
  lfb_redis *filter;

  if (options->module) /* it only reads the filter */
    return lfb_redis_module_save(
        options, name,
        &(lfb_redis_module_value){.any = {LFB_KIND_PLAIN, {(lfb_filter *)(uintptr_t)from}}});
  const lfb_status status = lfb_remote_save(options, name, from, part_bytes, &filter);
  if (status == LFB_OK)
    lfb_redis_close(filter);
  return status;
}
