/* any.c - filters of any kind: chooses the function of the kind.  lfbloom/any.h has the
 * contract. */
#include <lfbloom/any.h>

#include <lfbloom/mapped.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "bloom/filter/figures.h"
#include "bloom/filter/description.h"
#include "bloom/files/forms.h"
#include "bloom/counting/counting.h"
#include "bloom/growing/layers.h"
#include "bloom/window/window.h"

/* What a kind has; NULL: not. */
typedef struct any_row {
  unsigned verbs;           /* a bit for each that it has */
  const lfb_any_form *form; /* writes and reads it        */
  size_t (*many)(lfb_any any, lfb_verb verb, const void *keys, size_t count, uint64_t *answers,
                 lfb_key_kind kind);
  void (*figures)(lfb_any any, bool bits, lfb_figures *figures); /* see any_figures() */
  void (*free)(lfb_any any);
  lfb_status (*copy)(lfb_any any, lfb_any *copy);
  lfb_status (*to_plain)(lfb_any any, lfb_filter **plain);
  lfb_status (*open)(const char *path, const lfb_read_limits *limits, bool shared, lfb_any *any);
  lfb_status (*sync)(lfb_any any); /* of a file that is open in place */
} any_row;

/* ---- plain filters ------------------------------------------------------------------ */

static size_t plain_many(lfb_any any, lfb_verb verb, const void *keys, size_t count,
                         uint64_t *answers, lfb_key_kind kind)
{
  return lfb_filter_many(any.plain, verb, keys, count, answers, kind);
}

static void plain_figures(lfb_any any, bool bits, lfb_figures *figures)
{
  if (bits)
    lfb_filter_stats(any.plain, &figures->all);
  else
    lfb_stats_plan(&any.plain->description, &figures->all);
}

static void plain_free(lfb_any any)
{
  lfb_filter_free(any.plain);
}

static lfb_status plain_copy(lfb_any any, lfb_any *copy)
{
  return lfb_filter_copy(any.plain, &copy->plain);
}

static lfb_status plain_to_plain(lfb_any any, lfb_filter **plain)
{
  return lfb_filter_copy(any.plain, plain);
}

static lfb_status plain_open(const char *path, const lfb_read_limits *limits, bool shared,
                             lfb_any *any)
{
  const lfb_filter *constant = NULL;

  if (shared)
    return lfb_mapped_open(path, limits, &any->plain);
  const lfb_status status = lfb_mapped_open_read_only(path, limits, &constant);
  any->plain = (lfb_filter *)(uintptr_t)constant;
  return status;
}

static lfb_status plain_sync(lfb_any any)
{
  return lfb_mapped_sync(any.plain);
}

static lfb_status plain_write(const void *filter, const lfb_writer *writer)
{
  return lfb_form_row_native.write(filter, writer);
}

static const lfb_any_form plain_form = {plain_write, lfb_form_read};

/* ---- the other kinds ------------------------------------------------------------------ */

static lfb_stats growing_all(const lfb_growing_figures *growing)
{
  return (lfb_stats){.strategy = growing->strategy,
                     .expected_insertions = growing->first_insertions,
                     .fpp = growing->fpp,
                     .bit_count = growing->bit_count,
                     .reachable_bits = growing->bit_count,
                     .hash = growing->hash,
                     .key_kept = growing->key_kept,
                     .seed = growing->seed,
                     .bytes = growing->bytes,
                     .bits_set = growing->bits_set,
                     .saturated = growing->approximate_count == UINT64_MAX,
                     .approximate_count = growing->approximate_count,
                     .expected_fpp = growing->expected_fpp,
                     .written = growing->written};
}

static void growing_figures(lfb_any any, bool bits, lfb_figures *figures)
{
  (bits ? lfb_growing_stats : lfb_growing_plan)(any.growing, &figures->growing);
  figures->all = growing_all(&figures->growing);
  figures->all.key_type = any.growing->config.key_type;
}

