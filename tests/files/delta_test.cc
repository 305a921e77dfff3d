// Deltas: what they bring over for every strategy and density, their size, that damaged, foreign
// and hostile ones change nothing, and that they are applied during puts without a loss.
#include <lfbloom/delta.h>
#include <lfbloom/mapped.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bloom/files/rice.h"
#include "bloom/filter/filter.h"
#include "tests/files/golden_rows.h"
#include "tests/support/race.h"
#include "tests/support/streams.h"

namespace {

std::string Delta(const Filter& earlier, const Filter& later) {
  std::string delta;
  EXPECT_EQ(lfb_delta_write(earlier.get(), later.get(), AppendTo, &delta), LFB_OK);
  return delta;
}

lfb_status Apply(const Filter& filter, const std::string& delta, uint64_t* turned_on = nullptr) {
  // A copy of exactly this size, so that a sanitizer sees a read behind it.
  const std::vector<char> exact(delta.begin(), delta.end());
  return lfb_delta_apply(filter.get(), exact.data(), exact.size(), turned_on);
}

Filter Copy(const Filter& filter) {
  return Made<Filter>(lfb_filter_copy, filter.get());
}

void PutMany(const Filter& filter, uint64_t stream, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) lfb_filter_put_u64(filter.get(), Mix(stream, i));
}

std::vector<uint64_t> Words(const Filter& filter) {
  std::vector<uint64_t> words(Stats(filter).bytes / sizeof(uint64_t));
  EXPECT_EQ(lfb_filter_words(filter.get(), 0, words.data(), words.size()), words.size());
  return words;
}

uint64_t BitsOf(const Filter& filter) { return lfb_filter_recount(&filter.get()->layout.bits); }

// Turns on single bits, whatever the strategy would.
void SetBit(const Filter& filter, uint64_t bit) {
  lfb_bit_array_set(&filter.get()->layout.bits, bit);
}

// Checks that a delta from `earlier` to `later` makes a copy of the one the other.
void ExpectThere(const Filter& earlier, const Filter& later) {
  const Filter copy = Copy(earlier);
  const std::string delta = Delta(earlier, later);
  uint64_t turned_on = 0;
  ASSERT_EQ(Apply(copy, delta, &turned_on), LFB_OK);
  EXPECT_EQ(Words(copy), Words(later));
  EXPECT_EQ(turned_on, BitsOf(later) - BitsOf(earlier));
  EXPECT_EQ(Stats(copy).bits_set, BitsOf(later));
  ASSERT_EQ(Apply(copy, delta, &turned_on), LFB_OK);
  EXPECT_EQ(turned_on, 0U);
  EXPECT_EQ(Words(copy), Words(later));
  EXPECT_EQ(Stats(copy).bits_set, BitsOf(later));
}

class EveryStrategyDelta : public testing::TestWithParam<lfb_strategy_id> {};
INSTANTIATE_TEST_SUITE_P(All, EveryStrategyDelta, testing::ValuesIn(AllStrategies()),
                         StrategyTestName);

TEST_P(EveryStrategyDelta, BringsTheLaterKeysToACopyOfTheEarlierFilter) {
  for (uint64_t n : {uint64_t{1}, uint64_t{50}, uint64_t{3000}, uint64_t{60000}})
    for (uint64_t had : {uint64_t{0}, n / 2})
      for (uint64_t more : {uint64_t{0}, uint64_t{1}, n / 100, n}) {
        if (kUnderTsan && (n > 3000 || GetParam() == LFB_GO_FNV14)) continue;  // one thread, slow
        const Filter earlier = Make(n, 0.01, GetParam());
        PutMany(earlier, 1, had);
        const Filter later = Copy(earlier);
        PutMany(later, 2, more);
        ExpectThere(earlier, later);
      }
}

