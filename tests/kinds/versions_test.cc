// Filters that are replaced while they are read.
#include <lfbloom/delta.h>
#include <lfbloom/versions.h>
#include <malloc.h>
#include <pthread.h>

#include "bloom/versions/versions.h"
#include "tests/support/await.h"
#include "tests/support/filters.h"
#include "tests/support/processes.h"
#include "tests/support/race.h"

namespace {

using Versions = std::unique_ptr<lfb_versions, Freed<lfb_versions_free>>;

// So few false positives that a lost key shows.
const lfb_config kConfig = Config(2000, 1e-6, LFB_FAST);

Versions MakeVersions(const lfb_config& config = kConfig) {
  return Made<Versions>(lfb_versions_create, &config);
}

lfb_filter* Begin(const Versions& versions, const lfb_config& config = kConfig) {
  lfb_filter* building = nullptr;
  EXPECT_EQ(lfb_versions_begin_rebuild(versions.get(), &config, &building), LFB_OK);
  return building;
}

uint64_t Publish(const Versions& versions, lfb_previous previous = LFB_DROP_PREVIOUS) {
  uint64_t number = 0;
  EXPECT_EQ(lfb_versions_publish(versions.get(), previous, &number), LFB_OK);
  return number;
}

bool Put(const Versions& versions, uint64_t key) {
  return lfb_versions_put_u64(versions.get(), key);
}
bool Has(const Versions& versions, uint64_t key) {
  return lfb_versions_might_contain_u64(versions.get(), key);
}

// ---- one thread ---------------------------------------------------------------

TEST(Versions, ItsFiguresAreThoseOfTheCurrentVersion) {
  const Versions versions = Made<Versions>(lfb_versions_create_waiting);
  lfb_versions_figures figures;
  lfb_versions_stats(versions.get(), &figures);
  EXPECT_EQ(figures.number, 0u);
  EXPECT_EQ(figures.since, 0u);
  EXPECT_EQ(figures.all.bit_count, 0u);
  const uint64_t begun = static_cast<uint64_t>(time(nullptr));
  lfb_filter_put_u64(Begin(versions), 7);
  Publish(versions);
  lfb_versions_stats(versions.get(), &figures);
  EXPECT_EQ(figures.number, 1u);
  EXPECT_GE(figures.since, begun);
  EXPECT_LT(figures.age, 1000u);
  EXPECT_EQ(figures.failed_polls, 0u);
  EXPECT_EQ(figures.all.expected_insertions, kConfig.expected_insertions);
  EXPECT_EQ(figures.all.bits_set, figures.all.probes);
}

TEST(Versions, EachCallIsThatOfTheFilter) {
  const Versions versions = MakeVersions();
  lfb_versions* it = versions.get();
  const uint64_t numbers[] = {11, 12, 13};
  const lfb_key keys[] = {{"a", 1}, {"bc", 2}};
  uint64_t answers = ~uint64_t{0};

  EXPECT_TRUE(lfb_versions_put(it, "key", 3));
  EXPECT_FALSE(lfb_versions_put(it, "key", 3));
  EXPECT_TRUE(lfb_versions_might_contain(it, "key", 3));
  EXPECT_FALSE(lfb_versions_might_contain(it, "kez", 3));
  EXPECT_TRUE(lfb_versions_put_u64(it, 5));
  EXPECT_TRUE(lfb_versions_might_contain_u64(it, 5));
  EXPECT_FALSE(lfb_versions_might_contain_u64(it, 6));
  EXPECT_EQ(lfb_versions_many(it, LFB_PUT, keys, 2, &answers, LFB_BYTES_KEY), 2u);
  EXPECT_EQ(answers, 3u);
  EXPECT_EQ(lfb_versions_many(it, LFB_MIGHT_CONTAIN, keys, 2, nullptr, LFB_BYTES_KEY), 2u);
  EXPECT_EQ(lfb_versions_many(it, LFB_PUT, numbers, 3, &answers, LFB_U64_KEY), 3u);
  EXPECT_EQ(answers, 7u);
  EXPECT_EQ(lfb_versions_many(it, LFB_MIGHT_CONTAIN, numbers, 3, &answers, LFB_U64_KEY), 3u);
  EXPECT_EQ(lfb_versions_many(it, LFB_PUT, numbers, 3, &answers, LFB_HASH_KEY), 3u);
  EXPECT_EQ(answers, 7u);
}

// Without a version each query is answered "maybe", and a put goes only to the version being built.
TEST(Versions, WithoutAVersionNoKeyIsDenied) {
  lfb_versions* it = nullptr;
  ASSERT_EQ(lfb_versions_create_waiting(&it), LFB_OK);
  const std::unique_ptr<lfb_versions, Freed<lfb_versions_free>> owner(it);
  std::vector<uint64_t> numbers(1000);
  std::vector<uint64_t> answers(16);
  uint64_t number = 7;
  for (size_t i = 0; i < numbers.size(); i++) numbers[i] = Mix(9, i);
  const auto all = [&] {
    return lfb_versions_many(it, LFB_MIGHT_CONTAIN, numbers.data(), numbers.size(), answers.data(),
                             LFB_U64_KEY);
  };
  lfb_stats stats;
  lfb_filter_stats(lfb_versions_enter(it, &number), &stats);
  lfb_versions_leave(it);
  EXPECT_EQ(number, 0u);
  EXPECT_TRUE(stats.saturated);
  EXPECT_EQ(lfb_versions_number(it), 0u);
  EXPECT_EQ(all(), numbers.size());
  EXPECT_TRUE(lfb_versions_might_contain(it, "any", 3));
  EXPECT_FALSE(lfb_versions_put_u64(it, 1));
  lfb_filter* building = nullptr;
  const lfb_config config = Config(1000, 1e-9, LFB_FAST);
  ASSERT_EQ(lfb_versions_begin_rebuild(it, &config, &building), LFB_OK);
  EXPECT_FALSE(lfb_versions_put_u64(it, 2));
  EXPECT_TRUE(lfb_filter_might_contain_u64(building, 2));
  EXPECT_EQ(all(), numbers.size());
  EXPECT_EQ(lfb_versions_apply_delta(it, "no delta", 8), LFB_ERROR_NOT_DELTA);
  ASSERT_EQ(lfb_versions_publish(it, LFB_KEEP_PREVIOUS, &number), LFB_OK);
  EXPECT_EQ(number, 1u);
  EXPECT_EQ(all(), 0u);
  EXPECT_FALSE(lfb_versions_might_contain_u64(it, 1));
  EXPECT_TRUE(lfb_versions_might_contain_u64(it, 2));
  EXPECT_EQ(lfb_versions_rollback(it, nullptr), LFB_ERROR_NO_PREVIOUS);
  ASSERT_EQ(lfb_versions_begin_rebuild(it, &config, &building), LFB_OK);
  ASSERT_EQ(lfb_versions_publish(it, LFB_KEEP_PREVIOUS, &number), LFB_OK);
  EXPECT_EQ(lfb_versions_rollback(it, nullptr), LFB_OK) << "as ever";
}

// Each kind of put, made while a version is built and another is kept, reaches all of them.
TEST(Versions, EachPutGoesToAllThatMayBecomeCurrent) {
  const Versions versions = MakeVersions();
  lfb_versions* it = versions.get();
  const uint64_t numbers[] = {11, 12, 13};
  const lfb_key keys[] = {{"a", 1}, {"bc", 2}};

  Begin(versions);
  Publish(versions, LFB_KEEP_PREVIOUS);
  Begin(versions);
  lfb_versions_put(it, "key", 3);
  lfb_versions_put_u64(it, 5);
  lfb_versions_many(it, LFB_PUT, keys, 2, nullptr, LFB_BYTES_KEY);
  lfb_versions_many(it, LFB_PUT, numbers, 3, nullptr, LFB_U64_KEY);
  lfb_versions_many(it, LFB_PUT, numbers, 3, nullptr, LFB_HASH_KEY);
  for (const char* current : {"the second", "the first", "the third"}) {
    SCOPED_TRACE(current);
    EXPECT_TRUE(lfb_versions_might_contain(it, "key", 3));
    EXPECT_TRUE(lfb_versions_might_contain_u64(it, 5));
    EXPECT_EQ(lfb_versions_many(it, LFB_MIGHT_CONTAIN, keys, 2, nullptr, LFB_BYTES_KEY), 2u);
    EXPECT_EQ(lfb_versions_many(it, LFB_MIGHT_CONTAIN, numbers, 3, nullptr, LFB_U64_KEY), 3u);
    if (lfb_versions_rollback(it, nullptr) != LFB_OK)
      lfb_ignore(lfb_versions_publish(it, LFB_DROP_PREVIOUS, nullptr));
  }
  EXPECT_EQ(lfb_versions_number(it), 4u);
}

// Seen to fail, by hand, with each of the three filters left out.
TEST(Versions, ADeltaGoesToAllThatMayBecomeCurrent) {
  const lfb_config config = Config(1000, 0.01, LFB_FAST), larger = Config(9000, 0.01, LFB_FAST);
  const Filter earlier = Make(config), later = Make(config);
  lfb_filter_put_u64(later.get(), 7);
  std::string delta;
  ASSERT_EQ(lfb_delta_write(earlier.get(), later.get(), AppendTo, &delta), LFB_OK);
  const auto apply = [&delta](lfb_versions* to) {
    return lfb_versions_apply_delta(to, delta.data(), delta.size());
  };
  for (const bool of_another_size : {true, false}) {
    const Versions versions = MakeVersions(config);
    Begin(versions, config);
    Publish(versions, LFB_KEEP_PREVIOUS);
    const lfb_filter* building = Begin(versions, of_another_size ? larger : config);
    EXPECT_EQ(apply(versions.get()), of_another_size ? LFB_ERROR_BIT_COUNT_DIFFERS : LFB_OK);
    EXPECT_TRUE(Has(versions, 7)) << "the current one";
    EXPECT_EQ(lfb_filter_might_contain_u64(building, 7), !of_another_size);
    if (of_another_size) continue;
    EXPECT_EQ(lfb_versions_rollback(versions.get(), nullptr), LFB_OK);
    EXPECT_TRUE(Has(versions, 7)) << "the previous one";
    delta.back() ^= 1;
    EXPECT_EQ(apply(versions.get()), LFB_ERROR_BAD_DELTA);
  }
}

TEST(Versions, QueriesAreAnsweredByTheOldOneUntilItIsReplaced) {
  const Versions versions = MakeVersions();
  Put(versions, 1);
  lfb_filter* building = Begin(versions);
  lfb_filter_put_u64(building, 2);
  EXPECT_TRUE(Has(versions, 1));
  EXPECT_FALSE(Has(versions, 2));
  Put(versions, 3);
  EXPECT_TRUE(Has(versions, 3));
  EXPECT_EQ(lfb_versions_number(versions.get()), 1u);
  EXPECT_EQ(Publish(versions), 2u);
  EXPECT_EQ(lfb_versions_number(versions.get()), 2u);
  EXPECT_FALSE(Has(versions, 1)) << "no loader loaded it";
  EXPECT_TRUE(Has(versions, 2));
  EXPECT_TRUE(Has(versions, 3));
}

TEST(Versions, AnotherStrategyAndSizeMayFollow) {
  const Versions versions = MakeVersions();
  uint64_t key = 0;
  for (const lfb_strategy_id strategy : AllStrategies()) {
    Begin(versions, Config(1000, 0.0001, strategy));
    Put(versions, ++key);
    Publish(versions);
    EXPECT_TRUE(Has(versions, key));
    lfb_stats stats;
    lfb_filter_stats(lfb_versions_enter(versions.get(), nullptr), &stats);
    lfb_versions_leave(versions.get());
    EXPECT_EQ(stats.strategy, strategy == LFB_FAST_PAIR ? LFB_FAST : strategy);
  }
}

TEST(Versions, AFilterThatIsThereBecomesAVersion) {
  lfb_filter *first = Make(kConfig).release(), *second = Make(kConfig).release();
  lfb_filter_put_u64(first, 1);
  lfb_filter_put_u64(second, 2);
  const Versions versions = Made<Versions>(lfb_versions_create_with, first);
  EXPECT_TRUE(Has(versions, 1));
  ASSERT_EQ(lfb_versions_begin_rebuild_with(versions.get(), second), LFB_OK);
  Put(versions, 3);
  const Filter third = Make(kConfig);
  EXPECT_EQ(lfb_versions_begin_rebuild_with(versions.get(), third.get()), LFB_ERROR_REBUILDING);
  Publish(versions);
  EXPECT_TRUE(Has(versions, 2));
  EXPECT_TRUE(Has(versions, 3));
}

TEST(Versions, AnAbandonedOneLeavesNoTrace) {
  const Versions versions = MakeVersions();
  lfb_filter_put_u64(Begin(versions), 2);
  Put(versions, 1);
  EXPECT_EQ(lfb_versions_abandon(versions.get()), LFB_OK);
  EXPECT_EQ(lfb_versions_number(versions.get()), 1u);
  EXPECT_TRUE(Has(versions, 1));
  EXPECT_FALSE(Has(versions, 2));
  EXPECT_EQ(lfb_versions_reclaim(versions.get()), 0u);
  Begin(versions);
  EXPECT_EQ(Publish(versions), 2u);
}

TEST(Versions, ARollbackFindsWhatWasPutSince) {
  const Versions versions = MakeVersions();
  Put(versions, 1);
  Begin(versions);
  Publish(versions, LFB_KEEP_PREVIOUS);
  EXPECT_FALSE(Has(versions, 1));
  Put(versions, 2);
  Begin(versions);  // is still being built
  uint64_t number = 0;
  ASSERT_EQ(lfb_versions_rollback(versions.get(), &number), LFB_OK);
  EXPECT_EQ(number, 3u);
  EXPECT_TRUE(Has(versions, 1));
  EXPECT_TRUE(Has(versions, 2));
  EXPECT_EQ(lfb_versions_rollback(versions.get(), &number), LFB_ERROR_NO_PREVIOUS);
  Put(versions, 3);
  EXPECT_EQ(Publish(versions), 4u);
  EXPECT_TRUE(Has(versions, 3));
}

TEST(Versions, WhatCannotBeIsRefusedAndChangesNothing) {
  const Versions versions = MakeVersions();
  lfb_versions* it = versions.get();
  uint64_t number = 99;
  lfb_filter* building = nullptr;
  const lfb_config bad = Config(10, 2);

  EXPECT_EQ(lfb_versions_publish(it, LFB_KEEP_PREVIOUS, &number), LFB_ERROR_NOT_REBUILDING);
  EXPECT_EQ(lfb_versions_abandon(it), LFB_ERROR_NOT_REBUILDING);
  EXPECT_EQ(lfb_versions_rollback(it, &number), LFB_ERROR_NO_PREVIOUS);
  EXPECT_EQ(lfb_versions_drop_previous(it), LFB_ERROR_NO_PREVIOUS);
  EXPECT_EQ(lfb_versions_begin_rebuild(it, &bad, &building), LFB_ERROR_FPP_TOO_HIGH);
  EXPECT_EQ(building, nullptr);
  Begin(versions);
  EXPECT_EQ(lfb_versions_begin_rebuild(it, &kConfig, &building), LFB_ERROR_REBUILDING);
  EXPECT_EQ(building, nullptr);
  EXPECT_EQ(number, 99u);
  lfb_versions* none = nullptr;
  EXPECT_EQ(lfb_versions_create(&bad, &none), LFB_ERROR_FPP_TOO_HIGH);
  EXPECT_EQ(none, nullptr);
  lfb_versions_free(nullptr);
}

TEST(Versions, TheKeptOneMayBeDropped) {
  const Versions versions = MakeVersions();
  Begin(versions);
  Publish(versions, LFB_KEEP_PREVIOUS);
  EXPECT_EQ(lfb_versions_drop_previous(versions.get()), LFB_OK);
  EXPECT_EQ(lfb_versions_rollback(versions.get(), nullptr), LFB_ERROR_NO_PREVIOUS);
  Begin(versions);
  Publish(versions, LFB_KEEP_PREVIOUS);
  Begin(versions);  // and freed, all three, with the handle
}

// A call that concerns the current, the next or the previous version leaves the other two
// unchanged.
TEST(Versions, NoCallTouchesWhatIsNotIts) {
  const Versions versions = MakeVersions();
  lfb_versions* it = versions.get();
  Begin(versions);
  Publish(versions, LFB_KEEP_PREVIOUS);
  Begin(versions);
  EXPECT_EQ(lfb_versions_abandon(it), LFB_OK);  // the previous one stays
  Begin(versions);
  EXPECT_EQ(lfb_versions_drop_previous(it), LFB_OK);  // the next one stays
  Publish(versions, LFB_KEEP_PREVIOUS);
  Begin(versions);
  Publish(versions, LFB_DROP_PREVIOUS);  // the kept one goes, too
  EXPECT_EQ(lfb_versions_rollback(it, nullptr), LFB_ERROR_NO_PREVIOUS);
  EXPECT_EQ(lfb_versions_reclaim(it), 0u);
}

// ---- sections -----------------------------------------------------------------

TEST(Versions, ASectionKeepsItsVersion) {
  const Versions versions = MakeVersions();
  lfb_versions* it = versions.get();
  Put(versions, 1);
  Begin(versions);
  uint64_t number = 0, inner = 0;
  const lfb_filter* mine = lfb_versions_enter(it, &number);
  Publish(versions);
  EXPECT_EQ(number, 1u);
  EXPECT_TRUE(lfb_filter_might_contain_u64(mine, 1));
  EXPECT_NE(lfb_versions_enter(it, &inner), mine);
  EXPECT_EQ(inner, 2u);
  lfb_versions_leave(it);
  EXPECT_EQ(lfb_versions_reclaim(it), 1u);
  EXPECT_TRUE(lfb_filter_might_contain_u64(mine, 1));
  lfb_versions_leave(it);
  EXPECT_EQ(lfb_versions_reclaim(it), 0u);
}

// Waits until another thread's begin_rebuild is in progress.
void AwaitRebuild(const Versions& versions) {
  lfb_filter* building = nullptr;
  const lfb_config bad = Config(10, 2);  // refused, although nothing is being built
  while (lfb_versions_begin_rebuild(versions.get(), &bad, &building) != LFB_ERROR_REBUILDING)
    std::this_thread::yield();
}

// A thread that stops in a section of a handle until it is released.
class Stopped {
 public:
  explicit Stopped(const Versions& versions)
      : thread_([this, it = versions.get()] {
          lfb_versions_enter(it, nullptr);
          inside_ = true;
          while (!told_) std::this_thread::yield();
          gone_ = true;
          lfb_versions_leave(it);
        }) {
    while (!inside_) std::this_thread::yield();
  }
  ~Stopped() { GoOn(); }
  void GoOn() {
    told_ = true;
    if (thread_.joinable()) thread_.join();
  }
  bool Gone() const { return gone_; }

