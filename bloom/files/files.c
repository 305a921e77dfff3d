/*
 * files.c - saving a filter, or any content, to a file, atomically and durably, and loading
 * it.
 */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <lfbloom/filter_more.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bloom/files/disk.h"
#include "bloom/files/forms.h"
#include "bloom/files/destination.h"

enum { TRIES = 100 }; /* to find a temporary name that is not taken */

static lfb_status file_write(void *to, const void *bytes, size_t size)
{
  const int fd = *(const int *)to;
  const char *at = bytes;

  while (size > 0) {
    const ssize_t wrote = write(fd, at, size);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote == 0) /* unusual: an error, rather than an endless loop */
      errno = ENOSPC;
    if (wrote <= 0)
      return LFB_ERROR_WRITE;
    at += wrote;
    size -= (size_t)wrote;
  }
  return LFB_OK;
}

/* Closes a file that was written, and reports a failure.  Keeps the first error. */
static lfb_status file_close(int fd, lfb_status status)
{
  const int cause = errno;

  if (close(fd) != 0 && status == LFB_OK && errno != EINTR)
    return LFB_ERROR_WRITE;
  if (status != LFB_OK)
    errno = cause;
  return status;
}

/* Writes the content to what is at the destination, which is no regular file. */
static lfb_status save_in_place(const lfb_content *content, const lfb_destination *destination)
{
  int fd;

  if (lfb_destination_open(destination, O_WRONLY, &fd) != LFB_OK)
    return LFB_ERROR_OPEN;
  const lfb_writer writer = {.write = file_write, .to = &fd};
  return file_close(fd, content->write(content->what, &writer));
}

/* A number that no other saver is likely to have chosen at this moment. */
static unsigned long save_number(int try)
{
  struct timespec now = {0};

  (void)clock_gettime(CLOCK_REALTIME, &now);
  return ((unsigned long)getpid() << 20) ^ (unsigned long)now.tv_nsec ^ (unsigned long)try;
}

/* A new file that is renamed to its destination when it is complete. */
typedef struct replacement {
  const lfb_destination *destination;
  char name[sizeof ".lfbloom-12345678"]; /* before the rename */
  mode_t mode; /* before it has content, if it replaces a file of the caller */
  mode_t made; /* at creation, less the umask                                */
  int fd;
} replacement;

/* Decides the permissions of the new file: those of the file that it replaces, if that belongs to
 * the caller.  If it belongs to another, no more than a new file has and no more than the old one
 * had.  Only the owner's if the content is secret. */
static void save_decide(replacement *save, const lfb_content *content)
{
  const mode_t before = save->destination->mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  const mode_t most = content->secret ? lfb_disk_mode(true) : (mode_t)~0U;

  save->mode = before & most;
  save->made = lfb_disk_mode(content->secret || content->shared);
  if (save->destination->mode != 0)
    save->made &= before;
  if (save->destination->owned)
    save->made &= lfb_disk_mode(true);
}

/* Creates the new file beside its destination.  If it will replace another, only its owner may read
 * it for now. */
static lfb_status save_open(replacement *save)
{
  for (int try = 0; try < TRIES; try++) {
    (void)snprintf(save->name, sizeof save->name, ".lfbloom-%08lx",
                   save_number(try) & 0xffffffffUL);
    /* Not mkstemp(): only the owner may read its files.  But even before fchmod(), no user may read
     * the new file that could not read the old one. */
    save->fd = lfb_restarted_openat(save->destination->folder, save->name,
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, save->made);
    if (save->fd >= 0 || errno != EEXIST)
      break;
  }
  return save->fd < 0 ? LFB_ERROR_OPEN : LFB_OK;
}

/* Sets the permissions of a new file that replaces another.  Some file systems have none. */
static lfb_status save_permit(const replacement *save)
{
  int failed;

  if (!save->destination->owned)
    return LFB_OK;
  do
    failed = fchmod(save->fd, save->mode);
  while (failed != 0 && errno == EINTR);
  return failed == 0 || errno == EPERM || errno == ENOTSUP || errno == ENOSYS ? LFB_OK
                                                                               : LFB_ERROR_WRITE;
}

/* Writes and syncs the new file, then renames it to its destination. */
static lfb_status save_and_rename(const replacement *save, const lfb_content *content)
{
  const lfb_destination *destination = save->destination;
  int fd = save->fd;
  lfb_status status = save_permit(save);

  if (status == LFB_OK)
    status = content->write(content->what, &(lfb_writer){.write = file_write, .to = &fd});
  if (status == LFB_OK && lfb_restarted_sync(fd) != 0)
    status = LFB_ERROR_SYNC;
  status = file_close(fd, status);
  if (status == LFB_OK &&
      renameat(destination->folder, save->name, destination->folder, destination->name) != 0)
    status = LFB_ERROR_RENAME;
  if (status != LFB_OK) {
    const int cause = errno;
    (void)unlinkat(destination->folder, save->name, 0);
    errno = cause;
  }
  return status;
}

