/*
 * files.c - saving a filter to a file, atomically and durably, and loading one.
 *
 * Floor 14.
 */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <lfbloom/filter.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bloom/forms.h"

enum {
  TRIES = 100,    /* at a temporary name that is not taken */
  FILE_MODE = 0666, /* less the process's umask */
};

static lfb_status file_write(void *to, const void *bytes, size_t size)
{
  const int fd = *(const int *)to;
  const char *at = bytes;

  while (size > 0) {
    const ssize_t wrote = write(fd, at, size);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote < 0)
      return LFB_ERROR_WRITE;
    at += wrote;
    size -= (size_t)wrote;
  }
  return LFB_OK;
}

static lfb_status file_read(void *from, void *bytes, size_t size, size_t *got)
{
  const int fd = *(const int *)from;
  /* one read() is at most SSIZE_MAX, and Linux gives 2 GiB at a time */
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

/* Closes a file of which it matters that it was written.  Keeps the first error. */
static lfb_status file_close(int fd, lfb_status status)
{
  const int cause = errno;

  if (close(fd) != 0 && status == LFB_OK && errno != EINTR)
    return LFB_ERROR_WRITE;
  if (status != LFB_OK)
    errno = cause;
  return status;
}

/* Writes the filter to what stands at `path` already and is no regular file. */
static lfb_status save_in_place(const lfb_filter *filter, lfb_form form, const char *path)
{
  int fd = open(path, O_WRONLY | O_CLOEXEC);

  if (fd < 0)
    return LFB_ERROR_OPEN;
  return file_close(fd, lfb_filter_write(filter, form, file_write, &fd));
}

/* A number that no other saver is likely to have chosen at this moment. */
static unsigned long save_number(int try)
{
  struct timespec now = {0};

  (void)clock_gettime(CLOCK_REALTIME, &now);
  return ((unsigned long)getpid() << 20) ^ (unsigned long)now.tv_nsec ^ (unsigned long)try;
}

/* Opens a new file beside `path`; its name goes to `name`, of `size` bytes. */
static int save_open_beside(const char *path, char *name, size_t size)
{
  for (int try = 0; try < TRIES; try++) {
    (void)snprintf(name, size, "%s.tmp-%08lx", path, save_number(try) & 0xffffffffUL);
    /* not mkstemp(), whose files nobody else may read */
    const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

/* Makes the rename last: syncs the directory that holds `path`. */
static lfb_status save_sync_directory(const char *path)
{
  char *directory = strdup(path);
  if (directory == NULL)
    return LFB_ERROR_NO_MEMORY;

  char *slash = strrchr(directory, '/');
  if (slash == NULL)
    (void)strcpy(directory, ".");
  else
    slash[slash == directory] = '\0';
  int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(directory);
  if (fd < 0)
    return LFB_OK; /* a directory one may write but not read cannot be synced */
  /* EINVAL: a file system that has nothing to sync here */
  const bool synced = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
  return file_close(fd, synced ? LFB_OK : LFB_ERROR_SYNC);
}

/* Writes and syncs `name`, then lets it take the place of `path`. */
static lfb_status save_and_rename(const lfb_filter *filter, lfb_form form, int fd,
                                  const char *name, const char *path)
{
  lfb_status status = lfb_filter_write(filter, form, file_write, &fd);

  if (status == LFB_OK && fsync(fd) != 0)
    status = LFB_ERROR_SYNC;
  status = file_close(fd, status);
  if (status == LFB_OK && rename(name, path) != 0)
    status = LFB_ERROR_RENAME;
  if (status != LFB_OK) {
    const int cause = errno;
    (void)unlink(name);
    errno = cause;
    return status;
  }
  return save_sync_directory(path);
}

static lfb_status save_beside(const lfb_filter *filter, lfb_form form, const char *path)
{
  const size_t size = strlen(path) + sizeof ".tmp-12345678";
  char *name = malloc(size);

  if (name == NULL)
    return LFB_ERROR_NO_MEMORY;
  const int fd = save_open_beside(path, name, size);
  const lfb_status status =
      fd < 0 ? LFB_ERROR_OPEN : save_and_rename(filter, form, fd, name, path);
  const int cause = errno;
  free(name);
  errno = cause;
  return status;
}

lfb_status lfb_filter_save(const lfb_filter *filter, lfb_form form, const char *path)
{
  struct stat found;

  /* Before anything is created: a form that cannot hold it needs no file. */
  if (lfb_form_name(form) == NULL)
    return LFB_ERROR_UNKNOWN_FORM;
  if (!lfb_form_holds(form, filter->strategy->id))
    return LFB_ERROR_FORM_CANNOT_HOLD;
  if (stat(path, &found) != 0)
    return save_beside(filter, form, path);
  if (S_ISDIR(found.st_mode)) {
    errno = EISDIR;
    return LFB_ERROR_OPEN;
  }
  if (!S_ISREG(found.st_mode))
    return save_in_place(filter, form, path);

  /* Where `path` is a symbolic link, what it points to is replaced, not the link. */
  char *target = realpath(path, NULL);
  if (target == NULL)
    return LFB_ERROR_OPEN;
  const lfb_status status = save_beside(filter, form, target);
  const int cause = errno;
  free(target);
  errno = cause;
  return status;
}

/* Reads a filter, which has to be all that the file holds. */
static lfb_status load_whole(int fd, const lfb_read_limits *limits, uint64_t known_bytes,
                             lfb_filter **filter)
{
  const lfb_read_limits none = {0};
  const lfb_reader reader = {file_read, &fd, limits == NULL ? none : *limits, known_bytes};
  lfb_filter *loaded;
  char more;
  size_t got;

  lfb_status status = lfb_form_read(&reader, &loaded);
  if (status != LFB_OK)
    return status;
  status = file_read(&fd, &more, sizeof more, &got);
  if (status == LFB_OK && got > 0)
    status = LFB_ERROR_TRAILING_BYTES;
  if (status != LFB_OK) {
    lfb_filter_free(loaded);
    return status;
  }
  *filter = loaded;
  return LFB_OK;
}

lfb_status lfb_filter_load(const char *path, const lfb_read_limits *limits, lfb_filter **filter)
{
  struct stat found;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return LFB_ERROR_OPEN;
  const bool sized = fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
  const lfb_status status = load_whole(fd, limits, sized ? (uint64_t)found.st_size : 0, filter);
  const int cause = errno;
  (void)close(fd); /* only read from: nothing can be lost */
  errno = cause;
  return status;
}
