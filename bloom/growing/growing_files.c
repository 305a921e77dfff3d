/* growing_files.c - opening and making layers' files, reading and writing the head.
 * Floor 19. */
#define _GNU_SOURCE /* realpath */
#include "bloom/growing/growing_files.h"

#include <lfbloom/mapped.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bloom/forms/forms.h"

enum {
  /* Of a small layer.  While it has few keys, each new one sums all stripes. */
  SMALL_LEASES = 16,
  SMALL_OWNED = 8,
};

#define SMALL_BYTES (UINT64_C(4) << 20) /* of words: below, a layer is small */

char *lfb_growing_layer_path(const char *head, uint32_t number)
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
static void files_raise(const lfb_growing_files *files, uint64_t count)
{
  lfb_word *word = lfb_growing_files_count(files);
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
  const lfb_growing_files *files = lfb_growing_files_of(growing);
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
static lfb_status layer_open_file(const lfb_growing_files *files, const char *path,
                                  const lfb_read_limits *limits, lfb_filter **filter)
{
  const lfb_filter *read_only = NULL;
  const lfb_status status = files->writable ? lfb_mapped_open(path, limits, filter)
                                            : lfb_mapped_open_read_only(path, limits, &read_only);

  if (status == LFB_OK && !files->writable)
    *filter = (lfb_filter *)(uintptr_t)read_only;
  return status == LFB_ERROR_OPEN && errno == ENOENT ? LFB_ERROR_LAYER_MISSING : status;
}

lfb_status lfb_growing_layer_open_within(const lfb_growing *growing, uint32_t number,
                                         uint64_t max_bytes, lfb_filter **filter)
{
  const lfb_growing_files *files = lfb_growing_files_of(growing);
  uint8_t key[LFB_HASHER_KEY];
  lfb_read_limits limits = {.max_bytes = max_bytes};
  char *path = lfb_growing_layer_path(files->path, number);
  lfb_filter *opened;

  if (path == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_hasher_key(&files->first.hasher, key);
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

lfb_status lfb_growing_layer_open(const lfb_growing *growing, uint32_t number,
                                  lfb_filter **filter)
{
  return lfb_growing_layer_open_within(growing, number, 0, filter);
}

lfb_status lfb_growing_layer_make_file(const char *path, uint64_t id, uint32_t number,
                                       const lfb_description *description,
                                       lfb_mapped_before before, lfb_filter **filter)
{
  const lfb_mapped_shape shape = layer_shape(description);
  lfb_description named = *description;

  named.form = LFB_FORM_MAPPED;
  layer_label(id, number, named.label);
  return lfb_mapped_make(path, &named, &shape, before, filter);
}

lfb_status lfb_growing_layer_make(lfb_growing *growing, uint32_t number,
                                  const lfb_description *description, lfb_filter **filter)
{
  const lfb_growing_files *files = lfb_growing_files_of(growing);
  const lfb_mapped_before nothing = {NULL, NULL};
  char *path = lfb_growing_layer_path(files->path, number);

  if (path == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status =
      lfb_growing_layer_make_file(path, files->id, number, description, nothing, filter);
  free(path);
  if (status == LFB_ERROR_EXISTS) /* by another process, which may have died since */
    status = lfb_growing_layer_open(growing, number, filter);
  if (status == LFB_OK)
    files_raise(files, number + UINT64_C(1));
  return status;
}

void lfb_growing_files_leave(lfb_layers_shared *shared)
{
  lfb_growing_files *files = (lfb_growing_files *)(void *)shared;

  if (files->head.address != NULL)
    lfb_pages_unmap(&files->head);
  if (files->disk.fd >= 0)
    (void)close(files->disk.fd); /* nothing is written through it */
  free(files->path);
  free(files);
}

/* ---- the head ------------------------------------------------------------------------ */

static lfb_status head_read(int fd, unsigned char head[LFB_GROWING_COUNT])
{
  size_t have;

  const lfb_status status = lfb_disk_read_head(fd, head, LFB_GROWING_COUNT, &have);
  if (status != LFB_OK)
    return status;
  if (have < LFB_FORM_HEAD)
    return LFB_ERROR_TRUNCATED;
  const lfb_status begun = lfb_growing_begun(head);
  if (begun != LFB_ERROR_GROWING_MAPPED)
    return begun == LFB_ERROR_GROWING              ? LFB_ERROR_NOT_MAPPED
           : lfb_form_begun(head) != LFB_FORM_NONE ? LFB_ERROR_NOT_GROWING
                                                   : LFB_ERROR_UNKNOWN_FORM;
  return have < LFB_GROWING_COUNT ? LFB_ERROR_TRUNCATED : LFB_OK;
}

lfb_status lfb_growing_head_open(lfb_growing_files *files, const char *path)
{
  const lfb_status status = lfb_disk_open(path, files->writable, &files->disk);

  if (status != LFB_OK)
    return status;
  files->path = realpath(path, NULL);
  return files->path == NULL ? LFB_ERROR_OPEN : LFB_OK;
}

lfb_status lfb_growing_head_map(lfb_growing_files *files)
{
  lfb_status status = lfb_disk_look(&files->disk);

  if (status != LFB_OK)
    return status;
  if (files->disk.size != LFB_GROWING_FILE)
    return files->disk.size < LFB_GROWING_FILE ? LFB_ERROR_TRUNCATED : LFB_ERROR_TRAILING_BYTES;
  status = lfb_pages_map(&files->head, files->disk.fd, LFB_GROWING_FILE, files->writable);
  files->shared.count = status == LFB_OK ? lfb_growing_files_count(files) : NULL;
  return status;
}

lfb_status lfb_growing_head_decode(lfb_growing_files *files, const uint8_t *key,
                                   lfb_growing *growing)
{
  unsigned char bytes[LFB_GROWING_COUNT];
  lfb_growing_head head;

  lfb_status status = head_read(files->disk.fd, bytes);
  if (status == LFB_OK)
    status = lfb_growing_decode(bytes, &head);
  if (status == LFB_OK)
    status = lfb_native_decode(bytes + LFB_GROWING_FIRST, key, &files->first);
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

void lfb_growing_head_encode(const lfb_growing_head *head, const lfb_description *first,
                             unsigned char bytes[LFB_GROWING_FILE])
{
  memset(bytes, 0, LFB_GROWING_FILE);
  lfb_growing_encode(head, bytes);
  lfb_native_encode(first, 0, head->written, bytes + LFB_GROWING_FIRST);
}
