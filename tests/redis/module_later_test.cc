// module_later_test.cc - filters that receive the bits of others in steps (redis/module/later.h),
// beside filters that receive them at once.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "bloom/filter/filter.h"

extern "C" {
#include "redis/module/later.h"
#include "redis/module/memory.h"

// The module's own count what Redis' allocator gives, and advise the kernel.
uint64_t lfb_memory_tally(void) { return 0; }
void lfb_memory_tally_reset(uint64_t) {}
void lfb_memory_settle(const lfb_pages*) {}
}

namespace {

constexpr size_t kKeys = 100;

// Two filters with the same keys: `late` receives others in steps, `now` at once.
struct Pair {
  lfb_filter *late, *now;
};

lfb_filter* Made(uint64_t keys = 1'000'000) {
  lfb_config config{};
  config.expected_insertions = keys;
  config.fpp = 0.01;
  config.strategy = LFB_FAST;
  config.hash = LFB_HASH_XXH3;
  config.seed = 7;
  config.lazy_memory = true;
  lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_filter_create(&config, &filter), LFB_OK);
  return filter;
}

// Makes some words all ones, as damaged pieces are read.
void Damage(lfb_filter* filter, uint64_t from, uint64_t to) {
  memset(static_cast<uint64_t*>(filter->pages.address) + from, 0xff, 8 * (to - from));
  lfb_bit_array_add(&filter->layout.bits, 64 * (to - from));
  filter->full_words = to - from;
}

uint64_t BitsSet(const lfb_filter* filter) {
  lfb_stats stats;
  lfb_filter_stats(filter, &stats);
  return stats.bits_set;
}

std::vector<uint64_t> Words(const lfb_filter* filter) {
  lfb_stats stats;
  lfb_filter_stats(filter, &stats);
  std::vector<uint64_t> words(stats.bytes / 8);
  EXPECT_EQ(lfb_filter_words(filter, 0, words.data(), words.size()), words.size());
  return words;
}

// Keys of which about a half has been put before.
struct Some {
  std::array<uint64_t, kKeys> numbers;
  std::array<lfb_key, kKeys> keys;
  explicit Some(std::mt19937_64& random) {
    for (size_t i = 0; i < kKeys; i++) {
      numbers[i] = random() % 20'000;
      keys[i] = {&numbers[i], sizeof numbers[i]};
    }
  }
};

using Answers = std::array<uint64_t, (kKeys + 63) / 64>;

// At any time, each answer, each count of bits and each word that was made ready are those of
// filters that are never late.  Seen to fail with any of the conditions on older jobs left out,
// without the pieces that are done before a put, and without what a copy's source will yet have of
// damaged words.
TEST(ModuleLater, IsAsIfItWereNow) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    std::mt19937_64 random(seed);
    std::array<Pair, 5> pairs;
    for (Pair& pair : pairs) pair = {Made(), Made()};
    for (uint64_t i = 0; i < seed % 3; i++)
      for (lfb_filter* filter : {pairs[i].late, pairs[i].now})
        Damage(filter, 600 * i, 600 * i + 900);
    for (int turn = 0; turn < 400; turn++) {
      const size_t i = random() % pairs.size(),
                   j = (i + 1 + random() % (pairs.size() - 1)) % pairs.size();
      Pair &to = pairs[i], &from = pairs[j];
      const Some some(random);
      Answers late{}, now{};
      switch (random() % 16) {
        case 0:
          lfb_later_put_all(to.late, from.late);
          ASSERT_EQ(lfb_filter_put_all(to.now, from.now), LFB_OK);
          break;
        case 1:
        case 2:
          lfb_later_free(to.late);
          lfb_filter_free(to.now);
          ASSERT_EQ(lfb_later_copy(from.late, &to.late), LFB_OK);
          ASSERT_EQ(lfb_filter_copy(from.now, &to.now), LFB_OK);
          break;
        case 3:
          if (random() % 8 == 0) lfb_later_step();
          break;
        case 8:
          if (random() % 4 > 0) break;
          lfb_later_count(to.late);
          ASSERT_EQ(BitsSet(to.late), BitsSet(to.now)) << seed << " " << turn;
          lfb_later_ready_words(to.late, 0, UINT64_MAX);
          ASSERT_EQ(lfb_filter_full_words(to.late), lfb_filter_full_words(to.now))
              << seed << " " << turn;
          break;
        case 4: {
          const uint64_t first = random() % 100'000, count = random() % 2000;
          std::vector<uint64_t> a(count), b(count);
          lfb_later_ready_words(to.late, first, count);
          a.resize(lfb_filter_words(to.late, first, a.data(), count));
          b.resize(lfb_filter_words(to.now, first, b.data(), count));
          ASSERT_EQ(a, b) << seed << " " << turn;
          break;
        }
        case 5:
        case 6:
        case 7:
          lfb_later_ready(to.late, some.keys.data(), kKeys, true);
          lfb_filter_put_many(to.late, some.keys.data(), kKeys, late.data());
          lfb_filter_put_many(to.now, some.keys.data(), kKeys, now.data());
          ASSERT_EQ(late, now) << seed << " " << turn;
          break;
        default:
          lfb_later_ready(to.late, some.keys.data(), kKeys, false);
          lfb_filter_might_contain_many(to.late, some.keys.data(), kKeys, late.data());
          lfb_filter_might_contain_many(to.now, some.keys.data(), kKeys, now.data());
          ASSERT_EQ(late, now) << seed << " " << turn;
      }
    }
    while (lfb_later_step()) {
    }
    for (const Pair& pair : pairs) {
      EXPECT_EQ(Words(pair.late), Words(pair.now));
      EXPECT_EQ(BitsSet(pair.late), BitsSet(pair.now));
      EXPECT_EQ(lfb_filter_full_words(pair.late), lfb_filter_full_words(pair.now));
      lfb_later_free(pair.late);
      lfb_filter_free(pair.now);
    }
  }
}

