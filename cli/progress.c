/* progress.c - the one progress bar, on standard error.  Floor 1 of cli/. */
#define _GNU_SOURCE /* struct winsize */
#include "cli/progress.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/human.h"

enum { PROGRESS_INTERVAL_NS = 100 * 1000 * 1000, PROGRESS_LINE = 256 };

/* One per program.  The lock guards what is drawn, and every field that is not atomic. */
static struct {
  pthread_mutex_t lock;
  _Atomic(bool) shown;
  _Atomic(uint64_t) done;
  _Atomic(uint64_t) next_ns; /* when to draw again */
  const char *label;
  uint64_t total;
  enum progress_unit unit;
  uint64_t began_ns;
} bar = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool progress_wanted(enum progress_when when)
{
  const char *terminal = getenv("TERM");

  if (when != PROGRESS_AUTO)
    return when == PROGRESS_ALWAYS;
  return isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

static size_t progress_columns(void)
{
  struct winsize window;

  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    return window.ws_col;
  return 80;
}

static struct human progress_amount(double amount)
{
  return bar.unit == PROGRESS_BYTES ? human_bytes((uint64_t)amount) : human_short(amount);
}

/* "4.52M of 10M keys, 12.1M/s, 3 s left": the right half of the line. */
static void progress_figures(char *text, size_t room, uint64_t done)
{
  const double seconds = clock_seconds(clock_ns() - bar.began_ns);
  const double rate = seconds > 0 ? (double)done / seconds : 0;
  const char *unit = bar.unit == PROGRESS_KEYS ? " keys" : "";
  size_t used = 0;

  if (bar.total == 0)
    used = (size_t)snprintf(text, room, "%s%s", progress_amount((double)done).text, unit);
  else
    used = (size_t)snprintf(text, room, "%s of %s%s", progress_amount((double)done).text,
                            progress_amount((double)bar.total).text, unit);
  if (done > 0 && seconds > 0.2 && used < room)
    used += (size_t)snprintf(text + used, room - used, ", %s/s", progress_amount(rate).text);
  if (done > 0 && done < bar.total && seconds > 0.5 && used < room)
    (void)snprintf(text + used, room - used, ", %.0f s left",
                   (double)(bar.total - done) / rate + 0.5);
}

/* "[=====>    ]  52 %  ", `width` characters between the brackets; nothing without a total. */
static void progress_gauge(char *text, size_t width, uint64_t done)
{
  const double part = done < bar.total ? (double)done / (double)bar.total : 1;
  const size_t filled = (size_t)(part * (double)width);

  *text++ = '[';
  for (size_t i = 0; i < width; i++)
    *text++ = i < filled ? '=' : i == filled ? '>' : ' ';
  (void)sprintf(text, "] %3.0f %%  ", part * 100);
}

/* Lock held.  One write a line, so that it never shows half. */
static void progress_draw(void)
{
  const uint64_t done = atomic_load_explicit(&bar.done, memory_order_relaxed);
  const size_t columns = progress_columns();
  char gauge[PROGRESS_LINE] = "";
  char figures[PROGRESS_LINE];
  char line[3 * PROGRESS_LINE];

  progress_figures(figures, sizeof figures, done);
  if (bar.total > 0 && columns > 60)
    progress_gauge(gauge, columns > 100 ? 30 : columns - 60 < 10 ? 10 : columns - 60, done);
  const int size = snprintf(line, sizeof line, "\r%-9s %s%s", bar.label, gauge, figures);
  if (size > 0 && (size_t)size > columns) /* one for the \r: the last column stays empty */
    line[columns] = '\0';
  strcat(line, "\033[K");
  if (write(STDERR_FILENO, line, strlen(line)) < 0) /* nobody left to tell */
    atomic_store_explicit(&bar.shown, false, memory_order_relaxed);
}

void progress_begin(bool shown, const char *label, uint64_t total, enum progress_unit unit)
{
  (void)pthread_mutex_lock(&bar.lock);
  bar.label = label;
  bar.total = total;
  bar.unit = unit;
  bar.began_ns = clock_ns();
  /* relaxed: the lock orders what a drawer needs; `done` is only a figure. */
  atomic_store_explicit(&bar.done, 0, memory_order_relaxed);
  atomic_store_explicit(&bar.next_ns, bar.began_ns + PROGRESS_INTERVAL_NS, memory_order_relaxed);
  atomic_store_explicit(&bar.shown, shown, memory_order_relaxed);
  if (shown)
    progress_draw();
  (void)pthread_mutex_unlock(&bar.lock);
}

void progress_add(uint64_t amount)
{
  /* relaxed, all four: figures for people; what is drawn is read under the lock. */
  if (!atomic_load_explicit(&bar.shown, memory_order_relaxed))
    return;
  atomic_fetch_add_explicit(&bar.done, amount, memory_order_relaxed);
  const uint64_t now = clock_ns();
  if (now < atomic_load_explicit(&bar.next_ns, memory_order_relaxed))
    return;
  if (pthread_mutex_trylock(&bar.lock) != 0)
    return;
  atomic_store_explicit(&bar.next_ns, now + PROGRESS_INTERVAL_NS, memory_order_relaxed);
  if (atomic_load_explicit(&bar.shown, memory_order_relaxed))
    progress_draw();
  (void)pthread_mutex_unlock(&bar.lock);
}

void progress_end(void)
{
  static const char wipe[] = "\r\033[K";

  (void)pthread_mutex_lock(&bar.lock);
  if (atomic_load_explicit(&bar.shown, memory_order_relaxed)) {
    atomic_store_explicit(&bar.shown, false, memory_order_relaxed);
    if (write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0) {
      /* nobody left to tell */
    }
  }
  (void)pthread_mutex_unlock(&bar.lock);
}
