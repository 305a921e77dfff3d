/* growing_files.c - the layers in the file of a growing filter, and its head. */
#include "bloom/kinds/growing_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The layout of docs/formats.md: it must not follow a change of this library's stripes. */
_Static_assert(LFB_GROWING_STRIPES_SIZE == 4096 && LFB_GROWING_HEAD == 327680, "the file's head");

/* ---- geometry in a word ---------------------------------------------------------------- */

enum { PROBES_BITS = 8, WORDS_BITS = 8, BITS_AT = PROBES_BITS + WORDS_BITS };

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

  return (lfb_geometry){
      .bit_count = bit_count,
      .word_count = (bit_count + LFB_WORD_BITS - 1) / LFB_WORD_BITS,
      .probes = (uint32_t)(packed & ((1 << PROBES_BITS) - 1)),
      .words_per_key = (uint32_t)(packed >> PROBES_BITS & ((1 << WORDS_BITS) - 1)),
  };
}

/* ---- where things are ------------------------------------------------------------------ */

static lfb_word *files_table(const lfb_growing_files *files)
{
  return lfb_mapping_at(files->mapping, LFB_GROWING_TABLE);
}

/* The table's entry of a layer. */
static uint64_t files_entry(const lfb_growing_files *files, uint32_t number)
{
  /* acquire: pairs with the CAS in files_choose(); the range is reserved. */
  return atomic_load_explicit(&files_table(files)[number], memory_order_acquire);
}

/* The range of `word_bytes` bytes of words after byte `end` of the file.  A byte between two ranges
 * stays free (room.c). */
static lfb_room room_after(uint64_t end, uint64_t word_bytes)
{
  const uint64_t from = lfb_mapped_words_from(end + 1, word_bytes);
  return (lfb_room){from, from + word_bytes};
}

static uint64_t words_size(const lfb_geometry *geometry)
{
  return geometry->word_count * sizeof(lfb_word);
}

/* The range of layer `number`, with `word_bytes` bytes of words. */
static lfb_room files_room(const lfb_growing_files *files, uint32_t number, uint64_t word_bytes)
{
  uint64_t end = LFB_GROWING_HEAD;

  for (uint32_t i = 0; i < number; i++) {
    const lfb_geometry geometry = geometry_unpack(files_entry(files, i));
    end = room_after(end, words_size(&geometry)).end;
  }
  return room_after(end, word_bytes);
}

static lfb_room stripes_room(uint32_t number)
{
  const uint64_t from = LFB_GROWING_STRIPES + (uint64_t)number * LFB_GROWING_STRIPES_SIZE;
  return (lfb_room){from, from + LFB_GROWING_STRIPES_SIZE};
}

/* ---- opening a layer ------------------------------------------------------------------- */

/* Makes the description of a layer's filter from the table's entry, and checks it. */
static lfb_status layer_describe(const lfb_growing *growing, uint32_t number,
                                 lfb_description *description)
{
  const lfb_growing_files *files = lfb_growing_files_of(growing);
  const lfb_config config = lfb_layers_config(&growing->config, number);
  lfb_description found = files->first;

  found.geometry = geometry_unpack(files_entry(files, number));
  found.form = LFB_FORM_MAPPED;
  found.config.expected_insertions = config.expected_insertions;
  found.config.fpp = config.fpp;
  if (found.geometry.bit_count == 0 || found.geometry.probes == 0 ||
      !found.strategy->valid(&found.geometry) || !lfb_layers_fit(growing, &found, number))
    return LFB_ERROR_BAD_HEADER;
  *description = found;
  return LFB_OK;
}

/* Checks the open file; `*size` receives its size. */
static lfb_status files_look(const lfb_growing_files *files, uint64_t *size)
{
  lfb_disk_file disk = {.fd = files->mapping->disk.fd};

  if (!lfb_mapping_is_whole(files->mapping) || lfb_disk_look(&disk) != LFB_OK) {
    errno = EBADF; /* the descriptor may belong to another file by now */
    return LFB_ERROR_MAP;
  }
  *size = disk.size;
  return LFB_OK;
}

