/*
 * restarted.h - calls of the system that a signal may interrupt, made again when it has.
 */
#ifndef LFB_BLOOM_RESTARTED_H
#define LFB_BLOOM_RESTARTED_H

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

/* As open(), for this process's programs alone: O_CLOEXEC. */
static inline int lfb_restarted_open(const char *path, int flags, mode_t mode)
{
  int fd;

  do
    fd = open(path, flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return fd;
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
