/* place.c - finding where a file is to be saved. */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _GNU_SOURCE /* O_PATH */
#include "bloom/files/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACE_LINKS = 40 }; /* as many as Linux follows */

static lfb_status place_fail(int cause)
{
  errno = cause;
  return LFB_ERROR_OPEN;
}

/* Opens the folder of `path`, which begins in the present folder unless it is absolute.  A folder that
 * may not be read is opened only as a place. */
static lfb_status place_enter(lfb_file_place *place, const char *path)
{
  const char *slash = strrchr(path, '/');
  char *way = lfb_disk_folder(path);

  if (way == NULL)
    return LFB_ERROR_NO_MEMORY;
  int folder = lfb_restarted_openat(place->folder, way, O_RDONLY | O_DIRECTORY, 0);
  place->can_sync = folder >= 0;
  if (folder < 0 && errno == EACCES)
    folder = lfb_restarted_openat(place->folder, way, O_PATH | O_DIRECTORY, 0);
  const int cause = errno;
  free(way);
  if (folder < 0)
    return place_fail(cause);
  if (place->folder != AT_FDCWD)
    lfb_disk_leave(place->folder);
  place->folder = folder;
  place->name = slash == NULL ? path : slash + 1;
  return LFB_OK;
}

/* Checks that nobody else put a link or a pipe into a folder that is writable by all. */
static lfb_status place_trust(int folder, const struct stat *found)
{
  const mode_t shared = S_ISVTX | S_IWOTH;
  struct stat around;

  if (fstat(folder, &around) != 0)
    return LFB_ERROR_OPEN;
  return (around.st_mode & shared) != shared || found->st_uid == geteuid() ||
                 found->st_uid == around.st_uid
             ? LFB_OK
             : place_fail(EACCES);
}

/* Reads the text of the open link. */
static lfb_status place_read_link(lfb_file_place *place, int link)
{
  if (place->text == NULL)
    place->text = malloc(PATH_MAX);
  if (place->text == NULL)
    return LFB_ERROR_NO_MEMORY;
  const ssize_t size = readlinkat(link, "", place->text, PATH_MAX);
  if (size < 0)
    return LFB_ERROR_OPEN;
  if (size == PATH_MAX)
    return place_fail(ENAMETOOLONG);
  place->text[size] = '\0';
  return LFB_OK;
}

static void place_set(lfb_file_place *place, const struct stat *found)
{
  place->mode = found->st_mode;
  place->owned = found->st_uid == geteuid();
  place->id = (lfb_disk_id){found->st_dev, found->st_ino};
}

/* Looks at what the link leads to.  If that is no regular file, it is what is there: a link of /proc may
 * have no text that leads to it. */
static lfb_status place_look_behind(lfb_file_place *place)
{
  struct stat found;

  if (fstatat(place->folder, place->name, &found, 0) != 0)
    return LFB_ERROR_OPEN;
  place->linked = !S_ISREG(found.st_mode);
  if (place->linked)
    place_set(place, &found);
  return LFB_OK;
}

/* Looks at what was opened by its name.  The text of a link is read last: it may replace the one that the
 * name is a part of. */
static lfb_status place_look_at(lfb_file_place *place, int fd)
{
  struct stat found;

  if (fstat(fd, &found) != 0)
    return LFB_ERROR_OPEN;
  place_set(place, &found);
  /* A pipe of another user would be read by that user. */
  lfb_status status = S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)
                          ? LFB_OK
                          : place_trust(place->folder, &found);
  if (status == LFB_OK && S_ISLNK(found.st_mode))
    status = place_look_behind(place);
  return status == LFB_OK && S_ISLNK(place->mode) ? place_read_link(place, fd) : status;
}

static lfb_status place_look(lfb_file_place *place)
{
  place->mode = 0;
  place->owned = false;
  if (place->name[0] == '\0')
    return place_fail(EISDIR);
  const int fd = lfb_restarted_openat(place->folder, place->name, O_PATH | O_NOFOLLOW, 0);
  if (fd < 0)
    return errno == ENOENT ? LFB_OK : LFB_ERROR_OPEN;
  const lfb_status status = place_look_at(place, fd);
  lfb_disk_leave(fd);
  return status;
}

lfb_status lfb_file_place_find(const char *path, lfb_file_place *place)
{
  *place = (lfb_file_place){.folder = AT_FDCWD};
  lfb_status status = path[0] == '\0' ? place_fail(ENOENT) : place_enter(place, path);

  if (status == LFB_OK)
    status = place_look(place);
  for (int links = 0; status == LFB_OK && S_ISLNK(place->mode); links++) {
    status = links == PLACE_LINKS ? place_fail(ELOOP) : place_enter(place, place->text);
    if (status == LFB_OK)
      status = place_look(place);
    if (status == LFB_OK && place->mode == 0)
      status = place_fail(ENOENT);
  }
  return status == LFB_OK && S_ISDIR(place->mode) ? place_fail(EISDIR) : status;
}

lfb_status lfb_file_place_open(const lfb_file_place *place, int *fd)
{
  lfb_disk_file file = {
      .fd = lfb_restarted_openat(place->folder, place->name,
                                 O_WRONLY | O_NOCTTY | (place->linked ? 0 : O_NOFOLLOW), 0)};

  if (file.fd < 0)
    return LFB_ERROR_OPEN;
  const lfb_status status = lfb_disk_look(&file);
  if (status == LFB_OK && lfb_disk_same(&file.id, &place->id)) {
    *fd = file.fd;
    return LFB_OK;
  }
  lfb_disk_leave(file.fd);
  return status != LFB_OK ? status : place_fail(ESTALE);
}

void lfb_file_place_leave(lfb_file_place *place)
{
  if (place->folder != AT_FDCWD)
    lfb_disk_leave(place->folder);
  const int cause = errno;
  free(place->text);
  errno = cause;
}
