// The replay guard as several concurrent clients see it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "examples/testing/program.h"
#include "examples/testing/talk.h"
#include "tests/support/race.h"

namespace {

using Clock = std::chrono::steady_clock;

class Server {
 public:
  explicit Server(const std::string& span)
      : program_({REPLAY_PROGRAM, "0", "4", "100000", span}) {
    const std::string line = program_.Line();
    EXPECT_EQ(line.rfind("listening on ", 0), 0u) << "'" << line << "'";
    at = line.substr(13);
  }
  ~Server() { EXPECT_EQ(program_.Stop(SIGTERM), -SIGTERM); }
  std::string at;

 private:
  Program program_;
};

std::string Ask(Talk& talk, const std::string& token) {
  talk.Say(token + "\n");
  return talk.Hear("\n");
}

TEST(Replay, ATokenIsAcceptedOnce) {
  const Server server("3600");
  Talk one(server.at), other(server.at);
  EXPECT_EQ(Ask(one, "a"), "ok\n");
  EXPECT_EQ(Ask(one, "a"), "replay\n");
  EXPECT_EQ(Ask(other, "a"), "replay\n");
  EXPECT_EQ(Ask(other, "b"), "ok\n");
  for (char byte : std::string("pieces")) one.Say(std::string(1, byte));
  one.Say("\npie");
  EXPECT_EQ(one.Hear("\n"), "ok\n");
  one.Say("ces\n");
  EXPECT_EQ(one.Hear("\n"), "replay\n");
}

// Refused for the span at least, then accepted again.  Seen to fail with a clock of a third of the
// span.
TEST(Replay, ATokenIsAcceptedAgainAfterTheSpan) {
  const Server server("0.5");
  Talk talk(server.at);
  const Clock::time_point before = Clock::now();
  EXPECT_EQ(Ask(talk, "token"), "ok\n");
  while (Ask(talk, "token") == "replay\n") {
    if (Clock::now() - before > kPatience) WaitedInVain("the token is accepted again");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(Clock::now() - before, std::chrono::milliseconds(500));
}

// All clients send the same tokens at the same time: each is accepted once.  Seen to fail
// 10 times in 10 with a query and a put instead of the claim.
TEST(Replay, OneOfManyClientsWins) {
  constexpr int kTokens = kUnderTsan ? 5000 : 50000;
  const Server server("3600");
  std::string lines;
  for (int i = 0; i < kTokens; i++) lines += std::to_string(i) + "\n";
  std::atomic<int> accepted{0};
  RunTogether(4, [&](unsigned) {
    Talk talk(server.at);
    std::thread sender([&] { talk.Say(lines); });
    for (int i = 0; i < kTokens; i++) accepted += talk.Hear("\n") == "ok\n";
    sender.join();
  });
  EXPECT_LE(accepted, kTokens);
  EXPECT_GE(accepted, kTokens - 2);  // hardly one false positive
}

TEST(Replay, ALineThatIsTooLongEndsTheConnection) {
  const Server server("3600");
  Talk talk(server.at);
  EXPECT_EQ(Ask(talk, std::string(4095, 'x')), "ok\n");
  talk.Say(std::string(4096, 'x'));
  EXPECT_EQ(talk.Hear("\n"), "");
}

TEST(Replay, BadOptionsAreRefused) {
  const std::vector<std::vector<std::string>> rows = {
      {}, {"0", "4", "100"}, {"65536", "4", "100", "1"}, {"0", "0", "100", "1"}, {"0", "257", "100", "1"}, {"0", "4", "0", "1"}, {"0", "4", "100", "x"}, {"0", "4", "100", "-1"}, {"0", "4", "100", "nan"}};
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::string> argv = {REPLAY_PROGRAM};
    argv.insert(argv.end(), row.begin(), row.end());
    Program program(argv);
    EXPECT_EQ(program.Line(), "");
    EXPECT_EQ(program.Wait(), 2) << row.size();
  }
}

}  // namespace
