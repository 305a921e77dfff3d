// What an administrator's calls do not wait for: versions.h, Progress.
//
// --wrap (BUILD.bazel) directs the library's lfb_filter_create(), lfb_filter_free() and malloc()
// to this file. A thread that arms the gate is held there until another thread has finished its
// own call. If that call waits for the held thread, nothing opens the gate; then the gate opens
// itself after kLimit and reports it. If the library is right, the clock does not matter.
#include <lfbloom/versions.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "tests/support/filters.h"
#include "tests/support/race.h"

namespace {

constexpr std::chrono::seconds kLimit(20);

// Holds the thread that armed it.
class Gate {
 public:
  // The calling thread is held at its next call of this kind.
  void Arm(const char* kind) { armed_ = kind; }
  // Called by the library's calls of this kind.
  void Pass(const char* kind) {
    if (armed_ != kind) return;
    armed_ = nullptr;
    std::unique_lock<std::mutex> lock(mutex_);
    held_ = true;
    changed_.notify_all();
    expired_ = !changed_.wait_for(lock, kLimit, [this] { return open_; });
  }
  // Waits until a thread is held.
  bool AwaitHeld() {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, kLimit, [this] { return held_; });
  }
  void Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  bool Expired() const { return expired_; }
  void Reset() { held_ = open_ = expired_ = false; }

 private:
  static thread_local const char* armed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false, open_ = false, expired_ = false;
};

thread_local const char* Gate::armed_ = nullptr;

Gate gate;
std::atomic<int> filters{0};  // made, minus those that were freed

// Keeps one thread in a call, at the allocation for what it will publish, while another thread
// makes a call.
class Stay {
 public:
  void Reset() { staying_ = calling_ = false; }
  // The calling thread stays at its next malloc().
  void Arm() { armed_ = true; }
  // Called by the library's malloc().
  void Pass() {
    if (!armed_) return;
    armed_ = false;
    staying_ = true;
    while (!calling_) std::this_thread::yield();
    // Long enough for the other thread to pass, if it can; it need not.
    for (int i = 0; i < 10; i++) std::this_thread::yield();
  }
  void AwaitStaying() const {
    while (!staying_) std::this_thread::yield();
  }
  void Calls() { calling_ = true; }

 private:
  static thread_local bool armed_;
  std::atomic<bool> staying_{false}, calling_{false};
};

thread_local bool Stay::armed_ = false;

Stay stay;

const char* const kCreate = "create";
const char* const kFree = "free";

}  // namespace

