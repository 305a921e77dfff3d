// shim.cc - shim.h over Google Benchmark: the clock, the counters, and what is done about a busy
// machine.
#include "bench/shim.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/busy.h"

namespace {

constexpr int kMostTries = 10;      // of rows that others disturbed
constexpr int kQuietLooks = 20;     // half seconds to wait for them
constexpr size_t kMostAgain = 100;  // rows in one expression: std::regex has a limit

// ---- the rows ---------------------------------------------------------------------

struct Row {
  lfb_bench_row given;
  std::string key;                       // NAME/threads:N
  std::map<std::string, double> limits;  // keys of rows, and their shares
};

std::deque<Row> rows;
std::set<std::string> keys;  // of all rows

std::string KeyOf(const std::string& name, int64_t threads) {
  return name + "/threads:" + std::to_string(threads);
}

// The third part of a name.
std::string SizeOf(const std::string& name) {
  const size_t first = name.find('/', name.find('/') + 1) + 1;
  return name.substr(first, name.find('/', first) - first);
}

// An expression that matches these rows under Google Benchmark's names.
std::string FilterOf(const std::set<std::string>& wanted) {
  std::string filter = "^(-";
  for (const std::string& key : wanted) {
    const size_t name = key.rfind('/');
    filter += "|" + key.substr(0, name) + "/(iterations:[0-9]+/)?manual_time" + key.substr(name);
  }
  return filter + ")$";
}

// ---- the clock --------------------------------------------------------------------

// A thread's part of the running benchmark, on lines of its own.
struct alignas(64) Lap {
  benchmark::IterationCount warm_up = 0;  // operations left of it
  bool entered = false;                   // the loop
  double start = 0, end = 0;
};

std::array<Lap, LFB_BENCH_MOST_THREADS> laps;
double paused, paused_at;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Seconds from the first thread's start to the last one's end.
double Wall(int threads) {
  Lap all = laps[0];
  for (int i = 1; i < threads; i++) {
    all.start = std::min(all.start, laps[i].start);
    all.end = std::max(all.end, laps[i].end);
  }
  return all.end - all.start - paused;
}

benchmark::State& Real(lfb_bench_state* state) {
  return *reinterpret_cast<benchmark::State*>(state);
}

const benchmark::State& Real(const lfb_bench_state* state) {
  return *reinterpret_cast<const benchmark::State*>(state);
}

// Takes one more batch for the warm-up, or starts the clock: that batch, which Google Benchmark has
// counted, is then the first that is timed.
void WarmUp(benchmark::State& state, Lap& lap, benchmark::IterationCount batch) {
  lap.warm_up -= std::min(lap.warm_up, batch);
  if (lap.warm_up > 0) return;
  state.ResumeTiming();
  if (state.threads() == 1) paused = 0;  // rows of more threads pause only if they do not warm up
  lap.start = Now();
}

bool Enter(benchmark::State& state, Lap& lap, benchmark::IterationCount batch) {
  if (!state.KeepRunningBatch(batch)) return false;
  lap.entered = true;
  if (lap.warm_up > 0) state.PauseTiming();
  lap.start = Now();
  return true;
}

// ---- what a run has found ---------------------------------------------------------

struct {
  bool looking;                      // which rows are selected; nothing is measured
  bool busy_before, busy_during;     // a busy machine does not matter
  bool stopped;                      // it stays busy
  bool failed;                       // a row did
  std::set<std::string> selected;    // while looking
  std::set<std::string> needed;      // limits, while looking
  std::set<std::string> unjudged;    // rows since the last judgement of the machine
  std::set<std::string> again;       // rows to be run again
  std::map<std::string, double> ns;  // what was measured
} run;

// The time of a row's limit.  0: it has none.  If it is not measured yet the row runs again.
double LimitOf(const Row& row) {
  double limit = 0;
  for (const auto& [key, share] : row.limits) {
    if (keys.count(key) == 0) return 0;
    const auto measured = run.ns.find(key);
    if (measured == run.ns.end())
      run.again.insert(row.key);
    else
      limit += share * measured->second;
  }
  return limit;
}

void Count(const Row& row, benchmark::State& state) {
  const double ns = 1e9 * Wall(state.threads()) /
                    (static_cast<double>(state.iterations()) * state.threads());
  const double limit = LimitOf(row);
  run.ns[row.key] = ns;
  state.counters["ns_per_key"] = ns;
  if (limit > 0) state.counters["ratio"] = ns / limit;
  if (row.given.bits_per_key > 0) state.counters["bits_per_key"] = row.given.bits_per_key;
}

bool WaitForQuiet() {
  for (int i = 0; i < kQuietLooks; i++)
    if (lfb_busy_begin(false)) return true;
  return false;
}

// Judges the machine since the last judgement; what others disturbed runs again.
void Judge(const Row& row) {
  if (run.busy_during) return;
  run.unjudged.insert(row.key);
  const lfb_busy judged = lfb_busy_check();
  if (judged == LFB_BUSY_UNKNOWN) return;
  if (judged == LFB_BUSY_OTHERS) {
    for (const std::string& key : run.unjudged) run.ns.erase(key);
    run.again.insert(run.unjudged.begin(), run.unjudged.end());
    run.stopped = !WaitForQuiet();
  }
  run.unjudged.clear();
}

// Why the row is not run; NULL if it is.
const char* NotRun(const Row& row, const benchmark::State& state) {
  if (run.looking) return "only looked for";
  if (run.stopped) return "the machine is busy";
  const uint64_t fixed = row.given.iterations;
  if (fixed > 0 && static_cast<uint64_t>(state.max_iterations) != fixed)
    return "the number of iterations is fixed";  // so it does not warm up for longer
  return nullptr;
}

void LookAt(const Row& row) {
  run.selected.insert(row.key);
  for (const auto& [key, share] : row.limits)
    if (share > 0 && keys.count(key) > 0) run.needed.insert(key);
}

// A thread of a row.
void RunRow(const Row& row, benchmark::State& state) {
  const int thread = state.thread_index();
  if (const char* why = NotRun(row, state)) {
    if (run.looking && thread == 0) LookAt(row);
    state.SkipWithError(why);
    return;
  }
  laps[thread] = Lap();
  if (row.given.iterations == 0) laps[thread].warm_up = state.max_iterations / 5;
  if (thread == 0) paused = 0;
  row.given.body(reinterpret_cast<lfb_bench_state*>(&state), row.given.argument);
  if (!state.error_occurred()) {
    // Google Benchmark takes the mean of the threads' times.
    state.SetIterationTime(Wall(state.threads()));
    if (thread == 0) Count(row, state);
  }
  if (thread == 0) Judge(row);
}

// ---- the reporter -----------------------------------------------------------------

using Runs = std::vector<benchmark::BenchmarkReporter::Run>;

// Passes on what no other process disturbed, once the machine has been judged; to no reporter what
// is only looked for or only measured.
class Judged : public benchmark::BenchmarkReporter {
 public:
  explicit Judged(benchmark::BenchmarkReporter* to = nullptr) : to_(to) {}