 private:
  std::atomic<bool> inside_{false}, told_{false}, gone_{false};
  std::thread thread_;
};

TEST(Versions, AStoppedReaderCostsMemoryAndBlocksNoThread) {
  const Versions versions = MakeVersions();
  lfb_versions* it = versions.get();
  Begin(versions);
  Stopped reader(versions);
  Publish(versions, LFB_KEEP_PREVIOUS);
  Put(versions, 1);
  EXPECT_TRUE(Has(versions, 1));
  ASSERT_EQ(lfb_versions_rollback(it, nullptr), LFB_OK);
  EXPECT_TRUE(Has(versions, 1));
  EXPECT_EQ(lfb_versions_reclaim(it), 1u);
  reader.GoOn();
  EXPECT_EQ(lfb_versions_reclaim(it), 0u);
}

// A thread leaves a section by a destructor of its own that runs after the library's. Seen to
// abort when the thread's slot was returned before.
TEST(Versions, AThreadMayLeaveAsItEnds) {
  const Versions versions = MakeVersions();
  Put(versions, 1);  // so that the library's key is made before this one
  pthread_key_t key;
  ASSERT_EQ(pthread_key_create(
                &key, [](void* of) { lfb_versions_leave(static_cast<lfb_versions*>(of)); }),
            0);
  for (int i = 0; i < 10; i++) {
    std::thread([&] {
      lfb_versions_enter(versions.get(), nullptr);
      ASSERT_EQ(pthread_setspecific(key, versions.get()), 0);
    }).join();
    Begin(versions);  // which would wait for a section that was never left
    Publish(versions, LFB_DROP_PREVIOUS);
  }
  EXPECT_EQ(lfb_versions_reclaim(versions.get()), 0u);
  ASSERT_EQ(pthread_key_delete(key), 0);
}

// Beginning waits for the running sections, and for nothing else. During the wait, queries, puts
// and the other calls proceed, and the version that has no loader yet is not published. Seen to
// fail 20 times in 20 without the wait.
TEST(Versions, BeginningWaitsForSectionsAndBlocksNoThread) {
  const Versions versions = MakeVersions();
  lfb_versions* it = versions.get();
  Begin(versions);
  Publish(versions, LFB_KEEP_PREVIOUS);
  Stopped reader(versions);
  std::atomic<bool> begun{false}, early{false};
  std::thread beginner([&] {
    Begin(versions);
    early = !reader.Gone();
    begun = true;
  });
  AwaitRebuild(versions);
  lfb_filter* building = nullptr;
  for (int i = 0; i < 1000 && !begun; i++) std::this_thread::yield();
  EXPECT_FALSE(begun);
  EXPECT_EQ(lfb_versions_publish(it, LFB_DROP_PREVIOUS, nullptr), LFB_ERROR_NOT_REBUILDING);
  EXPECT_EQ(lfb_versions_abandon(it), LFB_ERROR_NOT_REBUILDING);
  EXPECT_EQ(lfb_versions_begin_rebuild(it, &kConfig, &building), LFB_ERROR_REBUILDING);
  Put(versions, 1);
  EXPECT_TRUE(Has(versions, 1));
  EXPECT_EQ(lfb_versions_rollback(it, nullptr), LFB_OK);
  EXPECT_TRUE(Has(versions, 1));
  reader.GoOn();
  beginner.join();
  EXPECT_FALSE(early);
  Publish(versions);
  EXPECT_TRUE(Has(versions, 1));
  EXPECT_EQ(lfb_versions_reclaim(it), 0u);
}

// ---- two handles --------------------------------------------------------------

// Inside a section of any handle a rebuild would wait for itself: it is refused, and nothing
// changes.
TEST(Versions, InASectionNoRebuildBegins) {
  const Versions one = MakeVersions(), other = MakeVersions();
  const lfb_config bad = Config(10, 2);
  const Filter filter = Make(kConfig);
  lfb_filter* building = nullptr;
  for (const Versions* held : {&one, &other}) {
    lfb_versions_enter(held->get(), nullptr);
    for (const Versions* rebuilt : {&one, &other}) {
      EXPECT_EQ(lfb_versions_begin_rebuild(rebuilt->get(), &kConfig, &building),
                LFB_ERROR_IN_SECTION);
      EXPECT_EQ(lfb_versions_begin_rebuild(rebuilt->get(), &bad, &building), LFB_ERROR_IN_SECTION);
      EXPECT_EQ(lfb_versions_begin_rebuild_with(rebuilt->get(), filter.get()),
                LFB_ERROR_IN_SECTION);
      EXPECT_EQ(lfb_versions_abandon(rebuilt->get()), LFB_ERROR_NOT_REBUILDING);
    }
    lfb_versions_leave(held->get());
  }
  EXPECT_EQ(building, nullptr);
  Begin(one);
  // The calls that do not wait work inside a section.
  lfb_versions_enter(other.get(), nullptr);
  EXPECT_EQ(Publish(one, LFB_KEEP_PREVIOUS), 2u);
  EXPECT_EQ(lfb_versions_rollback(one.get(), nullptr), LFB_OK);
  lfb_versions_leave(other.get());
  EXPECT_EQ(lfb_versions_reclaim(one.get()), 0u);
}

// A section of another handle delays a rebuild, and no other call: not even a handle's end.
TEST(Versions, ASectionOfAnotherHandleDelaysARebuildOnly) {
  const Versions versions = MakeVersions(), other = MakeVersions();
  Stopped reader(other);
  std::atomic<bool> early{false};
  std::thread beginner([&] {
    Begin(versions);
    early = !reader.Gone();
  });
  AwaitRebuild(versions);
  Put(versions, 1);
  EXPECT_TRUE(Has(versions, 1));
  { const Versions third = MakeVersions(); }
  reader.GoOn();
  beginner.join();
  EXPECT_FALSE(early);
  Publish(versions);
  EXPECT_TRUE(Has(versions, 1));
}

// ---- memory and processes -----------------------------------------------------

// A handle adds less than 1 KB to its filter.
TEST(Versions, AHandleIsSmall) {
  if (kUnderSanitizer) return;  // which has an allocator of its own
  const lfb_config config = Config(9000, 0.01);  // 12 KB of words
  MakeVersions(config).reset();                  // whatever the first ones keep is there
  const auto used = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const size_t nothing = used();
  const Filter filter = Make(config);
  const size_t plain = used() - nothing;
  const Versions versions = MakeVersions(config);
  const size_t handle = used() - nothing - plain;
  EXPECT_GT(plain, 12000u);
  EXPECT_LE(handle, plain + 1024);
}

// A thread that is cancelled while it waits in begin_rebuild completes it. Seen to fail, by hand,
// while the wait was a point of cancellation: no rebuild could begin or end.
TEST(Versions, ACancelledRebuildIsComplete) {
  const Versions versions = MakeVersions();
  Stopped reader(versions);
  std::thread beginner([&] { Begin(versions); });
  AwaitRebuild(versions);
  EXPECT_EQ(pthread_cancel(beginner.native_handle()), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  reader.GoOn();
  beginner.join();
  EXPECT_EQ(Publish(versions), 2u);
}

// The destructors of a thread's data use a handle in each round, and the last one leaves a section
// that the thread's exit has left. Seen to fail, by hand: a record that counted below 0 blocked all
// rebuilds.
TEST(Versions, LateDestructorsLeaveNothingOpen) {
  if (kUnderTsan) return;  // clang's runtime forgets the thread before its last destructors
  static lfb_versions* it;
  static pthread_key_t key;
  const Versions versions = MakeVersions();
  it = versions.get();
  ASSERT_EQ(pthread_key_create(&key, [](void* round) {
              (void)lfb_versions_might_contain_u64(it, 1);
              const auto next = reinterpret_cast<uintptr_t>(round) + 1;
              if (next <= 3)
                pthread_setspecific(key, reinterpret_cast<void*>(next));
              else
                lfb_versions_leave(it);
            }), 0);
  std::thread([&] {
    lfb_versions_enter(it, nullptr);
    ASSERT_EQ(pthread_setspecific(key, reinterpret_cast<void*>(1)), 0);
  }).join();
  ASSERT_EQ(pthread_key_delete(key), 0);
  Begin(versions);
  Publish(versions);
  EXPECT_EQ(lfb_versions_reclaim(it), 0u);
}

// A child uses, rebuilds and frees the handle that it inherited, and makes another, although other
// threads of its parent are in a section and in begin_rebuild.
TEST(Versions, AChildUsesOldAndNewHandles) {
  Versions versions = MakeVersions();
  Put(versions, 1);
  Stopped reader(versions);
  std::thread beginner([&] { Begin(versions); });
  AwaitRebuild(versions);
  const int status = Child([&] {
                       if (!Has(versions, 1)) return 2;
                       lfb_filter* mine = Begin(versions);
                       lfb_filter_put_u64(mine, 1);
                       Put(versions, 2);
                       if (Publish(versions) != 2 || !Has(versions, 1) ||
                           !Has(versions, 2)) return 3;
                       if (lfb_versions_reclaim(versions.get()) != 0) return 4;
                       const Versions fresh = MakeVersions();
                       Begin(fresh);
                       if (Publish(fresh) != 2) return 5;
                       versions.reset();
                       return testing::Test::HasFailure() ? 6 : 0;
                     }).Wait();
  EXPECT_EQ(status, 0);
  reader.GoOn();
  beginner.join();
  Publish(versions);
}

// ---- races --------------------------------------------------------------------

constexpr unsigned kWriters = 2, kReaders = 2, kSwaps = 1000;
constexpr uint64_t kKeysASwap = 8;  // per writer
constexpr uint64_t kKeys = kSwaps * kKeysASwap;
constexpr uint64_t kKept = 256;  // the latest keys of a writer that are in the source of truth

// The first key that is still in the source, for a writer that has written so many.
uint64_t FirstKept(uint64_t written) { return written < kKept ? 0 : written - kKept; }

// A writer's keys: how many are in the source of truth, and how many have been put.
struct Written {
  std::atomic<uint64_t> source{0}, put{0};
};

// Puts key i of a writer, and writes it to the source of truth.
using PutAndWrite = void (*)(const Versions& versions, unsigned writer, uint64_t i,
                             Written* written);

struct Swapping {
  const Versions versions = MakeVersions();
  Written written[kWriters];
  std::atomic<unsigned> swaps{0};
  std::atomic<uint64_t> lost{0}, asked{0};

  void Writer(unsigned w, PutAndWrite put) {
    for (uint64_t i = 0; i < kKeys; i++) {
      while (i >= (swaps + 1) * kKeysASwap) std::this_thread::yield();
      put(versions, w, i, &written[w]);
      written[w].put.store(i + 1, std::memory_order_release);
    }
  }

  // Queries two keys of each writer, the latest and any other, that are still in the source.
  void Ask(const lfb_filter* held, const uint64_t put[kWriters], uint64_t round) {
    for (unsigned w = 0; w < kWriters; w++) {
      if (put[w] == 0) continue;
      const uint64_t first = FirstKept(put[w]);
      for (const uint64_t i : {put[w] - 1, first + Mix(9, round) % (put[w] - first)}) {
        const uint64_t key = Mix(w, i);
        const bool found =
            held != nullptr ? lfb_filter_might_contain_u64(held, key) : Has(versions, key);
        lost += !found && i >= FirstKept(written[w].source);
      }
      asked += 2;
    }
  }

  void Reader() {
    for (uint64_t round = 0; swaps < kSwaps; round++) {
      uint64_t put[kWriters];
      for (unsigned w = 0; w < kWriters; w++)
        put[w] = written[w].put.load(std::memory_order_acquire);
      if (round % 2 == 0) {
        Ask(nullptr, put, round);
      } else {
        Ask(lfb_versions_enter(versions.get(), nullptr), put, round);
        lfb_versions_leave(versions.get());
      }
      if (round % 8 == 0) std::this_thread::yield();
    }
  }

  void Load(lfb_filter* building) {
    for (unsigned w = 0; w < kWriters; w++) {
      const uint64_t count = written[w].source.load(std::memory_order_acquire);
      for (uint64_t i = FirstKept(count); i < count; i++)
        lfb_filter_put_u64(building, Mix(w, i));
      std::this_thread::yield();
    }
  }

  // A swap of each kind, in turn.
  void Swap(unsigned number) {
    lfb_filter* building = Begin(versions);
    if (number % 4 == 1) {
      EXPECT_EQ(lfb_versions_abandon(versions.get()), LFB_OK);
      building = Begin(versions);
    }
    Load(building);
    Publish(versions, number % 4 < 2 ? LFB_DROP_PREVIOUS : LFB_KEEP_PREVIOUS);
    if (number % 4 == 3) {
      EXPECT_EQ(lfb_versions_rollback(versions.get(), nullptr), LFB_OK);
    }
  }

  // Swaps one after the other, each after readers have queried since the last. On a machine that
  // runs one thread after the other there would be nothing to see otherwise.
  void Swaps() {
    for (unsigned i = 0; i < kSwaps; swaps = ++i) {
      while (asked < i) std::this_thread::yield();
      Swap(i);
    }
  }

  void Run(PutAndWrite put) {
    RunTogether(1 + kWriters + kReaders, [&](unsigned t) {
      if (t == 0)
        Swaps();
      else if (t <= kWriters)
        Writer(t - 1, put);
      else
        Reader();
    });
    EXPECT_EQ(lost, 0u) << "of " << asked << " queries";
    uint64_t missing = 0;
    for (unsigned w = 0; w < kWriters; w++)
      for (uint64_t i = FirstKept(kKeys); i < kKeys; i++) missing += !Has(versions, Mix(w, i));
    EXPECT_EQ(missing, 0u);
    EXPECT_EQ(lfb_versions_reclaim(versions.get()), 0u);
  }
};

// Writers put, readers query, and a thousand versions follow each other. Each key is written to
// the source of truth before it is put. Seen to fail 20 times in 20 if puts go only to the
// current version until the new one is published.
TEST(VersionsRace, NoPutIsLostByASwap) {
  Swapping().Run([](const Versions& versions, unsigned w, uint64_t i, Written* written) {
    written->source.store(i + 1, std::memory_order_release);
    Put(versions, Mix(w, i));
    if (i % 2 == 0) std::this_thread::yield();
  });
}

// The same with keys written to the source after they were put, in one section. Seen to fail 20
// times in 20 also if begin_rebuild does not wait for the running sections.
TEST(VersionsRace, NoSectionIsLostByASwap) {
  Swapping().Run([](const Versions& versions, unsigned w, uint64_t i, Written* written) {
    lfb_versions_enter(versions.get(), nullptr);
    Put(versions, Mix(w, i));
    std::this_thread::yield();
    written->source.store(i + 1, std::memory_order_release);
    lfb_versions_leave(versions.get());
  });
}

// Several administrators at once: each call succeeds or is refused, and the numbers rise.
TEST(VersionsRace, AdministratorsTakeTurns) {
  constexpr unsigned kRounds = kUnderTsan ? 200 : 1000;
  const Versions versions = MakeVersions();
  lfb_versions* it = versions.get();
  std::atomic<uint64_t> given{0}, fallen{0};
  RunTogether(4, [&](unsigned t) {
    uint64_t last = 0;
    for (unsigned i = 0; i < kRounds; i++) {
      const uint64_t seen = lfb_versions_number(it);
      fallen += seen < last;
      last = seen;
      uint64_t number = 0;
      lfb_filter* building = nullptr;
      if (t % 2 == 0)
        lfb_ignore(lfb_versions_begin_rebuild(it, &kConfig, &building));
      else
        given += lfb_versions_publish(it, LFB_KEEP_PREVIOUS, &number) == LFB_OK;
      if (i % 8 == t) lfb_ignore(lfb_versions_abandon(it));
      if (i % 8 == t + 4) given += lfb_versions_rollback(it, &number) == LFB_OK;
      fallen += number != 0 && number <= last;
    }
  });
  EXPECT_EQ(fallen, 0u);
  EXPECT_EQ(lfb_versions_number(it), 1 + given);
}

}  // namespace
