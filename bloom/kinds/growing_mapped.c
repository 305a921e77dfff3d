/* growing_mapped.c - making, opening, syncing and closing a growing filter in a mapped file. */
#define _POSIX_C_SOURCE 200809L
#include <lfbloom/growing_mapped.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bloom/files/forms.h"
#include "bloom/kinds/growing_files.h"

/* ---- opening ------------------------------------------------------------------------- */

/* Frees a growing filter after a failure.  Keeps errno and returns `status`. */
static lfb_status growing_abandon(lfb_growing *growing, lfb_status status)
{
  const int cause = errno;

  lfb_growing_free(growing);
  errno = cause;
  return status;
}

/* Reads the header of the whole and the first layer's header. */
static lfb_status head_read(const lfb_disk_file *disk, const uint8_t *key, lfb_growing_head *head,
                            lfb_description *first)
{
  unsigned char bytes[LFB_GROWING_READ];
  size_t have;

  lfb_status status = lfb_disk_read_head(disk->fd, bytes, sizeof bytes, &have);
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
  status = lfb_growing_decode(bytes, head);
  if (status == LFB_OK)
    status = lfb_native_decode(bytes + LFB_GROWING_FIRST, key, first);
  return status == LFB_ERROR_UNKNOWN_FORM ? LFB_ERROR_BAD_HEADER : status;
}

/* Opens the file, reads its head and maps it. */
static lfb_status head_open(lfb_mapping *mapping, const lfb_read_limits *limits, bool writable,
                            lfb_growing_head *head, lfb_description *first)
{
  lfb_status status = lfb_disk_open(mapping->path, writable, &mapping->disk);
  if (status == LFB_OK)
    status = head_read(&mapping->disk, limits->key, head, first);
  if (status == LFB_OK)
    status = lfb_claims_sharable(first->strategy->hash_width);
  if (status == LFB_OK && mapping->disk.size < LFB_GROWING_HEAD)
    status = LFB_ERROR_TRUNCATED;
  return status == LFB_OK ? lfb_mapping_map(mapping, LFB_GROWING_HEAD, writable) : status;
}

/* Copies the fields of the head to the growing filter. */
static lfb_status growing_configure(lfb_growing *growing, const lfb_growing_head *head,
                                    const lfb_description *first)
{
  lfb_growing_files_of(growing)->first = *first;
  growing->written = head->written;
  growing->config = (lfb_config){.expected_insertions = head->first_insertions,
                                 .fpp = head->fpp,
                                 .memory_preference = head->memory_preference};
  memcpy(growing->label, head->label, sizeof growing->label);
  lfb_layers_configure(growing, &first->config);
  return lfb_layers_fit(growing, first, 0) ? LFB_OK : LFB_ERROR_BAD_HEADER;
}

/* Opens all layers.  Their words may have `max_bytes` bytes together; 0: any number. */
static lfb_status growing_open_layers(lfb_growing *growing, uint64_t max_bytes)
{
  /* acquire: as in lfb_layers_behind(). */
  const uint64_t count = atomic_load_explicit(
      lfb_growing_files_count(lfb_growing_files_of(growing)), memory_order_acquire);
  lfb_status status = count < 1 || count > LFB_GROWING_LAYERS ? LFB_ERROR_BAD_HEADER : LFB_OK;
  uint64_t open_bytes = 0;

  for (uint32_t i = 0; status == LFB_OK && i < count; i++) {
    const uint64_t left = max_bytes > open_bytes ? max_bytes - open_bytes : 1;
    lfb_filter *filter;
    status = lfb_growing_layer_open(growing, i, max_bytes == 0 ? 0 : left, &filter);
    if (status != LFB_OK)
      break;
    open_bytes += filter->pages.size;
    status = lfb_layers_push(growing, filter);
  }
  /* Last, so that blocks are reserved only for layers that fit and keep to the limit. */
  return status == LFB_OK
             ? lfb_growing_files_check_holes(lfb_growing_files_of(growing), (uint32_t)count)
             : status;
}

/* Makes the growing filter of a file after its head was mapped.  The filter owns the mapping.  On
 * failure the mapping is ended. */
static lfb_status growing_over(lfb_mapping *mapping, const lfb_growing_head *head,
                               const lfb_description *first, const lfb_read_limits *limits,
                               bool writable, lfb_growing **growing)
{
  lfb_growing *made;

  lfb_status status = lfb_growing_files_begin(mapping, writable, &made);
  if (status != LFB_OK)
    return lfb_mapping_abandon(mapping, status);
  lfb_growing_files_of(made)->limited = limits->max_bytes != 0;
  status = growing_configure(made, head, first);
  if (status == LFB_OK)
    status = growing_open_layers(made, limits->max_bytes);
  if (status != LFB_OK)
    return growing_abandon(made, status);
  *growing = made;
  return LFB_OK;
}

static lfb_status growing_open(const char *path, const lfb_read_limits *limits, bool writable,
                               lfb_growing **growing)
{
  const lfb_read_limits none = {0};
  const lfb_read_limits *within = limits == NULL ? &none : limits;
  lfb_description first;
  lfb_growing_head head;
  lfb_mapping *mapping;

  lfb_status status = lfb_mapping_begin(path, &mapping);
  if (status != LFB_OK)
    return status;
  status = head_open(mapping, within, writable, &head, &first);
  if (status != LFB_OK)
    return lfb_mapping_abandon(mapping, status);
  return growing_over(mapping, &head, &first, within, writable, growing);
}

