/* growing_mapped.c - a growing filter in a mapped file: its layers, making, opening, syncing. */
#define _POSIX_C_SOURCE 200809L
#include <lfbloom/growing_mapped.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "atomic/words/reserved.h"
#include "bloom/files/forms.h"
#include "bloom/growing/growing_files.h"
#include "bloom/files/mapping.h"
#include "bloom/files/mapped_header.h"

/* The layout of docs/formats.md: it must not follow a change of this library's stripes. */
_Static_assert(LFB_GROWING_STRIPES_SIZE == 4096 && LFB_GROWING_HEAD == 327680, "the file's head");

/* ---- geometry in a word ---------------------------------------------------------------- */

enum { PROBES_BITS = 8,
       WORDS_BITS = 8,
       BITS_AT = PROBES_BITS + WORDS_BITS };

/* A geometry as an entry of the table; 0 if it does not fit, from 2^48 bits on. */
static uint64_t geometry_pack(const lfb_geometry *geometry)
{
  if (geometry->bit_count >> (LFB_WORD_BITS - BITS_AT) != 0)
    return 0;
  return geometry->bit_count << BITS_AT | (uint64_t)geometry->words_per_key << PROBES_BITS |
         geometry->probes;
}

static lfb_geometry geometry_unpack(uint64_t packed)
{
  const uint64_t bit_count = packed >> BITS_AT;

  lfb_geometry geometry = {
      .bit_count = bit_count,
      .word_count = (bit_count + LFB_WORD_BITS - 1) / LFB_WORD_BITS,
      .probes = (uint32_t)(packed & ((1 << PROBES_BITS) - 1)),
  };
  geometry.words_per_key = (uint32_t)(packed >> PROBES_BITS & ((1 << WORDS_BITS) - 1));
  return geometry;
}

/* ---- where things are ------------------------------------------------------------------ */

static lfb_word *files_table(const lfb_growing *growing)
{
  return lfb_mapping_at(growing->mapping, LFB_GROWING_TABLE);
}

/* The table's entry of a layer; 0 while none is chosen. */
static uint64_t files_entry(const lfb_growing *growing, uint32_t number)
{
  /* acquire: pairs with the CAS in files_choose(); the range is reserved. */
  return atomic_load_explicit(&files_table(growing)[number], memory_order_acquire);
}

static lfb_geometry files_geometry(const lfb_growing *growing, uint32_t number)
{
  return geometry_unpack(files_entry(growing, number));
}

/* The range of the words of a layer after byte `end` of the file.  A byte between two ranges stays
 * free (ranges.c). */
static lfb_range words_range(uint64_t end, const lfb_geometry *geometry)
{
  const uint64_t bytes = geometry->word_count * sizeof(lfb_word);
  const uint64_t from = lfb_mapped_words_from(end + 1, bytes);
  return (lfb_range){from, from + bytes};
}

/* The end of the first `count` layers. */
static uint64_t files_end(const lfb_growing *growing, uint32_t count)
{
  uint64_t end = LFB_GROWING_HEAD;

  for (uint32_t i = 0; i < count; i++) {
    const lfb_geometry geometry = files_geometry(growing, i);
    end = words_range(end, &geometry).end;
  }
  return end;
}

static lfb_range stripes_range(uint32_t number)
{
  const uint64_t from = LFB_GROWING_STRIPES + (uint64_t)number * LFB_GROWING_STRIPES_SIZE;
  return (lfb_range){from, from + LFB_GROWING_STRIPES_SIZE};
}

/* Checks the open file; `*size` receives its size. */
static lfb_status files_look(const lfb_growing *growing, uint64_t *size)
{
  lfb_disk_file disk = {.fd = growing->mapping->disk.fd};

  if (!lfb_mapping_is_whole(growing->mapping) || lfb_disk_look(&disk) != LFB_OK) {
    errno = EBADF; /* the descriptor may belong to another file by now */
    return LFB_ERROR_MAP;
  }
  *size = disk.size;
  return LFB_OK;
}

/* ---- opening a layer ------------------------------------------------------------------- */

/* Makes the description of a layer's filter from the table's entry, and checks it. */
static lfb_status layer_describe(const lfb_growing *growing, uint32_t number,
                                 const lfb_description *like, lfb_description *description)
{
  const lfb_geometry geometry = files_geometry(growing, number);
  lfb_config *config = &description->config;

  *description = *like;
  description->geometry = geometry;
  description->form = LFB_FORM_MAPPED;
  config->expected_insertions =
      lfb_layers_insertions(growing->config.expected_insertions, number);
  if (number > 0) /* that of the first is in its header */
    config->fpp = lfb_layers_next_fpp(growing, number);
  return geometry.bit_count != 0 && geometry.probes != 0 && like->strategy->valid(&geometry) &&
                 lfb_layers_fit(growing, description, number)
             ? LFB_OK
             : LFB_ERROR_BAD_HEADER;
}

