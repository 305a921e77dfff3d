// Filters in mapped files: the same answers and bits as in memory, and one filter for all processes
// that open it.  every_mapped_test has what holds for every kind in a file; processes_test
// restricts and kills the processes.
#include <fcntl.h>
#include <lfbloom/mapped.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "bloom/filter/filter.h"
#include "bloom/files/mapping.h"
#include "tests/support/await.h"
#include "tests/support/mapped.h"
#include "tests/support/race.h"
#include "tests/support/shared.h"

namespace {

class EveryStrategyMapped : public testing::TestWithParam<lfb_strategy_id> {};

// Keys put by every operation are found, counted and stored as in private memory.
TEST_P(EveryStrategyMapped, IsAsInPrivateMemory) {
  for (const std::string& folder : {testing::TempDir(), std::string("/dev/shm")}) {
    const lfb_config config = Config(20000, 0.01, GetParam());
    const Path path(folder);
    const Filter mapped = Create(path, config), other = Open(path), in_memory = Make(config);
    const Filter merged = Make(config);
    std::vector<uint64_t> keys, claimed;
    for (uint64_t i = 0; i < 5000; i++) {
      keys.push_back(Mix(4, i)), claimed.push_back(Mix(8, i));
      lfb_filter_put_u64(merged.get(), Mix(7, i));
    }
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
      lfb_filter_many(filter, LFB_CLAIM, claimed.data(), claimed.size(), nullptr, LFB_U64_KEY);
      EXPECT_EQ(lfb_filter_put_all(filter, merged.get()), LFB_OK);
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

INSTANTIATE_TEST_SUITE_P(All, EveryStrategyMapped, testing::ValuesIn(SharableStrategies()),
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
  EXPECT_EQ(lfb_mapped_sync(filter.get()), LFB_OK);
}

TEST(Mapped, ReadersSeeWhatWritersPut) {
  const Path path;
  const Filter writer = Create(path, Config(1000, 0.01, LFB_FAST));
  Filter reader = OpenReadOnly(path);
  EXPECT_FALSE(lfb_filter_might_contain_u64(reader.get(), 7));
  lfb_filter_put_u64(writer.get(), 7);
  EXPECT_TRUE(lfb_filter_might_contain_u64(reader.get(), 7));
  EXPECT_EQ(Stats(reader).bits_set, Stats(writer).bits_set);
  EXPECT_EQ(lfb_mapped_sync(reader.get()), LFB_OK);
  const Filter copy = Made<Filter>(lfb_filter_copy, reader.get());
  reader.reset();
  EXPECT_TRUE(lfb_filter_put_u64(copy.get(), 8));  // it is in private memory
  EXPECT_FALSE(lfb_filter_might_contain_u64(writer.get(), 8));
}

// As one of the forms: a snapshot of a live filter, and a filter that becomes one.
TEST(Mapped, IsAFormToo) {
  for (lfb_strategy_id strategy : SharableStrategies()) {
    const Path path;
    const Filter filter = Make(Config(300, 0.01, strategy));
    for (uint64_t i = 0; i < 300; i++) lfb_filter_put_u64(filter.get(), Mix(1, i));
    ASSERT_TRUE(lfb_form_holds(LFB_FORM_MAPPED, strategy));
    ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_MAPPED, path.c_str()), LFB_OK);
    const Filter mapped = Open(path);
    EXPECT_EQ(Stats(mapped).bits_set, Stats(filter).bits_set);
    lfb_filter_put_u64(mapped.get(), Mix(1, 300));
    const Filter back = Made<Filter>(lfb_filter_load, path.c_str(), nullptr);
    EXPECT_EQ(Stats(back).bits_set, Stats(mapped).bits_set);
    EXPECT_EQ(Bytes(back, LFB_FORM_NATIVE).substr(256), Bytes(mapped, LFB_FORM_NATIVE).substr(256));
    EXPECT_EQ(Stats(back).form, LFB_FORM_MAPPED);
  }
}

// Written to a stream, it is the same file, and its bits are counted on request.
TEST(Mapped, AStreamIsTheSameFile) {
  const Path path, saved;
  const Filter filter = Make(Config(300, 0.01, LFB_FAST));
  lfb_filter_put_u64(filter.get(), 1);
  Overwrite(path, Bytes(filter, LFB_FORM_MAPPED));
  ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_MAPPED, saved.c_str()), LFB_OK);
  EXPECT_EQ(Contents(path).substr(512), Contents(saved).substr(512));
  for (const Path* file : {&path, &saved})
    EXPECT_EQ(Stats(Open(*file)).bits_set, Stats(filter).bits_set);
}

// Saved during puts, 20 times over: opened or loaded, the count is that of the words in the
// file, and each key with a put that had returned before the save is found.
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
    const uint64_t before = put;
    const lfb_status saved = lfb_filter_save(filter.get(), LFB_FORM_MAPPED, path.c_str());
    done = true;
    other.join();
    ASSERT_EQ(saved, LFB_OK);
    const Filter mapped = Open(path);
    const Filter read = Made<Filter>(lfb_filter_load, path.c_str(), nullptr);
    EXPECT_EQ(Stats(mapped).bits_set, lfb_filter_recount(&mapped->layout.bits)) << round;
    EXPECT_EQ(Stats(read).bits_set, Stats(mapped).bits_set) << round;
    uint64_t lost = 0;
    for (uint64_t i = 0; i < before; i++)
      lost += !lfb_filter_might_contain_u64(mapped.get(), Mix(1, i));
    EXPECT_EQ(lost, 0u) << round;
  }
}