// Bits anywhere, from none to all, evenly and in heaps.
TEST_P(EveryStrategyDelta, BringsAnyBits) {
  const Filter empty = Make(2000, 0.01, GetParam());
  const uint64_t bits = Stats(empty).bit_count;
  if (bits > 1000000) return;  // go-fnv14 has 2^25 bits: seconds for each
  for (uint64_t step : std::vector<uint64_t>{1, 2, 3, 64, 1000, bits}) {
    const Filter later = Copy(empty), heaps = Copy(empty);
    for (uint64_t i = 0; i < bits / step; i++) {
      SetBit(later, Mix(step, i) % bits);
      SetBit(heaps, (i % 7 * (bits / 7) + i / 7) % bits);
    }
    for (const uint64_t bit : {uint64_t{0}, bits - 1}) SetBit(heaps, bit);
    ExpectThere(empty, later);
    ExpectThere(empty, heaps);
  }
  const Filter full = Copy(empty);
  for (uint64_t i = 0; i < bits; i++) SetBit(full, i);
  ExpectThere(empty, full);
  ExpectThere(full, full);
}

// Deltas in any order, and to a filter that has other keys.
TEST_P(EveryStrategyDelta, AreAppliedInAnyOrder) {
  const Filter first = Make(3000, 0.01, GetParam());
  PutMany(first, 1, 1000);
  const Filter second = Copy(first);
  PutMany(second, 2, 500);
  const Filter third = Copy(second);
  PutMany(third, 3, 500);
  const Filter other = Copy(first), expected = Copy(third);
  PutMany(other, 4, 100);
  PutMany(expected, 4, 100);
  ASSERT_EQ(Apply(other, Delta(second, third)), LFB_OK);
  ASSERT_EQ(Apply(other, Delta(first, second)), LFB_OK);
  EXPECT_EQ(Words(other), Words(expected));
  EXPECT_EQ(Stats(other).bits_set, Stats(expected).bits_set);
}

// The size, beside the fewest bytes that can tell which bits of the filter are new.
TEST(DeltaSize, IsNearTheBoundForScatteredBits) {
  const Filter empty = Make(1000000, 0.01, LFB_GUAVA_MITZ64);
  const double bits = static_cast<double>(Stats(empty).bit_count);
  for (uint64_t keys : {uint64_t{10}, uint64_t{1000}, uint64_t{30000}, uint64_t{990000}}) {
    const Filter later = Copy(empty);
    PutMany(later, 1, keys);
    const double part = static_cast<double>(BitsOf(later)) / bits;
    const double bound = bits / 8 * (-part * std::log2(part) - (1 - part) * std::log2(1 - part));
    EXPECT_LT(static_cast<double>(Delta(empty, later).size()), 256 + 8 + 1.07 * bound) << keys;
  }
}

TEST(DeltaSize, OfOneKeyDoesNotDependOnTheFilter) {
  for (lfb_strategy_id strategy : {LFB_FAST, LFB_GUAVA_MITZ64}) {
    lfb_config config = Config(uint64_t{100} << 20, 0.01, strategy);
    if (kUnderTsan) config.expected_insertions /= 100;
    config.lazy_memory = true;
    const Filter empty = Make(config), later = Make(config);
    lfb_filter_put_u64(later.get(), 5);
    EXPECT_LT(Delta(empty, later).size(), 256U + 40U);
  }
}

TEST(DeltaSize, OfTwoHeapsFarApartIsNotOfTheGapBetweenThem) {
  const Filter empty = Make(4000000, 0.01, LFB_GUAVA_MITZ64), later = Copy(empty);
  const uint64_t bits = Stats(empty).bit_count;
  for (uint64_t i = 0; i < 4000; i++) SetBit(later, i % 2 == 0 ? i : bits - 1 - i);
  EXPECT_LT(Delta(empty, later).size(), 256U + 2000U);
  ExpectThere(empty, later);
}

lfb_status Written(const Filter& earlier, const Filter& later) {
  std::string delta;
  const lfb_status status = lfb_delta_write(earlier.get(), later.get(), AppendTo, &delta);
  EXPECT_EQ(status == LFB_OK, !delta.empty());
  return status;
}