  bool ReportContext(const Context& context) override {
    if (to_ != nullptr && !begun_ && !to_->ReportContext(context)) return false;
    begun_ = true;
    return true;
  }

  void ReportRuns(const Runs& runs) override {
    for (const Run& one : runs)
      if (one.error_occurred) Fail(one);
    held_.push_back(runs);
    Release();
  }

  // The end of a pass; the last rows took too little time to be judged.
  void Finalize() override {
    run.unjudged.clear();
    Release();
  }

  void Close() {
    if (begun_) to_->Finalize();
    to_->GetOutputStream().flush();
  }

 private:
  static std::string Key(const Run& one) { return KeyOf(one.run_name.function_name, one.threads); }

  // A row that fails does not run again.
  static void Fail(const Run& one) {
    if (run.looking || run.stopped) return;
    run.failed = true;
    run.again.erase(Key(one));
    run.ns[Key(one)] = 0;  // no row waits for it
    std::fprintf(stderr, "%s: %s\n", Key(one).c_str(), one.error_message.c_str());
  }

  void Release() {
    for (; !held_.empty(); held_.pop_front()) {
      const std::string key = Key(held_.front().front());
      if (run.unjudged.count(key) > 0) return;
      if (to_ == nullptr || run.stopped || run.again.count(key) > 0) continue;
      to_->ReportRuns(held_.front());
      to_->GetOutputStream().flush();
    }
  }

