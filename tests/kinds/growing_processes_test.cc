// Processes that share a growing filter's file: several of them add layers at once, with fewer
// rights and with hostile files in the folder.
#include <lfbloom/growing_mapped.h>

#include <filesystem>

#include "tests/support/anys.h"
#include "tests/support/processes.h"
#include "tests/support/skip.h"

namespace {

using Growing = std::unique_ptr<lfb_growing, Freed<lfb_growing_free>>;

Growing CreateGrowing(const char* path, uint64_t first = 1024) {
  lfb_growing* growing = nullptr;
  lfb_config config = Config(first, 1e-8, LFB_FAST);
  EXPECT_EQ(lfb_growing_mapped_create(path, &config, &growing), LFB_OK) << strerror(errno);
  return Growing(growing);
}

Growing OpenGrowing(const char* path) {
  return Made<Growing>(any::open_shared<lfb_growing>, path, nullptr);
}

lfb_growing_figures Figures(const lfb_growing* growing) {
  lfb_growing_figures figures{};
  lfb_growing_stats(growing, &figures);
  return figures;
}

uint64_t BitsInLayers(const lfb_growing* growing) {
  lfb_growing* copy = nullptr;
  EXPECT_EQ(any::copy<lfb_growing>(growing, &copy), LFB_OK);
  const Growing free(copy);
  return Figures(copy).bits_set;
}

// The children's notes about the keys that they claim.
struct Notes {
  static constexpr uint64_t kKeys = 300000;  // 8 layers
  SharedArray<std::atomic<uint8_t>> wins{kKeys};
  SharedArray<std::atomic<uint32_t>> met{1};
  SharedArray<std::atomic<uint64_t>> acts{1};
};

// Claims all keys in step; returns 0.
int ClaimsAll(lfb_growing* growing, const Notes& notes, unsigned children) {
  constexpr uint64_t kStep = 1024;
  const Meeting meeting(&notes.met[0], children);
  for (uint64_t i = 0; i < Notes::kKeys; i++) {
    if (i % kStep == 0) meeting.Wait(static_cast<uint32_t>(i / kStep + 1));
    if (lfb_growing_claim_u64(growing, Mix(1, i))) notes.wins[i]++;
  }
  return Figures(growing).stuck == LFB_OK ? 0 : 2;
}

// A process that opens the file now finds all keys. Returns how many keys had no winner, and how
// many had several.
std::pair<uint64_t, uint64_t> NoneAndSeveral(const char* path, const Notes& notes) {
  const Growing opened = OpenGrowing(path);
  uint64_t none = 0, several = 0;
  for (uint64_t i = 0; i < Notes::kKeys; i++) {
    none += notes.wins[i] == 0;
    several += notes.wins[i] > 1;
    EXPECT_TRUE(notes.wins[i] == 0 || lfb_growing_might_contain_u64(opened.get(), Mix(1, i)));
  }
  EXPECT_EQ(Figures(opened.get()).bits_set, BitsInLayers(opened.get()));
  return {none, several};
}

class RestrictedGrowing : public testing::TestWithParam<Restriction> {};

// Children that may open no file, by name or at all, add layers through inherited descriptors.
// With one file per layer, opened by name, this failed for all rows except kNothing.
TEST_P(RestrictedGrowing, AddsLayersAsOthersDo) {
  const EmptyFolder empty;
  const Restriction restriction = GetParam();
  if (!CanRestrict(restriction, empty))
    return Skip(std::string("this user may not take ") + RestrictionName(restriction) +
                " from a child (root is needed)");
  for (const unsigned children : {1u, 4u}) {
    const Path path;
    const Growing growing = CreateGrowing(path.c_str());
    const Notes notes;
    std::vector<Child> running;
    for (unsigned i = 0; i < children; i++)
      running.emplace_back([&] {
        return Restrict(restriction, empty.c_str()) ? ClaimsAll(growing.get(), notes, children) : 1;
      });
    for (Child& child : running) EXPECT_EQ(child.Wait(), 0);
    EXPECT_EQ(NoneAndSeveral(path.c_str(), notes), (std::pair<uint64_t, uint64_t>(0, 0)));
    EXPECT_GE(Figures(growing.get()).layers, 8u);
    EXPECT_EQ(Figures(growing.get()).stuck, LFB_OK);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RestrictedGrowing,
                         testing::Values(kNothing, kUser, kDescriptors, kRoot),
                         [](const auto& taken) { return RestrictionName(taken.param); });

// Workers are killed while they add layers; others continue from that state. With leases it
// failed in 2 of 2 runs: the count lacked bits.
TEST(GrowingKills, LoseNothing) {
  constexpr unsigned kWorkers = 3, kRounds = 100;
  constexpr uint64_t kActs = 4 * Notes::kKeys;
  for (unsigned round = 0; round < kRounds && !HasFailure();) {
    const unsigned first = round;
    const Path path;
    const Growing growing = CreateGrowing(path.c_str());
    const Notes notes;
    const auto work = [&]() -> int {
      for (uint64_t act; (act = notes.acts[0]++) < kActs;)
        if (lfb_growing_claim_u64(growing.get(), Mix(1, act / 4))) notes.wins[act / 4]++;
      for (;;) pause();
    };
    for (; notes.acts[0] < kActs; round++) {
      std::vector<Child> workers;
      const uint64_t until = std::min(kActs, notes.acts[0] + Mix(1, round) % 20000);
      for (unsigned i = 0; i < kWorkers; i++) workers.emplace_back(work);
      while (notes.acts[0] < until) sched_yield();
    }
    const auto [none, several] = NoneAndSeveral(path.c_str(), notes);
    EXPECT_EQ(several, 0u);
    EXPECT_LE(none, (round - first) * kWorkers);
    EXPECT_GE(Figures(growing.get()).layers, 8u);
  }
}

// ---- a folder in which any user may make files ----------------------------------------------

// An attacker, if possible as another user, has made what an earlier version of the library
// would have taken for layers: files, links to a file of the victim, pipes that block the
// process that opens them. With one file per layer it failed in 3 of 3 runs.
TEST(GrowingFolder, NothingThatOthersMadeIsTaken) {
  namespace fs = std::filesystem;
  std::string made = "/dev/shm/everybodys-XXXXXX";  // reachable by another user
  ASSERT_NE(mkdtemp(made.data()), nullptr);
  const fs::path folder = made;
  const bool other_user = CanRestrict(kUser, EmptyFolder());
  if (!other_user) std::cerr << "NOT TESTED: the attacker is the same user (root is needed)\n";
  for (const std::string kind : {"file", "link", "pipe"}) {
    fs::remove_all(folder);
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms(01777));
    const std::string path = folder / "filter", victims = folder / "victims";
    std::ofstream(victims) << "precious";
    Child attacker([&] {
      if (other_user && !Restrict(kUser, "")) return 1;
      for (int i = 0; i < 10; i++) {
        const std::string layer = path + "." + std::to_string(i);
        if (kind == "file" && !(std::ofstream(layer) << std::string(4096, '\xff'))) return 2;
        if (kind == "link" && symlink(victims.c_str(), layer.c_str()) != 0) return 2;
        if (kind == "pipe" && mkfifo(layer.c_str(), 0666) != 0) return 2;
      }
      return 0;
    });
    ASSERT_EQ(attacker.Wait(), 0);
    Child owner([&] {
      const Growing growing = CreateGrowing(path.c_str());
      const Notes notes;
      if (growing == nullptr || ClaimsAll(growing.get(), notes, 1) != 0) return 2;
      if (Figures(growing.get()).layers < 8) return 3;
      return NoneAndSeveral(path.c_str(), notes) == std::pair<uint64_t, uint64_t>(0, 0) ? 0 : 4;
    });
    EXPECT_EQ(owner.Wait(), 0) << kind << ", in units of 256; -1: it waits";
    std::string content;
    std::ifstream(victims) >> content;
    EXPECT_EQ(content, "precious");
    if (kind == "file") {
      EXPECT_EQ(fs::file_size(path + ".1"), 4096u);
    }
  }
  fs::remove_all(folder);
}

}  // namespace