TEST(DeltaRefused, IfTheEarlierFilterHasMore) {
  const Filter earlier = Make(1000, 0.01, LFB_FAST), later = Copy(earlier);
  PutMany(earlier, 1, 1);
  EXPECT_EQ(Written(earlier, later), LFB_ERROR_BITS_LOST);
  PutMany(later, 2, 1000);
  EXPECT_EQ(Written(earlier, later), LFB_ERROR_BITS_LOST);
}

lfb_config With(uint64_t n, lfb_strategy_id strategy, lfb_hash_id hash, uint64_t seed,
                uint8_t key) {
  lfb_config config = Config(n, 0.01, strategy);
  config.hash = hash;
  config.seed = seed;
  config.key[0] = key;
  config.keep_key = key == 9;  // which does not make another filter of it
  return config;
}

TEST(DeltaRefused, ByAFilterOfAnotherKind) {
  const struct {
    lfb_config config;
    lfb_status status;
  } rows[] = {
      {Config(1000, 0.01, LFB_FAST), LFB_OK},
      {Config(2000, 0.01, LFB_FAST), LFB_ERROR_BIT_COUNT_DIFFERS},
      {Config(1000, 0.0001, LFB_FAST), LFB_ERROR_PROBES_DIFFER},
      {With(1000, LFB_FAST, LFB_HASH_XXH3, 2, 0), LFB_ERROR_HASH_DIFFERS},
      {With(1000, LFB_FAST, LFB_HASH_AES, 0, 1), LFB_ERROR_HASH_DIFFERS},
      {With(1000, LFB_FAST, LFB_HASH_SIPHASH13, 0, 1), LFB_ERROR_HASH_DIFFERS},
  };
  const Filter mine = Make(1000, 0.01, LFB_FAST), later = Copy(mine);
  PutMany(later, 1, 100);
  const std::string delta = Delta(mine, later);
  for (const auto& row : rows) {
    const Filter other = Make(row.config);
    EXPECT_EQ(Apply(other, delta), row.status);
    EXPECT_EQ(BitsOf(other) > 0, row.status == LFB_OK);
    if (row.status != LFB_OK) {
      EXPECT_EQ(Written(other, later), row.status);
    }
  }
  const Filter classic = Make(1000, 0.01, LFB_GUAVA_MITZ64);
  const Filter classic32 = Make(1000, 0.01, LFB_GUAVA_MITZ32);
  EXPECT_EQ(Apply(classic32, Delta(classic, classic)), LFB_ERROR_STRATEGY_DIFFERS);
}

// A key is compared by its check value, and a delta does not hold it.
TEST(DeltaRefused, ByAFilterWithAnotherKey) {
  for (lfb_hash_id hash : {LFB_HASH_AES, LFB_HASH_SIPHASH13}) {
    lfb_config config = With(1000, LFB_FAST, hash, 0, 9);
    for (uint8_t i = 0; i < 16; i++) config.key[i] = static_cast<uint8_t>(0xa0 + i);
    const Filter mine = Make(config), later = Copy(mine);
    PutMany(later, 1, 100);
    const std::string delta = Delta(mine, later);
    EXPECT_EQ(delta.find(std::string(reinterpret_cast<const char*>(config.key), 8)),
              std::string::npos);
    config.keep_key = false;
    EXPECT_EQ(Apply(Make(config), delta), LFB_OK);
    config.key[15]++;
    EXPECT_EQ(Apply(Make(config), delta), LFB_ERROR_HASH_DIFFERS);
  }
}

