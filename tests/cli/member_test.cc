// The member of a JSON object, as jansson finds it in the object read as a whole: for texts that are
// JSON, and for such texts with bytes changed, inserted and cut off.
#include "cli/member.h"

#include <gtest/gtest.h>
#include <jansson.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

// The text lies at the end of its memory, so that AddressSanitizer sees a read beyond it.
struct answer {
  member_result result;
  std::string value;
  std::string problem;
};
answer find(const std::string& path, const std::string& text) {
  const std::unique_ptr<char[]> bytes(new char[text.size()]), room(new char[text.size()]);
  text.copy(bytes.get(), text.size());
  member found{};
  answer result{};
  result.result = member_find(path.c_str(), {bytes.get(), text.size()}, room.get(), &found);
  if (result.result == MEMBER_FOUND)
    result.value.assign(static_cast<const char*>(found.value.bytes), found.value.size);
  if (result.result == MEMBER_NO_JSON) result.problem = found.problem;
  return result;
}
std::string value(const std::string& path, const std::string& text) {
  const answer got = find(path, text);
  EXPECT_EQ(got.result, MEMBER_FOUND) << text << ": " << got.problem;
  return got.value;
}

TEST(Member, PathsAreNamesBetweenDots) {
  for (const char* good : {"a", "a.b", "a b.c", "\"", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p"})
    EXPECT_TRUE(member_path_is(good)) << good;
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q"})
    EXPECT_FALSE(member_path_is(bad)) << bad;
}

TEST(Member, StringsLoseTheirEscapes) {
  EXPECT_EQ(value("a", R"({"a":"text"})"), "text");
  EXPECT_EQ(value("a", R"( { "b" : 1 , "a" : "" } )"), "");
  EXPECT_EQ(value("a", R"({"a":"\"\\\/\b\f\n\r\t"})"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(value("a", R"({"a":"\u00e9 \ud83d\ude00 \u0000!"})"),
            std::string("\xc3\xa9 \xf0\x9f\x98\x80 \0!", 10));
  EXPECT_EQ(value("a", "{\"a\":\"\xc3\xa9\"}"), "\xc3\xa9");
  EXPECT_EQ(value("a", R"({"\u0061":"escaped name"})"), "escaped name");
}

// Most bytes are read 16 at a time.
TEST(Member, StringsAreReadWhereverTheirOtherBytesAre) {
  for (size_t before = 0; before < 40; before++)
    for (const size_t after : {0, 1, 15, 16, 40})
      for (const auto& [written, read] : std::vector<std::pair<std::string, std::string>>{
               {"", ""}, {"\\n", "\n"}, {"\\\"", "\""}, {"\x7f", "\x7f"}, {"\xc3\xa9", "\xc3\xa9"}, {"\\\\", "\\"}}) {
        const std::string first(before, ' '), last(after, '~');
        ASSERT_EQ(value("a", "{\"b\":\"" + first + "\",\"a\":\"" + first + written + last + "\"}"),
                  first + read + last);
      }
  for (size_t before = 0; before < 40; before++)
    for (const char* bad : {"\n", "\xff", "\\x"})
      ASSERT_EQ(find("a", "{\"a\":\"" + std::string(before, 'x') + bad + "x\"}").result, MEMBER_NO_JSON);
}

TEST(Member, OtherValuesStayAsTheyStand) {
  for (const char* text : {"0", "-0", "1.50", "12345678901234567890123456789", "1e400", "-0.0E+5",
                           "1E-2", "true", "false", "null"})
    EXPECT_EQ(value("a", std::string("{\"a\":") + text + "}"), text);
  EXPECT_EQ(find("a", R"({"a":[1]})").result, MEMBER_COMPOUND);
  EXPECT_EQ(find("a", R"({"a":{}})").result, MEMBER_COMPOUND);
}

TEST(Member, PathsLeadIntoObjects) {
  const std::string text = R"({"a":{"b":{"c":7,"x.y":1},"d":8},"b":9})";
  EXPECT_EQ(value("a.b.c", text), "7");
  EXPECT_EQ(value("a.d", text), "8");
  EXPECT_EQ(value("b", text), "9");
  EXPECT_EQ(find("a.b", text).result, MEMBER_COMPOUND);
  EXPECT_EQ(find("a.c", text).result, MEMBER_MISSING);
  EXPECT_EQ(find("b.c", text).result, MEMBER_MISSING);
  EXPECT_EQ(find("a.b.c.d", text).result, MEMBER_MISSING);
}

TEST(Member, TheLastOfANameCounts) {
  EXPECT_EQ(value("a", R"({"a":1,"a":2})"), "2");
  EXPECT_EQ(value("a", R"({"a":[],"a":"x"})"), "x");
  EXPECT_EQ(find("a", R"({"a":1,"a":[]})").result, MEMBER_COMPOUND);
  EXPECT_EQ(find("a.b", R"({"a":{"b":1},"a":{}})").result, MEMBER_MISSING);
}

TEST(Member, WhatIsNoObjectSaysWhy) {
  for (const char* text : {"", "1", "[1]", "{", "{}}", "{} x", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}",
                           "{a:1}", "{\"a\" 1}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":-}",
                           "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1x}", "{\"a\":\"x}", "{\"a\":nul}",
                           "{\"a\":\"\\ud83d\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\t\"}", "{\"a\":\"\xe9\"}",
                           "\xbb\xbf{\"a\":1}", "{\"a\":1}{\"a\":1}", "{\"a\":1,\"b\":[1}}",
                           "{\"a\":1,\"b\":[}", "{\"a\":1,\"b\":\"}", "{\"a\":1,\"b\":\"\\\"}", "{\"a\":1,\"b\":NaN}",
                           "{\"a\":1,\"b\":}", "{\"a\":1,\"b\":[]]}", "{\"a\":1,\"b\":tru}"}) {
    const answer got = find("a", text);
    EXPECT_EQ(got.result, MEMBER_NO_JSON) << text;
    EXPECT_NE(got.problem, "") << text;
  }
}

