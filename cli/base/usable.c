/* usable.c - the memory and the cores that this process may use. */
#define _GNU_SOURCE /* asprintf, sched_getaffinity */
#include "cli/base/usable.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/base/numbers.h"

/* A limit of control groups. */
struct usable_limit {
  const char *controller; /* of version 1 */
  uint64_t (*of)(const char *group, bool unified); /* by the folder of a group of version 2 or 1 */
};

static uint64_t usable_least(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Reads the numbers in a file, at most two.  Of "max" none is read. */
static void usable_read(const char *group, const char *name, int64_t numbers[2])
{
  char text[64], *path = NULL, *at = text, *end;
  FILE *file = asprintf(&path, "%s/%s", group, name) < 0 ? NULL : fopen(path, "re");

  if (file != NULL && fgets(text, sizeof text, file) != NULL)
    for (int i = 0; i < 2; i++, at = end) {
      const int64_t number = strtoll(at, &end, 10);
      if (end == at)
        break;
      numbers[i] = number;
    }
  if (file != NULL)
    (void)fclose(file);
  free(path);
}

static uint64_t usable_memory_of(const char *group, bool unified)
{
  int64_t limit[2] = {-1, -1};

  usable_read(group, unified ? "memory.max" : "memory.limit_in_bytes", limit);
  return limit[0] < 0 ? UINT64_MAX : (uint64_t)limit[0];
}

static uint64_t usable_cores_of(const char *group, bool unified)
{
  int64_t quota[3] = {-1, -1, -1}; /* microseconds in each period, and the period */

  usable_read(group, unified ? "cpu.max" : "cpu.cfs_quota_us", quota);
  if (!unified)
    usable_read(group, "cpu.cfs_period_us", quota + 1);
  return quota[0] <= 0 || quota[1] <= 0
             ? UINT64_MAX
             : (uint64_t)(quota[0] / quota[1] + (quota[0] % quota[1] > 0));
}

/* Lowers `*least` by a group and all groups around it. */
static void usable_take_groups(const char *root, const char *folder, char *group,
                               const struct usable_limit *limit, uint64_t *least)
{
  char *path = NULL, *last;

  do {
    if (asprintf(&path, "%s/sys/fs/cgroup%s%s", root, folder, group) < 0)
      return;
    *least = usable_least(*least, limit->of(path, *folder == '\0'));
    free(path);
    if ((last = strrchr(group, '/')) != NULL)
      *last = '\0';
  } while (last != NULL);
}

/* A line of /proc/self/cgroup: a number, the controllers of version 1 or nothing, and the group. */
static void usable_take_line(const char *root, char *line, const struct usable_limit *limit,
                             uint64_t *least)
{
  char folder[32], *const list = strchr(line, ':');
  char *const group = list == NULL ? NULL : strchr(list + 1, ':');

  if (group == NULL)
    return;
  group[1 + strcspn(group + 1, "\n")] = *group = '\0';
  if (list[1] == '\0')
    usable_take_groups(root, "", group + 1, limit, least);
  for (char *rest = list + 1, *name; (name = strsep(&rest, ",")) != NULL;)
    if (strcmp(name, limit->controller) == 0) {
      (void)snprintf(folder, sizeof folder, "/%s", name);
      usable_take_groups(root, folder, group + 1, limit, least);
    }
}

/* Lowers `least` by the control groups of this process. */
static uint64_t usable_by_groups(const char *root, const struct usable_limit *limit, uint64_t least)
{
  char *path = NULL, *line = NULL;
  size_t room = 0;
  FILE *groups = asprintf(&path, "%s/proc/self/cgroup", root) < 0 ? NULL : fopen(path, "re");

  while (groups != NULL && getline(&line, &room, groups) >= 0)
    usable_take_line(root, line, limit, &least);
  if (groups != NULL)
    (void)fclose(groups);
  free(line);
  free(path);
  return least;
}

uint64_t usable_memory(const char *root)
{
  static const struct usable_limit limit = {"memory", usable_memory_of};
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  uint64_t least = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
  struct rlimit space;

  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    least = usable_least(least, space.rlim_cur);
  return usable_by_groups(root, &limit, least);
}

uint64_t usable_cores(const char *root)
{
  static const struct usable_limit limit = {"cpu", usable_cores_of};
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  const char *task = getenv("SLURM_CPUS_PER_TASK");
  uint64_t least = online > 0 ? (uint64_t)online : 1, of_task = 0;
  cpu_set_t allowed;

  /* Those that a container or taskset allows.  The call fails beyond 1,024 cores. */
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    least = (uint64_t)CPU_COUNT(&allowed);
  if (task != NULL && numbers_whole(task, &of_task) == NUMBERS_OK && of_task > 0)
    least = usable_least(least, of_task);
  return usable_by_groups(root, &limit, least);
}
