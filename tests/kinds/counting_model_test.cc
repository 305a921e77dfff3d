// The counting filter with counters against a multiset: threads run random programs of puts,
// removals, queries and unions over the same few keys. At each rest every counter has the
// multiset's value.
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "tests/support/countings.h"
#include "tests/support/race.h"

namespace {

constexpr unsigned kThreads = 4;  // more than the cores
constexpr uint64_t kKeys = 48, kMostHeld = 2, kActs = kUnderTsan ? 60 : 150;

// How often a thread has put each key and not yet removed it. A thread removes only what it has
// put.
using Held = std::array<uint64_t, kKeys>;

uint64_t Key(uint64_t i) { return Mix(1, i); }

// A filter, the keys that are present, and the values that each of its counters has had.
struct Model {
  explicit Model(const lfb_config& config) : counting(Count(config)), side(Count(config)) {
    for (uint64_t i = 0; i < kKeys; i++) bits.push_back(BitsOf(config, Key(i)));
    for (uint64_t i = 0; i < kKeys; i += 5) {  // permanently
      PutInto(counting.get(), Key(i));
      held[kThreads][i] = 1;
    }
    for (uint64_t i = 0; i < kKeys; i += 7) PutInto(side.get(), Key(i));
    stuck.resize(Counters(counting).size());
    sums = Sums();
  }

  // The sums over the present keys, counter by counter.
  std::vector<uint64_t> Sums() const {
    std::vector<uint64_t> all(stuck.size());
    for (const Held& whose : held)
      for (uint64_t i = 0; i < kKeys; i++)
        for (uint64_t bit : bits[i]) all[bit] += whose[i];
    return all;
  }

  Counting counting, side;
  std::vector<std::vector<uint64_t>> bits;
  std::array<Held, kThreads + 1> held{};  // the last one's: never removed
  std::array<Held, kThreads> puts{};      // since the last rest
  std::vector<bool> stuck;                // at the last rest
  std::vector<uint64_t> sums;             // at the last rest
};

// One thread's program.
class Program {
 public:
  Program(Model* model, unsigned thread, uint64_t seed)
      : c_(model->counting.get()),
        side_(model->side.get()),
        held_(&model->held[thread]),
        puts_(&model->puts[thread]),
        kept_(&model->held[kThreads]),
        seed_(seed) {}

  void Run() {
    for (uint64_t act = 0; act < kActs; act++) {
      if (Random(16) == 0)
        Unite();
      else
        One(Random(kKeys));
      const uint64_t asked = Random(kKeys);
      if ((*held_)[asked] + (*kept_)[asked] > 0)
        missing += !lfb_counting_might_contain_u64(c_, Key(asked));
    }
  }

  uint64_t missing = 0, refused = 0;

 private:
  uint64_t Random(uint64_t below) { return Mix(seed_, next_++) % below; }

  void Note(uint64_t i) {
    (*held_)[i]++;
    (*puts_)[i]++;
  }

  void One(uint64_t i) {
    if ((*held_)[i] == kMostHeld || ((*held_)[i] > 0 && Random(2) == 0)) {
      refused += !lfb_counting_remove_u64(c_, Key(i));
      (*held_)[i]--;
    } else {
      PutInto(c_, Key(i));
      Note(i);
    }
  }

  void Unite() {
    for (uint64_t i = 0; i < kKeys; i += 7)
      if ((*held_)[i] == kMostHeld) return;
    ASSERT_EQ(lfb_counting_put_all(c_, side_), LFB_OK);
    for (uint64_t i = 0; i < kKeys; i += 7) Note(i);
  }

