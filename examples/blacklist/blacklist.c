/*
 * blacklist.c - checks each line of its input against a blacklist that can be replaced at any
 * time.
 *
 * The blacklist is a filter in a file (for example made by `lfbloom build`), or the newest file of
 * a directory.  A thread looks once a second for another one, and swaps it in; a concurrent query
 * sees the whole old one or the whole new one.  A file that is damaged, or is still being written,
 * never becomes the blacklist.
 */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <errno.h>
#include <inttypes.h>
#include <lfbloom/file_source.h>
#include <lfbloom/follow.h>
#include <lfbloom/versions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLACKLIST_TROUBLE = 2 };

struct blacklist {
  const char *path;
  lfb_versions *versions;
  lfb_file_source *source;
  lfb_follow *follow;
};

static int complain(const char *what, lfb_status status)
{
  fprintf(stderr, "blacklist: %s: %s\n", what, lfb_status_text(status));
  return BLACKLIST_TROUBLE;
}

/* Called for a file that is not a filter, or is damaged. */
static void blacklist_refused(void *to, const char *path, lfb_status status)
{
  (void)to;
  (void)complain(path, status);
}

/* Called with the result of each poll, on the polling thread. */
static void blacklist_report(void *to, lfb_followed what, lfb_status status)
{
  const struct blacklist *blacklist = to;
  lfb_stats stats;
  uint64_t number;

  if (what == LFB_FOLLOWED_FAILED)
    (void)complain(blacklist->path, status);
  if (what != LFB_FOLLOWED_REBUILT)
    return;
  lfb_filter_stats(lfb_versions_enter(blacklist->versions, &number), &stats);
  lfb_versions_leave(blacklist->versions);
  fprintf(stderr, "blacklist: version %" PRIu64 ", about %" PRIu64 " keys\n", number,
          stats.approximate_count);
}

/* Makes the handle and its follower. */
static lfb_status blacklist_create(struct blacklist *blacklist)
{
  const lfb_follow_config config = {.report = blacklist_report, .report_to = blacklist};
  lfb_status status = lfb_versions_create_waiting(&blacklist->versions);

  if (status == LFB_OK)
    status = lfb_file_source_create(blacklist->path, NULL, blacklist_refused, NULL,
                                    &blacklist->source);
  if (status != LFB_OK)
    return status;
  const lfb_source source = lfb_file_source_functions(blacklist->source);
  return lfb_follow_create(blacklist->versions, &source, &config, &blacklist->follow);
}

static void blacklist_free(struct blacklist *blacklist)
{
  lfb_follow_free(blacklist->follow); /* first: stops its thread, which uses the others */
  lfb_file_source_free(blacklist->source);
  lfb_versions_free(blacklist->versions);
}

/* Reads the first blacklist, which is required, then follows new ones. */
static int blacklist_start(struct blacklist *blacklist)
{
  lfb_status status = blacklist_create(blacklist);

  if (status != LFB_OK)
    return complain(blacklist->path, status);
  status = lfb_follow_start(blacklist->follow);
  if (status == LFB_ERROR_NOTHING_YET)
    fprintf(stderr, "blacklist: %s: there is no blacklist yet\n", blacklist->path);
  else if (status == LFB_ERROR_NO_THREAD) /* blacklist_report() has printed why a poll failed */
    (void)complain(blacklist->path, status);
  return status == LFB_OK ? EXIT_SUCCESS : BLACKLIST_TROUBLE;
}

/* Prints `check KEY` or `pass KEY` for each line, and flushes: the other end may be waiting. */
static int blacklist_answer(const struct blacklist *blacklist)
{
  char *line = NULL;
  size_t room = 0;
  ssize_t size;

  while ((size = getline(&line, &room, stdin)) > 0) {
    if (line[size - 1] == '\n')
      line[--size] = '\0';
    const bool maybe =
        lfb_versions_might_contain(blacklist->versions, line, (size_t)size);
    printf("%s ", maybe ? "check" : "pass");
    (void)fwrite(line, 1, (size_t)size, stdout);
    (void)putchar('\n');
    (void)fflush(stdout);
  }
  free(line);
  if (!ferror(stdin) && !ferror(stdout))
    return EXIT_SUCCESS;
  fprintf(stderr, "blacklist: %s: %s\n", ferror(stdin) ? "standard input" : "standard output",
          strerror(errno));
  return BLACKLIST_TROUBLE;
}

int main(int argc, char **argv)
{
  struct blacklist blacklist = {.path = argc == 2 ? argv[1] : NULL};

  if (argc != 2 || argv[1][0] == '-') {
    fprintf(stderr, "usage: blacklist FILE|DIRECTORY\n"
                    "Prints `pass` or `check` before each line of standard input.  `pass`: the\n"
                    "line is definitely not on the blacklist; `check`: it may be.  The blacklist\n"
                    "is a filter in FILE, or in the newest file of DIRECTORY; 'lfbloom build'\n"
                    "makes one from a key per line.  A new one is used within about a second.\n");
    return BLACKLIST_TROUBLE;
  }
  int status = blacklist_start(&blacklist);
  if (status == EXIT_SUCCESS)
    status = blacklist_answer(&blacklist);
  blacklist_free(&blacklist);
  return status;
}
