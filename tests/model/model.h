// model.h - running scenarios under Relacy.
#pragma once

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <streambuf>
#include <string_view>

namespace model {

// As much as is worth reading; in place, since Relacy has an allocator of its own.
struct Told : std::streambuf {
  Told() { setp(room, room + sizeof room); }
  std::streamsize size() const { return pptr() - pbase(); }
  char room[1 << 16];
};

// Scenarios, each tried at random and, with a bound on the thread switches, systematically:
//
//     binary [--runs=N] [--bound=N] [NAME...]
//
// N random runs (100000); all runs with at most so many switches that no thread asked for (1).
class Runs {
 public:
  Runs(int argc, char** argv) : argc_(argc), argv_(argv) {
    for (int i = 1; i < argc; i++) {
      if (std::strncmp(argv[i], "--runs=", 7) == 0) runs_ = std::strtoul(argv[i] + 7, nullptr, 10);
      if (std::strncmp(argv[i], "--bound=", 8) == 0)
        bound_ = static_cast<unsigned>(std::strtoul(argv[i] + 8, nullptr, 10));
    }
  }

  template <typename Test>
  void Try(const char* name) {
    if (!Wanted(name)) return;
    rl::test_params chance;
    chance.iteration_count = runs_;
    One<Test>(name, "by chance", chance);
    rl::test_params bounded;
    bounded.search_type = rl::fair_context_bound_scheduler_type;
    bounded.context_bound = bound_;
    One<Test>(name, "each with few switches", bounded);
  }

  // 0 if nothing was found.
  int Status() const { return found_ > 0 || tried_ == 0; }

 private:
  bool Wanted(const char* name) const {
    bool named = false;
    for (int i = 1; i < argc_; i++) {
      if (argv_[i][0] == '-') continue;
      named = true;
      if (std::strcmp(argv_[i], name) == 0) return true;
    }
    return !named;
  }

  template <typename Test>
  void One(const char* name, const char* how, rl::test_params params) {
    Told told;
    std::ostream output(&told), nowhere(nullptr);
    params.output_stream = &output;
    params.progress_stream = &nowhere;
    params.execution_depth_limit = 10000;
    const bool fine = rl::simulate<Test>(params);
    tried_++;
    found_ += !fine;
    std::cout << name << ", " << how << ": " << params.stop_iteration << " runs, "
              << (fine ? "ok" : rl::test_result_str(params.test_result)) << std::endl;
    if (!fine) std::cout.write(told.room, told.size()) << std::endl;
  }

  const int argc_;
  char** const argv_;
  unsigned long runs_ = 100000;
  unsigned bound_ = 1, tried_ = 0, found_ = 0;
};

// Whether this build has a scenario.  That of a planted bug has only the one that shows it, so it
// is compiled in a third of the time.
constexpr bool Has(std::string_view scenario) {
#ifdef LFB_MODEL_SCENARIO
  return scenario == LFB_MODEL_SCENARIO;
#else
  return true;
#endif
}

}  // namespace model

#define MODEL_TRY(runs, scenario) \
  if constexpr (model::Has(#scenario)) (runs).Try<scenario>(#scenario)
