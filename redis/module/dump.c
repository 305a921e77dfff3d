/* dump.c - heads and bodies of values. */
#define _DEFAULT_SOURCE /* endian.h */
#include "redis/module/dump.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <lfbloom/any.h>
#include <lfbloom/cpu.h>

#include "bloom/files/native_header.h"
#include "bloom/counting/counting.h"
#include "bloom/filter/digest.h"
#include "bloom/window/window.h"
#include "redis/module/later.h"
#include "redis/module/memory.h"

/* ---- heads ------------------------------------------------------------------------- */

static uint64_t value_newest_items(const lfb_value *value)
{
  if (value->recipe.kind == LFB_VALUE_WINDOW)
    return value->period_items;
  return value->layer_count == 0 ? 0 : value->layers[value->layer_count - 1].items;
}

/* The head of a value that waits for its body is the one that it was made from. */
void lfb_dump_head(const lfb_value *value, lfb_dump_state state, unsigned char *head)
{
  const lfb_dump_fields dumped = {
      .recipe = value->recipe,
      .state = state,
      .layers = value->loading == NULL ? value->layer_count : value->waits_layers,
      .items = value->items,
      .newest_items = value->loading == NULL ? value_newest_items(value) : value->waits_items,
      .began_ms = value->began_ms,
      .edition = value->loading == NULL ? (uint32_t)value->changes : value->waits_edition,
  };

  lfb_dump_fields_write(&dumped, head);
}

lfb_status lfb_dump_read_head(const void *head, size_t size, uint64_t max_bytes,
                              lfb_dump_state *state, lfb_value **value)
{
  lfb_dump_fields dumped;
  lfb_value *made;

  lfb_status status = lfb_dump_fields_read(head, size, &dumped);
  if (status != LFB_OK)
    return status;
  status = dumped.state == LFB_DUMP_EMPTY ? lfb_value_create(&dumped.recipe, max_bytes, &made)
                                          : lfb_value_begin(&dumped.recipe, &made);
  if (status != LFB_OK)
    return status;
  made->items = dumped.items;
  made->began_ms = dumped.began_ms;
  made->waits_layers = dumped.layers;
  made->waits_items = dumped.newest_items;
  made->waits_edition = dumped.edition;
  *state = dumped.state;
  *value = made;
  return LFB_OK;
}

/* ---- bodies ------------------------------------------------------------------------- */

lfb_status lfb_dump_write_body(const lfb_value *value, lfb_write_fn write, void *to)
{
  lfb_status status = LFB_OK;

  if (value->any.kind != LFB_KIND_NONE)
    return lfb_any_write(value->any, write, to);
  for (uint32_t i = 0; status == LFB_OK && i < value->layer_count; i++) {
    const lfb_filter *filter = value->layers[i].filter;
    lfb_later_ready_words(filter, 0, filter->layout.bits.word_count);
    status = lfb_filter_write(filter, LFB_FORM_NATIVE, write, to);
  }
  return status;
}

static bool hash_fits(const lfb_recipe *recipe, const lfb_description *description)
{
  lfb_recipe its = {.seed = 0};

  lfb_recipe_take_hash(&its, description);
  return lfb_recipe_same_hash(&its, recipe);
}

/* Whether a filter that was read can be a layer of a chain. */
static bool layer_fits(const lfb_recipe *recipe, const lfb_filter *filter)
{
  const lfb_description *description = &filter->description;

  return description->form == LFB_FORM_NATIVE && description->strategy->id == LFB_FAST &&
         lfb_recipe_has_capacity(recipe, description->config.expected_insertions) &&
         hash_fits(recipe, description);
}

