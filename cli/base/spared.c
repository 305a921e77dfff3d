/* spared.c - the files that a command reads. */
#define _POSIX_C_SOURCE 200809L
#include "cli/base/spared.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/output.h"
#include "cli/base/report.h"

static struct spared_file {
  dev_t device;
  ino_t inode;
} *spared;
static size_t spared_count, spared_room;

/* Whether it is a regular file, or standard input or output (`standard`) that is one. */
static bool spared_look(const char *path, int standard, struct stat *found)
{
  const bool there = strcmp(path, "-") == 0 ? fstat(standard, found) == 0 : stat(path, found) == 0;
  return there && S_ISREG(found->st_mode);
}

void spared_add(const char *path)
{
  struct stat found;

  if (!spared_look(path, STDIN_FILENO, &found))
    return;
  if (spared_count == spared_room) {
    const size_t room = 2 * spared_room + 8;
    struct spared_file *grown = realloc(spared, room * sizeof *grown);
    if (grown == NULL)
      output_end_program(report_errno(path));
    spared = grown;
    spared_room = room;
  }
  spared[spared_count++] = (struct spared_file){found.st_dev, found.st_ino};
}

void spared_add_operands(char *const *paths, size_t count)
{
  if (count == 0)
    spared_add("-");
  for (size_t i = 0; i < count; i++)
    spared_add(paths[i]);
}

static bool spared_is(const struct stat *found)
{
  for (size_t i = 0; i < spared_count; i++)
    if (spared[i].device == found->st_dev && spared[i].inode == found->st_ino)
      return true;
  return false;
}

bool spared_has(const char *path)
{
  struct stat found;

  return spared_look(path, STDOUT_FILENO, &found) && spared_is(&found);
}

bool spared_from_state(const char *path, const struct stat *found)
{
  struct stat out;

  if (spared_is(found))
    return report_false("%s: is both input and state", path);
  return fstat(STDOUT_FILENO, &out) != 0 || out.st_dev != found->st_dev ||
         out.st_ino != found->st_ino || report_false("%s: is both output and state", path);
}
