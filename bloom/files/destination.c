/* destination.c - finding where a file is to be saved. */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _GNU_SOURCE /* O_PATH */
#include "bloom/files/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESTINATION_LINKS = 40 }; /* as many as Linux follows */

static lfb_status destination_fail(int cause)
{
  errno = cause;
  return LFB_ERROR_OPEN;
}

/* Opens the folder of `path`, which begins in the present folder unless it is absolute.  A folder
 * that may not be read is opened only as a destination. */
static lfb_status destination_enter(lfb_destination *destination, const char *path)
{
  const char *slash = strrchr(path, '/');
  char *way = lfb_disk_folder(path);

  if (way == NULL)
    return LFB_ERROR_NO_MEMORY;
  int folder = lfb_restarted_openat(destination->folder, way, O_RDONLY | O_DIRECTORY, 0);
  destination->can_sync = folder >= 0;
  if (folder < 0 && errno == EACCES)
    folder = lfb_restarted_openat(destination->folder, way, O_PATH | O_DIRECTORY, 0);
  const int cause = errno;
  free(way);
  if (folder < 0)
    return destination_fail(cause);
  if (destination->folder != AT_FDCWD)
    lfb_disk_leave(destination->folder);
  destination->folder = folder;
  destination->name = slash == NULL ? path : slash + 1;
  return LFB_OK;
}

/* Checks that no other user put it into a folder that is writable by all. */
static lfb_status destination_trust(lfb_destination *destination, const struct stat *found)
{
  const mode_t shared = S_ISVTX | S_IWOTH;
  struct stat around;

  if (fstat(destination->folder, &around) != 0)
    return LFB_ERROR_OPEN;
  destination->refused = (around.st_mode & shared) == shared && found->st_uid != geteuid() &&
                         found->st_uid != around.st_uid && found->st_uid != 0;
  return destination->refused ? destination_fail(EACCES) : LFB_OK;
}

/* Reads the text of the open link. */
static lfb_status destination_read_link(lfb_destination *destination, int link)
{
  if (destination->text == NULL)
    destination->text = malloc(PATH_MAX);
  if (destination->text == NULL)
    return LFB_ERROR_NO_MEMORY;
  const ssize_t size = readlinkat(link, "", destination->text, PATH_MAX);
  if (size < 0)
    return LFB_ERROR_OPEN;
  if (size == PATH_MAX)
    return destination_fail(ENAMETOOLONG);
  destination->text[size] = '\0';
  return LFB_OK;
}

static void destination_set(lfb_destination *destination, const struct stat *found)
{
  destination->mode = found->st_mode;
  destination->owned = found->st_uid == geteuid();
  destination->id = (lfb_disk_id){found->st_dev, found->st_ino};
}

/* Looks at what a link of /proc leads to: it may have no text that does.  If that is no regular
 * file, it is what is there.  The text of any other link is followed. */
static lfb_status destination_look_behind(lfb_destination *destination, int link)
{
  struct stat found;

  if (!lfb_disk_is_on(link, LFB_DISK_PROC))
    return LFB_OK;
  if (fstatat(destination->folder, destination->name, &found, 0) != 0)
    return LFB_ERROR_OPEN;
  destination->linked = !S_ISREG(found.st_mode);
  if (destination->linked)
    destination_set(destination, &found);
  return LFB_OK;
}

/* Looks at what was opened by its name.  The text of a link is read last: it may replace the one
 * that the name is a part of. */
static lfb_status destination_look_at(lfb_destination *destination, int fd)
{
  struct stat found;

  if (fstat(fd, &found) != 0)
    return LFB_ERROR_OPEN;
  destination_set(destination, &found);
  lfb_status status =
      S_ISDIR(found.st_mode) ? LFB_OK : destination_trust(destination, &found);
  if (status == LFB_OK && S_ISLNK(found.st_mode))
    status = destination_look_behind(destination, fd);
  return status == LFB_OK && S_ISLNK(destination->mode) ? destination_read_link(destination, fd)
                                                        : status;
}

static lfb_status destination_look(lfb_destination *destination)
{
  destination->mode = 0;
  destination->owned = false;
  if (destination->name[0] == '\0')
    return destination_fail(EISDIR);
  const int fd =
      lfb_restarted_openat(destination->folder, destination->name, O_PATH | O_NOFOLLOW, 0);
  if (fd < 0)
    return errno == ENOENT ? LFB_OK : LFB_ERROR_OPEN;
  const lfb_status status = destination_look_at(destination, fd);
  lfb_disk_leave(fd);
  return status;
}

lfb_status lfb_destination_find(const char *path, lfb_destination *destination)
{
  *destination = (lfb_destination){.folder = AT_FDCWD};
  lfb_status status = path[0] == '\0' ? destination_fail(ENOENT)
                                      : destination_enter(destination, path);

  if (status == LFB_OK)
    status = destination_look(destination);
  for (int links = 0; status == LFB_OK && S_ISLNK(destination->mode); links++) {
    status = links == DESTINATION_LINKS ? destination_fail(ELOOP)
                                        : destination_enter(destination, destination->text);
    if (status == LFB_OK)
      status = destination_look(destination);
    if (status == LFB_OK && destination->mode == 0)
      status = destination_fail(ENOENT);
  }
  return status == LFB_OK && S_ISDIR(destination->mode) ? destination_fail(EISDIR) : status;
}

lfb_status lfb_destination_open(const lfb_destination *destination, int flags, int *fd)
{
  lfb_disk_file file = {
      .fd = lfb_restarted_openat(destination->folder, destination->name,
                                 flags | O_NOCTTY | (destination->linked ? 0 : O_NOFOLLOW), 0)};

  if (file.fd < 0)
    return LFB_ERROR_OPEN;
  const lfb_status status = lfb_disk_look(&file);
  if (status == LFB_OK && lfb_disk_same(&file.id, &destination->id)) {
    *fd = file.fd;
    return LFB_OK;
  }
  lfb_disk_leave(file.fd);
  return status != LFB_OK ? status : destination_fail(ESTALE);
}

void lfb_destination_leave(lfb_destination *destination)
{
  if (destination->folder != AT_FDCWD)
    lfb_disk_leave(destination->folder);
  const int cause = errno;
  free(destination->text);
  errno = cause;
}