static lfb_status save_and_replace(const lfb_content *content, const lfb_destination *destination)
{
  replacement save = {.destination = destination};

  save_decide(&save, content);
  lfb_status status = save_open(&save);
  if (status == LFB_OK)
    status = save_and_rename(&save, content);
  /* Makes the rename durable. */
  return status == LFB_OK ? lfb_disk_sync_folder(destination->can_sync ? destination->folder : -1)
                          : status;
}

lfb_status lfb_file_save(const lfb_content *content, const char *path)
{
  lfb_destination destination;

  lfb_status status = lfb_destination_find(path, &destination);
  if (status == LFB_OK)
    status = destination.mode == 0 || S_ISREG(destination.mode)
                 ? save_and_replace(content, &destination)
                 : save_in_place(content, &destination);
  lfb_destination_leave(&destination);
  return status;
}

/* Reads the content, which must end with the file. */
static lfb_status load_whole(lfb_disk_file *file, const lfb_read_limits *limits,
                             lfb_status (*read)(const lfb_reader *reader, void **made), void **made)
{
  lfb_reader reader = lfb_reader_of(lfb_disk_read, &file->fd, limits);
  char more;
  size_t got;

  reader.known_bytes = file->size;
  lfb_status status = read(&reader, made);
  if (status == LFB_OK)
    status = lfb_disk_read(&file->fd, &more, sizeof more, &got);
  return status == LFB_OK && got > 0 ? LFB_ERROR_TRAILING_BYTES : status;
}

/* Opens a regular file to read it. */
static lfb_status file_open(const char *path, lfb_disk_file *file)
{
  const lfb_status status = lfb_disk_open(path, false, file);
  return status == LFB_ERROR_MAP ? LFB_ERROR_NOT_REGULAR : status;
}

lfb_status lfb_file_load(const char *path, const lfb_read_limits *limits,
                         lfb_status (*read)(const lfb_reader *reader, void **made), void **made)
{
  lfb_disk_file file;

  lfb_status status = file_open(path, &file);
  if (status == LFB_OK)
    status = load_whole(&file, limits, read, made);
  lfb_disk_leave(file.fd);
  return status;
}

/* ---- filters ------------------------------------------------------------------ */

/* A filter in a form, to be saved. */
typedef struct filter_content {
  const lfb_filter *filter;
  lfb_form form;
} filter_content;

static lfb_status filter_write(const void *what, const lfb_writer *writer)
{
  const filter_content *content = what;
  return lfb_filter_write(content->filter, content->form, writer->write, writer->to);
}

lfb_status lfb_filter_save(const lfb_filter *filter, lfb_form form, const char *path)
{
  const filter_content what = {filter, form};

  /* Before anything is created. */
  if (lfb_form_name(form) == NULL)
    return LFB_ERROR_NO_SUCH_FORM;
  if (!lfb_form_holds(form, filter->strategy->id))
    return LFB_ERROR_FORM_CANNOT_HOLD;
  const lfb_content content = {
      .what = &what,
      .secret = lfb_description_writes_key(&filter->description),
      .shared = form == LFB_FORM_MAPPED, /* a user that may write to it can forge its content */
      .write = filter_write};
  return lfb_file_save(&content, path);
}

lfb_status lfb_filter_load(const char *path, const lfb_read_limits *limits, lfb_filter **filter)
{
  void *made = NULL;
  const lfb_status status = lfb_file_load(path, limits, lfb_form_read, &made);

  if (status == LFB_OK)
    *filter = made;
  else
    lfb_filter_free(made);
  return status;
}

lfb_status lfb_form_of_file(const char *path, lfb_form *form)
{
  unsigned char head[LFB_FORM_HEAD];
  lfb_disk_file file;
  size_t have;

  lfb_status status = file_open(path, &file);
  if (status == LFB_OK)
    status = lfb_disk_read_at(file.fd, 0, head, sizeof head, &have);
  if (status == LFB_OK)
    status = have < sizeof head ? LFB_ERROR_TRUNCATED : lfb_form_foreign(head);
  if (status == LFB_OK)
    *form = lfb_form_begun(head);
  lfb_disk_leave(file.fd);
  return status;
}