/* Unmaps a layer's words; the growing filter owns the rest. */
static void layer_destroy(lfb_filter *filter)
{
  lfb_pages_unmap(&filter->pages);
}

/* Maps a range and makes a filter over it. */
static lfb_status layer_map(const lfb_growing *growing, uint32_t number, lfb_range words,
                            const lfb_description *description, lfb_filter **filter)
{
  const lfb_mapping *mapping = growing->mapping;
  lfb_cell *cells = lfb_mapping_at(mapping, LFB_GROWING_CELLS);
  lfb_stripe *stripes = lfb_mapping_at(mapping, stripes_range(number).from);
  lfb_pages pages;

  lfb_status status = lfb_pages_map(&pages, mapping->disk.fd, words.from, words.end - words.from,
                                    growing->writable);
  if (status != LFB_OK)
    return status;
  status = lfb_mapping_make_filter(description, &pages, cells, lfb_stripes_over(stripes),
                                   layer_destroy, filter);
  if (status != LFB_OK)
    lfb_pages_unmap(&pages);
  return status;
}

static lfb_status layer_open(const lfb_growing *growing, uint32_t number,
                             const lfb_description *like, lfb_filter **filter)
{
  lfb_description description;
  uint64_t size;

  lfb_status status = layer_describe(growing, number, like, &description);
  if (status == LFB_OK)
    status = files_look(growing, &size);
  if (status != LFB_OK)
    return status;
  const lfb_range words = words_range(files_end(growing, number), &description.geometry);
  return size < words.end ? LFB_ERROR_TRUNCATED
                          : layer_map(growing, number, words, &description, filter);
}

/* ---- adding a layer -------------------------------------------------------------------- */

/* Raises the number of layers to `count`, unless it is higher. */
static void files_raise(const lfb_growing *growing, uint64_t count)
{
  lfb_word *word = lfb_mapping_at(growing->mapping, LFB_GROWING_COUNT);
  uint64_t seen = lfb_word_get(word);

  /* release: pairs with lfb_layers_behind().  A CAS fails only because another process has raised
   * the number, which happens 64 times at most. */
  while (seen < count && !lfb_cas_u64(word, &seen, count, memory_order_release))
    continue;
}

/* Reserves the ranges of a layer: of the first one in a new file. */
static lfb_status files_reserve(int fd, uint32_t number, lfb_range words)
{
  const lfb_range_users users = number == 0 ? LFB_RANGE_ALONE : LFB_RANGE_SHARED;
  lfb_status status = number == 0 ? lfb_range_set_size(fd, words.end) : LFB_OK;

  if (status == LFB_OK)
    status = lfb_range_reserve(fd, stripes_range(number), users);
  if (status != LFB_OK)
    return status;
  return number == 0 ? lfb_range_reserve(fd, words, users) : lfb_range_append(fd, words);
}

/* Reserves the ranges of a layer and enters its geometry in the table, unless another process
 * has. */
static lfb_status files_choose(const lfb_growing *growing, uint32_t number,
                               const lfb_description *description)
{
  const lfb_geometry *geometry = &description->geometry;
  const uint64_t entry = geometry_pack(geometry);
  uint64_t seen = 0, size;

  if (entry == 0 || geometry->bit_count > description->strategy->reachable_bits)
    return LFB_ERROR_TOO_MANY_BITS;
  lfb_status status = files_look(growing, &size);
  if (status == LFB_OK)
    status = files_reserve(growing->mapping->disk.fd, number,
                           words_range(files_end(growing, number), geometry));
  if (status == LFB_OK)
    /* release: pairs with files_entry().  It fails if another process was first. */
    (void)lfb_cas_u64(&files_table(growing)[number], &seen, entry, memory_order_release);
  return status;
}

static lfb_status layer_add(const lfb_growing *growing, uint32_t number,
                            const lfb_description *description, lfb_filter **filter)
{
  lfb_status status = LFB_OK;

  if (files_entry(growing, number) == 0)
    status = files_choose(growing, number, description);
  if (status == LFB_OK)
    status = layer_open(growing, number, description, filter);
  if (status == LFB_OK)
    files_raise(growing, number + UINT64_C(1));
  return status;
}

static const lfb_layers_file growing_file = {layer_open, layer_add};

