// `lfbloom dedupe` without -p prints what a loop over the lines prints: by a table, by two reads,
// and with so little memory that temporary files decide.  If it fails, what it has printed is the
// beginning of that, and no file stays.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <regex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tests/cli/exact_run.h"
#include "tests/support/await.h"
#include "tests/support/calls.h"
#include "tests/support/race.h"

extern "C" {
#include "cli/base/usable.h"
#include "cli/filters/target.h"
}

namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kMuch = 1024 * kMiB;

// ---- The reference ------------------------------------------------------------------

// The last one may lack its end.
std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size(); at += lines.back().size() + 1)
    lines.push_back(text.substr(at, std::min(text.find('\n', at), text.size()) - at));
  return lines;
}

// What is printed of these lines, and how.
struct Wanted {
  int which = 0;  // enum exact_which
  bool numbered = false;
  int bad_lines = 0;  // enum keys_bad: what becomes of kBad
};
const std::string kBad = "no JSON";

struct Model {
  std::string kept;
  uint64_t in = 0, out = 0, repeated = 0, bad = 0;
  size_t refused = 0;  // the number of the bad line that ends it
};

// `seen` has the lines of earlier runs; these are then in it.
Model ModelOf(const std::string& text, Wanted wanted, std::unordered_set<std::string>* seen) {
  Model model;
  std::vector<std::string> lines = LinesOf(text);
  std::unordered_map<std::string, uint64_t> times;
  for (size_t i = 0; i < lines.size(); i++)
    if (lines[i] != kBad) {
      model.repeated += ++times[lines[i]] == 2;
    } else if (wanted.bad_lines == 0) {
      model.refused = i + 1;
      lines.resize(i);
    }
  for (const std::string& line : lines) {
    const bool bad = line == kBad;
    model.bad += bad;
    model.in += !bad;
    if (bad && wanted.bad_lines == 2) continue;
    const uint64_t n = times[line];
    if (!bad && (wanted.which == 2 ? n > 1
                                   : !seen->insert(line).second || (wanted.which == 1 && n == 1)))
      continue;
    char number[32] = "";
    if (wanted.numbered)
      snprintf(number, sizeof number, "%7llu ", static_cast<unsigned long long>(n));
    model.kept += number + line + '\n';
    model.out += !bad;
  }
  return model;
}
Model ModelOf(const std::string& text, Wanted wanted = {}) {
  std::unordered_set<std::string> seen;
  return ModelOf(text, wanted, &seen);
}
// The new lines of `text`.
std::string NewOnes(const std::string& text, std::unordered_set<std::string>* seen) {
  return ModelOf(text, {}, seen).kept;
}

// ---- Inputs -------------------------------------------------------------------------

template <typename Line>
std::string Lines(size_t count, Line line) {
  std::string text;
  for (size_t i = 0; i < count; i++) text += line(i) + '\n';
  return text;
}

std::string Number(uint64_t number) { return "line " + std::to_string(number); }
std::string Json(uint64_t number) { return "{\"id\":" + std::to_string(number) + "}"; }

// Lines of one kind in one order.  `most` is the largest number of them.
std::string SomeText(std::mt19937_64* random, size_t most, bool jsonl) {
  const auto below = [random](uint64_t end) { return (*random)() % end; };
  const size_t few = below(2) == 0 ? below(5) : below(300);
  const size_t count = below(3) == 0 ? few : most - below(most / 2);
  const size_t distinct = 1 + (below(3) == 0 ? below(100) : count / 2 + below(count / 2 + 1));
  const uint64_t kind = below(6), order = below(5), times = below(9) == 0 ? 3 : 1;
  const uint64_t rare = 1 + below(30000);  // bad lines: one in so many
  std::string text;
  for (size_t i = 0; i < count; i++) {
    const double part = static_cast<double>(below(1 << 20)) / (1 << 20);
    const uint64_t number =
        order == 0   ? i
        : order == 1 ? i % distinct
        : order == 2 ? (i < count / 2 ? i : count - i)
        : order == 3 ? static_cast<uint64_t>(part * part * part * static_cast<double>(distinct))
                     : below(distinct);
    std::string line = Number(number);
    if (jsonl)
      line = below(rare) == 0 ? kBad : Json(number);
    else if (kind == 0)
      line = {"ab\n\0\r"[below(5)], "ab\n\0\r"[below(5)], "ab\n\0\r"[below(5)]};
    else if (kind == 1)
      line.assign(below(3), '\r');
    else if (kind == 2 && i % 5000 == 0)
      line = std::string(1 << 20, static_cast<char>('A' + number % 2));
    else if (kind == 3)
      line += std::string("\0", 1) + line;
    for (uint64_t j = 0; j < times; j++, i += j < times) text += line + '\n';
  }
  if (!jsonl && below(2) == 0 && !text.empty()) text.pop_back();
  return text;
}

