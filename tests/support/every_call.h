// every_call.h - a table of the public functions, which several tests go through.
//
// A row says how to call a function on ready objects, and what its result must be:
//   - //tests/whole:stack_test: how much stack the call needs (Row::budget);
//   - //tests/whole:failing_test, //tests/redis:failing_test: what it does when one of its system
//     calls fails (Row::failures, failing.h);
//   - //tests/whole:reserved_test, //tests/redis:redis_reserved_test: it refuses a struct with a
//     reserved word that is not 0 (Row::takes), and sets those of its own structs to 0.
//
// The objects are a struct `Things`: every_things.h, for Redis tests/redis/every_redis_call.h.
// Each output of a call is in Things::out, whose bytes all are kUntouched before the call.  A call
// that fails changes none of them.  After one that succeeds, Row::after checks the outputs, frees
// what was made and calls Reset() for each: the others are still untouched.
#pragma once

#include <gtest/gtest.h>
#include <lfbloom/status.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace every {

constexpr int kUntouched = 0xa5;

template <typename T>
void Reset(T* output) {
  std::memset(static_cast<void*>(output), kUntouched, sizeof *output);
}

template <typename T>
bool Untouched(const T& output) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&output);
  return std::all_of(bytes, bytes + sizeof output,
                     [](unsigned char byte) { return byte == kUntouched; });
}

// ---- what a row says ------------------------------------------------------------------

using Statuses = std::set<lfb_status>;
// System calls that lead to another status than StatusOf() of faults.h; LFB_OK: the function
// continues.  "*": any call.
using Otherwise = std::map<std::string, Statuses>;

// Failures::least of a call that makes no system calls at all.
constexpr size_t kQuiet = SIZE_MAX;

struct Failures {
  size_t least = kQuiet;  // the least number of failures that must be seen
  Otherwise otherwise = {};
  int error = EIO;        // of calls that can fail with different errors
  bool alone = false;     // only one call fails at a time, since the act takes long
};

// With any failure, the function succeeds.
inline const Otherwise kContinues = {{"*", {LFB_OK}}};

constexpr size_t kAny = 16 << 10;     // bytes of stack that any call may need
constexpr size_t kSizing = 32 << 10;  // that a call which sizes a filter may need

// The reserved words of a struct that a caller fills.
struct Words {
  uint64_t* at;
  size_t count;
};

enum Has { kAll, kGrowing };  // the filters that have such a call

template <typename Things>
struct RowOf {
  using Step = void (*)(Things& t);

  std::string names;  // of the functions, separated by blanks
  Step before = [](Things&) {};
  std::function<void(Things& t)> act;  // the call: sets Things::status, ::answer or ::text
  Step after = [](Things&) {};
  lfb_status returns = LFB_OK;
  size_t budget = kAny;
  Has has = kAll;
  Failures failures;
  std::vector<std::function<Words(Things& t)>> takes;

  template <typename R>
  RowOf(std::string of, R (*call)(Things& t)) : names(std::move(of)) {
    act = [call](Things& t) {
      t.status = LFB_OK;
      if constexpr (std::is_same_v<R, lfb_status>) t.status = call(t);
      else if constexpr (std::is_same_v<R, const char*>) t.text = call(t);
      else if constexpr (std::is_void_v<R>) call(t);
      else t.answer = static_cast<uint64_t>(call(t));
    };
  }
  RowOf& Before(Step step) { return before = step, *this; }
  RowOf& After(Step step) { return after = step, *this; }
  RowOf& Returns(lfb_status status) { return returns = status, *this; }
  RowOf& Sizing() { return budget = kSizing, *this; }
  RowOf& For(Has filters) { return has = filters, *this; }
  RowOf& Fails(size_t least, Otherwise otherwise = {}, int error = EIO, bool alone = false) {
    return failures = {least, std::move(otherwise), error, alone}, *this;
  }
  template <typename Struct>
  RowOf& Takes(Struct Things::*given) {
    return Takes([given](Things& t) {
      return Words{(t.*given).reserved, std::size((t.*given).reserved)};
    });
  }
  RowOf& Takes(std::function<Words(Things& t)> words) {
    return takes.push_back(std::move(words)), *this;
  }
};

