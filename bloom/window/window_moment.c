/*
 * window_moment.c - moments by two clocks, and where a window's head notes when generations began
 * (window_clock.c).
 */
#define _GNU_SOURCE /* CLOCK_BOOTTIME */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "atomic/threads/forks.h"
#include "bloom/files/disk.h"
#include "bloom/filter/digest.h"
#include "bloom/window/window.h"

#define MOMENT_SECOND UINT64_C(1000000000) /* ns */

#define MOMENT_HOST 0xeffffffa /* the inode of the host's time namespace, of every Linux */

#ifndef CLOCK_BOOTTIME
#define CLOCK_BOOTTIME CLOCK_MONOTONIC
#endif

static uint64_t moment_read(clockid_t id)
{
  struct timespec now;

  return clock_gettime(id, &now) == 0 && now.tv_sec >= 0
             ? (uint64_t)now.tv_sec * MOMENT_SECOND + (uint64_t)now.tv_nsec
             : 0;
}

static uint64_t moment_hex(char digit)
{
  return (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/* Reads the first bytes of a file of /proc; -1: the system does not tell. */
static ssize_t moment_read_text(const char *path, char *text, size_t size)
{
  const int fd = lfb_restarted_open(path, O_RDONLY, 0);

  if (fd < 0)
    return -1;
  const ssize_t got = read(fd, text, size);
  (void)close(fd);
  return got;
}

/*
 * A time namespace has a clock of the boot of its own, which may be days before or after the
 * host's.  So each but the host's counts as another boot.  It is known by its offsets; they are
 * those of its next child, too, so its number counts as well.
 */
static void moment_add_namespace(uint64_t boot[2])
{
  enum { OFFSETS = 256 };
  struct {
    char offsets[OFFSETS];
    uint64_t number;
  } of = {{0}, 0};
  struct stat found;

  if (stat("/proc/self/ns/time", &found) != 0 || found.st_ino == MOMENT_HOST)
    return;
  of.number = found.st_ino;
  if (moment_read_text("/proc/self/timens_offsets", of.offsets, OFFSETS) > 0)
    boot[0] ^= lfb_digest_xxh3(&of, sizeof of);
  else
    boot[0] = boot[1] = 0;
}

/* Reads the identity of this boot, 32 digits and four dashes, and of the time namespace.  Returns
 * false if the system does not tell. */
static bool moment_read_boot(uint64_t boot[2])
{
  enum { DIGITS = 32 };
  char text[DIGITS + 4];

  if (moment_read_text("/proc/sys/kernel/random/boot_id", text, sizeof text) !=
      (ssize_t)sizeof text)
    return false;
  for (size_t i = 0, digits = 0; i < sizeof text && digits < DIGITS; i++)
    if (text[i] != '-') {
      boot[digits / 16] = boot[digits / 16] << 4 | moment_hex(text[i]);
      digits++;
    }
  moment_add_namespace(boot);
  return true;
}

/* The identity of this boot, which is read once; and again in a child of a fork, which may be in
 * another time namespace.  If it cannot, its parent's.  Two threads may both read it. */
static void moment_boot(uint64_t boot[2])
{
  static LFB_ATOMIC(uint64_t) known[2];
  static LFB_ATOMIC(uint64_t) known_after; /* so many forks, and 1; 0: not read yet */
  const uint64_t here = lfb_forks() + 1;

  /* acquire: pairs with the release below. */
  if (atomic_load_explicit(&known_after, memory_order_acquire) != here) {
    const bool told = moment_read_boot(boot);
    for (int i = 0; told && i < 2; i++) /* relaxed: all threads store the same */
      atomic_store_explicit(&known[i], boot[i], memory_order_relaxed);
    atomic_store_explicit(&known_after, here, memory_order_release);
  }
  for (int i = 0; i < 2; i++) /* relaxed: acquired above */
    boot[i] = atomic_load_explicit(&known[i], memory_order_relaxed);
}

lfb_window_moment lfb_window_moment_now(void)
{
  lfb_window_moment now =
      {.boottime = moment_read(CLOCK_BOOTTIME), .realtime = moment_read(CLOCK_REALTIME)};

  moment_boot(now.boot);
  return now;
}

/* relaxed, all here: the generation that is published next releases them, and it was acquired. */
lfb_window_moment lfb_window_began(const lfb_window_head *head, uint64_t generation)
{
  const LFB_ATOMIC(uint64_t) *words = head->began[generation % LFB_WINDOW_LIVE];
  uint64_t read[LFB_WINDOW_MOMENT_WORDS];
  lfb_window_moment moment;

  for (int i = 0; i < LFB_WINDOW_MOMENT_WORDS; i++)
    read[i] = atomic_load_explicit(&words[i], memory_order_relaxed);
  memcpy(&moment, read, sizeof moment);
  return moment;
}

void lfb_window_begins(lfb_window_head *head, uint64_t generation, const lfb_window_moment *moment)
{
  LFB_ATOMIC(uint64_t) *words = head->began[generation % LFB_WINDOW_LIVE];
  uint64_t written[LFB_WINDOW_MOMENT_WORDS];

  memcpy(written, moment, sizeof written);
  for (int i = 0; i < LFB_WINDOW_MOMENT_WORDS; i++)
    atomic_store_explicit(&words[i], written[i], memory_order_relaxed);
}

_Static_assert(sizeof(lfb_window_moment) == LFB_WINDOW_MOMENT_WORDS * sizeof(uint64_t),
               "word by word");
