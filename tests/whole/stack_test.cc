// The stack that each public function needs: filter.h, "Stack".
//
// A call is made on a thread with a stack that was filled with a pattern before. The lowest word
// without the pattern afterwards shows how deep the call went, the C library included. No call
// comes near the stack's end, so nothing depends on a crash.
//
// Seen to fail in each configuration with an array of 40 KiB in lfb_filter_compare().
//
// The promise is that of an optimised build (-O2 for the library, which .bazelrc asks for).
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "tests/support/every_things.h"

namespace every {
namespace {

// ---- measuring ----------------------------------------------------------------------

constexpr size_t kStack = 128 << 10;  // bytes: far more than any call may need
constexpr uint64_t kPattern = 0xa5a5a5a5a5a5a5a5;

using Thunk = void (*)(void* of);

struct Call {
  Thunk thunk;
  void* of;
  const unsigned char* from;  // the stack above this address is the thread's own
};

void* Begin(void* context) {
  Call* const call = static_cast<Call*>(context);
  call->from = static_cast<const unsigned char*>(__builtin_frame_address(0));
  call->thunk(call->of);
  return nullptr;
}

// The bytes of stack that a call needs, including its thunk's frame.
size_t StackOf(Thunk thunk, void* of) {
  void* const stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(stack, MAP_FAILED);
  uint64_t* const words = static_cast<uint64_t*>(stack);
  std::fill_n(words, kStack / sizeof *words, kPattern);
  Call call = {thunk, of, nullptr};
  pthread_attr_t attributes;
  pthread_t thread;
  EXPECT_EQ(pthread_attr_init(&attributes), 0);
  EXPECT_EQ(pthread_attr_setstack(&attributes, stack, kStack), 0);
  EXPECT_EQ(pthread_create(&thread, &attributes, Begin, &call), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_EQ(pthread_attr_destroy(&attributes), 0);
  const uint64_t* lowest = words;
  while (*lowest == kPattern) lowest++;
  const size_t used =
      static_cast<size_t>(call.from - reinterpret_cast<const unsigned char*>(lowest));
  EXPECT_EQ(munmap(stack, kStack), 0);
  return used;
}

// The measurement itself: a frame of so many bytes is seen, and little more.
void NeedThreePages(void*) {
  volatile unsigned char bytes[3 * 4096];
  bytes[0] = bytes[sizeof bytes - 1] = 1;
}

TEST(Stack, TheMeasureSeesAFrame) {
  const size_t used = StackOf(NeedThreePages, nullptr);
  EXPECT_GE(used, 3u * 4096);
  EXPECT_LE(used, 3u * 4096 + 512);
}

// ---- the calls ------------------------------------------------------------------------

bool Fits(const Row& row, const lfb_config& config) {
  return row.has != kGrowing || config.strategy != LFB_GO_FNV14;
}

struct Measured {
  const Row* row;
  Things* things;
};

void ExpectLittleStack(const Row& row, Things& things) {
  Measured call = {&row, &things};
  Prepare(row, things);
  const size_t used = StackOf([](void* of) {
    const Measured* const it = static_cast<Measured*>(of);
    it->row->act(*it->things);
  }, &call);
  EXPECT_EQ(things.status, row.returns) << row.names;
  EXPECT_LE(used, row.budget) << row.names << " needs " << used << " bytes of stack";
  if (used > kAny / 4) std::cout << used << " of " << row.budget << ": " << row.names << "\n";
  Finish(row, things);
}

// Each call of one configuration; a failure names the call over the limit, with its bytes.
class EveryCall : public testing::TestWithParam<lfb_config> {};

TEST_P(EveryCall, NeedsNoMoreStackThanItMay) {
  Things things(GetParam(), testing::TempDir() + "/stack-" + std::to_string(getpid()));
  ASSERT_FALSE(HasFailure());
  for (const Row& row : AllRows())
    if (Fits(row, GetParam())) ExpectLittleStack(row, things);
  if (things.grows()) {
    EXPECT_EQ(Figures(things.settled).layers, kLayers) << "it was to have room for all calls";
  }
}

// A configuration of each strategy, of `fast` with each number of words; keyed.
std::vector<lfb_config> Configurations() {
  std::vector<lfb_config> all;
  for (const lfb_strategy_id strategy
       : AllStrategies()) all.push_back(Config(kFew, 0.01, strategy));
  for (const double fpp : {0.5, 1e-4, 1e-9}) all.push_back(Config(kFew, fpp, LFB_FAST));
  all.push_back(Config(kFew, 1e-9, LFB_GUAVA_MITZ64));
  all.push_back(Config(kFew, 0.01, LFB_FAST));
  all.back().seed = 0;
  all.back().key[0] = 1;
  all.back().hash = LFB_HASH_SIPHASH13;
  all.back().keep_key = true;
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, EveryCall, testing::ValuesIn(Configurations()));

}  // namespace
}  // namespace every
