/* output.c - writes standard output, and checks every write. */
#define _GNU_SOURCE /* sigaction */
#include "cli/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/base/progress.h"
#include "cli/base/report.h"

/* Whether SIGPIPE was ignored at the start: then it must not end the program. */
static bool sigpipe_was_ignored;

static bool output_ignore(int signal)
{
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction before = {.sa_handler = SIG_DFL};

  (void)sigaction(signal, &ignore, &before);
  return before.sa_handler == SIG_IGN;
}

void output_prepare(void)
{
  /* The wrong modes, so that using one of these fails as if it were closed. */
  static const int wrong_way[] = {O_WRONLY, O_RDONLY, O_RDONLY};

  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", wrong_way[fd]) < 0)
      _exit(CLI_NOT_DONE);
  sigpipe_was_ignored = output_ignore(SIGPIPE);
  (void)output_ignore(SIGXFSZ);
  /* Buffered fully, so that write() fails in output_close(), which has its errno. */
  (void)setvbuf(stdout, NULL, _IOFBF, 1 << 16);
}

/* Quickly: does not wait for other threads.  There is nothing to clean up. */
_Noreturn void output_end_program(int status)
{
  progress_end();
  quick_exit(status);
}

static const char *output_path = "standard output";

void output_name(const char *name)
{
  output_path = name == NULL ? "standard output" : name;
}

static _Noreturn void output_give_up(void)
{
  if (errno != EPIPE)
    (void)report_errno(output_path);
  else if (!sigpipe_was_ignored) {
    progress_end();
    (void)signal(SIGPIPE, SIG_DFL);
    (void)raise(SIGPIPE);
  }
  output_end_program(CLI_NOT_DONE);
}

bool output_write_to(int file, const void *bytes, size_t size, off_t offset)
{
  const char *at = bytes;

  while (size > 0) {
    const ssize_t written = offset < 0 ? write(file, at, size) : pwrite(file, at, size, offset);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    at += written;
    size -= (size_t)written;
    offset += offset < 0 ? 0 : written;
  }
  return true;
}

void output_write(const void *bytes, size_t size)
{
  if (!output_write_to(STDOUT_FILENO, bytes, size, -1))
    output_give_up();
}

int output_close(int status)
{
  if (fflush(stdout) != 0 || ferror(stdout))
    output_give_up();
  /* Some file systems report only now that there was no space. */
  if (close(STDOUT_FILENO) != 0 && errno != EINTR)
    return report_errno("standard output");
  return status;
}