// Each bit of it is flipped, and it is cut everywhere.
TEST(DeltaRefused, IfDamaged) {
  for (lfb_strategy_id strategy : {LFB_FAST, LFB_GUAVA_MITZ64}) {
    const Filter earlier = Make(1000, 0.01, strategy), later = Copy(earlier);
    PutMany(later, 1, 60);
    const std::string delta = Delta(earlier, later);
    for (size_t at = 0; at < delta.size(); at++) {
      for (int bit = 0; bit < 8; bit++) {
        std::string damaged = delta;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
        const lfb_status status = Apply(earlier, damaged);
        EXPECT_TRUE(status == LFB_ERROR_BAD_DELTA || (at < 6 && status == LFB_ERROR_NOT_DELTA) ||
                    (at < 8 && status == LFB_ERROR_NOT_DELTA) ||
                    (at >= 8 && at < 12 && status == LFB_ERROR_UNKNOWN_VERSION))
            << at << ": " << lfb_status_text(status);
      }
      EXPECT_EQ(Apply(earlier, delta.substr(0, at)),
                at < 6 ? LFB_ERROR_NOT_DELTA : LFB_ERROR_BAD_DELTA);
    }
    EXPECT_EQ(Apply(earlier, delta + '\0'), LFB_ERROR_BAD_DELTA);
    EXPECT_EQ(Apply(earlier, Bytes(earlier, LFB_FORM_NATIVE)), LFB_ERROR_NOT_DELTA);
    EXPECT_EQ(BitsOf(earlier), 0U);
    EXPECT_EQ(Apply(earlier, delta), LFB_OK);
  }
}

// The fields of a header: docs/formats.md.
enum { kAtBits = 48, kAtBodySize = 56, kAtChecksum = 72, kAtParameters = 80 };

// A delta with another body and number of bits, its checksums right.
std::string Forged(std::string delta, uint64_t bits, const std::string& body) {
  delta.resize(256);
  Store(&delta, kAtBits, bits);
  Store(&delta, kAtBodySize, body.size());
  Store(&delta, kAtChecksum, XXH3_64bits(body.data(), body.size()));
  SealHeader(&delta);
  return delta + body;
}

// Checksums keep nobody out: whatever follows them is refused, or within the filter.
TEST(DeltaHostile, IsRefusedOrTurnsOnBitsOfTheFilter) {
  for (lfb_strategy_id strategy : {LFB_FAST, LFB_JAVA_DOUBLE}) {
    const Filter filter = Make(200, 0.01, strategy);
    const uint64_t bit_count = Stats(filter).bit_count;
    const std::string none = Delta(filter, filter);
    // No bytes for its bits, whatever their number: the work is bounded, too.
    for (uint64_t bits : {uint64_t{1}, uint64_t{100}, bit_count, UINT64_MAX})
      EXPECT_EQ(Apply(filter, Forged(none, bits, "")), LFB_ERROR_BAD_DELTA) << bits;
    // Bytes that no bit needs.
    EXPECT_EQ(Apply(filter, Forged(none, 0, std::string(1, '\0'))), LFB_ERROR_BAD_DELTA);
    EXPECT_EQ(BitsOf(filter), 0U);
    uint64_t accepted = 0;
    for (uint64_t i = 0; i < 12288; i += kUnderSanitizer ? 5 : 1) {
      std::string body(1, static_cast<char>(i % 256));
      for (uint64_t at = 1; at < Mix(i, 0) % 4; at++) body += static_cast<char>(Mix(i, at));
      std::string forged = Forged(none, 1 + i / 256 % 6, body);
      for (size_t number = 0; number < 3; number++)
        forged[kAtParameters + 4 * number] = static_cast<char>(i / 1536);
      SealHeader(&forged);
      const Filter fresh = Make(200, 0.01, strategy);
      const lfb_status status = Apply(fresh, forged);
      ASSERT_TRUE(status == LFB_OK || status == LFB_ERROR_BAD_DELTA);
      ASSERT_EQ(status == LFB_OK, BitsOf(fresh) > 0);
      ASSERT_EQ(Stats(fresh).bits_set, BitsOf(fresh));
      ASSERT_EQ(Words(fresh).back() & ~(UINT64_MAX >> (63 - (bit_count - 1) % 64)), 0U);
      accepted += status == LFB_OK;
    }
    EXPECT_GT(accepted, 10U);  // or the refusals prove little
  }
}

// Numbers as a body has them, each with its parameter.
std::string Body(const std::vector<std::pair<uint64_t, uint32_t>>& numbers) {
  lfb_rice_writer writer{};
  for (const auto& [value, parameter] : numbers) lfb_rice_put(&writer, value, parameter);
  lfb_rice_end(&writer);
  const std::string body(reinterpret_cast<char*>(writer.bytes), writer.size);
  free(writer.bytes);
  return body;
}

