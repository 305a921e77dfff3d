// The file of `lfbloom claim --shared` is opened or made, whatever happens to it at the same time:
// no run goes on without a filter.
//
// Seen to claim nothing, without an error, when ENOENT after a create that failed with EXISTS was
// taken for "not there yet".
#include "tests/cli/share_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>

#include "tests/support/calls.h"
#include "tests/support/mapped.h"

namespace {

using calls::Deed;

// Claims a key that no other call claims.
int Claim(const Path& path) {
  static int number = 0;
  return share_run(path.c_str(), std::to_string(number++).c_str());
}

// Each call of open() does not find the file, or all from one on.
TEST(Share, AFileThatIsNotFoundIsMadeOrReported) {
  const Path path;
  ASSERT_EQ(Claim(path), 1);
  for (const Deed deed : {Deed::kFail, Deed::kFailOn})
    for (uint64_t at = 1;; at++) {
      calls::Arm({deed, at, ENOENT, "open"});
      const int claimed = Claim(path);
      if (calls::Disarm().hit == 0) break;
      EXPECT_TRUE(claimed == 1 || claimed == -1) << at << ": " << claimed;
    }
  ASSERT_EQ(Claim(path), 1);
}

// Others make it and delete it all the time.
TEST(Share, AFileThatIsDeletedIsMadeAgain) {
  const Path path;
  std::atomic<bool> stop{false};
  std::thread maker([&] {
    while (!stop) EXPECT_GE(share_run(path.c_str(), "another"), 0);
  });
  std::thread deleter([&] {
    while (!stop) unlink(path.c_str());
  });
  for (int round = 0; round < 200; round++) EXPECT_EQ(Claim(path), 1) << round;
  stop = true;
  maker.join();
  deleter.join();
}

}  // namespace
