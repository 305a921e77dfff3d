/* disk.c - opening, comparing and reading files, and syncing folders. */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _POSIX_C_SOURCE 200809L
#include "bloom/files/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { DISK_BLOCK = 512 }; /* bytes: what st_blocks counts */

int lfb_restarted_openat(int folder, const char *path, int flags, mode_t mode)
{
  int fd;

  do
    fd = openat(folder, path, flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return fd;
}

int lfb_restarted_open(const char *path, int flags, mode_t mode)
{
  return lfb_restarted_openat(AT_FDCWD, path, flags, mode);
}

int lfb_restarted_sync(int fd)
{
  int failed;

  do
    failed = fsync(fd);
  while (failed != 0 && errno == EINTR);
  return failed;
}

void lfb_disk_leave(int fd)
{
  const int cause = errno;

  if (fd >= 0)
    (void)close(fd);
  errno = cause;
}

const char *lfb_disk_fd_path(int fd, char path[LFB_DISK_FD_PATH])
{
  (void)snprintf(path, LFB_DISK_FD_PATH, "/proc/self/fd/%d", fd);
  return path;
}

static lfb_disk_id disk_id(const struct stat *found)
{
  return (lfb_disk_id){found->st_dev, found->st_ino};
}

lfb_status lfb_disk_open(const char *path, bool writable, lfb_disk_file *file)
{
  file->fd = lfb_restarted_open(path, (writable ? O_RDWR : O_RDONLY) | O_NONBLOCK, 0);
  if (file->fd < 0 || lfb_disk_look(file) != LFB_OK)
    return LFB_ERROR_OPEN;
  if (S_ISREG(file->mode))
    return LFB_OK;
  errno = S_ISDIR(file->mode) ? EISDIR : ENODEV;
  return LFB_ERROR_MAP;
}

lfb_status lfb_disk_look(lfb_disk_file *file)
{
  struct stat found;

  if (fstat(file->fd, &found) != 0)
    return LFB_ERROR_OPEN;
  file->id = disk_id(&found);
  file->size = (uint64_t)found.st_size;
  file->filled = (uint64_t)found.st_blocks * DISK_BLOCK;
  file->mode = found.st_mode;
  return LFB_OK;
}

bool lfb_disk_is_on(int fd, long system)
{
  struct statfs found;

  return fstatfs(fd, &found) == 0 && (long)found.f_type == system; /* unsigned with musl */
}

bool lfb_disk_same(const lfb_disk_id *one, const lfb_disk_id *other)
{
  return one->device == other->device && one->inode == other->inode;
}

lfb_status lfb_disk_is(const char *path, const lfb_disk_id *id)
{
  struct stat found;

  if (stat(path, &found) != 0)
    return LFB_ERROR_REPLACED;
  const lfb_disk_id now = disk_id(&found);
  return lfb_disk_same(&now, id) ? LFB_OK : LFB_ERROR_REPLACED;
}

lfb_status lfb_disk_read(void *from, void *bytes, size_t size, size_t *got)
{
  const int fd = *(const int *)from;
  /* one read() returns at most SSIZE_MAX bytes, on Linux at most 2 GiB */
  const size_t most = size < INT_MAX ? size : (size_t)INT_MAX;
  ssize_t have;

  do
    have = read(fd, bytes, most);
  while (have < 0 && errno == EINTR);
  if (have < 0)
    return LFB_ERROR_READ;
  *got = (size_t)have;
  return LFB_OK;
}

lfb_status lfb_disk_read_at(int fd, uint64_t at, void *bytes, size_t size, size_t *got)
{
  size_t have = 0;

  while (have < size) {
    const ssize_t more = pread(fd, (char *)bytes + have, size - have, (off_t)(at + have));
    if (more < 0 && errno == EINTR)
      continue;
    if (more < 0)
      return LFB_ERROR_READ;
    if (more == 0)
      break;
    have += (size_t)more;
  }
  *got = have;
  return LFB_OK;
}

mode_t lfb_disk_mode(bool secret)
{
  return secret ? S_IRUSR | S_IWUSR
                : S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
}

char *lfb_disk_folder(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash == NULL   ? strdup(".")
         : slash == path ? strdup("/")
                         : strndup(path, (size_t)(slash - path));
}

lfb_status lfb_disk_sync_folder(int fd)
{
  /* EINVAL, ENOTSUP: this file system cannot sync a folder. */
  return fd < 0 || lfb_restarted_sync(fd) == 0 || errno == EINVAL || errno == ENOTSUP
             ? LFB_OK
             : LFB_ERROR_SYNC;
}

lfb_status lfb_disk_sync_folder_of(const char *folder)
{
  const int fd = lfb_restarted_open(folder, O_RDONLY | O_DIRECTORY, 0);

  if (fd < 0 && errno != EACCES) /* a folder that may not be read is no failure */
    return LFB_ERROR_SYNC;
  const lfb_status status = lfb_disk_sync_folder(fd);
  lfb_disk_leave(fd);
  return status;
}
