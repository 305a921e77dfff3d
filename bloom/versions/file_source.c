/*
 * file_source.c - a source of versions that are files in any known form.
 */
#define _POSIX_C_SOURCE 200809L
#include <lfbloom/file_source.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "atomic/words/reserved.h"
#include "bloom/filter/date.h"

/* The identity of a file at one time. */
typedef struct sighting {
  char *path; /* NULL: none */
  struct stat found;
  bool unread; /* reading it failed; that may pass without a change of the file's identity */
} sighting;

struct lfb_file_source {
  char *path; /* in the same block of memory */
  lfb_read_limits limits;
  lfb_refused_fn refused;
  void *refused_to;
  uint64_t number;    /* of files that became versions     */
  sighting adopted;   /* the last of these                 */
  sighting candidate; /* the next                          */
  sighting *bad;      /* files that were refused and exist */
  size_t bad_count;
};

static bool sighting_is(const sighting *a, const sighting *b)
{
  const struct stat *one = &a->found, *other = &b->found;

  return a->path != NULL && b->path != NULL && strcmp(a->path, b->path) == 0 &&
         one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
         one->st_size == other->st_size && one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
         one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

/* Whether the file is unchanged. */
static bool sighting_stays(const sighting *seen)
{
  sighting now = {.path = seen->path};

  return stat(now.path, &now.found) == 0 && sighting_is(&now, seen);
}

/* Whether `a` is preferred to `b`: modified later, or with the later name. */
static bool sighting_is_newer(const sighting *a, const sighting *b)
{
  const struct timespec *one = &a->found.st_mtim, *other = &b->found.st_mtim;

  if (b->path == NULL)
    return true;
  if (one->tv_sec != other->tv_sec)
    return one->tv_sec > other->tv_sec;
  if (one->tv_nsec != other->tv_nsec)
    return one->tv_nsec > other->tv_nsec;
  return strcmp(a->path, b->path) >= 0;
}

static void sighting_forget(sighting *seen)
{
  free(seen->path);
  *seen = (sighting){0};
}

/* Moves `*from` to `*to`; the old `*to` is freed. */
static void sighting_move(sighting *to, sighting *from)
{
  sighting_forget(to);
  *to = *from;
  *from = (sighting){0};
}

static bool source_has_refused(const lfb_file_source *source, const sighting *seen)
{
  for (size_t i = 0; i < source->bad_count; i++)
    if (sighting_is(&source->bad[i], seen))
      return true;
  return false;
}

/* Reports and remembers that the candidate was refused.  Without memory to remember it, the file
 * will be tried and refused again. */
static void source_refuse(lfb_file_source *source, lfb_status status)
{
  if (source->refused != NULL)
    source->refused(source->refused_to, source->candidate.path, status);
  sighting *more = realloc(source->bad, (source->bad_count + 1) * sizeof *more);
  if (more == NULL)
    return;
  source->bad = more;
  source->candidate.unread = status == LFB_ERROR_OPEN || status == LFB_ERROR_READ;
  more[source->bad_count++] = source->candidate;
  source->candidate = (sighting){0};
}

/* Forgets refused files that have changed; with `anew` also those that could not be read. */
static void source_prune(lfb_file_source *source, bool anew)
{
  size_t kept = 0;

  for (size_t i = 0; i < source->bad_count; i++)
    if (!(anew && source->bad[i].unread) && sighting_stays(&source->bad[i]))
      source->bad[kept++] = source->bad[i];
    else
      sighting_forget(&source->bad[i]);
  source->bad_count = kept;
}

/* Makes the file at `path` the candidate if it is preferred to the present one.  Takes over the
 * memory of `path`. */
static void source_consider(lfb_file_source *source, char *path, const struct stat *found,
                            bool listed)
{
  sighting seen = {.path = path, .found = *found};

  const bool stale = sighting_is(&seen, &source->adopted) ||
                     (listed && !sighting_is_newer(&seen, &source->adopted));
  if (S_ISREG(found->st_mode) && !stale && !source_has_refused(source, &seen) &&
      sighting_is_newer(&seen, &source->candidate))
    sighting_move(&source->candidate, &seen);
  else
    sighting_forget(&seen);
}

static char *path_join(const char *folder, const char *name)
{
  const size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);

  if (path != NULL)
    (void)snprintf(path, size, "%s/%s", folder, name);
  return path;
}

