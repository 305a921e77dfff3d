/*
 * growing_mapped.c - a growing filter in mapped files: its head, and the files of its layers.
 *
 * The head is made when the first layer's file is whole and before that has its name: so of
 * several who make one filter one has the head, and whoever dies in between leaves a head that
 * says all about the first layer, which the next who opens it makes.
 *
 * Floor 17.  docs/formats.md has the head field by field.
 */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _GNU_SOURCE /* realpath */
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bloom/files.h"
#include "bloom/growing_header.h"
#include "bloom/layers.h"
#include "bloom/mapped.h"
#include "bloom/restarted.h"

enum {
  AT_FIRST = LFB_GROWING_HEADER, /* a native header, of the first layer              */
  AT_COUNT = AT_FIRST + LFB_NATIVE_HEADER, /* of layers, as this machine has words   */
  HEAD_SIZE = 4096,
  /* Of a small layer.  While it has few keys, each new one sums all stripes. */
  SMALL_LEASES = 16,
  SMALL_OWNED = 8,
};

#define SMALL_BYTES (UINT64_C(4) << 20) /* of words: below, a layer is small */

/* A growing filter's files, but for its layers. */
typedef struct growing_files {
  lfb_layers_shared shared; /* first: what the layers know of it       */
  lfb_pages head;
  char *path;               /* of the head; without links, from / on   */
  lfb_description first;    /* of the first layer                      */
  uint64_t id;
  uint64_t device, inode;   /* of the head: as lfb_mapping has them    */
  int fd;                   /* the head                                */
  bool writable;
} growing_files;

static growing_files *files_of(const lfb_growing *growing)
{
  return (growing_files *)(void *)growing->shared;
}

static lfb_word *files_count(const growing_files *files)
{
  return (lfb_word *)(void *)((char *)files->head.address + AT_COUNT);
}

/* The path of a layer, for the caller to free; NULL where there is no memory. */
static char *layer_path(const char *head, uint32_t number)
{
  const size_t size = strlen(head) + sizeof ".4294967295";
  char *path = malloc(size);

  if (path != NULL)
    (void)snprintf(path, size, "%s.%" PRIu32, head, number);
  return path;
}

/* What a layer's label says. */
static void layer_label(uint64_t id, uint32_t number, char label[LFB_LABEL_SIZE + 1])
{
  memset(label, 0, LFB_LABEL_SIZE + 1);
  (void)snprintf(label, LFB_LABEL_SIZE + 1, "layer %" PRIu32 " of growing filter %016" PRIx64,
                 number, id);
}

static lfb_mapped_shape layer_shape(const lfb_description *description)
{
  const uint64_t bytes = description->geometry.word_count * sizeof(lfb_word);

  return bytes < SMALL_BYTES ? lfb_mapped_shape_of(bytes, SMALL_LEASES, SMALL_OWNED)
                             : lfb_mapped_shape_for(bytes);
}

/* ---- layers ------------------------------------------------------------------------ */

/* Says that there are so many layers, unless there are more. */
static void files_raise(const growing_files *files, uint64_t count)
{
  lfb_word *word = files_count(files);
  uint64_t seen = lfb_word_get(word);

  /* release: pairs with lfb_layers_behind().  It fails where another says so, too: each time
   * the count has grown, which it does 64 times at most. */
  while (seen < count && !lfb_cas_u64(word, &seen, count, memory_order_release))
    continue;
}

/* Whether a file is layer `number` of this filter. */
static lfb_status layer_check(const lfb_growing *growing, uint32_t number,
                              const lfb_filter *filter)
{
  const growing_files *files = files_of(growing);
  char label[LFB_LABEL_SIZE + 1];

  layer_label(files->id, number, label);
  if (strcmp(lfb_filter_label(filter), label) != 0)
    return LFB_ERROR_LAYER_REPLACED;
  return lfb_layers_fit(growing, &filter->description, number) &&
                 filter->strategy->id == files->first.strategy->id &&
                 lfb_core_same_hash(&filter->layout.hasher, &files->first.hasher)
             ? LFB_OK
             : LFB_ERROR_BAD_HEADER;
}

/* Opens a file of whatever filter. */
static lfb_status layer_open_file(const growing_files *files, const char *path,
                                  const lfb_read_limits *limits, lfb_filter **filter)
{
  const lfb_filter *read_only;
  const lfb_status status = files->writable ? lfb_mapped_open(path, limits, filter)
                                            : lfb_mapped_open_read_only(path, limits, &read_only);

  if (status == LFB_OK && !files->writable)
    *filter = (lfb_filter *)(uintptr_t)read_only;
  return status == LFB_ERROR_OPEN && errno == ENOENT ? LFB_ERROR_LAYER_MISSING : status;
}

