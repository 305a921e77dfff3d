// The window filter's contract, with one thread, and with others that it does not race with.
#include <cerrno>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <tuple>

#include "tests/support/await.h"
#include "tests/support/race.h"
#include "tests/support/windows.h"

namespace {

// Puts `count` keys of a stream, from `first`.
void PutStream(const Window& window, uint64_t stream, uint64_t first, uint64_t count) {
  std::vector<uint64_t> keys(count);
  for (uint64_t i = 0; i < count; i++) keys[i] = Mix(stream, first + i);
  any::put_many(window.get(), keys.data(), count, nullptr);
}

// The part of `asked` absent keys that are found.
double Rate(const Window& window, uint64_t asked) {
  std::vector<uint64_t> keys(65536);
  uint64_t found = 0;
  for (uint64_t at = 0; at < asked; at += keys.size()) {
    for (uint64_t i = 0; i < keys.size(); i++) keys[i] = Mix(99, at + i);
    found += any::might_contain_many(window.get(), keys.data(), keys.size(), nullptr);
  }
  return static_cast<double>(found) / static_cast<double>(asked);
}

// ---- the span ------------------------------------------------------------------

// G, and the words of a block.
class EveryWindow : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {
 protected:
  uint32_t generations() const { return std::get<0>(GetParam()); }
  uint32_t live() const { return generations() + 1; }
  uint32_t words() const { return std::get<1>(GetParam()); }
  // So few false positives that none is met.
  Window Make(uint64_t n = 1000) const {
    const auto log2 = [](uint32_t power) { return static_cast<uint32_t>(__builtin_ctz(power)); };
    return MakeWindowOf({n * 200 / 64 / words() + 1, log2(live()), log2(words()), 16 / words()},
                        WindowConfig(n, 0.01, generations()));
  }
};

std::string WindowName(const testing::TestParamInfo<std::tuple<uint32_t, uint32_t>>& tested) {
  return "G" + std::to_string(std::get<0>(tested.param)) + "_words" +
         std::to_string(std::get<1>(tested.param));
}

INSTANTIATE_TEST_SUITE_P(All, EveryWindow,
                         testing::Combine(testing::Values(1u, 3u, 7u), testing::Values(2u, 4u, 8u)),
                         WindowName);

// A key is found in the generation of its put and in the G after it, then absent: many times, with
// and without other keys in its block.
TEST_P(EveryWindow, AKeyIsFoundForExactlyItsGenerations) {
  const Window window = Make();
  EXPECT_EQ(lfb_window_generation(window.get()), live());
  for (uint64_t turn = 0; turn < 200; turn++) {
    const uint64_t key = Mix(1, turn), began = lfb_window_generation(window.get());
    if (turn % 2 == 0) PutStream(window, 3, 100 * turn, 100);
    ASSERT_FALSE(Has(window, key));
    ASSERT_TRUE(Put(window, key));
    for (uint32_t i = 0; i < live(); i++) {
      ASSERT_TRUE(Has(window, key)) << turn << ", " << i << " generations later";
      Advance(window);
      if (turn % 3 == 0) PutStream(window, 4, 100 * (live() * turn + i), 20);
    }
    ASSERT_EQ(lfb_window_generation(window.get()), began + live());
    ASSERT_FALSE(Has(window, key)) << turn;
  }
}

TEST_P(EveryWindow, AKeyThatIsPutAgainIsFoundForASpanFromThenOn) {
  const Window window = Make();
  EXPECT_TRUE(Put(window, 1));
  for (int again = 0; again < 20; again++) {
    Advance(window, generations());
    EXPECT_TRUE(Has(window, 1));
    EXPECT_TRUE(Put(window, 1)) << "it is new in this generation";
    EXPECT_FALSE(Put(window, 1));
  }
  Advance(window, generations());
  EXPECT_TRUE(Has(window, 1));
  Advance(window);
  EXPECT_FALSE(Has(window, 1));
}

// A claim is won once per window, and a claim that loses does not extend the key's span.
TEST_P(EveryWindow, AKeyIsClaimedOncePerWindow) {
  const Window window = Make();
  for (int turn = 0; turn < 100; turn++) {
    ASSERT_TRUE(Claim(window, 7)) << turn;
    for (uint32_t i = 0; i < live(); i++) {
      ASSERT_FALSE(Claim(window, 7)) << turn << ", " << i << " generations later";
      ASSERT_TRUE(Has(window, 7));
      Advance(window);
    }
    ASSERT_FALSE(Has(window, 7)) << turn;
  }
}

TEST_P(EveryWindow, AKeyThatWasPutIsNotWon) {
  const Window window = Make();
  Put(window, 7);
  EXPECT_FALSE(Claim(window, 7));
  Advance(window, generations());
  EXPECT_FALSE(Claim(window, 7));
  Advance(window);
  EXPECT_TRUE(Claim(window, 7));
}

// ---- many keys -------------------------------------------------------------------

// The functions of one kind of key: a verb for one, and for many.
struct Verb {
  const char* name;
  bool (*one)(const Window&, uint64_t key);
  size_t (*many)(const Window&, const std::vector<uint64_t>& keys, uint64_t* answers);
};

std::vector<lfb_key> AsBytes(const std::vector<uint64_t>& keys) {
  std::vector<lfb_key> bytes(keys.size());
  for (size_t i = 0; i < keys.size(); i++) bytes[i] = {&keys[i], sizeof keys[i]};
  return bytes;
}

#define VERB_U64(verb)                                                                        \
  {#verb "_u64",                                                                              \
   [](const Window& w, uint64_t key) { return lfb_window_##verb##_u64(w.get(), key); },       \
   [](const Window& w, const std::vector<uint64_t>& keys, uint64_t* answers) {                \
     return any::verb##_many(w.get(), keys.data(), keys.size(), answers);         \
   }}
#define VERB_BYTES(verb)                                                                      \
  {#verb "_bytes",                                                                            \
   [](const Window& w, uint64_t key) {                                                        \
     return lfb_window_##verb(w.get(), &key, sizeof key);                                     \
   },                                                                                         \
   [](const Window& w, const std::vector<uint64_t>& keys, uint64_t* answers) {                \
     const std::vector<lfb_key> bytes = AsBytes(keys);                                        \
     return any::verb##_many(w.get(), bytes.data(), bytes.size(), answers);           \
   }}

// Puts, claims and queries of the same kind of key, in threes.
const Verb kVerbs[] = {
    VERB_U64(put),   VERB_U64(claim),   VERB_U64(might_contain),
    VERB_BYTES(put), VERB_BYTES(claim), VERB_BYTES(might_contain),
};

// Of 0 to 5000 keys, half of them present, a call for many answers as one call per key, and clears
// the bits after the last answer.  Some keys come twice in one call.
TEST_P(EveryWindow, ManyIsOnePerKey) {
  for (const Verb& verb : kVerbs) {
    SCOPED_TRACE(verb.name);
    const Verb& put = kVerbs[(&verb - kVerbs) / 3 * 3];
    const Window one = Make(20000), many = Make(20000), untold = Make(20000);
    uint64_t next = 0;
    for (size_t count : {0, 1, 63, 64, 65, 129, 4095, 4097, 5000}) {
      std::vector<uint64_t> keys(count), answers(count / 64 + 2, ~uint64_t{0});
      for (size_t i = 0; i < count; i++) keys[i] = i % 10 == 9 ? keys[i / 2] : next++;
      for (const Window* window : {&one, &many, &untold})
        for (size_t i = 0; i < count; i += 2) put.one(*window, keys[i]);
      Advance(one), Advance(many), Advance(untold);
      const size_t told = verb.many(many, keys, answers.data());
      size_t yes = 0;
      for (size_t i = 0; i < count; i++) {
        const bool answer = verb.one(one, keys[i]);
        ASSERT_EQ(answers[i / 64] >> (i % 64) & 1, answer) << i << " of " << count;
        yes += answer;
      }
      EXPECT_EQ(told, yes);
      EXPECT_EQ(verb.many(untold, keys, nullptr), yes);
      if (count % 64 != 0) {
        EXPECT_EQ(answers[count / 64] >> (count % 64), 0u);
      }
      EXPECT_EQ(answers[(count + 63) / 64], ~uint64_t{0}) << "a word too many is written";
    }
  }
}

// A 64-bit key is not its bytes, and the empty key is one.
TEST(Window, KindsOfKeysAreApart) {
  const Window window = MakeWindow(WindowConfig(1000, 1e-6));
  EXPECT_TRUE(Put(window, 5));
  EXPECT_TRUE(lfb_window_put(window.get(), "\5\0\0\0\0\0\0\0", 8));
  EXPECT_TRUE(lfb_window_put(window.get(), "", 0));
  EXPECT_TRUE(lfb_window_might_contain(window.get(), nullptr, 0));
}

// ---- kernels ---------------------------------------------------------------------

struct Kernel {
  std::string name;
  const lfb_window_kernel* kernel;
};

// The kernels of this processor for a geometry.
std::vector<Kernel> Kernels(const lfb_window_geometry& geometry) {
  std::vector<Kernel> all;
  for (uint32_t shape : std::set<uint32_t>{0, lfb_window_kernel_of(&geometry)}) {
    const std::string name = shape == 0 ? "any shape" : "own shape";
    all.push_back({name, lfb_window_kernels[shape]});
#ifdef LFB_SIMD_X86
    if (lfb_simd_best() >= LFB_SIMD_AVX2) all.push_back({name + ", AVX2",
                                                         lfb_window_kernels256[shape]});
    if (lfb_simd_best() >= LFB_SIMD_AVX512) all.push_back({name + ", AVX-512",
                                                           lfb_window_kernels512[shape]});
#endif
  }
  return all;
}

// Of each geometry, each kernel answers as the one without vectors.  Few blocks, so that false
// positives agree, too.
TEST(WindowKernels, AnswerAlike) {
  for (uint32_t layers = 1; layers <= 3; layers++)
    for (uint32_t block = 1; block <= 3; block++)
      for (uint32_t bits = 1; bits <= uint32_t{LFB_FAST_MAX_PROBES} >> block;
           bits += kUnderTsan ? 4 : 1)
        for (const Kernel& kernel : Kernels({50, layers, block, bits})) {
          SCOPED_TRACE(kernel.name + ", layers 2^" + std::to_string(layers) + ", words 2^" +
                       std::to_string(block) + ", bits " + std::to_string(bits));
          const lfb_window_geometry geometry = {50, layers, block, bits};
          const Window window = MakeWindowOf(geometry, WindowConfig(1000, 0.01));
          const Window alone = MakeWindowOf(geometry, WindowConfig(1000, 0.01));
          window->kernel = kernel.kernel;
          alone->kernel = lfb_window_kernels[0];
          ExpectAlike(window, alone);
          if (HasFatalFailure()) return;
        }
}

// A key's bits are those of fast_view.h for blocks of B words, in the layer of the current
// generation, and nowhere else.
TEST_P(EveryWindow, AKeyHasTheBitsOfItsLayout) {
  const Window window = Make();
  const uint32_t probes = Stats(window).probes;
  for (uint64_t key = 0; key < 50; key++) {
    const uint64_t hash = HashOf(window, key), e = lfb_window_generation(window.get());
    std::vector<uint64_t> wanted(window->pages.size / sizeof(lfb_word));
    const uint64_t first = lfb_multiply_high(hash, window->geometry.blocks) * live() * words();
    for (uint32_t f = 0; f < probes; f++)
      wanted[first + e % live() * words() + f % words()] |=
          uint64_t{1} << (lfb_fast_round(hash, f / 8) >> (16 + 6 * (f % 8)) & 63);
    ASSERT_TRUE(lfb_window_put_u64(window.get(), key));
    for (size_t i = 0; i < wanted.size(); i++)
      ASSERT_EQ(lfb_word_get(&window->view.words[i]), wanted[i]) << i;
    for (size_t i = 0; i < wanted.size(); i++)
      std::atomic_store(&window->view.words[i], uint64_t{0});
    Advance(window);
  }
}

// ---- the rate --------------------------------------------------------------------

struct RateOf {
  double fpp;
  uint32_t generations;
  uint64_t n, turns, asked;
  double tolerance;
  uint32_t probes;
};

// Small filters differ more from the mean.
constexpr double kNear = kUnderTsan ? 0.10 : 0.03, kCountNear = kUnderTsan ? 0.03 : 0.01;

class WindowRate : public testing::TestWithParam<RateOf> {};

// The rate with all generations full is that which was asked for, also after many generations, and
// the figures report it.
TEST_P(WindowRate, IsThatWhichWasAskedFor) {
  const RateOf of = GetParam();
  const Window window = MakeWindow(WindowConfig(of.n, of.fpp, of.generations));
  const uint64_t each = of.n / of.generations;
  for (uint64_t turn = 0; turn < of.turns; turn++) {
    if (turn > 0) Advance(window);
    PutStream(window, 5, turn * each, each);
  }
  const double measured = Rate(window, of.asked);
  EXPECT_NEAR(measured / of.fpp, 1, of.tolerance);
  const lfb_window_figures figures = Stats(window);
  EXPECT_NEAR(measured / figures.expected_fpp, 1, of.tolerance);
  EXPECT_EQ(figures.probes, of.probes);
  EXPECT_EQ(figures.generation, of.generations + of.turns);
  for (uint32_t i = 0; i <= of.generations; i++)
    EXPECT_NEAR(static_cast<double>(figures.live[i].approximate_count) / static_cast<double>(each),
                1, kCountNear)
        << i;
}

INSTANTIATE_TEST_SUITE_P(
    All, WindowRate,
    testing::Values(RateOf{1e-2, 3, kUnderTsan ? 6000 : 60000, kUnderTsan ? 30
                                                                          : 100, 1 << 22, kNear, 8},
                    RateOf{1e-2, 7, kUnderTsan ? 14000 : 210000, kUnderTsan
                           ? 30 : 100, 1 << 22, kNear, 8},
                    RateOf{1e-2, 1, 60000, 20, 1 << 22, kNear, 6},
                    RateOf{1e-3, 3, 60000, 20, 1 << 23, 0.10, 12},
                    RateOf{4e-4, 7, 140000, 20, 1 << 23, 0.15, 12},
                    RateOf{1e-5, 3, 60000, 20, 1 << 24, 0.30, 16}),
    [](const testing::TestParamInfo<RateOf>& row) { return "row" + std::to_string(row.index); });

// ---- creating --------------------------------------------------------------------

lfb_status Create(const lfb_window_config& config) {
  lfb_window* const before = reinterpret_cast<lfb_window*>(8);
  lfb_window* window = before;
  const lfb_status status = lfb_window_create(&config, &window);
  lfb_window_figures figures;
  figures.bytes = 42;
  EXPECT_EQ(lfb_window_config_plan(&config, &figures), status);
  if (status == LFB_OK) {
    lfb_window_free(window);
  } else {
    EXPECT_EQ(window, before) << "an output was written";
    EXPECT_EQ(figures.bytes, 42u) << "an output was written";
  }
  return status;
}

TEST(Window, RefusesWhatCannotBe) {
  for (double fpp : {0.0, -0.5, -HUGE_VAL, std::nan("")})
    EXPECT_EQ(Create(WindowConfig(1000, fpp)), LFB_ERROR_FPP_TOO_LOW) << fpp;
  for (double fpp : {1.0, 1.5, HUGE_VAL})
    EXPECT_EQ(Create(WindowConfig(1000, fpp)), LFB_ERROR_FPP_TOO_HIGH) << fpp;
  for (uint32_t generations : {2u, 4u, 5u, 6u, 8u, UINT32_MAX})
    EXPECT_EQ(Create(WindowConfig(1000, 0.01, generations)), LFB_ERROR_BAD_GENERATIONS);
  for (uint64_t n : {UINT64_MAX, UINT64_C(1) << 52})
    EXPECT_EQ(Create(WindowConfig(n, 0.01)), LFB_ERROR_TOO_MANY_BITS) << n;
  for (double fpp : {1e-300, std::numeric_limits<double>::denorm_min()})
    EXPECT_NE(Create(WindowConfig(1000, fpp)), LFB_OK) << fpp;
  lfb_window_config config = WindowConfig(1000, 0.01);
  config.hash = static_cast<lfb_hash_id>(99);
  EXPECT_NE(Create(config), LFB_OK);
  config = WindowConfig(1000, 0.01);
  config.memory_preference = static_cast<lfb_memory_preference>(3);
  EXPECT_EQ(Create(config), LFB_ERROR_UNKNOWN_PREFERENCE);
  config = WindowConfig(1000, 0.01);
  for (double span : {std::nan(""), -1.0, 0.0009, 1e10, HUGE_VAL, -HUGE_VAL}) {
    config.span = span;
    EXPECT_EQ(Create(config), LFB_ERROR_BAD_SPAN) << span;
  }
}

// The sizes of the header, within 1 %; and a smaller fpp never takes less memory, whatever the
// preference is.
TEST(Window, SizesAreThoseOfTheHeader) {
  const auto bits_per_key = [](double fpp, lfb_memory_preference preference) {
    lfb_window_config config = WindowConfig(3000000, fpp);
    config.memory_preference = preference;
    lfb_window_figures plan;
    EXPECT_EQ(lfb_window_config_plan(&config, &plan), LFB_OK);
    EXPECT_EQ(plan.bytes, 4 * plan.bit_count / 8);
    return static_cast<double>(plan.bytes) * 8 / 3e6;
  };
  EXPECT_NEAR(bits_per_key(1e-2, LFB_MEMORY_BALANCED), 20.7, 0.2);
  EXPECT_NEAR(bits_per_key(1e-3, LFB_MEMORY_BALANCED), 29.0, 0.3);
  EXPECT_NEAR(bits_per_key(1e-4, LFB_MEMORY_BALANCED), 41.5, 0.4);
  EXPECT_NEAR(bits_per_key(1e-6, LFB_MEMORY_BALANCED), 61.0, 0.6);
  EXPECT_NEAR(bits_per_key(1e-9, LFB_MEMORY_BALANCED), 124, 1.2);
  for (lfb_memory_preference preference
       : {LFB_MEMORY_BALANCED, LFB_MEMORY_SPEED, LFB_MEMORY_SMALLEST}) {
    double before = 0;
    for (double fpp = 0.5; fpp > 1e-10; fpp /= 1.05) {
      const double bits = bits_per_key(fpp, preference);
      ASSERT_GE(bits, before * 0.9999) << fpp;
      ASSERT_GE(bits * 1.0001, bits_per_key(fpp, LFB_MEMORY_SMALLEST)) << fpp;
      before = bits;
    }
  }
}

TEST(Window, TakesWhatCanBe) {
  for (double fpp : {0.999999, 0.5, 1e-3, 1e-6, 1e-9})
    for (uint64_t n : {0, 1, 2, 1000}) {
      const Window window = MakeWindow(WindowConfig(n, fpp, 0));
      ASSERT_NE(window, nullptr) << n << ", " << fpp;
      EXPECT_TRUE(Put(window, 1));
      EXPECT_TRUE(Has(window, 1));
      EXPECT_EQ(Stats(window).generations, 3u);
    }
  lfb_window_free(nullptr);
}

// A seed and a key decide which bits a key has, as in a plain filter.
TEST(Window, SeedsAndKeysDecide) {
  const auto first_words = [](const lfb_window_config& config) {
    const Window window = MakeWindow(config);
    for (uint64_t key = 0; key < 100; key++) Put(window, key);
    std::vector<uint64_t> words;
    for (uint64_t i = 0; i < window->pages.size / sizeof(lfb_word); i++)
      words.push_back(lfb_word_get(&window->view.words[i]));
    return words;
  };
  lfb_window_config config = WindowConfig(100, 0.01), other = config;
  EXPECT_EQ(first_words(config), first_words(other));
  other.seed = UINT64_C(1) << 40;
  EXPECT_NE(first_words(config), first_words(other));
  config.seed = 0;
  config.hash = LFB_HASH_SIPHASH13;
  config.key[0] = 1;
  other = config;
  EXPECT_EQ(first_words(config), first_words(other));
  other.key[15] = 1;
  EXPECT_NE(first_words(config), first_words(other));
}

// ---- advancing -------------------------------------------------------------------

TEST(Window, AWrongGenerationIsNotEnded) {
  const Window window = MakeWindow(WindowConfig(1000, 1e-6));
  Advance(window, 5);
  const uint64_t now = lfb_window_generation(window.get());
  Put(window, 1);
  for (uint64_t from : {uint64_t{0}, now - 1, now + 1, now + (UINT64_C(1) << 36), UINT64_MAX})
    EXPECT_EQ(lfb_window_advance(window.get(), from), LFB_ERROR_WRONG_GENERATION) << from;
  EXPECT_EQ(lfb_window_generation(window.get()), now);
  EXPECT_TRUE(Has(window, 1));
  EXPECT_FALSE(Put(window, 1));
}

// The layers of forgotten generations are empty.
TEST_P(EveryWindow, ForgottenLayersAreEmpty) {
  const Window window = Make();
  PutStream(window, 1, 0, 300);
  Advance(window, live());
  for (uint64_t i = 0; i < window->pages.size / sizeof(lfb_word); i++)
    ASSERT_EQ(lfb_word_get(&window->view.words[i]), 0u) << i;
}

// While an advance is in progress, others are refused; puts, claims and queries proceed.
TEST(Window, OneAdvanceAtATime) {
  const Window window = MakeWindow(WindowConfig(1000, 1e-6));
  const uint64_t now = lfb_window_generation(window.get());
  ASSERT_EQ(lfb_window_lock(window.get()), LFB_OK);
  EXPECT_EQ(lfb_window_lock(window.get()), LFB_ERROR_WINDOW_HELD);
  EXPECT_EQ(lfb_window_advance(window.get(), now), LFB_ERROR_WINDOW_HELD);
  EXPECT_EQ(lfb_window_advance(window.get(), now - 1), LFB_ERROR_WRONG_GENERATION);
  EXPECT_TRUE(Put(window, 1));
  EXPECT_TRUE(Claim(window, 2));
  EXPECT_TRUE(Has(window, 1) && Has(window, 2));
  // In a child no thread is advancing.
  EXPECT_EQ(InChild([&] { return lfb_window_advance(window.get(), now); }), LFB_OK);
  lfb_window_unlock(window.get());
  Advance(window, 3);
  EXPECT_TRUE(Has(window, 1) && Has(window, 2));
  Advance(window);
  EXPECT_FALSE(Has(window, 1) || Has(window, 2));
}

// ---- by insertions -----------------------------------------------------------------

// A window of the last n keys finds a key for n further ones, and forgets it soon after.
TEST(WindowByInsertions, RemembersTheLastKeys) {
  for (uint32_t generations : {3u, 7u})
    for (const uint64_t n : {1, 7, 1000, 20000}) {
      SCOPED_TRACE(std::to_string(n) + " keys, G = " + std::to_string(generations));
      const Window window = MakeWindow(ByInsertions(WindowConfig(n, 1e-9, generations)));
      const double each = std::ceil(static_cast<double>(n) / generations),
                          late = std::floor(each / 64) + 1;
      uint64_t next = 0;
      for (int turn = 0; turn < 10; turn++) {
        const uint64_t key = next++;
        ASSERT_TRUE(turn % 2 ? Put(window, key) : Claim(window, key));
        for (uint64_t i = 1; i < n; i++, next++) ASSERT_TRUE(next % 2 ? Put(window, next)
                                                                      : Claim(window, next));
        ASSERT_TRUE(Has(window, key)) << turn;
        const double most = (generations + 1) * (each + late) + 1;
        for (uint64_t i = n; static_cast<double>(i) < most; i++) Put(window, next++);
        ASSERT_FALSE(Has(window, key)) << turn;
      }
    }
}

// Calls for many keys forget and remember as single ones do, whatever the number of keys is, and
// their answers are those of single ones.
TEST(WindowByInsertions, ManyKeysFillNoGenerationTooFar) {
  for (const uint64_t n : {1, 10, 300, 1000, 9000, 300000}) {
    SCOPED_TRACE(std::to_string(n) + " keys");
    const Window window = MakeWindow(ByInsertions(WindowConfig(n, 1e-9)));
    const uint64_t each = (n + 2) / 3, count = 10 * each + 77,
                          began = lfb_window_generation(window.get());
    std::vector<uint64_t> keys(count), answers(count / 64 + 1, UINT64_MAX);
    for (uint64_t i = 0; i < count; i++) keys[i] = Mix(3, i);
    ASSERT_EQ(any::put_many(window.get(), keys.data(), count, answers.data()), count);
    for (uint64_t i = 0; i < count; i++) ASSERT_TRUE(answers[i / 64] >> i % 64 & 1) << i;
    const uint64_t late = each / 32 + 2, ended = lfb_window_generation(window.get()) - began;
    EXPECT_LE(ended, count / each);
    EXPECT_GE(ended, count / (each + late));
    uint64_t found = any::might_contain_many(window.get(), keys.data(), count, answers.data());
    EXPECT_GE(found, n);
    EXPECT_LE(found, 4 * (each + late));
    EXPECT_TRUE(answers[(count - 1) / 64] >> (count - 1) % 64 & 1);
    EXPECT_FALSE(answers[0] & 1);
  }
}

// Puts that turn on no bit count for nothing; calls for many keys count as one call per key.
TEST(WindowByInsertions, CountsNewKeysOnly) {
  const Window window = MakeWindow(ByInsertions(WindowConfig(3000, 1e-6)));
  std::vector<uint64_t> keys(900);
  for (uint64_t i = 0; i < keys.size(); i++) keys[i] = i;
  const uint64_t began = lfb_window_generation(window.get());
  for (int again = 0; again < 100; again++) any::put_many(window.get(), keys.data(), keys.size(),
                                                          nullptr);
  EXPECT_EQ(lfb_window_generation(window.get()), began);
  for (uint64_t& key : keys) key += 1000;
  any::claim_many(window.get(), keys.data(), keys.size(), nullptr);
  EXPECT_EQ(lfb_window_generation(window.get()), began + 1);
}

// Several threads put keys of their own: no generation is shorter than n / G, nor longer than each
// thread may be late.  The last is so if no thread puts while another one advances, which may be
// interrupted: they take turns, once.
TEST(WindowByInsertions, ThreadsCountTogether) {
  constexpr unsigned kThreads = 4;
  constexpr uint64_t kEach = kUnderTsan ? 4000 : 20000, kPuts = 30 * kEach;
  const lfb_window_config config = ByInsertions(WindowConfig(3 * kEach, 1e-6));
  for (const bool in_turns : {false, true}) {
    const Window window = MakeWindow(config);
    const uint64_t began = lfb_window_generation(window.get());
    std::mutex turn;
    RunTogether(kThreads, [&](unsigned thread) {
      for (uint64_t i = 0; i < kPuts / kThreads;) {
        std::unique_lock<std::mutex> mine(turn, std::defer_lock);
        if (in_turns) mine.lock();
        for (const uint64_t end = i + 50; i < end; i++) Put(window, thread * kPuts + i);
      }
    });
    const uint64_t generations = lfb_window_generation(window.get()) - began;
    EXPECT_LE(generations, kPuts / kEach);
    if (in_turns) {
      EXPECT_GE(generations, kPuts / (kEach + 2 * kThreads * (kEach / 64 + 1)));
    }
  }
}

// ---- the clock ---------------------------------------------------------------------

// A window with a span in seconds.
Window MakeTimed(double span, uint64_t n = 100) {
  return MakeWindow(Timed(WindowConfig(n, 1e-6), span));
}

TEST(WindowClock, WithoutASpanThereIsNone) {
  const Window window = MakeWindow(WindowConfig(100, 0.01));
  EXPECT_EQ(lfb_window_start_clock(window.get()), LFB_ERROR_BAD_SPAN);
  EXPECT_EQ(Tick(window), 0u);
  lfb_window_stop_clock(window.get());  // there is none
}

TEST(WindowClock, AdvancesUntilItIsStopped) {
  const Window window = MakeTimed(0.001);
  const auto passed = [&](uint64_t from, uint64_t count) {
    return [&window, from, count] { return lfb_window_generation(window.get()) >= from + count; };
  };
  for (int turn = 0; turn < 3; turn++) {
    ASSERT_EQ(lfb_window_start_clock(window.get()), LFB_OK);
    ASSERT_EQ(lfb_window_start_clock(window.get()), LFB_OK) << "it runs already";
    Await("the clock advances", passed(lfb_window_generation(window.get()), 5));
    lfb_window_stop_clock(window.get());
    const uint64_t stopped = lfb_window_generation(window.get());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(lfb_window_generation(window.get()), stopped);
  }
}

TEST(WindowClock, FreeingStopsIt) {
  for (double span : {0.001, 1.0, 1e9})
    for (int turn = 0; turn < 5; turn++) {
      const Window window = MakeTimed(span);
      ASSERT_EQ(lfb_window_start_clock(window.get()), LFB_OK);
    }
}

// A child has no clock: it stops and frees the window that it has a copy of.
TEST(WindowClock, AChildHasNone) {
  const Window window = MakeTimed(0.001);
  ASSERT_EQ(lfb_window_start_clock(window.get()), LFB_OK);
  for (int turn = 0; turn < 50; turn++) {
    const int found = InChild([&] {
      lfb_window_put_u64(window.get(), 1);
      const bool has = lfb_window_might_contain_u64(window.get(), 1);
      lfb_window_stop_clock(window.get());
      return has;
    });
    EXPECT_EQ(found, 1);
  }
}

// ---- figures -----------------------------------------------------------------------

TEST(Window, FiguresOfAPlanAreThoseOfAnEmptyWindow) {
  for (uint32_t generations : {0u, 3u, 7u}) {
    const lfb_window_config config = WindowConfig(12345, 0.002, generations);
    lfb_window_figures plan;
    ASSERT_EQ(lfb_window_config_plan(&config, &plan), LFB_OK);
    const lfb_window_figures made = Stats(MakeWindow(config));
    EXPECT_EQ(plan.expected_insertions, 12345u);
    EXPECT_EQ(plan.fpp, 0.002);
    EXPECT_EQ(plan.generations, generations == 0 ? 3 : generations);
    EXPECT_EQ(plan.generation, plan.generations + 1);
    EXPECT_EQ(plan.expected_fpp, 0);
    ExpectSameFigures(made, plan);
    for (const lfb_window_generation_figures& live : made.live) {
      EXPECT_EQ(live.bits_set, 0u);
      EXPECT_EQ(live.approximate_count, 0u);
    }
  }
}

// Each generation has its own figures, the current one first.
TEST_P(EveryWindow, FiguresArePerGeneration) {
  const Window window = Make(50000);
  for (uint32_t turn = 0; turn <= 2 * live(); turn++) {
    if (turn > 0) Advance(window);
    PutStream(window, 1, 100000 * turn, 100 * (turn + 1));
    const lfb_window_figures figures = Stats(window);
    for (uint32_t i = 0; i < LFB_WINDOW_LIVE; i++) {
      const double keys = i <= turn && i < live() ? 100.0 * (turn - i + 1) : 0;
      EXPECT_NEAR(static_cast<double>(figures.live[i].approximate_count), keys, 1 + 0.03 * keys);
      EXPECT_GE(static_cast<double>(figures.live[i].bits_set), keys * 0.9 * figures.probes);
    }
  }
}

// A generation with all bits on has no number of keys, and always answers "maybe".
TEST(Window, FiguresOfAFullGeneration) {
  const Window window = MakeWindowOf({2, 2, 1, 4}, WindowConfig(10, 0.01));
  PutStream(window, 1, 0, 10000);
  const lfb_window_figures figures = Stats(window);
  EXPECT_EQ(figures.live[0].bits_set, figures.bit_count);
  EXPECT_EQ(figures.live[0].approximate_count, UINT64_MAX);
  EXPECT_GT(figures.expected_fpp, 0.999);
  EXPECT_LE(figures.expected_fpp, 1);
}

}  // namespace
