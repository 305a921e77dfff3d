/* mapping.c - mapping, syncing and closing the file of a shared filter. */
#define _GNU_SOURCE /* flock */
#include "bloom/files/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "atomic/threads/forks.h"

lfb_status lfb_mapping_begin(const char *path, lfb_mapping **mapping)
{
  lfb_mapping *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->disk.fd = made->lock = -1;
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

/* Whether a descriptor is of this file, and the file not shorter than the mapped part. */
static bool mapping_has(const lfb_mapping *mapping, int fd)
{
  lfb_disk_file now = {.fd = fd};

  return lfb_disk_look(&now) == LFB_OK && lfb_disk_same(&now.id, &mapping->disk.id) &&
         now.size >= mapping->pages.size;
}

bool lfb_mapping_is_whole(const lfb_mapping *mapping)
{
  return mapping_has(mapping, mapping->disk.fd);
}

/* Closes a descriptor, unless it belongs to another file by now, because the program has closed it.
 * Before the file is mapped, no caller has the filter, and the file's identity may be unknown.  No
 * data is written through it, so none can be lost. */
static void mapping_close(const lfb_mapping *mapping, int fd)
{
  lfb_disk_file now = {.fd = fd};

  if (fd >= 0 && (mapping->pages.address == NULL || lfb_disk_look(&now) != LFB_OK ||
                  lfb_disk_same(&now.id, &mapping->disk.id)))
    (void)close(fd);
}

void lfb_mapping_end(lfb_mapping *mapping)
{
  const int cause = errno;

  mapping_close(mapping, mapping->lock);
  mapping_close(mapping, mapping->disk.fd);
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

/* ---- the lock -------------------------------------------------------------------------- */

/* Opens the file once more by one of its paths.  NFS locks only what may be written. */
static lfb_status lock_open(const lfb_mapping *mapping, const char *path, int *fd)
{
  *fd = lfb_restarted_open(path, O_RDWR | O_NONBLOCK, 0);
  if (*fd < 0 && errno == EACCES) /* made with a mode that lets nobody write */
    *fd = lfb_restarted_open(path, O_RDONLY | O_NONBLOCK, 0);
  if (*fd < 0 || mapping_has(mapping, *fd))
    return *fd < 0 ? LFB_ERROR_OPEN : LFB_OK;
  (void)close(*fd);
  errno = ESTALE;
  return LFB_ERROR_OPEN;
}

/* Opens this process's own description. */
static lfb_status lock_renew(lfb_mapping *mapping)
{
  char text[LFB_DISK_FD_PATH];
  int fd;

  mapping_close(mapping, mapping->lock); /* first: there may be no other descriptor left */
  mapping->lock = -1;
  /* If the program has closed the library's descriptor, its number may be that of anything. */
  lfb_status status = lfb_mapping_is_whole(mapping)
                          ? lock_open(mapping, lfb_disk_fd_path(mapping->disk.fd, text), &fd)
                          : LFB_ERROR_OPEN;
  if (status != LFB_OK)
    status = lock_open(mapping, mapping->path, &fd);
  if (status != LFB_OK)
    return status;
  mapping->lock = fd;
  /* release: `lock`, which then stays. */
  atomic_store_explicit(&mapping->locker, lfb_forks_process(), memory_order_release);
  return LFB_OK;
}

bool lfb_mapping_owns_lock(const lfb_mapping *mapping)
{
  /* acquire: pairs with the release above. */
  return atomic_load_explicit(&mapping->locker, memory_order_acquire) == lfb_forks_process();
}

lfb_status lfb_mapping_prepare_lock(lfb_mapping *mapping)
{
  if (!lfb_mapping_owns_lock(mapping))
    return lock_renew(mapping);
  if (mapping_has(mapping, mapping->lock))
    return LFB_OK;
  errno = EBADF;
  return LFB_ERROR_OPEN;
}

lfb_status lfb_mapping_lock(lfb_mapping *mapping)
{
  const lfb_status status = lfb_mapping_prepare_lock(mapping);

  if (status != LFB_OK)
    return status;
  if (flock(mapping->lock, LOCK_EX | LOCK_NB) == 0)
    return LFB_OK;
  return errno == EWOULDBLOCK ? LFB_ERROR_WINDOW_HELD : LFB_ERROR_OPEN;
}

/* Also for a child that has a copy of the descriptor. */
void lfb_mapping_unlock(const lfb_mapping *mapping)
{
  const int cause = errno;

  (void)flock(mapping->lock, LOCK_UN);
  errno = cause;
}

/* ---- keeping --------------------------------------------------------------------------- */

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
