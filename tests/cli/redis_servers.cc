// redis_servers.cc - starts Redis servers for tests that are shell scripts.
//
//   redis_servers WHAT...
//
// WHAT is "server", "server:PASSWORD", "module" (a server with the module) or "cluster" (of three
// masters).  Prints the port of each on one line.  The servers run until standard input ends.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/redis/module.h"

int main(int argc, char** argv) {
  std::vector<std::unique_ptr<RedisServer>> servers;
  std::vector<std::unique_ptr<RedisCluster>> clusters;

  for (int i = 1; i < argc; i++) {
    const std::string what = argv[i];
    RedisConfig config;
    if (what == "cluster") {
      clusters.push_back(std::make_unique<RedisCluster>());
      std::printf("%d\n", clusters.back()->node(0).port());
      continue;
    }
    if (what.rfind("server:", 0) == 0)
      config.password = what.substr(std::strlen("server:"));
    else if (what == "module")
      config = WithModule();
    else if (what != "server")
      return 2;
    servers.push_back(std::make_unique<RedisServer>(config));
    std::printf("%d\n", servers.back()->port());
  }
  std::fflush(stdout);
  while (std::getchar() != EOF) continue;
  return 0;
}
