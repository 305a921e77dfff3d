// Growing filters in files that processes share: every process finds each key with a put that
// returned, while layers are added.  growing_processes_test restricts and kills them.
#include <fcntl.h>
#include <lfbloom/growing_mapped.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "bloom/growing/growing_files.h"
#include "bloom/files/mapping.h"
#include "tests/support/files.h"
#include "tests/support/growings.h"
#include "tests/support/mapped.h"
#include "tests/support/native_bytes.h"
#include "tests/support/race.h"
#include "tests/support/shared.h"

namespace {

// The file of a growing filter, alone in a folder.
class GrowingMapped : public testing::Test {
 protected:
  GrowingMapped() { std::filesystem::create_directory(folder_.c_str()); }
  ~GrowingMapped() override { std::filesystem::remove_all(folder_.c_str()); }

  std::string Head() const { return std::string(folder_.c_str()) + "/g"; }
  Growing Create(const lfb_config& config = Config(1024, 0.01, LFB_FAST)) const {
    return Made<Growing>(lfb_growing_mapped_create, Head().c_str(), &config);
  }
  lfb_status TryOpen(Growing* opened = nullptr) const {
    lfb_growing* growing = nullptr;
    const lfb_growing* reading = nullptr;
    const lfb_status status = any::open_shared<lfb_growing>(Head().c_str(), nullptr, &growing);
    EXPECT_EQ(status == LFB_OK, growing != nullptr);
    EXPECT_EQ(any::open_in_place<lfb_growing>(Head().c_str(), nullptr, &reading), status)
        << "both ways to open agree";
    any::free<lfb_growing>(reading);
    Growing owner(growing);
    if (opened != nullptr) *opened = std::move(owner);
    return status;
  }
  Growing Open() const { return Made<Growing>(any::open_shared<lfb_growing>, Head().c_str(),
                                              nullptr); }
  size_t FilesThere() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.c_str()))
      count++;
    return count;
  }
  void Write(const std::string& path, const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  // Writes a word of the head.
  void SetWord(size_t at, uint64_t word) const {
    std::fstream head(Head(), std::ios::binary | std::ios::in | std::ios::out);
    head.seekp(static_cast<std::streamoff>(at));
    head.write(reinterpret_cast<const char*>(&word), sizeof word);
  }
  uint64_t Word(size_t at) const {
    std::ifstream head(Head(), std::ios::binary);
    uint64_t word = 0;
    head.seekg(static_cast<std::streamoff>(at));
    head.read(reinterpret_cast<char*>(&word), sizeof word);
    return word;
  }
  // The number of layers in the head, and the geometry of one of them.
  void SetCount(uint64_t count) const { SetWord(LFB_GROWING_COUNT, count); }
  void SetEntry(uint32_t number, uint64_t entry) const {
    SetWord(LFB_GROWING_TABLE + 8 * number, entry);
  }
  uint64_t Entry(uint32_t number) const { return Word(LFB_GROWING_TABLE + 8 * number); }

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

// If no process has died, the sum of bits in the file, by which a layer is found full, is that
// of its words.  The step between two sums is the shortest: another process does not know of a
// longer one.
void ExpectCountedInTheFile(const Growing& growing) {
  const lfb_layer* layer = lfb_layers_newest(growing.get());
  for (; layer != nullptr; layer = layer->older) {
    EXPECT_EQ(layer->step_shift, layer->least_shift) << layer->number;
    EXPECT_EQ(lfb_bit_array_count(&layer->filter->layout.bits),
              lfb_filter_recount(&layer->filter->layout.bits))
        << layer->number;
  }
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
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

// ---- one process --------------------------------------------------------------------

class EveryMappedGrows : public GrowingMapped,
                         public testing::WithParamInterface<lfb_strategy_id> {};
INSTANTIATE_TEST_SUITE_P(All, EveryMappedGrows, testing::ValuesIn(SizedStrategies()),
                         StrategyTestName);

// It answers, grows and counts like one in memory with the same keys, also after it was closed
// and opened.
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
      fresh += any::put_many(mapped.get(), keys.data(), keys.size(), nullptr);
    } else {
      for (uint64_t key : keys) fresh += lfb_growing_claim_u64(mapped.get(), key);
    }
    for (uint64_t key : keys) lfb_growing_put_u64(memory.get(), key);
  }
  for (uint64_t i = 0; i < 12000; i++) ASSERT_TRUE(Has(mapped, Mix(1, i))) << i;
  // A false positive occurs now and then (redis-mitz32's is 21487): 0.05 are expected with double
  // hashing, which is worse than the formula for so small a layer.
  uint64_t wrong = 12000 - fresh;
  for (uint64_t i = 12000; i < 30000; i++) wrong += Has(mapped, Mix(1, i));
  EXPECT_LE(wrong, 3u);
  const lfb_growing_figures a = Figures(memory), b = Figures(mapped);
  const lfb_layer *one = lfb_layers_newest(memory.get()), *other = lfb_layers_newest(mapped.get());
  for (; one != nullptr && other != nullptr; one = one->older, other = other->older)
    EXPECT_EQ(one->filter->description.geometry.words_per_key,
              other->filter->description.geometry.words_per_key);
  EXPECT_EQ(a.strategy, b.strategy);
  EXPECT_EQ(a.first_insertions, b.first_insertions);
  EXPECT_EQ(a.fpp, b.fpp);
  EXPECT_EQ(a.layers, b.layers);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(b.stuck, LFB_OK);
  // So small a layer with so small a probability shows what double hashing adds.
  EXPECT_EQ(b.expected_fpp > config.fpp, mapped->first->strategy->double_hashing);
  EXPECT_EQ(FilesThere(), 1u);
  EXPECT_EQ(any::sync<lfb_growing>(mapped.get()), LFB_OK);
  ExpectOneLayerALevel(mapped);
  ExpectCountedInTheFile(mapped);
}

