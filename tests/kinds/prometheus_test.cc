// The figures of filters of any kind as text for Prometheus, against its grammar and lfb_any_stats().
// //tests/filter:watch_test has the text of watches.
#include <cmath>

#include "tests/support/anys.h"
#include "tests/support/countings.h"
#include "tests/support/exposition.h"
#include "tests/support/growings.h"
#include "tests/support/windows.h"

namespace {

struct Named {
  lfb_any any;
  std::string name;
};

std::string Text(const std::vector<Named>& rows, lfb_status wanted = LFB_OK) {
  std::vector<lfb_any> anys;
  std::vector<const char*> names;
  for (const Named& row : rows) {
    anys.push_back(row.any);
    names.push_back(row.name.c_str());
  }
  std::string text;
  EXPECT_EQ(lfb_any_prometheus(anys.data(), names.data(), rows.size(), AppendTo, &text), wanted);
  return text;
}

// Generations of different sizes, so that a figure of the wrong one is noticed.
TEST(WindowPrometheus, IsValidAndHasTheFigures) {
  const Window three = MakeWindow(WindowConfig(3000, 0.01, 3)), seven = MakeWindow(WindowConfig(700, 0.001, 7));
  const std::string name = "a \"b\" \\n \xc3\xa9";
  for (uint64_t generation = 0; generation < 6; generation++) {
    for (uint64_t i = 0; i < 100 * (generation + 1); i++)
      lfb_window_put_u64(three.get(), 1000 * generation + i);
    if (generation < 5) {
      ASSERT_EQ(lfb_window_advance(three.get(), lfb_window_generation(three.get())), LFB_OK);
    }
  }
  const Exposition text(Text({{Any(three), name}, {Any(seven), "seven"}}), "window");
  EXPECT_EQ(text.samples.size(), (5u + 2 * 4) + (5 + 2 * 8));
  lfb_window_figures figures;
  lfb_window_stats(three.get(), &figures);
  const auto value = [&](const std::string& metric, const std::string& label) {
    const auto found = text.samples.find({"lfbloom_window_" + metric, label});
    EXPECT_NE(found, text.samples.end()) << metric << " " << label;
    return found == text.samples.end() ? -1 : found->second;
  };
  EXPECT_EQ(value("expected_insertions", name), 3000);
  EXPECT_EQ(value("bytes", name), static_cast<double>(figures.bytes));
  EXPECT_EQ(value("generation_bits", name), static_cast<double>(figures.bit_count));
  EXPECT_EQ(value("generations_total", name), 9);
  EXPECT_NEAR(value("expected_false_positive_ratio", name), figures.expected_fpp, 1e-8);
  for (unsigned age = 0; age <= 3; age++) {
    const std::string label = name + "/" + std::to_string(age);
    EXPECT_EQ(value("generation_bits_set", label),
              static_cast<double>(figures.live[age].bits_set));
    EXPECT_NEAR(value("generation_approximate_elements", label), 600 - 100. * age, 20);
  }
  EXPECT_EQ(value("generations_total", "seven"), 8);
  EXPECT_EQ(value("generation_bits_set", "seven/7"), 0);
}

// Each kind has its figures; a window beside them changes nothing.
TEST(AnyPrometheus, HasThoseOfEachKind) {
  const Filter plain = Make(1000, 0.01, LFB_FAST);
  const Growing growing = MakeGrowing(Config(0, 0.01, LFB_FAST));
  const Counting counting = Count(Config(1000, 0.01, LFB_FAST));
  const Window window = MakeWindow(WindowConfig(1000, 0.01));
  for (uint64_t i = 0; i < 3000; i++) {
    if (i < 1000) lfb_filter_put_u64(plain.get(), i);
    lfb_growing_put_u64(growing.get(), i);
    lfb_counting_put_u64(counting.get(), i % 10);
  }
  const std::string alone = Text({{Any(plain), "plain"}, {Any(growing), "growing"}, {Any(counting), "counting"}});
  const std::string both = Text({{Any(plain), "plain"}, {Any(growing), "growing"},
                                 {Any(window), "window"}, {Any(counting), "counting"}});
  EXPECT_EQ(both.substr(0, alone.size()), alone);
  EXPECT_EQ(both.substr(alone.size()), Text({{Any(window), "window"}}));
  const Exposition text(alone, "filter");
  EXPECT_EQ(text.samples.size(), 3u * 9);
  for (const Named& named : std::vector<Named>{{Any(plain), "plain"}, {Any(growing), "growing"},
                                               {Any(counting), "counting"}}) {
    const lfb_stats stats = Figures(named.any).all;
    const auto value = [&](const std::string& metric) {
      return text.samples.at({"lfbloom_filter_" + metric, named.name});
    };
    EXPECT_EQ(value("bits"), static_cast<double>(stats.bit_count));
    EXPECT_EQ(value("bytes"), static_cast<double>(stats.bytes));
    EXPECT_EQ(value("bits_set"), static_cast<double>(stats.bits_set));
    EXPECT_EQ(value("approximate_elements"), static_cast<double>(stats.approximate_count));
    EXPECT_EQ(value("stuck_counters"), static_cast<double>(stats.counters_stuck));
    EXPECT_NEAR(value("expected_false_positive_ratio"), stats.expected_fpp, 1e-8);
  }
  EXPECT_GT(text.samples.at({"lfbloom_filter_stuck_counters", "counting"}), 0);
}

// All bits of a generation set, no window, and the longest name with each byte escaped.
TEST(WindowPrometheus, IsValidAtItsEdges) {
  const Window window = MakeWindow(WindowConfig(1, 0.5, 3));
  const std::string name(LFB_LABEL_SIZE, '"');
  for (uint64_t i = 0; i < 10000; i++) lfb_window_put_u64(window.get(), i);
  const Exposition text(Text({{Any(window), name}}), "window");
  EXPECT_TRUE(std::isinf(
      text.samples.at({"lfbloom_window_generation_approximate_elements", name + "/0"})));
  EXPECT_EQ(Exposition(Text({}), "window").samples.size(), 0u);
}

TEST(WindowPrometheus, RefusesNames) {
  const Window a = MakeWindow(WindowConfig(10, 0.1, 3)), b = MakeWindow(WindowConfig(10, 0.1, 3));
  EXPECT_EQ(Text({{Any(a), "same"}, {Any(b), "same"}}, LFB_ERROR_SAME_NAME), "");
  EXPECT_EQ(Text({{Any(a), "a"}, {Any(b), "two\nlines"}}, LFB_ERROR_BAD_LABEL), "");
}

// A status from any call of the writing function is returned.
TEST(WindowPrometheus, StopsWhereWritingFails) {
  const Window window = MakeWindow(WindowConfig(10, 0.1, 3));
  const lfb_any anys[] = {Any(window)};
  const char* names[] = {"one"};
  for (int after = 0; after < 20; after++) {  // 7 heads and 13 samples
    int left = after;
    const lfb_status status = lfb_any_prometheus(
        anys, names, 1,
        [](void* to, const void*, size_t) {
          return (*static_cast<int*>(to))-- == 0 ? LFB_ERROR_WRITE : LFB_OK;
        },
        &left);
    EXPECT_EQ(status, LFB_ERROR_WRITE) << after;
    EXPECT_EQ(left, -1) << "went on after an error";
  }
}

}  // namespace
