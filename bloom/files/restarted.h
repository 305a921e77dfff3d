/*
 * restarted.h - system calls that are repeated if a signal interrupts them.
 */
#ifndef LFB_BLOOM_RESTARTED_H
#define LFB_BLOOM_RESTARTED_H

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

/* As openat() with O_CLOEXEC: programs that this process executes do not inherit the descriptor. */
static inline int lfb_restarted_openat(int folder, const char *path, int flags, mode_t mode)
{
  int fd;

  do
    fd = openat(folder, path, flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return fd;
}

static inline int lfb_restarted_open(const char *path, int flags, mode_t mode)
{
  return lfb_restarted_openat(AT_FDCWD, path, flags, mode);
}

/* As fsync(). */
static inline int lfb_restarted_sync(int fd)
{
  int failed;

  do
    failed = fsync(fd);
  while (failed != 0 && errno == EINTR);
  return failed;
}

#endif
