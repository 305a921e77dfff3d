// Mapped files with a shared part that no process would have written, or that killed processes
// left. Answers may be wrong, but no call hangs, and nothing outside the file is touched.
#include "bloom/filter/filter.h"
#include "bloom/files/mapping.h"
#include "tests/support/await.h"
#include "tests/support/cells.h"
#include "tests/support/mapped.h"
#include "tests/support/race.h"
#include "tests/support/shared.h"

namespace {

class EveryStrategyHostile : public testing::TestWithParam<lfb_strategy_id> {};

// Fills both words of every cell.
void FillCells(const Filter& filter, uint64_t low, uint64_t high) {
  for (int i = 0; i < LFB_CLAIM_CELLS; i++) {
    atomic_store(&filter->claims.cells[i].half[0], low);
    atomic_store(&filter->claims.cells[i].half[1], high);
  }
}

// Claims keys of a stream twice: at most one of two claims of a key wins, and the key is
// present.
void ClaimEachTwice(const Filter& filter, uint64_t stream, uint64_t keys) {
  for (uint64_t i = 0; i < keys; i++) {
    const bool first = lfb_filter_claim_u64(filter.get(), Mix(stream, i));
    const bool second = lfb_filter_claim_u64(filter.get(), Mix(stream, i));
    ASSERT_FALSE(first && second);
    ASSERT_TRUE(lfb_filter_might_contain_u64(filter.get(), Mix(stream, i)));
  }
}

// A cell may hold any state, of any hash. Each of the 256 states is in all cells once, and so
// are hashes of all zeros and ones.
TEST_P(EveryStrategyHostile, AnyCellIsTakenOver) {
  const Path path("/dev/shm");
  const Filter filter = Create(path, Config(50000, 1e-6, GetParam()));
  for (uint64_t state = 0; state < 256; state++) {
    FillCells(filter, Mix(1, state) << LFB_CLAIM_STATE_BITS | state, Mix(2, state));
    ClaimEachTwice(filter, 100 + state, 20);
  }
  for (const uint64_t word : {uint64_t{0}, UINT64_MAX, uint64_t{LFB_CLAIM_WON}, ~uint64_t{0xff}}) {
    FillCells(filter, word, word);
    ClaimEachTwice(filter, 1000 + word, 300);
  }
  EXPECT_EQ(Stats(filter).bits_set, lfb_filter_recount(&filter->layout.bits));
  EXPECT_EQ(Stats(Open(path)).bits_set, Stats(filter).bits_set);
}

// Cells that a program changes all the time, 200,000 times: claims end, and their keys are
// present.
TEST_P(EveryStrategyHostile, CellsThatAlwaysChangeBlockNoThread) {
  constexpr uint64_t kChanges = kUnderTsan ? 20000 : 200000;
  const Path path("/dev/shm");
  const Filter filter = Create(path, Config(100000, 1e-6, GetParam())), other = Open(path);
  std::atomic<bool> changed{false};
  std::thread changing([&] {
    for (uint64_t i = 0; i < kChanges; i++)
      atomic_store(&other->claims.cells[Mix(3, i) % 4].half[Mix(4, i) % 2], Mix(5, i));
    changed = true;
  });
  uint64_t missing = 0;
  for (uint64_t i = 0; !changed || i < 1000; i++) {
    lfb_filter_claim_u64(filter.get(), Mix(6, i));
    missing += !lfb_filter_might_contain_u64(other.get(), Mix(6, i));
  }
  changing.join();
  EXPECT_EQ(missing, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategyHostile, testing::ValuesIn(SharableStrategies()),
                         StrategyTestName);

// ---- what killed processes leave ---------------------------------------------------------

// Filters with puts that are claims have no cells.
std::vector<lfb_strategy_id> StrategiesWithCells() {
  std::vector<lfb_strategy_id> with;
  for (const lfb_strategy_id strategy : SharableStrategies())
    if (!lfb_filter_puts_claim(Make(1000, 1e-6, strategy).get())) with.push_back(strategy);
  return with;
}

using EveryStrategyWithCells = EveryStrategyHostile;
INSTANTIATE_TEST_SUITE_P(All, EveryStrategyWithCells, testing::ValuesIn(StrategiesWithCells()),
                         StrategyTestName);

// A claim has won, and its process is killed before it turns on the bits. The next claim in that
// cell, of the same key or another one, turns them on. No other claim wins that key.
TEST_P(EveryStrategyWithCells, AClaimOfTheDeadIsCompleted) {
  const lfb_config config = Config(1000, 1e-6, GetParam());
  for (const bool same : {true, false}) {
    const Path path;
    const Filter filter = Create(path, config), other = Open(path);
    const lfb_hasher* const hasher = &filter->layout.hasher;
    const lfb_hash hash = lfb_hasher_u64(hasher, 1);
    ASSERT_EQ(InChild([&] {
                lfb_claimed in = lfb_filter_claimed(filter.get());
                in.put = [](const void*, lfb_hash) { _exit(0); };
                lfb_claims_claim(&filter->claims, &in, hash);
                return 1;
              }),
              0);
    const lfb_cell* const cell = lfb_claims_cell(&other->claims, hash);
    ASSERT_EQ(StateOf(cell), LFB_CLAIM_WON);
    ASSERT_EQ(Stats(other).bits_set, 0u);
    lfb_hash next = hash;
    for (uint64_t i = 0; !same && (i == 0 || lfb_claims_cell(&other->claims, next) != cell); i++)
      next = lfb_hasher_u64(hasher, 2 + i);
    EXPECT_EQ(lfb_filter_claim_hashed(other.get(), next), !same);
    EXPECT_TRUE(other->kernel->might_contain(&other->layout, hash));
    EXPECT_TRUE(other->kernel->might_contain(&other->layout, next));
    EXPECT_EQ(StateOf(cell), LFB_CLAIM_DONE);
    EXPECT_FALSE(lfb_filter_claim_hashed(filter.get(), hash));
  }
}

// ---- words with any content --------------------------------------------------------------

// Words of all ones never give more bits than exist, in figures and in files.
TEST(MappedHostile, NoMoreBitsAreCountedThanThereAre) {
  for (const lfb_strategy_id strategy : {LFB_FAST, LFB_GUAVA_MITZ64, LFB_JAVA_DOUBLE}) {
    if (!IsSharable(strategy)) continue;
    const Path path, saved;
    const Filter filter = Create(path, Config(1000, 0.01, strategy));
    for (uint64_t i = 0; i < filter->layout.bits.word_count; i++)
      atomic_store(&filter->layout.bits.words[i], UINT64_MAX);
    EXPECT_EQ(Stats(filter).bits_set, Stats(filter).bit_count);
    EXPECT_LE(Stats(filter).expected_fpp, 1);
    EXPECT_TRUE(Stats(filter).saturated);
    const bool whole = Stats(filter).bit_count % 64 == 0;  // otherwise bits beyond the last are set
    lfb_filter* opened = nullptr;
    EXPECT_EQ(lfb_mapped_open(path.c_str(), nullptr, &opened),
              whole ? LFB_OK : LFB_ERROR_BAD_HEADER);
    lfb_filter_free(opened);
    for (const lfb_form form : {LFB_FORM_NATIVE, LFB_FORM_MAPPED}) {
      ASSERT_EQ(lfb_filter_save(filter.get(), form, saved.c_str()), LFB_OK);
      lfb_filter* loaded = nullptr;
      EXPECT_EQ(lfb_filter_load(saved.c_str(), nullptr, &loaded),
                whole ? LFB_OK : LFB_ERROR_BAD_HEADER);
      lfb_filter_free(loaded);
    }
  }
}

}  // namespace
