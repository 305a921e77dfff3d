// Filters in mapped files: the same answers and bits as in memory, one filter for all who
// open it, and an outcome for every file that is not as it should be.
#define XXH_INLINE_ALL
#include <fcntl.h>
#include <lfbloom/mapped.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <functional>

#include "bloom/core.h"
#include "tests/mapped.h"
#include "tests/race.h"

namespace {

lfb_status OpenStatus(const Path& path, const lfb_read_limits* limits = nullptr) {
  lfb_filter* filter = nullptr;
  const lfb_status status = lfb_mapped_open(path.c_str(), limits, &filter);
  const Filter free(filter);
  EXPECT_EQ(status == LFB_OK, filter != nullptr);
  const lfb_filter* read_only = nullptr;
  EXPECT_EQ(lfb_mapped_open_read_only(path.c_str(), limits, &read_only), status);
  lfb_mapped_close(read_only);
  return status;
}

class EveryStrategyMapped : public testing::TestWithParam<lfb_strategy_id> {};

// What is put by every operation is found, counted and stored as in private memory.
TEST_P(EveryStrategyMapped, IsAsInPrivateMemory) {
  for (const std::string& folder : {testing::TempDir(), std::string("/dev/shm")}) {
    const lfb_config config = Config(20000, 0.01, GetParam());
    const Path path(folder);
    const Filter mapped = Create(path, config), other = Open(path), in_memory = Make(config);
    std::vector<uint64_t> keys;
    for (uint64_t i = 0; i < 5000; i++) keys.push_back(Mix(4, i));
    for (lfb_filter* filter : {mapped.get(), in_memory.get()}) {
      for (uint64_t i = 0; i < 5000; i++) {
        const std::string text = std::to_string(i);
        lfb_filter_put(filter, text.data(), text.size());
        lfb_filter_put_u64(filter, Mix(1, i));
        lfb_filter_put_hash(filter, Mix(2, i));
        lfb_filter_claim_u64(filter, Mix(6, i));
        lfb_filter_put_object(
            filter,
            [](const void* object, lfb_sink* sink) {
              lfb_sink_put_i64(sink, *static_cast<const int64_t*>(object));
            },
            &keys[i]);
      }
      lfb_filter_put_many_u64(filter, keys.data(), keys.size(), nullptr);
    }
    for (const Filter* filter : {&mapped, &other}) {
      EXPECT_EQ(Bytes(*filter, LFB_FORM_NATIVE).substr(256),
                Bytes(in_memory, LFB_FORM_NATIVE).substr(256));
      EXPECT_EQ(Stats(*filter).bits_set, Stats(in_memory).bits_set);
      for (uint64_t i = 0; i < 10000; i++)
        ASSERT_EQ(lfb_filter_might_contain_u64(filter->get(), Mix(1, i)),
                  lfb_filter_might_contain_u64(in_memory.get(), Mix(1, i)));
    }
    EXPECT_EQ(Stats(mapped).form, LFB_FORM_MAPPED);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategyMapped, testing::ValuesIn(AllStrategies()),
                         StrategyTestName);

TEST(Mapped, OutlivesItsProcesses) {
  const Path path;
  { Put(Create(path, Config(1000, 0.01, LFB_FAST)), "a"); }
  { Put(Open(path), "b"); }
  const Filter filter = Open(path);
  EXPECT_TRUE(Has(filter, "a") && Has(filter, "b"));
  EXPECT_FALSE(Has(filter, "c"));
  const Filter expected = Make(Config(1000, 0.01, LFB_FAST));
  Put(expected, "a"), Put(expected, "b");
  EXPECT_EQ(Stats(filter).bits_set, Stats(expected).bits_set);
  EXPECT_FALSE(Stats(filter).bits_set_low);
  EXPECT_EQ(lfb_mapped_sync(filter.get()), LFB_OK);
}

TEST(Mapped, ReadersSeeWhatWritersPut) {
  const Path path;
  const Filter writer = Create(path, Config(1000, 0.01, LFB_FAST));
  const lfb_filter* reader = nullptr;
  ASSERT_EQ(lfb_mapped_open_read_only(path.c_str(), nullptr, &reader), LFB_OK);
  EXPECT_FALSE(lfb_filter_might_contain_u64(reader, 7));
  lfb_filter_put_u64(writer.get(), 7);
  EXPECT_TRUE(lfb_filter_might_contain_u64(reader, 7));
  lfb_stats stats;
  lfb_filter_stats(reader, &stats);
  EXPECT_EQ(stats.bits_set, Stats(writer).bits_set);
  EXPECT_EQ(lfb_mapped_sync(reader), LFB_OK);
  lfb_filter* copy = nullptr;
  ASSERT_EQ(lfb_filter_copy(reader, &copy), LFB_OK);
  lfb_mapped_close(reader);
  EXPECT_TRUE(lfb_filter_put_u64(copy, 8));  // which is in private memory
  EXPECT_FALSE(lfb_filter_might_contain_u64(writer.get(), 8));
  lfb_filter_free(copy);
}

// 200 files, 4 creators each: one of them makes it, and what it made is there for all.
TEST(MappedRace, OneCreatorWins) {
  for (int round = 0; round < 200; round++) {
    const Path path;
    const lfb_config config = Config(1000, 0.01, LFB_FAST);
    std::atomic<int> made{0}, existed{0}, lost{0};
    RunTogether(4, [&](unsigned t) {
      lfb_filter* filter = nullptr;
      const lfb_status status = lfb_mapped_create(path.c_str(), &config, &filter);
      made += status == LFB_OK;
      existed += status == LFB_ERROR_EXISTS;
      if (status == LFB_ERROR_EXISTS)
        lost += lfb_mapped_open(path.c_str(), nullptr, &filter) != LFB_OK;
      if (filter != nullptr) lfb_filter_put_u64(filter, t);
      lfb_filter_free(filter);
    });
    ASSERT_EQ(made, 1);
    ASSERT_EQ(existed, 3);
    ASSERT_EQ(lost, 0);
    const Filter filter = Open(path);
    for (uint64_t t = 0; t < 4; t++) ASSERT_TRUE(lfb_filter_might_contain_u64(filter.get(), t));
  }
}

TEST(Mapped, AFileThatIsThereIsLeftAlone) {
  const Path path;
  Overwrite(path, "mine");
  lfb_config config = Config(1000, 0.01, LFB_FAST);
  lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_mapped_create(path.c_str(), &config, &filter), LFB_ERROR_EXISTS);
  EXPECT_EQ(filter, nullptr);
  EXPECT_EQ(Contents(path), "mine");
  EXPECT_EQ(lfb_mapped_create("/nowhere/at/all", &config, &filter), LFB_ERROR_OPEN);
  EXPECT_EQ(errno, ENOENT);
  const Path never;
  config.fpp = 0;
  EXPECT_EQ(lfb_mapped_create(never.c_str(), &config, &filter), LFB_ERROR_FPP_TOO_LOW);
  config = Config(1, 0.01, LFB_FAST);
  config.expected_insertions = uint64_t{1} << 42;  // 5 TiB
  config.lazy_memory = true;
  EXPECT_EQ(lfb_mapped_create(never.c_str(), &config, &filter), LFB_ERROR_WRITE);
  EXPECT_NE(access(never.c_str(), F_OK), 0);
}

// However much of a file is there already, it is no filter yet.
TEST(Mapped, HalfAFileIsRefused) {
  const Path path;
  { Create(path, Config(1000, 0.01, LFB_FAST)); }
  const std::string whole = Contents(path);
  for (size_t size = 0; size < whole.size(); size += size < 600 ? 1 : 10007) {
    Overwrite(path, whole.substr(0, size));
    ASSERT_EQ(OpenStatus(path), LFB_ERROR_TRUNCATED) << size;
  }
  // as while it is made, where files without a name cannot be: like a Guava filter's start
  Overwrite(path, std::string(8, '\0') + whole.substr(8));
  EXPECT_EQ(OpenStatus(path), LFB_ERROR_NOT_MAPPED);
  Overwrite(path, whole + "x");
  EXPECT_EQ(OpenStatus(path), LFB_ERROR_TRAILING_BYTES);
  Overwrite(path, whole);
  EXPECT_EQ(OpenStatus(path), LFB_OK);
}

// The file with another value in its prefix, and a checksum that goes with it.
std::string Forged(std::string file, size_t offset, const std::string& value) {
  file.replace(offset, value.size(), value);
  const uint64_t sum = XXH3_64bits(file.data(), 248);
  for (int i = 0; i < 8; i++) file[248 + i] = static_cast<char>(sum >> (8 * i));
  return file;
}

TEST(Mapped, EveryFieldOfTheHeadIsChecked) {
  const Path path;
  { Create(path, Config(1000, 0.01, LFB_FAST)); }
  const std::string whole = Contents(path);
  for (size_t at = 0; at < 512; at++) {  // any bit, without a new checksum
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    Overwrite(path, damaged);
    ASSERT_NE(OpenStatus(path), LFB_OK) << at;
  }
  struct {
    size_t offset;
    std::string value;
    lfb_status status;
  } const forgeries[] = {
      {8, std::string("\2\0\0\0", 4), LFB_ERROR_UNKNOWN_VERSION},
      {12, std::string("\0\2\0\0", 4), LFB_ERROR_BAD_HEADER},
      {16, {whole.rend() - 24, whole.rend() - 16}, LFB_ERROR_BYTE_ORDER},
      {16, "whatever", LFB_ERROR_BAD_HEADER},
      {24, std::string(8, '\0'), LFB_ERROR_BAD_HEADER},       // words over the head
      {24, std::string(8, '\x7f'), LFB_ERROR_BAD_HEADER},     // .. at no line
      {24, std::string("\0\0\0\0\0\0\0\x80", 8), LFB_ERROR_BAD_HEADER},
      {32, std::string(8, '\0'), LFB_ERROR_BAD_HEADER},
      {40, std::string(4, '\xff'), LFB_ERROR_BAD_HEADER},     // leases
      {40, std::string("\0\x10\0\0", 4), LFB_ERROR_BAD_HEADER},  // .. over the words
      {44, std::string(4, '\xff'), LFB_ERROR_BAD_HEADER},
      {48, std::string(4, '\1'), LFB_ERROR_BAD_HEADER},
      {52, std::string(4, '\1'), LFB_ERROR_BAD_HEADER},
      {56, "x", LFB_ERROR_BAD_HEADER},
      {60, "x", LFB_ERROR_BAD_HEADER},
  };
  for (const auto& forgery : forgeries) {
    Overwrite(path, Forged(whole, forgery.offset, forgery.value));
    EXPECT_EQ(OpenStatus(path), forgery.status) << forgery.offset;
  }
  Overwrite(path, Forged(whole, 60, std::string(1, '\0')));
  EXPECT_EQ(OpenStatus(path), LFB_OK);
}

TEST(Mapped, OtherFilesAreRefusedByName) {
  const Filter other = Make(1000, 0.01, LFB_GUAVA_MITZ64);
  const Path path;
  EXPECT_EQ(OpenStatus(path), LFB_ERROR_OPEN);
  EXPECT_EQ(errno, ENOENT);
  for (lfb_form form : {LFB_FORM_NATIVE, LFB_FORM_GUAVA}) {
    ASSERT_EQ(lfb_filter_save(other.get(), form, path.c_str()), LFB_OK);
    EXPECT_EQ(OpenStatus(path), LFB_ERROR_NOT_MAPPED);
  }
  Overwrite(path, "no filter at all");
  EXPECT_EQ(OpenStatus(path), LFB_ERROR_UNKNOWN_FORM);
  const Path pipe;
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(OpenStatus(pipe), LFB_ERROR_MAP);  // and does not wait for a writer
  lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_mapped_open("/dev/shm", nullptr, &filter), LFB_ERROR_OPEN);
  EXPECT_EQ(lfb_mapped_sync(other.get()), LFB_ERROR_NOT_MAPPED);
  EXPECT_EQ(lfb_mapped_recount(other.get()), LFB_ERROR_NOT_MAPPED);
}

