/* target.c - writes files. */
#define _GNU_SOURCE /* O_TMPFILE */
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

#include "bloom/files/destination.h"
#include "bloom/files/disk.h"
#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/base/spared.h"
#include "cli/filters/there.h"
#include "cli/input/typed.h"

/* A file that is written beside the one that it replaces. */
struct target_file {
  const char *path;   /* as it was given; NULL: no file is replaced                      */
  lfb_destination to; /* where that leads                                                */
  struct stat was;    /* the file at the start; its st_nlink is 0 if there was none      */
  bool read;          /* the command reads it, too                                       */
  char name[sizeof ".lfbloom-12345678"]; /* of the new file; empty: it has none yet      */
  int before; /* what standard output was, if it is the file; or -1 */
};

bool target_is_standard(const char *path)
{
  return strcmp(path, "-") == 0;
}

/* Reports why a file cannot be written; errno has the cause. */
static bool target_refuse(const char *path, bool anothers)
{
  const int cause = errno;
  struct stat found;

  if (anothers)
    return report_false("%s: belongs to another user, in a folder that all users may write to: "
                        "choose another name", path);
  if (cause == ENOENT && lstat(path, &found) == 0 && S_ISLNK(found.st_mode))
    return report_false("%s: a symbolic link to nothing: delete it, or create its target", path);
  return report_false("%s: cannot be written: %s", path, strerror(cause));
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

static bool target_is_file(const lfb_destination *to)
{
  return to->mode == 0 || S_ISREG(to->mode);
}

bool target_check_replaced(const char *path)
{
  lfb_destination to;

  if (path[0] == '\0')
    return report_false("the name of the file to write is empty");
  lfb_status status = lfb_destination_find(path, &to);
  if (status == LFB_OK && faccessat(to.folder, target_is_file(&to) ? "." : to.name,
                                    target_is_file(&to) ? W_OK | X_OK : W_OK, 0) != 0)
    status = LFB_ERROR_OPEN;
  lfb_destination_leave(&to);
  return status == LFB_OK || target_refuse(path, to.refused);
}

bool target_check_state(const char *path)
{
  struct stat found;
  lfb_destination to;

  (void)lfb_destination_find(path, &to);
  lfb_destination_leave(&to);
  if (to.refused)
    return target_refuse(path, true);
  return stat(path, &found) != 0 || spared_from_state(path, &found);
}

int target_open_state(const char *path)
{
  enum { TRIES = 100 }; /* another process may make it, or replace it, at the same time */
  lfb_destination to;
  int fd = -1;

  for (int try = 0; fd < 0 && try < TRIES; try++) {
    const lfb_status status = lfb_destination_find(path, &to);
    const int flags = O_RDWR | O_NONBLOCK | O_NOFOLLOW;
    if (status == LFB_OK && to.mode == 0)
      fd = lfb_restarted_openat(to.folder, to.name, flags | O_CREAT | O_EXCL, 0600);
    else if (status == LFB_OK)
      (void)lfb_destination_open(&to, flags & ~O_NOFOLLOW, &fd);
    lfb_destination_leave(&to);
    if (status != LFB_OK || (errno != EEXIST && errno != ENOENT && errno != ESTALE))
      break;
  }
  if (fd < 0)
    (void)target_refuse(path, to.refused);
  return fd;
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

/* Gives an open file without a name one, or, if there is none (-1), opens a new file by a name.
 * -1: errno has the cause. */
static int target_name(struct target_file *target, int fd)
{
  enum { TRIES = 100 };
  const int folder = target->to.folder;
  char from[LFB_DISK_FD_PATH];
  int named = -1;

  errno = EEXIST;
  for (unsigned try = 0; try < TRIES && named < 0 && errno == EEXIST; try++) {
    (void)snprintf(target->name, sizeof target->name, ".lfbloom-%08x",
                   (unsigned)getpid() << 7 ^ try);
    named = fd < 0 ? lfb_restarted_openat(folder, target->name, O_RDWR | O_CREAT | O_EXCL, 0600)
                   : linkat(AT_FDCWD, lfb_disk_fd_path(fd, from), folder, target->name,
                            AT_SYMLINK_FOLLOW);
  }
  if (named < 0)
    target->name[0] = '\0';
  return named;
}

/* Makes a new file in the folder: without a name, if it can get one later.  Not without /proc, and
 * not in a sandbox that refuses links: in that case the name that is taken is not reached. */
static int target_open_new(struct target_file *target)
{
  const int folder = target->to.folder;
  const int fd = lfb_restarted_openat(folder, ".", O_TMPFILE | O_RDWR, 0600);
  char from[LFB_DISK_FD_PATH];

  if (fd >= 0 &&
      linkat(AT_FDCWD, lfb_disk_fd_path(fd, from), folder, ".", AT_SYMLINK_FOLLOW) != 0 &&
      errno == EEXIST)
    return fd;
  lfb_disk_leave(fd);
  return target_name(target, -1);
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

  return target->read && (fstatat(target->to.folder, target->to.name, &now, 0) != 0 ||
                          now.st_ino != target->was.st_ino || now.st_size != target->was.st_size ||
                          now.st_mtim.tv_sec != was->tv_sec || now.st_mtim.tv_nsec != was->tv_nsec);
}

/* Puts the file in its place if it is whole, or else removes it. */
static bool target_finish(struct target_file *target, int fd, bool whole)
{
  const int folder = target->to.folder;

  whole = whole && target_permit(target, fd);
  whole = whole && (fsync(fd) == 0 || errno == EINVAL || errno == EROFS); /* these: not on a disk */
  whole = whole && (target->name[0] != '\0' || target_name(target, fd) == 0);
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
  if (whole && renameat(folder, target->name, folder, target->to.name) != 0) {
    whole = false;
    cause = errno;
  }
  if (!whole && target->name[0] != '\0')
    (void)unlinkat(folder, target->name, 0);
  /* Makes the rename durable: what is printed is on the disk before --seen says so. */
  if (whole && lfb_disk_sync_folder(target->to.can_sync ? folder : -1) != LFB_OK) {
    whole = report_false("%s was replaced, but not durably: %s", target->path, strerror(errno));
    cause = 0;
  }
  lfb_destination_leave(&target->to);
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
  if (output_target.name[0] != '\0')
    (void)unlinkat(output_target.to.folder, output_target.name, 0);
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
  struct target_file *target = &output_target;
  const bool found = lfb_destination_find(path, &target->to) == LFB_OK;
  const bool in_place = found && !target_is_file(&target->to);
  int fd = -1;

  if (in_place) {
    (void)lfb_destination_open(&target->to, O_WRONLY, &fd);
  } else if (found) {
    target->path = path;
    (void)fstatat(target->to.folder, target->to.name, &target->was, AT_SYMLINK_NOFOLLOW);
    target->read = spared_has(path);
    fd = target_open_new(target);
  }
  const int before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (fd < 0 || before < 0 || dup2(fd, STDOUT_FILENO) < 0) {
    (void)target_refuse(path, target->to.refused);
    (void)target_finish(target, fd, false);
    return false;
  }
  output_name(path);
  (void)close(fd);
  target->before = before;
  (void)at_quick_exit(target_forget);
  (void)atexit(target_forget);
  if (target->name[0] != '\0')
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