// A large filter with keys; its copy has a job of many steps.
class ModuleLaterLarge : public ::testing::Test {
 protected:
  ModuleLaterLarge() {
    std::mt19937_64 random(1);
    for (int i = 0; i < 100; i++) {
      const Some some(random);
      Answers answers;
      lfb_filter_put_many(from_, some.keys.data(), kKeys, answers.data());
    }
    EXPECT_EQ(lfb_later_copy(from_, &copy_), LFB_OK);
  }
  static void End() {
    while (lfb_later_step()) {
    }
  }
  // Whether the copy has all words, without any being made ready.
  bool Done() const { return Words(copy_) == Words(from_); }

  lfb_filter* from_ = Made(20'000'000);
  lfb_filter* copy_ = nullptr;
};

// A copy and a merge of small filters do nothing of a large one's job.
TEST_F(ModuleLaterLarge, IsNotDoneForASmallOne) {
  lfb_filter *small = Made(1000), *same = nullptr;
  ASSERT_EQ(lfb_later_copy(small, &same), LFB_OK);
  lfb_later_put_all(same, small);
  EXPECT_FALSE(Done());
  for (lfb_filter* filter : {small, same, copy_, from_}) lfb_later_free(filter);
}

// Filters of two sizes are left as they are: nothing is read behind the smaller one.
TEST_F(ModuleLaterLarge, ReadsNothingBehindASmallerOne) {
  lfb_filter* other = Made();
  memset(other->pages.address, 0xff, other->pages.size);
  lfb_later_put_all(copy_, other);
  End();
  EXPECT_TRUE(Done());
  for (lfb_filter* filter : {other, copy_, from_}) lfb_later_free(filter);
}

// At most 16 jobs wait, since each key has to look at each: one more does the oldest.
TEST_F(ModuleLaterLarge, OneMoreThanSixteenDoesTheOldest) {
  std::vector<lfb_filter*> copies(16);
  for (lfb_filter*& copy : copies) {
    EXPECT_TRUE(&copy != &copies.back() || !Done()) << "the first already";
    ASSERT_EQ(lfb_later_copy(from_, &copy), LFB_OK);
  }
  EXPECT_TRUE(Done());
  EXPECT_NE(Words(copies[0]), Words(from_)) << "the second";
  for (lfb_filter* filter : copies) lfb_later_free(filter);
  for (lfb_filter* filter : {copy_, from_}) lfb_later_free(filter);
}

// A copy that a thread reads is completed also if it was freed.
TEST_F(ModuleLaterLarge, CompletesWhatIsHeld) {
  ASSERT_TRUE(lfb_later_hold(from_, copy_));
  lfb_later_free(copy_);
  EXPECT_FALSE(Done());
  End();
  EXPECT_TRUE(Done());
  lfb_later_drop(from_, copy_);
  lfb_later_free(from_);
}

// If its source is freed, the copy has its words at once, and the puts and merges that came
// between; nothing is left to do.
TEST_F(ModuleLaterLarge, InheritsTheWordsOfItsSource) {
  std::mt19937_64 random(2);
  const Some some(random);
  lfb_filter *expected = nullptr, *merged = Made(20'000'000), *third = nullptr;
  Answers answers;
  lfb_filter_put_many(merged, some.keys.data(), kKeys / 2, answers.data());
  ASSERT_EQ(lfb_filter_copy(from_, &expected), LFB_OK);
  lfb_filter_put_many(expected, some.keys.data(), kKeys, answers.data());
  lfb_later_ready(copy_, some.keys.data(), kKeys, true);
  lfb_filter_put_many(copy_, some.keys.data(), kKeys, answers.data());
  lfb_later_put_all(copy_, merged);
  ASSERT_EQ(lfb_later_copy(from_, &third), LFB_OK);
  const void* words = from_->pages.address;
  lfb_later_free(from_);
  EXPECT_EQ(copy_->pages.address, words);
  lfb_later_free(merged);
  EXPECT_FALSE(lfb_later_step());
  EXPECT_EQ(Words(copy_), Words(expected));
  EXPECT_EQ(BitsSet(copy_), BitsSet(expected));
  EXPECT_NE(Words(third), Words(expected));
  for (lfb_filter* filter : {copy_, third}) lfb_later_free(filter);
  lfb_filter_free(expected);
}

}  // namespace
