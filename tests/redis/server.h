// server.h - Redis servers of a test's own: on ports that no other process gets (tests/support/ports.h),
// in a directory of the test's, gone when the test is.
//
// Started, killed, stopped, and started again by whoever has one; one thread at a time.
// Failures to do so are failures of the test.  Each wait has a limit (tests/support/await.h).
#pragma once

#include <lfbloom/redis.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/ports.h"

struct RedisConfig {
  std::string password;    // "": none is asked for
  bool durable = false;    // what was acknowledged outlasts SIGKILL (appendfsync always)
  bool cluster = false;    // RedisCluster's business
  unsigned node_ms = 0;    // cluster-node-timeout
  std::vector<std::string> more;  // further words for the command line
};

class RedisServer {
 public:
  explicit RedisServer(RedisConfig config = {});
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  uint16_t port() const { return port_.number(); }
  // Between nodes of a cluster; of another server, a port where nobody listens.
  uint16_t bus_port() const { return bus_port_.number(); }
  // How to reach it; valid as long as the server.
  lfb_redis_options Options() const;

  void Start();     // and waits until it answers
  void Kill();      // SIGKILL
  void Stop();      // SIGSTOP: it stays there, and answers nothing
  void Continue();  // SIGCONT
  bool running() const { return pid_ > 0; }

  // Does a command over a connection of its own, and returns the reply as text: numbers in
  // digits, arrays in lines, errors as they are.
  std::string Call(const std::vector<std::string>& words) const;
  // Whether it answers within seconds, an error or not.
  bool TryCall(const std::vector<std::string>& words, std::string* answer) const;
  // One figure of INFO.
  std::string Info(const std::string& name) const;

 private:
  std::vector<std::string> CommandLine() const;
  void Spawn();
  void AwaitReady();
  bool HasDied();

  const RedisConfig config_;
  std::string directory_;
  const HeldPort port_, bus_port_;
  pid_t pid_ = 0;
};

// Masters with the slots spread over them, and as many replicas of each.
class RedisCluster {
 public:
  explicit RedisCluster(unsigned masters = 3, unsigned replicas = 0, RedisConfig config = {});
  // Kills all nodes before the ports of the first one are anybody's.
  ~RedisCluster();

  RedisServer& node(size_t i) { return *nodes_[i]; }  // masters first, then replicas
  size_t size() const { return nodes_.size(); }
  lfb_redis_options Options() const { return nodes_[0]->Options(); }

  // The node that says it is master of a slot.
  RedisServer& Owner(uint16_t slot);
  bool Holds(RedisServer& server, uint16_t slot);
  // Begins to move a slot: ASK for keys that are not there (any more).
  void BeginMove(uint16_t slot, RedisServer& from, RedisServer& to);
  // Moves at most so many keys of a slot that is being moved; how many were.
  size_t MoveKeys(uint16_t slot, RedisServer& from, RedisServer& to, size_t most);
  void MoveAllKeys(uint16_t slot, RedisServer& from, RedisServer& to);
  // Ends a move: MOVED from now on.
  void EndMove(uint16_t slot, RedisServer& from, RedisServer& to);
  void Move(uint16_t slot, RedisServer& from, RedisServer& to);
  // Waits until every node, all of which run, says that all slots are served, and is connected to
  // every other one.
  void AwaitReady();

 private:
  void Meet();
  bool IsReady(RedisServer& server);
  void Drain(RedisServer& server);
  std::string Id(RedisServer& server);

  unsigned masters_;
  std::vector<std::unique_ptr<RedisServer>> nodes_;
};
