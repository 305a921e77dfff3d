/* busy.c - reads /proc/stat. */
#define _DEFAULT_SOURCE /* getrusage, usleep */
#include "bench/busy.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { BEGIN_US = 500000 };

static const double least_seconds = 1;

static double seconds(struct timeval time)
{
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

bool lfb_busy_read(FILE *stat, double ticks, lfb_busy_reading *reading)
{
  /* Guests' time is part of user's and nice's. */
  unsigned long long user, nice, system, idle, wait, irq, softirq, steal;

  if (fscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
             &wait, &irq, &softirq, &steal) != 8)
    return false;
  reading->busy = (double)(user + nice + system + irq + softirq + steal) / ticks;
  return true;
}

double lfb_busy_share(const lfb_busy_reading *before, const lfb_busy_reading *after)
{
  const double others = after->busy - before->busy - (after->own - before->own);
  return others / (after->at - before->at);
}

/* False where the system has no such file. */
static bool busy_now(lfb_busy_reading *reading)
{
  struct timespec at;
  struct rusage own;
  FILE *stat = fopen("/proc/stat", "r");

  if (stat == NULL)
    return false;
  const bool read = lfb_busy_read(stat, (double)sysconf(_SC_CLK_TCK), reading);
  (void)fclose(stat);
  (void)clock_gettime(CLOCK_MONOTONIC, &at);
  reading->at = (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
  (void)getrusage(RUSAGE_SELF, &own);
  reading->own = seconds(own.ru_utime) + seconds(own.ru_stime);
  return read;
}

static lfb_busy_reading last;
static double last_share; /* at the last judgement */

/* Compares with the last reading, which `after` becomes. */
static bool busy_judge(const lfb_busy_reading *after)
{
  last_share = lfb_busy_share(&last, after);
  last = *after;
  return last_share <= LFB_BUSY_MOST;
}

void lfb_busy_say(void)
{
  (void)fprintf(stderr,
                "bench: the machine is busy: others use %.2f of a processor, more than %.2f; stop "
                "them, or add --busy\n",
                last_share, LFB_BUSY_MOST);
}

bool lfb_busy_begin(bool unseen)
{
  lfb_busy_reading after;

  if (!busy_now(&last) || unseen)
    return true;
  (void)usleep(BEGIN_US);
  return !busy_now(&after) || busy_judge(&after);
}

lfb_busy lfb_busy_check(void)
{
  lfb_busy_reading after;

  if (!busy_now(&after))
    return LFB_BUSY_QUIET;
  if (after.at - last.at < least_seconds)
    return LFB_BUSY_UNKNOWN;
  return busy_judge(&after) ? LFB_BUSY_QUIET : LFB_BUSY_OTHERS;
}