// A first layer of a whole number of 64 KiB, so that the second one could begin where it ends.
lfb_config ConfigOfWholePieces() {
  lfb_config config = Config(40000, 0.01, LFB_FAST);
  lfb_stats plan{};
  for (;; config.expected_insertions += 10) {
    lfb_config first = config;
    first.fpp = config.fpp / 4;  // of layer 0: lfbloom/growing.h
    EXPECT_EQ(lfb_config_plan(&first, &plan), LFB_OK);
    if (plan.bytes % 65536 == 0) return config;
  }
}

// docs/formats.md: between two ranges at least a byte belongs to no layer.  On a file system that
// cannot reserve, a process that appends a layer writes the byte after it (ranges.c), and by then
// another process may have put into the next layer.  Seen to fail without the gap.
TEST_F(GrowingMapped, AByteBetweenTwoLayersIsFree) {
  const lfb_config config = ConfigOfWholePieces();
  {
    const Growing mapped = Create(config);
    for (uint64_t i = 0; Figures(mapped).layers < 2; i += 1000) PutSome(mapped, 1, i, i + 1000);
    PutSome(mapped, 2, 0, 10000);
  }
  const std::string bytes = FileBytes(Head());
  const size_t first = LFB_GROWING_HEAD + 65536, end = first + (Entry(0) >> 16) / 8;
  ASSERT_EQ(end % 65536, 0u);
  EXPECT_EQ(bytes.find_first_not_of('\0', LFB_GROWING_HEAD) / 512, first / 512);
  EXPECT_EQ(bytes.find_first_not_of('\0', end) / 512, (end + 65536) / 512);
}

TEST_F(GrowingMapped, IsCopiedAndSaved) {
  Growing mapped = Create();
  PutSome(mapped, 1, 0, 5000);
  const Growing copy = Copy(mapped);
  ASSERT_EQ(any::save<lfb_growing>(mapped.get(), (Head() + "-saved").c_str()), LFB_OK);
  const Growing saved = Made<Growing>(any::load<lfb_growing>, (Head() + "-saved").c_str(), nullptr);
  PutSome(mapped, 2, 0, 5000);
  for (const Growing* of : {&copy, &saved}) {
    EXPECT_EQ(Lost(*of, 1, 5000), 0u);
    EXPECT_GT(Lost(*of, 2, 5000), 4800u) << "it goes its own way";
    EXPECT_EQ(any::sync<lfb_growing>(of->get()), LFB_ERROR_NOT_MAPPED);
  }
}

