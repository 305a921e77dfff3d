/*
 * window_stress.c - runs every operation of a window concurrently, while generations end: by a
 * clock that the threads move on and by the library's own thread, by callers, and by insertions; in
 * memory, and in a mapped file that is open twice.
 *
 * A thread must find each key that it put, unless G generations have begun since.  No two wins of
 * a key are within G generations; with a clock, each key must have one.  Without a sanitizer it
 * failed 17 times in 20 with the planted bug two_advances, 4 with advanced_again;
 * //tests/kinds:window_race_test finds more.
 */
#define _GNU_SOURCE /* CLOCK_BOOTTIME */
#include <lfbloom/any.h>
#include <lfbloom/window_mapped.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "tsan/crew.h"

enum { G = 3, LENGTH = 10 * 1000 * 1000 /* of a generation in ns */ };

static lfb_window *one, *two; /* the same window */
/* Of the last win of a key: the generations that its claim began and ended in, 32 bits each. */
static _Atomic(uint64_t) last_wins[CREW_ROUNDS][CREW_KEYS];
static _Atomic(uint64_t) kept; /* keys that had to be found */
static bool has_span;

/* ---- the clock, in ns, which the linker puts between the library and the system's ---- */

static _Atomic(uint64_t) clock_now = UINT64_C(1000000000000000000);

int __real_clock_gettime(clockid_t id, struct timespec *at);
int __wrap_clock_gettime(clockid_t id, struct timespec *at);
int __wrap_clock_gettime(clockid_t id, struct timespec *at)
{
  /* relaxed, all in this file: they must add no order, or the sanitizer would miss races. */
  const uint64_t ns = atomic_load_explicit(&clock_now, memory_order_relaxed);

  if (id != CLOCK_BOOTTIME && id != CLOCK_REALTIME)
    return __real_clock_gettime(id, at);
  *at = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
  return 0;
}

/* ---- the acts ---------------------------------------------------------------- */

/* A put that began in generation `began` has ended; the key was asked for since. */
static void expect_found(bool found, uint64_t began)
{
  const bool over = lfb_window_generation(two) >= began + G;

  crew_expect(found || over);
  if (!over)
    atomic_fetch_add_explicit(&kept, 1, memory_order_relaxed);
}

static void put_one_by_one(const crew_turn *turn)
{
  for (uint64_t i = 0; i < CREW_KEYS; i++) {
    const uint64_t key = turn->first + i, began = lfb_window_generation(one);
    if (i % 2 == 0) {
      (void)lfb_window_put_u64(one, key);
      expect_found(lfb_window_might_contain_u64(two, key), began);
    } else {
      (void)lfb_window_put(one, &key, sizeof key);
      expect_found(lfb_window_might_contain(two, &key, sizeof key), began);
    }
  }
}

static void put_many(const crew_turn *turn)
{
  enum { SOME = 20 };
  const lfb_any any_one = {LFB_KIND_WINDOW, {one}}, any_two = {LFB_KIND_WINDOW, {two}};
  uint64_t keys[CREW_KEYS];

  crew_keys(turn->first, keys);
  for (size_t i = 0; i < CREW_KEYS; i += SOME) {
    const uint64_t began = lfb_window_generation(one);
    (void)lfb_any_many_u64(any_two, LFB_PUT, keys + i, SOME, NULL);
    expect_found(lfb_any_many_u64(any_one, LFB_MIGHT_CONTAIN, keys + i, SOME, NULL) == SOME, began);
  }
}

