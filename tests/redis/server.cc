// server.cc - starts, kills and commands Redis servers.
#include "tests/redis/server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <hiredis/hiredis.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <sstream>
#include <thread>

#include "tests/support/await.h"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string Text(const redisReply* reply) {
  switch (reply->type) {
    case REDIS_REPLY_INTEGER:
      return std::to_string(reply->integer);
    case REDIS_REPLY_NIL:
      return "(nil)";
    case REDIS_REPLY_ARRAY: {
      std::string all;
      for (size_t i = 0; i < reply->elements; i++) all += Text(reply->element[i]) + "\n";
      return all;
    }
    default:
      return std::string(reply->str, reply->len);
  }
}

std::string NewDirectory() {
  std::string path = testing::TempDir() + "/redis-XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr);
  return path;
}

std::string File(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Starts programs that the kernel kills when this process ends in any way. The kernel does so
// when the thread that started them ends, so one thread does nothing else.
class Spawner {
 public:
  Spawner() {
    std::thread([this] { Serve(); }).detach();
  }
  pid_t Spawn(char** arguments) {
    std::promise<pid_t> started;
    {
      const std::lock_guard<std::mutex> guard(lock_);
      wanted_.push_back({arguments, &started});
    }
    ready_.notify_one();
    return started.get_future().get();  // after the other thread's fork(): no limit needed
  }

 private:
  struct Wanted {
    char** arguments;
    std::promise<pid_t>* started;
  };
  void Serve() {
    for (;;) {
      std::unique_lock<std::mutex> guard(lock_);
      ready_.wait(guard, [this] { return !wanted_.empty(); });
      const Wanted wanted = wanted_.front();
      wanted_.pop_front();
      guard.unlock();
      wanted.started->set_value(Start(wanted.arguments));
    }
  }
  static pid_t Start(char** arguments) {
    const pid_t parent = getpid(), child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    execvp(arguments[0], arguments);
    _exit(127);
  }

  std::mutex lock_;
  std::condition_variable ready_;
  std::deque<Wanted> wanted_;
};

using Reply = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

Reply Ask(redisContext* context, const Words& words) {
  std::vector<const char*> texts;
  std::vector<size_t> sizes;
  for (const std::string& word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  return {static_cast<redisReply*>(redisCommandArgv(context, static_cast<int>(words.size()),
                                                    texts.data(), sizes.data())),
          freeReplyObject};
}

}  // namespace

RedisServer::RedisServer(RedisConfig config)
    : config_(std::move(config)), directory_(NewDirectory()) {
  Start();
}

RedisServer::~RedisServer() {
  if (running()) Kill();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

lfb_redis_options RedisServer::Options() const {
  lfb_redis_options options{};
  options.port = port();
  if (!config_.password.empty()) options.password = config_.password.c_str();
  // Loading takes milliseconds on an idle host, but seconds on a busy one.
  options.connect_ms = 20'000;
  options.timeout_ms = 60'000;
  return options;
}

lfb_redis_options RedisServer::TlsOptions() const {
  lfb_redis_options options = Options();
  options.port = tls_port();
  options.tls = true;
  options.ca_file = config_.tls->ca();
  return options;
}

std::vector<std::string> RedisServer::CommandLine() const {
  std::vector<std::string> words = {"redis-server"};
  const auto add = [&words](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  add({"--port", std::to_string(port()), "--bind", "127.0.0.1", "--dir", directory_, "--logfile",
       "log", "--daemonize", "no", "--save", "", "--enable-debug-command", "yes"});
  if (config_.durable) add({"--appendonly", "yes", "--appendfsync", "always"});
  if (!config_.password.empty())
    add({"--requirepass", config_.password, "--masterauth", config_.password});
  if (config_.cluster)
    add({"--cluster-enabled", "yes", "--cluster-port", std::to_string(bus_port()),
         "--cluster-node-timeout", std::to_string(config_.node_ms), "--repl-diskless-sync-delay",
         "0"});
  if (config_.tls != nullptr)
    add({"--tls-port", std::to_string(tls_port()), "--tls-cert-file", config_.tls->server(),
         "--tls-key-file", config_.tls->server_key(), "--tls-ca-cert-file", config_.tls->ca(),
         "--tls-auth-clients", "no"});
  if (config_.tls != nullptr && config_.cluster) add({"--tls-cluster", "yes"});
  words.insert(words.end(), config_.more.begin(), config_.more.end());
  return words;
}

void RedisServer::Spawn() {
  const std::vector<std::string> words = CommandLine();
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // Leaked: its thread runs as long as the process.
  static Spawner* const spawner = new Spawner;
  pid_ = spawner->Spawn(arguments.data());
  ASSERT_GT(pid_, 0);
}

bool RedisServer::HasDied() {
  int status;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  pid_ = 0;
  return true;
}

void RedisServer::AwaitReady() {
  Await("redis-server answers", [this] {
    std::string answer;
    return HasDied() || (TryCall({"PING"}, &answer) && answer == "PONG");
  });
}

void RedisServer::Start() {
  ASSERT_FALSE(running());
  Spawn();
  AwaitReady();
  ASSERT_TRUE(running()) << "redis-server does not start:\n" << File(directory_ + "/log");
}

void RedisServer::Kill() {
  ASSERT_TRUE(running());
  EXPECT_EQ(kill(pid_, SIGKILL), 0);
  AwaitChild("redis-server is killed", pid_);
  pid_ = 0;
}

void RedisServer::Stop() {
  ASSERT_TRUE(running());
  ASSERT_EQ(kill(pid_, SIGSTOP), 0);
  ASSERT_TRUE(WIFSTOPPED(AwaitChild("redis-server is stopped", pid_, WUNTRACED)));
}

void RedisServer::Continue() { ASSERT_EQ(kill(pid_, SIGCONT), 0); }

bool RedisServer::TryCall(const Words& words, std::string* answer) const {
  const timeval patience = {20, 0};
  std::unique_ptr<redisContext, decltype(&redisFree)> context(
      redisConnectWithTimeout("127.0.0.1", port(), patience), redisFree);
  if (context == nullptr || context->err != 0) return false;
  redisSetTimeout(context.get(), patience);
  if (!config_.password.empty() && Ask(context.get(), {"AUTH", config_.password}) == nullptr)
    return false;
  const Reply reply = Ask(context.get(), words);
  if (reply == nullptr) return false;
  *answer = Text(reply.get());
  return true;
}

std::string RedisServer::Call(const Words& words) const {
  std::string answer;
  EXPECT_TRUE(TryCall(words, &answer)) << words[0] << " is not answered";
  return answer;
}

std::string RedisServer::Info(const std::string& name) const {
  std::istringstream lines(Call({"INFO", "all"}));
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(name + ":", 0) == 0) {
      const size_t begin = name.size() + 1;
      return line.substr(begin, line.find('\r') - begin);
    }
  ADD_FAILURE() << "INFO has no " << name;
  return "";
}

// ---- clusters ------------------------------------------------------------------

RedisCluster::RedisCluster(unsigned masters, unsigned replicas, RedisConfig config)
    : masters_(masters) {
  config.cluster = true;
  if (config.node_ms == 0) config.node_ms = 60'000;
  for (unsigned i = 0; i < masters * (1 + replicas); i++)
    nodes_.push_back(std::make_unique<RedisServer>(config));
  Meet();
  AwaitReady();
}

RedisCluster::~RedisCluster() {
  for (auto& server : nodes_)
    if (server->running()) server->Kill();
}

std::string RedisCluster::Id(RedisServer& server) { return server.Call({"CLUSTER", "MYID"}); }

void RedisCluster::Meet() {
  for (size_t i = 0; i < nodes_.size(); i++)
    EXPECT_EQ(node(i).Call({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)}), "OK");
  for (unsigned i = 0; i < masters_; i++)
    EXPECT_EQ(node(i).Call({"CLUSTER", "ADDSLOTSRANGE", std::to_string(16384 * i / masters_),
                            std::to_string(16384 * (i + 1) / masters_ - 1)}),
              "OK");
  for (size_t i = 1; i < nodes_.size(); i++)
    EXPECT_EQ(node(i).Call({"CLUSTER", "MEET", "127.0.0.1", std::to_string(node(0).port()),
                            std::to_string(node(0).bus_port())}),
              "OK");
  for (size_t i = masters_; i < nodes_.size(); i++) {
    const std::string master = Id(node(i % masters_));
    Await("a replica knows its master", [&] {
      return node(i).Call({"CLUSTER", "REPLICATE", master}) == "OK";
    });
    Await("a replica is connected", [&] { return node(i).Info("master_link_status") == "up"; });
  }
}

// A node sends PUBLISH only to nodes that it has a connection to.
bool RedisCluster::IsReady(RedisServer& server) {
  const std::string info = server.Call({"CLUSTER", "INFO"}),
                    nodes = server.Call({"CLUSTER", "NODES"});
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  return has(info, "cluster_state:ok") && has(info, "cluster_slots_ok:16384") &&
         has(info, "cluster_known_nodes:" + std::to_string(nodes_.size())) &&
         !has(nodes, "handshake") && !has(nodes, "disconnected");
}

void RedisCluster::AwaitReady() {
  for (auto& server : nodes_)
    Await("a node serves and is connected to all others", [&] { return IsReady(*server); });
}

// Whether the node is a master that owns the slot, by its own CLUSTER NODES.
bool RedisCluster::Holds(RedisServer& server, uint16_t slot) {
  if (!server.running() || server.Info("role") != "master") return false;
  const std::string id = Id(server);
  std::istringstream nodes(server.Call({"CLUSTER", "NODES"}));
  for (std::string line; std::getline(nodes, line);) {
    if (line.rfind(id, 0) != 0) continue;
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 8; i++) words >> word;
    while (words >> word) {
      if (word[0] == '[') continue;
      const size_t dash = word.find('-');
      const int first = std::stoi(word);
      const int last = dash == std::string::npos ? first : std::stoi(word.substr(dash + 1));
      if (slot >= first && slot <= last) return true;
    }
  }
  return false;
}