// A child that closes the filter changes nothing for its parent.
TEST(MappedFork, AChildThatOnlyClosesChangesNothing) {
  const Path path;
  const Filter filter = Create(path, Config(1000, 0.01, LFB_FAST));
  const std::string as_it_was = Contents(path);
  EXPECT_EQ(InChild([&] { lfb_mapped_close(filter.get()); }), 0);
  EXPECT_EQ(Contents(path), as_it_was);
  lfb_filter_put_u64(filter.get(), 1);
  const Filter other = Open(path);
  EXPECT_TRUE(lfb_filter_might_contain_u64(other.get(), 1));
  EXPECT_EQ(Stats(other).bits_set, Stats(filter).bits_set);
  EXPECT_EQ(lfb_mapped_sync(filter.get()), LFB_OK);
}

// After a process has died, every count is right at once: of openings from before and after, for
// putting and for querying only. Opening and counting write nothing to the file.
TEST(MappedFork, EveryCountIsRightAfterADeath) {
  const Path path;
  const Filter filter = Create(path, Config(1000, 0.01, LFB_FAST));
  const Filter before = OpenReadOnly(path);
  EXPECT_EQ(InChild([&] { lfb_filter_put_u64(filter.get(), 1); }), 0);
  const std::string as_it_was = Contents(path);
  const Filter after = OpenReadOnly(path), opened = Open(path);
  const Filter expected = Make(Config(1000, 0.01, LFB_FAST));
  lfb_filter_put_u64(expected.get(), 1);
  for (const Filter* each : {&before, &after, &filter, &opened})
    EXPECT_EQ(Stats(*each).bits_set, Stats(expected).bits_set);
  EXPECT_EQ(Contents(path), as_it_was);
}

// ---- making ------------------------------------------------------------------------------

mode_t ModeOf(const Path& path) {
  struct stat found {};
  EXPECT_EQ(stat(path.c_str(), &found), 0);
  return found.st_mode & 07777;
}

// A file that others can write to could contain anything, so a saved one is also private to its
// owner. A file that replaces another keeps that one's mode.
TEST(Mapped, ASavedFileIsItsOwnersToo) {
  const mode_t before = umask(0);
  const Path path, native;
  const Filter filter = Make(Config(1000, 0.01, LFB_FAST));
  ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_MAPPED, path.c_str()), LFB_OK);
  EXPECT_EQ(ModeOf(path), 0600u);
  ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_NATIVE, native.c_str()), LFB_OK);
  EXPECT_EQ(ModeOf(native), 0666u);
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_MAPPED, path.c_str()), LFB_OK);
  EXPECT_EQ(ModeOf(path), 0640u);
  umask(before);
}

// A strategy with claims that the processor cannot decide in a file is refused there, and no
// file is made.
TEST(MappedStrategies, WhatCannotBeSharedIsRefused) {
  const Path path;
  const lfb_config config = Config(1000, 0.01, LFB_GUAVA_MITZ64);
  const lfb_status wanted = lfb_claims_sharable(LFB_HASH_128);
  lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_mapped_create(path.c_str(), &config, &filter), wanted);
  EXPECT_EQ(access(path.c_str(), F_OK) == 0, wanted == LFB_OK);
  lfb_mapped_close(filter);
}

// ---- a program that closes descriptors that are not its own ------------------------------

// Closes all descriptors above 2 and opens a file that gets the number of one of them.
bool PutAnotherInPlaceOf(int fd, const char* path) {
  for (int each = 3; each < 1024; each++) close(each);
  const int other = open(path, O_RDWR | O_CREAT, 0600);
  return other >= 0 && (other == fd || dup2(other, fd) == fd);
}

// The filter works as before; a sync refuses, and closing leaves the other file open. Seen to
// fail when the descriptor was closed regardless of its file.
TEST(MappedDescriptor, AClosedOneIsNotMissedAndAnothersIsLeftAlone) {
  const Path path, another;
  const Filter filter = Create(path, Config(1000, 0.01, LFB_FAST));
  const int fd = filter->mapping->disk.fd;
  const int ended = InChild([&] {
    if (!PutAnotherInPlaceOf(fd, another.c_str())) _exit(1);
    if (!lfb_filter_put_u64(filter.get(), 1) || !lfb_filter_claim_u64(filter.get(), 2)) _exit(2);
    if (lfb_filter_claim_u64(filter.get(), 1)) _exit(3);
    if (!lfb_filter_might_contain_u64(filter.get(), 2)) _exit(4);
    if (lfb_mapped_sync(filter.get()) != LFB_ERROR_TRUNCATED) _exit(5);
    lfb_mapped_close(filter.get());
    if (fcntl(fd, F_GETFD) < 0 || write(fd, "mine", 4) != 4) _exit(6);
  });
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(Contents(another), "mine");
  EXPECT_TRUE(lfb_filter_might_contain_u64(filter.get(), 1));
  EXPECT_TRUE(lfb_filter_might_contain_u64(filter.get(), 2));
}

// A process without standard input gets descriptor 0 for the file; it is closed like any other.
TEST(MappedDescriptor, NumberZeroIsClosedToo) {
  const Path path;
  const int ended = InChild([&] {
    close(0);
    lfb_filter* filter = nullptr;
    const lfb_config config = Config(1000, 0.01, LFB_FAST);
    if (lfb_mapped_create(path.c_str(), &config, &filter) != LFB_OK) _exit(1);
    if (filter->mapping->disk.fd != 0) _exit(2);
    lfb_mapped_close(filter);
    if (fcntl(0, F_GETFD) >= 0) _exit(3);
  });
  EXPECT_EQ(ended, 0);
}

}  // namespace