TEST(Mapped, LimitsAndKeysHold) {
  const Path path;
  lfb_config config = Config(1000, 0.01, LFB_FAST);
  config.seed = 0;
  config.hash = LFB_HASH_SIPHASH13;
  config.key[3] = 9;
  { Put(Create(path, config), "a"); }
  lfb_read_limits limits{};
  EXPECT_EQ(OpenStatus(path, &limits), LFB_ERROR_KEY_NEEDED);
  const uint8_t wrong[16] = {1};
  limits.key = wrong;
  EXPECT_EQ(OpenStatus(path, &limits), LFB_ERROR_WRONG_KEY);
  limits.key = config.key;
  limits.max_bytes = 8;
  EXPECT_EQ(OpenStatus(path, &limits), LFB_ERROR_OVER_LIMIT);
  limits.max_bytes = 1 << 20;
  lfb_filter* filter = nullptr;
  ASSERT_EQ(lfb_mapped_open(path.c_str(), &limits, &filter), LFB_OK);
  EXPECT_TRUE(lfb_filter_might_contain(filter, "a", 1));
  lfb_mapped_close(filter);
}

TEST(Mapped, SyncSaysWhatBecameOfTheFile) {
  const Path path, other;
  const Filter filter = Create(path, Config(1000, 0.01, LFB_FAST));
  { Create(other, Config(1000, 0.01, LFB_FAST)); }
  ASSERT_EQ(rename(other.c_str(), path.c_str()), 0);
  EXPECT_EQ(lfb_mapped_sync(filter.get()), LFB_ERROR_REPLACED);
  EXPECT_TRUE(lfb_filter_put_u64(filter.get(), 1));  // the old file is still there
  unlink(path.c_str());
  EXPECT_EQ(lfb_mapped_sync(filter.get()), LFB_ERROR_REPLACED);
  const Path shortened;
  const Filter gone = Create(shortened, Config(1000, 0.01, LFB_FAST));
  ASSERT_EQ(truncate(shortened.c_str(), 100), 0);
  EXPECT_EQ(lfb_mapped_sync(gone.get()), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(lfb_mapped_recount(gone.get()), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(OpenStatus(shortened), LFB_ERROR_TRUNCATED);  // and closing it harms nobody
}

// As a form among others: a snapshot of a live filter, and a filter that becomes one.
TEST(Mapped, IsAFormToo) {
  for (lfb_strategy_id strategy : AllStrategies()) {
    const Path path;
    const Filter filter = Make(Config(300, 0.01, strategy));
    for (uint64_t i = 0; i < 300; i++) lfb_filter_put_u64(filter.get(), Mix(1, i));
    ASSERT_TRUE(lfb_form_holds(LFB_FORM_MAPPED, strategy));
    ASSERT_EQ(lfb_filter_set_label(filter.get(), "a label"), LFB_OK);
    ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_MAPPED, path.c_str()), LFB_OK);
    const Filter mapped = Open(path);
    EXPECT_EQ(Stats(mapped).bits_set, Stats(filter).bits_set);
    EXPECT_FALSE(Stats(mapped).bits_set_low);  // seen to say that somebody had died
    EXPECT_STREQ(lfb_filter_label(mapped.get()), "a label");
    EXPECT_EQ(lfb_mapped_recount(mapped.get()), LFB_OK);
    EXPECT_EQ(Stats(mapped).bits_set, Stats(filter).bits_set);
    lfb_filter_put_u64(mapped.get(), Mix(1, 300));
    lfb_filter* loaded = nullptr;
    ASSERT_EQ(lfb_filter_load(path.c_str(), nullptr, &loaded), LFB_OK);
    const Filter back(loaded);
    EXPECT_EQ(Stats(back).bits_set, Stats(mapped).bits_set);
    EXPECT_EQ(Bytes(back, LFB_FORM_NATIVE).substr(256), Bytes(mapped, LFB_FORM_NATIVE).substr(256));
    lfb_stats stats;
    lfb_filter_stats(loaded, &stats);
    EXPECT_EQ(stats.form, LFB_FORM_MAPPED);
  }
}