// `none` with another number of bits and a body of these numbers.
lfb_status Numbers(const Filter& filter, uint64_t bits, uint32_t parameter,
                   const std::vector<uint64_t>& values, unsigned char padding = 0) {
  std::vector<std::pair<uint64_t, uint32_t>> numbers;
  for (const uint64_t value : values) numbers.push_back({value, parameter});
  std::string body = Body(numbers), forged = Delta(filter, filter);
  body.back() = static_cast<char>(body.back() | padding);
  for (size_t i = 0; i < 3; i++) forged[kAtParameters + 4 * i] = static_cast<char>(parameter);
  return Apply(filter, Forged(forged, bits, body));
}

// Each limit of a body: the last bit, a block's bits, the bits of the last byte, the size.
TEST(DeltaHostile, BodiesEndWhereTheFilterEnds) {
  const Filter classic = Make(200, 0.01, LFB_JAVA_DOUBLE);
  const uint64_t last = Stats(classic).bit_count - 1;
  EXPECT_EQ(Numbers(classic, 1, 3, {last + 1}), LFB_ERROR_BAD_DELTA);
  EXPECT_EQ(Numbers(classic, 2, 3, {last, 0}), LFB_ERROR_BAD_DELTA);
  EXPECT_EQ(Numbers(classic, 1, 3, {0, 1}), LFB_ERROR_BAD_DELTA) << "a number more than bits";
  EXPECT_EQ(Numbers(classic, 2, 7, {0}), LFB_ERROR_BAD_DELTA) << "a bit more than numbers";
  for (const unsigned char padding : {0x10, 0x20, 0x40, 0x80})
    EXPECT_EQ(Numbers(classic, 1, 3, {0}, padding), LFB_ERROR_BAD_DELTA) << unsigned{padding};
  std::string longer = Delta(classic, classic);
  for (const int more : {-1, 1}) {
    std::string forged = Forged(longer, 1, Body({{0, 3}, {0, 3}, {0, 3}}));
    Store(&forged, kAtBodySize, forged.size() - 256 + static_cast<size_t>(more));
    SealHeader(&forged);
    EXPECT_EQ(Apply(classic, forged), LFB_ERROR_BAD_DELTA) << more;
  }
  EXPECT_EQ(BitsOf(classic), 0U);
  EXPECT_EQ(Numbers(classic, 2, 3, {0, last - 1}), LFB_OK);
  EXPECT_EQ(Words(classic).back() >> (last % 64), 1U);
}

// The same with blocks of one pair, one line and two lines.
TEST(DeltaHostile, BodiesEndWhereABlockEnds) {
  for (const auto& [fpp, block] :
       {std::pair<double, uint64_t>{0.01, 128}, {1e-3, 512}, {1e-6, 1024}}) {
    const Filter blocks = Make(200, fpp, LFB_FAST);
    const uint64_t last = Stats(blocks).bit_count / block - 1;
    EXPECT_EQ(Numbers(blocks, 1, 3, {last + 1, 0, 0}), LFB_ERROR_BAD_DELTA) << block;
    EXPECT_EQ(Numbers(blocks, 1, 3, {0, 0, block}), LFB_ERROR_BAD_DELTA) << block;
    EXPECT_EQ(Numbers(blocks, 2, 3, {0, 1, block - 1, 0}), LFB_ERROR_BAD_DELTA) << block;
    EXPECT_EQ(Numbers(blocks, 1, 3, {0, 1, 0, 0}),
              LFB_ERROR_BAD_DELTA) << "more bits than the header's";
    std::vector<uint64_t> full = {0, block};
    full.insert(full.end(), block + 1, 0);
    EXPECT_EQ(Numbers(blocks, block + 1, 3, full),
              LFB_ERROR_BAD_DELTA) << "more bits than a block has";
    EXPECT_EQ(BitsOf(blocks), 0U);
    EXPECT_EQ(Numbers(blocks, 2, 3, {last, 1, 0, block - 2}), LFB_OK) << block;
    EXPECT_EQ(Words(blocks).back() >> 63, 1U);
  }
}

