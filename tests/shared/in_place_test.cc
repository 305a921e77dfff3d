// Files of every form that are opened where they are: the same answers, figures and bytes as
// loaded, a status for each invalid file, and no memory of the process's own.
#include <lfbloom/mapped.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "bloom/filter/filter.h"
#include "bloom/files/guava_header.h"
#include "bloom/files/native_header.h"
#include "tests/support/await.h"
#include "tests/support/mapped.h"
#include "tests/support/race.h"
#include "tests/support/shared.h"
#include "tests/support/skip.h"

namespace {

struct Case {
  lfb_strategy_id strategy;
  lfb_form form;
};

// Every strategy in every form that holds it.
std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const lfb_strategy_id strategy : AllStrategies())
    for (const lfb_form form : {LFB_FORM_GUAVA, LFB_FORM_NATIVE, LFB_FORM_SBBF, LFB_FORM_MAPPED})
      if (lfb_form_holds(form, strategy)) cases.push_back({strategy, form});
  return cases;
}

std::string CaseName(const testing::TestParamInfo<Case>& info) {
  return StrategyTestName({info.param.strategy, 0}) + "_" + lfb_form_name(info.param.form);
}

void PrintTo(const Case& of, std::ostream* out) { *out << lfb_form_name(of.form); }

Filter Loaded(const Path& path) {
  return Made<Filter>(lfb_filter_load, path.c_str(), nullptr);
}

class EveryFileInPlace : public testing::TestWithParam<Case> {
 protected:
  // 997 keys make a size that is no power of two.
  void Fill(uint64_t keys = 997, double fpp = 0.01) {
    lfb_config config = Config(keys, fpp, GetParam().strategy);
    config.memory_preference = LFB_MEMORY_SMALLEST;
    const Filter filter = Make(config);
    for (uint64_t i = 0; i < keys; i++) {
      Put(filter, "key-" + std::to_string(i));
      lfb_filter_put_u64(filter.get(), Mix(1, i));
      lfb_filter_put_hash(filter.get(), Mix(2, i));
    }
    ASSERT_EQ(lfb_filter_save(filter.get(), GetParam().form, path_.c_str()), LFB_OK);
  }
  Path path_{"/dev/shm"};
};

// Seen to fail with the bytes of Guava's words not reversed, and with those of sbbf reversed.
TEST_P(EveryFileInPlace, AnswersAsLoaded) {
  for (const double fpp : {0.3, 0.01, 1e-6}) {  // 2, 7 and 20 probes in a classic filter
    Fill(997, fpp);
    const Filter in_place = OpenReadOnly(path_), loaded = Loaded(path_);
    constexpr size_t kAsked = 4000;
    std::vector<uint64_t> numbers, hashes;
    std::vector<std::string> texts;
    std::vector<lfb_key> keys;
    for (size_t i = 0; i < kAsked; i++) {
      numbers.push_back(Mix(1, i));
      hashes.push_back(Mix(2, i));
      texts.push_back("key-" + std::to_string(i));
    }
    for (const std::string& text : texts) keys.push_back({text.data(), text.size()});
    for (size_t i = 0; i < kAsked; i++) {
      ASSERT_EQ(Has(in_place, texts[i]), Has(loaded, texts[i])) << i;
      ASSERT_EQ(lfb_filter_might_contain_u64(in_place.get(), numbers[i]),
                lfb_filter_might_contain_u64(loaded.get(), numbers[i]));
      ASSERT_EQ(lfb_filter_might_contain_hash(in_place.get(), hashes[i]),
                lfb_filter_might_contain_hash(loaded.get(), hashes[i]));
      ASSERT_TRUE(i >= 997 || Has(in_place, texts[i]));
    }
    std::vector<uint64_t> words(Stats(loaded).bytes / 8), loaded_words(words);
    EXPECT_EQ(lfb_filter_words(in_place.get(), 0, words.data(), words.size() + 1), words.size());
    lfb_filter_words(loaded.get(), 0, loaded_words.data(), words.size());
    EXPECT_EQ(words, loaded_words);
    std::vector<uint64_t> one(kAsked / 64 + 1), other(one);
    EXPECT_EQ(lfb_filter_might_contain_many(in_place.get(), keys.data(), kAsked, one.data()),
              lfb_filter_might_contain_many(loaded.get(), keys.data(), kAsked, other.data()));
    EXPECT_EQ(one, other);
    EXPECT_EQ(
        lfb_filter_might_contain_many_u64(in_place.get(), numbers.data(), kAsked, one.data()),
        lfb_filter_might_contain_many_u64(loaded.get(), numbers.data(), kAsked, other.data()));
    EXPECT_EQ(one, other);
    EXPECT_EQ(
        lfb_filter_might_contain_many_hash(in_place.get(), hashes.data(), kAsked, one.data()),
        lfb_filter_might_contain_many_hash(loaded.get(), hashes.data(), kAsked, other.data()));
    EXPECT_EQ(one, other);
  }
}