/* Unmaps a layer's words; the growing filter owns the rest. */
static void layer_leave(lfb_filter *filter)
{
  lfb_pages_unmap(&filter->pages);
}

/* Maps a range and makes a filter over it. */
static lfb_status layer_map(const lfb_growing_files *files, uint32_t number, lfb_room words,
                            const lfb_description *description, lfb_filter **filter)
{
  lfb_cell *cells = lfb_mapping_at(files->mapping, LFB_GROWING_CELLS);
  lfb_stripe *stripes = lfb_mapping_at(files->mapping, stripes_room(number).from);
  lfb_pages pages;

  lfb_status status = lfb_pages_map(&pages, files->mapping->disk.fd, words.from,
                                    words.end - words.from, files->writable);
  if (status != LFB_OK)
    return status;
  status = lfb_mapping_make_filter(description, &pages, cells, lfb_stripes_over(stripes),
                                   layer_leave, filter);
  if (status != LFB_OK)
    lfb_pages_unmap(&pages);
  return status;
}

lfb_status lfb_growing_layer_open(const lfb_growing *growing, uint32_t number, uint64_t max_bytes,
                                  lfb_filter **filter)
{
  const lfb_growing_files *files = lfb_growing_files_of(growing);
  lfb_description description;

  lfb_status status = layer_describe(growing, number, &description);
  if (status != LFB_OK)
    return status;
  const uint64_t bytes = words_size(&description.geometry);
  if (max_bytes != 0 && bytes > max_bytes)
    return LFB_ERROR_OVER_LIMIT;
  const lfb_room words = files_room(files, number, bytes);
  uint64_t size;
  status = files_look(files, &size);
  if (status != LFB_OK)
    return status;
  return size < words.end ? LFB_ERROR_TRUNCATED
                          : layer_map(files, number, words, &description, filter);
}

/* lfb_layers_shared.open */
static lfb_status files_open_layer(const lfb_growing *growing, uint32_t number, lfb_filter **filter)
{
  return lfb_growing_layer_open(growing, number, 0, filter);
}

/* ---- adding a layer -------------------------------------------------------------------- */

/* Raises the number of layers to `count`, unless it is higher. */
static void files_raise(const lfb_growing_files *files, uint64_t count)
{
  lfb_word *word = lfb_growing_files_count(files);
  uint64_t seen = lfb_word_get(word);

  /* release: pairs with lfb_layers_behind().  A CAS fails only because another process has raised
   * the number, which happens 64 times at most. */
  while (seen < count && !lfb_cas_u64(word, &seen, count, memory_order_release))
    continue;
}

/* Reserves the range of a layer and enters its geometry in the table, unless another process
 * has. */
static lfb_status files_choose(const lfb_growing_files *files, uint32_t number,
                               const lfb_geometry *geometry)
{
  const lfb_room words = files_room(files, number, words_size(geometry));
  const int fd = files->mapping->disk.fd;
  const uint64_t entry = geometry_pack(geometry);
  uint64_t seen = 0, size;

  if (entry == 0)
    return LFB_ERROR_TOO_MANY_BITS;
  lfb_status status = files_look(files, &size);
  if (status == LFB_OK)
    status = lfb_room_reserve(fd, stripes_room(number), LFB_ROOM_SHARED);
  if (status == LFB_OK)
    status = lfb_room_append(fd, words);
  if (status == LFB_OK)
    /* release: pairs with files_entry().  It fails if another process was first. */
    (void)lfb_cas_u64(&files_table(files)[number], &seen, entry, memory_order_release);
  return status;
}