// A filter's user gets the key of such a line: what stands elsewhere in it is none of the key.
TEST(Member, WhatStandsElsewhereNeedNotBeReadable) {
  for (const char* elsewhere : {"1e400", "-1e-400", "[[1e400]]", "\"\\ud83d\"", "\"\xe9\"", "[\"\xff\",{\"\xff\":1}]",
                                "{\"\\ud83d\":[]}", "\"\t\""}) {
    EXPECT_EQ(value("a", std::string("{\"b\":") + elsewhere + ",\"a\":1}"), "1") << elsewhere;
    EXPECT_EQ(value("a", std::string("{\"a\":1,\"b\":") + elsewhere + "}"), "1") << elsewhere;
    EXPECT_EQ(find("b.c", std::string("{\"a\":1,\"b\":[") + elsewhere + "]}").result, MEMBER_MISSING);
  }
  EXPECT_EQ(value("a", R"({"\ud83d":2,"a":1})"), "1");
  EXPECT_EQ(value("a", "{\"\xff\":2,\"a\":1}"), "1");
  EXPECT_EQ(value("a", "\xef\xbb\xbf{\"a\":1}"), "1");
  EXPECT_EQ(value("a", "{\"a\":" + std::string(400, '7') + "}"), std::string(400, '7'));
  const auto nested = [](size_t depth) {
    return "{\"b\":" + std::string(depth, '[') + std::string(depth, ']') + ",\"a\":1}";
  };
  EXPECT_EQ(value("a", nested(2048)), "1");
  EXPECT_EQ(find("a", nested(2049)).result, MEMBER_NO_JSON);
}

// ---- random texts ------------------------------------------------------------------------------

using random = std::mt19937;

std::string some(random& from, const std::vector<std::string>& choices) {
  return choices[from() % choices.size()];
}

std::string random_value(random& from, int depth);
std::string random_object(random& from, int depth) {
  std::string text = some(from, {"{", " {", "{ "});
  for (unsigned i = from() % 4; i > 0; i--)
    text += some(from, {"\"a\"", "\"b\"", "\"a\" ", "\"\\u0061\"", "\"\xc3\xa9\""}) + some(from, {":", ": "}) +
            random_value(from, depth - 1) + (i > 1 ? some(from, {",", " ,\t"}) : "");
  return text + some(from, {"}", "} ", "}\r"});
}
std::string random_value(random& from, int depth) {
  if (depth > 0 && from() % 3 == 0) return random_object(from, depth);
  if (depth > 0 && from() % 4 == 0)
    return "[" + random_value(from, depth - 1) + "," + random_value(from, depth - 1) + "]";
  return some(from, {"1", "-2.5e3", "0", "1e+9", "true", "null", "\"\"", "\"x\"", "\"\\n\\u00e9\"",
                     "\"\xf0\x9f\x98\x80\"", "\"\\\\\"", "[]", "{}", "18446744073709551616"});
}

void mutate(random& from, std::string* text) {
  static const std::string bytes = "\"\\{}[]:,.0123eE+-untrfalsb /\xc3\xa9\t\x01";
  for (unsigned i = from() % 3; i > 0 && !text->empty(); i--) {
    const size_t at = from() % text->size();
    switch (from() % 4) {
      case 0: text->erase(at); break;
      case 1: text->erase(at, 1); break;
      case 2: (*text)[at] = bytes[from() % bytes.size()]; break;
      default: text->insert(at, 1, bytes[from() % bytes.size()]);
    }
  }
}

TEST(Member, RandomTextsAreReadAsJanssonReadsThem) {
  random from(20);
  uint64_t counts[4] = {}, lenient = 0;
  for (int round = 0; round < 300000; round++) {
    std::string text = random_object(from, 3);
    mutate(from, &text);
    const bool deep = from() % 2 == 0;
    const answer got = find(deep ? "a.b" : "a", text);
    counts[got.result]++;

    json_error_t error;
    json_t* whole = json_loadb(text.data(), text.size(), JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);
    if (whole == nullptr || !json_is_object(whole)) {
      lenient += got.result != MEMBER_NO_JSON;
      json_decref(whole);
      continue;
    }
    ASSERT_NE(got.result, MEMBER_NO_JSON) << text << ": " << got.problem;
    const json_t* wanted = json_object_get(whole, "a");
    if (deep) wanted = json_object_get(wanted, "b");  // null if it is no object
    if (wanted == nullptr)
      ASSERT_EQ(got.result, MEMBER_MISSING) << text;
    else if (json_is_object(wanted) || json_is_array(wanted))
      ASSERT_EQ(got.result, MEMBER_COMPOUND) << text;
    else if (json_is_string(wanted))
      ASSERT_EQ(got.value, std::string(json_string_value(wanted), json_string_length(wanted))) << text;
    else {
      json_t* again = json_loadb(got.value.data(), got.value.size(), JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &error);
      ASSERT_TRUE(json_equal(wanted, again)) << text << ": " << got.value;
      json_decref(again);
    }
    json_decref(whole);
  }
  for (const uint64_t count : counts) EXPECT_GT(count, 5000u);
  EXPECT_LT(lenient, counts[MEMBER_NO_JSON] / 8);
}

}  // namespace
