/* killed.c - for LD_PRELOAD: kills the process at step KILL_AT, before a call or in fflush(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long left = -1; /* steps; one thread calls */

static void step(void)
{
  if (left < 0)
    left = atol(getenv("KILL_AT"));
  if (left > 0 && --left == 0)
    (void)kill(getpid(), SIGKILL);
}

#define REAL(type, name, takes) ((type(*) takes)dlsym(RTLD_NEXT, #name))
#define AT(type, name, takes, gives) \
  type name takes { step(); return REAL(type, name, takes)gives; }

AT(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size))
AT(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
AT(int, fsync, (int fd), (fd))

int fflush(FILE *file)
{
  step();
  if (left == 1) /* half of a line */
    (void)!syscall(SYS_write, fileno(file), file->_IO_write_base,
                   (file->_IO_write_ptr - file->_IO_write_base) / 2);
  step();
  const int result = REAL(int, fflush, (FILE *))(file);
  step();
  return result;
}
