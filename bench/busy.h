/*
 * busy.h - whether other processes, or other machines on the same host, take processor time.
 *
 * A reading is taken before the benchmarks and after each of them, at least a second apart.
 * Between two readings the machine is busy if others took more than LFB_BUSY_MOST of a processor.
 * Theirs is all time that is not idle, minus this process's own, plus what the host gave to other
 * machines.  What was measured meanwhile is measured again.  Elsewhere than on Linux none is busy.
 */
#ifndef LFB_BENCH_BUSY_H
#define LFB_BENCH_BUSY_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LFB_BUSY_MOST 0.2 /* of one processor */

/* Seconds since the machine, or this process, began. */
typedef struct lfb_busy_reading {
  double busy; /* of all processors together, with what the host took */
  double own;
  double at;
} lfb_busy_reading;

/* Reads `busy` from a file like /proc/stat, with `ticks` a second; false if it is none. */
bool lfb_busy_read(FILE *stat, double ticks, lfb_busy_reading *reading);

/* How much of a processor others took between two readings. */
double lfb_busy_share(const lfb_busy_reading *before, const lfb_busy_reading *after);

/* Watches the machine for half a second, or not at all (`unseen`).  False if it is busy. */
bool lfb_busy_begin(bool unseen);

typedef enum lfb_busy { LFB_BUSY_UNKNOWN, LFB_BUSY_QUIET, LFB_BUSY_OTHERS } lfb_busy;

/* Judges the time since the last reading.  LFB_BUSY_UNKNOWN: that is less than a second ago. */
lfb_busy lfb_busy_check(void);

/* Says on stderr how much others used at the last judgement. */
void lfb_busy_say(void);

#ifdef __cplusplus
}
#endif

#endif
