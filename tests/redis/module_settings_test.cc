// module_settings_test.cc - which names the module registers for its settings, by what the server
// offers.  The server is a stand-in: its functions note how they are called.  Names on a real
// server: module_test.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

extern "C" {
#include "redis/module/settings.h"
}

lfb_redis_functions lfb_redis;

// A word; the server's own type is hidden.
struct lfb_redis_string {
  std::string text;
};

namespace {

constexpr unsigned kUnprefixed = 1 << 9;  // of Redis 8.0

// What was registered under a name, and the value that the configuration has for it.
struct Setting {
  unsigned flags = 0;
  std::string fallback;  // its default
  void* own = nullptr;
  lfb_redis_set_string_fn set_text = nullptr;
  lfb_redis_set_number_fn set_number = nullptr;
};

std::map<std::string, Setting> registered;
std::vector<std::string> order;
std::map<std::string, std::string> configuration;

void Register(const char* name, const Setting& setting) {
  EXPECT_EQ(registered.count(name), 0u) << name;
  registered[name] = setting;
  order.push_back(name);
}

// Gives a name a value, as the server does.
int Set(const std::string& name, const std::string& value) {
  const Setting& setting = registered.at(name);
  lfb_redis_string* error = nullptr;
  if (setting.set_number != nullptr)
    return setting.set_number(name.c_str(), std::stoll(value), setting.own, &error);
  lfb_redis_string word{value};
  const int result = setting.set_text(name.c_str(), &word, setting.own, &error);
  EXPECT_EQ(error != nullptr, result != REDIS_OK);
  delete error;
  return result;
}

// A server that may know the flag of Redis 8.0, with a configuration.
class ModuleSettings : public testing::Test {
 protected:
  void SetUp() override {
    lfb_redis = {};
    lfb_redis.StringPtrLen = [](const lfb_redis_string* word, size_t* size) {
      *size = word->text.size();
      return word->text.c_str();
    };
    lfb_redis.CreateString = [](lfb_redis_context*, const char* text, size_t size) {
      return new lfb_redis_string{std::string(text, size)};
    };
    lfb_redis.RegisterStringConfig = [](lfb_redis_context*, const char* name, const char* value,
                                        unsigned flags, lfb_redis_get_string_fn,
                                        lfb_redis_set_string_fn set, void*, void* own) {
      Register(name, {flags, value, own, set, nullptr});
      return int{REDIS_OK};
    };
    lfb_redis.RegisterNumericConfig =
        [](lfb_redis_context*, const char* name, long long value, unsigned flags, long long,
           long long, lfb_redis_get_number_fn, lfb_redis_set_number_fn set, void*, void* own) {
          Register(name, {flags, std::to_string(value), own, nullptr, set});
          return int{REDIS_OK};
        };
    lfb_redis.LoadConfigs = [](lfb_redis_context*) {
      int result = REDIS_OK;
      for (const std::string& name : order)
        result |= Set(
            name, configuration.count(name) != 0 ? configuration[name] : registered[name].fallback);
      return result;
    };
    registered.clear();
    order.clear();
    configuration.clear();
    lfb_module_settings = {LFB_HASH_DEFAULT, 0.01, 100, 2, 0};
  }
};

TEST_F(ModuleSettings, NamesOfRedisBloomAreItsOwnFromRedis8On) {
  lfb_redis.LoadDefaultConfigs = [](lfb_redis_context*) { return int{REDIS_OK}; };
  ASSERT_EQ(lfb_settings_begin(nullptr, nullptr, 0), REDIS_OK);
  for (const char* name : {"bf-error-rate", "bf-initial-size", "bf-expansion-factor"})
    EXPECT_EQ(registered[name].flags, kUnprefixed) << name;
  for (const char* name : {"hash", "error", "capacity", "expansion", "max-bytes"})
    EXPECT_EQ(registered[name].flags & kUnprefixed, 0u) << name;
  EXPECT_EQ(registered.size(), 8u);
}

// A server refuses flags that it does not know.
TEST_F(ModuleSettings, NamesOfRedisBloomFollowTheModulesBefore) {
  ASSERT_EQ(lfb_settings_begin(nullptr, nullptr, 0), REDIS_OK);
  for (const auto& [name, setting] : registered) EXPECT_EQ(setting.flags & kUnprefixed, 0u) << name;
  EXPECT_EQ(registered.size(), 8u);
}

// Whichever name the configuration has, the defaults of the others do not undo it.
TEST_F(ModuleSettings, OneNameOfSeveralIsEnough) {
  const struct {
    const char *name, *value;
    lfb_settings wanted;
  } rows[] = {
      {"hash", "xxh3", {LFB_HASH_XXH3, 0.01, 100, 2, 0}},
      {"error", "0.001", {LFB_HASH_DEFAULT, 0.001, 100, 2, 0}},
      {"bf-error-rate", "0.001", {LFB_HASH_DEFAULT, 0.001, 100, 2, 0}},
      {"bf-error-rate", "0.5", {LFB_HASH_DEFAULT, 0.25, 100, 2, 0}},
      {"capacity", "500", {LFB_HASH_DEFAULT, 0.01, 500, 2, 0}},
      {"bf-initial-size", "500", {LFB_HASH_DEFAULT, 0.01, 500, 2, 0}},
      {"expansion", "4", {LFB_HASH_DEFAULT, 0.01, 100, 4, 0}},
      {"bf-expansion-factor", "0", {LFB_HASH_DEFAULT, 0.01, 100, 0, 0}},
      {"max-bytes", "7", {LFB_HASH_DEFAULT, 0.01, 100, 2, 7}},
  };
  for (const auto& row : rows) {
    SetUp();
    configuration = {{row.name, row.value}};
    ASSERT_EQ(lfb_settings_begin(nullptr, nullptr, 0), REDIS_OK) << row.name;
    const lfb_settings& now = lfb_module_settings;
    EXPECT_EQ(now.hash, row.wanted.hash) << row.name;
    EXPECT_EQ(now.error, row.wanted.error) << row.name;
    EXPECT_EQ(now.capacity, row.wanted.capacity) << row.name;
    EXPECT_EQ(now.expansion, row.wanted.expansion) << row.name;
    EXPECT_EQ(now.max_bytes, row.wanted.max_bytes) << row.name;
  }
}

// Later, CONFIG SET can also set the default.
TEST_F(ModuleSettings, TheDefaultCanBeSetAgain) {
  configuration = {{"error", "0.001"}, {"capacity", "500"}};
  ASSERT_EQ(lfb_settings_begin(nullptr, nullptr, 0), REDIS_OK);
  EXPECT_EQ(Set("bf-error-rate", "0.01"), REDIS_OK);
  EXPECT_EQ(Set("bf-initial-size", "100"), REDIS_OK);
  EXPECT_EQ(lfb_module_settings.error, 0.01);
  EXPECT_EQ(lfb_module_settings.capacity, 100);
  EXPECT_EQ(Set("bf-error-rate", "1"), REDIS_ERROR);
  EXPECT_EQ(Set("bf-error-rate", "0"), REDIS_ERROR);
  EXPECT_EQ(lfb_module_settings.error, 0.01);
}

}  // namespace
