/* memory.c - the memory that this process may use. */
#define _GNU_SOURCE /* asprintf */
#include "cli/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Lowers `*least` to the number in a file, if there is one. */
static void memory_take(const char *root, const char *folder, const char *group, const char *name,
                        uint64_t *least)
{
  char *path = NULL;
  char text[32], *end = text;

  if (asprintf(&path, "%s%s%s%s", root, folder, group, name) < 0)
    return;
  FILE *file = fopen(path, "re");
  if (file != NULL && fgets(text, sizeof text, file) != NULL) {
    const uint64_t limit = strtoull(text, &end, 10); /* of "max" nothing is read */
    if (end > text && limit < *least)
      *least = limit;
  }
  if (file != NULL)
    (void)fclose(file);
  free(path);
}

/* The limits of a group and of all groups around it. */
static void memory_take_groups(const char *root, const char *folder, char *group, const char *name,
                               uint64_t *least)
{
  for (;;) {
    char *const last = strrchr(group, '/');
    memory_take(root, folder, group, name, least);
    if (last == NULL)
      return;
    *last = '\0';
  }
}

/* A line of /proc/self/cgroup: a number, the controllers of version 1 or nothing, and the group. */
static void memory_take_line(const char *root, char *line, uint64_t *least)
{
  char *const controllers = strchr(line, ':');
  char *const group = controllers == NULL ? NULL : strchr(controllers + 1, ':');

  if (group == NULL)
    return;
  *group = '\0';
  group[1 + strcspn(group + 1, "\n")] = '\0';
  if (controllers[1] == '\0')
    memory_take_groups(root, "/sys/fs/cgroup", group + 1, "/memory.max", least);
  else if (strstr(controllers, "memory") != NULL)
    memory_take_groups(root, "/sys/fs/cgroup/memory", group + 1, "/memory.limit_in_bytes", least);
}

uint64_t memory_usable(const char *root)
{
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  uint64_t least = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
  struct rlimit space;
  char *path = NULL, *line = NULL;
  size_t room = 0;

  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY &&
      space.rlim_cur < least)
    least = space.rlim_cur;
  FILE *groups = asprintf(&path, "%s/proc/self/cgroup", root) < 0 ? NULL : fopen(path, "re");
  while (groups != NULL && getline(&line, &room, groups) >= 0)
    memory_take_line(root, line, &least);
  if (groups != NULL)
    (void)fclose(groups);
  free(line);
  free(path);
  return least;
}