/* Whether a window, or what is removable, is that of its head. */
static bool any_fits(const lfb_value *value)
{
  const lfb_recipe *recipe = &value->recipe;
  lfb_figures figures;

  lfb_any_stats(value->any, &figures);
  if (figures.all.expected_insertions != recipe->capacity)
    return false;
  if (value->any.kind == LFB_KIND_WINDOW)
    return figures.window.generations == recipe->generations &&
           hash_fits(recipe, &value->any.window->description);
  const lfb_description *description = &value->any.counting->description;
  return figures.all.strategy == LFB_TAGS && figures.all.copies == value->items &&
         description->config.copies == recipe->copies && hash_fits(recipe, description) &&
         figures.all.fpp <= recipe->error && figures.all.fpp >= recipe->error;
}

/* What is left of a limit after the layers that were read; at least 1, which fits nothing. */
static uint64_t limit_left(uint64_t limit, uint64_t used)
{
  return limit == 0 ? 0 : limit > used ? limit - used
                                       : 1;
}

/* Takes a filter that was read as the next layer; the value owns it, also on failure. */
static lfb_status body_take_layer(lfb_value *value, lfb_filter *filter, uint64_t memory)
{
  const uint32_t number = value->layer_count;

  if (!layer_fits(&value->recipe, filter)) {
    lfb_filter_free(filter);
    return LFB_ERROR_BAD_HEADER;
  }
  const lfb_status status = lfb_value_add_layer(value, filter, memory);
  if (status != LFB_OK)
    return status;
  lfb_memory_settle(&filter->pages);                            /* all its words were written */
  value->layers[number].items = value->layers[number].capacity; /* only the newest is not full */
  return LFB_OK;
}

/* Notes how many keys the newest layer of a chain has. */
static void body_take_items(lfb_value *value)
{
  lfb_chain_filter *newest = &value->layers[value->layer_count - 1];

  newest->items = value->waits_items < newest->capacity ? value->waits_items : newest->capacity;
}

static lfb_status body_read_layer(lfb_value *value, uint64_t max_bytes, lfb_read_fn read,
                                  void *from)
{
  const lfb_read_limits limits = {.max_bytes = limit_left(max_bytes, lfb_value_bytes(value))};
  const uint64_t before = lfb_memory_tally();
  lfb_filter *filter;

  const lfb_status status = lfb_filter_read(read, from, &limits, &filter);
  return status == LFB_OK ? body_take_layer(value, filter, lfb_memory_tally() - before) : status;
}

static lfb_status body_read_chain(lfb_value *value, uint64_t max_bytes, lfb_read_fn read,
                                  void *from)
{
  lfb_status status = LFB_OK;

  while (status == LFB_OK && value->layer_count < value->waits_layers)
    status = body_read_layer(value, max_bytes, read, from);
  if (status == LFB_OK)
    body_take_items(value);
  return status;
}

static lfb_status body_read_any(lfb_value *value, uint64_t max_bytes, lfb_read_fn read, void *from)
{
  const bool window = value->recipe.kind == LFB_VALUE_WINDOW;
  const lfb_read_limits limits = {.max_bytes = max_bytes};
  const uint64_t before = lfb_memory_tally();

  const lfb_status status = lfb_any_read(read, from, window ? LFB_KIND_WINDOW : LFB_KIND_COUNTING,
                                         &limits, &value->any);
  if (status != LFB_OK)
    return status;
  value->any_memory = lfb_memory_tally() - before;
  lfb_memory_settle(lfb_value_pages(value));
  value->period_items = value->waits_items;
  return any_fits(value) ? LFB_OK : LFB_ERROR_BAD_HEADER;
}

lfb_status lfb_dump_read_body(lfb_value *value, uint64_t max_bytes, lfb_read_fn read, void *from)
{
  return value->recipe.kind == LFB_VALUE_CHAIN ? body_read_chain(value, max_bytes, read, from)
                                               : body_read_any(value, max_bytes, read, from);
}

/* ---- parts ---------------------------------------------------------------------------- */

/* A part of a body.  It has what is written in one call wholly or not at all: a header, which has
 * the time of writing, would differ in the next part. */
typedef struct part {
  uint64_t skip; /* bytes before the part */
  char *bytes;
  size_t size;
  size_t enough; /* bytes; it may have LFB_DUMP_CHUNK_MORE more */
} part;