  benchmark::BenchmarkReporter* to_;
  std::deque<Runs> held_;
  bool begun_ = false;
};

// ---- the command line -------------------------------------------------------------

// What of the command line is not left to Google Benchmark.
struct Flags {
  bool help = false;
  std::vector<char*> others;
} flags;

void TakeFlag(char* argument) {
  const std::string text = argument;
  if (text == "--busy") {
    run.busy_before = run.busy_during = true;
  } else if (text == "--busy=begin") {
    run.busy_before = true;
  } else if (text.rfind("--benchmark_out", 0) == 0) {
    std::fprintf(stderr, "bench: there is no --benchmark_out; redirect the standard output\n");
    std::exit(2);
  } else {
    flags.help = flags.help || text == "--help";
    flags.others.push_back(argument);
  }
}

// Google Benchmark exits with 0 after it, whether help was asked for or a value is wrong.
void Help() {
  if (!flags.help) {
    std::fprintf(stderr, "bench: a flag has a wrong value; --help lists them\n");
    std::exit(2);
  }
  benchmark::PrintDefaultHelp();
  std::puts("          [--busy[=begin]]");
}

// Leaves Google Benchmark its flags; false if there are others.
bool TakeFlags(int argc, char** argv) {
  static char least[] = "--benchmark_min_time=0.1";
  flags.others = {argv[0], least};
  std::for_each(argv + 1, argv + argc, TakeFlag);
  int count = static_cast<int>(flags.others.size());
  flags.others.push_back(nullptr);
  benchmark::Initialize(&count, flags.others.data(), Help);
  return !benchmark::ReportUnrecognizedArguments(count, flags.others.data());
}

// The rows that the command line selects.  Not ".": for that expression, which stands for all rows,
// Google Benchmark 1.7 takes a time quadratic in their number.
std::string Selection() {
  const std::string filter = benchmark::GetBenchmarkFilter();
  return filter.empty() || filter == "all" ? "^." : filter;
}

// ---- the run ----------------------------------------------------------------------

void Register(const Row& row) {
  const std::string name = row.key.substr(0, row.key.rfind('/'));
  auto* made = benchmark::RegisterBenchmark(
      name.c_str(), [&row](benchmark::State& state) { RunRow(row, state); });
  made->UseManualTime()->Threads(static_cast<int>(row.given.threads));
  if (row.given.iterations > 0)
    made->Iterations(static_cast<benchmark::IterationCount>(row.given.iterations));
}

// Finds out which rows are selected and which limits they need, and keeps only these registered,
// since matching all names is slow.  False: there is nothing to measure, and *status is the exit
// status.
bool Look(int* status) {
  std::ostringstream listed;
  Judged reporter;
  reporter.SetOutputStream(&listed);
  run.looking = true;
  const size_t count = benchmark::RunSpecifiedBenchmarks(&reporter, Selection());
  run.looking = false;
  benchmark::ClearRegisteredBenchmarks();
  for (const Row& row : rows)
    if (run.selected.count(row.key) + run.needed.count(row.key) > 0) Register(row);
  if (!run.selected.empty()) return true;
  std::fputs(listed.str().c_str(), stdout);
  if (count > 0 && listed.str().empty())
    std::fprintf(stderr, "bench: --benchmark_repetitions must be at least 1\n");
  *status = count == 0 ? EXIT_FAILURE : listed.str().empty() ? 2
                                                             : EXIT_SUCCESS;
  return false;
}

// Runs the rows that a filter matches, those again that others disturbed.
void RunAll(const std::string& filter, Judged* reporter) {
  benchmark::RunSpecifiedBenchmarks(reporter, filter);
  for (int tries = 1; !run.again.empty() && !run.stopped; tries++) {
    run.stopped = tries == kMostTries;
    std::set<std::string> missing;
    missing.swap(run.again);
    while (!missing.empty() && !run.stopped) {
      const auto end = std::next(missing.begin(), std::min(kMostAgain, missing.size()));
      const std::string some = FilterOf({missing.begin(), end});
      missing.erase(missing.begin(), end);
      benchmark::RunSpecifiedBenchmarks(reporter, some);
    }
  }
}

// The limits that the selected rows need and that are not among them.
void RunLimits() {
  std::set<std::string> missing;
  std::set_difference(run.needed.begin(), run.needed.end(), run.selected.begin(),
                      run.selected.end(), std::inserter(missing, missing.end()));
  Judged unseen;
  if (!missing.empty()) RunAll(FilterOf(missing), &unseen);
}

int Measure() {
  auto* printer = benchmark::CreateDefaultDisplayReporter();
  Judged reporter(printer);

  RunLimits();
  if (!run.stopped) RunAll(Selection(), &reporter);
  reporter.Close();
  if (run.stopped) {
    lfb_busy_say();
    return 2;
  }
  const bool written = printer->GetOutputStream().good();
  if (!written) std::fprintf(stderr, "bench: the rows cannot be written\n");
  return run.failed || !written ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

void lfb_bench_register(const lfb_bench_row* row) {
  const std::string name = row->name;
  Row& kept = rows.emplace_back(Row{*row, KeyOf(name, row->threads), {}});
  keys.insert(kept.key);
  for (const lfb_bench_limit& limit : row->limits)
    if (limit.access != nullptr)
      kept.limits[KeyOf("limit/" + std::string(limit.access) + "/" + SizeOf(name), row->threads)] +=
          limit.share;
  Register(kept);
}

bool lfb_bench_keep_running(lfb_bench_state* state, uint64_t batch) {
  benchmark::State& real = Real(state);
  Lap& lap = laps[real.thread_index()];
  const auto count = static_cast<benchmark::IterationCount>(batch);
  if (!lap.entered) return Enter(real, lap, count);
  if (lap.warm_up > 0) {
    WarmUp(real, lap, count);
    return true;
  }
  lap.end = Now();
  return real.KeepRunningBatch(count);
}

void lfb_bench_pause() { paused_at = Now(); }
void lfb_bench_resume() { paused += Now() - paused_at; }
unsigned lfb_bench_thread(const lfb_bench_state* state) { return Real(state).thread_index(); }
unsigned lfb_bench_threads(const lfb_bench_state* state) { return Real(state).threads(); }
void lfb_bench_fail(lfb_bench_state* state, const char* why) { Real(state).SkipWithError(why); }

int lfb_bench_run(int argc, char** argv) {
  int status = 2;
  if (!TakeFlags(argc, argv) || !Look(&status)) return status;
  if (!run.busy_during && !lfb_busy_begin(run.busy_before)) {
    lfb_busy_say();
    return 2;
  }
  status = Measure();
  benchmark::Shutdown();
  return status;
}
