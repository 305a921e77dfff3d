/* mapped.c - making, opening, syncing and closing a filter in a mapped file.  Floor 16. */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _GNU_SOURCE /* O_TMPFILE, fallocate */
#include <lfbloom/mapped.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "bloom/files.h"
#include "bloom/forms.h"
#include "bloom/mapped.h"
#include "bloom/restarted.h"

#define TMPFS_MAGIC 0x01021994 /* linux/magic.h */

/* Less the process's umask; of a file with a key the second. */
enum { FILE_MODE = 0666, SECRET_MODE = 0600 };

/* A mapping without a file yet. */
static lfb_status mapped_begin(const char *path, lfb_mapping **mapping)
{
  lfb_mapping *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->fd = -1;
  made->path = strdup(path);
  if (made->path == NULL) {
    free(made);
    return LFB_ERROR_NO_MEMORY;
  }
  *mapping = made;
  return LFB_OK;
}

/* Ends it, successfully or not, and keeps the cause. */
static lfb_status mapped_abandon(lfb_mapping *mapping, lfb_status status)
{
  const int cause = errno;

  lfb_mapping_leave(mapping);
  errno = cause;
  return status;
}

/* Maps the whole file, and finds its parts. */
static lfb_status mapped_map(lfb_mapping *mapping, const lfb_mapped_shape *shape, bool writable)
{
  const lfb_status status =
      lfb_pages_map(&mapping->file, mapping->fd, shape->file_size, writable);

  if (status != LFB_OK)
    return status;
  char *start = mapping->file.address;
  mapping->places = (lfb_word *)(void *)(start + LFB_MAPPED_CLAIMS);
  mapping->place_count = LFB_MAPPED_CLAIM_PLACES;
  mapping->leases = (lfb_leases){
      .book = (lfb_lease_book *)(void *)(start + LFB_MAPPED_BOOK),
      .states = (lfb_word *)(void *)(start + LFB_MAPPED_STATES),
      .lines = (lfb_stripe *)(void *)(start + lfb_mapped_lines_at(shape)),
      .count = shape->leases,
      .owned = shape->owned,
  };
  return LFB_OK;
}

/* Looks at what a file that is mapped has behind its filter's last bit. */
static lfb_status mapped_check_end(const lfb_mapping *mapping, const lfb_mapped_shape *shape,
                                   const lfb_geometry *geometry)
{
  const lfb_word *words =
      (const lfb_word *)(const void *)((char *)mapping->file.address + shape->words_at);
  const uint64_t last = lfb_word_get(&words[geometry->word_count - 1]);

  return lfb_form_overhangs(geometry, last) ? LFB_ERROR_BAD_HEADER : LFB_OK;
}

/* The filter over the words of a file that is mapped. */
static lfb_status mapped_filter(lfb_mapping *mapping, const lfb_mapped_shape *shape,
                                const lfb_description *description, lfb_filter **filter)
{
  const lfb_pages words = {(char *)mapping->file.address + shape->words_at,
                           description->geometry.word_count * sizeof(lfb_word)};

  return lfb_core_make_over(description, &words,
                            lfb_leases_stripes(&mapping->leases, LFB_LEASE_NONE), filter);
}

/* Who has a file whose blocks are reserved. */
typedef enum mapped_users { MAPPED_ALONE, MAPPED_SHARED } mapped_users;

/*
 * Reserves some blocks; 0, or why not.  Where a file system has no call for that,
 * posix_fallocate() reads and writes back a byte of each block: nothing for a file that
 * others are putting into, whose bits it would turn off.  That stays as it is then.
 */
static int mapped_reserve_some(int fd, uint64_t from, uint64_t size, mapped_users users)
{
  if (users == MAPPED_ALONE)
    return posix_fallocate(fd, (off_t)from, (off_t)size);
  return fallocate(fd, 0, (off_t)from, (off_t)size) == 0 || errno == EOPNOTSUPP ? 0 : errno;
}

/*
 * Reserves blocks, so that a full disk is found here and not by a put.  A signal may undo
 * all that a call has reserved: the next one asks for half of it, so that a program with a
 * timer comes to an end.
 */