// Larger than the cache, so that the loops over many keys prefetch.
TEST_P(EveryFileInPlace, AnswersManyAsLoadedIfLarge) {
  Fill(20);
  const Filter in_place = OpenReadOnly(path_), loaded = Loaded(path_);
  in_place->layout.cached = loaded->layout.cached = 0;
  std::vector<uint64_t> hashes, one(100), other(100);
  for (uint64_t i = 0; i < 64 * 99 + 5; i++) hashes.push_back(Mix(2, i));
  for (const size_t count : {size_t{1}, size_t{200}, hashes.size()}) {
    EXPECT_EQ(
        lfb_filter_might_contain_many_hash(in_place.get(), hashes.data(), count, one.data()),
        lfb_filter_might_contain_many_hash(loaded.get(), hashes.data(), count, other.data()));
    EXPECT_EQ(one, other);
  }
}

// It can be counted, copied, written, saved and put into another filter.
TEST_P(EveryFileInPlace, IsAValueAsLoaded) {
  Fill();
  const Filter in_place = OpenReadOnly(path_), loaded = Loaded(path_);
  const lfb_stats stats = Stats(in_place), wanted = Stats(loaded);
  EXPECT_EQ(stats.form, GetParam().form);
  EXPECT_EQ(stats.bits_set, wanted.bits_set);
  EXPECT_EQ(stats.approximate_count, wanted.approximate_count);
  EXPECT_EQ(stats.bit_count, wanted.bit_count);
  EXPECT_EQ(stats.expected_fpp, wanted.expected_fpp);
  const Filter copy = Made<Filter>(lfb_filter_copy, in_place.get());
  EXPECT_EQ(Stats(copy).bits_set, wanted.bits_set);
  lfb_filter_put_u64(copy.get(), Mix(9, 1));  // a copy is in memory
  EXPECT_TRUE(lfb_filter_might_contain_u64(copy.get(), Mix(9, 1)));
  for (const lfb_form form : {LFB_FORM_GUAVA, LFB_FORM_NATIVE, LFB_FORM_SBBF, LFB_FORM_MAPPED}) {
    if (!lfb_form_holds(form, GetParam().strategy)) continue;
    const size_t head = form == LFB_FORM_MAPPED ? 512 : form == LFB_FORM_NATIVE ? 256 : 0;
    EXPECT_TRUE(Bytes(in_place, form).substr(head) == Bytes(loaded, form).substr(head));
  }
  EXPECT_EQ(lfb_filter_put_all(copy.get(), in_place.get()), LFB_OK);
  EXPECT_EQ(lfb_filter_put_all(loaded.get(), in_place.get()), LFB_OK);
  EXPECT_EQ(Stats(loaded).bits_set, wanted.bits_set);
  // saved over its own file: the mapping keeps the old one
  EXPECT_EQ(lfb_filter_save(in_place.get(), GetParam().form, path_.c_str()), LFB_OK);
  EXPECT_EQ(Stats(Loaded(path_)).bits_set, Stats(in_place).bits_set);
}