/* docs/formats.md: a header, the words, a checksum for each piece, and one of these */
enum { PIECE_WORDS = LFB_CHECKED_BYTES / 8 };

static bool part_is_full(const part *taken)
{
  return taken->size >= taken->enough;
}

static lfb_status part_take(void *to, const void *bytes, size_t size)
{
  part *taken = to;

  if (taken->skip >= size) {
    taken->skip -= size;
    return LFB_OK;
  }
  if (taken->skip > 0 || part_is_full(taken) ||
      size > taken->enough + LFB_DUMP_CHUNK_MORE - taken->size)
    return LFB_ERROR_STOPPED;
  memcpy(taken->bytes + taken->size, bytes, size);
  taken->size += size;
  return LFB_OK;
}

/* Takes the first call, the header. */
static lfb_status part_take_header(void *to, const void *bytes, size_t size)
{
  const lfb_status status = part_take(to, bytes, size);
  return status == LFB_OK ? LFB_ERROR_STOPPED : status;
}

/* The checksums of a layer's pieces, as far as parts of the unchanged value have read them; 0: not
 * yet.  NULL: no memory. */
static uint64_t *scan_sums(lfb_value *value, uint32_t number, uint64_t count)
{
  lfb_scanned *scanned = &value->scanned;

  if (scanned->sums == NULL || scanned->layer != number || scanned->changes != value->changes) {
    free(scanned->sums);
    *scanned = (lfb_scanned){calloc((size_t)count, sizeof *scanned->sums), number, value->changes};
  }
  return scanned->sums;
}

/* Takes a piece of words, or what is left.  Returns how many. */
static size_t part_take_piece(part *taken, const lfb_filter *filter, uint64_t at, uint64_t *sums)
{
  uint64_t *words = (uint64_t *)(void *)(taken->bytes + taken->size);

  lfb_later_ready_words(filter, at, PIECE_WORDS);
  const size_t got = lfb_filter_words(filter, at, words, PIECE_WORDS);

  for (size_t i = 0; i < got; i++)
    words[i] = htole64(words[i]);
  if (at % PIECE_WORDS == 0)
    sums[at / PIECE_WORDS] = htole64(lfb_digest_xxh3(words, 8 * got));
  return got;
}

/* Takes words from the filter itself: writing it would read all words again for each part.  Returns
 * whether it has taken the last ones. */
static bool part_take_words(part *taken, const lfb_filter *filter, uint64_t word_count,
                            uint64_t *sums)
{
  const uint64_t skipped = taken->skip / 8 < word_count ? taken->skip / 8 : word_count;
  uint64_t at = skipped;

  taken->skip -= 8 * skipped;
  while (at < word_count && !part_is_full(taken)) {
    const size_t got = part_take_piece(taken, filter, at, sums);
    at += got;
    taken->size += 8 * got;
  }
  return at == word_count;
}

/* Takes the table of checksums; it reads the words of those that no part has summed. */
static lfb_status part_take_table(part *taken, const lfb_filter *filter, uint64_t count,
                                  uint64_t *sums)
{
  if (8 * (count + 1) > taken->enough + LFB_DUMP_CHUNK_MORE - taken->size)
    return LFB_ERROR_STOPPED;
  for (uint64_t i = 0; i < count; i++)
    if (sums[i] == 0)
      (void)part_take_piece(taken, filter, i * PIECE_WORDS, sums);
  const uint64_t last = htole64(lfb_digest_xxh3(sums, 8 * (size_t)count));
  memcpy(taken->bytes + taken->size, sums, 8 * (size_t)count);
  memcpy(taken->bytes + taken->size + 8 * count, &last, sizeof last);
  taken->size += 8 * (size_t)(count + 1);
  return LFB_OK;
}

