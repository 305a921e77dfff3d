/* making.c - a new file without a name, and giving it one. */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _GNU_SOURCE /* O_TMPFILE */
#include "bloom/files/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a new file: with its name if `*named`, which receives whether it has that. */
static lfb_status making_open(lfb_mapping *mapping, mode_t mode, bool *named)
{
  char *folder = lfb_disk_folder(mapping->path), text[LFB_DISK_FD_PATH];
  int *fd = &mapping->disk.fd;

  if (folder == NULL)
    return LFB_ERROR_NO_MEMORY;
  *fd = *named ? -1 : lfb_restarted_open(folder, O_TMPFILE | O_RDWR, mode);
  free(folder);
  *named = *fd < 0 || access(lfb_disk_fd_path(*fd, text), F_OK) != 0;
  if (*named) {
    if (*fd >= 0)
      (void)close(*fd);
    *fd = lfb_restarted_open(mapping->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  }
  if (*fd >= 0 && lfb_disk_look(&mapping->disk) == LFB_OK)
    return LFB_OK;
  *named &= *fd >= 0;
  return errno == EEXIST ? LFB_ERROR_EXISTS : LFB_ERROR_OPEN;
}

lfb_status lfb_making_begin(const char *path, uint32_t mode, bool secret, lfb_making *making)
{
  const mode_t owner = S_IRUSR | S_IWUSR;
  const mode_t wanted = mode == 0 ? owner : (mode_t)mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  struct stat found;

  if (lstat(path, &found) == 0) { /* the name is taken: checked before anything is made */
    errno = EEXIST;
    return LFB_ERROR_EXISTS;
  }
  making->path = path;
  lfb_status status = lfb_mapping_begin(path, &making->mapping);
  if (status != LFB_OK)
    return status;
  status = making_open(making->mapping, secret ? wanted & owner : wanted, &making->named);
  if (status != LFB_OK)
    lfb_mapping_end(making->mapping);
  return status;
}

lfb_status lfb_making_reserve(const lfb_making *making, lfb_range front, lfb_range words,
                              bool lazy)
{
  const int fd = making->mapping->disk.fd;

  lfb_status status = lfb_range_set_size(fd, words.end);
  if (status == LFB_OK)
    status = lfb_mapping_map(making->mapping, words.end, true);
  if (status != LFB_OK)
    return status;
  const lfb_pages pages = {lfb_mapping_at(making->mapping, words.from), words.end - words.from};
  if (!lazy)
    lfb_range_make_huge(fd, &pages, words.from);
  status = lfb_range_reserve(fd, front, LFB_RANGE_ALONE);
  if (status == LFB_OK)
    status = lfb_range_reserve(fd, words, LFB_RANGE_ALONE);
  if (status == LFB_OK && !lazy)
    lfb_pages_populate(&pages, 0);
  return status;
}

void lfb_making_write_head(const lfb_making *making, const unsigned char *head, size_t size)
{
  enum { FIRST = 8 };
  char *to = lfb_mapping_at(making->mapping, 0);

  memcpy(to + FIRST, head + FIRST, size - FIRST);
  lfb_fence(memory_order_release); /* the compiler must keep this order */
  memcpy(to, head, FIRST);
}

/* Gives the file its name, unless it has one. */
static lfb_status making_name(lfb_making *making)
{
  const lfb_mapping *mapping = making->mapping;
  char text[LFB_DISK_FD_PATH];

  if (making->named)
    return LFB_OK;
  making->named = linkat(AT_FDCWD, lfb_disk_fd_path(mapping->disk.fd, text), AT_FDCWD,
                         making->path, AT_SYMLINK_FOLLOW) == 0;
  if (making->named)
    return LFB_OK;
  making->refused = errno != EEXIST;
  return making->refused ? LFB_ERROR_OPEN : LFB_ERROR_EXISTS;
}

lfb_status lfb_making_end(lfb_making *making, lfb_status status)
{
  if (status == LFB_OK)
    status = making_name(making);
  if (status == LFB_OK)
    status = lfb_mapping_sync_name(making->mapping);
  if (status != LFB_OK && making->named) {
    const int cause = errno;
    (void)unlink(making->path);
    errno = cause;
  }
  return status;
}

bool lfb_making_again(lfb_making *making)
{
  making->named = making->refused;
  making->refused = false;
  return making->named;
}