// A file that is no delta, or too large for one of the filter, takes no memory.
TEST(DeltaFile, IsReadNoFurtherThanItCanBeOne) {
  const Filter filter = Make(200, 0.01, LFB_FAST);
  const std::string path = testing::TempDir() + "/sparse", none = Delta(filter, filter);
  for (const bool consistent : {false, true}) {
    std::string head = none;
    const uint64_t size = uint64_t{3} << 30;
    if (consistent) Store(&head, kAtBodySize, size - 256);
    SealHeader(&head);
    std::ofstream(path, std::ios::binary) << head;
    std::filesystem::resize_file(path, size);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    const rlimit limited{uint64_t{1} << 30, before.rlim_max};
    if (!kUnderSanitizer) {
      ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
    }
    EXPECT_EQ(lfb_delta_apply_file(filter.get(), path.c_str(), nullptr), LFB_ERROR_BAD_DELTA);
    ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  }
  std::filesystem::remove(path);
}

TEST(DeltaHostile, HasParametersInTheirRange) {
  const Filter filter = Make(200, 0.01, LFB_FAST);
  for (size_t at : {80, 84, 88, 92, 104, 247}) {
    std::string delta = Delta(filter, filter);
    delta[at] = 41;
    SealHeader(&delta);
    EXPECT_EQ(Apply(filter, delta), LFB_ERROR_BAD_DELTA) << at;
  }
}

// ---- files ----

std::string Path(const char* name) { return testing::TempDir() + "/" + name; }

TEST(DeltaFile, IsSavedAndApplied) {
  const std::string path = Path("saved.delta");
  const Filter earlier = Make(1000, 0.01, LFB_FAST), later = Copy(earlier);
  PutMany(later, 1, 100);
  ASSERT_EQ(lfb_delta_save(earlier.get(), later.get(), path.c_str()), LFB_OK);
  uint64_t turned_on = 0;
  ASSERT_EQ(lfb_delta_apply_file(earlier.get(), path.c_str(), &turned_on), LFB_OK);
  EXPECT_EQ(turned_on, BitsOf(later));
  EXPECT_EQ(Words(earlier), Words(later));
  // A delta is not a filter, and says so.
  lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_filter_load(path.c_str(), nullptr, &filter), LFB_ERROR_DELTA);
  // Nothing is written if there is no delta.
  const Filter empty = Make(1000, 0.01, LFB_FAST);
  EXPECT_EQ(lfb_delta_save(later.get(), empty.get(), Path("none.delta").c_str()),
            LFB_ERROR_BITS_LOST);
  EXPECT_NE(access(Path("none.delta").c_str(), F_OK), 0);
  unlink(path.c_str());
}

TEST(DeltaFile, IsRefusedIfItIsNone) {
  const Filter filter = Make(1000, 0.01, LFB_FAST);
  const std::string path = Path("none");
  const auto apply = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
    return lfb_delta_apply_file(filter.get(), path.c_str(), nullptr);
  };
  EXPECT_EQ(lfb_delta_apply_file(filter.get(), Path("absent").c_str(), nullptr), LFB_ERROR_OPEN);
  EXPECT_EQ(lfb_delta_apply_file(filter.get(), "/dev/null", nullptr), LFB_ERROR_NOT_REGULAR);
  EXPECT_EQ(apply(""), LFB_ERROR_NOT_DELTA);
  EXPECT_EQ(apply("LFB"), LFB_ERROR_NOT_DELTA);
  EXPECT_EQ(apply("some text, and more of it"), LFB_ERROR_NOT_DELTA);
  EXPECT_EQ(apply(Bytes(filter, LFB_FORM_NATIVE)), LFB_ERROR_NOT_DELTA);
  const std::string delta = Delta(filter, filter);
  EXPECT_EQ(apply(delta.substr(0, 100)), LFB_ERROR_BAD_DELTA);
  EXPECT_EQ(apply(delta + "x"), LFB_ERROR_BAD_DELTA);
  EXPECT_EQ(apply(delta), LFB_OK);
  unlink(path.c_str());
}