RedisServer& RedisCluster::Owner(uint16_t slot) {
  for (auto& server : nodes_)
    if (Holds(*server, slot)) return *server;
  ADD_FAILURE() << "no node has slot " << slot;
  return *nodes_[0];
}

void RedisCluster::BeginMove(uint16_t slot, RedisServer& from, RedisServer& to) {
  const std::string number = std::to_string(slot);
  EXPECT_EQ(to.Call({"CLUSTER", "SETSLOT", number, "IMPORTING", Id(from)}), "OK");
  EXPECT_EQ(from.Call({"CLUSTER", "SETSLOT", number, "MIGRATING", Id(to)}), "OK");
}

size_t RedisCluster::MoveKeys(uint16_t slot, RedisServer& from, RedisServer& to, size_t most) {
  std::istringstream keys(
      from.Call({"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), std::to_string(most)}));
  size_t moved = 0;
  for (std::string key; std::getline(keys, key); moved++)
    EXPECT_EQ(from.Call({"MIGRATE", "127.0.0.1", std::to_string(to.port()), key, "0", "20000"}),
              "OK");
  return moved;
}

// Runs a node's event loop: it sends what it had queued, and reads what had arrived. A
// connection and its command can be in different iterations, so there are two PINGs.
void RedisCluster::Drain(RedisServer& server) {
  for (int i = 0; i < 2 && server.running(); i++) EXPECT_EQ(server.Call({"PING"}), "PONG");
}

void RedisCluster::MoveAllKeys(uint16_t slot, RedisServer& from, RedisServer& to) {
  AwaitSpinning("a slot's keys are moved", [&] { return MoveKeys(slot, from, to, 100) == 0; });
}

// Ends a move without a new epoch for the node that gets the slot. SETSLOT NODE on an importing
// node would create one, and two nodes that take the same epoch resolve that between themselves.
// A slot that one of them gave away at that time would then have no owner. So the slot is given
// away first, and taken once no node has a message left from before.
void RedisCluster::EndMove(uint16_t slot, RedisServer& from, RedisServer& to) {
  const std::string number = std::to_string(slot), id = Id(to);
  EXPECT_EQ(from.Call({"CLUSTER", "SETSLOT", number, "NODE", id}), "OK");
  for (auto& server : nodes_)
    if (server.get() != &from && server.get() != &to && server->running() &&
        server->Info("role") == "master") {
      EXPECT_EQ(server->Call({"CLUSTER", "SETSLOT", number, "NODE", id}), "OK");
    }
  for (auto& server : nodes_)
    if (server.get() != &to) Drain(*server);  // sends what it had queued
  Drain(to);                                  // reads it
  EXPECT_EQ(to.Call({"CLUSTER", "SETSLOT", number, "STABLE"}), "OK");
  EXPECT_EQ(to.Call({"CLUSTER", "SETSLOT", number, "NODE", id}), "OK");
}

void RedisCluster::Move(uint16_t slot, RedisServer& from, RedisServer& to) {
  BeginMove(slot, from, to);
  MoveAllKeys(slot, from, to);
  EndMove(slot, from, to);
}
