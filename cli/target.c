/* target.c - writes files. */
#define _GNU_SOURCE /* realpath, mkstemp */
#include "cli/target.h"

#include <errno.h>
#include <fcntl.h>
#include <lfbloom/delta.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/remote.h"
#include "cli/report.h"
#include "cli/spared.h"

bool target_is_standard(const char *path)
{
  return strcmp(path, "-") == 0;
}

/* Whether a file can be created in the directory of `path`; errno has the cause. */
static bool target_directory_is_writable(const char *path)
{
  char *directory = strdup(path);

  if (directory == NULL)
    return false;
  char *slash = strrchr(directory, '/');
  if (slash != NULL)
    slash[slash == directory] = '\0';
  const bool writable = access(slash == NULL ? "." : directory, W_OK | X_OK) == 0;
  const int cause = errno;
  free(directory);
  errno = cause;
  return writable;
}

/* Whether the existing `path` can be replaced or, if it is not a regular file, be written to. */
static bool target_can_be_written(const char *path, const struct stat *found)
{
  if (S_ISDIR(found->st_mode)) {
    errno = EISDIR;
    return false;
  }
  if (!S_ISREG(found->st_mode))
    return access(path, W_OK) == 0;
  char *real = realpath(path, NULL);
  if (real == NULL)
    return false;
  const bool writable = target_directory_is_writable(real);
  const int cause = errno;
  free(real);
  errno = cause;
  return writable;
}

bool target_check(const char *path)
{
  struct stat found;

  if (!remote_is(path) && spared_has(path)) {
    (void)report_error("%s: is both input and output",
                       target_is_standard(path) ? "standard output" : path);
    return false;
  }
  if (target_is_standard(path))
    return true;
  if (remote_is(path))
    return remote_is_free(path);
  if (path[0] == '\0') {
    (void)report_error("the name of the file to write is empty");
    return false;
  }
  if (stat(path, &found) == 0 ? target_can_be_written(path, &found)
                              : target_directory_is_writable(path))
    return true;
  (void)report_error("%s: cannot be written: %s", path, strerror(errno));
  return false;
}

bool target_check_shared(const char *path)
{
  return remote_is(path) || target_check(path);
}

/* Whether `path` is a regular file with a shared filter, of any version. */
static bool target_is_shared(const char *path)
{
  lfb_form form;

  return !target_is_standard(path) && lfb_form_of_file(path, &form) == LFB_OK &&
         form == LFB_FORM_MAPPED;
}

/* Whether `path` is a regular file with a shared growing filter, of any version. */
static bool target_is_shared_growing(const char *path)
{
  lfb_form form;

  return !target_is_standard(path) && lfb_form_of_file(path, &form) == LFB_ERROR_GROWING_MAPPED;
}

bool target_spares_shared(const char *path, lfb_form form)
{
  if (target_is_shared_growing(path)) {
    (void)report_error("%s: is a growing filter that other processes may be using: delete it first "
                       "to replace it",
                       path);
    return false;
  }
  if (form == LFB_FORM_MAPPED || !target_is_shared(path))
    return true;
  (void)report_error("%s: is a shared filter that other processes may be using: put into it with "
                     "'lfbloom build --shared', replace it by a filter in form mapped, or delete "
                     "it first",
                     path);
  return false;
}

bool target_holds(const char *path, lfb_form form, const char *from, const lfb_stats *stats)
{
  if (remote_is(path))
    return remote_holds(from, stats);
  if (lfb_form_holds(form, stats->strategy))
    return true;
  (void)report_error("%s: the %s form cannot hold strategy %s, and the strategy cannot be changed "
                     "without the keys: build the filter again from the keys, with --form %s",
                     from, lfb_form_name(form), lfb_strategy_name(stats->strategy),
                     lfb_form_name(form));
  return false;
}

/* Blocks all signals, so that none ends the program while there is a temporary file.  What is written
 * directly, and may never be read, is given up at once. */
static void target_hold_signals(const char *path, sigset_t *before)
{
  struct stat found;
  sigset_t held;

  const bool direct = target_is_standard(path) || (!remote_is(path) && stat(path, &found) == 0 &&
                                                   !S_ISREG(found.st_mode));
  (void)(direct ? sigemptyset(&held) : sigfillset(&held));
  (void)sigprocmask(SIG_BLOCK, &held, before);
}

