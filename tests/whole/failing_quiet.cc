// failing_quiet.cc - rows of functions that make no system calls, and of growing without memory.
#include <lfbloom/fast.h>
#include <lfbloom/putter.h>

#include "tests/whole/failing_rows.h"

namespace failing {

namespace {

// ---- functions without system calls -------------------------------------------------

constexpr uint64_t kCount = 3;
const uint64_t kNumbers[kCount] = {kKey, 1, 2};
const lfb_key kBytes[kCount] = {{"key", 3}, {"another", 7}, {"", 0}};

void FunnelKey(const void* object, lfb_sink* sink) {
  const uint16_t unit = 'x';
  const lfb_utf16 text = {&unit, 1};
  lfb_funnel_bytes(&kBytes[0], sink);
  lfb_sink_put_bytes(sink, object, 1);
  lfb_sink_put_i32(sink, 1);
  lfb_sink_put_i64(sink, 2);
  lfb_sink_put_utf16(sink, &unit, 1);
  lfb_sink_put_utf16_as_utf8(sink, &unit, 1);
  const int32_t small = 1;
  const int64_t big = 2;
  lfb_funnel_i32(&small, sink);
  lfb_funnel_i64(&big, sink);
  lfb_funnel_utf16(&text, sink);
  lfb_funnel_utf16_as_utf8(&text, sink);
  const lfb_sequence one = {&small, 1, sizeof small, lfb_funnel_i32};
  lfb_funnel_sequence(&one, sink);
}

void Ignore(void*, const void*, size_t) {}

lfb_status FilterCalls(lfb_filter* filter, const lfb_filter* other, const std::string& delta) {
  uint64_t answers = 0;
  lfb_stats stats;
  const void* object = "x";
  lfb_filter_put(filter, "key", 3);
  lfb_filter_put_u64(filter, kKey);
  lfb_filter_put_hash(filter, kKey);
  lfb_filter_put_hash128(filter, kKey, kKey);
  EXPECT_TRUE(lfb_filter_might_contain_hash128(filter, kKey, kKey));
  EXPECT_EQ(lfb_filter_words(filter, 0, &answers, 1), 1u);
  lfb_filter_put_object(filter, FunnelKey, object);
  lfb_object_bytes(FunnelKey, object, Ignore, nullptr);
  lfb_filter_claim(filter, "new", 3);
  lfb_filter_claim_u64(filter, kKey + 1);
  lfb_filter_claim_hash(filter, kKey + 1);
  lfb_filter_claim_object(filter, FunnelKey, "y");
  lfb_filter_put_many(filter, kBytes, kCount, &answers);
  lfb_filter_put_many_u64(filter, kNumbers, kCount, &answers);
  lfb_filter_put_many_hash(filter, kNumbers, kCount, &answers);
  lfb_filter_claim_many(filter, kBytes, kCount, &answers);
  lfb_filter_claim_many_u64(filter, kNumbers, kCount, &answers);
  lfb_filter_claim_many_hash(filter, kNumbers, kCount, &answers);
  EXPECT_TRUE(lfb_filter_might_contain(filter, "key", 3));
  EXPECT_TRUE(lfb_filter_might_contain_u64(filter, kKey));
  EXPECT_TRUE(lfb_filter_might_contain_hash(filter, kKey));
  EXPECT_TRUE(lfb_filter_might_contain_object(filter, FunnelKey, object));
  EXPECT_EQ(lfb_filter_might_contain_many(filter, kBytes, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_filter_might_contain_many_u64(filter, kNumbers, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_filter_might_contain_many_hash(filter, kNumbers, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_filter_set_label(filter, "label"), LFB_OK);
  EXPECT_STREQ(lfb_filter_label(filter), "label");
  lfb_config config = Config(kFew, 0.01, LFB_FAST);
  EXPECT_EQ(lfb_config_take_hash(&config, filter), LFB_OK);
  lfb_filter_stats(filter, &stats);
  lfb_filter_stats_recent(filter, &stats);
  lfb_fast fast;
  EXPECT_EQ(lfb_fast_of(filter, &fast), LFB_OK);
  lfb_comparison comparison;
  EXPECT_EQ(lfb_filter_compare(filter, other, &comparison), LFB_OK);
  EXPECT_EQ(lfb_delta_apply(filter, "no delta", 8, nullptr), LFB_ERROR_NOT_DELTA);
  EXPECT_EQ(lfb_delta_apply(filter, delta.data(), delta.size(), nullptr), LFB_OK);
  return lfb_filter_put_all(filter, other);
}

lfb_status CountingCalls(lfb_counting* counting, const lfb_counting* other) {
  uint64_t answers = 0;
  lfb_stats stats;
  const void* object = "x";
  lfb_counting_put(counting, "key", 3);
  lfb_counting_put_u64(counting, kKey);
  lfb_counting_put_hash(counting, kKey);
  lfb_counting_put_object(counting, FunnelKey, object);
  lfb_counting_put_many(counting, kBytes, kCount, &answers);
  lfb_counting_put_many_u64(counting, kNumbers, kCount, &answers);
  lfb_counting_put_many_hash(counting, kNumbers, kCount, &answers);
  EXPECT_TRUE(lfb_counting_might_contain(counting, "key", 3));
  EXPECT_TRUE(lfb_counting_might_contain_u64(counting, kKey));
  EXPECT_TRUE(lfb_counting_might_contain_hash(counting, kKey));
  EXPECT_TRUE(lfb_counting_might_contain_object(counting, FunnelKey, object));
  EXPECT_EQ(lfb_counting_might_contain_many(counting, kBytes, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_counting_might_contain_many_u64(counting, kNumbers, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_counting_might_contain_many_hash(counting, kNumbers, kCount, nullptr), kCount);
  EXPECT_TRUE(lfb_counting_remove(counting, "key", 3));
  EXPECT_TRUE(lfb_counting_remove_u64(counting, kKey));
  EXPECT_TRUE(lfb_counting_remove_hash(counting, kKey));
  EXPECT_TRUE(lfb_counting_remove_object(counting, FunnelKey, object));
  EXPECT_EQ(lfb_counting_remove_many(counting, kBytes, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_counting_remove_many_u64(counting, kNumbers, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_counting_remove_many_hash(counting, kNumbers, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_counting_set_label(counting, "label"), LFB_OK);
  EXPECT_STREQ(lfb_counting_label(counting), "label");
  lfb_counting_stats(counting, &stats);
  return lfb_counting_put_all(counting, other);
}

lfb_status WindowCalls(lfb_window* window) {
  uint64_t answers = 0;
  lfb_window_figures figures;
  lfb_window_put(window, "key", 3);
  lfb_window_put_u64(window, kKey);
  lfb_window_put_hash(window, kKey);
  lfb_window_claim(window, "new", 3);
  lfb_window_claim_u64(window, kKey);
  lfb_window_claim_hash(window, kKey);
  lfb_window_put_many(window, kBytes, kCount, &answers);
  lfb_window_put_many_u64(window, kNumbers, kCount, &answers);
  lfb_window_put_many_hash(window, kNumbers, kCount, &answers);
  lfb_window_claim_many(window, kBytes, kCount, &answers);
  lfb_window_claim_many_u64(window, kNumbers, kCount, &answers);
  lfb_window_claim_many_hash(window, kNumbers, kCount, &answers);
  EXPECT_TRUE(lfb_window_might_contain(window, "key", 3));
  EXPECT_TRUE(lfb_window_might_contain_u64(window, kKey));
  EXPECT_TRUE(lfb_window_might_contain_hash(window, kKey));
  EXPECT_EQ(lfb_window_might_contain_many(window, kBytes, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_window_might_contain_many_u64(window, kNumbers, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_window_might_contain_many_hash(window, kNumbers, kCount, nullptr), kCount);
  lfb_window_stats(window, &figures);
  lfb_window_stop_clock(window);
  return lfb_window_generation(window) == figures.generation ? LFB_OK : LFB_ERROR_WRONG_GENERATION;
}

lfb_status VersionsCalls(lfb_versions* versions) {
  uint64_t answers = 0;
  const void* object = "x";
  lfb_versions_put(versions, "key", 3);
  lfb_versions_put_u64(versions, kKey);
  lfb_versions_put_hash(versions, kKey);
  lfb_versions_put_object(versions, FunnelKey, object);
  lfb_versions_put_many(versions, kBytes, kCount, &answers);
  lfb_versions_put_many_u64(versions, kNumbers, kCount, &answers);
  lfb_versions_put_many_hash(versions, kNumbers, kCount, &answers);
  EXPECT_NE(lfb_versions_enter(versions, nullptr), nullptr);
  EXPECT_TRUE(lfb_versions_might_contain(versions, "key", 3));
  EXPECT_TRUE(lfb_versions_might_contain_u64(versions, kKey));
  EXPECT_TRUE(lfb_versions_might_contain_hash(versions, kKey));
  EXPECT_TRUE(lfb_versions_might_contain_object(versions, FunnelKey, object));
  EXPECT_EQ(lfb_versions_might_contain_many(versions, kBytes, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_versions_might_contain_many_u64(versions, kNumbers, kCount, nullptr), kCount);
  EXPECT_EQ(lfb_versions_might_contain_many_hash(versions, kNumbers, kCount, nullptr), kCount);
  lfb_versions_leave(versions);
  EXPECT_EQ(lfb_versions_apply_delta(versions, "no delta", 8), LFB_ERROR_NOT_DELTA);
  EXPECT_EQ(lfb_versions_number(versions), 1u);
  EXPECT_EQ(lfb_versions_reclaim(versions), 0u);
  return LFB_OK;
}

lfb_status PlainCalls() {
  const lfb_config config = Config(kFew, 0.01, LFB_FAST);
  lfb_strategy_id strategy;
  lfb_hash_id hash;
  lfb_form form;
  lfb_stats stats;
  double fpp = 0;
  EXPECT_EQ(lfb_label_check("label"), LFB_OK);
  EXPECT_EQ(lfb_config_plan(&config, &stats), LFB_OK);
  EXPECT_EQ(lfb_config_fpp_after(&config, 1, &fpp), LFB_OK);
  EXPECT_EQ(lfb_strategy_from_name(lfb_strategy_name(LFB_FAST), &strategy), LFB_OK);
  EXPECT_EQ(lfb_hash_from_name(lfb_hash_name(LFB_HASH_AES), &hash), LFB_OK);
  EXPECT_EQ(lfb_form_from_name(lfb_form_name(LFB_FORM_NATIVE), &form), LFB_OK);
  EXPECT_TRUE(lfb_form_holds(form, strategy));
  EXPECT_STREQ(lfb_status_text(LFB_OK), "success");
  lfb_ignore(lfb_label_check("label"));
  EXPECT_EQ(lfb_version_text()[0], '0' + static_cast<int>(lfb_version() / 1000000));
  return LFB_OK;
}

lfb_status WatchCalls(lfb_watch* watch) {
  lfb_watch_figures figures;
  lfb_watch_report_answers(watch, 1, 1);
  lfb_watch_report_false_positive(watch);
  lfb_watch_look(watch, &figures);
  lfb_watch_rearm(watch, lfb_watch_poll(watch) | lfb_watch_crossed(watch));
  return LFB_OK;
}

lfb_status BuilderCalls(lfb_builder* builder) {
  lfb_builder_put_many(builder, 0, kBytes, kCount);
  lfb_builder_put_many_u64(builder, 1, kNumbers, kCount);
  lfb_builder_put_many_hash(builder, 1, kNumbers, kCount);
  return LFB_OK;
}

lfb_status PutterCalls(lfb_filter* filter) {
  lfb_putter putter;
  lfb_putter_init(&putter, filter);
  for (uint64_t i = 0; i < LFB_PUTTER_KEYS; i++) {
    lfb_putter_put_soon(&putter, &i, sizeof i);
    lfb_putter_put_soon_u64(&putter, i);
    lfb_putter_put_soon_hash(&putter, i << 32);
    lfb_putter_put_soon_object(&putter, FunnelKey, "x");
  }
  lfb_putter_flush(&putter);
  EXPECT_TRUE(lfb_filter_might_contain_hash(filter, (LFB_PUTTER_KEYS - 1ull) << 32));
  return LFB_OK;
}

lfb_status FollowCalls(lfb_follow* follow) {
  lfb_follow_figures figures;
  lfb_follow_wake(follow);
  lfb_follow_figures_now(follow, &figures);
  lfb_follow_stop(follow);
  return LFB_OK;
}

}  // namespace

void AddQuiet(Rows* rows) {
  const auto quiet = [rows](const char* names, const std::function<Act()>& prepare) {
    rows->push_back({names, kQuiet, [=](const std::string&) { return prepare(); }});
  };
  quiet("lfb_label_check lfb_config_plan lfb_config_fpp_after lfb_strategy_name "
        "lfb_strategy_from_name lfb_hash_name lfb_hash_from_name lfb_form_name lfb_form_from_name "
        "lfb_form_holds lfb_status_text lfb_ignore lfb_version lfb_version_text",
        [] { return PlainCalls; });
  quiet("lfb_filter_put lfb_filter_put_u64 lfb_filter_put_hash lfb_filter_put_object "
        "lfb_filter_put_hash128 lfb_filter_might_contain_hash128 lfb_filter_words "
        "lfb_filter_claim lfb_filter_claim_u64 lfb_filter_claim_hash lfb_filter_claim_object "
        "lfb_filter_put_many lfb_filter_put_many_u64 lfb_filter_put_many_hash "
        "lfb_filter_claim_many lfb_filter_claim_many_u64 lfb_filter_claim_many_hash "
        "lfb_filter_might_contain lfb_filter_might_contain_u64 lfb_filter_might_contain_hash "
        "lfb_filter_might_contain_object lfb_filter_might_contain_many "
        "lfb_filter_might_contain_many_u64 lfb_filter_might_contain_many_hash "
        "lfb_filter_set_label lfb_filter_label lfb_filter_stats lfb_filter_stats_recent "
        "lfb_config_take_hash "
        "lfb_filter_put_all lfb_filter_compare lfb_fast_of lfb_delta_apply "
        "lfb_sink_put_bytes lfb_sink_put_i32 lfb_sink_put_i64 lfb_sink_put_utf16 "
        "lfb_sink_put_utf16_as_utf8 lfb_funnel_bytes lfb_funnel_i32 lfb_funnel_i64 "
        "lfb_funnel_utf16 lfb_funnel_utf16_as_utf8 lfb_funnel_sequence "
        "lfb_object_bytes",
        [] {
          const lfb_config config = Config(kFew, 0.01, LFB_FAST);
          const SharedFilter filter = WithKey(config), other = WithKey(config);
          const SharedFilter empty(Make(config));
          std::string delta;
          EXPECT_EQ(lfb_delta_write(empty.get(), other.get(), AppendTo, &delta), LFB_OK);
          return [=] { return FilterCalls(filter.get(), other.get(), delta); };
        });
  quiet("lfb_counting_put lfb_counting_put_u64 lfb_counting_put_hash lfb_counting_put_object "
        "lfb_counting_put_many lfb_counting_put_many_u64 lfb_counting_put_many_hash "
        "lfb_counting_might_contain lfb_counting_might_contain_u64 "
        "lfb_counting_might_contain_hash lfb_counting_might_contain_object "
        "lfb_counting_might_contain_many lfb_counting_might_contain_many_u64 "
        "lfb_counting_might_contain_many_hash lfb_counting_remove lfb_counting_remove_u64 "
        "lfb_counting_remove_hash lfb_counting_remove_object lfb_counting_remove_many "
        "lfb_counting_remove_many_u64 lfb_counting_remove_many_hash lfb_counting_set_label "
        "lfb_counting_label lfb_counting_stats lfb_counting_put_all",
        [] {
          const SharedCounting counting = CountedWithKey(kFew), other = CountedWithKey(kFew);
          return [=] { return CountingCalls(counting.get(), other.get()); };
        });
  quiet("lfb_window_put lfb_window_put_u64 lfb_window_put_hash lfb_window_claim "
        "lfb_window_claim_u64 lfb_window_claim_hash lfb_window_put_many lfb_window_put_many_u64 "
        "lfb_window_put_many_hash lfb_window_claim_many lfb_window_claim_many_u64 "
        "lfb_window_claim_many_hash lfb_window_might_contain lfb_window_might_contain_u64 "
        "lfb_window_might_contain_hash lfb_window_might_contain_many "
        "lfb_window_might_contain_many_u64 lfb_window_might_contain_many_hash lfb_window_stats "
        "lfb_window_stop_clock lfb_window_generation",
        [] {
          const SharedWindow window(MakeWindow(WindowConfig(kFew, 0.01)));
          return [=] { return WindowCalls(window.get()); };
        });
  quiet("lfb_versions_put lfb_versions_put_u64 lfb_versions_put_hash lfb_versions_put_object "
        "lfb_versions_put_many lfb_versions_put_many_u64 lfb_versions_put_many_hash "
        "lfb_versions_might_contain lfb_versions_might_contain_u64 "
        "lfb_versions_might_contain_hash lfb_versions_might_contain_object "
        "lfb_versions_might_contain_many lfb_versions_might_contain_many_u64 "
        "lfb_versions_might_contain_many_hash lfb_versions_enter lfb_versions_leave "
        "lfb_versions_number lfb_versions_reclaim lfb_versions_apply_delta",
        [] {
          const SharedVersions versions = Versions();
          return [=] { return VersionsCalls(versions.get()); };
        });
  quiet("lfb_watch_report_answers lfb_watch_report_false_positive lfb_watch_look lfb_watch_rearm "
        "lfb_watch_poll lfb_watch_crossed",
        [] {
          const SharedFilter filter = WithKey(Seedless(kFew));
          const lfb_watch_config config{};
          lfb_watch* made = nullptr;
          EXPECT_EQ(lfb_watch_create(filter.get(), &config, &made), LFB_OK);
          const std::shared_ptr<lfb_watch> watch(made,
                                                 [filter](lfb_watch* it) { lfb_watch_free(it); });
          return [=] { return WatchCalls(watch.get()); };
        });
  quiet("lfb_builder_put_many lfb_builder_put_many_u64 lfb_builder_put_many_hash", [] {
    const lfb_config config = Seedless(kFew);
    lfb_builder* made = nullptr;
    EXPECT_EQ(lfb_builder_create(&config, 2, &made), LFB_OK);
    const std::shared_ptr<lfb_builder> builder(made, lfb_builder_free);
    return [=] { return BuilderCalls(builder.get()); };
  });
  quiet("lfb_putter_init lfb_putter_put_soon lfb_putter_put_soon_u64 lfb_putter_put_soon_hash "
        "lfb_putter_put_soon_object lfb_putter_flush",
        [] {
          const SharedFilter filter = WithKey(Config(kFew, 0.01, LFB_FAST));
          return [=] { return PutterCalls(filter.get()); };
        });
  quiet("lfb_follow_wake lfb_follow_figures_now lfb_follow_stop", [] {
    const auto keys = Keys::Followed(1);
    return [keys] { return FollowCalls(keys->follow.get()); };
  });
}

namespace {

// ---- growing without memory ---------------------------------------------------------

// Each way to put; keys that are new each time.
void GrowBy(lfb_growing* growing, uint64_t first) {
  const uint64_t key = first;
  const lfb_key bytes = {&key, sizeof key};
  lfb_growing_put(growing, &key, sizeof key);
  lfb_growing_put_u64(growing, first);
  lfb_growing_put_hash(growing, first << 32);
  lfb_growing_put_object(growing, lfb_funnel_i64, &key);
  lfb_growing_claim(growing, &first, 3);
  lfb_growing_claim_u64(growing, first + 1);
  lfb_growing_claim_hash(growing, (first + 1) << 32);
  lfb_growing_claim_object(growing, lfb_funnel_i64, &key);
  lfb_growing_put_many(growing, &bytes, 1, nullptr);
  lfb_growing_put_many_u64(growing, &key, 1, nullptr);
  lfb_growing_put_many_hash(growing, &key, 1, nullptr);
  lfb_growing_claim_many(growing, &bytes, 1, nullptr);
  lfb_growing_claim_many_u64(growing, &key, 1, nullptr);
  lfb_growing_claim_many_hash(growing, &key, 1, nullptr);
}

uint64_t Lost(lfb_growing* growing, uint64_t key) {
  const lfb_key bytes = {&key, sizeof key};
  return !lfb_growing_might_contain(growing, &key, sizeof key) +
         !lfb_growing_might_contain_u64(growing, key) +
         !lfb_growing_might_contain_hash(growing, key) +
         !lfb_growing_might_contain_object(growing, lfb_funnel_i64, &key) +
         !lfb_growing_might_contain_many(growing, &bytes, 1, nullptr) +
         !lfb_growing_might_contain_many_u64(growing, &key, 1, nullptr) +
         !lfb_growing_might_contain_many_hash(growing, &key, 1, nullptr);
}

// Puts until there are three layers, or would be. No key is lost, and the next put finds memory
// again.
lfb_status Grow(lfb_growing* growing) {
  for (uint64_t i = 0; i < 2 * kFew; i += 2) GrowBy(growing, i);
  const Spared now;
  uint64_t lost = 0;
  for (uint64_t i = 0; i < 2 * kFew; i += 2) lost += Lost(growing, i);
  EXPECT_EQ(lost, 0u);
  for (uint64_t i = 2 * kFew; i < 4 * kFew; i += 2) GrowBy(growing, i);
  lfb_growing_figures figures;
  lfb_growing_stats(growing, &figures);
  EXPECT_EQ(figures.stuck, LFB_OK);
  lfb_growing_stats_recent(growing, &figures);
  EXPECT_EQ(figures.stuck, LFB_OK);
  EXPECT_EQ(lfb_growing_set_label(growing, "label"), LFB_OK);
  EXPECT_STREQ(lfb_growing_label(growing), "label");
  lfb_growing_free(growing);
  return LFB_OK;
}

}  // namespace

void AddGrowth(Rows* rows) {
  const char* const names =
      "lfb_growing_put lfb_growing_put_u64 lfb_growing_put_hash lfb_growing_put_object "
      "lfb_growing_claim lfb_growing_claim_u64 lfb_growing_claim_hash lfb_growing_claim_object "
      "lfb_growing_put_many lfb_growing_put_many_u64 lfb_growing_put_many_hash "
      "lfb_growing_claim_many lfb_growing_claim_many_u64 lfb_growing_claim_many_hash "
      "lfb_growing_might_contain lfb_growing_might_contain_u64 lfb_growing_might_contain_hash "
      "lfb_growing_might_contain_object lfb_growing_might_contain_many "
      "lfb_growing_might_contain_many_u64 lfb_growing_might_contain_many_hash "
      "lfb_growing_stats lfb_growing_stats_recent lfb_growing_set_label lfb_growing_label";
  rows->push_back({names, 0, [](const std::string&) {
                     return [] {
                       lfb_growing* growing = nullptr;
                       {
                         const Spared now;
                         const lfb_config config = Seedless(kFew);
                         EXPECT_EQ(lfb_growing_create(&config, &growing), LFB_OK);
                       }
                       return Grow(growing);
                     };
                   }, {{"*", {LFB_OK}}}});
}

}  // namespace failing
