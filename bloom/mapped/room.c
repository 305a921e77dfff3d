/* room.c - sizes, blocks and huge pages of mapped files.  Floor 16. */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _GNU_SOURCE /* fallocate */
#include "bloom/mapped/room.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

#define TMPFS_MAGIC 0x01021994 /* linux/magic.h */

static bool room_is_in_memory(int fd)
{
  struct statfs system;

  return fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

/*
 * Reserves some blocks; 0, or why not.  Where a file system has no call for that,
 * posix_fallocate() reads and writes back a byte of each block: nothing for a file that
 * others are putting into, whose bits it would turn off.  That stays as it is then.
 */
static int room_reserve_some(int fd, uint64_t from, uint64_t size, lfb_room_users users)
{
  if (users == LFB_ROOM_ALONE)
    return posix_fallocate(fd, (off_t)from, (off_t)size);
  return fallocate(fd, 0, (off_t)from, (off_t)size) == 0 || errno == EOPNOTSUPP ? 0 : errno;
}

/*
 * Reserves blocks, so that a full disk is found here and not by a put.  A signal may undo
 * all that a call has reserved: the next one asks for half of it, so that a program with a
 * timer comes to an end.
 */
static lfb_status room_reserve_range(int fd, uint64_t from, uint64_t to, lfb_room_users users)
{
  enum { LEAST_PIECE = 1 << 16 }; /* bytes */
  uint64_t piece = to - from;

  while (from < to) {
    const uint64_t size = piece < to - from ? piece : to - from;
    const int cause = room_reserve_some(fd, from, size, users);
    if (cause == EINTR) {
      piece = piece / 2 > LEAST_PIECE ? piece / 2 : (uint64_t)LEAST_PIECE;
      continue;
    }
    if (cause != 0) {
      errno = cause;
      return LFB_ERROR_WRITE;
    }
    from += size;
  }
  return LFB_OK;
}

/* Refuses at once what has no room for `size` bytes more, instead of filling the disk to
 * find out. */
static lfb_status room_check_left(int fd, uint64_t size)
{
  struct statfs system;

  /* no blocks at all: a file system that does not say, or a tmpfs without a limit */
  if (fstatfs(fd, &system) != 0 || system.f_bsize <= 0 || system.f_blocks == 0 ||
      size / (uint64_t)system.f_bsize <= (uint64_t)system.f_bavail)
    return LFB_OK;
  errno = ENOSPC;
  return LFB_ERROR_WRITE;
}

/* Refuses a file that the process may not make: the system would kill it (SIGXFSZ). */
static lfb_status room_check_limit(uint64_t size)
{
  struct rlimit limit;

  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      size <= limit.rlim_cur)
    return LFB_OK;
  errno = EFBIG;
  return LFB_ERROR_WRITE;
}

lfb_status lfb_room_set_size(int fd, uint64_t size)
{
  lfb_status status = room_check_limit(size);

  if (status == LFB_OK)
    status = room_check_left(fd, size);
  if (status != LFB_OK)
    return status;
  return ftruncate(fd, (off_t)size) == 0 ? LFB_OK : LFB_ERROR_WRITE;
}

lfb_status lfb_room_reserve(int fd, const lfb_mapped_shape *shape, lfb_room_users users)
{
  const lfb_status status = room_reserve_range(fd, 0, lfb_mapped_lines_end(shape), users);

  return status != LFB_OK
             ? status
             : room_reserve_range(fd, shape->words_at, shape->file_size, users);
}

/* One small page in each place and then a collapse takes an eighth of the time of reserving all
 * small pages first (0.1 s a GiB). */
void lfb_room_make_huge(const lfb_mapping *mapping, const lfb_mapped_shape *shape)
{
  if (!room_is_in_memory(mapping->disk.fd) || shape->words_at % LFB_HUGE_PAGE != 0)
    return;
  for (uint64_t at = shape->words_at; at + LFB_HUGE_PAGE <= shape->file_size; at += LFB_HUGE_PAGE)
    if (room_reserve_range(mapping->disk.fd, at, at + 1, LFB_ROOM_ALONE) != LFB_OK)
      return;
  lfb_pages_collapse(&mapping->file, shape->words_at);
}

/* How many bytes a file lacks of the blocks that will be touched. */
static uint64_t room_holes(const lfb_mapped_shape *shape, const lfb_disk_file *file)
{
  const uint64_t needed = lfb_mapped_lines_end(shape) + shape->file_size - shape->words_at;

  return file->filled < needed ? needed - file->filled : 0;
}

lfb_status lfb_room_fill_holes(const lfb_disk_file *file, const lfb_mapped_shape *shape)
{
  const uint64_t holes = room_holes(shape, file);

  if (holes == 0)
    return LFB_OK;
  const lfb_status status = room_check_left(file->fd, holes);
  return status == LFB_OK ? lfb_room_reserve(file->fd, shape, LFB_ROOM_SHARED) : status;
}

lfb_status lfb_room_check_holes(const lfb_disk_file *file, const lfb_mapped_shape *shape)
{
  if (room_holes(shape, file) == 0 || !room_is_in_memory(file->fd))
    return LFB_OK;
  errno = ENODATA;
  return LFB_ERROR_MAP;
}
