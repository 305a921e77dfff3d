/*
 * spent.c - runs a command, and adds what it took to a file: wall seconds, CPU seconds and the most MiB of memory.
 *
 *     spent FILE COMMAND [ARGUMENT...]
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_of(struct timeval time)
{
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

int main(int argc, char **argv)
{
  struct rusage usage;
  int status = 0;

  if (argc < 3) {
    (void)fputs("usage: spent FILE COMMAND [ARGUMENT...]\n", stderr);
    return 2;
  }
  const double began = seconds_now();
  const pid_t child = fork();
  if (child == 0) {
    (void)execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    perror("spent");
    return 2;
  }
  const double wall = seconds_now() - began;
  FILE *const file = fopen(argv[1], "a");
  if (file == NULL ||
      fprintf(file, "%.3f %.3f %.1f\n", wall, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
              (double)usage.ru_maxrss / 1024) < 0 ||
      fclose(file) != 0) {
    perror(argv[1]);
    return 2;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
