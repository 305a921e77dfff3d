// The vector variants of strategy `fast` and of digests: which one is chosen, that all give the
// same bits and answers, and that they may read what other threads write.

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <string>
#include <vector>

#include "bloom/filter/digest.h"
#include "bloom/strategies/fast/fast.h"
#include "tests/support/race.h"
#include "tests/support/skip.h"
#include "tests/support/variants.h"

namespace {

TEST(Simd, TheEnvironmentNamesTheMost) {
  for (lfb_simd best : {LFB_SIMD_NONE, LFB_SIMD_AVX2, LFB_SIMD_AVX512}) {
    EXPECT_EQ(lfb_simd_allowed("none", best), LFB_SIMD_NONE);
    EXPECT_EQ(lfb_simd_allowed("avx2", best), std::min(best, LFB_SIMD_AVX2));
    EXPECT_EQ(lfb_simd_allowed("avx512", best), best);
    for (const char* other : {"", "NONE", "avx", "avx2 ", "sse"})
      EXPECT_EQ(lfb_simd_allowed(other, best), best) << other;
    EXPECT_EQ(lfb_simd_allowed(nullptr, best), best);
  }
}

// The pass over a form's words, from no words to more than one round of xxHash's longest loop.
TEST(Simd, DigestsAreThoseOfTheDefinition) {
  std::vector<uint64_t> words(1 << 15);
  for (size_t i = 0; i < words.size(); i++) words[i] = Mix(9, i);
  std::vector<size_t> counts = {words.size(), words.size() - 1};
  for (size_t count = 0; count < 400; count++) counts.push_back(count);
  for (size_t count : counts) {
    uint64_t set = 0;
    for (size_t i = 0; i < count; i++) set += std::bitset<64>(words[i]).count();
    ASSERT_EQ(lfb_digest_bits(words.data(), count), set) << count;
    ASSERT_EQ(lfb_digest_xxh3(words.data(), count * 8), XXH3_64bits(words.data(), count * 8))
        << count;
  }
}

// BUILD.bazel runs this with each value. All threads get the same answer, even after the
// environment has changed.
TEST(Simd, IsChosenOnce) {
  const char* const wish = getenv("LFBLOOM_SIMD");
  const std::string before = wish == nullptr ? "" : wish;
  const lfb_simd expected = lfb_simd_allowed(wish, lfb_simd_best());
  std::atomic<unsigned> differ{0};
  RunTogether(4, [&](unsigned) { differ += lfb_simd_chosen() != expected; });
  EXPECT_EQ(differ, 0u);
  setenv("LFBLOOM_SIMD", expected == LFB_SIMD_NONE ? "avx512" : "none", 1);
  EXPECT_EQ(lfb_simd_chosen(), expected);
  const Filter filter = Make(100, 0.01, LFB_FAST);
  EXPECT_EQ(filter->kernel, KernelUpTo(expected, filter));
  setenv("LFBLOOM_SIMD", before.c_str(), 1);
}

// By the definition in bloom/strategies/fast_view.h.
bool Defined(const lfb_fast& fast, uint64_t hash, uint32_t probe, uint32_t pairs) {
  const uint64_t rounds[] = {0x9e3779b97f4a7c15, 0x6a09e667f3bcc909, 0xbb67ae8584caa73b};
  const unsigned __int128 product = static_cast<unsigned __int128>(hash) * fast.blocks;
  const uint64_t block = static_cast<uint64_t>(product >> 64);
  const uint32_t word = probe % (2 * pairs), j = word / 2;
  const uint64_t r0 = hash * rounds[0], r = hash * rounds[probe / 8];
  const uint64_t pair = pairs == 1 ? block : 2 * pairs * block + 2 * j + (r0 >> (12 + j) & 1);
  return lfb_word_get(&fast.words[2 * pair + word % 2]) >> (r >> (16 + 6 * (probe % 8)) & 63) & 1;
}

// The count of lfb_stats, without the figures that take longer.
uint64_t Counted(const Filter& filter) { return lfb_bit_array_count(&filter->layout.bits); }

struct Shape {
  uint32_t pairs, bits;
};

Filter MakeShaped(lfb_simd most, const Shape& shape, uint64_t blocks) {
  return MakeShaped(most, shape.pairs, shape.bits, blocks);
}

std::vector<Shape> AllShapes() {
  std::vector<Shape> shapes;
  for (uint32_t pairs : {1u, 2u, 4u})
    for (uint32_t bits = 1; 2 * pairs * bits <= LFB_FAST_MAX_PROBES; bits++)
      shapes.push_back({pairs, bits});
  return shapes;
}

// Every shape, by every variant: the bits and answers are those of the definition,
// and the count is right.
TEST(FastVariants, AreTheDefinition) {
  for (const Shape shape : AllShapes())
    for (lfb_simd most : SimdLevels()) {
      const Filter filter = MakeShaped(most, shape, 37);
      const lfb_fast fast = filter->layout.fast;
      const auto defined = [&](uint64_t hash) {
        bool all = true;
        for (uint32_t p = 0; p < 2 * shape.pairs * shape.bits; p++)
          all &= Defined(fast, hash, p, shape.pairs);
        return all;
      };
      for (uint64_t i = 0; i < 300; i++) {
        const uint64_t hash = Mix(41 + shape.pairs, i);
        const bool in = defined(hash);
        ASSERT_EQ(lfb_filter_might_contain_hash(filter.get(), hash), in);
        ASSERT_EQ(lfb_filter_put_hash(filter.get(), hash), !in);
        ASSERT_TRUE(defined(hash));
        ASSERT_TRUE(lfb_filter_might_contain_hash(filter.get(), hash));
        ASSERT_EQ(Counted(filter), lfb_filter_recount(&filter->layout.bits));
      }
    }
}

// Batches give the same answers and bits by every variant as one key at a time without vectors.
TEST(FastVariants, AnswerBatchesAlike) {
  for (const Shape shape : AllShapes())
    for (lfb_simd most : SimdLevels())
      ExpectBatchesAlike(MakeShaped(most, shape, 67),
                         MakeShaped(LFB_SIMD_NONE, shape, 67));
}

// One filter: two threads put into it by every variant, and others query it by every variant.
class Contended {
 public:
  static constexpr unsigned kWriters = 2;