// A stream cannot be written over: its count may be too low, and it says so.
TEST(Mapped, AStreamSaysThatItsCountMayBeLow) {
  const Path path;
  const Filter filter = Make(Config(300, 0.01, LFB_FAST));
  lfb_filter_put_u64(filter.get(), 1);
  Overwrite(path, Bytes(filter, LFB_FORM_MAPPED));
  const Filter mapped = Open(path);
  EXPECT_TRUE(Stats(mapped).bits_set_low);
  EXPECT_EQ(lfb_mapped_recount(mapped.get()), LFB_OK);
  EXPECT_EQ(Stats(mapped).bits_set, Stats(filter).bits_set);
}

// Saved while others put: the count is that of the words in the file, 20 times over.  Seen to
// fail in 16 of 20, by tens of thousands of bits, with the count from before the words kept.
TEST(MappedRace, ASaveCountsWhatItWrote) {
  for (int round = 0; round < 20; round++) {
    const Filter filter = Make(Config(2'000'000, 0.01, LFB_FAST));
    std::atomic<uint64_t> put{0};
    std::atomic<bool> done{false};
    std::thread other([&] {
      for (uint64_t i = 0; !done; put = ++i) lfb_filter_put_u64(filter.get(), Mix(1, i));
    });
    while (put == 0) std::this_thread::yield();
    const Path path;
    const lfb_status saved = lfb_filter_save(filter.get(), LFB_FORM_MAPPED, path.c_str());
    done = true;
    other.join();
    ASSERT_EQ(saved, LFB_OK);
    const Filter mapped = Open(path);
    EXPECT_EQ(Stats(mapped).bits_set, lfb_bits_count(&mapped->layout.bits)) << round;
    EXPECT_FALSE(Stats(mapped).bits_set_low);
  }
}