/* Maps the head. */
static lfb_status files_map_head(lfb_growing *growing, bool writable)
{
  const lfb_status status = lfb_mapping_map(growing->mapping, LFB_GROWING_HEAD, writable);

  if (status != LFB_OK)
    return status;
  growing->file = &growing_file;
  growing->count = lfb_mapping_at(growing->mapping, LFB_GROWING_COUNT);
  growing->writable = writable;
  return LFB_OK;
}

/* ---- opening ------------------------------------------------------------------------- */

/* Reads the header of the whole and the first layer's header. */
static lfb_status head_read(int fd, const uint8_t *key, lfb_growing *growing,
                            lfb_description *first)
{
  unsigned char bytes[LFB_GROWING_READ];
  uint32_t layers; /* when the file was made */
  size_t have;

  lfb_status status = lfb_disk_read_at(fd, 0, bytes, sizeof bytes, &have);
  if (status != LFB_OK)
    return status;
  if (have < LFB_FORM_HEAD)
    return LFB_ERROR_TRUNCATED;
  const lfb_magic begun = lfb_magic_begun(bytes);
  if (begun != LFB_MAGIC_GROWING_MAPPED)
    return begun == LFB_MAGIC_GROWING               ? LFB_ERROR_NOT_MAPPED
           : lfb_form_begun(bytes) != LFB_FORM_NONE ? LFB_ERROR_NOT_GROWING
                                                    : LFB_ERROR_UNKNOWN_FORM;
  if (have < sizeof bytes)
    return LFB_ERROR_TRUNCATED;
  status = lfb_growing_decode(bytes, growing, &layers);
  if (status == LFB_OK)
    status = lfb_native_decode(bytes + LFB_GROWING_FIRST, key, first);
  return status == LFB_ERROR_UNKNOWN_FORM ? LFB_ERROR_BAD_HEADER : status;
}

/* Opens the file, reads its head, checks and maps it. */
static lfb_status head_open(lfb_growing *growing, const uint8_t *key, bool writable,
                            lfb_description *first)
{
  lfb_disk_file *disk = &growing->mapping->disk;

  lfb_status status = lfb_disk_open(growing->mapping->path, writable, disk);
  if (status == LFB_OK)
    status = head_read(disk->fd, key, growing, first);
  if (status == LFB_OK)
    status = lfb_claims_sharable(first->strategy->hash_width);
  if (status != LFB_OK)
    return status;
  if (disk->size < LFB_GROWING_HEAD)
    return LFB_ERROR_TRUNCATED;
  return lfb_layers_fit(growing, first, 0) ? files_map_head(growing, writable)
                                           : LFB_ERROR_BAD_HEADER;
}

/* Checks that the file is long enough for `count` layers, and reserves the blocks it lacks; if the
 * file is read-only, checks them.  Not inlined: opening a layer needs that stack. */
static __attribute__((noinline)) lfb_status
files_check_holes(const lfb_growing *growing, uint32_t count, bool limited)
{
  lfb_range ranges[2 + LFB_GROWING_LAYERS] = {
      {0, LFB_GROWING_CELLS_END}, {LFB_GROWING_STRIPES, stripes_range(count - 1).end}};
  lfb_disk_file disk = {.fd = growing->mapping->disk.fd};
  uint64_t end = LFB_GROWING_HEAD;

  if (lfb_disk_look(&disk) != LFB_OK) /* again: another process may have added a layer */
    return LFB_ERROR_OPEN;
  for (uint32_t i = 0; i < count; i++) {
    const lfb_geometry geometry = files_geometry(growing, i);
    ranges[2 + i] = words_range(end, &geometry);
    end = ranges[2 + i].end;
  }
  if (end > disk.size)
    return LFB_ERROR_TRUNCATED;
  return growing->writable ? lfb_range_fill_holes(&disk, ranges, 2 + count, limited)
                           : lfb_range_check_holes(&disk, ranges, 2 + count);
}

/* Whether the words of the first `count` layers have more than `max_bytes` bytes together. */
static bool files_are_over(const lfb_growing *growing, uint32_t count, uint64_t max_bytes)
{
  uint64_t words = 0; /* below 64 * 2^42 */

  for (uint32_t i = 0; i < count; i++)
    words += files_geometry(growing, i).word_count;
  return words * sizeof(lfb_word) > max_bytes;
}