  explicit Contended(const Shape& shape)
      : filter(MakeShaped(LFB_SIMD_NONE, shape, 400)) {
    for (lfb_simd most : SimdLevels()) kernels.push_back(KernelUpTo(most, filter));
  }

  static uint64_t Key(unsigned writer, uint64_t i) { return Mix(70 + writer, i); }

  // Puts a writer's key `i`; each variant has looked at its line before.
  void Put(unsigned writer, uint64_t i) {
    const uint64_t key = Key(writer, i);
    for (size_t by = 0; by < kernels.size(); by++) Has(by, key);
    kernels[i % kernels.size()]->put(&filter->layout, {key, 0});
    for (size_t by = 0; by < kernels.size(); by++) missed += !Has(by, key);
    put[writer].store(i + 1, std::memory_order_release);
  }

  // Queries two present keys of a writer, and its next one, by every variant. Returns how many
  // are present.
  uint64_t Ask(unsigned writer) {
    const uint64_t done = put[writer].load(std::memory_order_acquire);
    bool seen = false;
    for (size_t by = 0; by < 2 * kernels.size(); by++) {
      if (done > 0) missed += !Has(by, Key(writer, done - 1)) || !Has(by, Key(writer, done / 2));
      const bool now = Has(by, Key(writer, done));
      lost += seen && !now;
      seen |= now;
    }
    return done;
  }

  Filter filter;
  std::atomic<uint64_t> missed{0}, lost{0};

 private:
  // By one variant's query, of one key or of many.
  bool Has(size_t by, uint64_t hash) const {
    const lfb_kernel* kernel = kernels[by % kernels.size()];
    if (by < kernels.size()) return kernel->might_contain(&filter->layout, {hash, 0});
    uint64_t answer = 0;
    kernel->many(&filter->layout, LFB_KERNEL_MIGHT_CONTAIN, &hash, nullptr, 1, &answer);
    return answer == 1;
  }

  std::vector<const lfb_kernel*> kernels;
  std::atomic<uint64_t> put[kWriters] = {};
};

std::string ShapeTestName(const testing::TestParamInfo<Shape>& shape) {
  return std::to_string(shape.param.pairs) + "p" + std::to_string(shape.param.bits);
}

class FastVariantsRace : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, FastVariantsRace,
                         testing::Values(Shape{1, 3}, Shape{1, 5}, Shape{2, 2}, Shape{2, 3},
                                         Shape{2, 4}, Shape{4, 1}, Shape{4, 2}, Shape{4, 3}),
                         ShapeTestName);

// Once a put has returned, every variant finds its key, in the putting thread and in others.
// Once any variant has found a key, all variants find it from then on. The readers query the key
// that was put last and the one that is being put, in lines that other threads write to. Seen to
// fail 20 times in 20, for each shape, with a variant that answers from a copy of its thread's
// last line, and with one with a put that leaves out the last lane.
TEST_P(FastVariantsRace, WhatOneSawAllSee) {
  constexpr uint64_t kRounds = kUnderTsan ? 1 : 3, kKeys = 4000;
  for (uint64_t round = 0; round < kRounds; round++) {
    Contended all(GetParam());
    RunTogether(2 * Contended::kWriters, [&](unsigned t) {
      const unsigned writer = t / 2;
      if (t % 2 == 0) {
        for (uint64_t i = 0; i < kKeys; i++) {
          all.Put(writer, i);
          if (i % 64 == 0) std::this_thread::yield();
        }
      } else {
        while (all.Ask(writer) < kKeys) {
        }
      }
    });
    ASSERT_EQ(all.missed, 0u) << "round " << round;
    ASSERT_EQ(all.lost, 0u) << "round " << round;
    ASSERT_EQ(Counted(all.filter), lfb_filter_recount(&all.filter->layout.bits));
  }
}

}  // namespace
