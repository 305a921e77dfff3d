/* mapping.c - mapping, syncing and closing the file of a shared filter. */
#define _POSIX_C_SOURCE 200809L
#include "bloom/files/mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

lfb_status lfb_mapping_begin(const char *path, lfb_mapping **mapping)
{
  lfb_mapping *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->disk.fd = -1;
  made->path = strdup(path);
  if (made->path == NULL) {
    free(made);
    return LFB_ERROR_NO_MEMORY;
  }
  *mapping = made;
  return LFB_OK;
}

lfb_status lfb_mapping_map(lfb_mapping *mapping, uint64_t size, bool writable)
{
  return lfb_pages_map(&mapping->pages, mapping->disk.fd, 0, size, writable);
}

lfb_status lfb_mapping_check(uint64_t words, uint64_t size, uint64_t there,
                             const lfb_read_limits *limits)
{
  if (limits->max_bytes != 0 && words > limits->max_bytes)
    return LFB_ERROR_OVER_LIMIT;
  if (there != size)
    return there < size ? LFB_ERROR_TRUNCATED : LFB_ERROR_TRAILING_BYTES;
  return LFB_OK;
}

bool lfb_mapping_is_whole(const lfb_mapping *mapping)
{
  lfb_disk_file now = {.fd = mapping->disk.fd};

  return lfb_disk_look(&now) == LFB_OK && lfb_disk_same(&now.id, &mapping->disk.id) &&
         now.size >= mapping->pages.size;
}

/* Whether the descriptor belongs to another file by now, because the program has closed it.  Before
 * the file is mapped, no caller has the filter, and the file's identity may be unknown. */
static bool mapping_is_anothers(const lfb_mapping *mapping)
{
  lfb_disk_file now = {.fd = mapping->disk.fd};

  return mapping->pages.address != NULL && lfb_disk_look(&now) == LFB_OK &&
         !lfb_disk_same(&now.id, &mapping->disk.id);
}

void lfb_mapping_end(lfb_mapping *mapping)
{
  const int cause = errno;

  if (mapping->disk.fd >= 0 && !mapping_is_anothers(mapping))
    (void)close(mapping->disk.fd); /* no data is written through it, so none can be lost */
  if (mapping->pages.address != NULL)
    lfb_pages_unmap(&mapping->pages);
  free(mapping->path);
  free(mapping);
  errno = cause;
}

lfb_status lfb_mapping_abandon(lfb_mapping *mapping, lfb_status status)
{
  lfb_mapping_end(mapping);
  return status;
}

lfb_status lfb_mapping_make_filter(const lfb_description *description, const lfb_pages *words,
                                   lfb_cell *cells, lfb_stripes count,
                                   void (*destroy)(lfb_filter *filter), lfb_filter **filter)
{
  const lfb_filter_parts parts = {
      .pages = *words,
      .count = count,
      .claims = lfb_claims_over(cells, description->strategy->hash_width),
      .destroy = destroy,
      .shared = true,
  };

  (void)lfb_slot(); /* the process's first call enters the kernel; no put, query or claim may */
  return lfb_filter_make_over(description, &parts, filter);
}

lfb_status lfb_mapping_sync_name(const lfb_mapping *mapping)
{
  char *folder = lfb_disk_folder(mapping->path);

  if (folder == NULL)
    return LFB_ERROR_NO_MEMORY;
  const lfb_status status = lfb_disk_sync_folder_of(folder);
  free(folder);
  return status;
}

lfb_status lfb_mapping_sync(const lfb_mapping *mapping)
{
  if (!lfb_mapping_is_whole(mapping))
    return LFB_ERROR_TRUNCATED;
  if (msync(mapping->pages.address, (size_t)mapping->pages.size, MS_SYNC) != 0 ||
      lfb_restarted_sync(mapping->disk.fd) != 0)
    return LFB_ERROR_SYNC;
  const lfb_status status = lfb_mapping_sync_name(mapping);
  return status == LFB_OK ? lfb_disk_is(mapping->path, &mapping->disk.id) : status;
}