// ---- Runs ---------------------------------------------------------------------------

// A folder for a file and for temporary files, which must be empty afterwards.
class Folders {
 public:
  Folders() {
    std::string name = testing::TempDir() + "/exact.XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    temp_ = root_ + "/temp";
    input_ = root_ + "/input";
    std::filesystem::create_directory(temp_);
  }
  ~Folders() {
    EXPECT_TRUE(std::filesystem::is_empty(temp_)) << "a temporary file has a name";
    std::filesystem::remove_all(root_);
  }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;

  const std::string& File(const std::string& text) const {
    std::ofstream(input_, std::ios::binary) << text;
    return input_;
  }
  // This way of a pipe or of that file, with temporary files here.
  exact_way Reading(exact_way way, bool piped = false) const {
    way.temp = temp();
    way.path = piped ? nullptr : input_.c_str();
    return way;
  }
  const char* temp() const { return temp_.c_str(); }
  const std::string& root() const { return root_; }

 private:
  std::string root_, temp_, input_;
};

struct Outcome {
  int status = -1;  // of exit; -1: by a signal
  std::string output, errors;
  exact_figures figures{};
};

std::string ReadAll(int from) {
  std::string text;
  char buffer[1 << 16];
  ssize_t got;
  while ((got = read(from, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<size_t>(got));
  close(from);
  return text;
}

struct Pipe {
  int ends[2];
  Pipe() { EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0); }
};

void WriteAll(int to, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = write(to, text.data() + at, std::min<size_t>(text.size() - at, 50000));
    if (written <= 0) break;  // the reader has ended
    at += static_cast<size_t>(written);
  }
  close(to);
}

// Of the file that was synced last.
void NoteCalls(const calls::Report& report, exact_figures* figures) {
  int file = -1;
  std::string made;
  for (const calls::Call& call : report.made)
    if (call.name == std::string("fsync")) file = call.file;
  for (const calls::Call& call : report.made)
    for (const auto& [name, letter] :
         {std::pair{"pwrite", 'w'}, {"fsync", 's'}, {"ftruncate", 't'}})
      if (call.file == file && call.name == std::string(name)) made += letter;
  made.copy(figures->calls, sizeof figures->calls - 1);
}