TEST_F(GrowingMapped, IsFastByDefault) {
  EXPECT_EQ(Figures(Create(Config(1024, 0.1, LFB_DEFAULT))).strategy, LFB_FAST);
}

// ---- files that are refused ---------------------------------------------------------------

// A file with a head that announces more layers than exist, or none.
TEST_F(GrowingMapped, ADamagedFileIsRefused) {
  { PutSome(Create(), 1, 0, 5000); }
  for (uint64_t count : {uint64_t{0}, uint64_t{4}, uint64_t{64}, uint64_t{65}, UINT64_MAX}) {
    SetCount(count);
    EXPECT_EQ(TryOpen(), LFB_ERROR_BAD_HEADER) << count;
  }
  SetCount(3);
  EXPECT_EQ(TryOpen(), LFB_OK);
}

// A forged table: an entry that is no layer, or not in the file, is refused. One that could be a
// layer is used without harm.
TEST_F(GrowingMapped, ATableThatLiesDoesNoHarm) {
  { PutSome(Create(), 1, 0, 5000); }
  const std::string whole = FileBytes(Head());
  const uint64_t truth = Entry(1);
  const struct {
    uint64_t entry;
    lfb_status status;
  } lies[] = {
      {0, LFB_ERROR_BAD_HEADER},
      {UINT64_MAX, LFB_ERROR_BAD_HEADER},
      {truth & ~uint64_t{0xff}, LFB_ERROR_BAD_HEADER},          // no probes
      {truth | 0xff, LFB_ERROR_BAD_HEADER},                     // too many
      {truth & 0xffff, LFB_ERROR_BAD_HEADER},                   // no bits
      {uint64_t{512} << 16 | (truth & 0xffff), LFB_ERROR_BAD_HEADER},  // too few
      {uint64_t{1} << 62 | (truth & 0xffff), LFB_ERROR_TRUNCATED},     // not in the file
      {truth + (uint64_t{1} << 16), LFB_ERROR_BAD_HEADER},      // not a whole line
  };
  for (const auto& lie : lies) {
    SetEntry(1, lie.entry);
    EXPECT_EQ(TryOpen(), lie.status) << std::hex << lie.entry;
  }
  size_t opened = 0;
  for (uint64_t i = 0; i < 500; i++) {
    Write(Head(), whole);
    const uint64_t bits = (Mix(9, i) % 64 + 1) << (9 + Mix(8, i) % 12);
    const uint64_t random = Mix(7, i);
    SetEntry(static_cast<uint32_t>(i % 3), i % 2 == 0 ? random : bits << 16 | (truth & 0xffff));
    Growing growing;
    if (TryOpen(&growing) != LFB_OK) continue;
    opened++;
    PutSome(growing, 2, 0, 3000);
    ASSERT_EQ(Lost(growing, 2, 3000), 0u);
  }
  EXPECT_GT(opened, 0u);
  Write(Head(), whole);
  EXPECT_EQ(Lost(Open(), 1, 5000), 0u);
}

