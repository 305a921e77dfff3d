/* any.c - filters of any kind: chooses the function of the kind.  lfbloom/any.h has the contract. */
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

/* ---- keys ------------------------------------------------------------------------- */

/* A verb that the kind does not have does nothing. */
static size_t any_pieces(lfb_any any, lfb_verb verb, const void *keys, size_t count, uint64_t *answers,
                         lfb_piece_hash hash_of)
{
  const bool counts = any.kind == LFB_KIND_COUNTING;
  const bool has_it = verb == LFB_PUT || verb == LFB_MIGHT_CONTAIN || verb == (counts ? LFB_REMOVE : LFB_CLAIM);

  if (has_it && any.kind == LFB_KIND_PLAIN)
    return lfb_filter_many(any.plain, verb, keys, count, answers, hash_of);
  if (has_it && any.kind == LFB_KIND_GROWING)
    return lfb_growing_many(any.growing, verb, keys, count, answers, hash_of);
  if (has_it && counts)
    return lfb_counting_many(any.counting, verb, keys, count, answers, hash_of);
  if (has_it && any.kind == LFB_KIND_WINDOW)
    return lfb_window_many(any.window, verb, keys, count, answers, hash_of);
  if (answers != NULL)
    memset(answers, 0, (count + LFB_WORD_BITS - 1) / LFB_WORD_BITS * sizeof *answers);
  return 0;
}

size_t lfb_any_many(lfb_any any, lfb_verb verb, const lfb_key *keys, size_t count,
                    uint64_t *answers)
{
  return any_pieces(any, verb, keys, count, answers, lfb_piece_bytes);
}

size_t lfb_any_many_u64(lfb_any any, lfb_verb verb, const uint64_t *keys, size_t count,
                        uint64_t *answers)
{
  return any_pieces(any, verb, keys, count, answers, lfb_piece_u64);
}

/* ---- figures ------------------------------------------------------------------------ */

static lfb_stats any_stats_of_growing(const lfb_growing_figures *growing)
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
                     .bits_set_age = growing->bits_set_age,
                     .saturated = growing->approximate_count == UINT64_MAX,
                     .approximate_count = growing->approximate_count,
                     .expected_fpp = growing->expected_fpp,
                     .written = growing->written};
}

static lfb_stats any_stats_of_window(const lfb_window_figures *window)
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

