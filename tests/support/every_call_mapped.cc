// every_call_mapped.cc - rows of every_call.h: filters, growing filters and windows in mapped
// files.
#include "tests/support/every_things.h"

namespace every {
namespace {

// The results of mapping a file. open(): without unnamed files one with a name is made, and the
// folder is opened to sync it.
const Otherwise kMapped = {
    {"mmap", {LFB_ERROR_MAP, LFB_ERROR_NO_MEMORY}},
    {"open", {LFB_OK, LFB_ERROR_OPEN, LFB_ERROR_SYNC}},
    {"lstat", {LFB_OK}},
    // closing checks whether the descriptor still is the file's
    {"fstat", {LFB_OK, LFB_ERROR_OPEN, LFB_ERROR_MAP}},
};

const Otherwise kSynced = {{"fstat", {LFB_ERROR_TRUNCATED}},
                           {"stat", {LFB_ERROR_REPLACED}},
                           {"open", {LFB_ERROR_SYNC}}};

// A file that was made is whole, one that was not does not exist.
template <auto output>
void MadeFile(Things& t) {
  EXPECT_EQ(std::filesystem::exists(t.new_path), t.status == LFB_OK);
  Made<output>(t);
  NoNewFile(t);
}

void Open(Things& t) {
  EXPECT_EQ(lfb_mapped_open(t.mapped_path.c_str(), nullptr, &t.own.filter), LFB_OK);
}
void OpenGrowing(Things& t) {
  EXPECT_EQ(any::open_shared(t.growing_path.c_str(), nullptr, &t.own.growing), LFB_OK);
}

// The output may not be changed.
void Seen(Things& t) {
  if (t.status != LFB_OK) return;
  EXPECT_TRUE(HasKey(t.out.any));
  lfb_any_free(t.out.any);
  Reset(&t.out.any);
}

void AddMappedFilters(Rows* rows) {
  Add(rows, {
    ROW(lfb_mapped_create, t.new_path.c_str(), &t.config, &t.out.filter)
        .Sizing()
        .Fails(12, kMapped)
        .Before(NoNewFile)
        .After(MadeFile<&Outputs::filter>)
        .Takes(&Things::config),
    ROW(lfb_mapped_open, t.mapped_path.c_str(), &t.limits, &t.out.filter)
        .Fails(8, kMapped)
        .After(Holds<&Outputs::filter>)
        .Takes(&Things::limits),
    ROW(lfb_mapped_open_read_only, t.mapped_path.c_str(), &t.limits, &t.out.seen)
        .Fails(8, kMapped)
        .After(Holds<&Outputs::seen>)
        .Takes(&Things::limits),
    ROW(lfb_mapped_verify, t.mapped),
    ROW(lfb_mapped_sync, t.mapped).Fails(4, kSynced),
    ROW(lfb_mapped_sync, t.own.filter).Fails(4, kSynced).Before(Open),
    FREE(lfb_mapped_close, filter)
        .Fails(0, kContinues)
        .Before(Open),
    ROW(lfb_filter_stats, t.mapped, &t.out.stats).After(Filled<&Outputs::stats>),
    MANY(lfb_filter_many, t.mapped, LFB_PUT),
  });
}

void AddMappedGrowings(Rows* rows) {
  Add(rows, {
    ROW(lfb_growing_mapped_create, t.new_path.c_str(), &t.config, &t.out.growing)
        .Sizing()
        .Fails(15, kMapped)
        .Before(NoNewFile)
        .After(MadeFile<&Outputs::growing>)
        .Takes(&Things::config),
    ROW(lfb_any_open, t.growing_path.c_str(), LFB_KIND_GROWING, LFB_OPEN_SHARED, &t.limits,
        &t.out.any)
        .Fails(12, kMapped)
        .After(Holds<&Outputs::any>)
        .Takes(&Things::limits),
    ROW(lfb_any_open, t.growing_path.c_str(), LFB_KIND_GROWING, LFB_OPEN_IN_PLACE, &t.limits,
        &t.out.any)
        .Fails(14, kMapped)
        .After(Seen)
        .Takes(&Things::limits),
    ROW(lfb_any_sync, any::of(t.growing_mapped)).Fails(10, kSynced),
    ROW(lfb_any_sync, any::of(t.own.growing)).Fails(10, kSynced).Before(OpenGrowing),
    FREE(lfb_growing_free, growing)
        .Fails(0, kContinues)
        .Before(OpenGrowing),
    ROW(lfb_growing_stats, t.growing_mapped, &t.out.growing_figures)
        .After(Filled<&Outputs::growing_figures>),
    MANY_ANY(t.growing_mapped, LFB_MIGHT_CONTAIN),
  }, [](Row& row) { row.For(kGrowing); });
  Add(rows, {MANY_ANY(t.growing_mapped, LFB_PUT)}, [](Row& row) { row.Sizing().For(kGrowing); });
}

// What is at the lock's descriptor is looked at.
const Otherwise kNoLock = {{"fstat", {LFB_ERROR_OPEN}}};

void SharedKey(Things& t) { lfb_window_put_u64(t.window_mapped.get(), kKey); }
void OpenWindow(Things& t) {
  EXPECT_EQ(any::open_shared(t.window_mapped_path.c_str(), nullptr, &t.own.window), LFB_OK);
}

void AddMappedWindows(Rows* rows) {
  Add(rows, {
    ROW(lfb_window_mapped_create, t.new_path.c_str(), &t.window_config, &t.out.window)
        .Sizing()
        .Fails(12, kMapped)
        .Before(NoNewFile)
        .After(MadeFile<&Outputs::window>)
        .Takes(&Things::window_config),
    ROW(lfb_any_open, t.window_mapped_path.c_str(), LFB_KIND_WINDOW, LFB_OPEN_SHARED, &t.limits,
        &t.out.any)
        .Fails(8, kMapped)
        .Before(SharedKey)
        .After(Holds<&Outputs::any>)
        .Takes(&Things::limits),
  });
  if (!WindowsAreShared()) return;
  Add(rows, {
    ROW(lfb_any_sync, Any(t.window_mapped)).Fails(4, kSynced),
    ROW(lfb_any_sync, any::of(t.own.window)).Fails(4, kSynced).Before(OpenWindow),
    FREE(lfb_window_free, window)
        .Fails(0, kContinues)
        .Before(OpenWindow),
    ROW(lfb_window_advance, t.window_mapped.get(), lfb_window_generation(t.window_mapped.get()))
        .Fails(1, kNoLock),
    ROW(lfb_window_tick, t.window_mapped.get(), &t.out.ended).After(Ended<0>),
    ROW(lfb_window_tick, t.window_mapped.get(), &t.out.ended)
        .Fails(1, kNoLock).Before(STEP(EndAll(t.window_mapped))).After(Ended<4>),
    ROW(lfb_window_start_clock, t.window_mapped.get())
        .Fails(3, kNoLock)
        .After(STEP(lfb_window_stop_clock(t.window_mapped.get()))),
    ROW(lfb_window_stats, t.window_mapped.get(), &t.out.window_figures)
        .After(Filled<&Outputs::window_figures>),
    MANY_ANY(t.window_mapped.get(), LFB_PUT),
    MANY_ANY(t.window_mapped.get(), LFB_CLAIM),
    MANY_ANY(t.window_mapped.get(), LFB_MIGHT_CONTAIN),
  });
}

}  // namespace

void AddMapped(Rows* rows) {
  AddMappedFilters(rows);
  AddMappedGrowings(rows);
  AddMappedWindows(rows);
}

}  // namespace every