/* Takes the part of one layer.  Returns LFB_ERROR_STOPPED if the part is full. */
static lfb_status part_take_layer(part *taken, lfb_value *value, uint32_t number)
{
  const lfb_filter *filter = value->layers[number].filter;
  lfb_stats stats;

  lfb_filter_stats(filter, &stats);
  const uint64_t words = stats.bytes / 8, pieces = (words + PIECE_WORDS - 1) / PIECE_WORDS;
  const uint64_t all = LFB_NATIVE_HEADER + 8 * (words + pieces + 1);
  if (taken->skip >= all) {
    taken->skip -= all;
    return LFB_OK;
  }
  uint64_t *sums = scan_sums(value, number, pieces);
  if (sums == NULL)
    return LFB_ERROR_NO_MEMORY;
  if (taken->skip < LFB_NATIVE_HEADER) {
    lfb_later_count(filter);
    const lfb_status status = lfb_filter_write(filter, LFB_FORM_NATIVE, part_take_header, taken);
    if (status != LFB_ERROR_STOPPED || part_is_full(taken))
      return status;
    if (taken->skip > 0) /* no part begins in a header */
      return LFB_ERROR_BAD_HEADER;
  } else {
    taken->skip -= LFB_NATIVE_HEADER;
  }
  if (!part_take_words(taken, filter, words, sums) || part_is_full(taken))
    return LFB_ERROR_STOPPED;
  if (taken->skip > 0) /* the middle of a table is no beginning of a part */
    return LFB_ERROR_BAD_HEADER;
  return part_take_table(taken, filter, pieces, sums);
}

static lfb_status part_take_body(part *taken, lfb_value *value)
{
  lfb_status status = LFB_OK;

  if (value->any.kind != LFB_KIND_NONE)
    return lfb_any_write(value->any, part_take, taken);
  for (uint32_t i = 0; status == LFB_OK && i < value->layer_count; i++)
    status = part_take_layer(taken, value, i);
  return status;
}

lfb_status lfb_dump_part(lfb_value *value, uint64_t offset, size_t before, char **bytes,
                         size_t *size)
{
  const size_t enough = value->any.kind == LFB_KIND_NONE ? LFB_DUMP_CHUNK : LFB_DUMP_CHUNK_WINDOW;
  char *memory = malloc(before + enough + LFB_DUMP_CHUNK_MORE);

  if (memory == NULL)
    return LFB_ERROR_NO_MEMORY;
  part taken = {.skip = offset, .bytes = memory + before, .enough = enough};
  lfb_status status = part_take_body(&taken, value);
  if (status == LFB_ERROR_STOPPED)
    status = LFB_OK;
  if (status == LFB_OK && taken.skip > 0) /* no part begins there */
    status = LFB_ERROR_BAD_HEADER;
  if (status != LFB_OK) {
    free(memory);
    return status;
  }
  *bytes = memory;
  *size = taken.size;
  return LFB_OK;
}

/* ---- values that come in chunks ------------------------------------------------------------- */

/* More than any body has whose words are of max_bytes. */
static uint64_t body_most(uint64_t max_bytes)
{
  const uint64_t forms = (uint64_t)LFB_VALUE_LAYERS * 1024;

  return max_bytes == 0 || max_bytes > UINT64_MAX / 4 ? UINT64_MAX
                                                      : max_bytes + max_bytes / 1024 + forms;
}

lfb_status lfb_dump_begin(lfb_value *value, uint64_t first)
{
  const lfb_status status = lfb_arrived_create(&value->loading);

  return status == LFB_OK && value->recipe.kind == LFB_VALUE_CHAIN
             ? lfb_coming_create(first, &value->coming)
             : status;
}

/* Takes bytes into the layers. */
static lfb_status dump_take(lfb_value *value, uint64_t max_bytes, const char *bytes, size_t size)
{
  lfb_status status = LFB_OK;

  lfb_arrived_count(value->loading, size);
  for (size_t taken; status == LFB_OK && size > 0; bytes += taken, size -= taken) {
    uint64_t memory;
    lfb_filter *filter;
    if (value->layer_count == value->waits_layers)
      return LFB_ERROR_TRAILING_BYTES;
    status = lfb_coming_take(value->coming, limit_left(max_bytes, lfb_value_bytes(value)), bytes,
                             size, &taken, &filter, &memory);
    if (status == LFB_OK && filter != NULL)
      status = body_take_layer(value, filter, memory);
  }
  return status;
}

