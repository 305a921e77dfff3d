// module_window_test.cc - filters that forget: BF.WINDOW.RESERVE, BF.WINDOW.ADVANCE.
#include "tests/redis/module.h"

namespace {

TEST(ModuleWindow, RefusesWrongOptions) {
  RedisServer server(WithModule());
  const auto reserve = [&](Words options) {
    options.insert(options.begin(), {"BF.WINDOW.RESERVE", "w", "0.01", "1000"});
    return server.Call(options);
  };
  EXPECT_EQ(reserve({"SPAN"}), "ERR an option lacks its value");
  EXPECT_EQ(reserve({"SPAN", "0"}), "ERR the span must be from 0.01 to 1000000000 seconds");
  EXPECT_EQ(reserve({"SPAN", "nan"}), "ERR the span must be from 0.01 to 1000000000 seconds");
  EXPECT_EQ(reserve({"GENERATIONS", "4"}), "ERR a window has 3 or 7 generations");
  EXPECT_EQ(reserve({"TIME", "4"}), "ERR Unknown argument received");
  EXPECT_EQ(server.Call({"EXISTS", "w"}), "0");
  EXPECT_EQ(reserve({"SPAN", "60", "GENERATIONS", "7"}), "OK");
  EXPECT_EQ(reserve({}), "ERR item exists");
  EXPECT_EQ(server.Call({"BF.INFO", "w", "capacity"}), "1000\n");
  ASSERT_EQ(server.Call({"BF.RESERVE", "k", "0.01", "1000"}), "OK");
  EXPECT_EQ(server.Call({"BF.WINDOW.ADVANCE", "k"}), "ERR the key is not a window");
  EXPECT_EQ(server.Call({"BF.WINDOW.ADVANCE", "none"}), "ERR not found");
  EXPECT_TRUE(Failed(server.Call({"BF.WINDOW.ADVANCE", "w", "1000000", "0"})));
}

// A key is found until `capacity` others have come since, and is forgotten some time before twice
// as many have. All of the last 3,000 are found, also those that were false positives when they
// came: with a claim in place of a put about one of them was missing.
TEST(ModuleWindow, ForgetsByInsertions) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.WINDOW.RESERVE", "w", "0.001", "3000"}), "OK");
  AddNumbers(server, "w", 0, 100);
  EXPECT_EQ(server.Call({"BF.ADD", "w", "w-1"}), "0");
  AddNumbers(server, "w", 100, 3000);
  EXPECT_EQ(CountNumbers(server, "w", 0, 3000), 3000);
  AddNumbers(server, "w", 3000, 9000);
  EXPECT_LE(CountNumbers(server, "w", 0, 3000), 30);  // false positives
  EXPECT_EQ(CountNumbers(server, "w", 6000, 9000), 3000);
}

TEST(ModuleWindow, ForgetsByTime) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.WINDOW.RESERVE", "long", "0.001", "1000", "SPAN", "10000"}), "OK");
  ASSERT_EQ(server.Call({"BF.WINDOW.RESERVE", "short", "0.001", "1000", "SPAN", "0.05"}), "OK");
  EXPECT_EQ(server.Call({"BF.ADD", "long", "key"}), "1");
  EXPECT_EQ(server.Call({"BF.ADD", "short", "key"}), "1");
  Await("the key is forgotten", [&] { return server.Call({"BF.EXISTS", "short", "key"}) == "0"; });
  EXPECT_EQ(server.Call({"BF.EXISTS", "long", "key"}), "1");
  EXPECT_EQ(server.Call({"BF.ADD", "long", "key"}), "0");
  // It can be new again.
  Await("the key is new", [&] { return server.Call({"BF.ADD", "short", "key"}) == "1"; });
}

TEST(ModuleWindow, ForgetsWhenItIsAdvanced) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.WINDOW.RESERVE", "w", "0.001", "1000"}), "OK");
  EXPECT_EQ(server.Call({"BF.ADD", "w", "key"}), "1");
  for (int i = 0; i < 3; i++) {
    ASSERT_EQ(server.Call({"BF.WINDOW.ADVANCE", "w"}), "OK");
    EXPECT_EQ(server.Call({"BF.EXISTS", "w", "key"}), "1");
  }
  ASSERT_EQ(server.Call({"BF.WINDOW.ADVANCE", "w"}), "OK");
  EXPECT_EQ(server.Call({"BF.EXISTS", "w", "key"}), "0");
}

TEST(ModuleWindow, IsTheSameOnReplicasAndAfterARestart) {
  RedisServer master(
      DurableModule({"--repl-diskless-sync-delay", "0", "--aof-use-rdb-preamble", "no"})),
      replica(WithModule());
  ASSERT_EQ(master.Call({"BF.WINDOW.RESERVE", "early", "0.01", "1000"}), "OK");
  AddNumbers(master, "early", 0, 700);
  Follow(replica, master);
  ASSERT_EQ(master.Call({"BF.WINDOW.RESERVE", "late", "0.01", "1000", "GENERATIONS", "7"}), "OK");
  ASSERT_EQ(master.Call({"BF.WINDOW.RESERVE", "timed", "0.01", "1000", "SPAN", "0.05"}), "OK");
  AddNumbers(master, "early", 700, 5000);
  AddNumbers(master, "late", 0, 5000);
  AddNumbers(master, "timed", 0, 1000);
  Await("a key is forgotten", [&] {
    return master.Call({"BF.EXISTS", "timed", "timed-1"}) == "0";
  });
  Await("the replica has all",
        [&] { return replica.Info("master_repl_offset") == master.Info("master_repl_offset"); });
  const std::string digest = master.Call({"DEBUG", "DIGEST"});
  EXPECT_EQ(replica.Call({"DEBUG", "DIGEST"}), digest);
  for (int rewritten = 0; rewritten < 2; rewritten++) {
    master.Kill();
    master.Start();
    EXPECT_EQ(master.Call({"DEBUG", "DIGEST"}), digest);
    RewriteAof(master);
  }
}

}  // namespace