/* The next entry of a directory; NULL at the end, or on failure with `*status` set. */
static const struct dirent *folder_next(DIR *folder, lfb_status *status)
{
  errno = 0; /* the only way to tell the end from a failure */
  const struct dirent *entry = readdir(folder);

  if (entry == NULL && errno != 0)
    *status = LFB_ERROR_OPEN;
  return entry;
}

/* Considers each file of a directory. */
static lfb_status source_list(lfb_file_source *source)
{
  lfb_status status = LFB_OK;
  DIR *folder = opendir(source->path);

  if (folder == NULL)
    return errno == ENOMEM ? LFB_ERROR_NO_MEMORY : LFB_ERROR_OPEN;
  for (const struct dirent *entry;
       status == LFB_OK && (entry = folder_next(folder, &status)) != NULL;) {
    struct stat found;
    if (entry->d_name[0] == '.')
      continue;
    char *path = path_join(source->path, entry->d_name);
    if (path == NULL)
      status = LFB_ERROR_NO_MEMORY;
    else if (stat(path, &found) == 0)
      source_consider(source, path, &found, true);
    else
      free(path); /* deleted since readdir() */
  }
  (void)closedir(folder);
  return status;
}

/* Looks for the next version's file.  `anew`: at the start of a poll; otherwise after a refusal. */
static lfb_status source_look(lfb_file_source *source, bool anew)
{
  struct stat found;

  sighting_forget(&source->candidate);
  source_prune(source, anew);
  if (stat(source->path, &found) != 0)
    return errno == ENOENT ? LFB_OK : LFB_ERROR_OPEN;
  if (S_ISDIR(found.st_mode))
    return source_list(source);
  char *path = strdup(source->path);
  if (path == NULL)
    return LFB_ERROR_NO_MEMORY;
  source_consider(source, path, &found, false);
  return LFB_OK;
}

static lfb_status source_version(void *self, uint64_t *version)
{
  lfb_file_source *source = self;

  const lfb_status status = source_look(source, true);
  if (status == LFB_OK)
    *version = source->number + (source->candidate.path != NULL);
  return status;
}

/* A caller that asks again although nothing is new could not publish the last file: it gets that
 * file again. */
static void source_offer_again(lfb_file_source *source)
{
  if (source->candidate.path != NULL || source->adopted.path == NULL)
    return;
  sighting_move(&source->candidate, &source->adopted);
  source->number--;
}

static lfb_status source_filter(void *self, lfb_filter **filter)
{
  lfb_file_source *source = self;
  lfb_status first = LFB_OK;

  source_offer_again(source);
  while (source->candidate.path != NULL) {
    lfb_status status = lfb_filter_load(source->candidate.path, &source->limits, filter);
    if (status == LFB_OK) {
      lfb_filter_date(*filter, (uint64_t)source->candidate.found.st_mtim.tv_sec);
      sighting_move(&source->adopted, &source->candidate);
      source->number++;
      return LFB_OK;
    }
    if (first == LFB_OK)
      first = status;
    if (status == LFB_ERROR_NO_MEMORY) /* another file would not help */
      return status;
    source_refuse(source, status);
    status = source->candidate.path == NULL ? source_look(source, false) : LFB_ERROR_NO_MEMORY;
    if (status != LFB_OK)
      return status;
  }
  return first == LFB_OK ? LFB_ERROR_OPEN : first; /* LFB_OK: the file was deleted before */
}

lfb_source lfb_file_source_functions(lfb_file_source *source)
{
  return (lfb_source){.self = source, .version = source_version, .filter = source_filter};
}

lfb_status lfb_file_source_create(const char *path, const lfb_read_limits *limits,
                                  lfb_refused_fn refused, void *to, lfb_file_source **source)
{
  const size_t size = strlen(path) + 1;

  if (limits != NULL && LFB_RESERVED(limits) != LFB_OK)
    return LFB_ERROR_RESERVED;
  lfb_file_source *made = calloc(1, sizeof *made + size);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->path = memcpy(made + 1, path, size);
  if (limits != NULL)
    made->limits = *limits;
  made->refused = refused;
  made->refused_to = to;
  *source = made;
  return LFB_OK;
}

void lfb_file_source_free(lfb_file_source *source)
{
  if (source == NULL)
    return;
  for (size_t i = 0; i < source->bad_count; i++)
    sighting_forget(&source->bad[i]);
  sighting_forget(&source->adopted);
  sighting_forget(&source->candidate);
  free(source->bad);
  free(source);
}
