// The reserved words of the structs that a caller fills for Redis: one that is not 0 is refused
// before anything is sent.  Nothing listens at the address.
#include <gtest/gtest.h>
#include <lfbloom/redis_source.h>
#include <lfbloom/replica.h>

#include <functional>
#include <memory>

namespace {

lfb_redis_options Nowhere() {
  lfb_redis_options options = {};
  options.port = 1;
  options.retries = UINT32_MAX;
  return options;
}

lfb_config Plain() {
  lfb_config config = {};
  config.fpp = 0.01;
  return config;
}

// Expects the status `plain` for the struct as it is, and a refusal with any reserved word set.
template <typename Struct>
void ExpectRefused(Struct given, lfb_status plain,
                   const std::function<lfb_status(const Struct&)>& call) {
  EXPECT_EQ(call(given), plain);
  for (uint64_t& word : given.reserved) {
    word = 1;
    EXPECT_EQ(call(given), LFB_ERROR_RESERVED) << "word " << &word - given.reserved;
    word = 0;
  }
}

lfb_status Open(const lfb_redis_options& options, const lfb_config* wanted) {
  lfb_redis* filter = nullptr;
  const lfb_status status = lfb_redis_open(&options, "seen", wanted, &filter);
  EXPECT_EQ(filter, nullptr);
  return status;
}

TEST(RedisReserved, Options) {
  const lfb_redis_options nowhere = Nowhere();
  ExpectRefused<lfb_redis_options>(
      nowhere, LFB_ERROR_REDIS_CONNECT,
      [](const lfb_redis_options& options) { return Open(options, nullptr); });
  ExpectRefused<lfb_redis_options>(nowhere, LFB_OK, [](const lfb_redis_options& options) {
    lfb_redis_source* source = nullptr;
    const lfb_status status = lfb_redis_source_create(&options, "seen", nullptr, &source);
    EXPECT_EQ(source != nullptr, status == LFB_OK);
    lfb_redis_source_free(source);
    return status;
  });
}

TEST(RedisReserved, KeysOfTheModule) {
  lfb_redis_module_value value = {};
  lfb_config config = Plain();
  config.strategy = LFB_FAST;
  config.expected_insertions = 10;
  ASSERT_EQ(lfb_filter_create(&config, &value.filter), LFB_OK);
  ExpectRefused<lfb_redis_module_value>(
      value, LFB_ERROR_REDIS_CONNECT, [](const lfb_redis_module_value& given) {
        const lfb_redis_options nowhere = Nowhere();
        return lfb_redis_module_save(&nowhere, "seen", &given);
      });
  ExpectRefused<lfb_read_limits>({}, LFB_ERROR_REDIS_CONNECT, [](const lfb_read_limits& limits) {
    const lfb_redis_options nowhere = Nowhere();
    lfb_redis_module_value loaded = {};
    return lfb_redis_module_load(&nowhere, "seen", &limits, &loaded);
  });
  ExpectRefused<lfb_read_limits>({}, LFB_OK, [](const lfb_read_limits& limits) {
    lfb_redis_module_source* source = nullptr;
    const lfb_redis_options nowhere = Nowhere();
    const lfb_status status = lfb_redis_module_source_create(&nowhere, "seen", &limits, &source);
    lfb_redis_module_source_free(source);
    return status;
  });
  lfb_filter_free(value.filter);
}

TEST(RedisReserved, Configurations) {
  ExpectRefused<lfb_config>(
      Plain(), LFB_ERROR_REDIS_CONNECT,
      [](const lfb_config& config) { return Open(Nowhere(), &config); });
  ExpectRefused<lfb_config>(Plain(), LFB_ERROR_REDIS_CONNECT, [](const lfb_config& config) {
    lfb_redis* filter = nullptr;
    const lfb_redis_options options = Nowhere();
    return lfb_redis_create(&options, "seen", &config, 0, &filter);
  });
  ExpectRefused<lfb_replica_config>(
      {}, LFB_ERROR_REDIS_CONNECT, [](const lfb_replica_config& config) {
        lfb_replica* replica = nullptr;
        const lfb_redis_options options = Nowhere();
        return lfb_replica_open(&options, "seen", &config, &replica);
      });
  ExpectRefused<lfb_redis_source_config>({}, LFB_OK, [](const lfb_redis_source_config& config) {
    lfb_redis_source* source = nullptr;
    const lfb_redis_options options = Nowhere();
    const lfb_status status = lfb_redis_source_create(&options, "seen", &config, &source);
    lfb_redis_source_free(source);
    return status;
  });
}

TEST(RedisReserved, Publications) {
  const lfb_config config = Plain();
  lfb_filter* made = nullptr;
  ASSERT_EQ(lfb_filter_create(&config, &made), LFB_OK);
  const std::unique_ptr<lfb_filter, decltype(&lfb_filter_free)> filter(made, lfb_filter_free);
  const auto publish = [&](const lfb_redis_publication& publication) {
    const lfb_redis_options options = Nowhere();
    return lfb_redis_publish(&options, "seen", filter.get(), &publication, nullptr);
  };
  ExpectRefused<lfb_redis_publication>({}, LFB_ERROR_REDIS_CONNECT, publish);
}

}  // namespace
