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

inline bool Failed(const std::string& reply) {
  return reply.rfind("ERR", 0) == 0 || reply.rfind("WRONGTYPE", 0) == 0 ||
         reply.rfind("OOM", 0) == 0 || reply.rfind("Bad data", 0) == 0;
}

// Adds KEY-0, KEY-1, .. to a key, 100 at a time; returns how many were new.
inline int AddNumbers(const RedisServer& server, const std::string& key, int from, int to) {
  int fresh = 0;
  for (int at = from; at < to; at += 100) {
    Words words = {"BF.MADD", key};
    for (int i = at; i < at + 100 && i < to; i++) words.push_back(key + "-" + std::to_string(i));
    const std::string reply = server.Call(words);
    for (size_t i = 0; i < reply.size(); i += 2) fresh += reply[i] == '1';
  }
  return fresh;
}

// Counts those of KEY-from to KEY-to that are found.
inline int CountNumbers(const RedisServer& server, const std::string& key, int from, int to) {
  int found = 0;
  for (int at = from; at < to; at += 100) {
    Words words = {"BF.MEXISTS", key};
    for (int i = at; i < at + 100 && i < to; i++) words.push_back(key + "-" + std::to_string(i));
    const std::string reply = server.Call(words);
    for (size_t i = 0; i < reply.size(); i += 2) found += reply[i] == '1';
  }
  return found;
}

// The digest of a value: of all its bits, its hash and its counts.
inline std::string Digest(const RedisServer& server, const std::string& key) {
  return server.Call({"DEBUG", "DIGEST-VALUE", key});
}

// Keys of each kind that a server can hold, some empty.
inline void Fill(const RedisServer& server) {
  EXPECT_EQ(server.Call({"BF.RESERVE", "plain", "0.01", "3000", "NONSCALING"}), "OK");
  AddNumbers(server, "plain", 0, 1000);
  AddNumbers(server, "grown", 0, 2000);
  EXPECT_EQ(server.Call({"BF.RESERVE", "steady", "0.001", "50", "EXPANSION", "1"}), "OK");
  AddNumbers(server, "steady", 0, 1000);
  EXPECT_EQ(server.Call({"BF.RESERVE", "empty", "0.001", "100000"}), "OK");
  EXPECT_EQ(server.Call({"BF.WINDOW.RESERVE", "window", "0.01", "1000"}), "OK");
  AddNumbers(server, "window", 0, 3000);
}