static void growing_free(lfb_any any)
{
  lfb_growing_free(any.growing);
}

static lfb_stats window_all(const lfb_window_figures *window)
{
  lfb_stats stats = {.expected_insertions = window->expected_insertions,
                     .fpp = window->fpp,
                     .bit_count = 8 * window->bytes,
                     .reachable_bits = 8 * window->bytes,
                     .probes = window->probes,
                     .words_per_key = window->block_words,
                     .hash = window->hash,
                     .key_kept = window->key_kept,
                     .bytes = window->bytes,
                     .expected_fpp = window->expected_fpp};

  for (uint32_t age = 0; age <= window->generations; age++) {
    const lfb_window_generation_figures *live = &window->live[age];
    stats.bits_set += live->bits_set;
    stats.saturated |= live->approximate_count == UINT64_MAX;
    stats.approximate_count += live->approximate_count;
  }
  if (stats.saturated)
    stats.approximate_count = UINT64_MAX;
  return stats;
}

static void window_figures(lfb_any any, bool bits, lfb_figures *figures)
{
  (bits ? lfb_window_stats : lfb_window_plan)(any.window, &figures->window);
  figures->all = window_all(&figures->window);
  figures->all.key_type = any.window->description.config.key_type;
}

static void window_free(lfb_any any)
{
  lfb_window_free(any.window);
}

static void counting_figures(lfb_any any, bool bits, lfb_figures *figures)
{
  if (bits) {
    lfb_counting_stats(any.counting, &figures->all);
  } else {
    lfb_stats_plan(&any.counting->description, &figures->all);
    figures->all.bytes = any.counting->pages.size;
  }
}

static void counting_free(lfb_any any)
{
  lfb_counting_free(any.counting);
}

/* ---- the table ------------------------------------------------------------------------ */

enum {
  ANY_KEEPS = 1u << LFB_PUT | 1u << LFB_MIGHT_CONTAIN,
  ANY_CLAIMS = ANY_KEEPS | 1u << LFB_CLAIM,
  ANY_REMOVES = ANY_KEEPS | 1u << LFB_REMOVE,
};

static const any_row any_rows[] = {
    [LFB_KIND_NONE] = {.form = &plain_form},
    [LFB_KIND_PLAIN] = {ANY_CLAIMS, &plain_form, plain_many, plain_figures, plain_free, plain_copy,
                        plain_to_plain, plain_open, plain_sync},
    [LFB_KIND_GROWING] = {ANY_CLAIMS, &lfb_any_form_growing, lfb_growing_many, growing_figures,
                          growing_free, lfb_growing_copy, lfb_growing_to_plain, lfb_growing_open,
                          lfb_growing_sync},
    [LFB_KIND_COUNTING] = {ANY_REMOVES, &lfb_any_form_counting, lfb_counting_many, counting_figures,
                           counting_free, lfb_counting_copy, lfb_counting_to_plain, NULL,
                           NULL},
    [LFB_KIND_WINDOW] = {ANY_CLAIMS, &lfb_any_form_window, lfb_window_many, window_figures,
                         window_free, NULL, NULL, lfb_window_open, lfb_window_sync},
};

/* The row of a kind; of no kind that of LFB_KIND_NONE. */
static const any_row *any_row_of(lfb_kind kind)
{
  const bool is_kind = (size_t)kind < sizeof any_rows / sizeof *any_rows;
  return &any_rows[is_kind ? kind : LFB_KIND_NONE];
}

/* ---- keys ------------------------------------------------------------------------- */

/* A verb that the kind does not have does nothing. */
static size_t any_keys(lfb_any any, lfb_verb verb, const void *keys, size_t count,
                       uint64_t *answers, lfb_key_kind kind)
{
  const any_row *row = any_row_of(any.kind);

  if (verb <= LFB_REMOVE && (row->verbs >> verb & 1) != 0)
    return row->many(any, verb, keys, count, answers, kind);
  if (answers != NULL)
    memset(answers, 0, (count + LFB_WORD_BITS - 1) / LFB_WORD_BITS * sizeof *answers);
  return 0;
}

