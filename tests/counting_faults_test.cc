// Where the counting filter is refused memory: one clear error, nothing kept (calls.h).
#include <gtest/gtest.h>
#include <lfbloom/counting.h>

#include <cerrno>
#include <functional>

#include "tests/calls.h"
#include "tests/filters.h"
#include "tests/streams.h"

namespace {

// Refuses call 1, 2, .. of an act, one at a time, until it makes no more calls; how many were
// refused for lack of memory.
size_t RefuseEach(const std::function<lfb_status()>& act) {
  size_t refused = 0;
  for (size_t at = 1;; at++) {
    calls::Plan plan;
    plan.deed = calls::Deed::kFail;
    plan.at = at;
    plan.error = ENOMEM;
    calls::Arm(plan);
    const lfb_status status = act();
    const calls::Report report = calls::Disarm();
    EXPECT_EQ(report.kept, 0) << "blocks of memory were kept, call " << at;
    EXPECT_EQ(report.mapped, 0) << "bytes were left mapped, call " << at;
    if (report.made.size() < at) {
      EXPECT_EQ(status, LFB_OK);
      return refused;
    }
    if (status != LFB_OK) {
      EXPECT_EQ(status, LFB_ERROR_NO_MEMORY) << report.made[at - 1].name;
      refused++;
    }
  }
}

TEST(CountingFaults, EachPieceOfMemory) {
  for (uint64_t n : {1000ul, 3'000'000ul}) {  // of the C library, and mapped
    const lfb_config config = Config(n, 0.01, LFB_FAST);
    const size_t to_create = RefuseEach([&] {
      lfb_counting* counting = nullptr;
      const lfb_status status = lfb_counting_create(&config, &counting);
      EXPECT_EQ(counting == nullptr, status != LFB_OK);
      lfb_counting_free(counting);
      return status;
    });
    EXPECT_GE(to_create, 5u);  // itself, three counts, the counters

    lfb_counting* counting = nullptr;
    ASSERT_EQ(lfb_counting_create(&config, &counting), LFB_OK);
    const size_t to_convert = RefuseEach([&] {
      lfb_filter* filter = nullptr;
      const lfb_status status = lfb_counting_to_filter(counting, &filter);
      EXPECT_EQ(filter == nullptr, status != LFB_OK);
      lfb_filter_free(filter);
      return status;
    });
    EXPECT_GE(to_convert, 4u);  // its words, itself, its count, its claims

    const size_t to_copy = RefuseEach([&] {
      lfb_counting* copy = nullptr;
      const lfb_status status = lfb_counting_copy(counting, &copy);
      EXPECT_EQ(copy == nullptr, status != LFB_OK);
      lfb_counting_free(copy);
      return status;
    });
    EXPECT_EQ(to_copy, to_create);

    Source source;
    ASSERT_EQ(lfb_counting_write(counting, AppendTo, &source.bytes), LFB_OK);
    const size_t to_read = RefuseEach([&] {
      lfb_counting* read = nullptr;
      source.at = 0;
      const lfb_status status = lfb_counting_read(Source::Read, &source, nullptr, &read);
      EXPECT_EQ(read == nullptr, status != LFB_OK);
      lfb_counting_free(read);
      return status;
    });
    EXPECT_GE(to_read, to_create + 2);  // and two tables of checksums
    lfb_counting_free(counting);
  }
}

}  // namespace
