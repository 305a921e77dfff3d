/* progress.c - the one progress bar, on standard error. */
#define _GNU_SOURCE /* struct winsize */
#include "cli/base/progress.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/human.h"

enum {
  PROGRESS_INTERVAL_NS = 100 * 1000 * 1000,
  PROGRESS_LINE = 256,
  PROGRESS_PART = 64,
  PROGRESS_FIGURES = 49,   /* columns of "147.75 MiB of 222.60 MiB, 122.35 MiB/s, 12 s left" */
  PROGRESS_GAUGE_FIXED = 10, /* "[]  52 %  ": the gauge without its filling */
  PROGRESS_GAUGE_LEAST = 4,
  PROGRESS_GAUGE_MOST = 30,
};

/* One per program.  The lock guards the drawing, and every field that is not atomic. */
static struct {
  pthread_mutex_t lock;
  _Atomic(bool) shown;
  _Atomic(uint64_t) done;
  _Atomic(uint64_t) next_ns; /* time of the next drawing */
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

/* Appends the part if all of it fits: a figure that is cut off would be wrong. */
static void progress_append(char *text, size_t columns, const char *part)
{
  const size_t used = strlen(text), size = strlen(part);

  if (used + size <= columns)
    memcpy(text + used, part, size + 1);
}

/* Writes the right half of the line, "4.52M of 10M keys, 12.1M/s, 3 s left", in at most `columns`
 * columns. */
static void progress_figures(char *text, size_t columns, uint64_t done)
{
  const double seconds = clock_seconds(clock_ns() - bar.began_ns);
  const double rate = seconds > 0 ? (double)done / seconds : 0;
  const char *unit = bar.unit == PROGRESS_KEYS ? " keys" : "";
  char part[PROGRESS_PART];

  *text = '\0';
  (void)snprintf(part, sizeof part, "%s", progress_amount((double)done).text);
  progress_append(text, columns, part);
  if (bar.total > 0) {
    (void)snprintf(part, sizeof part, " of %s", progress_amount((double)bar.total).text);
    progress_append(text, columns, part);
  }
  progress_append(text, columns, unit);
  if (done > 0 && seconds > 0.2) {
    (void)snprintf(part, sizeof part, ", %s/s", progress_amount(rate).text);
    progress_append(text, columns, part);
  }
  if (done > 0 && done < bar.total && seconds > 0.5) {
    (void)snprintf(part, sizeof part, ", %.0f s left", (double)(bar.total - done) / rate + 0.5);
    progress_append(text, columns, part);
  }
}

/* Writes "[=====>    ]  52 %  ", with `width` characters between the brackets. */
static void progress_gauge(char *text, size_t width, uint64_t done)
{
  const double part = done < bar.total ? (double)done / (double)bar.total : 1;
  const size_t filled = (size_t)(part * (double)width);

  *text++ = '[';
  for (size_t i = 0; i < width; i++)
    *text++ = i < filled ? '=' : i == filled ? '>' : ' ';
  (void)sprintf(text, "] %3.0f %%  ", part * 100);
}

/* The width between the brackets if `columns` are left after the label.  0: there is no room for a
 * gauge, or the total is unknown. */
static size_t progress_gauge_width(size_t columns)
{
  if (bar.total == 0 ||
      columns < PROGRESS_GAUGE_FIXED + PROGRESS_GAUGE_LEAST + (size_t)PROGRESS_FIGURES)
    return 0;
  const size_t width = columns - PROGRESS_GAUGE_FIXED - PROGRESS_FIGURES;
  return width < PROGRESS_GAUGE_MOST ? width : PROGRESS_GAUGE_MOST;
}

/* Lock held.  One write per line, so that a line is never half visible. */
static void progress_draw(void)
{
  const uint64_t done = atomic_load_explicit(&bar.done, memory_order_relaxed);
  size_t columns = progress_columns() - 1; /* the last one stays empty */
  char label[PROGRESS_PART], gauge[PROGRESS_LINE] = "", figures[PROGRESS_LINE];
  char line[3 * PROGRESS_LINE];

  if (columns > PROGRESS_LINE - 1)
    columns = PROGRESS_LINE - 1;
  (void)snprintf(label, sizeof label, "%-9s ", bar.label);
  if (strlen(label) > columns)
    label[columns] = '\0';
  columns -= strlen(label);
  const size_t width = progress_gauge_width(columns);
  if (width > 0)
    progress_gauge(gauge, width, done);
  progress_figures(figures, columns - strlen(gauge), done);
  const int size = snprintf(line, sizeof line, "\r%s%s%s\033[K", label, gauge, figures);
  if (write(STDERR_FILENO, line, (size_t)size) < 0) /* the terminal is gone */
    atomic_store_explicit(&bar.shown, false, memory_order_relaxed);
}

void progress_begin(bool shown, const char *label, uint64_t total, enum progress_unit unit)
{
  (void)pthread_mutex_lock(&bar.lock);
  bar.label = label;
  bar.total = total;
  bar.unit = unit;
  bar.began_ns = clock_ns();
  /* relaxed: the lock orders the other fields for a thread that draws; `done` is only a figure. */
  atomic_store_explicit(&bar.done, 0, memory_order_relaxed);
  atomic_store_explicit(&bar.next_ns, bar.began_ns + PROGRESS_INTERVAL_NS, memory_order_relaxed);
  atomic_store_explicit(&bar.shown, shown, memory_order_relaxed);
  if (shown)
    progress_draw();
  (void)pthread_mutex_unlock(&bar.lock);
}

void progress_add(uint64_t amount)
{
  /* relaxed, all four: figures for people; a thread that draws reads the rest under the lock. */
  atomic_fetch_add_explicit(&bar.done, amount, memory_order_relaxed);
  if (!atomic_load_explicit(&bar.shown, memory_order_relaxed))
    return;
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

uint64_t progress_done(void)
{
  return atomic_load_explicit(&bar.done, memory_order_relaxed);
}

/* Lock held. */
static void progress_wipe(void)
{
  static const char wipe[] = "\r\033[K";

  if (atomic_load_explicit(&bar.shown, memory_order_relaxed) &&
      write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0) {
    /* the terminal is gone */
  }
}

void progress_clear(void)
{
  (void)pthread_mutex_lock(&bar.lock);
  progress_wipe();
  (void)pthread_mutex_unlock(&bar.lock);
}

void progress_end(void)
{
  (void)pthread_mutex_lock(&bar.lock);
  progress_wipe();
  atomic_store_explicit(&bar.shown, false, memory_order_relaxed);
  (void)pthread_mutex_unlock(&bar.lock);
}
