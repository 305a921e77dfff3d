// What the tool prints of random values, for people and as JSON: readers find the values in it.
#include <gtest/gtest.h>
#include <jansson.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/property.h"

extern "C" {
#include "cli/base/human.h"
#include "cli/base/json.h"
#include "cli/base/numbers.h"
}

namespace {

size_t Below(size_t end) { return *rc::gen::inRange<size_t>(0, end); }
// As many small ones as large ones.
uint64_t AnyCount() { return *rc::gen::arbitrary<uint64_t>() >> Below(64); }

// ---- For people -----------------------------------------------------------------------------

// Three digits, at most two of them after the point: "22.8 MiB" in one of these units.
void ExpectAbout(double value, const char* text, const std::vector<std::string>& units,
                 double step) {
  size_t end = 0;
  const double number = std::stod(text, &end);
  const auto unit = std::find(units.begin(), units.end(), text + end);
  RC_LOG() << value << ": " << text << "\n";
  RC_ASSERT(unit != units.end());
  RC_ASSERT((number < step || unit + 1 == units.end()));
  RC_ASSERT((number >= 1 || unit == units.begin()));
  const double exact = value / std::pow(step, unit - units.begin());
  RC_ASSERT(std::abs(number - exact) <= 0.00501 * std::max(1.0, exact));
}

TEST(Human, FiguresAreReadBack) {
  const std::regex groups(R"(\d{1,3}(,\d{3})*)"), binary(R"(\d+\.\d\d [KMGTPE]iB|\d+ bytes)"),
      three(R"((\d\.\d*[1-9]|\d\d\.[1-9]|\d{1,3})( ?[a-zA-Z]*))");
  ExpectFor(1000, [&] {
    uint64_t count = AnyCount(), read = 0;
    const double real = std::ldexp(1 + 1e-3 * static_cast<double>(Below(1000)),
                                   static_cast<int>(Below(70)) - 8);
    const human digits = human_count(count), bytes = human_bytes(count), few = human_short(real),
                time = human_seconds(real / 1000), part = human_probability(1 / real);
    RC_ASSERT(numbers_whole(digits.text, &read) == NUMBERS_OK);
    RC_ASSERT(read == count);
    for (const auto& [form, text] : {std::pair{&groups, digits.text}, {&binary, bytes.text},
                                     {&three, few.text}, {&three, time.text}})
      RC_ASSERT((std::regex_match(text, *form) || (text == time.text && real > 99e4)));
    ExpectAbout(static_cast<double>(count), bytes.text,
                {" bytes", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"}, 1024);
    ExpectAbout(real, few.text, {"", "k", "M", "G", "T", "P", "E"}, 1000);
    ExpectAbout(real, time.text, {" ms", " s"}, 1000);
    RC_ASSERT(std::abs(std::stod(part.text) * real - 1) <= 0.00501);
  });
}

// ---- JSON -----------------------------------------------------------------------------------

std::string SomeText() {
  std::string text;
  for (size_t i = Below(5); i > 0; i--)
    text += *rc::gen::element<std::string>("a", "\"", "\\", "\n", "\x1f", "\x7f", "\xdf\xbf",
                                           "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf");
  return text;
}

// Prints members of an object.  Returns what a reader should find.
json_t* PrintMembers(size_t depth) {
  json_t* const object = json_object();
  for (size_t i = Below(5); i > 0; i--) {
    const std::string name = "m" + std::to_string(i) + SomeText(), text = SomeText();
    const char* const key = name.c_str();
    const uint64_t count = AnyCount(), bits = *rc::gen::arbitrary<uint64_t>();
    const std::string digits = std::to_string(count);
    const bool yes = Below(2) == 0;
    double real = static_cast<double>(Below(100)) / 100;
    if (yes) memcpy(&real, &bits, sizeof real);
    json_t* expected = json_null();
    switch (Below(depth > 0 ? 8 : 6)) {
      case 0:
        json_text(key, yes ? text.c_str() : nullptr);
        if (yes) expected = json_string(text.c_str());
        break;
      case 1:
        json_count_if(key, count, yes);
        if (yes && count >= uint64_t{1} << 53) expected = json_string(digits.c_str());
        if (yes && count < uint64_t{1} << 53) expected = json_real(static_cast<double>(count));
        break;
      case 2:
        json_digits(key, count);
        expected = json_string(digits.c_str());
        break;
      case 3:
        json_float(key, real);
        if (std::isfinite(real)) expected = json_real(real);
        break;
      case 4:
        json_bool(key, yes);
        expected = json_boolean(yes);
        break;
      case 5:
        json_open_list(key);
        expected = json_array();
        for (size_t n = depth > 0 ? Below(3) : 0; n > 0; n--) {
          json_open(nullptr);
          json_array_append_new(expected, PrintMembers(depth - 1));
          json_close();
        }
        json_close_list();
        break;
      default:
        json_open(key);
        expected = PrintMembers(depth - 1);
        json_close();
    }
    json_object_set_new(object, key, expected);
  }
  return object;
}

TEST(Json, IsReadBackByJansson) {
  ExpectFor(3000, [] {
    testing::internal::CaptureStdout();
    json_open(nullptr);
    json_t* const expected = PrintMembers(2);
    json_close();
    const std::string text = testing::internal::GetCapturedStdout();
    json_t* const read = json_loads(text.c_str(), JSON_DECODE_INT_AS_REAL, nullptr);
    RC_LOG() << text;
    RC_ASSERT(json_equal(read, expected));
    RC_ASSERT(text.find('\n') == text.size() - 1);
    json_decref(read);
    json_decref(expected);
  });
}

}  // namespace
