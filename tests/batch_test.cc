// Big batches: the same bits, count and answers as one by one, whatever the shape,
// the memory and the other threads.
#include "bloom/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bloom/core.h"
#include "tests/filters.h"
#include "tests/race.h"

namespace {

constexpr unsigned kThreads = 4;

// Keys for each line of a filter at its n: about 49 at 1 %, so that n keys are a big batch.
std::vector<uint64_t> Hashes(uint64_t stream, size_t count) {
  std::vector<uint64_t> hashes(count);
  for (size_t i = 0; i < count; i++) hashes[i] = Mix(stream, i);
  return hashes;
}

size_t PutMany(const Filter& filter, const std::vector<uint64_t>& hashes) {
  return lfb_filter_put_many_hash(filter.get(), hashes.data(), hashes.size(), nullptr);
}

std::vector<uint64_t> Words(const Filter& filter) {
  std::vector<uint64_t> words(filter->layout.bits.word_count);
  lfb_bits_snapshot(&filter->layout.bits, 0, words.data(), words.size());
  return words;
}

lfb_config FastConfig(uint64_t n, double fpp, uint64_t batch_memory) {
  lfb_config config = Config(n, fpp, LFB_FAST);
  config.batch_memory = batch_memory;
  return config;
}

bool BatchPays(const Filter& filter, size_t count) {
  lfb_batch* batch = lfb_batch_begin(filter.get(), count);
  if (batch != nullptr) lfb_batch_end(batch, filter.get());
  return batch != nullptr;
}

void ExpectSame(const Filter& batched, const Filter& direct) {
  ASSERT_EQ(Words(batched), Words(direct));
  ASSERT_EQ(Stats(batched).bits_set, Stats(direct).bits_set);
  ASSERT_EQ(Stats(batched).bits_set, lfb_bits_count(&batched->layout.bits));
}

TEST(Batch, SetsTheSameBitsAndFindsTheSameKeysNew) {
  // n of one block, of one region, of several regions with a short last one.
  for (uint64_t n : {40ul, 5000ul, 420000ul}) {
    for (double fpp : {0.3, 0.01, 0.001, 1e-4, 1e-6}) {
      const Filter direct = Make(FastConfig(n, fpp, 1)), batched = Make(FastConfig(n, fpp, 0));
      ASSERT_TRUE(BatchPays(batched, n)) << n << " " << fpp;
      ASSERT_FALSE(BatchPays(direct, n));
      for (uint64_t part = 0; part < 3; part++) {  // the last two overlap
        const auto hashes = Hashes(part == 2 ? 1 : part, n);
        ASSERT_EQ(PutMany(batched, hashes), PutMany(direct, hashes)) << n << " " << fpp;
        ASSERT_NO_FATAL_FAILURE(ExpectSame(batched, direct));
      }
    }
  }
}

TEST(Batch, KeysOfEveryKindMakeABatch) {
  constexpr size_t kKeys = 60000;
  const Filter direct = Make(FastConfig(kKeys, 0.01, 1)), batched = Make(FastConfig(kKeys, 0.01, 0));
  const auto numbers = Hashes(7, kKeys);
  std::vector<lfb_key> keys;
  for (const uint64_t& number : numbers)
    keys.push_back({&number, static_cast<size_t>(3 + number % 6)});
  for (const Filter* f : {&direct, &batched}) {
    lfb_filter_put_many_u64(f->get(), numbers.data(), kKeys, nullptr);
    lfb_filter_put_many(f->get(), keys.data(), kKeys, nullptr);
  }
  ASSERT_NO_FATAL_FAILURE(ExpectSame(batched, direct));
  EXPECT_EQ(lfb_filter_might_contain_many(batched.get(), keys.data(), kKeys, nullptr), kKeys);
}

// All hashes in one block, and in one region: its area fills up again and again.
TEST(Batch, HashesThatAreNotSpreadLoseNothing) {
  constexpr size_t kKeys = 700000;
  for (unsigned bits : {30u, 50u}) {
    const Filter direct = Make(FastConfig(kKeys, 0.01, 1)), batched = Make(FastConfig(kKeys, 0.01, 0));
    auto hashes = Hashes(9, kKeys);
    for (uint64_t& hash : hashes) hash = hash >> (64 - bits) | UINT64_C(0x5a) << 56;
    ASSERT_EQ(PutMany(batched, hashes), PutMany(direct, hashes));
    ASSERT_NO_FATAL_FAILURE(ExpectSame(batched, direct));
  }
}

// However little memory it may take: never more, and never another result.
TEST(Batch, TakesNoMoreMemoryThanItMay) {
  constexpr size_t kKeys = 500000;
  const auto hashes = Hashes(11, kKeys);
  const Filter direct = Make(FastConfig(kKeys, 0.01, 1));
  const size_t fresh = PutMany(direct, hashes);
  unsigned batches = 0;
  for (uint64_t memory = 1 << 10; memory <= UINT64_C(1) << 26; memory *= 2) {
    const Filter batched = Make(FastConfig(kKeys, 0.01, memory));
    batches += BatchPays(batched, kKeys);
    EXPECT_LE(lfb_batch_spare_bytes(batched.get()), memory);
    ASSERT_EQ(PutMany(batched, hashes), fresh);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(batched, direct));
  }
  EXPECT_GT(batches, 3u);
}

