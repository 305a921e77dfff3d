// shim.cc - shim.h over Google Benchmark.
#include "bench/shim.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>

static benchmark::State& Real(lfb_bench_state* state) {
  return *reinterpret_cast<benchmark::State*>(state);
}

static const benchmark::State& Real(const lfb_bench_state* state) {
  return *reinterpret_cast<const benchmark::State*>(state);
}

// When a thread entered its loop, and when it was last in it.
struct alignas(64) Lap {
  bool entered;
  double start, end;
};

static std::array<Lap, LFB_BENCH_MOST_THREADS> laps;

// Seconds for which all threads paused, and when the last pause began.
static double paused, pause_start;

static Lap& Mine(const benchmark::State& state) { return laps.at(state.thread_index()); }

static double Now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Seconds from the first thread's start to the last one's end.  With more threads than
// processors the mean of the threads' own times would be shorter.
static double Wall(int threads) {
  Lap all = laps[0];
  for (int i = 1; i < threads; i++) {
    all.start = std::min(all.start, laps[i].start);
    all.end = std::max(all.end, laps[i].end);
  }
  return all.end - all.start - paused;
}

void lfb_bench_register(const lfb_bench_row* row) {
  const lfb_bench_row kept = *row;
  const auto run = [kept](benchmark::State& state) {
    Mine(state) = Lap();
    if (state.thread_index() == 0) paused = 0;  // no thread is in the loop yet
    auto* shown = reinterpret_cast<lfb_bench_state*>(&state);
    lfb_bench_report_yes(shown, 0);  // CSV needs the same counters in all rows
    kept.body(shown, kept.argument);
    // The loop's last turn was a barrier: all threads' laps are done, and visible.
    state.SetIterationTime(Wall(state.threads()));
    state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
  };
  auto* made = benchmark::RegisterBenchmark(row->name, run);
  made->UseManualTime()->Threads(static_cast<int>(row->threads));
  if (row->iterations > 0)
    made->Iterations(static_cast<benchmark::IterationCount>(row->iterations));
}

bool lfb_bench_keep_running(lfb_bench_state* state, uint64_t batch) {
  Lap& lap = Mine(Real(state));
  lap.end = Now();
  const bool more = Real(state).KeepRunningBatch(static_cast<benchmark::IterationCount>(batch));
  if (!lap.entered) lap.start = Now();
  lap.entered = true;
  return more;
}

void lfb_bench_pause() { pause_start = Now(); }

void lfb_bench_resume() { paused += Now() - pause_start; }

unsigned lfb_bench_thread(const lfb_bench_state* state) {
  return static_cast<unsigned>(Real(state).thread_index());
}

unsigned lfb_bench_threads(const lfb_bench_state* state) {
  return static_cast<unsigned>(Real(state).threads());
}

void lfb_bench_report_yes(lfb_bench_state* state, double share) {
  Real(state).counters["yes"] = benchmark::Counter(share, benchmark::Counter::kAvgThreads);
}

void lfb_bench_fail(lfb_bench_state* state, const char* why) { Real(state).SkipWithError(why); }

int lfb_bench_run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const auto run = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return run > 0 ? 0 : 1;
}
