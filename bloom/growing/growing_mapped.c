/*
 * growing_mapped.c - opening, making and keeping a growing filter in mapped files.
 *
 * The head is made when the first layer's file is whole and before that has its name: so of
 * several who make one filter one has the head, and whoever dies in between leaves a head that
 * says all about the first layer, which the next who opens it makes.
 *
 * Floor 20.
 */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* lstat() of a large file fails otherwise */
#endif
#define _POSIX_C_SOURCE 200809L
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bloom/growing/growing_files.h"
#include "bloom/restarted.h"

/* ---- opening ------------------------------------------------------------------------- */

/* Opens or, where nobody has yet, makes the layer behind those that there are. */
static lfb_status files_next_layer(lfb_growing *growing, uint32_t number, uint64_t max_bytes,
                                   uint64_t *open_bytes)
{
  const lfb_growing_files *files = lfb_growing_files_of(growing);
  const bool absent = number == 0 && lfb_word_get(lfb_growing_files_count(files)) == 0;
  const uint64_t left = max_bytes > *open_bytes ? max_bytes - *open_bytes : 1;
  lfb_filter *filter;

  if (max_bytes != 0 && number == 0 &&
      files->first.geometry.word_count * sizeof(lfb_word) > max_bytes)
    return LFB_ERROR_OVER_LIMIT;
  const lfb_status status =
      absent && files->writable
          ? lfb_growing_layer_make(growing, 0, &files->first, &filter)
          : lfb_growing_layer_open_within(growing, number, max_bytes == 0 ? 0 : left, &filter);
  if (status != LFB_OK)
    return status;
  *open_bytes += filter->pages.size;
  return lfb_layers_push(growing, filter);
}

static lfb_status files_open_layers(lfb_growing *growing, uint64_t max_bytes)
{
  const lfb_growing_files *files = lfb_growing_files_of(growing);
  /* acquire: as lfb_layers_behind(). */
  const uint64_t count =
      atomic_load_explicit(lfb_growing_files_count(files), memory_order_acquire);
  lfb_status status = LFB_OK;
  uint64_t open_bytes = 0;

  if (count > LFB_GROWING_LAYERS)
    return LFB_ERROR_BAD_HEADER;
  for (uint32_t i = 0; status == LFB_OK && i < (count == 0 ? 1 : count); i++)
    status = files_next_layer(growing, i, max_bytes, &open_bytes);
  return status;
}

static lfb_status files_begin(bool writable, lfb_growing **growing)
{
  lfb_growing *made = calloc(1, sizeof *made);
  lfb_growing_files *files = calloc(1, sizeof *files);

  if (made == NULL || files == NULL) {
    free(made);
    free(files);
    return LFB_ERROR_NO_MEMORY;
  }
  files->shared = (lfb_layers_shared){.make = lfb_growing_layer_make,
                                       .open = lfb_growing_layer_open,
                                       .leave = lfb_growing_files_leave};
  files->disk.fd = -1;
  files->writable = writable;
  made->shared = &files->shared;
  *growing = made;
  return LFB_OK;
}

static lfb_status files_open(const char *path, const lfb_read_limits *limits, bool writable,
                             lfb_growing **growing)
{
  const lfb_read_limits none = {0};
  const lfb_read_limits *within = limits == NULL ? &none : limits;
  lfb_growing *made;

  lfb_status status = files_begin(writable, &made);
  if (status != LFB_OK)
    return status;
  status = lfb_growing_head_open(lfb_growing_files_of(made), path);
  if (status == LFB_OK)
    status = lfb_growing_head_decode(lfb_growing_files_of(made), within->key, made);
  if (status == LFB_OK)
    status = lfb_growing_head_map(lfb_growing_files_of(made));
  if (status == LFB_OK)
    status = files_open_layers(made, within->max_bytes);
  if (status != LFB_OK) {
    const int cause = errno;
    lfb_growing_free(made);
    errno = cause;
    return status;
  }
  *growing = made;
  return LFB_OK;
}

