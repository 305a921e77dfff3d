// The progress bar, on a terminal of any width and with a clock that the test sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/property.h"

extern "C" {
#include "cli/base/human.h"
#include "cli/base/progress.h"
extern uint64_t progress_test_ns;
extern unsigned short progress_test_columns;
}

namespace {

std::string Drawn(uint64_t ms, const std::function<void()>& step) {
  progress_test_ns += ms * 1000 * 1000;
  testing::internal::CaptureStderr();
  step();
  return testing::internal::GetCapturedStderr();
}

// A part that does not fit is left out as a whole.
std::string Figures(uint64_t done, uint64_t total, progress_unit unit, uint64_t ms, size_t room) {
  const auto amount = [unit](double of) {
    return std::string(unit == PROGRESS_BYTES ? human_bytes(static_cast<uint64_t>(of)).text
                                              : human_short(of).text);
  };
  const auto count = static_cast<double>(done), all = static_cast<double>(total);
  const double rate = count / (static_cast<double>(ms) / 1000);
  const auto left = std::to_string(std::lround((all - count) / rate + .5));
  std::string text;
  for (const std::string& part :
       {amount(count), total > 0 ? " of " + amount(all) : "",
        std::string(unit == PROGRESS_KEYS ? " keys" : ""),
        done > 0 && ms > 200 ? ", " + amount(rate) + "/s" : "",
        done > 0 && done < total && ms > 500 ? ", " + left + " s left" : ""})
    if (text.size() + part.size() <= room) text += part;
  return text;
}

TEST(Progress, TheLineFitsAndItsFiguresAreRight) {
  ExpectFor(500, [] {
    progress_test_columns = *rc::gen::inRange<unsigned short>(2, 300);
    const auto unit = *rc::gen::element(PROGRESS_KEYS, PROGRESS_BYTES);
    const uint64_t total = *rc::gen::element(0, 1, 3) * *rc::gen::inRange<uint64_t>(1, 99999999);
    const auto done = *rc::gen::inRange<uint64_t>(0, 9 + total + total / 9);
    const auto ms = *rc::gen::element<uint64_t>(100, 200, 201, 300, 500, 501, 777, 65432);
    const std::string label = *rc::gen::element("building", "deduplicating");
    progress_begin(false, "", 0, unit);
    (void)Drawn(1, [&] { progress_begin(true, label.c_str(), total, unit); });
    const std::string line = Drawn(ms, [done] { progress_add(done); });
    RC_LOG() << progress_test_columns << " columns, " << done << " of " << total << ": " << line;
    RC_ASSERT(progress_done() == done);

    const size_t room = std::min<size_t>(progress_test_columns - 1, 255);
    const std::string head = (label + (label.size() < 9 ? "  " : " ")).substr(0, room);
    std::smatch parts;
    RC_ASSERT(std::regex_match(
        line, parts,
        std::regex("\r" + head + R"((\[(=*)(>?) *\] ([ \d]\d\d|  \d) %  )?(.*))" + "\033\\[K")));
    // The gauge, of 14 to 40 columns, leaves 49 for the figures.
    const size_t left = room - head.size(), gauge = static_cast<size_t>(parts[1].length());
    RC_ASSERT(gauge == (total == 0 || left < 63 ? 0 : std::min<size_t>(left - 49, 40)));
    const double part = done < total ? static_cast<double>(done) / static_cast<double>(total) : 1;
    if (gauge > 0) {
      RC_ASSERT(parts[2].length() == static_cast<int>(part * static_cast<double>(gauge - 10)));
      RC_ASSERT((parts[3].length() == 1) == (done < total));
      RC_ASSERT(std::abs(std::stod(parts[4].str()) - 100 * part) <= 0.5001);
    }
    RC_ASSERT(parts[5].str() == Figures(done, total, unit, ms, left - gauge));
  });
}

TEST(Progress, IsDrawnTenTimesASecondUntilItEnds) {
  const auto more = [] { progress_add(1); };
  const auto shows = [](const std::string& line, const char* figures) {
    EXPECT_NE(line.find(figures), std::string::npos) << line;
  };
  progress_test_columns = 80;
  shows(Drawn(0, [] { progress_begin(true, "a", 9, PROGRESS_KEYS); }), "0 of 9 keys");
  EXPECT_EQ(Drawn(99, more), "");
  shows(Drawn(1, more), "2 of 9 keys");
  EXPECT_EQ(Drawn(99, more), "");
  EXPECT_EQ(Drawn(0, progress_clear), "\r\033[K");
  shows(Drawn(1, more), "4 of 9 keys");
  EXPECT_EQ(Drawn(0, progress_end), "\r\033[K");
  EXPECT_EQ(Drawn(999, [] { progress_add(1), progress_clear(), progress_end(); }), "");
  progress_begin(false, "a", 9, PROGRESS_KEYS);
  EXPECT_EQ(Drawn(999, more), "");
  EXPECT_EQ(progress_done(), 1u);
}

}  // namespace