size_t lfb_any_many(lfb_any any, lfb_verb verb, const lfb_key *keys, size_t count,
                    uint64_t *answers)
{
  return any_keys(any, verb, keys, count, answers, LFB_BYTES_KEY);
}

size_t lfb_any_many_u64(lfb_any any, lfb_verb verb, const uint64_t *keys, size_t count,
                        uint64_t *answers)
{
  return any_keys(any, verb, keys, count, answers, LFB_U64_KEY);
}

/* ---- figures ------------------------------------------------------------------------ */

/* The figures with those that follow from the bits, or without. */
static void any_figures(lfb_any any, bool bits, lfb_figures *figures)
{
  const any_row *row = any_row_of(any.kind);

  *figures = (lfb_figures){.kind = any.kind};
  if (row->figures != NULL)
    row->figures(any, bits, figures);
}

void lfb_any_stats(lfb_any any, lfb_figures *figures)
{
  any_figures(any, true, figures);
}

void lfb_any_plan(lfb_any any, lfb_figures *figures)
{
  any_figures(any, false, figures);
}

/* ---- forms and files ------------------------------------------------------------------- */

/* The kind of a file, by the status of an attempt to read it as a plain filter. */
static lfb_kind any_kind_of(lfb_status as_plain)
{
  /* of what is no filter, the functions for plain ones say why */
  return as_plain == LFB_ERROR_GROWING || as_plain == LFB_ERROR_GROWING_MAPPED ? LFB_KIND_GROWING
         : as_plain == LFB_ERROR_COUNTING                                      ? LFB_KIND_COUNTING
         : as_plain == LFB_ERROR_WINDOW                                        ? LFB_KIND_WINDOW
                                                                               : LFB_KIND_PLAIN;
}

/* Passes on a filter that was read, or frees it. */
static lfb_status any_take(lfb_status status, lfb_any made, lfb_any *any)
{
  if (status == LFB_OK)
    *any = made;
  else if (made.filter != NULL)
    lfb_any_free(made);
  return status;
}

static lfb_status any_copy_file(const char *path, lfb_kind kind, const lfb_read_limits *limits,
                                lfb_any *any)
{
  lfb_any made = {.kind = kind};
  const lfb_status status = lfb_file_load(path, limits, any_row_of(kind)->form->read, &made.filter);

  return any_take(status, made, any);
}

/* Opens a file in place, to change it if it is `shared`. */
static lfb_status any_open_file(const char *path, lfb_kind kind, bool shared,
                                const lfb_read_limits *limits, lfb_any *any)
{
  const any_row *row = any_row_of(kind);
  lfb_any made = {.kind = kind};

  if (row->open == NULL)
    return LFB_ERROR_NOT_MAPPED;
  const lfb_status status = row->open(path, limits, shared, &made);
  return any_take(status, made, any);
}

/* Tells what a file is: as lfb_form_of_file() says it.  Fails if it cannot be read. */
static lfb_status any_look(const char *path, const lfb_read_limits *limits, lfb_status *as_plain)
{
  lfb_form form;

  if (limits != NULL && limits->damage != NULL)
    *limits->damage = (lfb_damage){0};
  if (limits != NULL && LFB_RESERVED(limits) != LFB_OK)
    return LFB_ERROR_RESERVED;
  *as_plain = lfb_form_of_file(path, &form);
  return *as_plain == LFB_ERROR_OPEN || *as_plain == LFB_ERROR_READ ||
                 *as_plain == LFB_ERROR_NOT_REGULAR
             ? *as_plain
             : LFB_OK;
}