static lfb_status mapped_reserve_range(int fd, uint64_t from, uint64_t to, mapped_users users)
{
  enum { LEAST_PIECE = 1 << 16 }; /* bytes */
  uint64_t piece = to - from;

  while (from < to) {
    const uint64_t size = piece < to - from ? piece : to - from;
    const int cause = mapped_reserve_some(fd, from, size, users);
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
static lfb_status mapped_check_room(int fd, uint64_t size)
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
static lfb_status mapped_check_limit(uint64_t size)
{
  struct rlimit limit;

  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      size <= limit.rlim_cur)
    return LFB_OK;
  errno = EFBIG;
  return LFB_ERROR_WRITE;
}

/* Gives a new file its size. */
static lfb_status mapped_set_size(int fd, uint64_t size)
{
  lfb_status status = mapped_check_limit(size);

  if (status == LFB_OK)
    status = mapped_check_room(fd, size);
  if (status != LFB_OK)
    return status;
  return ftruncate(fd, (off_t)size) == 0 ? LFB_OK : LFB_ERROR_WRITE;
}

static lfb_status mapped_reserve(int fd, const lfb_mapped_shape *shape, mapped_users users)
{
  const lfb_status status = mapped_reserve_range(fd, 0, lfb_mapped_lines_end(shape), users);

  return status != LFB_OK
             ? status
             : mapped_reserve_range(fd, shape->words_at, shape->file_size, users);
}

/*
 * Has a file in memory lie in huge pages.  One small page in each place and then a collapse
 * takes an eighth of the time of reserving all small pages first (0.1 s a GiB).  Where it
 * fails, reserving does what is left.
 */
static void mapped_make_huge(const lfb_mapping *mapping, const lfb_mapped_shape *shape)
{
  struct statfs system;

  if (fstatfs(mapping->fd, &system) != 0 || system.f_type != TMPFS_MAGIC ||
      shape->words_at % LFB_HUGE_PAGE != 0)
    return;
  for (uint64_t at = shape->words_at; at + LFB_HUGE_PAGE <= shape->file_size; at += LFB_HUGE_PAGE)
    if (mapped_reserve_range(mapping->fd, at, at + 1, MAPPED_ALONE) != LFB_OK)
      return;
  lfb_pages_collapse(&mapping->file, shape->words_at);
}

static mode_t mapped_mode(bool secret)
{
  return secret ? SECRET_MODE : FILE_MODE;
}

/* Opens a new file; in `*named` whether it has its name already, for want of files without
 * one, or of /proc to name them by. */
static lfb_status mapped_new(lfb_mapping *mapping, mode_t mode, bool *named)
{
  struct stat found;
  char *folder = lfb_file_folder(mapping->path), room[LFB_MAPPING_FD_PATH];

  if (folder == NULL)
    return LFB_ERROR_NO_MEMORY;
  mapping->fd = lfb_restarted_open(folder, O_TMPFILE | O_RDWR, mode);
  free(folder);
  *named = mapping->fd < 0 || access(lfb_mapping_fd_path(mapping->fd, room), F_OK) != 0;
  if (*named) {
    if (mapping->fd >= 0)
      (void)close(mapping->fd);
    mapping->fd = lfb_restarted_open(mapping->path, O_RDWR | O_CREAT | O_EXCL, mode);
  }
  if (mapping->fd < 0 || fstat(mapping->fd, &found) != 0) {
    *named &= mapping->fd >= 0;
    return errno == EEXIST ? LFB_ERROR_EXISTS : LFB_ERROR_OPEN;
  }
  mapping->device = found.st_dev;
  mapping->inode = found.st_ino;
  return LFB_OK;
}

/* Gives a file that has none its name. */
static lfb_status mapped_name(const lfb_mapping *mapping)
{
  char room[LFB_MAPPING_FD_PATH];

  if (linkat(AT_FDCWD, lfb_mapping_fd_path(mapping->fd, room), AT_FDCWD, mapping->path,
             AT_SYMLINK_FOLLOW) == 0)
    return LFB_OK;
  return errno == EEXIST ? LFB_ERROR_EXISTS : LFB_ERROR_OPEN;
}

/* Writes the head: its first bytes last, so that no half of it is taken for a whole. */
static void mapped_write_head(const lfb_mapping *mapping, const lfb_mapped_shape *shape,
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
static lfb_status mapped_fill(lfb_mapping *mapping, const lfb_description *description,
                              const lfb_mapped_shape *shape, lfb_filter **filter)
{
  lfb_filter *made;

  lfb_status status = mapped_set_size(mapping->fd, shape->file_size);
  if (status == LFB_OK)
    status = mapped_map(mapping, shape, true);
  if (status != LFB_OK)
    return status;
  if (!description->config.lazy_memory)
    mapped_make_huge(mapping, shape);
  status = mapped_reserve(mapping->fd, shape, MAPPED_ALONE);
  if (status == LFB_OK)
    status = mapped_filter(mapping, shape, description, &made);
  if (status != LFB_OK)
    return status;
  if (!description->config.lazy_memory)
    lfb_pages_populate(&mapping->file, shape->words_at);
  mapped_write_head(mapping, shape, made);
  status = lfb_mapping_join(mapping, made, true);
  if (status != LFB_OK) {
    free(made); /* which is not joined to the mapping yet */
    return status;
  }
  *filter = made;
  return LFB_OK;
}

/* Ends the making of a file: its name, and what is left where that went wrong. */
static lfb_status mapped_finish(lfb_mapping *mapping, bool named, lfb_status status)
{
  if (status == LFB_OK && !named)
    status = mapped_name(mapping);
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

  lfb_status status = mapped_begin(path, &mapping);
  if (status != LFB_OK)
    return status;
  status = mapped_new(mapping, mapped_mode(lfb_core_writes_key(description)), &named);
  if (status == LFB_OK)
    status = mapped_fill(mapping, description, shape, &made);
  if (status == LFB_OK && before.act != NULL)
    status = before.act(before.of);
  status = mapped_finish(mapping, named, status);
  if (status != LFB_OK) {
    const int cause = errno;
    free(made);
    errno = cause;
    return mapped_abandon(mapping, status);
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
static lfb_status mapped_write(int fd, const unsigned char *bytes, size_t size)
{
  lfb_status status = mapped_set_size(fd, size);

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

  lfb_status status = mapped_begin(path, &mapping);
  if (status != LFB_OK)
    return status;
  status = mapped_new(mapping, mapped_mode(secret), &named);
  if (status == LFB_OK)
    status = mapped_write(mapping->fd, bytes, size);
  return mapped_abandon(mapping, mapped_finish(mapping, named, status));
}

/* Opens the file that is there; its size in `*found`. */
static lfb_status mapped_open_file(lfb_mapping *mapping, bool writable, struct stat *found)
{
  /* non-blocking: a pipe would wait for somebody to write */
  mapping->fd =
      lfb_restarted_open(mapping->path, (writable ? O_RDWR : O_RDONLY) | O_NONBLOCK, 0);
  if (mapping->fd < 0 || fstat(mapping->fd, found) != 0)
    return LFB_ERROR_OPEN;
  if (!S_ISREG(found->st_mode)) {
    errno = S_ISDIR(found->st_mode) ? EISDIR : ENODEV;
    return LFB_ERROR_MAP;
  }
  mapping->device = found->st_dev;
  mapping->inode = found->st_ino;
  return LFB_OK;
}

/* Reads the head of the file. */
static lfb_status mapped_read_head(int fd, unsigned char header[LFB_MAPPED_HEADER])
{
  size_t have = 0;

  while (have < LFB_MAPPED_HEADER) {
    const ssize_t got = pread(fd, header + have, LFB_MAPPED_HEADER - have, (off_t)have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return LFB_ERROR_READ;
    if (got == 0)
      break;
    have += (size_t)got;
  }
  if (have >= LFB_FORM_HEAD && !lfb_mapped_begins(header))
    return lfb_form_begun(header) == LFB_FORM_NONE ? LFB_ERROR_UNKNOWN_FORM
                                                   : LFB_ERROR_NOT_MAPPED;
  return have < LFB_MAPPED_HEADER ? LFB_ERROR_TRUNCATED : LFB_OK;
}

/* Compares what the head claims with what is there. */
static lfb_status mapped_check(const lfb_mapped_shape *shape, const lfb_geometry *geometry,
                               const lfb_read_limits *limits, const struct stat *found)
{
  const uint64_t there = (uint64_t)found->st_size;

  if (limits->max_bytes != 0 && geometry->word_count * sizeof(lfb_word) > limits->max_bytes)
    return LFB_ERROR_OVER_LIMIT;
  if (there != shape->file_size)
    return there < shape->file_size ? LFB_ERROR_TRUNCATED : LFB_ERROR_TRAILING_BYTES;
  return LFB_OK;
}

/* How many bytes a file lacks of the blocks that will be touched. */
static uint64_t mapped_holes(const lfb_mapped_shape *shape, const struct stat *found)
{
  const uint64_t needed = lfb_mapped_lines_end(shape) + shape->file_size - shape->words_at;
  const uint64_t there = (uint64_t)found->st_blocks * 512;

  return there < needed ? needed - there : 0;
}

/* Reserves what is to be written to. */
static lfb_status mapped_fill_holes(int fd, const lfb_mapped_shape *shape,
                                    const struct stat *found)
{
  const uint64_t holes = mapped_holes(shape, found);

  if (holes == 0)
    return LFB_OK;
  const lfb_status status = mapped_check_room(fd, holes);
  return status == LFB_OK ? mapped_reserve(fd, shape, MAPPED_SHARED) : status;
}

/* Refuses holes that to read takes memory, which may not be there then (SIGBUS), and that a
 * reader cannot reserve: a tmpfs's.  Elsewhere they read as zeros and take nothing. */
static lfb_status mapped_check_holes(int fd, const lfb_mapped_shape *shape,
                                     const struct stat *found)
{
  struct statfs system;

  if (mapped_holes(shape, found) == 0 || fstatfs(fd, &system) != 0 ||
      system.f_type != TMPFS_MAGIC)
    return LFB_OK;
  errno = ENODATA;
  return LFB_ERROR_MAP;
}

static lfb_status mapped_open_mapping(lfb_mapping *mapping, const lfb_read_limits *limits,
                                      bool writable, lfb_filter **filter)
{
  unsigned char header[LFB_MAPPED_HEADER];
  lfb_description description;
  lfb_mapped_shape shape;
  struct stat found;
  lfb_filter *made;
  bool other;

  lfb_status status = mapped_open_file(mapping, writable, &found);
  if (status == LFB_OK)
    status = mapped_read_head(mapping->fd, header);
  if (status == LFB_OK)
    status = lfb_mapped_decode(header, limits->key, &shape, &other, &description);
  if (status == LFB_OK && other)
    status = LFB_ERROR_BYTE_ORDER;
  if (status == LFB_OK)
    status = mapped_check(&shape, &description.geometry, limits, &found);
  if (status == LFB_OK)
    status = (writable ? mapped_fill_holes : mapped_check_holes)(mapping->fd, &shape, &found);
  if (status == LFB_OK)
    status = mapped_map(mapping, &shape, writable);
  if (status == LFB_OK)
    status = mapped_check_end(mapping, &shape, &description.geometry);
  if (status == LFB_OK)
    status = mapped_filter(mapping, &shape, &description, &made);
  if (status != LFB_OK)
    return status;
  status = lfb_mapping_join(mapping, made, writable);
  if (status != LFB_OK) {
    free(made);
    return status;
  }
  *filter = made;
  return LFB_OK;
}

static lfb_status mapped_open(const char *path, const lfb_read_limits *limits, bool writable,
                              lfb_filter **filter)
{
  const lfb_read_limits none = {0};
  lfb_mapping *mapping;

  lfb_status status = mapped_begin(path, &mapping);
  if (status != LFB_OK)
    return status;
  status = mapped_open_mapping(mapping, limits == NULL ? &none : limits, writable, filter);
  return status == LFB_OK ? LFB_OK : mapped_abandon(mapping, status);
}

lfb_status lfb_mapped_open(const char *path, const lfb_read_limits *limits, lfb_filter **filter)
{
  return mapped_open(path, limits, true, filter);
}

lfb_status lfb_mapped_open_read_only(const char *path, const lfb_read_limits *limits,
                                     const lfb_filter **filter)
{
  lfb_filter *made;
  const lfb_status status = mapped_open(path, limits, false, &made);

  if (status == LFB_OK)
    *filter = made;
  return status;
}

lfb_status lfb_mapped_sync(const lfb_filter *filter)
{
  const lfb_mapping *mapping = filter->mapping;
  struct stat found;

  if (mapping == NULL)
    return LFB_ERROR_NOT_MAPPED;
  if (!lfb_mapping_is_whole(mapping))
    return LFB_ERROR_TRUNCATED;
  if (msync(mapping->file.address, (size_t)mapping->file.size, MS_SYNC) != 0 ||
      lfb_restarted_sync(mapping->fd) != 0)
    return LFB_ERROR_SYNC;
  if (stat(mapping->path, &found) != 0 || found.st_dev != mapping->device ||
      found.st_ino != mapping->inode)
    return LFB_ERROR_REPLACED;
  return LFB_OK;
}

lfb_status lfb_mapped_recount(lfb_filter *filter)
{
  const lfb_mapping *mapping = filter->mapping;

  if (mapping == NULL)
    return LFB_ERROR_NOT_MAPPED;
  if (!lfb_mapping_is_whole(mapping))
    return LFB_ERROR_TRUNCATED;
  /* By a description of its own: to the filter's, its own lease would look free. */
  const int fd = lfb_mapping_reopen(mapping);
  if (fd >= 0) {
    lfb_leases_recover(&mapping->leases, fd);
    (void)close(fd);
  }
  return lfb_leases_recount(&mapping->leases, &filter->layout.bits);
}

void lfb_mapped_close(const lfb_filter *filter)
{
  lfb_filter_free((lfb_filter *)(uintptr_t)filter);
}
