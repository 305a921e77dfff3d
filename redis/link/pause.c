/* pause.c - pauses that double, with a random part. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "redis/link/pause.h"

#include <time.h>

uint64_t lfb_pause_random(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  /* The address of a local variable differs between threads, and between processes. */
  uint64_t mixed = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)(uintptr_t)&now;
  mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9); /* splitmix64's mixing */
  mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
  return mixed ^ mixed >> 31;
}

uint64_t lfb_pause_ms(uint32_t failures)
{
  const uint64_t doubled = failures < 7 ? (uint64_t)LFB_PAUSE_FIRST << failures
                                        : LFB_PAUSE_LONGEST;
  const uint64_t pause = doubled < LFB_PAUSE_LONGEST ? doubled : LFB_PAUSE_LONGEST;

  return pause + lfb_pause_random() % (pause / 2 + 1);
}