// Runs it in a process of its own.  If `input` is given, it is standard input.  `prepare` runs in
// the process first; `meet` gets the process and the end of its standard output, which it may read
// or close.
Outcome Dedupe(
    exact_way way, const std::string* input, const std::function<void()>& prepare = [] {},
    const std::function<std::string(pid_t, int)>& meet =
        [](pid_t, int from) { return ReadAll(from); }) {
  Pipe out, errors, in;
  auto* figures = static_cast<exact_figures*>(mmap(
      nullptr, sizeof(exact_figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  signal(SIGPIPE, SIG_IGN);
  figures->failed = 1;  // unless it comes to its end
  const pid_t child = fork();
  if (child == 0) {
    if (input != nullptr) dup2(in.ends[0], STDIN_FILENO);
    dup2(out.ends[1], STDOUT_FILENO);
    dup2(errors.ends[1], STDERR_FILENO);
    for (const Pipe* pipe : {&out, &errors, &in})
      for (int end : pipe->ends) close(end);
    signal(SIGPIPE, SIG_DFL);
    prepare();
    const int status = exact_run_way(&way, figures);
    const calls::Report report = calls::Disarm();
    figures->failed = report.hit;
    NoteCalls(report, figures);
    _exit(status);
  }
  for (int end : {out.ends[1], errors.ends[1], in.ends[0]}) close(end);
  std::thread feeder([&] {
    WriteAll(in.ends[1], input != nullptr ? *input : "");
  });
  Outcome outcome;
  std::thread listener([&] { outcome.errors = ReadAll(errors.ends[0]); });
  outcome.output = meet(child, out.ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  feeder.join();
  listener.join();
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  outcome.figures = *figures;
  munmap(figures, sizeof *figures);
  return outcome;
}

bool IsBeginningOf(const std::string& part, const std::string& whole) {
  return whole.compare(0, part.size(), part) == 0;
}

// ---- Whatever the way ----------------------------------------------------------------

struct Way {
  const char* name;
  bool piped;
  exact_way way;
};

exact_way Of(uint64_t memory, uint64_t table_most, double fpp) {
  exact_way way{};
  way.threads = 2;
  way.memory = memory;
  way.table_most = table_most;
  way.fpp = fpp;
  return way;
}

std::vector<Way> Ways() {
  return {
      {"table", false, Of(kMuch, kMuch, 0.01)},
      {"two reads", false, Of(kMuch, 0, 0.01)},
      {"two reads, many false positives", false, Of(kMuch, 0, 0.3)},
      {"two reads after the table", false, Of(kMuch, kMiB / 2, 0.1)},
      {"two reads, doubts", false, Of(kMiB, kMiB / 4, 0.3)},
      {"two reads, more doubts", false, Of(kMiB / 2, 0, 0.01)},
      {"pipe", true, Of(kMuch, kMuch, 0.01)},
      {"pipe, spilled", true, Of(kMiB / 2, kMuch, 0.01)},
  };
}

// Random texts of at most `most` lines: each way prints what the model prints.
void ExpectAsTheModel(uint64_t cases, size_t most) {
  const Folders folders;
  uint64_t twice = 0, doubts = 0, spilled = 0, refused = 0, counted = 0;

  for (uint64_t number = 0; number < cases; number++) {
    std::mt19937_64 random(number);
    const auto below = [&random](uint64_t end) { return random() % end; };
    const bool jsonl = below(4) == 0;
    const std::string text = SomeText(&random, most, jsonl);
    folders.File(text);
    for (Way row : Ways()) {
      Wanted wanted;
      if (jsonl) wanted.bad_lines = static_cast<int>(below(3));
      if (below(3) == 0) {  // counts, for which there is memory
        row.way.memory = kMuch;
        wanted = {static_cast<int>(below(3)), true, 0};
        wanted.numbered = wanted.which == 0 || below(2) == 0;
        counted++;
      }
      exact_way way = folders.Reading(row.way, row.piped);
      way.threads = std::array<unsigned, 4>{1, 2, 3, 5}[kUnderTsan ? 3 : below(4)];
      way.jsonl = jsonl ? "id" : nullptr;
      way.bad_lines = wanted.bad_lines;
      way.which = wanted.which;
      way.numbered = wanted.numbered;
      const Model model = ModelOf(text, wanted);
      const Outcome outcome = Dedupe(way, row.piped ? &text : nullptr);
      const auto says = [&outcome](const std::string& words) {
        return outcome.errors.find(words) != std::string::npos;
      };
      SCOPED_TRACE("case " + std::to_string(number) + ", " + row.name + ", " +
                   std::to_string(way.threads) + " threads: " + outcome.errors);
      ASSERT_FALSE(says("Sanitizer"));
      ASSERT_EQ(outcome.status, model.refused > 0 ? 2 : 0);
      ASSERT_TRUE(outcome.output == model.kept)
          << outcome.output.size() << " bytes, not " << model.kept.size();
      if (model.refused > 0) {
        refused++;
        ASSERT_TRUE(says(":" + std::to_string(model.refused) + ": "));
        continue;
      }
      ASSERT_EQ(outcome.figures.in, model.in);
      ASSERT_EQ(outcome.figures.out, model.out);
      ASSERT_EQ(outcome.figures.repeated, model.repeated);
      ASSERT_TRUE(model.bad < 2 || says(" lines without a key "));
      twice += outcome.figures.reads == 2;
      doubts += outcome.figures.reads == 3;
      spilled += row.piped && outcome.figures.doubtful > 0;
    }
  }
  // Each of the ways is taken.
  for (const uint64_t count : {twice, doubts, spilled, refused, counted})
    EXPECT_GT(count, cases / 8);
}

TEST(Exact, PrintsTheFirstOfEachLine) { ExpectAsTheModel(kUnderTsan ? 20 : 40, 80000); }

// With more chunks than threads, and partitions that take several rounds.
TEST(ExactSlow, PrintsTheFirstOfEachLine) { ExpectAsTheModel(500, 500000); }

// ---- Counting -----------------------------------------------------------------------------

TEST(Exact, TooManyRepeatedKeysToCountAreAnError) {
  const Folders folders;
  const std::string text = Lines(100000, [](size_t i) { return Number(i / 2); });
  folders.File(text);
  exact_way way = folders.Reading(Of(kMiB, 0, 0.01));
  way.which = 1;
  const Outcome outcome = Dedupe(way, nullptr);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_NE(outcome.errors.find("the keys that may be repeated need more memory"),
            std::string::npos)
      << outcome.errors;
}

// ---- Failures --------------------------------------------------------------------------------

const std::string& RandomText() {
  static const std::string text = [] {
    std::mt19937_64 random(1);
    return Lines(60000, [&](size_t) { return Number(random() % 40000); });
  }();
  return text;
}
const std::string& RandomKept() {
  static const std::string kept = ModelOf(RandomText()).kept;
  return kept;
}

// What is deduplicated while calls fail, and how.
struct Subject {
  std::string name;
  exact_way way;
  std::string kept;
};

Subject OfLines() { return {"lines", Of(kMiB / 2, kMiB / 8, 0.3), RandomKept()}; }

Subject OfCounts() {
  Subject made{"counts", Of(kMuch, kMiB / 8, 0.3), ModelOf(RandomText(), {0, true, 0}).kept};
  made.way.numbered = true;
  return made;
}

TEST(Exact, KilledAtAnyTimeItLeavesNothing) {
  const Folders folders;
  std::mt19937_64 random(3);
  for (const Subject& subject : {OfLines(), OfCounts()}) {
    const std::string& kept = subject.kept;
    folders.File(RandomText());
    for (int round = 0; round < 24; round++) {
      exact_way way = folders.Reading(subject.way, round % 2 == 0);
      const size_t most = random() % kept.size();
      const Outcome outcome = Dedupe(
          way, round % 2 == 0 ? &RandomText() : nullptr, [] {},
          [most, round](pid_t child, int from) {
            std::string text(most, '\0');
            size_t got = 0;
            ssize_t some;
            while (got < most && (some = read(from, &text[got], most - got)) > 0)
              got += static_cast<size_t>(some);
            text.resize(got);
            if (round % 4 >= 2) kill(child, SIGKILL);
            close(from);  // else it has nowhere to print
            return text;
          });
      EXPECT_NE(outcome.status, 2) << outcome.errors;
      EXPECT_TRUE(IsBeginningOf(outcome.output, kept)) << subject.name;
    }
  }
}

// While it waits for its reader, in the last read, which alone prints: that may be wrong.
TEST(Exact, AnInputThatChangesDuringTheLastReadIsAnError) {
  const Folders folders;
  for (const Subject& subject : {Subject{"two reads", Of(kMuch, 0, 0.01), ""}, OfCounts()}) {
    const std::string path = folders.File(RandomText());
    const Outcome outcome =
        Dedupe(folders.Reading(subject.way), nullptr, [] {}, [&path](pid_t, int from) {
          char first;
          EXPECT_EQ(read(from, &first, 1), 1);
          std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now());
          return first + ReadAll(from);
        });
    EXPECT_EQ(outcome.status, 2) << subject.name;
    EXPECT_NE(outcome.errors.find("has changed while it was read"), std::string::npos);
  }
}

std::string changed_path;  // NOLINT: a function without arguments uses it

TEST(Exact, AnInputThatChangesBetweenTheReadsIsAnError) {
  const Folders folders;
  const std::vector<void (*)()> changes = {
      [] { std::ofstream(changed_path, std::ios::app) << "more\n"; },
      [] { std::ofstream(changed_path, std::ios::in) << "L"; },
      [] { std::filesystem::resize_file(changed_path, 1000); },
      [] { std::filesystem::remove(changed_path); },
      [] {
        std::filesystem::copy_file(changed_path, changed_path + ".new");
        std::filesystem::rename(changed_path + ".new", changed_path);
      },
  };
  for (const auto change : changes)
    for (const uint64_t table_most : {uint64_t{0}, kMiB / 2}) {
      changed_path = folders.File(RandomText());
      exact_way way = folders.Reading(Of(kMuch, table_most, 0.1));
      way.between = change;
      const Outcome outcome = Dedupe(way, nullptr);
      EXPECT_EQ(outcome.status, 2);
      EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1)
          << outcome.errors;
      EXPECT_TRUE(IsBeginningOf(outcome.output, RandomKept()));
    }
}

// The nth call fails; of one name, if `only` is given.
void Fail(uint64_t nth, int error, const char* only = nullptr) {
  calls::Arm({calls::Deed::kFail, nth, error, only});
}

// Each call that can fail, fails once: memory, files, threads.
void ExpectNoLossByFailures(unsigned step, const Subject& subject) {
  const Folders folders;
  const std::string& kept = subject.kept;
  folders.File(RandomText());
  for (const bool piped : {false, true}) {
    bool failed = true;
    for (uint64_t nth = 1; failed; nth += step) {
      exact_way way = folders.Reading(subject.way, piped);
      const Outcome outcome =
          Dedupe(way, piped ? &RandomText() : nullptr, [nth] { Fail(nth, ENOMEM); });
      failed = outcome.figures.failed != 0;
      ASSERT_TRUE(outcome.status == 0 || outcome.status == 2) << nth << outcome.errors;
      ASSERT_TRUE(outcome.status == 0 ? outcome.output == kept
                                      : IsBeginningOf(outcome.output, kept))
          << subject.name << ", " << piped << " call " << nth << ": " << outcome.errors;
      ASSERT_TRUE(outcome.status == 0 || !outcome.errors.empty()) << nth;
    }
  }
}

TEST(Exact, AFailingCallLosesNothing) {
  ExpectNoLossByFailures(61, OfLines());
  ExpectNoLossByFailures(61, OfCounts());
}

TEST(ExactSlow, AFailingCallLosesNothing) {
  for (const Subject& subject : {OfLines(), OfCounts()}) ExpectNoLossByFailures(3, subject);
}

// Where the file system has no files without names.
TEST(Output, ANewFileIsRemovedIfASignalEndsTheProgram) {
  for (const int signal_number : {SIGTERM, SIGINT, SIGHUP}) {
    const Folders folders;
    const std::string path = std::string(folders.temp()) + "/out";
    const pid_t child = fork();
    if (child == 0) {
      signal(signal_number, SIG_DFL);
      Fail(3, EOPNOTSUPP, "open");  // after the folder, and the file that is not there
      if (!target_redirect(path.c_str()) || calls::Disarm().hit == 0) _exit(1);
      if (std::filesystem::is_empty(folders.temp())) _exit(2);  // it should have a name
      raise(signal_number);
      _exit(3);
    }
    const int status = AwaitChild("a signal ends the child", child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal_number) << status;
  }  // Folders finds a file that is left
}

// Where the system refuses to name a file: known before anything is printed.
TEST(Output, IsWholeWhereLinksAreRefused) {
  for (const int error : {EPERM, ENOSYS, EOPNOTSUPP, EMLINK, ENOENT}) {
    const Folders folders;
    const std::string path = std::string(folders.temp()) + "/out";
    const auto put_whole = [&] {
      Fail(1, error, "linkat");
      if (!target_redirect(path.c_str()) || calls::Disarm().hit != 1) return 1;
      if (write(STDOUT_FILENO, "whole", 5) != 5 || !target_settle(path.c_str(), true)) return 2;
      std::string text;
      std::ifstream(path) >> text;
      std::filesystem::remove(path);
      return text == "whole" ? 0 : 3;
    };
    EXPECT_EQ(InChild(put_whole), 0) << strerror(error);
  }
}

// ---- What earlier runs have printed --------------------------------------------------------

std::string SomeLines(std::mt19937_64* random, size_t most, uint64_t of) {
  const size_t count = (*random)() % most;
  return Lines(count, [&](size_t) { return Number((*random)() % of); });
}

// A run with --seen.
struct Seen {
  explicit Seen(const Folders& folders) : file(folders.root() + "/seen"), temp(folders.temp()) {}
  Outcome Run(const Way& row, const std::string& path, const std::string& text, unsigned threads,
              const std::function<void()>& prepare = [] {}) const {
    exact_way way = row.way;
    way.threads = threads;
    way.temp = temp;
    way.path = row.piped ? nullptr : path.c_str();
    way.seen = file.c_str();
    return Dedupe(way, row.piped ? &text : nullptr, prepare);
  }
  // How many of the runs in the file there are, by its head.
  uint32_t Runs() const {
    uint32_t runs = 0;
    std::ifstream(file, std::ios::binary)
        .seekg(12)
        .read(reinterpret_cast<char*>(&runs), sizeof runs);
    return runs;
  }
  std::string file;
  const char* temp;
};

// Of sizes that differ, so that some runs are merged, and others stay.
TEST(Seen, LeavesOutWhatEarlierRunsHavePrinted) {
  for (unsigned threads = kUnderTsan ? 5 : 1; threads <= 5; threads += 2) {
    const Folders folders;
    const Seen state(folders);
    std::mt19937_64 random(threads);
    std::unordered_set<std::string> seen;
    uint32_t most_runs = 0, merges = 0, before = 0;
    for (int round = 0; round < 2; round++)
      for (const Way& row : Ways()) {
        const size_t most = random() % 3 == 0 ? 60000 : random() % 2 == 0 ? 900 : 30;
        const std::string text = SomeLines(&random, most, 100000), path = folders.File(text);
        const std::string kept = NewOnes(text, &seen);
        const Outcome outcome = state.Run(row, path, text, threads);
        ASSERT_EQ(outcome.status, 0) << row.name << outcome.errors;
        ASSERT_TRUE(outcome.output == kept)
            << row.name << ", round " << round << ", " << threads
            << " threads: " << outcome.output.size() << " bytes, not " << kept.size();
        ASSERT_EQ(outcome.figures.in,
                  static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n')));
        // 20 bytes a hash with its filter, some pages, and gaps.
        ASSERT_TRUE(seen.size() < 20000 ||
                    std::filesystem::file_size(state.file) <= 24 * seen.size());
        const uint32_t runs = state.Runs();
        most_runs = std::max(most_runs, runs);
        merges += runs <= before && !kept.empty();
        before = runs;
      }
    EXPECT_GT(most_runs, 2u);
    EXPECT_GT(merges, 2u);
  }
}

// What a head says is on the disk before that head is: a cut of the power at any time leaves the
// runs that were, or the new ones.  No other test sees a sync that is missing.
TEST(Seen, TheRunsAreOnTheDiskBeforeTheHead) {
  const Folders folders;
  const Seen state(folders);
  const Way table = Ways().front();
  const auto calls_of = [&](size_t first, size_t count) {
    const std::string text = Lines(count, [&](size_t i) { return Number(first + i); });
    const Outcome outcome =
        state.Run(table, folders.File(text), text, 1, [] { calls::Arm(calls::Plan()); });
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return std::string(outcome.figures.calls);
  };
  // A new file; a run after it; one in place of both, which is moved there in two pieces.
  EXPECT_TRUE(std::regex_match(calls_of(0, 5000), std::regex("ws(w+ts)(ws)")));
  EXPECT_TRUE(std::regex_match(calls_of(5000, 1100), std::regex("(w+ts)(ws)")));
  EXPECT_TRUE(std::regex_match(calls_of(7000, 4000), std::regex("(w+ts)(ws)(wsws){2}t")));
}

TEST(Seen, OfSeveralRunsAtOnceOnePrintsALine) {
  constexpr size_t kRuns = 6;
  const Folders folders;
  const Seen state(folders);
  // Processes: a child by fork() beside other threads may wait for a lock of theirs.
  std::vector<pid_t> runs;
  std::mt19937_64 random(4);
  std::string all, printed;
  for (size_t i = 0; i < kRuns; i++) {
    const std::string text = SomeLines(&random, 20000, 15000);
    std::ofstream(folders.root() + "/input" + std::to_string(i), std::ios::binary) << text;
    all += text;
  }
  for (size_t i = 0; i < kRuns; i++) {
    runs.push_back(fork());
    if (runs.back() != 0) continue;
    const std::string path = folders.root() + "/input" + std::to_string(i);
    const Outcome outcome = state.Run(Ways()[i], path, "", 2);
    std::ofstream(path + ".printed", std::ios::binary) << outcome.output;
    std::cerr << outcome.errors << std::flush;
    _exit(outcome.status);
  }
  for (size_t i = 0; i < kRuns; i++) {
    EXPECT_EQ(AwaitChild("a run ends", runs[i]), 0);
    std::ifstream file(folders.root() + "/input" + std::to_string(i) + ".printed",
                       std::ios::binary);
    printed.append(std::istreambuf_iterator<char>(file), {});
  }
  EXPECT_TRUE(printed == ModelOf(printed).kept) << "two runs have printed a line";
  std::unordered_set<std::string> seen, wanted;
  NewOnes(printed, &seen);
  NewOnes(all, &wanted);
  EXPECT_TRUE(seen == wanted);
}

// Killed at each call of the main thread, which opens and commits, and by SIGKILL whenever: a line
// is printed, and at most once more for each run that was killed.  What a killed run has printed
// after its last whole line is no line.
void ExpectEachLineHoweverKilled(unsigned step) {
  const Folders folders;
  const Seen state(folders);
  std::mt19937_64 random(11);
  const Way row = {"two reads", false, Of(kMuch, 0, 0.01)};
  for (const auto deed :
       {calls::Deed::kKillBefore, calls::Deed::kKillAfter, calls::Deed::kShortenAll}) {
    uint64_t nth = 1;
    bool whole = false;
    while (!whole) {
      const std::string text = SomeLines(&random, 3000, UINT64_MAX), path = folders.File(text);
      std::unordered_map<std::string, int> times;
      int killed = 0;
      for (bool ended = false; !ended;) {
        const Outcome outcome = state.Run(row, path, text, 1, [nth, deed, killed] {
          calls::Arm({killed < 2 ? deed : calls::Deed::kNothing,
                      nth + static_cast<uint64_t>(killed)});
        });
        for (const std::string& line :
             LinesOf(outcome.output.substr(0, outcome.output.rfind('\n') + 1)))
          ++times[line];
        ended = outcome.status == 0;
        killed += !ended;
        ASSERT_TRUE(outcome.status <= 0) << outcome.errors;
      }
      for (const std::string& line : LinesOf(text)) {
        const int n = times[line];
        ASSERT_TRUE(n >= 1 && n <= 1 + killed)
            << n << " times, " << killed << " killed, call " << nth;
      }
      whole = killed == 0;
      nth += 1 + random() % step;
    }
    EXPECT_GT(nth, deed == calls::Deed::kShortenAll ? 1u : 150u);
  }
}

TEST(Seen, KilledAtAnyCallItPrintsEachLineAndAtMostOnceMore) { ExpectEachLineHoweverKilled(50); }

TEST(SeenSlow, KilledAtAnyCallItPrintsEachLineAndAtMostOnceMore) { ExpectEachLineHoweverKilled(1); }

std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A call that fails ends the run with status 2, and the file has the bytes of before; or it has all
// that was printed.
void ExpectNothingForgottenByFailures(unsigned step) {
  const Folders folders;
  const Seen state(folders);
  std::mt19937_64 random(12);
  std::unordered_set<std::string> seen;
  bool failed = true;
  for (uint64_t nth = 1; failed; nth += 1 + random() % step) {
    const Way row = {"doubts", nth % 2 == 0, Of(kMiB / 2, kMiB / 8, 0.3)};
    const std::string text = SomeLines(&random, 5000, UINT64_MAX), path = folders.File(text);
    const std::string kept = NewOnes(text, &seen);
    const std::string before = BytesOf(state.file);
    Outcome outcome = state.Run(row, path, text, 2, [nth] { Fail(nth, ENOSPC); });
    failed = outcome.figures.failed != 0;
    ASSERT_TRUE(outcome.status == 0 || outcome.status == 2) << nth << outcome.errors;
    ASSERT_TRUE(IsBeginningOf(outcome.output, kept)) << nth;
    ASSERT_TRUE(outcome.status == 2 || outcome.output == kept) << nth;
    ASSERT_TRUE(outcome.status == 0 || !outcome.errors.empty()) << nth;
    ASSERT_TRUE(outcome.status == 0 || before.empty() || BytesOf(state.file) == before) << nth;
    const bool complete = outcome.output == kept;
    outcome = state.Run(row, path, text, 2);
    ASSERT_EQ(outcome.status, 0) << nth << outcome.errors;
    ASSERT_TRUE(outcome.output == kept || (complete && outcome.output.empty()))
        << nth << outcome.errors;
  }
}

TEST(Seen, AFailingCallForgetsNothing) { ExpectNothingForgottenByFailures(40); }

TEST(SeenSlow, AFailingCallForgetsNothing) { ExpectNothingForgottenByFailures(1); }

// The head was written, but not to the disk; or what it says was not.
TEST(Seen, AFileThatCannotBeSyncedIsAsBefore) {
  const Folders folders;
  const Seen state(folders);
  const Way table = Ways().front();
  const std::string text = Lines(3000, Number), path = folders.File(text);
  ASSERT_EQ(state.Run(table, path, text, 1).status, 0);
  const std::string before = BytesOf(state.file);
  for (const char* name : {"fsync", "ftruncate"})
    for (const uint64_t nth : {1, 2}) {
      const std::string more = Lines(5000, [](size_t i) { return Number(i + 2000); });
      folders.File(more);
      const Outcome outcome = state.Run(table, path, more, 1, [=] { Fail(nth, EIO, name); });
      const bool last = name[1] == 't' && nth == 2;  // the file is only longer, and has all
      EXPECT_EQ(outcome.status, last ? 0 : 2);
      EXPECT_TRUE(last || BytesOf(state.file) == before) << name << nth;
      EXPECT_NE(outcome.errors.find(last ? "is longer than it has to be" : "Input/output"),
                std::string::npos)
          << outcome.errors;
    }
  EXPECT_GT(std::filesystem::file_size(state.file), 24u * 7000);
  EXPECT_EQ(state.Run(table, path, text, 1).output, "");
  EXPECT_LT(std::filesystem::file_size(state.file), 24u * 7000);
}

TEST(Seen, HashesOutOfOrderAreFoundByVerify) {
  const Folders folders;
  const Seen state(folders);
  const std::string text = Lines(3000, Number);
  ASSERT_EQ(state.Run(Ways().front(), folders.File(text), text, 1).status, 0);
  EXPECT_EQ(exact_run_disorder(state.file.c_str(), EXACT_ORDER), 0u);
  EXPECT_EQ(exact_run_disorder(state.file.c_str(), EXACT_ELSEWHERE), 1u);
  EXPECT_EQ(exact_run_disorder(state.file.c_str(), EXACT_SWAPPED), 1u);
}

// A bit that is wrong, or bytes that are missing, are found by a run that needs them.
TEST(Seen, ADamagedFileIsRefused) {
  const Folders folders;
  const Seen state(folders);
  const Way table = Ways().front();
  const std::string large = Lines(3000, Number),
                    small = Lines(40, [](size_t i) { return Number(i + 5000); });
  const std::string path = folders.File(large);
  for (const std::string& text : {large, small}) {
    folders.File(text);
    ASSERT_EQ(state.Run(table, path, text, 1).status, 0);
  }
  ASSERT_EQ(state.Runs(), 2u);
  const std::string good = BytesOf(state.file), all = large + small;
  folders.File(all);
  std::mt19937_64 random(2);
  int refused = 0;
  for (int i = 0; i < 200; i++) {
    std::string bad = good;
    if (i % 4 == 0)
      bad.resize(random() % bad.size());
    else
      bad[random() % (i % 4 == 1 ? 512 : bad.size())] ^= static_cast<char>(1 << random() % 8);
    if (bad.empty()) continue;
    std::ofstream(state.file, std::ios::binary | std::ios::trunc) << bad;
    const Outcome outcome = state.Run(table, path, all, 1);
    refused += outcome.status == 2;
    ASSERT_TRUE(outcome.status == 2 || (outcome.status == 0 && outcome.output.empty()))
        << i << ": " << outcome.output.size() << outcome.errors;
    ASSERT_TRUE(outcome.status == 0 ||
                std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1)
        << outcome.errors;
  }
  // The others change a byte that nothing needs: what is after a filter in its pages.
  EXPECT_GT(refused, 150);
}

TEST(Seen, AnotherFileIsRefused) {
  const Folders folders;
  const Seen state(folders);
  const std::string text = "a\n", path = folders.File(text);
  std::string other = "LFBSEEN\n" + std::string(504, '\2');
  for (const auto& [bytes, words] :
       {std::pair<std::string, const char*>{"a list\n", "is not a state of dedupe"},
        {std::string(5000, '\0'), "is not a state of dedupe"},
        {other, "another version"}}) {
    std::ofstream(state.file, std::ios::binary | std::ios::trunc) << bytes;
    const Outcome outcome = state.Run(Ways().front(), path, text, 1);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find(words), std::string::npos) << outcome.errors;
    EXPECT_EQ(BytesOf(state.file), bytes);
  }
  std::filesystem::remove(state.file);
  ASSERT_EQ(mkfifo(state.file.c_str(), 0600), 0);
  EXPECT_NE(state.Run(Ways().front(), path, text, 1).errors.find("is no regular file"),
            std::string::npos);
}

std::string removed_path;  // NOLINT: a function without arguments uses it

TEST(Seen, AFileThatIsRemovedOrReplacedMeanwhileIsAnError) {
  const Folders folders;
  removed_path = folders.root() + "/seen";
  folders.File(RandomText());
  exact_way way = folders.Reading(Of(kMuch, 0, 0.01));
  way.seen = removed_path.c_str();
  for (void (*const between)() : {+[] { std::filesystem::remove(removed_path); }, +[] {
         std::filesystem::copy_file(removed_path, removed_path + ".new");
         std::filesystem::rename(removed_path + ".new", removed_path);
       }}) {
    way.between = between;
    const Outcome outcome = Dedupe(way, nullptr);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find("was removed or replaced"), std::string::npos) << outcome.errors;
  }
}

// ---- Memory ----------------------------------------------------------------------------------

void Put(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

TEST(Usable, MemoryIsTheLeastOfTheGroupsAround) {
  const Folders folders;
  const std::string& root = folders.root();
  const uint64_t machine = usable_memory((root + "/nothing").c_str());
  EXPECT_GT(machine, 64 * kMiB);
  Put(root + "/proc/self/cgroup", "0::/outer/inner\n");
  EXPECT_EQ(usable_memory(root.c_str()), machine);
  Put(root + "/sys/fs/cgroup/outer/inner/memory.max", "max\n");
  EXPECT_EQ(usable_memory(root.c_str()), machine);
  Put(root + "/sys/fs/cgroup/outer/memory.max", "9000000\n");
  EXPECT_EQ(usable_memory(root.c_str()), 9000000u);
  Put(root + "/sys/fs/cgroup/memory.max", "8000000\n");
  EXPECT_EQ(usable_memory(root.c_str()), 8000000u);
  Put(root + "/proc/self/cgroup", "5:cpu:/\n4:memory:/one\n");
  Put(root + "/sys/fs/cgroup/memory/one/memory.limit_in_bytes", "7000000\n");
  EXPECT_EQ(usable_memory(root.c_str()), 7000000u);
}

TEST(Usable, CoresAreTheLeastOfTheGroupsAroundAndSlurms) {
  const Folders folders;
  const std::string& root = folders.root();
  const auto cores = [&root] { return usable_cores(root.c_str()); };
  cpu_set_t allowed;
  unsetenv("SLURM_CPUS_PER_TASK");
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  EXPECT_EQ(cores(), static_cast<uint64_t>(CPU_COUNT(&allowed)));
  Put(root + "/proc/self/cgroup", "0::/outer/inner\n");
  Put(root + "/sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  EXPECT_EQ(cores(), static_cast<uint64_t>(CPU_COUNT(&allowed)));
  Put(root + "/sys/fs/cgroup/outer/cpu.max", "50000 100000\n");  // half a core
  EXPECT_EQ(cores(), 1u);
  std::filesystem::remove(root + "/sys/fs/cgroup/outer/cpu.max");
  // Version 1; a group of another controller is none of it.
  Put(root + "/proc/self/cgroup", "5:cpuset:/one\n4:cpu,cpuacct:/two\n");
  Put(root + "/sys/fs/cgroup/cpuset/one/cpu.cfs_quota_us", "1000\n");
  Put(root + "/sys/fs/cgroup/cpuset/one/cpu.cfs_period_us", "100000\n");
  Put(root + "/sys/fs/cgroup/cpu/two/cpu.cfs_quota_us", "-1\n");
  Put(root + "/sys/fs/cgroup/cpu/two/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores(), static_cast<uint64_t>(CPU_COUNT(&allowed)));
  Put(root + "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  Put(root + "/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores(), 1u);
  std::filesystem::remove_all(root + "/sys");
  setenv("SLURM_CPUS_PER_TASK", "1", 1);
  EXPECT_EQ(cores(), 1u);
  unsetenv("SLURM_CPUS_PER_TASK");
}

}  // namespace