  lfb_counting* c_;
  const lfb_counting* side_;
  Held *held_, *puts_;
  const Held* kept_;
  uint64_t seed_, next_ = 0;
};

void RunPrograms(Model* model, uint64_t seed) {
  std::atomic<uint64_t> missing{0}, refused{0};
  model->puts = {};
  RunTogether(kThreads, [&](unsigned t) {
    Program program(model, t, seed + t);
    program.Run();
    missing += program.missing;
    refused += program.refused;
  });
  ASSERT_EQ(missing, 0u);
  ASSERT_EQ(refused, 0u);
}

// Each counter is the sum over the present keys. A stuck counter may have been at 15, and a
// counter that must have been at 15 is stuck. The order of its changes is unknown.
void ExpectAtRest(Model* model) {
  const std::vector<uint64_t> sums = model->Sums();
  std::vector<uint64_t> most = model->sums;  // the highest value that each may have had since the
                                             // last rest
  for (const Held& puts : model->puts)
    for (uint64_t i = 0; i < kKeys; i++)
      for (uint64_t bit : model->bits[i]) most[bit] += puts[i];
  const std::vector<unsigned> counters = Counters(model->counting);
  uint64_t above_0 = 0, stuck = 0;
  for (size_t i = 0; i < counters.size(); i++) {
    const bool may = model->stuck[i] || most[i] >= 15, must = model->stuck[i] || sums[i] >= 15;
    if (counters[i] == 15)
      ASSERT_TRUE(may) << "counter " << i << " is stuck, and was never above " << most[i];
    else
      ASSERT_EQ(counters[i], sums[i]) << "counter " << i;
    ASSERT_TRUE(!must || counters[i] == 15) << "counter " << i << " came loose";
    model->stuck[i] = counters[i] == 15;
    above_0 += counters[i] > 0;
    stuck += counters[i] == 15;
  }
  model->sums = sums;
  ASSERT_EQ(Stats(model->counting).bits_set, above_0);
  ASSERT_EQ(Stats(model->counting).counters_stuck, stuck);
  ASSERT_EQ(Counters(Copy(model->counting)), counters);
}

class CountingModel : public testing::TestWithParam<std::tuple<lfb_strategy_id, double>> {};

// Runs, rests, checks, and continues with the result. Seen to fail 10 times in 10 in each row
// with the CAS torn, and with stuck counters lowered; 3 times in 3 with a word of counters left
// out of unions, with stuck counters counted each time that they are raised, and for fast with a
// counter raised twice if two probes name it.
TEST_P(CountingModel, EachCounterIsTheMultisets) {
  constexpr uint64_t kRounds = kUnderTsan ? 3 : 25, kRests = 6;
  const lfb_config config = Config(16, std::get<1>(GetParam()), std::get<0>(GetParam()));
  uint64_t stuck = 0, moving = 0;
  for (uint64_t round = 0; round < kRounds; round++) {
    Model model(config);
    for (uint64_t rest = 0; rest < kRests; rest++) {
      ASSERT_NO_FATAL_FAILURE(RunPrograms(&model, 1000 * round + 10 * rest));
      ASSERT_NO_FATAL_FAILURE(ExpectAtRest(&model)) << "round " << round << ", rest " << rest;
    }
    stuck += Stats(model.counting).counters_stuck;
    moving += Stats(model.counting).bits_set - Stats(model.counting).counters_stuck;
  }
  EXPECT_GT(stuck, 0u);
  EXPECT_GT(moving, 0u);
}

std::vector<std::tuple<lfb_strategy_id, double>> Models() {
  std::vector<std::tuple<lfb_strategy_id, double>> all;
  for (lfb_strategy_id id : AllStrategies())
    if (id != LFB_GO_FNV14) all.emplace_back(id, 0.01);  // its keys share no counter
  for (double fpp : {0.2, 1e-3, 1e-4, 1e-6}) all.emplace_back(LFB_FAST, fpp);  // other shapes
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    All, CountingModel, testing::ValuesIn(Models()),
    [](const testing::TestParamInfo<std::tuple<lfb_strategy_id, double>>& model) {
      std::string name = lfb_strategy_name(std::get<0>(model.param));
      std::replace(name.begin(), name.end(), '-', '_');
      return name + "_" + std::to_string(std::lround(1 / std::get<1>(model.param)));
    });

}  // namespace
