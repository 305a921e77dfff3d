/*
 * init.c - the first and only process of a system that runs tests: the programs of /tests, one a
 * line with its arguments.  What they print, and lines of its own, go to the serial port; then the
 * machine is off.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 8, LINE = 1 << 12 };

static double seconds(void)
{
  struct timespec now;

  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The kernel then prints why a program was killed, and where. */
static void print_faults(void)
{
  FILE *const level = fopen("/proc/sys/kernel/printk", "w");

  if (level != NULL) {
    fputs("7", level);
    fclose(level);
  }
}

/* Runs one line of /tests.  Returns the status of waitpid(). */
static int run(char *line)
{
  char *words[WORDS + 1] = {0};
  int status = -1;

  words[0] = strtok(line, " ");
  for (int i = 1; i < WORDS && words[i - 1] != NULL; i++)
    words[i] = strtok(NULL, " ");
  const pid_t child = fork();
  if (child == 0) {
    execv(words[0], words);
    perror(words[0]);
    _exit(127);
  }
  waitpid(child, &status, 0);
  return status;
}

int main(void)
{
  char line[LINE];

  mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
  mount("proc", "/proc", "proc", 0, NULL);
  const int serial = open("/dev/ttyS0", O_WRONLY | O_NOCTTY);
  dup2(serial, STDOUT_FILENO);
  dup2(serial, STDERR_FILENO);
  setvbuf(stdout, NULL, _IOLBF, 0);
  print_faults();

  FILE *const tests = fopen("/tests", "r");
  printf("INIT: the system has started\n");
  while (tests != NULL && fgets(line, sizeof line, tests) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    printf("INIT: runs %s\n", line);
    const double start = seconds();
    const int status = run(line);
    printf("INIT: status %d after %.2f s\n", status, seconds() - start);
  }
  printf("INIT: the end\n");
  fflush(stdout);
  tcdrain(STDOUT_FILENO);
  reboot(RB_POWER_OFF);
}