extern "C" {

lfb_status __real_lfb_filter_create(const lfb_config* config, lfb_filter** filter);
lfb_status __wrap_lfb_filter_create(const lfb_config* config, lfb_filter** filter);
lfb_status __wrap_lfb_filter_create(const lfb_config* config, lfb_filter** filter) {
  gate.Pass(kCreate);
  const lfb_status status = __real_lfb_filter_create(config, filter);
  filters += status == LFB_OK;
  return status;
}

void __real_lfb_filter_free(lfb_filter* filter);
void __wrap_lfb_filter_free(lfb_filter* filter);
void __wrap_lfb_filter_free(lfb_filter* filter) {
  gate.Pass(kFree);
  filters -= filter != nullptr;
  __real_lfb_filter_free(filter);
}

void* __real_malloc(size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_malloc(size_t size) {
  stay.Pass();
  return __real_malloc(size);
}

}  // extern "C"

namespace {

const lfb_config kConfig = Config(1000, 0.01, LFB_FAST);

class VersionsTurns : public testing::Test {
 protected:
  void SetUp() override {
    gate.Reset();
    filters = 0;
    ASSERT_EQ(lfb_versions_create(&kConfig, &versions_), LFB_OK);
    lfb_versions_put_u64(versions_, 1);
  }
  void TearDown() override {
    lfb_versions_free(versions_);
    EXPECT_EQ(filters, 0) << "filters that were made and not freed";
  }
  // Makes a previous version with only key 1.
  void Keep() {
    lfb_filter* building = nullptr;
    ASSERT_EQ(lfb_versions_begin_rebuild(versions_, &kConfig, &building), LFB_OK);
    ASSERT_EQ(lfb_versions_publish(versions_, LFB_KEEP_PREVIOUS, nullptr), LFB_OK);
    ASSERT_FALSE(lfb_versions_might_contain_u64(versions_, 1));
  }
  // Runs `held`, which is held at its first call of that kind until `meanwhile` has returned.
  template <typename Held, typename Meanwhile>
  void While(const char* kind, const Held& held, const Meanwhile& meanwhile) {
    std::thread thread([&] {
      gate.Arm(kind);
      held();
    });
    EXPECT_TRUE(gate.AwaitHeld());
    meanwhile();
    gate.Open();
    thread.join();
    EXPECT_FALSE(gate.Expired()) << "a call waited for the one that was held";
  }
  // Replaces the version while a section uses it, so that it is freed later.
  void DropInASection() {
    lfb_filter* building = nullptr;
    ASSERT_EQ(Begin(&building), LFB_OK);
    lfb_versions_enter(versions_, nullptr);
    EXPECT_EQ(lfb_versions_publish(versions_, LFB_DROP_PREVIOUS, nullptr), LFB_OK);
    lfb_versions_leave(versions_);
    ASSERT_EQ(filters, 2);
  }
  // Calls one while the other, which allocates memory, is in its own call.
  template <typename Staying, typename Other>
  void AtOnce(const Staying& staying, const Other& other) {
    stay.Reset();
    std::thread thread([&] {
      stay.Arm();
      staying();
    });
    stay.AwaitStaying();
    stay.Calls();
    other();
    thread.join();
  }
  lfb_status Begin(lfb_filter** building) {
    return lfb_versions_begin_rebuild(versions_, &kConfig, building);
  }

  lfb_versions* versions_ = nullptr;
};

// Seen to fail if begin_rebuild makes the filter under the lock.
TEST_F(VersionsTurns, ARollbackDoesNotWaitForAFilterThatIsMade) {
  Keep();
  lfb_filter* building = nullptr;
  lfb_status begun = LFB_ERROR_STOPPED;
  While(kCreate, [&] { begun = Begin(&building); }, [&] {
    EXPECT_EQ(lfb_versions_rollback(versions_, nullptr), LFB_OK);
    EXPECT_TRUE(lfb_versions_might_contain_u64(versions_, 1));
    EXPECT_EQ(lfb_versions_rollback(versions_, nullptr), LFB_ERROR_NO_PREVIOUS);
    EXPECT_EQ(lfb_versions_abandon(versions_), LFB_ERROR_NOT_REBUILDING);
    EXPECT_EQ(lfb_versions_reclaim(versions_), 0u);
  });
  ASSERT_FALSE(HasFailure());  // the rest would query an abandoned version
  ASSERT_EQ(begun, LFB_OK);
  lfb_versions_put_u64(versions_, 2);
  EXPECT_TRUE(lfb_filter_might_contain_u64(building, 2));
  EXPECT_FALSE(lfb_filter_might_contain_u64(building, 1));
}

// Seen to fail if the later one begins, and if its filter stays.
TEST_F(VersionsTurns, OfTwoThatBeginTheLaterIsRefused) {
  lfb_filter *late = nullptr, *early = nullptr;
  lfb_status begun = LFB_ERROR_STOPPED;
  While(kCreate, [&] { begun = Begin(&late); }, [&] { EXPECT_EQ(Begin(&early), LFB_OK); });
  ASSERT_EQ(begun, LFB_ERROR_REBUILDING);
  EXPECT_EQ(late, nullptr);
  EXPECT_EQ(filters, 2);  // the current one and `early`
  lfb_filter_put_u64(early, 7);
  EXPECT_EQ(lfb_versions_publish(versions_, LFB_DROP_PREVIOUS, nullptr), LFB_OK);
  EXPECT_TRUE(lfb_versions_might_contain_u64(versions_, 7));
}

// While a version is being built, another is refused before memory is allocated for it.
TEST_F(VersionsTurns, WhileOneIsBuiltNoFilterIsMade) {
  lfb_filter *building = nullptr, *none = nullptr;
  ASSERT_EQ(Begin(&building), LFB_OK);
  const int before = filters;
  const lfb_config never = Config(UINT64_MAX, 0.01, LFB_FAST);
  EXPECT_EQ(lfb_versions_begin_rebuild(versions_, &never, &none), LFB_ERROR_REBUILDING);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(filters, before);
}

// Each call that drops a filter frees it without the lock.
TEST_F(VersionsTurns, NoThreadWaitsForAFilterThatIsFreed) {
  const auto publish = [&] {
    EXPECT_EQ(lfb_versions_publish(versions_, LFB_DROP_PREVIOUS, nullptr), LFB_OK);
  };
  lfb_filter* building = nullptr;
  ASSERT_EQ(Begin(&building), LFB_OK);
  const auto meanwhile = [&] {
    EXPECT_EQ(Begin(&building), LFB_OK);
    EXPECT_EQ(lfb_versions_publish(versions_, LFB_KEEP_PREVIOUS, nullptr), LFB_OK);
    EXPECT_EQ(lfb_versions_rollback(versions_, nullptr), LFB_OK);
  };
  While(kFree, publish, meanwhile);
  EXPECT_EQ(lfb_versions_reclaim(versions_), 0u);
  EXPECT_EQ(filters, 1);
}

TEST_F(VersionsTurns, AReclaimFreesWithoutTheLock) {
  DropInASection();
  While(kFree, [&] { EXPECT_EQ(lfb_versions_reclaim(versions_), 0u); }, [&] {
    EXPECT_EQ(lfb_versions_rollback(versions_, nullptr), LFB_ERROR_NO_PREVIOUS);
  });
  EXPECT_EQ(filters, 1);
}

// A rollback and a begin at once both succeed. Each changes and publishes what the other
// published before. If one lost the other's change, either the next version or the rollback
// would be lost. Seen to fail 20 times in 20 if rollback reads the published state before it has
// the lock, and if begin_rebuild releases the lock while it allocates memory.
TEST_F(VersionsTurns, ARollbackAndABeginAreBothDone) {
  constexpr uint64_t kRounds = 20;
  for (uint64_t i = 0; i < kRounds; i++) {
    Keep();
    const auto rollback = [&] { EXPECT_EQ(lfb_versions_rollback(versions_, nullptr), LFB_OK); };
    lfb_filter* next = Make(kConfig).release();
    const auto begin = [&] {
      EXPECT_EQ(lfb_versions_begin_rebuild_with(versions_, next), LFB_OK);
    };
    if (i % 2 == 0)
      AtOnce(begin, rollback);
    else
      AtOnce(rollback, begin);
    EXPECT_TRUE(lfb_versions_might_contain_u64(versions_, 1));
    EXPECT_EQ(lfb_versions_drop_previous(versions_), LFB_ERROR_NO_PREVIOUS);
    lfb_versions_put_u64(versions_, 2);
    EXPECT_TRUE(lfb_filter_might_contain_u64(next, 2));
    EXPECT_EQ(lfb_versions_abandon(versions_), LFB_OK);
  }
  EXPECT_EQ(lfb_versions_number(versions_), 1 + 2 * kRounds);
}

// TearDown() checks that all are freed.
TEST_F(VersionsTurns, TheHandleFreesWhatWasDropped) { DropInASection(); }

}  // namespace