static lfb_status layer_open_within(const lfb_growing *growing, uint32_t number,
                                    uint64_t max_bytes, lfb_filter **filter)
{
  const growing_files *files = files_of(growing);
  uint8_t key[16];
  lfb_read_limits limits = {.max_bytes = max_bytes};
  char *path = layer_path(files->path, number);
  lfb_filter *opened;

  if (path == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_store_le64(key, files->first.hasher.key[0]);
  lfb_store_le64(key + 8, files->first.hasher.key[1]);
  if (files->first.hasher.kind == LFB_KIND_SIPHASH13)
    limits.key = key;
  lfb_status status = layer_open_file(files, path, &limits, &opened);
  const int cause = errno;
  free(path);
  errno = cause;
  if (status != LFB_OK)
    return status;
  status = layer_check(growing, number, opened);
  if (status != LFB_OK)
    lfb_mapped_close(opened);
  else
    *filter = opened;
  return status;
}

static lfb_status layer_open(const lfb_growing *growing, uint32_t number, lfb_filter **filter)
{
  return layer_open_within(growing, number, 0, filter);
}

/* Makes the file of a layer of that number, of the growing filter of that id. */
static lfb_status layer_make_file(const char *path, uint64_t id, uint32_t number,
                                  const lfb_description *description, lfb_mapped_before before,
                                  lfb_filter **filter)
{
  const lfb_mapped_shape shape = layer_shape(description);
  lfb_description named = *description;

  named.form = LFB_FORM_MAPPED;
  layer_label(id, number, named.label);
  return lfb_mapped_make(path, &named, &shape, before, filter);
}

static lfb_status layer_make(lfb_growing *growing, uint32_t number,
                             const lfb_description *description, lfb_filter **filter)
{
  const growing_files *files = files_of(growing);
  const lfb_mapped_before nothing = {NULL, NULL};
  char *path = layer_path(files->path, number);

  if (path == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = layer_make_file(path, files->id, number, description, nothing, filter);
  free(path);
  if (status == LFB_ERROR_EXISTS) /* by another process, which may have died since */
    status = layer_open(growing, number, filter);
  if (status == LFB_OK)
    files_raise(files, number + UINT64_C(1));
  return status;
}

static void files_leave(lfb_layers_shared *shared)
{
  growing_files *files = (growing_files *)(void *)shared;

  if (files->head.address != NULL)
    lfb_pages_unmap(&files->head);
  if (files->fd >= 0)
    (void)close(files->fd); /* nothing is written through it */
  free(files->path);
  free(files);
}

/* ---- the head ------------------------------------------------------------------------ */

static lfb_status head_read(int fd, unsigned char head[AT_COUNT])
{
  size_t have = 0;

  while (have < AT_COUNT) {
    const ssize_t got = pread(fd, head + have, AT_COUNT - have, (off_t)have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return LFB_ERROR_READ;
    if (got == 0)
      break;
    have += (size_t)got;
  }
  if (have < LFB_FORM_HEAD)
    return LFB_ERROR_TRUNCATED;
  const lfb_status begun = lfb_growing_begun(head);
  if (begun != LFB_ERROR_GROWING_MAPPED)
    return begun == LFB_ERROR_GROWING              ? LFB_ERROR_NOT_MAPPED
           : lfb_form_begun(head) != LFB_FORM_NONE ? LFB_ERROR_NOT_GROWING
                                                   : LFB_ERROR_UNKNOWN_FORM;
  return have < AT_COUNT ? LFB_ERROR_TRUNCATED : LFB_OK;
}

/* Opens the head's file, which is there. */
static lfb_status head_open(growing_files *files, const char *path)
{
  struct stat found;

  /* non-blocking: a pipe would wait for somebody to write */
  files->fd = lfb_restarted_open(path, (files->writable ? O_RDWR : O_RDONLY) | O_NONBLOCK, 0);
  if (files->fd < 0 || fstat(files->fd, &found) != 0)
    return LFB_ERROR_OPEN;
  if (!S_ISREG(found.st_mode)) {
    errno = S_ISDIR(found.st_mode) ? EISDIR : ENODEV;
    return LFB_ERROR_MAP;
  }
  files->device = found.st_dev;
  files->inode = found.st_ino;
  files->path = realpath(path, NULL);
  return files->path == NULL ? LFB_ERROR_OPEN : LFB_OK;
}

/* Maps the head, which has been read. */
static lfb_status head_map(growing_files *files)
{
  struct stat found;

  if (fstat(files->fd, &found) != 0)
    return LFB_ERROR_OPEN;
  if (found.st_size != HEAD_SIZE)
    return found.st_size < HEAD_SIZE ? LFB_ERROR_TRUNCATED : LFB_ERROR_TRAILING_BYTES;
  const lfb_status status =
      lfb_pages_map(&files->head, files->fd, HEAD_SIZE, files->writable);
  files->shared.count = status == LFB_OK ? files_count(files) : NULL;
  return status;
}

/* Reads what the head says. */
static lfb_status head_decode(growing_files *files, const uint8_t *key, lfb_growing *growing)
{
  unsigned char bytes[AT_COUNT];
  lfb_growing_head head;

  lfb_status status = head_read(files->fd, bytes);
  if (status == LFB_OK)
    status = lfb_growing_decode(bytes, &head);
  if (status == LFB_OK)
    status = lfb_native_decode(bytes + AT_FIRST, key, &files->first);
  if (status != LFB_OK)
    return status == LFB_ERROR_UNKNOWN_FORM && lfb_growing_begun(bytes) != status
               ? LFB_ERROR_BAD_HEADER
               : status;
  files->id = head.id;
  growing->written = head.written;
  growing->config = (lfb_config){.expected_insertions = head.first_insertions,
                                 .fpp = head.fpp,
                                 .memory_preference = head.memory_preference};
  memcpy(growing->label, head.label, sizeof growing->label);
  lfb_layers_configure(growing, &files->first.config);
  return lfb_layers_fit(growing, &files->first, 0) ? LFB_OK : LFB_ERROR_BAD_HEADER;
}

/* Writes the head of a filter whose first layer was described. */
static void head_encode(const lfb_growing_head *head, const lfb_description *first,
                        unsigned char bytes[HEAD_SIZE])
{
  memset(bytes, 0, HEAD_SIZE);
  lfb_growing_encode(head, bytes);
  lfb_native_encode(first, 0, head->written, bytes + AT_FIRST);
}

/* ---- opening ------------------------------------------------------------------------- */

/* Opens or, where nobody has yet, makes the layer behind those that there are. */
static lfb_status files_next_layer(lfb_growing *growing, uint32_t number, uint64_t max_bytes,
                                   uint64_t *open_bytes)
{
  const growing_files *files = files_of(growing);
  const bool absent = number == 0 && lfb_word_get(files_count(files)) == 0;
  const uint64_t left = max_bytes > *open_bytes ? max_bytes - *open_bytes : 1;
  lfb_filter *filter;

  if (max_bytes != 0 && number == 0 &&
      files->first.geometry.word_count * sizeof(lfb_word) > max_bytes)
    return LFB_ERROR_OVER_LIMIT;
  const lfb_status status = absent && files->writable
                          ? layer_make(growing, 0, &files->first, &filter)
                          : layer_open_within(growing, number, max_bytes == 0 ? 0 : left, &filter);
  if (status != LFB_OK)
    return status;
  *open_bytes += filter->pages.size;
  return lfb_layers_push(growing, filter);
}

static lfb_status files_open_layers(lfb_growing *growing, uint64_t max_bytes)
{
  const growing_files *files = files_of(growing);
  /* acquire: as lfb_layers_behind(). */
  const uint64_t count = atomic_load_explicit(files_count(files), memory_order_acquire);
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
  growing_files *files = calloc(1, sizeof *files);

  if (made == NULL || files == NULL) {
    free(made);
    free(files);
    return LFB_ERROR_NO_MEMORY;
  }
  files->shared = (lfb_layers_shared){.make = layer_make, .open = layer_open, .leave = files_leave};
  files->fd = -1;
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
  status = head_open(files_of(made), path);
  if (status == LFB_OK)
    status = head_decode(files_of(made), within->key, made);
  if (status == LFB_OK)
    status = head_map(files_of(made));
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
  unsigned char bytes[HEAD_SIZE];
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
    char *layer = layer_path(path, i);
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
  const lfb_status status = layer_make_file(head->layer, id, 0, first, before, &filter);
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
  uint8_t key[16];
  const lfb_read_limits limits = {.key = key};

  lfb_store_le64(key, first->hasher.key[0]);
  lfb_store_le64(key + 8, first->hasher.key[1]);
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
  head_encode(&says, &first, head->bytes);
  status = new_files(head, says.id, &first);
  return status == LFB_OK ? new_open(head, &first, growing) : status;
}

lfb_status lfb_growing_mapped_create(const char *path, const lfb_config *config,
                                     lfb_growing **growing)
{
  new_head head = {.path = path, .layer = layer_path(path, 0)};

  if (head.layer == NULL)
    return LFB_ERROR_NO_MEMORY;
  const lfb_status status = new_make(&head, config, growing);
  const int cause = errno;
  free(head.layer);
  errno = cause;
  return status;
}

/* ---- keeping ------------------------------------------------------------------------- */

/* Makes the names in the head's folder last.  EACCES: a folder that may not be listed. */
static lfb_status files_sync_folder(const growing_files *files)
{
  char *folder = lfb_file_folder(files->path);

  if (folder == NULL)
    return LFB_ERROR_NO_MEMORY;
  const int fd = lfb_restarted_open(folder, O_RDONLY | O_DIRECTORY, 0);
  free(folder);
  if (fd < 0)
    return errno == EACCES ? LFB_OK : LFB_ERROR_SYNC;
  const bool done = lfb_restarted_sync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
  (void)close(fd);
  return done ? LFB_OK : LFB_ERROR_SYNC;
}

static lfb_status files_sync_head(const growing_files *files)
{
  struct stat found;

  if (msync(files->head.address, HEAD_SIZE, MS_SYNC) != 0 || lfb_restarted_sync(files->fd) != 0)
    return LFB_ERROR_SYNC;
  return stat(files->path, &found) == 0 && found.st_dev == files->device &&
                 found.st_ino == files->inode
             ? LFB_OK
             : LFB_ERROR_REPLACED;
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
  status = first_failure(status, files_sync_folder(files_of(growing)));
  return first_failure(status, files_sync_head(files_of(growing)));
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