/* The figures with those that follow from the bits, or without. */
static void any_figures(lfb_any any, bool bits, lfb_figures *figures)
{
  *figures = (lfb_figures){.kind = any.kind};
  if (any.kind == LFB_KIND_PLAIN && bits)
    lfb_filter_stats(any.plain, &figures->all);
  else if (any.kind == LFB_KIND_PLAIN)
    lfb_stats_plan(&any.plain->description, &figures->all);
  else if (any.kind == LFB_KIND_COUNTING && bits)
    lfb_counting_stats(any.counting, &figures->all);
  else if (any.kind == LFB_KIND_COUNTING) {
    lfb_stats_plan(&any.counting->description, &figures->all);
    figures->all.bytes = any.counting->pages.size;
  } else if (any.kind == LFB_KIND_GROWING) {
    (bits ? lfb_growing_stats : lfb_growing_plan)(any.growing, &figures->growing);
    figures->all = any_stats_of_growing(&figures->growing);
  } else if (any.kind == LFB_KIND_WINDOW) {
    (bits ? lfb_window_stats : lfb_window_plan)(any.window, &figures->window);
    figures->all = any_stats_of_window(&figures->window);
  }
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

static lfb_status any_write_plain(const void *filter, const lfb_writer *writer)
{
  return lfb_form_row_native.write(filter, writer);
}

static const lfb_any_form any_form_plain = {any_write_plain, lfb_form_read};

/* LFB_KIND_NONE is no kind of a filter. */
static const lfb_any_form *any_form(lfb_kind kind)
{
  return kind == LFB_KIND_GROWING    ? &lfb_any_form_growing
         : kind == LFB_KIND_COUNTING ? &lfb_any_form_counting
         : kind == LFB_KIND_WINDOW   ? &lfb_any_form_window
                                     : &any_form_plain;
}

/* The kind of a file, by the status of an attempt to read it as a plain filter. */
static lfb_kind any_kind_told(lfb_status as_plain)
{
  /* of what is no filter, the functions for plain ones say why */
  return as_plain == LFB_ERROR_GROWING || as_plain == LFB_ERROR_GROWING_MAPPED ? LFB_KIND_GROWING
         : as_plain == LFB_ERROR_COUNTING                                      ? LFB_KIND_COUNTING
         : as_plain == LFB_ERROR_WINDOW                                        ? LFB_KIND_WINDOW
                                                                               : LFB_KIND_PLAIN;
}

/* Passes on a filter that was read, or frees it. */
static lfb_status any_take(lfb_status status, lfb_kind kind, void *filter, lfb_any *any)
{
  const lfb_any made = {kind, {filter}};

  if (status == LFB_OK)
    *any = made;
  else if (filter != NULL)
    lfb_any_free(made);
  return status;
}

static lfb_status any_copy_file(const char *path, lfb_kind kind, const lfb_read_limits *limits,
                                lfb_any *any)
{
  void *made = NULL;
  const lfb_status status = lfb_file_load(path, limits, any_form(kind)->read, &made);

  return any_take(status, kind, made, any);
}

/* Opens a file in place, to change it if it is `shared`. */
static lfb_status any_open_file(const char *path, lfb_kind kind, bool shared, const lfb_read_limits *limits,
                                lfb_any *any)
{
  const lfb_filter *constant = NULL;
  lfb_any made = {.kind = kind};
  lfb_status status = LFB_ERROR_NOT_MAPPED;

  if (kind == LFB_KIND_GROWING)
    status = lfb_growing_open(path, limits, shared, &made.growing);
  else if (kind == LFB_KIND_WINDOW)
    status = lfb_window_open(path, limits, &made.window);
  else if (kind == LFB_KIND_PLAIN && shared)
    status = lfb_mapped_open(path, limits, &made.plain);
  else if (kind == LFB_KIND_PLAIN) {
    status = lfb_mapped_open_read_only(path, limits, &constant);
    made.plain = (lfb_filter *)(uintptr_t)constant;
  }
  return any_take(status, kind, made.filter, any);
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
    kind = any_kind_told(as_plain);
  if (how == LFB_OPEN_SHARED ||
      (how == LFB_OPEN_IN_PLACE && (kind == LFB_KIND_PLAIN || as_plain == LFB_ERROR_GROWING_MAPPED)))
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
  void *made = NULL;

  if (kind == LFB_KIND_NONE) {
    const lfb_status status = lfb_form_read_bytes(&reader, stream.head, sizeof stream.head);
    if (status != LFB_OK)
      return status;
    kind = any_kind_told(lfb_form_foreign(stream.head));
    reader.read = any_stream_read;
    reader.from = &stream;
  }
  const lfb_status status = any_form(kind)->read(&reader, &made);
  return any_take(status, kind, made, any);
}

lfb_status lfb_any_write(lfb_any any, lfb_write_fn write, void *to)
{
  return any_form(any.kind)->write(any.filter, &(lfb_writer){.write = write, .to = to});
}

lfb_status lfb_any_save(lfb_any any, const char *path)
{
  lfb_figures figures;

  lfb_any_plan(any, &figures);
  const lfb_content content = {
      .what = any.filter, .secret = figures.all.key_kept, .write = any_form(any.kind)->write};
  return lfb_file_save(&content, path);
}

lfb_status lfb_any_sync(lfb_any any)
{
  switch (any.kind) {
  case LFB_KIND_PLAIN:
    return lfb_mapped_sync(any.plain);
  case LFB_KIND_GROWING:
    return lfb_growing_sync(any.growing);
  case LFB_KIND_WINDOW:
    return lfb_window_sync(any.window);
  default:
    return LFB_ERROR_NOT_MAPPED;
  }
}

void lfb_any_free(lfb_any any)
{
  switch (any.kind) {
  case LFB_KIND_PLAIN:
    lfb_filter_free(any.plain);
    break;
  case LFB_KIND_GROWING:
    lfb_growing_free(any.growing);
    break;
  case LFB_KIND_COUNTING:
    lfb_counting_free(any.counting);
    break;
  case LFB_KIND_WINDOW:
    lfb_window_free(any.window);
    break;
  default:
    break;
  }
}

/* ---- copies and labels ----------------------------------------------------------------- */

lfb_status lfb_any_copy(lfb_any any, lfb_any *copy)
{
  lfb_any made = {.kind = any.kind};
  lfb_status status = LFB_ERROR_WINDOW;

  if (any.kind == LFB_KIND_PLAIN)
    status = lfb_filter_copy(any.plain, &made.plain);
  else if (any.kind == LFB_KIND_GROWING)
    status = lfb_growing_copy(any.growing, &made.growing);
  else if (any.kind == LFB_KIND_COUNTING)
    status = lfb_counting_copy(any.counting, &made.counting);
  if (status == LFB_OK)
    *copy = made;
  return status;
}

lfb_status lfb_any_to_plain(lfb_any any, lfb_filter **plain)
{
  switch (any.kind) {
  case LFB_KIND_PLAIN:
    return lfb_filter_copy(any.plain, plain);
  case LFB_KIND_GROWING:
    return lfb_growing_to_plain(any.growing, plain);
  case LFB_KIND_COUNTING:
    return lfb_counting_to_plain(any.counting, plain);
  default:
    return LFB_ERROR_WINDOW;
  }
}

/* The label; NULL: it has none. */
static char *any_label(lfb_any any)
{
  switch (any.kind) {
  case LFB_KIND_PLAIN:
    return any.plain->description.label;
  case LFB_KIND_GROWING:
    return any.growing->label;
  case LFB_KIND_COUNTING:
    return any.counting->description.label;
  default:
    return NULL;
  }
}

const char *lfb_any_label(lfb_any any)
{
  const char *label = any_label(any);

  return label == NULL ? "" : label;
}

lfb_status lfb_any_set_label(lfb_any any, const char *label)
{
  char *of = any_label(any);

  return of == NULL ? LFB_ERROR_WINDOW : lfb_label_set(of, label);
}
