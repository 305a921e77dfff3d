// every_call_kinds.cc - rows of every_call.h: counting filters, windows and growing filters.
#include "tests/support/every_things.h"

namespace every {

// What lfbloom/any.h does with an object.
#define ANY(object, bytes_, path)                                                                  \
  ROW(lfb_any_write, Any(object), AppendTo, &t.written).Fails(1),                                  \
  ROW(lfb_any_read, Source::Read, &t.source, LFB_KIND_NONE, &t.limits, &t.out.any).Fails(5)        \
      .Before(STEP(t.source = Source{t.bytes_, 4096})).After(Holds<&Outputs::any>)                 \
      .Takes(&Things::limits),                                                                     \
  ROW(lfb_any_save, Any(object), t.new_path.c_str()).Fails(8, kSaved)                              \
      .Before(NoNewFile).After(Saved<&Outputs::any, LoadAny>),                                     \
  ROW(lfb_any_open, t.path.c_str(), LFB_KIND_NONE, LFB_OPEN_COPY, &t.limits, &t.out.any).Fails(7)  \
      .After(Holds<&Outputs::any>).Takes(&Things::limits),                                         \
  ROW(lfb_any_stats, Any(object), &t.out.figures).After(Filled<&Outputs::figures>),                \
  ROW(lfb_any_plan, Any(object), &t.out.figures).After(Filled<&Outputs::figures>),                 \
  ROW(lfb_any_sync, Any(object)).Returns(LFB_ERROR_NOT_MAPPED),                                    \
  MANY_WITH(lfb_any_many, t.keys, Any(object), LFB_MIGHT_CONTAIN),                                 \
  MANY_WITH(lfb_any_many_u64, t.numbers, Any(object), LFB_MIGHT_CONTAIN)

// ---- counting filters ---------------------------------------------------------------------

namespace {

// Empty, so that no counter is at its most: each key can be removed.
void NewCounting(Things& t) { t.counting = Count(t.seeded); }

}  // namespace

void AddCounting(Rows* rows) {
  Add(rows, {
    TWO(lfb_counting_put, t.counting.get()),
    YES_TWO(lfb_counting_might_contain, lfb_counting_put, t.counting.get()),
    YES_TWO(lfb_counting_remove, lfb_counting_put, t.counting.get()),
  });
  Add(rows, {MANY_ANY(t.counting.get(), LFB_PUT)}, [](Row& row) { row.Before(NewCounting); });
  Add(rows, {MANY_ANY(t.counting.get(), LFB_MIGHT_CONTAIN),
             MANY_ANY(t.counting.get(), LFB_REMOVE)},
      [](Row& row) {
        row.Before(STEP(NewCounting(t), PUT_ANY(t.counting.get()))).After(All);
      });
  Add(rows, {
    ROW(lfb_counting_create, &t.config, &t.out.counting).Takes(&Things::config),
    ROW(lfb_counting_create, &t.large, &t.out.counting).Takes(&Things::large),
  }, [](Row& row) { row.Sizing().Fails(6, kPopulated).After(Made<&Outputs::counting>); });
  Add(rows, {
    ROW(lfb_any_to_plain, Any(t.counted), &t.out.filter),
    ROW(lfb_any_to_plain, Any(t.big_counted), &t.out.filter),
  }, [](Row& row) { row.Fails(4, kPopulated).After(Holds<&Outputs::filter>); });
  Add(rows, {
    ROW(lfb_any_copy, Any(t.counted), &t.out.any).Fails(4, kPopulated).After(Holds<&Outputs::any>),
    ROW(lfb_counting_put_all, t.counting.get(), t.counted.get()),
    ROW(lfb_counting_stats, t.counted.get(), &t.out.stats).After(Filled<&Outputs::stats>),
    FREE(lfb_counting_free, counting)
        .Before(STEP(t.own.counting = Count(t.config).release())),
  });
}

// ---- windows ------------------------------------------------------------------------------

namespace {

void NextGeneration(Things& t) { Advance(t.window); }

void WindowKey(Things& t) { lfb_window_put_u64(t.window.get(), kKey); }

void StopClock(Things& t) { lfb_window_stop_clock(t.window.get()); }

void WindowFilled(Things& t) {
  if (t.status != LFB_OK) return;
  for (const lfb_window_generation_figures& live : t.out.window_figures.live) ExpectZero(live);
  ExpectFilled(&t.out.window_figures);
}

void AddClock(Rows* rows) {
  Add(rows, {
    ROW(lfb_window_generation, t.window.get()),
    ROW(lfb_window_advance, t.window.get(), lfb_window_generation(t.window.get())).Fails(0),
    ROW(lfb_window_tick, t.window.get(), &t.out.ended).After(Ended<0>),
    ROW(lfb_window_tick, t.window.get(), &t.out.ended)
        .Before(STEP(EndAll(t.window))).After(Ended<4>),
    ROW(lfb_window_start_clock, t.window.get()).Fails(2).After(StopClock),
    ROW(lfb_window_stop_clock, t.window.get()),
    Row("lfb_window_stop_clock", StopClock)
        .Fails(0, kContinues)
        .Before(STEP(EXPECT_EQ(lfb_window_start_clock(t.window.get()), LFB_OK))),
    Row("lfb_window_start_clock lfb_window_stop_clock", +[](Things& t) {
      const lfb_status status = lfb_window_start_clock(t.window.get());
      lfb_window_stop_clock(t.window.get());
      return status;
    }).Fails(2),
  });
}

}  // namespace

void AddWindow(Rows* rows) {
  Add(rows, {
                TWO(lfb_window_put, t.window.get()),
                TWO(lfb_window_claim, t.window.get()),
                YES_TWO(lfb_window_might_contain, lfb_window_put, t.window.get()),
            });
  Add(rows, {MANY_ANY(t.window.get(), LFB_PUT), MANY_ANY(t.window.get(), LFB_CLAIM)},
      [](Row& row) { row.Before(NextGeneration); });
  Add(rows, {MANY_ANY(t.window.get(), LFB_MIGHT_CONTAIN)}, [](Row& row) {
    row.Before(STEP(PUT_ANY(t.window.get()))).After(All);
  });
  AddClock(rows);
  Add(rows, {
    ROW(lfb_window_create, &t.window_config, &t.out.window).Takes(&Things::window_config),
    ROW(lfb_window_create, &t.window_large, &t.out.window).Takes(&Things::window_large),
  }, [](Row& row) { row.Sizing().Fails(4, kPopulated).After(Made<&Outputs::window>); });
  Add(rows, {
    FREE(lfb_window_free, window)
        .Before(STEP(t.own.window = MakeWindow(t.window_config).release())),
    ROW(lfb_window_config_plan, &t.window_seeded, &t.out.window_figures)
        .Sizing()
        .After(WindowFilled)
        .Takes(&Things::window_seeded),
    ROW(lfb_window_stats, t.window.get(), &t.out.window_figures).After(WindowFilled),
  });
}

// ---- growing filters ----------------------------------------------------------------------

namespace {

void NewGrowing(Things& t) { t.growing = MakeGrowing(t.seeded); }
void DropGrowing(Things& t) { t.growing.reset(); }
void Resettle(Things& t) { t.settled = Copy(t.fresh); }

// Each way to put; keys that are new each time.
void GrowBy(lfb_growing* growing, uint64_t first) {
  const uint64_t key = first;
  const lfb_key bytes = {&key, sizeof key};
  lfb_growing_put(growing, &key, sizeof key);
  lfb_growing_put_u64(growing, first);
  lfb_growing_claim(growing, &first, 3);
  lfb_growing_claim_u64(growing, first + 1);
  any::put_many(growing, &bytes, 1, nullptr);
  any::put_many(growing, &key, 1, nullptr);
  any::claim_many(growing, &bytes, 1, nullptr);
  any::claim_many(growing, &key, 1, nullptr);
}

uint64_t Lost(lfb_growing* growing, uint64_t key) {
  const lfb_key bytes = {&key, sizeof key};
  return !lfb_growing_might_contain(growing, &key, sizeof key) +
         !lfb_growing_might_contain_u64(growing, key) +
         !any::might_contain_many(growing, &bytes, 1, nullptr) +
         !any::might_contain_many(growing, &key, 1, nullptr);
}

// Puts until there are three layers, or would be.
void Grow(Things& t) {
  for (uint64_t i = 0; i < 2 * kFew; i += 2) GrowBy(t.own.growing, i);
}

// No key is lost, and the next put finds memory again.
void Grown(Things& t) {
  uint64_t lost = 0;
  for (uint64_t i = 0; i < 2 * kFew; i += 2) lost += Lost(t.own.growing, i);
  EXPECT_EQ(lost, 0u);
  for (uint64_t i = 2 * kFew; i < 4 * kFew; i += 2) GrowBy(t.own.growing, i);
  lfb_growing_figures figures;
  lfb_growing_stats(t.own.growing, &figures);
  EXPECT_EQ(figures.stuck, LFB_OK);
}

// Only some strategies have such a filter.
void MaybeMade(Things& t) {
  if (!Untouched(t.out.filter)) Made<&Outputs::filter>(t);
}

void AddPuts(Rows* rows) {
  Add(rows, {
    TWO(lfb_growing_put, t.growing.get()),
    TWO(lfb_growing_claim, t.growing.get()),
    MANY_ANY(t.growing.get(), LFB_PUT),
    MANY_ANY(t.growing.get(), LFB_CLAIM),
  }, [](Row& row) { row.Sizing().Before(NewGrowing).After(DropGrowing); });
  Add(rows, {
    TWO(lfb_growing_put, t.settled.get()),
    TWO(lfb_growing_claim, t.settled.get()),
    YES_TWO(lfb_growing_might_contain, lfb_growing_put, t.settled.get()),
  });
  Add(rows, {MANY_ANY(t.settled.get(), LFB_PUT), MANY_ANY(t.settled.get(), LFB_CLAIM)},
      [](Row& row) { row.Before(Resettle); });
  Add(rows, {MANY_ANY(t.settled.get(), LFB_MIGHT_CONTAIN)}, [](Row& row) {
    row.Before(STEP(Resettle(t), PUT_ANY(t.settled.get()))).After(All);
  });
  Add(rows, {Row("lfb_growing_put lfb_growing_claim", Grow)
                 .Sizing()
                 .Fails(0, kContinues)
                 .Before(STEP(t.own.growing = MakeGrowing(t.config).release()))
                 .After(Grown)});
}

}  // namespace

void AddGrowing(Rows* rows) {
  const size_t first = rows->size();
  AddPuts(rows);
  Add(rows, {
    ROW(lfb_growing_create, &t.config, &t.out.growing)
        .Sizing()
        .Fails(6)
        .After(Made<&Outputs::growing>)
        .Takes(&Things::config),
    ROW(lfb_any_copy, Any(t.settled), &t.out.any).Fails(4, kPopulated).After(Holds<&Outputs::any>),
    FREE(lfb_growing_free, growing)
        .Before(STEP(t.own.growing = MakeGrowing(t.config).release())),
    ROW(lfb_growing_stuck, t.settled.get()),
    ROW(lfb_growing_stats, t.settled.get(), &t.out.growing_figures)
        .After(Filled<&Outputs::growing_figures>),
    ROW(lfb_any_to_plain, Any(t.sbbf_growing), &t.out.filter)
        .Fails(4, kPopulated)
        .After(Holds<&Outputs::filter>),
    Row("lfb_any_to_plain", CALL(lfb_ignore(lfb_any_to_plain(Any(t.settled), &t.out.filter))))
        .Fails(0, kContinues)
        .After(MaybeMade),
  });
  for (size_t i = first; i < rows->size(); i++) (*rows)[i].For(kGrowing);
}

// ---- filters of any kind --------------------------------------------------------------------

void AddAny(Rows* rows) {
  const size_t before = rows->size();
  Add(rows, {ANY(t.window, window_bytes, window_path)});
  (*rows)[before].Before(WindowKey);  // of earlier generations there is nothing left
  Add(rows, {ANY(t.filter, native, native_path), ANY(t.counted, counted_bytes, counted_path)});
  Add(rows, {ANY(t.settled, grown_bytes, grown_path)}, [](Row& row) { row.For(kGrowing); });
  Add(rows, {
    MANY_WITH(lfb_any_many, t.keys, Any(t.counting), LFB_PUT),
    MANY_WITH(lfb_any_many_u64, t.numbers, Any(t.counting), LFB_PUT),
    MANY_WITH(lfb_any_many, t.keys, Any(t.window), LFB_CLAIM),
    MANY_WITH(lfb_any_many_u64, t.numbers, Any(t.window), LFB_CLAIM),
    Row("lfb_any_free",
        CALL(lfb_any_free({LFB_KIND_COUNTING, {t.own.counting}}), t.own.counting = nullptr,
                             LFB_OK))
        .Before(STEP(t.own.counting = Count(t.config).release())),
  });
}

}  // namespace every