lfb_status lfb_growing_mapped_open(const char *path, const lfb_read_limits *limits,
                                   lfb_growing **growing)
{
  return growing_open(path, limits, true, growing);
}

lfb_status lfb_growing_mapped_open_read_only(const char *path, const lfb_read_limits *limits,
                                             const lfb_growing **growing)
{
  lfb_growing *made = NULL;
  const lfb_status status = growing_open(path, limits, false, &made);

  if (status == LFB_OK)
    *growing = made;
  return status;
}

void lfb_growing_mapped_close(const lfb_growing *growing)
{
  lfb_growing_free((lfb_growing *)(uintptr_t)growing);
}

/* ---- making -------------------------------------------------------------------------- */

/* Describes the whole and the first layer of a new filter. */
static lfb_status new_describe(const lfb_config *config, lfb_growing_head *head,
                               lfb_description *first)
{
  lfb_config of_first = lfb_config_without_pairs(config);

  lfb_status status = lfb_layers_check(config);
  if (status != LFB_OK)
    return status;
  if (config->expected_insertions < LFB_GROWING_LEAST)
    of_first.expected_insertions = LFB_GROWING_LEAST;
  of_first.fpp = lfb_layers_fpp(config->fpp, 0);
  status = lfb_description_make(&of_first, first);
  if (status == LFB_OK)
    status = lfb_claims_sharable(first->strategy->hash_width);
  if (status != LFB_OK)
    return status;
  if (first->geometry.bit_count > first->strategy->reachable_bits)
    return LFB_ERROR_TOO_MANY_BITS;
  *head = (lfb_growing_head){.mapped = true,
                             .first_insertions = of_first.expected_insertions,
                             .fpp = config->fpp,
                             .layers = 1,
                             .memory_preference = config->memory_preference,
                             .written = lfb_native_now()};
  return LFB_OK;
}

/* Makes the file with its first layer; the file has no name yet. */
static lfb_status new_fill(const lfb_making *making, const lfb_growing_head *head,
                           const lfb_description *first)
{
  const int fd = making->mapping->disk.fd;
  lfb_room rooms[LFB_GROWING_FIRST_ROOMS];

  lfb_status status = lfb_growing_files_first(first, rooms);
  if (status == LFB_OK)
    status = lfb_room_set_size(fd, rooms[LFB_GROWING_FIRST_ROOMS - 1].end);
  for (int i = 0; status == LFB_OK && i < LFB_GROWING_FIRST_ROOMS; i++)
    status = lfb_room_reserve(fd, rooms[i], LFB_ROOM_ALONE);
  if (status == LFB_OK)
    status = lfb_mapping_map(making->mapping, LFB_GROWING_HEAD, true);
  if (status != LFB_OK)
    return status;
  lfb_growing_files_write_head(making, head, first);
  return lfb_disk_look(&making->mapping->disk); /* its size and its blocks have changed */
}

lfb_status lfb_growing_mapped_create(const char *path, const lfb_config *config,
                                     lfb_growing **growing)
{
  const lfb_read_limits none = {0};
  lfb_description first;
  lfb_growing_head head;
  lfb_growing *made = NULL;
  lfb_making making;

  lfb_status status = new_describe(config, &head, &first);
  if (status == LFB_OK)
    status = lfb_making_begin(path, config->file_mode, lfb_description_writes_key(&first), &making);
  if (status != LFB_OK)
    return status;
  status = new_fill(&making, &head, &first);
  status = status == LFB_OK ? growing_over(making.mapping, &head, &first, &none, true, &made)
                            : lfb_mapping_abandon(making.mapping, status);
  const bool is_made = status == LFB_OK;
  status = lfb_making_end(&making, status);
  if (status == LFB_OK)
    *growing = made;
  else if (is_made)
    return growing_abandon(made, status);
  return status;
}

/* ---- keeping ------------------------------------------------------------------------- */

/* The first of the results that is not LFB_OK. */
static lfb_status first_failure(lfb_status before, lfb_status now)
{
  return before != LFB_OK ? before : now;
}

static lfb_status layer_sync(const lfb_filter *filter)
{
  return msync(filter->pages.address, (size_t)filter->pages.size, MS_SYNC) == 0 ? LFB_OK
                                                                                : LFB_ERROR_SYNC;
}

lfb_status lfb_growing_mapped_sync(const lfb_growing *growing)
{
  const lfb_layer *newest;

  if (growing->shared == NULL)
    return LFB_ERROR_NOT_MAPPED;
  lfb_status status = lfb_layers_seen(growing, &newest);
  if (status != LFB_OK)
    newest = lfb_layers_newest(growing); /* the layers that this process could open */
  if (!lfb_growing_files_are_whole(lfb_growing_files_of(growing), newest->number + 1))
    return LFB_ERROR_TRUNCATED;
  for (const lfb_layer *layer = newest; layer != NULL; layer = layer->older)
    status = first_failure(status, layer_sync(layer->filter));
  return first_failure(status, lfb_mapping_sync(lfb_growing_files_of(growing)->mapping));
}