// Every file that loading refuses is refused alike: cut short, lengthened, with any bit of its head
// turned, above a limit.
TEST_P(EveryFileInPlace, RefusesWhatLoadingRefuses) {
  Fill(60);
  const std::string whole = Contents(path_);
  const auto refused = [&](uint64_t most = 0) {
    lfb_read_limits limits{};
    limits.max_bytes = most;
    const lfb_filter* in_place = nullptr;
    lfb_filter* loaded = nullptr;
    const lfb_status wanted = lfb_filter_load(path_.c_str(), &limits, &loaded);
    const Filter free(loaded);
    const lfb_status status = lfb_mapped_open_read_only(path_.c_str(), &limits, &in_place);
    lfb_mapped_close(in_place);
    EXPECT_EQ(status == LFB_OK, in_place != nullptr);
    EXPECT_EQ(status, wanted);
    return status;
  };
  EXPECT_EQ(refused(8), LFB_ERROR_OVER_LIMIT);
  Overwrite(path_, whole + "x");
  EXPECT_EQ(refused(), LFB_ERROR_TRAILING_BYTES);
  Overwrite(path_, whole);
  const size_t head = GetParam().form == LFB_FORM_GUAVA  ? 6
                      : GetParam().form == LFB_FORM_SBBF ? 16
                                                         : 256;
  std::fstream file(path_.c_str(), std::ios::binary | std::ios::in | std::ios::out);
  const auto write = [&](size_t at, int byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte)).flush();
  };
  for (size_t bit = 0; bit < 8 * head && !HasFailure(); bit++) {
    write(bit / 8, whole[bit / 8] ^ 1 << bit % 8);
    refused();
    write(bit / 8, whole[bit / 8]);
  }
  EXPECT_EQ(refused(), LFB_OK);
  for (size_t size = whole.size(); size > 0; size = size > 600 ? size - size / 9 - 1 : size - 1) {
    ASSERT_EQ(truncate(path_.c_str(), static_cast<off_t>(size - 1)), 0);
    ASSERT_EQ(refused(), LFB_ERROR_TRUNCATED) << size - 1;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryFileInPlace, testing::ValuesIn(Cases()), CaseName);

// The words are not read when a file is opened, so damage there is not seen; loading sees it.
TEST(InPlace, ComparesNoChecksumsOfWords) {
  const Path path("/dev/shm");
  ASSERT_EQ(lfb_filter_save(Make(1000, 0.01, LFB_SBBF).get(), LFB_FORM_NATIVE, path.c_str()),
            LFB_OK);
  std::string bytes = Contents(path);
  bytes[300] = static_cast<char>(bytes[300] ^ 1);
  Overwrite(path, bytes);
  lfb_filter* loaded = nullptr;
  EXPECT_EQ(lfb_filter_load(path.c_str(), nullptr, &loaded), LFB_ERROR_BAD_CHECKSUM);
  EXPECT_EQ(Stats(OpenReadOnly(path)).bits_set, 1u);
}

TEST(InPlace, AForgedLastWordIsRefused) {
  const Path path("/dev/shm");
  ASSERT_EQ(lfb_filter_save(Make(1000, 0.01, LFB_JAVA_DOUBLE).get(), LFB_FORM_NATIVE, path.c_str()),
            LFB_OK);
  const lfb_stats stats = Stats(OpenReadOnly(path));
  ASSERT_NE(stats.bit_count % 64, 0u);
  std::string bytes = Contents(path);
  bytes[256 + stats.bytes - 1] = '\x80';
  Overwrite(path, bytes);
  const lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_mapped_open_read_only(path.c_str(), nullptr, &filter), LFB_ERROR_BAD_HEADER);
}

