/* gnuplot.c - running gnuplot. */
#define _GNU_SOURCE /* pipe2, posix_spawn, environ */
#include "cli/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/report.h"

/* Script in, picture out, and silence: what gnuplot says is more than one line. */
static int gnuplot_connect(posix_spawn_file_actions_t *files, int script, int to)
{
  int problem = posix_spawn_file_actions_adddup2(files, script, STDIN_FILENO);

  if (problem == 0)
    problem = posix_spawn_file_actions_adddup2(files, to, STDOUT_FILENO);
  if (problem == 0)
    problem = posix_spawn_file_actions_addopen(files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  return problem;
}

static int gnuplot_spawn_with(const posix_spawn_file_actions_t *files, pid_t *child)
{
  char name[] = "gnuplot";
  char *const arguments[] = {name, NULL};
  posix_spawnattr_t attributes;
  sigset_t signals;
  int problem = posix_spawnattr_init(&attributes);

  if (problem != 0)
    return problem;
  (void)sigemptyset(&signals);
  (void)sigaddset(&signals, SIGPIPE); /* which we ignore; the child must not */
  (void)sigaddset(&signals, SIGXFSZ);
  (void)posix_spawnattr_setsigdefault(&attributes, &signals);
  (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  problem = posix_spawnp(child, name, files, &attributes, arguments, environ);
  (void)posix_spawnattr_destroy(&attributes);
  return problem;
}

/* Returns 0 or an errno number. */
static int gnuplot_spawn(int script, int to, pid_t *child)
{
  posix_spawn_file_actions_t files;
  int problem = posix_spawn_file_actions_init(&files);

  if (problem != 0)
    return problem;
  problem = gnuplot_connect(&files, script, to);
  if (problem == 0)
    problem = gnuplot_spawn_with(&files, child);
  (void)posix_spawn_file_actions_destroy(&files);
  return problem;
}

/* Reads to the end and closes; false after a report. */
static bool gnuplot_read(int from, char **picture, size_t *size)
{
  FILE *stream = fdopen(from, "r");
  size_t capacity = 0;

  if (stream == NULL) {
    (void)report_errno("gnuplot");
    (void)close(from);
    return false;
  }
  errno = 0;
  const ssize_t got = getdelim(picture, &capacity, '\0', stream); /* SVG has no NUL */
  const bool read = !ferror(stream) && errno != ENOMEM;
  if (!read)
    (void)report_errno("gnuplot");
  (void)fclose(stream);
  *size = got < 0 ? 0 : (size_t)got;
  return read;
}

static bool gnuplot_is_whole(const char *picture, size_t size)
{
  static const char end[] = "</svg>";

  return picture != NULL && memmem(picture, size, end, sizeof end - 1) != NULL;
}

/* Waits for gnuplot; false after a report where it failed. */
static bool gnuplot_finish(pid_t child)
{
  int status = 0;

  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) {
      (void)report_errno("gnuplot");
      return false;
    }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  if (WIFSIGNALED(status))
    (void)report_error("gnuplot was ended by signal %d", WTERMSIG(status));
  else
    (void)report_error("gnuplot failed with exit status %d", WEXITSTATUS(status));
  return false;
}

/* Rewinds the script and starts gnuplot on it; `*from` is the end to read. */
static bool gnuplot_start(FILE *script, pid_t *child, int *from)
{
  int ends[2];

  if (fflush(script) != 0 || ferror(script) || fseek(script, 0, SEEK_SET) != 0 ||
      pipe2(ends, O_CLOEXEC) != 0) {
    (void)report_errno("gnuplot's script");
    return false;
  }
  const int problem = gnuplot_spawn(fileno(script), ends[1], child);
  (void)close(ends[1]);
  *from = ends[0];
  if (problem == 0)
    return true;
  (void)close(ends[0]);
  if (problem == ENOENT)
    (void)report_error("gnuplot is not installed (package gnuplot-nox)");
  else
    (void)report_error("gnuplot cannot be started: %s", strerror(problem));
  return false;
}

bool gnuplot_run(FILE *script, char **picture, size_t *size)
{
  char *bytes = NULL;
  size_t count = 0;
  pid_t child;
  int from;

  if (!gnuplot_start(script, &child, &from))
    return false;
  const bool read = gnuplot_read(from, &bytes, &count);
  bool done = gnuplot_finish(child) && read;
  if (done && !gnuplot_is_whole(bytes, count)) {
    (void)report_error("gnuplot gave no whole picture");
    done = false;
  }
  if (!done) {
    free(bytes);
    return false;
  }
  *picture = bytes;
  *size = count;
  return true;
}