/* An lfb_write_fn to standard output. */
static lfb_status target_write(void *to, const void *bytes, size_t size)
{
  (void)to;
  output_write(bytes, size);
  return LFB_OK;
}

static bool target_save_file(const char *path, const lfb_filter *filter, lfb_form form)
{
  const lfb_status status = target_is_standard(path)
                                ? lfb_filter_write(filter, form, target_write, NULL)
                                : lfb_filter_save(filter, form, path);

  if (status != LFB_OK)
    (void)report_status(path, status);
  return status == LFB_OK;
}

bool target_save(const char *path, const lfb_filter *filter, lfb_form form)
{
  sigset_t before;

  target_hold_signals(path, &before);
  const bool saved =
      remote_is(path) ? remote_save(path, filter) : target_save_file(path, filter, form);
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  return saved;
}

/* Saves to a file or standard output. */
static bool target_save_any(const char *path, lfb_any any)
{
  const lfb_status status = target_is_standard(path) ? lfb_any_write(any, target_write, NULL)
                                                     : lfb_any_save(any, path);

  if (status != LFB_OK)
    (void)report_status(path, status);
  return status == LFB_OK;
}

bool target_save_value(const char *path, const lfb_redis_module_value *value)
{
  sigset_t before;

  target_hold_signals(path, &before);
  const bool saved =
      remote_is(path) ? remote_save_key(path, value) : target_save_any(path, value->any);
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  return saved;
}

lfb_status target_save_delta(const char *path, const lfb_filter *earlier, const lfb_filter *later)
{
  sigset_t before;

  target_hold_signals(path, &before);
  const lfb_status status = target_is_standard(path)
                                ? lfb_delta_write(earlier, later, target_write, NULL)
                                : lfb_delta_save(earlier, later, path);
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  return status;
}

/* Writes, syncs and closes.  errno has the cause of a failure. */
static bool target_fill(int fd, const char *bytes, size_t size)
{
  bool written = true;

  while (written && size > 0) {
    const ssize_t step = write(fd, bytes, size);
    if (step < 0 && errno == EINTR)
      continue;
    written = step >= 0;
    if (written) {
      bytes += step;
      size -= (size_t)step;
    }
  }
  /* EINVAL, EROFS: not a file on a disk, so there is nothing to sync. */
  written = written && (fsync(fd) == 0 || errno == EINVAL || errno == EROFS);
  const int cause = errno;
  const bool closed = close(fd) == 0;
  if (!written)
    errno = cause;
  return written && closed;
}

static bool target_fill_and_replace(const char *path, char *name, const void *bytes, size_t size)
{
  const int fd = mkstemp(name);
  const mode_t mask = umask(0);

  (void)umask(mask);
  if (fd < 0)
    return false;
  bool done = fchmod(fd, 0666 & ~mask) == 0; /* mkstemp() made it private */
  if (!target_fill(fd, bytes, size) || !done || rename(name, path) != 0) {
    const int cause = errno;
    (void)unlink(name);
    errno = cause;
    done = false;
  }
  return done;
}

static bool target_replace_file(const char *path, const void *bytes, size_t size)
{
  char *real = realpath(path, NULL); /* replaces a link's target, not the link */
  const char *target = real != NULL ? real : path;
  char *name = NULL;
  bool done = false;

  if (real == NULL && errno != ENOENT) /* a new file is fine */
    return false;
  if (asprintf(&name, "%s.XXXXXX", target) >= 0) {
    done = target_fill_and_replace(target, name, bytes, size);
    const int cause = errno;
    free(name);
    errno = cause;
  }
  const int cause = errno;
  free(real);
  errno = cause;
  return done;
}

static bool target_overwrite(const char *path, const void *bytes, size_t size)
{
  const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

  return fd >= 0 && target_fill(fd, bytes, size);
}

bool target_replace(const char *path, const void *bytes, size_t size)
{
  struct stat found;
  sigset_t before;

  target_hold_signals(path, &before);
  const bool in_place = stat(path, &found) == 0 && !S_ISREG(found.st_mode);
  const bool done = in_place ? target_overwrite(path, bytes, size)
                             : target_replace_file(path, bytes, size);
  if (!done)
    (void)report_errno(path);
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  return done;
}