template <typename Things>
void PrintTo(const RowOf<Things>& row, std::ostream* out) { *out << row.names; }

// The name of a row's test.
template <typename Things>
std::string RowName(const testing::TestParamInfo<RowOf<Things>>& info) {
  std::string name = std::to_string(info.index) + "_" + info.param.names;
  for (char& c : name)
    if (c == ' ') c = '_';
  return name.substr(0, 100);
}

// ---- running a row ----------------------------------------------------------------------

// Before the call: objects as the row wants them.
template <typename Things>
void Prepare(const RowOf<Things>& row, Things& t) {
  Reset(&t.out);
  t.Begin();
  row.before(t);
}

// After it: the outputs are as the status says, and what the call made is freed.
template <typename Things>
void Finish(const RowOf<Things>& row, Things& t) {
  if (t.status != row.returns) {
    EXPECT_TRUE(Untouched(t.out)) << row.names << ": an output without success";
  }
  row.after(t);
  EXPECT_TRUE(Untouched(t.out)) << row.names << ": an output that the row does not name";
  t.End();
}

// Sets each reserved word of the structs that a row takes, one at a time.
template <typename Things>
void EachReservedWord(const RowOf<Things>& row, Things& t, const std::function<void()>& look) {
  for (const auto& words : row.takes)
    for (size_t i = 0; i < words(t).count; i++) {
      SCOPED_TRACE("word " + std::to_string(i));
      words(t).at[i] = UINT64_C(1) << 63;
      look();
      words(t).at[i] = 0;
    }
}

// ---- checks of outputs ------------------------------------------------------------------

template <typename T, typename = void>
struct HasReserved : std::false_type {};
template <typename T>
struct HasReserved<T, std::void_t<decltype(std::declval<T>().reserved)>> : std::true_type {};

template <typename Struct>
void ExpectZero(const Struct& filled) {
  for (const uint64_t& word : filled.reserved) EXPECT_EQ(word, 0u) << &word - filled.reserved;
}

// A value or a struct was written, with all reserved words 0.
template <typename T>
void ExpectFilled(T* output) {
  EXPECT_FALSE(Untouched(*output)) << "success without an output";
  if constexpr (HasReserved<T>::value) ExpectZero(*output);
  Reset(output);
}

// ---- completeness -----------------------------------------------------------------------

// Functions without a row, and the reasons: "lfb_name" or "lfb_begin*".
using Excuses = std::map<std::string, std::string>;

// Reads the public headers of folders, and the names that a library exports.  Expects a row or an
// excuse for each function, and a function for each row and each excuse.
void ExpectRowsOfAll(bool of_redis, const std::string& exports,
                     const std::set<std::string>& in_rows, const Excuses& excuses);

// Expects a row that Takes(), or an excuse, for each function with a parameter that points to a
// constant struct with reserved words.
void ExpectReservedOfAll(bool of_redis, const std::set<std::string>& with_takes,
                         const Excuses& excuses);

std::vector<std::string> Split(const std::string& names);

template <typename Things>
std::set<std::string> NamesOf(const std::vector<RowOf<Things>>& rows, bool with_takes = false) {
  std::set<std::string> names;
  for (const RowOf<Things>& row : rows)
    for (const std::string& name : Split(row.names))
      if (!with_takes || !row.takes.empty()) names.insert(name);
  return names;
}

}  // namespace every

// A row of a function and its arguments, in which `t` are the things; CALL is one call of a row.
#define CALL(...) +[]([[maybe_unused]] Things& t) { return __VA_ARGS__; }
#define STEP(...) +[]([[maybe_unused]] Things& t) { __VA_ARGS__; }
#define ROW(function, ...) Row(#function, CALL(function(__VA_ARGS__)))
// A row of a function that frees an object of Things::own.
#define FREE(function, object) \
  Row(#function, CALL(function(t.own.object), t.own.object = nullptr, LFB_OK))