lfb_status lfb_growing_mapped_open(const char *path, const lfb_read_limits *limits,
                                   lfb_growing **growing)
{
  return files_open(path, limits, true, growing);
}

lfb_status lfb_growing_mapped_open_read_only(const char *path, const lfb_read_limits *limits,
                                             const lfb_growing **growing)
{
  lfb_growing *made;
  const lfb_status status = files_open(path, limits, false, &made);

  if (status == LFB_OK)
    *growing = made;
  return status;
}

void lfb_growing_mapped_close(const lfb_growing *growing)
{
  lfb_growing_free((lfb_growing *)(uintptr_t)growing);
}

/* ---- making -------------------------------------------------------------------------- */

/* What the head of a new filter is to be, and whether it is there. */
typedef struct new_head {
  const char *path;
  char *layer; /* the path of the first one */
  unsigned char bytes[LFB_GROWING_FILE];
  bool secret; /* they have a key */
  bool named;
} new_head;

static lfb_status new_head_name(void *of)
{
  new_head *head = of;
  const lfb_status status =
      lfb_mapped_make_file(head->path, head->bytes, sizeof head->bytes, head->secret);

  head->named = status == LFB_OK;
  return status;
}

static bool name_is_taken(const char *path)
{
  struct stat found;
  return lstat(path, &found) == 0;
}

/* Refuses names that are taken, also those of layers to come. */
static lfb_status names_check(const char *path)
{
  bool taken = name_is_taken(path);

  for (uint32_t i = 0; !taken && i < LFB_GROWING_LAYERS; i++) {
    char *layer = lfb_growing_layer_path(path, i);
    if (layer == NULL)
      return LFB_ERROR_NO_MEMORY;
    taken = name_is_taken(layer);
    free(layer);
  }
  if (!taken)
    return LFB_OK;
  errno = EEXIST;
  return LFB_ERROR_EXISTS;
}

/* Describes the first layer of a new filter. */
static lfb_status new_describe(const lfb_config *config, lfb_growing_head *head,
                               lfb_description *first)
{
  const time_t now = time(NULL);
  lfb_config of_first = *config;

  lfb_status status = lfb_layers_check(config);
  if (status != LFB_OK)
    return status;
  if (config->expected_insertions < LFB_GROWING_LEAST)
    of_first.expected_insertions = LFB_GROWING_LEAST;
  of_first.fpp = lfb_layers_fpp(config->fpp, 0);
  status = lfb_core_describe(&of_first, first);
  if (status != LFB_OK)
    return status;
  if (first->geometry.bit_count > first->strategy->reachable_bits)
    return LFB_ERROR_TOO_MANY_BITS;
  *head = (lfb_growing_head){.first_insertions = of_first.expected_insertions,
                             .fpp = config->fpp,
                             .layers = 1,
                             .memory_preference = config->memory_preference,
                             .written = now < 0 ? 0 : (uint64_t)now};
  while (status == LFB_OK && head->id == 0)
    status = lfb_core_random(&head->id, sizeof head->id);
  return status;
}

/* Makes the files: the first layer's, and when that is whole the head. */
static lfb_status new_files(new_head *head, uint64_t id, const lfb_description *first)
{
  const lfb_mapped_before before = {new_head_name, head};
  lfb_filter *filter;

  head->secret = lfb_core_writes_key(first);
  const lfb_status status =
      lfb_growing_layer_make_file(head->layer, id, 0, first, before, &filter);
  const int cause = errno;
  if (status == LFB_OK)
    lfb_mapped_close(filter);
  if (status == LFB_ERROR_EXISTS && head->named) /* who opened the head has made it */
    return LFB_OK;
  if (status != LFB_OK && head->named)
    (void)unlink(head->path);
  errno = cause;
  return status;
}