/* Opens all layers.  Their words may have `max_bytes` bytes together; 0: any number. */
static lfb_status growing_open_layers(lfb_growing *growing, const lfb_description *first,
                                      uint64_t max_bytes)
{
  /* acquire: as in lfb_layers_behind(). */
  const uint64_t count = atomic_load_explicit(growing->count, memory_order_acquire);
  const lfb_layer *newest;
  lfb_filter *filter;

  if (count < 1 || count > LFB_GROWING_LAYERS)
    return LFB_ERROR_BAD_HEADER;
  if (max_bytes != 0 && files_are_over(growing, (uint32_t)count, max_bytes))
    return LFB_ERROR_OVER_LIMIT;
  lfb_status status = layer_open(growing, 0, first, &filter);
  if (status == LFB_OK)
    status = lfb_layers_add(growing, NULL, filter);
  if (status == LFB_OK)
    status = lfb_layers_seen(growing, &newest);
  /* Last, so that blocks are reserved only for layers that fit and keep to the limit. */
  return status == LFB_OK ? files_check_holes(growing, newest->number + 1, max_bytes != 0)
                          : status;
}

lfb_status lfb_growing_open(const char *path, const lfb_read_limits *limits, bool writable,
                            lfb_any *any)
{
  const lfb_read_limits none = {0};
  const lfb_read_limits *within = limits == NULL ? &none : limits;
  lfb_description first;

  if (LFB_RESERVED(within) != LFB_OK)
    return LFB_ERROR_RESERVED;
  lfb_growing *made = calloc(1, sizeof *made);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_mapping_begin(path, &made->mapping);
  if (status == LFB_OK)
    status = head_open(made, within->key, writable, &first);
  if (status == LFB_OK)
    status = growing_open_layers(made, &first, within->max_bytes);
  return lfb_growing_end(made, status, &any->growing);
}

/* ---- making -------------------------------------------------------------------------- */

/* Makes the first layer and the head in an empty file that has no name yet. */
static lfb_status new_fill(lfb_growing *growing, const lfb_making *making,
                           const lfb_description *first)
{
  const lfb_range front = {0, LFB_GROWING_CELLS_END};
  const int fd = making->mapping->disk.fd;
  unsigned char head[LFB_GROWING_READ];
  lfb_filter *filter;

  lfb_status status = lfb_range_set_size(fd, LFB_GROWING_HEAD);
  if (status == LFB_OK)
    status = lfb_range_reserve(fd, front, LFB_RANGE_ALONE);
  if (status == LFB_OK)
    status = files_map_head(growing, true);
  if (status == LFB_OK)
    status = layer_add(growing, 0, first, &filter);
  if (status == LFB_OK)
    status = lfb_layers_add(growing, NULL, filter);
  if (status != LFB_OK)
    return status;
  lfb_growing_encode(growing, LFB_MAGIC_GROWING_MAPPED, 1, growing->written, head);
  lfb_native_encode(first, 0, growing->written, head + LFB_GROWING_FIRST);
  lfb_making_write_head(making, head, sizeof head);
  return LFB_OK;
}

/* Makes the file of a growing filter without layers. */
static lfb_status new_make(lfb_growing *growing, const char *path, uint32_t mode,
                           lfb_making *making)
{
  lfb_description first;

  lfb_status status = lfb_layers_describe(growing, 0, &first);
  if (status == LFB_OK)
    status = lfb_claims_sharable(first.strategy->hash_width);
  if (status == LFB_OK)
    status = lfb_making_begin(path, mode, lfb_description_writes_key(&first), making);
  if (status != LFB_OK)
    return status;
  growing->mapping = making->mapping;
  growing->written = lfb_native_now();
  return lfb_making_end(making, new_fill(growing, making, &first));
}

lfb_status lfb_growing_mapped_create(const char *path, const lfb_config *config,
                                     lfb_growing **growing)
{
  lfb_making making = {.mapping = NULL};
  lfb_growing *made;
  lfb_status status;

  do {
    status = lfb_layers_begin(config, &made);
    if (status == LFB_OK)
      status =
          lfb_growing_end(made, new_make(made, path, config->file_mode, &making), growing);
  } while (lfb_making_again(&making));
  return status;
}

/* ---- keeping ------------------------------------------------------------------------- */

lfb_status lfb_growing_sync(lfb_any any)
{
  const lfb_growing *growing = any.growing;
  const lfb_layer *newest;
  uint64_t size;

  if (growing->mapping == NULL)
    return LFB_ERROR_NOT_MAPPED;
  lfb_status status = lfb_layers_seen(growing, &newest);
  if (files_look(growing, &size) != LFB_OK || size < files_end(growing, newest->number + 1))
    return LFB_ERROR_TRUNCATED;
  for (const lfb_layer *layer = newest; layer != NULL; layer = layer->older) {
    const lfb_pages *words = &layer->filter->pages;
    if (msync(words->address, (size_t)words->size, MS_SYNC) != 0 && status == LFB_OK)
      status = LFB_ERROR_SYNC;
  }
  const lfb_status of_head = lfb_mapping_sync(growing->mapping);
  return status != LFB_OK ? status : of_head;
}
