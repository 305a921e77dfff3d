// every_redis_call.h - the table of every_call.h for the public functions of redis/, and the
// objects of its rows: on a server that the test starts, which is empty before and after each call.
#pragma once

#include <lfbloom/redis_source.h>

#include <memory>

#include "tests/redis/remotes.h"
#include "tests/support/every_call.h"

namespace every_redis {

constexpr uint64_t kKey = 42;
inline const char* const kName = "seen";

// A follower of a source that has not been queried yet, and the versions it fills.
struct Following {
  lfb_versions* versions = nullptr;
  lfb_follow* follow = nullptr;
  explicit Following(const lfb_source& functions);
  ~Following();
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
};

struct Things {
  lfb_status status = LFB_OK;
  uint64_t answer = 0;
  const char* text = nullptr;
  struct {
    lfb_redis* filter;
    lfb_filter* loaded;
    lfb_redis_publisher* publisher;
    lfb_redis_source* source;
    lfb_stats stats;
    lfb_figures figures;
    lfb_redis_address address;
    lfb_redis_module_value value;
    uint64_t number, answers;
    size_t count;
    bool yes;
  } out;

  RedisServer* const server;  // null: there is none
  std::string folder;         // where no file may be left
  lfb_redis_options options;
  lfb_config config = Config(2000, 0.01, LFB_FAST), wanted = config;
  lfb_read_limits limits{};
  lfb_redis_publication publication = {kSmallParts, 1, {}};
  lfb_redis_source_config source_config{};
  lfb_redis_module_value value{};
  const Filter local;  // with kKey

  // Objects that Row::before made for one call.
  struct {
    lfb_redis* filter = nullptr;
    lfb_redis_source* source = nullptr;
    std::unique_ptr<Following> following;
  } own;

  explicit Things(RedisServer* on);
  ~Things() { lfb_any_free(value.any); }
  Things(const Things&) = delete;
  Things& operator=(const Things&) = delete;
  void Begin();
  void End();
};

using Row = every::RowOf<Things>;
using Rows = std::vector<Row>;

Rows AllRows();
Rows ModuleRows();  // of a server with the module: not in AllRows()

}  // namespace every_redis
