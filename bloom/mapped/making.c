/* making.c - making a filter in a mapped file, which has no name until it is whole.
 * Floor 18. */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _GNU_SOURCE /* O_TMPFILE */
#include <lfbloom/mapped.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bloom/mapped/making.h"
#include "bloom/mapped/mapped.h"
#include "bloom/mapped/room.h"
#include "bloom/restarted.h"

/* Opens a new file; in `*named` whether it has its name already, for want of files without
 * one, or of /proc to name them by. */
static lfb_status making_new(lfb_mapping *mapping, mode_t mode, bool *named)
{
  char *folder = lfb_disk_folder(mapping->path), room[LFB_MAPPING_FD_PATH];

  if (folder == NULL)
    return LFB_ERROR_NO_MEMORY;
  mapping->disk.fd = lfb_restarted_open(folder, O_TMPFILE | O_RDWR, mode);
  free(folder);
  *named = mapping->disk.fd < 0 || access(lfb_mapping_fd_path(mapping->disk.fd, room), F_OK) != 0;
  if (*named) {
    if (mapping->disk.fd >= 0)
      (void)close(mapping->disk.fd);
    mapping->disk.fd = lfb_restarted_open(mapping->path, O_RDWR | O_CREAT | O_EXCL, mode);
  }
  if (mapping->disk.fd >= 0 && lfb_disk_look(&mapping->disk) == LFB_OK)
    return LFB_OK;
  *named &= mapping->disk.fd >= 0;
  return errno == EEXIST ? LFB_ERROR_EXISTS : LFB_ERROR_OPEN;
}

/* Gives a file that has none its name. */
static lfb_status making_name(const lfb_mapping *mapping)
{
  char room[LFB_MAPPING_FD_PATH];

  if (linkat(AT_FDCWD, lfb_mapping_fd_path(mapping->disk.fd, room), AT_FDCWD, mapping->path,
             AT_SYMLINK_FOLLOW) == 0)
    return LFB_OK;
  return errno == EEXIST ? LFB_ERROR_EXISTS : LFB_ERROR_OPEN;
}

/* Writes the head: its first bytes last, so that no half of it is taken for a whole. */
static void making_write_head(const lfb_mapping *mapping, const lfb_mapped_shape *shape,
                              const lfb_filter *filter)
{
  enum { FIRST = 8 };
  const time_t now = time(NULL);
  unsigned char header[LFB_MAPPED_HEADER], *head = mapping->file.address;

  lfb_mapped_encode(filter, shape, now < 0 ? 0 : (uint64_t)now, header);
  memcpy(head + FIRST, header + FIRST, sizeof header - FIRST);
  lfb_fence(memory_order_release); /* that the compiler keeps this order */
  memcpy(head, header, FIRST);
}

/* Makes the file of an opened mapping, and a filter over it. */
static lfb_status making_fill(lfb_mapping *mapping, const lfb_description *description,
                              const lfb_mapped_shape *shape, lfb_filter **filter)
{
  lfb_filter *made;

  lfb_status status = lfb_room_set_size(mapping->disk.fd, shape->file_size);
  if (status == LFB_OK)
    status = lfb_mapped_map(mapping, shape, true);
  if (status != LFB_OK)
    return status;
  if (!description->config.lazy_memory)
    lfb_room_make_huge(mapping, shape);
  status = lfb_room_reserve(mapping->disk.fd, shape, LFB_ROOM_ALONE);
  if (status == LFB_OK)
    status = lfb_mapped_over(mapping, shape, description, &made);
  if (status != LFB_OK)
    return status;
  if (!description->config.lazy_memory)
    lfb_pages_populate(&mapping->file, shape->words_at);
  making_write_head(mapping, shape, made);
  status = lfb_mapping_join(mapping, made, true);
  if (status != LFB_OK) {
    free(made); /* which is not joined to the mapping yet */
    return status;
  }
  *filter = made;
  return LFB_OK;
}

/* Ends the making of a file: its name, and what is left where that went wrong. */
static lfb_status making_finish(lfb_mapping *mapping, bool named, lfb_status status)
{
  if (status == LFB_OK && !named)
    status = making_name(mapping);
  if (status != LFB_OK && named) {
    const int cause = errno;
    (void)unlink(mapping->path);
    errno = cause;
  }
  return status;
}

lfb_status lfb_mapped_make(const char *path, const lfb_description *description,
                           const lfb_mapped_shape *shape, lfb_mapped_before before,
                           lfb_filter **filter)
{
  lfb_mapping *mapping;
  lfb_filter *made = NULL;
  bool named = false;

  lfb_status status = lfb_mapped_begin(path, &mapping);
  if (status != LFB_OK)
    return status;
  status = making_new(mapping, lfb_disk_mode(lfb_core_writes_key(description)), &named);
  if (status == LFB_OK)
    status = making_fill(mapping, description, shape, &made);
  if (status == LFB_OK && before.act != NULL)
    status = before.act(before.of);
  status = making_finish(mapping, named, status);
  if (status != LFB_OK) {
    const int cause = errno;
    free(made);
    errno = cause;
    return lfb_mapped_abandon(mapping, status);
  }
  *filter = made;
  return LFB_OK;
}

lfb_status lfb_mapped_create(const char *path, const lfb_config *config, lfb_filter **filter)
{
  lfb_description description;
  struct stat found;

  const lfb_status status = lfb_core_describe(config, &description);
  if (status != LFB_OK)
    return status;
  description.form = LFB_FORM_MAPPED;
  if (lstat(path, &found) == 0) {
    errno = EEXIST;
    return LFB_ERROR_EXISTS;
  }
  const lfb_mapped_shape shape =
      lfb_mapped_shape_for(description.geometry.word_count * sizeof(lfb_word));
  return lfb_mapped_make(path, &description, &shape, (lfb_mapped_before){NULL, NULL}, filter);
}

/* Writes all bytes to the beginning of a new file. */
static lfb_status making_write(int fd, const unsigned char *bytes, size_t size)
{
  lfb_status status = lfb_room_set_size(fd, size);

  for (size_t at = 0; status == LFB_OK && at < size;) {
    const ssize_t wrote = pwrite(fd, bytes + at, size - at, (off_t)at);
    if (wrote > 0)
      at += (size_t)wrote;
    else if (wrote == 0 || errno != EINTR)
      status = LFB_ERROR_WRITE;
  }
  return status;
}

lfb_status lfb_mapped_make_file(const char *path, const void *bytes, size_t size, bool secret)
{
  lfb_mapping *mapping;
  bool named = false;

  lfb_status status = lfb_mapped_begin(path, &mapping);
  if (status != LFB_OK)
    return status;
  status = making_new(mapping, lfb_disk_mode(secret), &named);
  if (status == LFB_OK)
    status = making_write(mapping->disk.fd, bytes, size);
  return lfb_mapped_abandon(mapping, making_finish(mapping, named, status));
}
