// module.h - Redis servers that have loaded the module, for the tests of redis/module.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/redis/server.h"
#include "tests/support/await.h"

using Words = std::vector<std::string>;

// The configuration of a server with the module, and with more words for its command line.
inline RedisConfig WithModule(const Words& more = {}, const Words& arguments = {}) {
  RedisConfig config;
  // The server changes its directory before it loads the module.
  config.more = {"--loadmodule", std::filesystem::absolute("redis/module/lfbloom_redis.so")};
  config.more.insert(config.more.end(), arguments.begin(), arguments.end());
  config.more.insert(config.more.end(), more.begin(), more.end());
  return config;
}

// The same; acknowledged writes survive SIGKILL.
inline RedisConfig DurableModule(const Words& more = {}) {
  RedisConfig config = WithModule(more);
  config.durable = true;
  return config;
}

inline bool Failed(const std::string& reply) {
  return reply.rfind("ERR", 0) == 0 || reply.rfind("WRONGTYPE", 0) == 0 ||
         reply.rfind("OOM", 0) == 0 || reply.rfind("Bad data", 0) == 0;
}

struct Exchange {
  Words words;
  std::string reply;
};

inline void Check(const RedisServer& server, const std::vector<Exchange>& exchanges) {
  for (const Exchange& exchange : exchanges) {
    std::string text;
    for (const std::string& word : exchange.words) text += word + " ";
    EXPECT_EQ(server.Call(exchange.words), exchange.reply) << text;
  }
}

// Sends a command with KEY-from to KEY-to, 100 at a time; returns how many answers are 1.
inline int SendNumbers(const RedisServer& server, const std::string& command,
                       const std::string& key, int from, int to) {
  int yes = 0;
  for (int at = from; at < to; at += 100) {
    Words words = {command, key};
    for (int i = at; i < at + 100 && i < to; i++) words.push_back(key + "-" + std::to_string(i));
    const std::string reply = server.Call(words);
    for (size_t i = 0; i < reply.size(); i += 2) yes += reply[i] == '1';
  }
  return yes;
}

// How many were new, and how many are found.
inline int AddNumbers(const RedisServer& server, const std::string& key, int from, int to) {
  return SendNumbers(server, "BF.MADD", key, from, to);
}
inline int CountNumbers(const RedisServer& server, const std::string& key, int from, int to) {
  return SendNumbers(server, "BF.MEXISTS", key, from, to);
}

// Makes a server the replica of another one, and waits until it has what that had.  It does not
// answer while it builds a large value.
inline void Follow(const RedisServer& replica, const RedisServer& master) {
  ASSERT_EQ(replica.Call({"REPLICAOF", "127.0.0.1", std::to_string(master.port())}), "OK");
  Await("the replica is connected", [&] {
    std::string info;
    return replica.TryCall({"INFO", "replication"}, &info) &&
           info.find("master_link_status:up") != std::string::npos;
  });
}

inline void RewriteAof(const RedisServer& server) {
  ASSERT_FALSE(Failed(server.Call({"BGREWRITEAOF"})));
  Await("the AOF is rewritten", [&] {
    return server.Info("aof_rewrite_in_progress") == "0" &&
           server.Info("aof_rewrite_scheduled") == "0";
  });
  ASSERT_EQ(server.Info("aof_last_bgrewrite_status"), "ok");
}

struct Chunk {
  std::string cursor, bytes;
};

// One reply of BF.SCANDUMP.
inline Chunk Scan(const RedisServer& server, const std::string& key, const std::string& cursor) {
  const std::string reply = server.Call({"BF.SCANDUMP", key, cursor});
  const size_t end = reply.find('\n');
  EXPECT_NE(end, std::string::npos) << reply;
  return {reply.substr(0, end), reply.substr(end + 1, reply.size() - end - 2)};
}

// All chunks of a value: the head, those of the body, the end.
inline std::vector<Chunk> ScanAll(const RedisServer& server, const std::string& key) {
  std::vector<Chunk> chunks;
  for (std::string cursor = "0";;) {
    const Chunk chunk = Scan(server, key, cursor);
    if (chunk.cursor == "0") return chunks;
    chunks.push_back(chunk);
    cursor = chunk.cursor;
    if (testing::Test::HasFailure()) return chunks;
  }
}

inline std::string Load(const RedisServer& server, const std::string& key, const Chunk& chunk) {
  return server.Call({"BF.LOADCHUNK", key, chunk.cursor, chunk.bytes});
}

// Loads chunks until one is refused; returns the last reply.
inline std::string LoadAll(const RedisServer& server, const std::string& key,
                           const std::vector<Chunk>& chunks) {
  std::string reply;
  for (const Chunk& chunk : chunks) {
    reply = Load(server, key, chunk);
    if (reply != "OK") return reply;
  }
  return reply;
}

// The digest of a value: of all its bits, its hash and its counts.
inline std::string Digest(const RedisServer& server, const std::string& key) {
  return server.Call({"DEBUG", "DIGEST-VALUE", key});
}

// Keys of each kind that a server can hold, some empty.
const Words kKinds = {"plain", "grown", "steady", "empty", "window", "removable"};
inline void Fill(const RedisServer& server) {
  EXPECT_EQ(server.Call({"BF.RESERVE", "plain", "0.01", "3000", "NONSCALING"}), "OK");
  AddNumbers(server, "plain", 0, 1000);
  AddNumbers(server, "grown", 0, 2000);
  EXPECT_EQ(server.Call({"BF.RESERVE", "steady", "0.001", "50", "EXPANSION", "1"}), "OK");
  AddNumbers(server, "steady", 0, 1000);
  EXPECT_EQ(server.Call({"BF.RESERVE", "empty", "0.001", "100000"}), "OK");
  EXPECT_EQ(server.Call({"BF.WINDOW.RESERVE", "window", "0.01", "1000"}), "OK");
  AddNumbers(server, "window", 0, 3000);
  EXPECT_EQ(server.Call({"BF.RESERVE", "removable", "0.001", "2000", "REMOVABLE"}), "OK");
  EXPECT_EQ(AddNumbers(server, "removable", 0, 1800), 1800);
  EXPECT_EQ(SendNumbers(server, "BF.DEL", "removable", 1000, 1800), 800);
}