/* Opens what was made.  What cannot be opened is removed, the head first, by which it is found. */
static lfb_status new_open(const new_head *head, const lfb_description *first,
                           lfb_growing **growing)
{
  uint8_t key[LFB_HASHER_KEY];
  const lfb_read_limits limits = {.key = key};

  lfb_hasher_key(&first->hasher, key);
  const lfb_status status = files_open(head->path, &limits, true, growing);
  if (status != LFB_OK) {
    const int cause = errno;
    (void)unlink(head->path);
    (void)unlink(head->layer);
    errno = cause;
  }
  return status;
}

static lfb_status new_make(new_head *head, const lfb_config *config, lfb_growing **growing)
{
  lfb_growing_head says;
  lfb_description first;

  lfb_status status = new_describe(config, &says, &first);
  if (status == LFB_OK)
    status = names_check(head->path);
  if (status != LFB_OK)
    return status;
  lfb_growing_head_encode(&says, &first, head->bytes);
  status = new_files(head, says.id, &first);
  return status == LFB_OK ? new_open(head, &first, growing) : status;
}

lfb_status lfb_growing_mapped_create(const char *path, const lfb_config *config,
                                     lfb_growing **growing)
{
  new_head head = {.path = path, .layer = lfb_growing_layer_path(path, 0)};

  if (head.layer == NULL)
    return LFB_ERROR_NO_MEMORY;
  const lfb_status status = new_make(&head, config, growing);
  const int cause = errno;
  free(head.layer);
  errno = cause;
  return status;
}

/* ---- keeping ------------------------------------------------------------------------- */

/* Makes the names in the head's folder last. */
static lfb_status files_sync_folder(const lfb_growing_files *files)
{
  char *folder = lfb_disk_folder(files->path);
  int fd;

  if (folder == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_disk_open_folder(folder, &fd);
  free(folder);
  if (status != LFB_OK)
    return LFB_ERROR_SYNC;
  status = lfb_disk_sync_folder(fd);
  if (fd >= 0)
    (void)close(fd); /* only synced: nothing can be lost */
  return status;
}

static lfb_status files_sync_head(const lfb_growing_files *files)
{
  if (msync(files->head.address, LFB_GROWING_FILE, MS_SYNC) != 0 ||
      lfb_restarted_sync(files->disk.fd) != 0)
    return LFB_ERROR_SYNC;
  return lfb_disk_is(files->path, &files->disk.id);
}

/* Of several results the first that is no success. */
static lfb_status first_failure(lfb_status before, lfb_status now)
{
  return before != LFB_OK ? before : now;
}

/* The newest of the layers that can be looked at; in `*status` why one behind it cannot be. */
static const lfb_layer *files_newest(const lfb_growing *growing, lfb_status *status)
{
  const lfb_layer *newest;

  *status = lfb_layers_seen(growing, &newest);
  return *status == LFB_OK ? newest : lfb_layers_newest(growing);
}

lfb_status lfb_growing_mapped_sync(const lfb_growing *growing)
{
  lfb_status status;

  if (growing->shared == NULL)
    return LFB_ERROR_NOT_MAPPED;
  for (const lfb_layer *layer = files_newest(growing, &status); layer != NULL; layer = layer->older)
    status = first_failure(status, lfb_mapped_sync(layer->filter));
  /* The head last: it tells of layers that are there. */
  status = first_failure(status, files_sync_folder(lfb_growing_files_of(growing)));
  return first_failure(status, files_sync_head(lfb_growing_files_of(growing)));
}

lfb_status lfb_growing_mapped_recount(lfb_growing *growing)
{
  lfb_status status;

  if (growing->shared == NULL)
    return LFB_ERROR_NOT_MAPPED;
  for (const lfb_layer *layer = files_newest(growing, &status); layer != NULL; layer = layer->older)
    status = first_failure(status, lfb_mapped_recount(layer->filter));
  return status;
}