TEST(Batch, ItsMemoryIsUsedAgain) {
  constexpr size_t kKeys = 60000;
  const Filter filter = Make(FastConfig(kKeys, 0.01, 0));
  PutMany(filter, Hashes(1, kKeys));
  const uint64_t bytes = lfb_batch_spare_bytes(filter.get());
  EXPECT_GT(bytes, 0u);
  for (uint64_t i = 2; i < 6; i++) PutMany(filter, Hashes(i, kKeys));
  EXPECT_EQ(lfb_batch_spare_bytes(filter.get()), bytes);
}

TEST(Batch, AnswersAreGivenWhereTheyAreAskedFor) {
  constexpr size_t kKeys = 60000;
  const Filter direct = Make(FastConfig(kKeys, 0.01, 1)), asked = Make(FastConfig(kKeys, 0.01, 0));
  const auto hashes = Hashes(3, kKeys);
  std::vector<uint64_t> a(kKeys / 64 + 1), b(kKeys / 64 + 1);
  lfb_filter_put_many_hash(direct.get(), hashes.data(), kKeys, a.data());
  lfb_filter_put_many_hash(asked.get(), hashes.data(), kKeys, b.data());
  EXPECT_EQ(a, b);
}

// A filter whose keys have one bit each: a put is of a new key if it turned that bit on,
// so that all threads together find as many new keys as there are bits, whoever was
// first.  Two put big batches, one puts one by one.  Seen to fail 50 times in 50 with
// the batch not asking whether it was alone.
TEST(BatchRace, EachBitIsCreditedOnce) {
  constexpr uint64_t kRounds = kUnderTsan ? 3 : 40, kKeys = 100000;
  lfb_config config = FastConfig(kKeys, 0.45, 0);
  config.memory_preference = LFB_MEMORY_SPEED;
  ASSERT_EQ(Stats(Make(config)).probes, 1u);
  for (uint64_t round = 0; round < kRounds; round++) {
    const Filter filter = Make(config);
    const auto hashes = Hashes(round, kKeys);
    ASSERT_TRUE(BatchPays(filter, kKeys));
    std::atomic<uint64_t> fresh{0};
    RunTogether(3, [&](unsigned t) {
      if (t < 2)
        fresh += PutMany(filter, hashes);
      else
        for (uint64_t hash : hashes) fresh += lfb_filter_put_hash(filter.get(), hash);
    });
    ASSERT_EQ(fresh, lfb_bits_count(&filter->layout.bits)) << "round " << round;
    ASSERT_EQ(Stats(filter).bits_set, fresh) << "round " << round;
  }
}

// Batches, puts and put_all at once: every key is found afterwards, and the count is
// the number of bits; one that was in before is found.
TEST(BatchRace, NoPutIsLost) {
  constexpr uint64_t kRounds = kUnderTsan ? 2 : 10, kKeys = 30000;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Filter filter = Make(FastConfig(kThreads * kKeys, 0.01, 0)),
                 other = Make(FastConfig(kThreads * kKeys, 0.01, 0));
    Put(filter, "golden");
    PutMany(other, Hashes(99, kThreads * kKeys));
    std::atomic<uint64_t> lost{0};
    RunTogether(kThreads, [&](unsigned t) {
      const auto hashes = Hashes(kThreads * round + t, kKeys);
      if (t == 0) {
        EXPECT_EQ(lfb_filter_put_all(filter.get(), other.get()), LFB_OK);
      } else if (t == 1) {
        for (uint64_t hash : hashes) lfb_filter_put_hash(filter.get(), hash);
      } else {
        PutMany(filter, hashes);
      }
      lost += !Has(filter, "golden");
      if (t > 0)
        lost += kKeys - lfb_filter_might_contain_many_hash(filter.get(), hashes.data(), kKeys, nullptr);
    });
    ASSERT_EQ(lost, 0u);
    ASSERT_EQ(Stats(filter).bits_set, lfb_bits_count(&filter->layout.bits));
  }
}

}  // namespace
