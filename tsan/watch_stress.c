/*
 * watch_stress.c - a filter fills while all threads poll its watch, report to it, rearm it and
 * read its text.
 */
#include <lfbloom/watch.h>
#include <stdatomic.h>

#include "tsan/crew.h"

static lfb_filter *filter;
static lfb_watch *watch;
static _Atomic(unsigned) told;

static void crossed(void *context, lfb_watch_limit limit, const lfb_stats *stats)
{
  (void)limit;
  atomic_fetch_add_explicit((_Atomic(unsigned) *)context, 1, memory_order_relaxed);
  crew_expect(stats->bits_set > 0);
}

static void fill(const crew_turn *turn)
{
  for (uint64_t i = 0; i < CREW_KEYS; i++) {
    (void)lfb_filter_put_u64(filter, turn->first + i);
    if (i % 50 == 0)
      (void)lfb_watch_poll(watch);
  }
}

static void report(const crew_turn *turn)
{
  (void)turn;
  for (uint64_t i = 0; i < CREW_KEYS; i++) {
    lfb_watch_report_answers(watch, 1, 1);
    lfb_watch_report_false_positive(watch);
  }
}

static void look(const crew_turn *turn)
{
  const lfb_watch *watches[] = {watch};
  lfb_watch_figures figures;

  (void)turn;
  for (int i = 0; i < 20; i++) {
    lfb_watch_stats(watch, &figures);
    crew_expect(figures.false_positives <= figures.maybe);
    crew_expect_ok(lfb_watch_prometheus(watches, 1, crew_discard, NULL));
  }
}

static void rearm(const crew_turn *turn)
{
  (void)turn;
  (void)lfb_watch_crossed(watch);
  lfb_watch_rearm(watch, LFB_WATCH_FILL | LFB_WATCH_EXPECTED_FPP);
}

int main(void)
{
  static const crew_act acts[] = {fill, report, look, rearm};
  const lfb_config config = {.expected_insertions = 2000, .fpp = 0.01, .seed = 1};
  const lfb_watch_config limits = {
      .fill = 0.1, .expected_fpp = 0.001, .crossed = crossed, .context = &told, .name = "stress"};
  lfb_watch_figures figures;

  crew_expect_ok(lfb_filter_create(&config, &filter));
  crew_expect_ok(lfb_watch_create(filter, &limits, &watch));
  crew_run(acts, sizeof acts / sizeof acts[0]);
  (void)lfb_watch_poll(watch);
  crew_expect(atomic_load(&told) >= 2);
  lfb_watch_stats(watch, &figures);
  crew_expect(figures.maybe == (uint64_t)CREW_ROUNDS * CREW_KEYS * crew_size());
  lfb_watch_free(watch);
  lfb_filter_free(filter);
  return crew_end();
}
