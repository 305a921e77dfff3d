// The figures of windows as text for Prometheus, against its grammar and lfb_window_stats().
#include <lfbloom/window.h>

#include <cmath>
#include <memory>

#include "tests/support/exposition.h"
#include "tests/support/filters.h"

namespace {

using Window = std::unique_ptr<lfb_window, Freed<lfb_window_free>>;

Window Make(uint64_t n, double fpp, uint32_t generations) {
  lfb_window_config config{};
  config.expected_insertions = n;
  config.fpp = fpp;
  config.generations = generations;
  return Made<Window>(lfb_window_create, &config);
}

struct Named {
  const Window& window;
  std::string name;
};

std::string Text(const std::vector<Named>& rows, lfb_status wanted = LFB_OK) {
  std::vector<const lfb_window*> windows;
  std::vector<const char*> names;
  for (const Named& row : rows) {
    windows.push_back(row.window.get());
    names.push_back(row.name.c_str());
  }
  std::string text;
  EXPECT_EQ(lfb_window_prometheus(windows.data(), names.data(), rows.size(), AppendTo, &text),
            wanted);
  return text;
}

// Generations of different sizes, so that a figure of the wrong one is noticed.
TEST(WindowPrometheus, IsValidAndHasTheFigures) {
  const Window three = Make(3000, 0.01, 3), seven = Make(700, 0.001, 7);
  const std::string name = "a \"b\" \\n \xc3\xa9";
  for (uint64_t generation = 0; generation < 6; generation++) {
    for (uint64_t i = 0; i < 100 * (generation + 1); i++)
      lfb_window_put_u64(three.get(), 1000 * generation + i);
    if (generation < 5) {
      ASSERT_EQ(lfb_window_advance(three.get(), lfb_window_generation(three.get())), LFB_OK);
    }
  }
  const Exposition text(Text({{three, name}, {seven, "seven"}}), "window");
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

// All bits of a generation set, no window, and the longest name with each byte escaped.
TEST(WindowPrometheus, IsValidAtItsEdges) {
  const Window window = Make(1, 0.5, 3);
  const std::string name(LFB_LABEL_SIZE, '"');
  for (uint64_t i = 0; i < 10000; i++) lfb_window_put_u64(window.get(), i);
  const Exposition text(Text({{window, name}}), "window");
  EXPECT_TRUE(std::isinf(
      text.samples.at({"lfbloom_window_generation_approximate_elements", name + "/0"})));
  EXPECT_EQ(Exposition(Text({}), "window").samples.size(), 0u);
}

TEST(WindowPrometheus, RefusesNames) {
  const Window a = Make(10, 0.1, 3), b = Make(10, 0.1, 3);
  EXPECT_EQ(Text({{a, "same"}, {b, "same"}}, LFB_ERROR_SAME_NAME), "");
  EXPECT_EQ(Text({{a, "a"}, {b, "two\nlines"}}, LFB_ERROR_BAD_LABEL), "");
}

// A status from any call of the writing function is returned.
TEST(WindowPrometheus, StopsWhereWritingFails) {
  const Window window = Make(10, 0.1, 3);
  const lfb_window* windows[] = {window.get()};
  const char* names[] = {"one"};
  for (int after = 0; after < 20; after++) {  // 7 heads and 13 samples
    int left = after;
    const lfb_status status = lfb_window_prometheus(
        windows, names, 1,
        [](void* to, const void*, size_t) {
          return (*static_cast<int*>(to))-- == 0 ? LFB_ERROR_WRITE : LFB_OK;
        },
        &left);
    EXPECT_EQ(status, LFB_ERROR_WRITE) << after;
    EXPECT_EQ(left, -1) << "went on after an error";
  }
}

}  // namespace
