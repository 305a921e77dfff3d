// server.h - Redis servers that a test starts: on ports that no other process gets
// (tests/support/ports.h), in a directory of the test, and gone when the test ends.
//
// One thread at a time may start, kill, stop and restart a server. Failures to do so are
// failures of the test. Each wait has a limit (tests/support/await.h).
#pragma once

#include <lfbloom/redis.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/redis/certificates.h"
#include "tests/support/ports.h"

struct RedisConfig {
  std::string password;    // "": no password
  bool durable = false;    // acknowledged writes survive SIGKILL (appendfsync always)
  bool cluster = false;    // a node of a cluster, as RedisCluster starts
  const Certificates* tls = nullptr;  // it listens at tls_port(), too; a cluster's bus is by TLS
  unsigned node_ms = 0;    // cluster-node-timeout
  std::vector<std::string> more;  // more words for the command line
};

class RedisServer {
 public:
  explicit RedisServer(RedisConfig config = {});
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  uint16_t port() const { return port_.number(); }
  // For connections between nodes of a cluster. On a standalone server no process listens there.
  uint16_t bus_port() const { return bus_port_.number(); }
  uint16_t tls_port() const { return tls_port_.number(); }
  // How to reach it. Valid as long as the server exists.
  lfb_redis_options Options() const;
  lfb_redis_options TlsOptions() const;  // with the CA of config.tls

  void Start();     // waits until it answers
  void Kill();      // SIGKILL
  void Restart() { Kill(), Start(); }
  void Stop();      // SIGSTOP: connections stay, without answers
  void Continue();  // SIGCONT
  bool running() const { return pid_ > 0; }

  // Sends a command over a new connection, and returns the reply as text: numbers in digits,
  // arrays in lines, errors unchanged.
  std::string Call(const std::vector<std::string>& words) const;
  // Whether it answers within seconds, with an error or not.
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
  const HeldPort port_, bus_port_, tls_port_;
  pid_t pid_ = 0;
};

// A test with a server.
class WithServer : public testing::Test {
 protected:
  RedisServer server;
  lfb_redis_options options = server.Options();
};

// Masters with the slots spread over them, and `replicas` replicas of each.
class RedisCluster {
 public:
  explicit RedisCluster(unsigned masters = 3, unsigned replicas = 0, RedisConfig config = {});
  // Kills all nodes before the first one's ports are released.
  ~RedisCluster();

  RedisServer& node(size_t i) { return *nodes_[i]; }  // masters first, then replicas
  size_t size() const { return nodes_.size(); }
  lfb_redis_options Options() const { return nodes_[0]->Options(); }

  // The node that reports to be master of a slot.
  RedisServer& Owner(uint16_t slot);
  bool Holds(RedisServer& server, uint16_t slot);
  // Begins to move a slot: from now on ASK for keys that `from` lacks.
  void BeginMove(uint16_t slot, RedisServer& from, RedisServer& to);
  // Moves at most `most` keys of a slot being moved; returns how many.
  size_t MoveKeys(uint16_t slot, RedisServer& from, RedisServer& to, size_t most);
  void MoveAllKeys(uint16_t slot, RedisServer& from, RedisServer& to);
  // Ends a move: from now on MOVED.
  void EndMove(uint16_t slot, RedisServer& from, RedisServer& to);
  void Move(uint16_t slot, RedisServer& from, RedisServer& to);
  // Waits until every node reports that all slots are served, and is connected to every other
  // node. All nodes must be running.
  void AwaitReady();

 private:
  void Meet();
  bool IsReady(RedisServer& server);
  void Drain(RedisServer& server);
  std::string Id(RedisServer& server);

  unsigned masters_;
  std::vector<std::unique_ptr<RedisServer>> nodes_;
};