// A first layer that has more of the fpp than new files give it, as one of the module may: the
// others have what it leaves, in each process.  Seen to fail with the first one's share taken for
// that of new files.
TEST_F(GrowingMapped, AFirstLayerWithAThirdOfTheFppLeavesTheRest) {
  constexpr double kFirst = 0.01 / 3;
  { Create(); }
  std::string bytes = FileBytes(Head());
  uint64_t word = 0;
  std::memcpy(&word, &kFirst, sizeof word);
  Store(&bytes, LFB_GROWING_FIRST + 56, word);
  SealHeader(&bytes, LFB_GROWING_FIRST);
  Write(Head(), bytes);
  const Growing one = Open(), other = Open();
  PutSome(one, 1, 0, 70'000);
  EXPECT_EQ(lfb_growing_stuck(one.get()), LFB_OK);
  EXPECT_EQ(Lost(other, 1, 70'000), 0u);
  const lfb_layer* mine = lfb_layers_newest(one.get());
  const lfb_layer* others = lfb_layers_newest(other.get());
  EXPECT_GE(mine->number, 5u);
  ASSERT_EQ(mine->number, others->number);
  EXPECT_EQ(lfb_layers_at(mine, 0)->filter->description.config.fpp, kFirst);
  EXPECT_EQ(mine->filter->description.config.fpp, others->filter->description.config.fpp);
}

// ---- several processes, here several openings ---------------------------------------------

// Layers that one opening adds are found by the other in each of its calls. Seen to fail with
// layers that are not looked for (the planted bug "unfollowed").
TEST_F(GrowingMapped, AnotherFindsWhatIsInANewLayer) {
  const Growing one = Create(), other = Open();
  const lfb_growing* watching = nullptr;
  ASSERT_EQ(any::open_in_place<lfb_growing>(Head().c_str(), nullptr, &watching), LFB_OK);
  for (uint64_t end = 500; end < 40000; end *= 2) {
    PutSome(one, 1, 0, end);
    std::vector<uint64_t> keys(end);
    for (uint64_t i = 0; i < end; i++) keys[i] = Mix(1, i);
    if (end % 3 == 0) {
      ASSERT_EQ(any::might_contain_many(other.get(), keys.data(), end, nullptr), end);
    }
    ASSERT_EQ(any::put_many(other.get(), keys.data(), end, nullptr), 0u);
    ASSERT_EQ(any::claim_many(other.get(), keys.data(), end, nullptr), 0u);
    for (uint64_t i = 0; i < end; i++) {
      ASSERT_TRUE(lfb_growing_might_contain_u64(watching, keys[i])) << i;
      ASSERT_FALSE(lfb_growing_claim_u64(other.get(), keys[i])) << i;
    }
  }
  EXPECT_GE(Figures(other).layers, 6u);
  EXPECT_EQ(Figures(other).layers, Figures(one).layers);
  EXPECT_EQ(Figures(other).bits_set, Figures(one).bits_set);
  any::free<lfb_growing>(watching);
}

// The answers of a filter that cannot open an existing layer: never a false negative. No claim
// wins, and nothing is written from a filter that may lack keys.
void ExpectMaybeOfAll(const Growing& growing, lfb_status stuck, const std::string& path) {
  std::vector<uint64_t> keys(2000), answers(2000 / 64 + 1);
  for (uint64_t i = 0; i < keys.size(); i++) keys[i] = Mix(1, i);
  EXPECT_EQ(Lost(growing, 1, 2000), 0u);
  EXPECT_TRUE(Has(growing, Mix(9, 9)));
  EXPECT_EQ(any::might_contain_many(growing.get(), keys.data(), 2000, answers.data()),
            2000u);
  EXPECT_EQ(answers[0], UINT64_MAX);
  EXPECT_EQ(any::claim_many(growing.get(), keys.data(), 2000, answers.data()), 0u);
  EXPECT_EQ(answers[0], 0u);
  EXPECT_FALSE(lfb_growing_claim_u64(growing.get(), Mix(9, 9)));
  EXPECT_EQ(Figures(growing).stuck, stuck);
  EXPECT_EQ(Figures(growing).expected_fpp, 1);
  lfb_growing* copy = nullptr;
  EXPECT_EQ(any::copy<lfb_growing>(growing.get(), &copy), stuck);
  EXPECT_EQ(any::save<lfb_growing>(growing.get(), (path + "-saved").c_str()), stuck);
}

// Once the layer can be opened, everything is normal again.
TEST_F(GrowingMapped, AProcessThatCannotOpenALayerAnswersMaybe) {
  const Growing one = Create(), other = Open();
  PutSome(one, 1, 0, 900);
  EXPECT_EQ(Figures(other).layers, 1u);
  uint64_t put = 900;
  while (Figures(one).layers < 2) PutSome(one, 1, put, put + 1), put++;
  PutSome(one, 1, put, 2000);
  const uint64_t entry = Entry(1);
  for (const auto& [lie, status] : {std::pair{uint64_t{0}, LFB_ERROR_BAD_HEADER},
                                    {uint64_t{1} << 62 | (entry & 0xffff), LFB_ERROR_TRUNCATED}}) {
    SetEntry(1, lie);
    ExpectMaybeOfAll(other, status, Head());
    EXPECT_EQ(any::sync<lfb_growing>(other.get()), status);
  }
  lfb_growing_put_u64(other.get(), Mix(5, 5));  // into the layer that it has
  EXPECT_TRUE(Has(one, Mix(5, 5)));
  SetEntry(1, entry);
  EXPECT_FALSE(Has(other, Mix(9, 9)));
  EXPECT_TRUE(lfb_growing_claim_u64(other.get(), Mix(9, 9)));
  EXPECT_EQ(Figures(other).stuck, LFB_OK);
  EXPECT_EQ(Figures(other).layers, 2u);
}

// A program closes all descriptors and opens another file, which gets the filter's descriptor
// number. Puts, queries and claims still work, no layer is added or mapped, and the other file
// is untouched. Seen to fail, with a layer in the other file, when the file's identity was not
// checked.
TEST_F(GrowingMapped, AClosedDescriptorIsNoticedAndAnothersIsLeftAlone) {
  const Growing one = Create(), other = Open();
  PutSome(one, 1, 0, 900);
  const std::string foreign = Head() + "-foreign", mine(1 << 20, 'm');
  Write(foreign, mine);
  InProcesses(1, [&](unsigned) {
    const int fd = one->mapping->disk.fd;
    for (int each = 3; each < 1024; each++) close(each);
    const int opened = open(foreign.c_str(), O_RDWR);
    if (opened < 0 || (opened != fd && dup2(opened, fd) != fd)) _exit(1);
    PutSome(one, 1, 900, 20000);  // far more than one layer's capacity
    if (!lfb_growing_claim_u64(one.get(), Mix(3, 3))) {  // or all of its bits are on by now
      if (!Has(one, Mix(3, 3))) _exit(2);
    }
    if (Lost(one, 1, 20000) != 0) _exit(3);
    if (Figures(one).layers != 1 || Figures(one).stuck != LFB_ERROR_MAP) _exit(4);
    if (any::sync<lfb_growing>(one.get()) != LFB_ERROR_TRUNCATED) _exit(5);
    any::free<lfb_growing>(one.get());
    if (fcntl(fd, F_GETFD) < 0) _exit(6);
  });
  EXPECT_EQ(FileBytes(foreign), mine);
  EXPECT_EQ(Lost(other, 1, 20000), 0u);
}

// The same while another process adds a layer: this one cannot map it, and answers "maybe" with
// the reason.
TEST_F(GrowingMapped, WithoutItsDescriptorAProcessAnswersMaybe) {
  const Growing one = Create(), other = Open();
  InProcesses(1, [&](unsigned) {
    close(one->mapping->disk.fd);
    InProcesses(1, [&](unsigned) {
      PutSome(other, 1, 0, 5000);
      if (Figures(other).layers < 3) _exit(1);
    });
    if (!Has(one, Mix(9, 9)) || lfb_growing_claim_u64(one.get(), Mix(9, 9))) _exit(2);
    if (Figures(one).stuck != LFB_ERROR_MAP || Figures(one).layers != 1) _exit(3);
    lfb_growing_put_u64(one.get(), Mix(5, 5));  // into the layer that it has
    if (testing::Test::HasFailure()) _exit(4);
  });
  EXPECT_TRUE(Has(other, Mix(5, 5)));
  EXPECT_EQ(Lost(one, 1, 5000), 0u);
  EXPECT_EQ(Figures(one).stuck, LFB_OK);
  EXPECT_FALSE(Has(one, Mix(9, 9)));
}

// One process died after it chose a layer's geometry and before it raised the number of layers;
// another died after it had appended the range and before it chose the geometry.
TEST_F(GrowingMapped, ALayerThatIsNotCountedYetIsTaken) {
  uint64_t put = 0;
  {
    const Growing dead = Create();
    while (Figures(dead).layers < 3) PutSome(dead, 1, put, put + 1), put++;
  }
  const auto size = std::filesystem::file_size(Head());
  SetCount(2);
  Growing opened = Open();
  EXPECT_EQ(Figures(opened).layers, 2u);
  PutSome(opened, 2, 0, 100);
  while (Figures(opened).layers < 3) PutSome(opened, 1, put, put + 1), put++;
  EXPECT_EQ(std::filesystem::file_size(Head()), size) << "the range is used, not another one";
  PutSome(opened, 1, put, 10000);
  EXPECT_GE(Figures(opened).layers, 4u);
  EXPECT_EQ(Lost(Open(), 1, 10000), 0u);
  opened.reset();
  std::filesystem::resize_file(Head(), std::filesystem::file_size(Head()) + (1 << 20));
  opened = Open();
  const uint32_t layers = Figures(opened).layers;
  PutSome(opened, 1, 10000, 40000);
  EXPECT_GT(Figures(opened).layers, layers);
  const Growing again = Open();
  EXPECT_EQ(Lost(again, 1, 40000) + Lost(again, 2, 100), 0u);
  EXPECT_EQ(FilesThere(), 1u);
}

// ---- races of processes ------------------------------------------------------------------

constexpr unsigned kProcesses = 4;

// Processes find the same layer full and add the next one at once, 100 times over, from the
// first to the fourth layer, while another process opens the file all the time. There is one
// layer per level, each layer's count in the file is that of its words, and no key is lost. Seen
// to fail with a file with its size read before its layers.
TEST_F(GrowingMapped, ProcessesAddTheSameLayerAtOnce) {
  constexpr unsigned kRounds = kUnderTsan ? 10 : 100;
  constexpr uint64_t kEach = 2500;  // enough for four layers together
  for (unsigned round = 0; round < kRounds; round++) {
    { Create(); }
    const Shared<std::atomic<unsigned>> waiting, done;
    *waiting.get() = kProcesses;
    InProcesses(kProcesses + 1, [&](unsigned p) {
      if (p == kProcesses) {
        while (*done.get() < kProcesses) {
          lfb_growing* growing = nullptr;
          const lfb_growing* reading = nullptr;
          if (any::open_shared<lfb_growing>(Head().c_str(), nullptr, &growing) != LFB_OK) _exit(2);
          if (any::open_in_place<lfb_growing>(Head().c_str(), nullptr, &reading) != LFB_OK)
            _exit(3);
          lfb_growing_free(growing);
          any::free<lfb_growing>(reading);
        }
        return;
      }
      const Growing mine = Open();
      for (--*waiting.get(); *waiting.get() > 0;) sched_yield();
      PutSome(mine, 100 * round + p, 0, kEach);
      const uint64_t lost = Lost(mine, 100 * round + p, kEach);
      ++*done.get();
      if (lost != 0) _exit(1);
    });
    const Growing all = Open();
    ASSERT_GE(Figures(all).layers, 4u);
    for (unsigned p = 0; p < kProcesses; p++)
      ASSERT_EQ(Lost(all, 100 * round + p, kEach), 0u) << round;
    ExpectOneLayerALevel(all);
    ExpectCountedInTheFile(all);
    ASSERT_EQ(Entry(Figures(all).layers), 0u) << "a geometry for nothing";
    if (HasFailure()) return;
    unlink(Head().c_str());
  }
}

// Processes put keys of their own while layers are added, and query the others' keys. Seen to
// fail each time with layers that are not looked for (the planted bug "unfollowed"), and with a
// head that records a layer only when the next one is added.
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
  ExpectCountedInTheFile(growing);
}

}  // namespace
