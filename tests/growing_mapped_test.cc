// Growing filters in files that processes share: what returned is found by everybody, while
// layers are added and while processes die.
#include <lfbloom/growing_mapped.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tests/files.h"
#include "tests/growings.h"
#include "tests/mapped.h"
#include "tests/race.h"
#include "tests/shared.h"

namespace {

// The files of one growing filter, in a folder that nothing else is in.
class GrowingMapped : public testing::Test {
 protected:
  GrowingMapped() { std::filesystem::create_directory(folder_.c_str()); }
  ~GrowingMapped() override { std::filesystem::remove_all(folder_.c_str()); }

  std::string Head() const { return std::string(folder_.c_str()) + "/g"; }
  std::string Layer(uint32_t number) const { return Head() + "." + std::to_string(number); }

  lfb_status TryCreate(const lfb_config& config, Growing* made) const {
    lfb_growing* growing = nullptr;
    const lfb_status status = lfb_growing_mapped_create(Head().c_str(), &config, &growing);
    EXPECT_EQ(status == LFB_OK, growing != nullptr);
    made->reset(growing);
    return status;
  }
  Growing Create(const lfb_config& config = Config(1024, 0.01, LFB_FAST)) const {
    Growing made;
    EXPECT_EQ(TryCreate(config, &made), LFB_OK) << strerror(errno);
    return made;
  }
  lfb_status TryOpen(Growing* opened = nullptr, const lfb_read_limits* limits = nullptr) const {
    lfb_growing* growing = nullptr;
    const lfb_growing* reading = nullptr;
    const lfb_status status = lfb_growing_mapped_open(Head().c_str(), limits, &growing);
    EXPECT_EQ(status == LFB_OK, growing != nullptr);
    EXPECT_EQ(lfb_growing_mapped_open_read_only(Head().c_str(), limits, &reading), status)
        << "both ways to open agree";
    lfb_growing_mapped_close(reading);
    if (opened != nullptr)
      opened->reset(growing);
    else
      lfb_growing_free(growing);
    return status;
  }
  Growing Open() const {
    lfb_growing* growing = nullptr;
    EXPECT_EQ(lfb_growing_mapped_open(Head().c_str(), nullptr, &growing), LFB_OK)
        << strerror(errno);
    return Growing(growing);
  }
  size_t FilesThere() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.c_str()))
      count++;
    return count;
  }
  std::string Bytes(const std::string& path) const {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  void Write(const std::string& path, const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  // How many layers the head tells of.
  void SetCount(uint64_t count) const {
    std::fstream head(Head(), std::ios::binary | std::ios::in | std::ios::out);
    head.seekp(512);
    head.write(reinterpret_cast<const char*>(&count), sizeof count);
  }

 private:
  const Path folder_;
};

bool Has(const Growing& growing, uint64_t key) {
  return lfb_growing_might_contain_u64(growing.get(), key);
}

uint64_t Lost(const Growing& growing, uint64_t stream, uint64_t keys) {
  uint64_t lost = 0;
  for (uint64_t i = 0; i < keys; i++) lost += !Has(growing, Mix(stream, i));
  return lost;
}

void PutSome(const Growing& growing, uint64_t stream, uint64_t from, uint64_t to) {
  for (uint64_t i = from; i < to; i++) lfb_growing_put_u64(growing.get(), Mix(stream, i));
}

// Runs act(p) in process p of several, each of which must end by itself.
template <typename Act>
void InProcesses(unsigned processes, const Act& act) {
  std::vector<pid_t> children;
  for (unsigned p = 0; p < processes; p++) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      act(p);
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

// ---- one process --------------------------------------------------------------------

class EveryMappedGrows : public GrowingMapped,
                         public testing::WithParamInterface<lfb_strategy_id> {};
INSTANTIATE_TEST_SUITE_P(All, EveryMappedGrows, testing::ValuesIn(SizedStrategies()),
                         StrategyTestName);

// It answers, grows and is counted as one in memory that is given the same keys, also after
// it was closed and opened.
TEST_P(EveryMappedGrows, IsAsOneInMemory) {
  const lfb_config config = Config(1024, 1e-6, GetParam());
  const Growing memory = MakeGrowing(config);
  Growing mapped = Create(config);
  uint64_t fresh = 0;
  std::vector<uint64_t> keys(100);
  for (uint64_t i = 0; i < 12000; i += keys.size()) {
    for (uint64_t j = 0; j < keys.size(); j++) keys[j] = Mix(1, i + j);
    if (i % 3000 == 0) {
      mapped.reset();
      mapped = Open();
    }
    if (i % 200 == 0) {
      fresh += lfb_growing_put_many_u64(mapped.get(), keys.data(), keys.size(), nullptr);
    } else {
      for (uint64_t key : keys) fresh += lfb_growing_claim_u64(mapped.get(), key);
    }
    for (uint64_t key : keys) lfb_growing_put_u64(memory.get(), key);
  }
  for (uint64_t i = 0; i < 12000; i++) ASSERT_TRUE(Has(mapped, Mix(1, i))) << i;
  // A false positive comes up now and then (redis-mitz32's is 21487): 0.05 are expected with
  // double hashing, which is worse than the formula where a layer is this small.
  uint64_t wrong = 12000 - fresh;
  for (uint64_t i = 12000; i < 30000; i++) wrong += Has(mapped, Mix(1, i));
  EXPECT_LE(wrong, 3u);
  const lfb_growing_figures a = Figures(memory), b = Figures(mapped);
  EXPECT_EQ(a.strategy, b.strategy);
  EXPECT_EQ(a.first_insertions, b.first_insertions);
  EXPECT_EQ(a.fpp, b.fpp);
  EXPECT_EQ(a.layers, b.layers);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(b.stuck, LFB_OK);
  EXPECT_FALSE(b.bits_set_low);
  EXPECT_LT(b.expected_fpp, config.fpp);
  EXPECT_EQ(FilesThere(), b.layers + 1);
  EXPECT_EQ(lfb_growing_mapped_sync(mapped.get()), LFB_OK);
  EXPECT_EQ(lfb_growing_mapped_recount(mapped.get()), LFB_OK);
  ExpectOneLayerALevel(mapped);
}

TEST_F(GrowingMapped, IsCopiedSavedAndLabelled) {
  Growing mapped = Create();
  PutSome(mapped, 1, 0, 5000);
  ASSERT_EQ(lfb_growing_set_label(mapped.get(), "urls"), LFB_OK);
  EXPECT_STREQ(lfb_growing_label(Open().get()), "") << "it is this process's alone";
  const Growing copy = Copy(mapped);
  ASSERT_EQ(lfb_growing_save(mapped.get(), (Head() + "-saved").c_str()), LFB_OK);
  lfb_growing* loaded = nullptr;
  ASSERT_EQ(lfb_growing_load((Head() + "-saved").c_str(), nullptr, &loaded), LFB_OK);
  const Growing saved(loaded);
  PutSome(mapped, 2, 0, 5000);
  for (const Growing* of : {&copy, &saved}) {
    EXPECT_STREQ(lfb_growing_label(of->get()), "urls");
    EXPECT_EQ(Lost(*of, 1, 5000), 0u);
    EXPECT_GT(Lost(*of, 2, 5000), 4800u) << "it goes its own way";
    EXPECT_EQ(lfb_growing_mapped_sync(of->get()), LFB_ERROR_NOT_MAPPED);
    EXPECT_EQ(lfb_growing_mapped_recount(of->get()), LFB_ERROR_NOT_MAPPED);
  }
}

TEST_F(GrowingMapped, AKeyedOneOpensWithItsKeyAlone) {
  lfb_config config = Config(1024, 0.01, LFB_FAST);
  config.hash = LFB_HASH_SIPHASH13;
  config.seed = 0;
  config.key[0] = 7;
  Growing mapped = Create(config);
  PutSome(mapped, 1, 0, 5000);
  const uint8_t other[16] = {1};
  lfb_read_limits limits{};
  EXPECT_EQ(TryOpen(), LFB_ERROR_KEY_NEEDED);
  limits.key = other;
  EXPECT_EQ(TryOpen(nullptr, &limits), LFB_ERROR_WRONG_KEY);
  limits.key = config.key;
  Growing opened;
  ASSERT_EQ(TryOpen(&opened, &limits), LFB_OK);
  PutSome(opened, 1, 5000, 20000);
  EXPECT_EQ(Lost(mapped, 1, 20000), 0u);
}

TEST_F(GrowingMapped, TheLimitIsThatOfAllLayers) {
  const Growing mapped = Create();
  PutSome(mapped, 1, 0, 5000);
  lfb_read_limits limits{};
  limits.max_bytes = Figures(mapped).bytes;
  EXPECT_EQ(TryOpen(nullptr, &limits), LFB_OK);
  for (uint64_t most : {limits.max_bytes - 1, uint64_t{1}}) {
    limits.max_bytes = most;
    EXPECT_EQ(TryOpen(nullptr, &limits), LFB_ERROR_OVER_LIMIT);
  }
}

// ---- what is refused -------------------------------------------------------------------

TEST_F(GrowingMapped, WhatCannotBeMadeLeavesNoFile) {
  Growing made;
  EXPECT_EQ(TryCreate(Config(1024, 0.01, LFB_GO_FNV14), &made), LFB_ERROR_CANNOT_GROW);
  EXPECT_EQ(TryCreate(Config(1024, 0, LFB_FAST), &made), LFB_ERROR_FPP_TOO_LOW);
  EXPECT_EQ(FilesThere(), 0u);
  for (const std::string& taken : {Head(), Layer(0), Layer(63)}) {
    Write(taken, "x");
    EXPECT_EQ(TryCreate(Config(1024, 0.01, LFB_FAST), &made), LFB_ERROR_EXISTS) << taken;
    EXPECT_EQ(FilesThere(), 1u);
    unlink(taken.c_str());
  }
  lfb_growing* growing = nullptr;
  const lfb_config config = Config(1024, 0.01, LFB_FAST);
  EXPECT_EQ(lfb_growing_mapped_create((Head() + "/none").c_str(), &config, &growing),
            LFB_ERROR_OPEN);
  EXPECT_EQ(growing, nullptr);
}

TEST_F(GrowingMapped, OtherFilesAreToldApart) {
  lfb_filter* plain = nullptr;
  lfb_growing* loaded = nullptr;
  EXPECT_EQ(TryOpen(), LFB_ERROR_OPEN);
  const Growing mapped = Create();
  EXPECT_EQ(lfb_filter_load(Head().c_str(), nullptr, &plain), LFB_ERROR_GROWING_MAPPED);
  EXPECT_EQ(lfb_growing_load(Head().c_str(), nullptr, &loaded), LFB_ERROR_GROWING_MAPPED);
  EXPECT_EQ(lfb_mapped_open(Head().c_str(), nullptr, &plain), LFB_ERROR_UNKNOWN_FORM);
  ASSERT_EQ(lfb_growing_save(MakeGrowing(Config(1024, 0.01, LFB_FAST)).get(), Head().c_str()),
            LFB_OK);
  EXPECT_EQ(TryOpen(), LFB_ERROR_NOT_MAPPED);
  ASSERT_EQ(lfb_filter_save(Make(1000, 0.01).get(), LFB_FORM_NATIVE, Head().c_str()), LFB_OK);
  EXPECT_EQ(TryOpen(), LFB_ERROR_NOT_GROWING);
  Write(Head(), std::string(5000, '?'));
  EXPECT_EQ(TryOpen(), LFB_ERROR_UNKNOWN_FORM);
}

// A head that is cut short, forged, or says more layers than there are.
TEST_F(GrowingMapped, ADamagedHeadIsRefused) {
  { PutSome(Create(), 1, 0, 5000); }
  const std::string whole = Bytes(Head());
  ASSERT_EQ(whole.size(), 4096u);
  for (size_t size : {0, 5, 300, 511, 512, 4095}) {
    Write(Head(), whole.substr(0, size));
    EXPECT_EQ(TryOpen(), LFB_ERROR_TRUNCATED) << size;
  }
  Write(Head(), whole + "x");
  EXPECT_EQ(TryOpen(), LFB_ERROR_TRAILING_BYTES);
  for (size_t at = 0; at < 512; at++) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    Write(Head(), changed);
    ASSERT_NE(TryOpen(), LFB_OK) << at;
  }
  Write(Head(), whole);
  for (uint64_t count : {uint64_t{4}, uint64_t{64}}) {
    SetCount(count);
    EXPECT_EQ(TryOpen(), LFB_ERROR_LAYER_MISSING) << count;
  }
  for (uint64_t count : {uint64_t{65}, UINT64_MAX}) {
    SetCount(count);
    EXPECT_EQ(TryOpen(), LFB_ERROR_BAD_HEADER) << count;
  }
  SetCount(3);
  EXPECT_EQ(TryOpen(), LFB_OK);
}

// A layer that is missing, damaged, another's, or in another's place.
TEST_F(GrowingMapped, AMissingDamagedOrReplacedLayerIsRefused) {
  { PutSome(Create(), 1, 0, 5000); }
  const std::string first = Bytes(Layer(0)), second = Bytes(Layer(1));
  const auto with = [&](uint32_t number, const std::string& bytes) {
    const std::string whole = Bytes(Layer(number));
    Write(Layer(number), bytes);
    const lfb_status status = TryOpen();
    Write(Layer(number), whole);
    return status;
  };
  for (uint32_t number : {0, 1, 2}) {
    const std::string aside = Layer(number) + "-aside", whole = Bytes(Layer(number));
    ASSERT_EQ(rename(Layer(number).c_str(), aside.c_str()), 0);
    EXPECT_EQ(TryOpen(), LFB_ERROR_LAYER_MISSING) << number;
    ASSERT_EQ(rename(aside.c_str(), Layer(number).c_str()), 0);
    EXPECT_EQ(with(number, whole.substr(0, whole.size() - 1)), LFB_ERROR_TRUNCATED);
    EXPECT_EQ(with(number, ""), LFB_ERROR_TRUNCATED);
    EXPECT_EQ(with(number, std::string(5000, '?')), LFB_ERROR_UNKNOWN_FORM);
    std::string changed = whole;
    changed[300] = static_cast<char>(changed[300] ^ 1);
    EXPECT_EQ(with(number, changed), LFB_ERROR_BAD_CHECKSUM);
    EXPECT_EQ(with(number, Bytes(Head())), LFB_ERROR_UNKNOWN_FORM);
  }
  EXPECT_EQ(with(0, second), LFB_ERROR_LAYER_REPLACED);
  EXPECT_EQ(with(1, first), LFB_ERROR_LAYER_REPLACED);
  const Filter plain = Make(1024, 0.01, LFB_FAST);
  ASSERT_EQ(lfb_filter_save(plain.get(), LFB_FORM_MAPPED, (Head() + "-plain").c_str()), LFB_OK);
  EXPECT_EQ(with(1, Bytes(Head() + "-plain")), LFB_ERROR_LAYER_REPLACED);
  const lfb_config config = Config(1024, 0.01, LFB_FAST);
  lfb_growing* other = nullptr;
  ASSERT_EQ(lfb_growing_mapped_create((Head() + "-other").c_str(), &config, &other), LFB_OK);
  const Growing owner(other);
  PutSome(owner, 1, 0, 5000);
  EXPECT_EQ(with(1, Bytes(Head() + "-other.1")), LFB_ERROR_LAYER_REPLACED);
  const Growing whole = Open();
  EXPECT_EQ(Lost(whole, 1, 5000), 0u);
  ASSERT_EQ(rename((Head() + "-other.1").c_str(), Layer(1).c_str()), 0);
  EXPECT_EQ(lfb_growing_mapped_sync(whole.get()), LFB_ERROR_REPLACED);
}

// ---- several processes, here several times opened ----------------------------------------

// What one opening adds, the other finds, whichever call it makes.  Seen to fail with layers
// that are not looked for (the planted bug "unfollowed").
TEST_F(GrowingMapped, AnotherFindsWhatIsInANewLayer) {
  const Growing one = Create(), other = Open();
  const lfb_growing* watching = nullptr;
  ASSERT_EQ(lfb_growing_mapped_open_read_only(Head().c_str(), nullptr, &watching), LFB_OK);
  for (uint64_t end = 500; end < 40000; end *= 2) {
    PutSome(one, 1, 0, end);
    std::vector<uint64_t> keys(end);
    for (uint64_t i = 0; i < end; i++) keys[i] = Mix(1, i);
    if (end % 3 == 0) {
      ASSERT_EQ(lfb_growing_might_contain_many_u64(other.get(), keys.data(), end, nullptr), end);
    }
    ASSERT_EQ(lfb_growing_put_many_u64(other.get(), keys.data(), end, nullptr), 0u);
    ASSERT_EQ(lfb_growing_claim_many_u64(other.get(), keys.data(), end, nullptr), 0u);
    for (uint64_t i = 0; i < end; i++) {
      ASSERT_TRUE(lfb_growing_might_contain_u64(watching, keys[i])) << i;
      ASSERT_FALSE(lfb_growing_claim_u64(other.get(), keys[i])) << i;
    }
  }
  EXPECT_GE(Figures(other).layers, 6u);
  EXPECT_EQ(Figures(other).layers, Figures(one).layers);
  EXPECT_EQ(Figures(other).bits_set, Figures(one).bits_set);
  lfb_growing_mapped_close(watching);
}

// A layer that cannot be opened: never a wrong "no", no claim is won, nothing is written of
// what may lack keys; and once it can be, all is as it should be.
TEST_F(GrowingMapped, WhoCannotOpenALayerSaysMaybe) {
  const Growing one = Create(), other = Open();
  PutSome(one, 1, 0, 900);
  EXPECT_EQ(Figures(other).layers, 1u);
  uint64_t put = 900;
  while (Figures(one).layers < 2) PutSome(one, 1, put, put + 1), put++;
  ASSERT_EQ(rename(Layer(1).c_str(), (Head() + "-aside").c_str()), 0);
  PutSome(one, 1, put, 2000);
  EXPECT_EQ(Lost(other, 1, 2000), 0u);
  std::vector<uint64_t> keys(2000), answers(2000 / 64 + 1);
  for (uint64_t i = 0; i < keys.size(); i++) keys[i] = Mix(1, i);
  EXPECT_EQ(lfb_growing_might_contain_many_u64(other.get(), keys.data(), 2000, answers.data()),
            2000u);
  EXPECT_EQ(answers[0], UINT64_MAX);
  EXPECT_EQ(lfb_growing_claim_many_u64(other.get(), keys.data(), 2000, answers.data()), 0u);
  EXPECT_EQ(answers[0], 0u);
  EXPECT_FALSE(lfb_growing_claim_u64(other.get(), Mix(9, 9)));
  EXPECT_EQ(Figures(other).stuck, LFB_ERROR_LAYER_MISSING);
  EXPECT_EQ(Figures(other).expected_fpp, 1);
  lfb_growing* copy = nullptr;
  EXPECT_EQ(lfb_growing_copy(other.get(), &copy), LFB_ERROR_LAYER_MISSING);
  EXPECT_EQ(lfb_growing_save(other.get(), (Head() + "-saved").c_str()), LFB_ERROR_LAYER_MISSING);
  EXPECT_EQ(lfb_growing_mapped_sync(other.get()), LFB_ERROR_LAYER_MISSING);
  EXPECT_EQ(lfb_growing_mapped_recount(other.get()), LFB_ERROR_LAYER_MISSING);
  lfb_growing_put_u64(other.get(), Mix(5, 5));  // into the layer that it has
  EXPECT_TRUE(Has(one, Mix(5, 5)));
  ASSERT_EQ(rename((Head() + "-aside").c_str(), Layer(1).c_str()), 0);
  EXPECT_FALSE(Has(other, Mix(9, 9)));
  EXPECT_TRUE(lfb_growing_claim_u64(other.get(), Mix(9, 9)));
  EXPECT_EQ(Figures(other).stuck, LFB_OK);
  EXPECT_EQ(Figures(other).layers, 2u);
}

// Who died after a layer got its name and before the head told of it; who died after the head
// had got its name and before the first layer had.
TEST_F(GrowingMapped, ALayerThatNobodyWasToldOfIsTaken) {
  uint64_t put = 0;
  {
    const Growing dead = Create();
    while (Figures(dead).layers < 3) PutSome(dead, 1, put, put + 1), put++;
  }
  SetCount(2);
  Growing opened = Open();
  EXPECT_EQ(Figures(opened).layers, 2u);
  PutSome(opened, 1, put, 10000);
  EXPECT_GE(Figures(opened).layers, 4u);
  EXPECT_EQ(Lost(Open(), 1, 10000), 0u);
  opened.reset();
  for (uint32_t i = 0; i < 10; i++) unlink(Layer(i).c_str());
  SetCount(0);
  opened = Open();
  PutSome(opened, 2, 0, 5000);
  EXPECT_EQ(Lost(Open(), 2, 5000), 0u);
}

// A child goes on with what its parent has opened, and both find what the other put.
TEST_F(GrowingMapped, AChildGoesOn) {
  const Growing growing = Create();
  PutSome(growing, 1, 0, 3000);
  InProcesses(3, [&](unsigned p) {
    PutSome(growing, 10 + p, 0, 5000);
    for (uint64_t i = 0; i < 3000; i++)
      if (!lfb_growing_claim_u64(growing.get(), Mix(20 + p, i)) && i < 10) _exit(1);
    if (Lost(growing, 1, 3000) + Lost(growing, 10 + p, 5000) + Lost(growing, 20 + p, 3000) != 0)
      _exit(2);
  });
  PutSome(growing, 1, 3000, 6000);
  for (unsigned p = 0; p < 3; p++) EXPECT_EQ(Lost(growing, 10 + p, 5000), 0u);
  for (unsigned p = 0; p < 3; p++) EXPECT_EQ(Lost(growing, 20 + p, 3000), 0u);
  EXPECT_EQ(Lost(growing, 1, 6000), 0u);
}

// ---- races of processes ------------------------------------------------------------------

constexpr unsigned kProcesses = 4;

// Of processes that make one filter at once, one does; the others open what it made, and what
// all of them put is there.  Seen to fail each time with a head that is taken for the creator's
// own where another's stood.
TEST_F(GrowingMapped, OneOfSeveralCreatorsMakesIt) {
  constexpr unsigned kRounds = kUnderTsan ? 10 : 40;
  for (unsigned round = 0; round < kRounds; round++) {
    const Shared<std::atomic<unsigned>> waiting, made;
    *waiting.get() = kProcesses;
    InProcesses(kProcesses, [&](unsigned p) {
      const lfb_config config = Config(1024, 0.01, LFB_FAST);
      lfb_growing* growing = nullptr;
      for (--*waiting.get(); *waiting.get() > 0;) sched_yield();
      lfb_status status = lfb_growing_mapped_create(Head().c_str(), &config, &growing);
      *made.get() += status == LFB_OK;
      // The first layer's name may be taken a moment before the head has its own.
      while (status == LFB_ERROR_EXISTS || status == LFB_ERROR_OPEN)
        status = lfb_growing_mapped_open(Head().c_str(), nullptr, &growing);
      if (status != LFB_OK) _exit(1);
      PutSome(Growing(growing), 100 * round + p, 0, 1500);
    });
    ASSERT_EQ(*made.get(), 1u) << round;
    const Growing all = Open();
    for (unsigned p = 0; p < kProcesses; p++)
      ASSERT_EQ(Lost(all, 100 * round + p, 1500), 0u) << round;
    const uint32_t layers = Figures(all).layers;
    ASSERT_EQ(FilesThere(), layers + 1);
    unlink(Head().c_str());
    for (uint32_t i = 0; i < layers; i++) unlink(Layer(i).c_str());
  }
}

// Processes put keys of their own while layers are added, and look for what the others have
// put.  Seen to fail each time with layers that are not looked for (the planted bug
// "unfollowed"), and with a head that is told of a layer only when the next is added.
TEST_F(GrowingMapped, WhatOneProcessPutsTheOthersFind) {
  constexpr uint64_t kKeys = kUnderTsan ? 4000 : 20000;
  struct Progress {
    std::atomic<uint64_t> put[kProcesses];
    std::atomic<uint64_t> lost;
  };
  const Shared<Progress> progress;
  const Growing growing = Create(Config(1024, 0.001, LFB_FAST));
  InProcesses(kProcesses, [&](unsigned p) {
    const Growing mine = Open();
    uint64_t lost = 0;
    for (uint64_t i = 0; i < kKeys; i++) {
      lfb_growing_put_u64(mine.get(), Mix(p, i));
      progress->put[p].store(i + 1, std::memory_order_release);
      const unsigned other = (p + i) % kProcesses;
      const uint64_t there = progress->put[other].load(std::memory_order_acquire);
      if (there > 0) lost += !Has(mine, Mix(other, there - 1));
    }
    progress->lost += lost;
  });
  EXPECT_EQ(progress->lost, 0u);
  for (unsigned p = 0; p < kProcesses; p++) EXPECT_EQ(Lost(growing, p, kKeys), 0u);
  EXPECT_GE(Figures(growing).layers, 4u);
  ExpectOneLayerALevel(growing);
}

// All processes claim the same keys while layers are added: each key has one winner.
TEST_F(GrowingMapped, EachKeyIsClaimedByOneProcess) {
  constexpr uint64_t kKeys = kUnderTsan ? 10000 : 15000;
  struct Winners {
    std::atomic<unsigned> of[kKeys];
  };
  const Shared<Winners> winners;
  { Create(Config(1024, 1e-9, LFB_FAST)); }
  InProcesses(kProcesses, [&](unsigned p) {
    const Growing mine = Open();
    for (uint64_t i = 0; i < kKeys; i++) {
      const uint64_t key = (i + 10 * p) % kKeys;
      winners->of[key] += lfb_growing_claim_u64(mine.get(), Mix(1, key));
    }
  });
  uint64_t wrong = 0;
  for (const auto& count : winners->of) wrong += count != 1;
  EXPECT_EQ(wrong, 0u);
  EXPECT_GE(Figures(Open()).layers, 4u);
}

// ---- death -------------------------------------------------------------------------------

struct Returned {
  std::atomic<uint64_t> put[kProcesses];
};

// Processes that put while layers are added are killed at random moments, over and over on
// one file: each put that had returned is found, by who had the filter open and by who opens
// it then; a recount makes the count exact, and it goes on growing.  Seen to fail with a head
// that is told of a layer only when the next is added.
TEST_F(GrowingMapped, NoPutThatReturnedIsLostWhoeverIsKilled) {
  constexpr unsigned kRounds = kUnderTsan ? 20 : 100, kRoundsOfAFile = 5;
  const Shared<Returned> returned;
  std::mt19937 random(1);
  Growing watching;
  uint64_t puts = 0, grown = 0;
  for (unsigned round = 0; round < kRounds; round++) {
    if (round % kRoundsOfAFile == 0) {
      watching.reset();
      for (uint32_t i = 0; i < LFB_GROWING_LAYERS; i++) unlink(Layer(i).c_str());
      unlink(Head().c_str());
      watching = Create();
    }
    const uint32_t before = Figures(watching).layers;
    pid_t children[kProcesses];
    for (unsigned p = 0; p < kProcesses; p++) {
      returned->put[p] = 0;
      children[p] = fork();
      ASSERT_GE(children[p], 0);
      if (children[p] != 0) continue;
      const Growing mine = Open();
      for (uint64_t i = 0;; i++) {
        lfb_growing_put_u64(mine.get(), Mix(kProcesses * round + p, i));
        returned->put[p].store(i + 1, std::memory_order_release);
      }
    }
    const uint64_t enough = random() % 2000;  // by its own pace, not by the clock
    while (returned->put[random() % kProcesses] <= enough) usleep(100);
    for (unsigned p = 0; p < kProcesses; p++) {
      usleep(random() % 300);
      kill(children[p], SIGKILL);
    }
    for (pid_t child : children) {
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status)) << round;
    }
    const Growing opened = Open();
    ASSERT_EQ(lfb_growing_mapped_recount(opened.get()), LFB_OK) << round;
    for (unsigned p = 0; p < kProcesses; p++) {
      const uint64_t stream = kProcesses * round + p;
      ASSERT_EQ(Lost(watching, stream, returned->put[p]), 0u) << round;
      ASSERT_EQ(Lost(opened, stream, returned->put[p]), 0u) << round;
      puts += returned->put[p];
    }
    const lfb_layer* layer = lfb_layers_newest(opened.get());
    for (; layer != nullptr; layer = layer->older)
      ASSERT_EQ(lfb_stripes_sum(&layer->filter->layout.count),
                lfb_bits_count(&layer->filter->layout.bits));
    ASSERT_FALSE(Figures(opened).bits_set_low);
    ASSERT_LT(Figures(opened).expected_fpp, 0.01) << round;
    // The head, the layers, and at most one that somebody made and died before he told of it.
    ASSERT_GE(FilesThere(), Figures(opened).layers + 1);
    ASSERT_LE(FilesThere(), Figures(opened).layers + 2) << "a half-made file is left";
    grown += Figures(opened).layers > before;
  }
  EXPECT_GT(puts, kRounds * kProcesses * 100u);
  EXPECT_GT(grown, kRounds / 10) << "hardly any layer was added while processes died";
}

}  // namespace