// The checksums say of each byte of words and checksums whether it is the one that was written.
TEST(InPlace, ADamagedFileIsFoundOut) {
  const Path path("/dev/shm");
  const Filter filter = Make(2'500'000, 0.01, LFB_GUAVA_MITZ64);  // two MiB and a part of one
  for (uint64_t i = 0; i < 250'000; i++) lfb_filter_put_u64(filter.get(), Mix(1, i));
  ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_NATIVE, path.c_str()), LFB_OK);
  EXPECT_EQ(lfb_mapped_verify(OpenReadOnly(path).get()), LFB_OK);
  const std::string whole = Contents(path);
  const size_t words = Stats(filter).bytes, mib = 1 << 20;
  ASSERT_GT(words, 2 * mib);
  ASSERT_LT(words, 3 * mib);
  for (const size_t at : {size_t{256}, 256 + mib - 1, 256 + mib, 256 + 2 * mib, 256 + words - 16,
                          256 + words, 256 + words + 23, 256 + words + 24, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    Overwrite(path, damaged);
    EXPECT_EQ(lfb_mapped_verify(OpenReadOnly(path).get()), LFB_ERROR_BAD_CHECKSUM) << at;
  }
  EXPECT_EQ(lfb_mapped_verify(filter.get()), LFB_ERROR_NOT_MAPPED);
  ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, path.c_str()), LFB_OK);
  EXPECT_EQ(lfb_mapped_verify(OpenReadOnly(path).get()), LFB_OK) << "it has no checksums";
}

// The number of bytes in Thrift's head has 1 to 5 bytes: the words begin at odd addresses, too.
TEST(InPlace, WordsOfAnyAddressAreRead) {
  const Path path;
  const Filter filter = Make(100, 0.01, LFB_SBBF);
  for (uint64_t i = 0; i < 100; i++) lfb_filter_put_u64(filter.get(), i);
  const std::string bytes = Bytes(filter, LFB_FORM_SBBF);
  const size_t rest = bytes.size() - Stats(filter).bytes - 13;  // of the head, behind the number
  for (size_t more = 0; more <= 6 - rest; more++) {
    std::string longer = bytes.substr(0, rest);
    for (size_t i = 0; i < more; i++) {
      longer.back() = static_cast<char>(longer.back() | 0x80);
      longer += '\0';
    }
    longer += bytes.substr(rest);
    Overwrite(path, longer);
    const Filter in_place = OpenReadOnly(path);
    ASSERT_NE(in_place, nullptr);
    EXPECT_EQ(Stats(in_place).bits_set, Stats(filter).bits_set);
    for (uint64_t i = 0; i < 2000; i++)
      ASSERT_EQ(lfb_filter_might_contain_u64(in_place.get(), i),
                lfb_filter_might_contain_u64(filter.get(), i))
          << more;
  }
}

TEST(InPlace, WhatIsNoFilterIsRefused) {
  const auto status = [](const Path& path) {
    const lfb_filter* read_only = nullptr;
    lfb_filter* filter = nullptr;
    const lfb_status refused = lfb_mapped_open_read_only(path.c_str(), nullptr, &read_only);
    EXPECT_EQ(lfb_mapped_open(path.c_str(), nullptr, &filter), refused);
    lfb_form form;
    EXPECT_EQ(lfb_form_of_file(path.c_str(), &form), refused);
    return refused;
  };
  const Path path;
  Overwrite(path, "no filter");
  EXPECT_EQ(status(path), LFB_ERROR_UNKNOWN_FORM);
  Overwrite(path, "none");
  EXPECT_EQ(status(path), LFB_ERROR_TRUNCATED);
}

TEST(FormOfFile, IsFoundByTheFirstBytes) {
  lfb_form form = LFB_FORM_NONE;
  const Path path("/dev/shm");
  EXPECT_EQ(lfb_form_of_file(path.c_str(), &form), LFB_ERROR_OPEN);
  EXPECT_EQ(lfb_form_of_file("/dev/null", &form), LFB_ERROR_NOT_REGULAR);
  EXPECT_EQ(form, LFB_FORM_NONE);
  for (const Case& of : Cases()) {
    ASSERT_EQ(lfb_filter_save(Make(9, 0.1, of.strategy).get(), of.form, path.c_str()), LFB_OK);
    EXPECT_EQ(lfb_form_of_file(path.c_str(), &form), LFB_OK);
    EXPECT_EQ(form, of.form);
  }
}

// ---- a file of 4 GiB ---------------------------------------------------------------------

