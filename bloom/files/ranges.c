/* ranges.c - sizes, blocks and huge pages of the files of shared filters. */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _GNU_SOURCE /* fallocate */
#include "bloom/files/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

/*
 * Reserves some blocks.  Returns 0 or an error number.
 *
 * On a file system that cannot reserve, posix_fallocate() of glibc reads and writes back a byte of
 * each block.  In a file that other processes put into, that could turn bits off.  Such a file is
 * left unchanged; so is one where nothing can be reserved for other reasons: no such call, or none
 * that a sandbox allows, or a file system (FUSE, hugetlbfs) that takes no such range.
 */
static int range_reserve_some(int fd, uint64_t from, uint64_t size, lfb_range_users users)
{
  int cause;

  if (users == LFB_RANGE_ALONE)
    cause = posix_fallocate(fd, (off_t)from, (off_t)size);
  else
    cause = fallocate(fd, 0, (off_t)from, (off_t)size) == 0 ? 0 : errno;
  return cause == EOPNOTSUPP || cause == ENOSYS || cause == EPERM || cause == EINVAL ? 0 : cause;
}

/* A signal may undo all that one system call has reserved.  The next call asks for half of it, so
 * that a program with a periodic timer finishes. */
lfb_status lfb_range_reserve(int fd, lfb_range range, lfb_range_users users)
{
  enum { LEAST_PIECE = 1 << 16 }; /* bytes */
  uint64_t piece = range.end - range.from;

  while (range.from < range.end) {
    const uint64_t left = range.end - range.from;
    const uint64_t size = piece < left ? piece : left;
    const int cause = range_reserve_some(fd, range.from, size, users);
    if (cause == EINTR) {
      piece = piece / 2 > LEAST_PIECE ? piece / 2 : (uint64_t)LEAST_PIECE;
      continue;
    }
    if (cause != 0) {
      errno = cause;
      return LFB_ERROR_WRITE;
    }
    range.from += size;
  }
  return LFB_OK;
}

/* Fails at once if `size` more bytes do not fit, instead of filling the disk to find out. */
static lfb_status range_check_left(int fd, uint64_t size)
{
  struct statfs system;

  /* f_blocks 0: a file system that does not report it, or a tmpfs without a limit */
  if (fstatfs(fd, &system) != 0 || system.f_bsize <= 0 || system.f_blocks == 0 ||
      size / (uint64_t)system.f_bsize <= (uint64_t)system.f_bavail)
    return LFB_OK;
  errno = ENOSPC;
  return LFB_ERROR_WRITE;
}

/* Refuses a file over the process's limit: the kernel would kill the process (SIGXFSZ). */
static lfb_status range_check_limit(uint64_t size)
{
  struct rlimit limit;

  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      size <= limit.rlim_cur)
    return LFB_OK;
  errno = EFBIG;
  return LFB_ERROR_WRITE;
}

lfb_status lfb_range_set_size(int fd, uint64_t size)
{
  lfb_status status = range_check_limit(size);

  if (status == LFB_OK)
    status = range_check_left(fd, size);
  if (status != LFB_OK)
    return status;
  return ftruncate(fd, (off_t)size) == 0 ? LFB_OK : LFB_ERROR_WRITE;
}

/* Makes the file long enough on a file system that cannot reserve, by a byte after the range.  No
 * process puts there.  Unlike ftruncate(), this cuts off nothing that another process has
 * appended. */
static lfb_status range_lengthen(int fd, uint64_t end)
{
  lfb_disk_file file = {.fd = fd};

  if (lfb_disk_look(&file) != LFB_OK)
    return LFB_ERROR_WRITE;
  return file.size >= end || pwrite(fd, "", 1, (off_t)end) == 1 ? LFB_OK : LFB_ERROR_WRITE;
}

lfb_status lfb_range_append(int fd, lfb_range range)
{
  lfb_status status = range_check_limit(range.end + 1);

  if (status == LFB_OK)
    status = range_check_left(fd, range.end - range.from);
  if (status == LFB_OK)
    status = lfb_range_reserve(fd, range, LFB_RANGE_SHARED);
  return status == LFB_OK ? range_lengthen(fd, range.end) : status;
}

/* Reserves one small page in each huge page's place and then collapses them.  That takes an eighth
 * of the time of reserving all small pages first (0.1 s per GiB). */
void lfb_range_make_huge(int fd, const lfb_pages *words, uint64_t at)
{
  if (!lfb_disk_is_on(fd, LFB_DISK_TMPFS) || at % LFB_HUGE_PAGE != 0)
    return;
  for (uint64_t done = 0; done + LFB_HUGE_PAGE <= words->size; done += LFB_HUGE_PAGE) {
    const lfb_range first = {at + done, at + done + 1};
    if (lfb_range_reserve(fd, first, LFB_RANGE_SHARED) != LFB_OK)
      return;
  }
  lfb_pages_collapse(words, 0);
}

/* How many bytes of blocks a file lacks in its ranges. */
static uint64_t range_holes(const lfb_disk_file *file, const lfb_range *ranges, size_t count)
{
  uint64_t needed = 0;

  for (size_t i = 0; i < count; i++)
    needed += ranges[i].end - ranges[i].from;
  return file->filled < needed ? needed - file->filled : 0;
}

lfb_status lfb_range_fill_holes(const lfb_disk_file *file, const lfb_range *ranges, size_t count,
                                bool limited)
{
  const uint64_t holes = range_holes(file, ranges, count);
  lfb_status status = LFB_OK;

  if (holes > 0)
    status = range_check_left(file->fd, limited ? holes : 2 * holes);
  for (size_t i = 0; holes > 0 && status == LFB_OK && i < count; i++)
    status = lfb_range_reserve(file->fd, ranges[i], LFB_RANGE_SHARED);
  return status;
}

lfb_status lfb_range_check_holes(const lfb_disk_file *file, const lfb_range *ranges,
                                 size_t count)
{
  if (range_holes(file, ranges, count) == 0 || !lfb_disk_is_on(file->fd, LFB_DISK_TMPFS))
    return LFB_OK;
  errno = ENODATA;
  return LFB_ERROR_MAP;
}