lfb_status lfb_any_open(const char *path, lfb_kind kind, lfb_opening how,
                        const lfb_read_limits *limits, lfb_any *any)
{
  const bool any_growing = kind == LFB_KIND_GROWING && how == LFB_OPEN_IN_PLACE;
  lfb_status as_plain = LFB_OK;

  if (kind == LFB_KIND_NONE || any_growing) {
    const lfb_status status = any_look(path, limits, &as_plain);
    if (status != LFB_OK)
      return status;
  }
  if (kind == LFB_KIND_NONE)
    kind = any_kind_of(as_plain);
  if (how == LFB_OPEN_SHARED ||
      (how == LFB_OPEN_IN_PLACE &&
       (kind == LFB_KIND_PLAIN || as_plain == LFB_ERROR_GROWING_MAPPED)))
    return any_open_file(path, kind, how == LFB_OPEN_SHARED, limits, any);
  return any_copy_file(path, kind, limits, any);
}

/* A stream and its first bytes, which lfb_any_read() has taken from it. */
typedef struct any_stream {
  lfb_read_fn read;
  void *from;
  unsigned char head[LFB_FORM_HEAD];
  size_t given; /* bytes of `head` */
} any_stream;

/* An lfb_read_fn that gives them once more. */
static lfb_status any_stream_read(void *from, void *bytes, size_t size, size_t *got)
{
  any_stream *stream = from;
  const size_t left = sizeof stream->head - stream->given;

  if (left == 0)
    return stream->read(stream->from, bytes, size, got);
  *got = size < left ? size : left;
  memcpy(bytes, stream->head + stream->given, *got);
  stream->given += *got;
  return LFB_OK;
}

lfb_status lfb_any_read(lfb_read_fn read, void *from, lfb_kind kind, const lfb_read_limits *limits,
                        lfb_any *any)
{
  lfb_reader reader = lfb_reader_of(read, from, limits);
  any_stream stream = {.read = read, .from = from};

  if (kind == LFB_KIND_NONE) {
    const lfb_status status = lfb_form_read_bytes(&reader, stream.head, sizeof stream.head);
    if (status != LFB_OK)
      return status;
    kind = any_kind_of(lfb_form_foreign(stream.head));
    reader.read = any_stream_read;
    reader.from = &stream;
  }
  lfb_any made = {.kind = kind};
  const lfb_status status = any_row_of(kind)->form->read(&reader, &made.filter);
  return any_take(status, made, any);
}

lfb_status lfb_any_write(lfb_any any, lfb_write_fn write, void *to)
{
  return any_row_of(any.kind)->form->write(any.filter, &(lfb_writer){.write = write, .to = to});
}

lfb_status lfb_any_save(lfb_any any, const char *path)
{
  lfb_figures figures;

  lfb_any_plan(any, &figures);
  const lfb_content content = {
      .what = any.filter, .secret = figures.all.key_kept,
              .write = any_row_of(any.kind)->form->write};
  return lfb_file_save(&content, path);
}

lfb_status lfb_any_sync(lfb_any any)
{
  const any_row *row = any_row_of(any.kind);
  return row->sync == NULL ? LFB_ERROR_NOT_MAPPED : row->sync(any);
}

void lfb_any_free(lfb_any any)
{
  const any_row *row = any_row_of(any.kind);

  if (row->free != NULL)
    row->free(any);
}

/* ---- copies --------------------------------------------------------------------------- */

lfb_status lfb_any_copy(lfb_any any, lfb_any *copy)
{
  const any_row *row = any_row_of(any.kind);
  lfb_any made = {.kind = any.kind};

  const lfb_status status = row->copy == NULL ? LFB_ERROR_WINDOW : row->copy(any, &made);
  if (status == LFB_OK)
    *copy = made;
  return status;
}

lfb_status lfb_any_to_plain(lfb_any any, lfb_filter **plain)
{
  const any_row *row = any_row_of(any.kind);
  return row->to_plain == NULL ? LFB_ERROR_WINDOW : row->to_plain(any, plain);
}