constexpr uint64_t kLarge = uint64_t{4} << 30;

// Writes a file of that many bytes of words, all zero except the bits of one key.  It takes no
// room: all its other pages are holes.
void WriteSparse(const Path& path, lfb_form form, uint64_t key) {
  lfb_description description;
  const lfb_config config = Config(uint64_t{3584} << 20, 0.01, LFB_GUAVA_MITZ64);
  ASSERT_EQ(lfb_description_make(&config, &description), LFB_OK);
  description.geometry.word_count = kLarge / 8 - 3;
  description.geometry.bit_count = 64 * description.geometry.word_count;
  unsigned char header[LFB_NATIVE_HEADER];
  size_t head = LFB_GUAVA_HEADER;
  uint64_t size = 8 * description.geometry.word_count;
  if (form == LFB_FORM_GUAVA) {
    lfb_guava_encode(&description, header);
  } else {
    lfb_native_encode(&description, 0, 0, header);
    head = LFB_NATIVE_HEADER;
    size += 8 * (kLarge / (1 << 20) + 1);
  }
  const lfb_layout layout = lfb_layout_of(&description, nullptr, lfb_stripes{});
  uint64_t bits[LFB_MAX_PROBES];
  const uint32_t count =
      description.strategy->bits_of(&layout, lfb_hasher_u64(&layout.hasher, key), bits);
  std::ofstream out(path.c_str(), std::ios::binary);
  out.write(reinterpret_cast<const char*>(header), static_cast<std::streamsize>(head));
  for (uint32_t i = 0; i < count; i++) {  // no two of the key's bits are in one byte
    const uint64_t byte = bits[i] / 8 ^ (form == LFB_FORM_GUAVA ? 7 : 0);
    out.seekp(static_cast<std::streamoff>(head + byte));
    out.put(static_cast<char>(1 << bits[i] % 8));
  }
  out.close();
  ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(head + size)), 0);
}

// Bytes of the process's memory in RAM: its own, and of files.
uint64_t Resident(const std::string& what) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (uint64_t kib = 0; word == what && status >> kib) return kib << 10;
  ADD_FAILURE() << what;
  return 0;
}

// It is open, and has answered, before a MiB of the process's own memory is touched, and 64 MiB of
// the file: a kernel may map 2 MiB at each access.
bool AsksALargeFile(const Path& path, uint64_t key) {
  const uint64_t own = Resident("RssAnon:"), files = Resident("RssFile:");
  const lfb_filter* filter = nullptr;
  if (lfb_mapped_open_read_only(path.c_str(), nullptr, &filter) != LFB_OK) return false;
  const bool right =
      lfb_filter_might_contain_u64(filter, key) && !lfb_filter_might_contain_u64(filter, key + 1);
  const bool small = Resident("RssAnon:") < own + (1 << 20) &&
                     Resident("RssFile:") < files + (64 << 20);
  lfb_mapped_close(filter);
  return right && small;
}

// 16 processes at once, none of which loads it.
TEST(InPlace, AFileOf4GiBAnswersAtOnceIn16Processes) {
  if (sizeof(void*) < 8) return NotHere("addresses of 32 bits");
  for (const lfb_form form : {LFB_FORM_NATIVE, LFB_FORM_GUAVA}) {
    const Path path;
    WriteSparse(path, form, 5);
    const lfb_filter* filter = nullptr;
    if (lfb_mapped_open_read_only(path.c_str(), nullptr, &filter) == LFB_ERROR_MAP &&
        errno == ENODATA)
      return NotHere("the tests' directory is in memory, where holes are refused");
    lfb_mapped_close(filter);
    EXPECT_TRUE(AsksALargeFile(path, 5));
    std::vector<pid_t> children;
    for (int i = 0; i < 16; i++) {
      children.push_back(fork());
      if (children.back() == 0) _exit(AsksALargeFile(path, 5) ? 0 : 1);
    }
    for (const pid_t child : children) EXPECT_EQ(AwaitChild("a child has asked", child), 0);
  }
}

}  // namespace