/* Notes a win of a claim between two generations, and checks the wins that were noted before. */
static void note_win(_Atomic(uint64_t) *last, uint64_t seen, uint64_t began, uint64_t ended)
{
  const uint64_t win = began << 32 | ended;

  crew_expect(seen == 0 || ended >= (seen >> 32) + G);
  while (!atomic_compare_exchange_strong_explicit(last, &seen, win, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    /* The claims ran at once: either may have won first. */
    const uint64_t other_ended = (uint32_t)seen, other_began = seen >> 32;
    crew_expect(ended >= other_began + G || other_ended >= began + G);
    if (seen > win)
      return;
  }
}

/* All threads claim the same keys. */
static void claim(const crew_turn *turn)
{
  lfb_window *mine = turn->thread % 2 == 0 ? one : two;

  for (uint64_t i = 0; i < CREW_KEYS; i++) {
    const uint64_t key = 1000000000 + CREW_KEYS * turn->round + i;
    _Atomic(uint64_t) *last = &last_wins[turn->round][i];
    const uint64_t seen = atomic_load_explicit(last, memory_order_relaxed);
    const uint64_t began = lfb_window_generation(mine);
    if (i % 2 == 0 ? lfb_window_claim_u64(mine, key) : lfb_window_claim(mine, &key, sizeof key))
      note_win(last, seen, began, lfb_window_generation(mine));
  }
}

/* Time passes, two generations in all. */
static void tick(const crew_turn *turn)
{
  for (int i = 0; i < 8; i++) {
    atomic_fetch_add_explicit(&clock_now, LENGTH / 4, memory_order_relaxed);
    crew_expect_ok(lfb_window_tick(turn->thread % 2 == 0 ? one : two, NULL));
  }
}

/* One thread at a time may start and stop the clock. */
static void restart_clock(const crew_turn *turn)
{
  if (turn->thread != 0)
    return;
  lfb_window_stop_clock(one);
  crew_expect(lfb_window_start_clock(one) == (has_span ? LFB_OK : LFB_ERROR_BAD_SPAN));
}

static void advance(const crew_turn *turn)
{
  lfb_window *mine = turn->thread % 2 == 0 ? two : one;
  const uint64_t from = lfb_window_generation(mine);
  const lfb_status status = lfb_window_advance(mine, from);

  crew_expect(status == LFB_OK || status == LFB_ERROR_WRONG_GENERATION ||
              status == LFB_ERROR_WINDOW_HELD);
  crew_expect(status == LFB_ERROR_WINDOW_HELD || lfb_window_generation(mine) > from);
}

static void look(const crew_turn *turn)
{
  const lfb_any any = {LFB_KIND_WINDOW, {one}};
  const uint64_t began = lfb_window_generation(one);
  lfb_window_figures figures;

  (void)turn;
  lfb_window_stats(two, &figures);
  crew_expect(figures.generation >= began);
  crew_expect_ok(lfb_any_write(any, crew_discard, NULL));
}

/* ---- the windows ---------------------------------------------------------------- */

static void run(void)
{
  static const crew_act acts[] = {put_one_by_one, put_many, claim, tick, restart_clock, advance,
                                  look};
  const uint64_t first = lfb_window_generation(one);

  atomic_store(&kept, 0);
  for (size_t i = 0; i < CREW_ROUNDS * CREW_KEYS; i++)
    atomic_store(&last_wins[0][i], 0);
  crew_run(acts, sizeof acts / sizeof acts[0]);
  crew_expect(lfb_window_generation(two) > first + 2 * G);
  crew_expect(atomic_load(&kept) > 1000);
  /* By insertions, those that come while an advance is held up make absent keys be found. */
  for (size_t i = 0; i < CREW_ROUNDS * CREW_KEYS && has_span; i++)
    crew_expect(atomic_load(&last_wins[0][i]) != 0);
}

static void run_in_memory(const lfb_window_config *config)
{
  crew_expect_ok(lfb_window_create(config, &one));
  two = one;
  has_span = config->span > 0;
  run();
  lfb_window_free(one); /* stops its clock */
}

static void run_mapped(const lfb_window_config *config)
{
  char *path = crew_path("window");
  lfb_any opened;

  crew_expect_ok(lfb_window_mapped_create(path, config, &one));
  crew_expect_ok(lfb_any_open(path, LFB_KIND_WINDOW, LFB_OPEN_SHARED, NULL, &opened));
  two = opened.window;
  run();
  lfb_window_free(one);
  lfb_window_free(two);
  free(path);
}

int main(void)
{
  lfb_window_config config = {.expected_insertions = 60000, .fpp = 1e-9, .generations = G,
                              .span = (double)G * (double)LENGTH / 1e9, .seed = 1};

  run_in_memory(&config);
  run_mapped(&config);
  config.span = 0;
  config.by_insertions = true;
  config.expected_insertions = 3000;
  run_in_memory(&config);
  return crew_end();
}
