// shim.cc - the one C++ file of the benchmarks: shim.h over Google Benchmark.
#include "bench/shim.h"

#include <benchmark/benchmark.h>

static benchmark::State& Real(lfb_bench_state* state) {
  return *reinterpret_cast<benchmark::State*>(state);
}

static const benchmark::State& Real(const lfb_bench_state* state) {
  return *reinterpret_cast<const benchmark::State*>(state);
}

void lfb_bench_register(const lfb_bench_row* row) {
  const lfb_bench_row kept = *row;
  const auto run = [kept](benchmark::State& state) {
    kept.body(reinterpret_cast<lfb_bench_state*>(&state), kept.argument);
    state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
  };
  auto* made = benchmark::RegisterBenchmark(row->name, run);
  made->UseRealTime()->Threads(static_cast<int>(row->threads));
  if (row->iterations > 0)
    made->Iterations(static_cast<benchmark::IterationCount>(row->iterations));
}

bool lfb_bench_keep_running(lfb_bench_state* state, uint64_t batch) {
  return Real(state).KeepRunningBatch(static_cast<benchmark::IterationCount>(batch));
}

void lfb_bench_pause(lfb_bench_state* state) { Real(state).PauseTiming(); }

void lfb_bench_resume(lfb_bench_state* state) { Real(state).ResumeTiming(); }

unsigned lfb_bench_thread(const lfb_bench_state* state) {
  return static_cast<unsigned>(Real(state).thread_index());
}

unsigned lfb_bench_threads(const lfb_bench_state* state) {
  return static_cast<unsigned>(Real(state).threads());
}

void lfb_bench_report(lfb_bench_state* state, const char* name, double value) {
  Real(state).counters[name] = benchmark::Counter(value, benchmark::Counter::kAvgThreads);
}

void lfb_bench_fail(lfb_bench_state* state, const char* why) { Real(state).SkipWithError(why); }

int lfb_bench_run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const auto run = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return run > 0 ? 0 : 1;
}