lfb_status lfb_dump_add(lfb_value *value, uint64_t max_bytes, const void *bytes, size_t size)
{
  const uint64_t most = body_most(max_bytes), had = lfb_arrived_size(value->loading);

  if (had > most || size > most - had) /* the limit may be lower than before */
    return LFB_ERROR_OVER_LIMIT;
  return value->coming != NULL ? dump_take(value, max_bytes, bytes, size)
                               : lfb_arrived_add(value->loading, bytes, size);
}

lfb_status lfb_dump_write_come(const lfb_value *value, lfb_write_fn write, void *to)
{
  lfb_status status = LFB_OK;

  if (value->coming == NULL)
    return lfb_arrived_write(value->loading, write, to);
  for (uint32_t i = 0; status == LFB_OK && i < value->layer_count; i++)
    status = lfb_coming_write_layer(value->coming, i, value->layers[i].filter, write, to);
  return status == LFB_OK ? lfb_coming_write_rest(value->coming, write, to) : status;
}

/* Completes a chain whose layers were taken as they came. */
static lfb_status dump_end_coming(lfb_value *value)
{
  if (value->layer_count < value->waits_layers)
    return LFB_ERROR_TRUNCATED;
  body_take_items(value);
  lfb_coming_free(value->coming);
  value->coming = NULL;
  return LFB_OK;
}

static lfb_status dump_end_pieces(lfb_value *value, uint64_t max_bytes)
{
  char more;
  size_t got;

  lfb_status status = lfb_dump_read_body(value, max_bytes, lfb_arrived_take, value->loading);
  if (status == LFB_OK)
    status = lfb_arrived_take(value->loading, &more, 1, &got);
  return status == LFB_OK && got > 0 ? LFB_ERROR_TRAILING_BYTES : status;
}

lfb_status lfb_dump_end(lfb_value *value, uint64_t max_bytes)
{
  const lfb_status status =
      value->coming != NULL ? dump_end_coming(value) : dump_end_pieces(value, max_bytes);

  if (status != LFB_OK)
    return status;
  lfb_arrived_free(value->loading);
  value->loading = NULL;
  return LFB_OK;
}

/* ---- copies ------------------------------------------------------------------------------- */

/* Copies a window by writing and reading: it has no other way. */
static lfb_status dump_copy_any(const lfb_value *value, lfb_value *copy)
{
  copy->any_memory = value->any_memory;
  if (value->any.kind == LFB_KIND_COUNTING)
    return lfb_any_copy(value->any, &copy->any);
  lfb_status status = lfb_arrived_create(&copy->loading);
  if (status == LFB_OK)
    status = lfb_dump_write_body(value, lfb_arrived_add, copy->loading);
  return status == LFB_OK ? lfb_dump_end(copy, 0) : status;
}

lfb_status lfb_dump_copy(const lfb_value *value, uint64_t max_bytes, lfb_value **copy)
{
  unsigned char head[LFB_DUMP_HEAD];
  lfb_dump_state state;
  lfb_value *made;

  if (max_bytes > 0 && lfb_value_bytes(value) > max_bytes)
    return LFB_ERROR_OVER_LIMIT;
  lfb_dump_head(value, LFB_DUMP_WHOLE, head);
  lfb_status status = lfb_dump_read_head(head, sizeof head, 0, &state, &made);
  if (status != LFB_OK)
    return status;
  status = value->any.kind == LFB_KIND_NONE
               ? lfb_value_copy_layers(value, value->layer_count, made)
               : dump_copy_any(value, made);
  if (status == LFB_OK)
    *copy = made;
  else
    lfb_value_free(made);
  return status;
}