// A filter in a mapped file, and its earlier version read in place.
TEST(DeltaFile, ChangesAMappedFilter) {
  const std::string path = Path("shared.lfb");
  const lfb_config config = Config(1000, 0.01, LFB_FAST);
  lfb_filter* mapped = nullptr;
  unlink(path.c_str());
  ASSERT_EQ(lfb_mapped_create(path.c_str(), &config, &mapped), LFB_OK);
  const Filter shared(mapped), later = Make(config);
  PutMany(later, 1, 100);
  const lfb_filter* opened = nullptr;
  ASSERT_EQ(lfb_mapped_open_read_only(path.c_str(), nullptr, &opened), LFB_OK);
  const Filter earlier(const_cast<lfb_filter*>(opened));
  ASSERT_EQ(Apply(shared, Delta(earlier, later)), LFB_OK);
  EXPECT_EQ(Words(earlier), Words(later));
  EXPECT_EQ(Stats(shared).bits_set, BitsOf(later));
  unlink(path.c_str());
}

TEST(DeltaFile, IsAsItWasWrittenEarlier) {
  for (const GoldenDelta& row : kGoldenDeltas) {
    const std::string golden = FileBytes(std::string("tests/golden/") + row.file);
    EXPECT_EQ(GoldenDeltaBytes(row), golden) << row.file;
    const Filter filter = MakeGoldenDelta(row, 0);
    ASSERT_EQ(Apply(filter, golden), LFB_OK);
    EXPECT_EQ(Words(filter), Words(MakeGoldenDelta(row, row.keys)));
  }
}

// ---- races ----

// While threads put keys, others apply deltas with other keys: afterwards the filter has exactly
// the bits of all, and counts them.  Seen to fail with the planted bug torn_cas.
TEST(DeltaRace, LosesNoBitAndCountsEach) {
  constexpr unsigned kThreads = 4;
  const uint64_t keys = kUnderTsan ? 300 : 1500;
  for (lfb_strategy_id strategy : {LFB_FAST, LFB_GUAVA_MITZ32})
    for (int round = 0; round < (kUnderTsan ? 15 : 60); round++) {
      const Filter filter = Make(2000, 0.01, strategy), expected = Copy(filter);
      std::vector<std::string> deltas;
      for (unsigned t = 0; t < kThreads; t++) {
        const Filter later = Copy(filter);
        PutMany(later, t, keys);
        deltas.push_back(Delta(filter, later));
        ASSERT_EQ(lfb_filter_put_all(expected.get(), later.get()), LFB_OK);
      }
      RunTogether(kThreads, [&](unsigned t) {
        if (t % 2 == 0)
          PutMany(filter, t, keys);
        else
          EXPECT_EQ(Apply(filter, deltas[t]), LFB_OK);
        EXPECT_EQ(Apply(filter, deltas[(t + 1) % kThreads]), LFB_OK);
      });
      ASSERT_EQ(Words(filter), Words(expected));
      ASSERT_EQ(Stats(filter).bits_set, BitsOf(filter));
    }
}

// A delta of a filter that threads put into has all keys put before, and no bit that no key has.
TEST(DeltaRace, IsMadeDuringPuts) {
  for (int round = 0; round < (kUnderTsan ? 3 : 20); round++) {
    const Filter earlier = Make(20000, 0.01, LFB_FAST), later = Copy(earlier);
    PutMany(later, 1, 1000);
    std::string delta;
    RunTogether(2, [&](unsigned t) {
      if (t == 0)
        PutMany(later, 2, 10000);
      else
        delta = Delta(earlier, later);
    });
    ASSERT_EQ(Apply(earlier, delta), LFB_OK);
    for (uint64_t i = 0; i < 1000; i++)
      ASSERT_TRUE(lfb_filter_might_contain_u64(earlier.get(), Mix(1, i)));
    EXPECT_EQ(Written(earlier, later), LFB_OK);  // not LFB_ERROR_BITS_LOST
  }
}

}  // namespace
