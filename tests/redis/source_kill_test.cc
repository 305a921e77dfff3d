// source_kill_test.cc - who publishes a version, or follows them, is killed at each command that
// it sends.
//
// Seen to fail, each time, with a version's number on the server before its parts, which
// source_kill_test_announced_early_is_caught plants; and with these planted by hand: no notes
// before what they are of; notes forgotten before what they are of is deleted.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/calls.h"
#include "tests/redis/followers.h"

namespace {

using calls::Deed;

// Whether the act, by a process of its own that is killed at its `at`-th command, ends before.
template <typename Act>
bool Outlives(Deed deed, uint64_t at, const Act& act) {
  const pid_t child = fork();
  if (child == 0) {
    calls::Plan plan;
    plan.deed = deed;
    plan.at = at;
    plan.only = "send";
    calls::Arm(plan);
    _exit(act() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) {
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
    return false;
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return true;
}

// The newest version is all there, for whoever comes new; its number.
uint64_t Newest(const lfb_redis_options& options) {
  Follower fresh(options);
  EXPECT_EQ(fresh.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(fresh.Missing(fresh.At()), 0u);
  return fresh.At();
}

// Followers have the old version or the new one, whole; the next one is published, and nothing
// is left of what was not.
TEST(PublisherKilled, AtEachCommand) {
  RedisServer server;
  const lfb_redis_options options = server.Options();
  Follower steady(options);
  steady.Start();
  uint64_t newest = 1;
  Publish(options, newest, false, 1);
  const size_t of_one = FilterKeys(server);
  unsigned kills = 0, published = 0;
  for (const Deed deed : {Deed::kKillBefore, Deed::kKillAfter})
    for (uint64_t at = 1;; at++, kills++) {
      SCOPED_TRACE("command " + std::to_string(at));
      const bool done = Outlives(deed, at, [&] {
        return TryPublish(options, newest + 1, {true, newest, 1}) == LFB_OK;
      });
      const uint64_t now = Newest(options);
      ASSERT_TRUE(now == newest + 1 || (now == newest && !done)) << now << " after " << newest;
      published += !done && now == newest + 1;
      newest = now + 1;
      Publish(options, newest, false, 1);
      ASSERT_EQ(FilterKeys(server), of_one);
      ASSERT_EQ(steady.Missing(steady.At()), 0u);
      if (done) break;
    }
  EXPECT_GT(kills, 40u);
  EXPECT_GT(published, 4u) << "none was killed behind the announcement";
  steady.AwaitVersion(newest);
  EXPECT_EQ(steady.Missing(newest), 0u);
  EXPECT_EQ(steady.did[LFB_FOLLOWED_FAILED], 0u) << lfb_status_text(steady.failure);
  // Once nobody can be late any more: no lists either, and no notes.
  for (unsigned i = 0; i < LFB_REDIS_VERSIONS_REACH; i++) Publish(options, ++newest, false, 1);
  EXPECT_EQ(KeysThere(server).size(), of_one + 2);
  EXPECT_EQ(server.Call({"HLEN", "{seen:notes}"}), "1");
}

// The same where each begins with what nobody was killed over, so that each command of deleting
// an old version is come to.
TEST(PublisherKilled, WhileItDeletes) {
  RedisServer server;
  const lfb_redis_options options = server.Options();
  unsigned kills = 0;
  for (const Deed deed : {Deed::kKillBefore, Deed::kKillAfter})
    for (uint64_t at = 1;; at++, kills++) {
      SCOPED_TRACE("command " + std::to_string(at));
      server.Call({"FLUSHALL"});
      Publish(options, 1, false, 1);
      const size_t of_one = FilterKeys(server);
      const bool done =
          Outlives(deed, at, [&] { return TryPublish(options, 2, {true, 1, 1}) == LFB_OK; });
      const uint64_t now = Newest(options);
      ASSERT_TRUE(now == 2 || (now == 1 && !done));
      Publish(options, now + 1, false, 1);
      ASSERT_EQ(FilterKeys(server), of_one);
      if (done) break;
    }
  EXPECT_GT(kills, 40u);
}

// A follower has nothing on the server that it could leave behind.
TEST(FollowerKilled, AtEachCommand) {
  RedisServer server;
  const lfb_redis_options options = server.Options();
  Publish(options, 1);
  const std::set<std::string> before = KeysThere(server);
  uint64_t kills = 0;
  while (!Outlives(Deed::kKillAfter, kills + 1,
                   [&] { return Follower(options).Poll() == LFB_FOLLOWED_REBUILT; }))
    kills++;
  EXPECT_GT(kills, 5u);
  EXPECT_EQ(KeysThere(server), before);
  EXPECT_EQ(Newest(options), 1u);
  Publish(options, 2, true);
}

}  // namespace