/* lfb_layers_shared.make */
static lfb_status files_make_layer(lfb_growing *growing, uint32_t number,
                             const lfb_description *description, lfb_filter **filter)
{
  const lfb_growing_files *files = lfb_growing_files_of(growing);
  lfb_status status = LFB_OK;

  if (files_entry(files, number) == 0)
    status = files_choose(files, number, &description->geometry);
  if (status == LFB_OK)
    status = files_open_layer(growing, number, filter);
  if (status == LFB_OK)
    files_raise(files, number + UINT64_C(1));
  return status;
}

/* ---- the whole ------------------------------------------------------------------------- */

static void files_leave(lfb_layers_shared *shared)
{
  lfb_growing_files *files = (lfb_growing_files *)(void *)shared;

  lfb_mapping_end(files->mapping);
  free(files);
}

lfb_status lfb_growing_files_begin(lfb_mapping *mapping, bool writable, lfb_growing **growing)
{
  lfb_growing *made = calloc(1, sizeof *made);
  lfb_growing_files *files = calloc(1, sizeof *files);

  if (made == NULL || files == NULL) {
    free(made);
    free(files);
    return LFB_ERROR_NO_MEMORY;
  }
  files->shared = (lfb_layers_shared){
      .count = lfb_mapping_at(mapping, LFB_GROWING_COUNT),
      .make = files_make_layer,
      .open = files_open_layer,
      .leave = files_leave,
  };
  files->mapping = mapping;
  files->writable = writable;
  made->shared = &files->shared;
  *growing = made;
  return LFB_OK;
}

lfb_status lfb_growing_files_first(const lfb_description *first,
                                   lfb_room rooms[LFB_GROWING_FIRST_ROOMS])
{
  if (geometry_pack(&first->geometry) == 0)
    return LFB_ERROR_TOO_MANY_BITS;
  rooms[0] = (lfb_room){0, LFB_GROWING_CELLS_END};
  rooms[1] = stripes_room(0);
  rooms[2] = room_after(LFB_GROWING_HEAD, words_size(&first->geometry));
  return LFB_OK;
}

bool lfb_growing_files_are_whole(const lfb_growing_files *files, uint32_t count)
{
  const lfb_geometry last = geometry_unpack(files_entry(files, count - 1));
  uint64_t size;

  return files_look(files, &size) == LFB_OK &&
         files_room(files, count - 1, words_size(&last)).end <= size;
}

lfb_status lfb_growing_files_check_holes(const lfb_growing_files *files, uint32_t count)
{
  lfb_room rooms[1 + 2 * LFB_GROWING_LAYERS] = {{0, LFB_GROWING_CELLS_END}};
  lfb_disk_file disk = {.fd = files->mapping->disk.fd};
  size_t room_count = 1;

  if (lfb_disk_look(&disk) != LFB_OK) /* again: another process may have added a layer */
    return LFB_ERROR_OPEN;
  for (uint32_t i = 0; i < count; i++) {
    const lfb_geometry geometry = geometry_unpack(files_entry(files, i));
    rooms[room_count++] = stripes_room(i);
    rooms[room_count++] = files_room(files, i, words_size(&geometry));
    if (rooms[room_count - 1].end > disk.size)
      return LFB_ERROR_TRUNCATED;
  }
  return files->writable ? lfb_room_fill_holes(&disk, rooms, room_count, files->limited)
                         : lfb_room_check_holes(&disk, rooms, room_count);
}

void lfb_growing_files_write_head(const lfb_making *making, const lfb_growing_head *head,
                                  const lfb_description *first)
{
  unsigned char bytes[LFB_GROWING_TABLE_END] = {0};
  const uint64_t layers = 1, entry = geometry_pack(&first->geometry);

  lfb_growing_encode(head, bytes);
  lfb_native_encode(first, 0, head->written, bytes + LFB_GROWING_FIRST);
  memcpy(bytes + LFB_GROWING_COUNT, &layers, sizeof layers);
  memcpy(bytes + LFB_GROWING_TABLE, &entry, sizeof entry);
  lfb_making_write_head(making, bytes, sizeof bytes);
}
