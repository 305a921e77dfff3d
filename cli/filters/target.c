/* target.c - writes files. */
#define _GNU_SOURCE /* realpath, mkstemp */
#include "cli/filters/target.h"

#include <errno.h>
#include <fcntl.h>
#include <lfbloom/delta.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/base/spared.h"
#include "cli/filters/there.h"
#include "cli/input/typed.h"

/* A file that is written beside the one that it replaces. */
struct target_file {
  char *path; /* of the file that is replaced                       */
  char *folder; /* its folder                                       */
  struct stat was; /* that file at the start; its st_nlink is 0 if there was none */
  char *name; /* of the new file; NULL: it has none yet             */
  int before; /* what standard output was, if it is the file; or -1 */
};

bool target_is_standard(const char *path)
{
  return strcmp(path, "-") == 0;
}

/* The folder of a path; the caller frees it.  NULL: no memory. */
static char *target_folder(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Whether a file can be created in the directory of `path`; errno has the cause. */
static bool target_directory_is_writable(const char *path)
{
  char *folder = target_folder(path);

  if (folder == NULL)
    return false;
  const bool writable = access(folder, W_OK | X_OK) == 0;
  const int cause = errno;
  free(folder);
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
  if (!address_is(path) && spared_has(path))
    return report_false("%s: is both input and output",
                        target_is_standard(path) ? "standard output" : path);
  if (target_is_standard(path))
    return true;
  return address_is(path) ? there_is_free(path) : target_check_replaced(path);
}

bool target_check_replaced(const char *path)
{
  struct stat found;

  if (path[0] == '\0')
    return report_false("the name of the file to write is empty");
  if (stat(path, &found) == 0 ? target_can_be_written(path, &found)
                              : target_directory_is_writable(path))
    return true;
  return report_false("%s: cannot be written: %s", path, strerror(errno));
}

bool target_is_shared(const char *path)
{
  struct stat found;
  lfb_form form;

  /* A pipe must not be opened: its writer would find that nobody reads. */
  return !target_is_standard(path) && stat(path, &found) == 0 && S_ISREG(found.st_mode) &&
         lfb_form_of_file(path, &form) == LFB_OK && form == LFB_FORM_MAPPED;
}

bool target_spares_shared(const char *path, lfb_form form)
{
  lfb_form there;

  if (!target_is_standard(path) && lfb_form_of_file(path, &there) == LFB_ERROR_GROWING_MAPPED)
    return report_false("%s: is a growing filter that other processes may be using: delete it "
                        "first to replace it", path);
  if (form == LFB_FORM_MAPPED || !target_is_shared(path))
    return true;
  return report_false("%s: is a shared filter that other processes may be using: put into it with "
                      "'lfbloom build --shared', replace it by a filter in form mapped, or delete "
                      "it first", path);
}

bool target_holds(const char *path, lfb_form form, const char *from, const lfb_stats *stats)
{
  lfb_key_type type = stats->key_type;

  if (address_is(path))
    return there_holds(from, stats);
  if (lfb_form_holds(form, stats->strategy))
    return typed_take_form(form, &type);
  return report_false("%s: the %s form cannot hold strategy %s, and the strategy cannot be changed "
                      "without the keys: build the filter again from the keys, with --form %s",
                      from, lfb_form_name(form), lfb_strategy_name(stats->strategy),
                      lfb_form_name(form));
}

/* Blocks all signals, so that none ends the program while there is a temporary file.  What is
 * written directly, and may never be read, is given up at once. */
static void target_hold_signals(const char *path, sigset_t *before)
{
  struct stat found;
  sigset_t held;

  const bool direct = target_is_standard(path) || (!address_is(path) && stat(path, &found) == 0 &&
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

static lfb_status target_save_here(const char *path, lfb_any any, lfb_form form)
{
  const bool standard = target_is_standard(path);

  if (any.kind == LFB_KIND_PLAIN)
    return standard ? lfb_filter_write(any.plain, form, target_write, NULL)
                    : lfb_filter_save(any.plain, form, path);
  return standard ? lfb_any_write(any, target_write, NULL) : lfb_any_save(any, path);
}

bool target_save(const char *path, const lfb_redis_module_value *value, lfb_form form)
{
  sigset_t before;
  bool saved = true;

  target_hold_signals(path, &before);
  if (address_is(path)) {
    saved = there_save(path, value);
  } else {
    const lfb_status status = target_save_here(path, value->any, form);
    saved = status == LFB_OK || report_false_status(path, status);
  }
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  return saved;
}

bool target_save_plain(const char *path, lfb_filter *filter, lfb_form form)
{
  const lfb_redis_module_value value = {.any = {LFB_KIND_PLAIN, {filter}}};

  return target_save(path, &value, form);
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

enum { FD_PATH = sizeof "/proc/self/fd/-2147483648" };

/* Writes to `path` a path that leads to an open file without a name, and returns it. */
static const char *target_fd_path(int fd, char path[FD_PATH])
{
  (void)snprintf(path, FD_PATH, "/proc/self/fd/%d", fd);
  return path;
}

/* Makes a new file in the folder: without a name, where the file system has such files. */
static int target_open_in(struct target_file *target)
{
  char *name = NULL, at[FD_PATH];
  int fd = open(target->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

  if (fd >= 0 && access(target_fd_path(fd, at), F_OK) == 0)
    return fd;
  if (fd >= 0) /* without /proc it cannot get a name */
    (void)close(fd);
  if (asprintf(&name, "%s/.lfbloom-XXXXXX", target->folder) < 0)
    return -1;
  fd = mkostemp(name, O_CLOEXEC);
  if (fd >= 0)
    target->name = name;
  else
    free(name);
  return fd;
}

/* Gives a file without a name one. */
static bool target_link(struct target_file *target, int fd)
{
  char from[FD_PATH], *name;

  (void)target_fd_path(fd, from);
  errno = EEXIST;
  for (unsigned try = 0; try < 100 && errno == EEXIST; try++) {
    if (asprintf(&name, "%s/.lfbloom-%08x", target->folder, (unsigned)getpid() << 7 ^ try) < 0)
      return false;
    if (linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
      target->name = name;
      return true;
    }
    const int cause = errno;
    free(name);
    errno = cause;
  }
  return false;
}

/* Whether it is a link, here to no file; then errno is ENOENT. */
static bool target_is_link(const char *path)
{
  struct stat found;
  const bool is = lstat(path, &found) == 0 && S_ISLNK(found.st_mode);

  errno = ENOENT;
  return is;
}

/* Begins to replace the file at `path`; the caller writes to the result.  -1: errno has the
 * cause. */
static int target_begin(struct target_file *target, const char *path)
{
  char *real = realpath(path, NULL); /* replaces a link's target, not the link */

  *target = (struct target_file){.before = -1};
  if (real == NULL && (errno != ENOENT || target_is_link(path))) /* a new file is fine */
    return -1;
  target->path = real != NULL ? real : strdup(path);
  if (real != NULL)
    (void)stat(real, &target->was);
  target->folder = target->path == NULL ? NULL : target_folder(target->path);
  return target->folder == NULL ? -1 : target_open_in(target);
}

/* Gives the new file, which was private until now, the permissions of the one that it replaces; and
 * its owner and group, if this process may.  If not, the owner's or group's permissions are nobody
 * else's. */
static bool target_permit(const struct target_file *target, int fd)
{
  const mode_t mask = umask(0);
  struct stat made;

  (void)umask(mask);
  if (target->was.st_nlink == 0)
    return fchmod(fd, 0666 & ~mask) == 0;
  mode_t mode = target->was.st_mode & 0777;
  (void)!fchown(fd, (uid_t)-1, target->was.st_gid);
  (void)!fchown(fd, target->was.st_uid, (gid_t)-1);
  if (fstat(fd, &made) != 0)
    return false;
  if (made.st_gid != target->was.st_gid)
    mode &= ~(mode_t)070;
  return fchmod(fd, mode) == 0;
}

/* Whether the file that is replaced was read, and has changed since. */
static bool target_has_changed(const struct target_file *target)
{
  const struct timespec *was = &target->was.st_mtim;
  struct stat now;

  return target->was.st_nlink > 0 && spared_has(target->path) && stat(target->path, &now) == 0 &&
         (now.st_size != target->was.st_size || now.st_mtim.tv_sec != was->tv_sec ||
          now.st_mtim.tv_nsec != was->tv_nsec);
}

/* Puts the file in its place if it is whole, or else removes it. */
static bool target_finish(struct target_file *target, int fd, bool whole)
{
  whole = whole && target_permit(target, fd);
  whole = whole && (fsync(fd) == 0 || errno == EINVAL || errno == EROFS); /* these: not on a disk */
  whole = whole && (target->name != NULL || target_link(target, fd));
  int cause = errno;
  if (whole && target_has_changed(target)) {
    (void)report_error("%s: has changed while it was read", target->path);
    whole = false;
    cause = 0;
  }
  if (fd >= 0 && close(fd) != 0 && whole) {
    whole = false;
    cause = errno;
  }
  if (whole && rename(target->name, target->path) != 0) {
    whole = false;
    cause = errno;
  }
  if (!whole && target->name != NULL)
    (void)unlink(target->name);
  free(target->name);
  free(target->path);
  free(target->folder);
  *target = (struct target_file){.before = -1};
  errno = cause;
  return whole;
}

/* ---- standard output ---------------------------------------------------------------- */

/* The file that standard output is. */
static struct target_file output_target = {.before = -1};

/* However the program ends, unless by a signal. */
static void target_forget(void)
{
  if (output_target.name != NULL)
    (void)unlink(output_target.name);
}

/* The same at a signal that ends the program. */
static void target_end(int signal)
{
  target_forget();
  (void)raise(signal); /* its action is the default again; it comes when this returns */
}

static void target_watch_signals(void)
{
  static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
  const struct sigaction end = {.sa_handler = target_end, .sa_flags = (int)SA_RESETHAND};
  struct sigaction before;

  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      (void)sigaction(signals[i], &end, NULL);
}

bool target_redirect(const char *path)
{
  struct stat found;
  const bool in_place = stat(path, &found) == 0 && !S_ISREG(found.st_mode);
  const int fd = in_place ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
                          : target_begin(&output_target, path);
  const int before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  const bool done = fd >= 0 && before >= 0 && dup2(fd, STDOUT_FILENO) >= 0;

  if (!done) {
    (void)report_errno(path);
    if (!in_place)
      (void)target_finish(&output_target, fd, false);
    return false;
  }
  output_name(path);
  (void)close(fd);
  output_target.before = before;
  (void)at_quick_exit(target_forget);
  (void)atexit(target_forget);
  if (output_target.name != NULL)
    target_watch_signals();
  return true;
}

bool target_settle(const char *path, bool whole)
{
  const bool replaces = output_target.path != NULL;
  sigset_t before;

  target_hold_signals(path, &before);
  const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  /* Some file systems report only at close() that there was no space. */
  bool done = fd >= 0 && dup2(output_target.before, STDOUT_FILENO) >= 0;
  (void)close(output_target.before);
  if (replaces)
    done = target_finish(&output_target, fd, done && whole);
  else
    done = close(fd) == 0 && done;
  if (whole && !done && errno != 0)
    (void)report_errno(path);
  output_name(NULL);
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  return done;
}