// Runs `body` in a child, which then ends at once, closing nothing.
template <typename Body>
void InChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
}

// Whether the system empties a page in a child that asks for it: qemu's user mode, before
// which a child looks like its parent, does not.
bool WipesOnFork() {
  constexpr size_t kSize = 65536;
  auto* page = static_cast<char*>(
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  *page = 1;
  int status = 0;
  const bool taken = madvise(page, kSize, MADV_WIPEONFORK) == 0;
  const pid_t child = fork();
  if (child == 0) _exit(*page);
  const bool wiped = waitpid(child, &status, 0) == child && status == 0;
  munmap(page, kSize);
  return taken && wiped;
}

class MappedFork : public testing::Test {
 protected:
  void SetUp() override {
    if (!WipesOnFork()) GTEST_SKIP() << "the system does not empty pages in a child";
  }
};

// A child that goes on with its parent's filter adds to no stripe of its parent's.
TEST_F(MappedFork, ParentAndChildCountForThemselves) {
  const Path path;
  const Filter filter = Create(path, Config(100000, 0.01, LFB_FAST));
  const Filter expected = Make(Config(100000, 0.01, LFB_FAST));
  lfb_filter_put_u64(filter.get(), 1);
  const pid_t child = fork();
  if (child == 0) {
    RunTogether(3, [&](unsigned t) {
      for (uint64_t i = 0; i < 10000; i++) lfb_filter_put_u64(filter.get(), Mix(t, i));
    });
    lfb_mapped_close(filter.get());
    _exit(0);
  }
  for (uint64_t i = 0; i < 20000; i++) lfb_filter_put_u64(filter.get(), Mix(9, i));
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  lfb_filter_put_u64(expected.get(), 1);
  for (uint64_t t = 0; t < 3; t++)
    for (uint64_t i = 0; i < 10000; i++) lfb_filter_put_u64(expected.get(), Mix(t, i));
  for (uint64_t i = 0; i < 20000; i++) lfb_filter_put_u64(expected.get(), Mix(9, i));
  EXPECT_EQ(Stats(filter).bits_set, Stats(expected).bits_set);
  EXPECT_FALSE(Stats(filter).bits_set_low);
}

// A child that closes what it never put into leaves its parent's lease alone.
TEST_F(MappedFork, AChildThatOnlyClosesChangesNothing) {
  const Path path;
  const Filter filter = Create(path, Config(1000, 0.01, LFB_FAST));
  InChild([&] { lfb_mapped_close(filter.get()); });
  lfb_filter_put_u64(filter.get(), 1);
  const Filter other = Open(path);  // would find the lease without its owner
  EXPECT_FALSE(Stats(filter).bits_set_low);
  EXPECT_EQ(Stats(other).bits_set, Stats(filter).bits_set);
}

TEST_F(MappedFork, ADeathIsNoticedAndMended) {
  const Path path;
  const Filter filter = Create(path, Config(1000, 0.01, LFB_FAST));
  InChild([&] { lfb_filter_put_u64(filter.get(), 1); });
  { Open(path); }
  EXPECT_TRUE(Stats(filter).bits_set_low);
  EXPECT_EQ(lfb_mapped_recount(filter.get()), LFB_OK);
  EXPECT_FALSE(Stats(filter).bits_set_low);
}

// Who only reads sees the death that nobody has written down yet, and that it was mended.
// Seen to say that nobody died.
TEST_F(MappedFork, AReaderNoticesADeathToo) {
  const Path path;
  const Filter filter = Create(path, Config(1000, 0.01, LFB_FAST));
  const lfb_filter *before = nullptr, *after = nullptr, *mended = nullptr;
  ASSERT_EQ(lfb_mapped_open_read_only(path.c_str(), nullptr, &before), LFB_OK);
  InChild([&] { lfb_filter_put_u64(filter.get(), 1); });
  const std::string as_it_was = Contents(path);
  ASSERT_EQ(lfb_mapped_open_read_only(path.c_str(), nullptr, &after), LFB_OK);
  EXPECT_EQ(Contents(path), as_it_was);
  const auto is_low = [](const lfb_filter* reader) {
    lfb_stats stats;
    lfb_filter_stats(reader, &stats);
    return stats.bits_set_low;
  };
  EXPECT_FALSE(is_low(before)) << "the living are not dead";
  EXPECT_TRUE(is_low(after));
  EXPECT_FALSE(Stats(filter).bits_set_low) << "nobody has written it down";
  { Open(path); }
  EXPECT_TRUE(is_low(before) && is_low(after) && Stats(filter).bits_set_low);
  EXPECT_EQ(lfb_mapped_recount(filter.get()), LFB_OK);
  ASSERT_EQ(lfb_mapped_open_read_only(path.c_str(), nullptr, &mended), LFB_OK);
  EXPECT_FALSE(is_low(before) || is_low(after) || is_low(mended));
  for (const lfb_filter* reader : {before, after, mended}) lfb_mapped_close(reader);
}

// Every way to put marks its stripe, and so takes a lease first: a child that dies after one
// is missed.  Seen to fail for each with its mark left out.
TEST_F(MappedFork, EveryWayToPutTakesALease) {
  static const uint64_t kKeys[] = {1, 2};
  const lfb_config config = Config(1000, 0.01, LFB_FAST);
  const Filter other = Make(config);
  lfb_filter_put_u64(other.get(), 5);
  const struct {
    const char* name;
    std::function<void(lfb_filter*)> put;
  } ways[] = {
      {"put", [](lfb_filter* filter) { lfb_filter_put(filter, "a", 1); }},
      {"put_u64", [](lfb_filter* filter) { lfb_filter_put_u64(filter, 1); }},
      {"put_hash", [](lfb_filter* filter) { lfb_filter_put_hash(filter, 1); }},
      {"put_object",
       [](lfb_filter* filter) {
         lfb_filter_put_object(
             filter, [](const void*, lfb_sink* sink) { lfb_sink_put_i64(sink, 1); }, kKeys);
       }},
      {"put_many", [](lfb_filter* filter) { lfb_filter_put_many_u64(filter, kKeys, 2, nullptr); }},
      {"put_all", [&](lfb_filter* filter) { lfb_filter_put_all(filter, other.get()); }},
      {"claim", [](lfb_filter* filter) { lfb_filter_claim_u64(filter, 1); }},
      {"claim_many",
       [](lfb_filter* filter) { lfb_filter_claim_many_u64(filter, kKeys, 2, nullptr); }},
  };
  for (const auto& way : ways) {
    const Path path;
    const Filter filter = Create(path, config);
    InChild([&] { way.put(filter.get()); });
    { Open(path); }
    EXPECT_TRUE(Stats(filter).bits_set_low) << way.name;
    EXPECT_EQ(lfb_mapped_recount(filter.get()), LFB_OK) << way.name;
  }
}

// What processes count for a test that watches them.
template <typename Value>
class InAllProcesses {
 public:
  explicit InAllProcesses(size_t count)
      : bytes_(count * sizeof(Value)),
        values_(static_cast<Value*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                         MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~InAllProcesses() { munmap(static_cast<void*>(values_), bytes_); }
  Value& operator[](size_t i) const { return values_[i]; }

 private:
  size_t bytes_;
  Value* values_;
};

// Processes claim the same keys in the same order, and some are killed in the middle: no
// key is given to two, and those that go on are given all that was not lost with the dead.
// Seen to fail in 20 runs of 20 with claims that are put: "unlooked" and a put in their place.
TEST(MappedRace, AKeyIsClaimedByOneProcess) {
  constexpr unsigned kProcesses = 6, kKilled = 3, kRounds = kUnderTsan ? 3 : 20;
  constexpr uint64_t kKeys = 20000;
  uint64_t twice = 0, without = 0;
  for (unsigned round = 0; round < kRounds; round++) {
    const Path path("/dev/shm");
    const Filter filter = Create(path, Config(kKeys, 1e-6, LFB_FAST));
    const InAllProcesses<std::atomic<uint32_t>> wins(kKeys), begun(1);
    pid_t children[kProcesses];
    for (unsigned p = 0; p < kProcesses; p++) {
      children[p] = fork();
      if (children[p] == 0) {
        lfb_filter* mine = nullptr;
        if (lfb_mapped_open(path.c_str(), nullptr, &mine) != LFB_OK) _exit(1);
        for (begun[0]++; begun[0] < kProcesses;) std::this_thread::yield();
        for (uint64_t i = 0; i < kKeys; i++)
          if (lfb_filter_claim_u64(mine, Mix(round, i))) wins[i]++;
        lfb_mapped_close(mine);
        _exit(0);
      }
    }
    while (begun[0] < kProcesses) usleep(10);
    for (unsigned p = 0; p < kKilled; p++) {
      usleep(300);
      kill(children[p], SIGKILL);
    }
    for (pid_t child : children) {
      int status;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    }
    for (uint64_t i = 0; i < kKeys; i++) {
      ASSERT_TRUE(lfb_filter_might_contain_u64(filter.get(), Mix(round, i)));
      twice += wins[i] > 1;
      without += wins[i] == 0;
    }
    ASSERT_EQ(lfb_mapped_recount(filter.get()), LFB_OK);
    ASSERT_EQ(Stats(filter).bits_set, lfb_bits_count(&filter->layout.bits));
  }
  EXPECT_EQ(twice, 0u);
  // the key that each of the killed was about, and perhaps a false positive
  EXPECT_LE(without, kRounds * kKilled + 2);
}

// More than have stripes of their own, in one process as in many.
TEST(Mapped, AnyNumberOfOpeners) {
  const Path path;
  const lfb_config config = Config(10000, 0.01, LFB_FAST);
  std::vector<Filter> all;
  all.push_back(Create(path, config));
  for (int i = 1; i < 80; i++) all.push_back(Open(path));
  const Filter expected = Make(config);
  for (uint64_t i = 0; i < 8000; i++) {
    lfb_filter_put_u64(all[i % 80].get(), i);
    lfb_filter_put_u64(expected.get(), i);
  }
  EXPECT_EQ(Stats(all[79]).bits_set, Stats(expected).bits_set);
  all.resize(1);
  EXPECT_EQ(Stats(all[0]).bits_set, Stats(expected).bits_set);
  EXPECT_FALSE(Stats(Open(path)).bits_set_low);
}

}  // namespace
