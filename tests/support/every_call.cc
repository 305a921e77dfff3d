// every_call.cc - finds public functions that have no row in the table of every_call.h.
#include "tests/support/every_call.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace every {
namespace {

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The public headers of a library, one after another.
std::string HeadersOf(bool of_redis) {
  static const std::set<std::string> redis = {"redis.h", "redis_source.h"};
  std::string text;
  for (const auto& file : std::filesystem::directory_iterator("include/lfbloom"))
    if (redis.count(file.path().filename()) == (of_redis ? 1 : 0)) text += TextOf(file.path());
  return text;
}

std::set<std::string> Matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

// The name before the next parenthesis; "" if a statement or block ends first.
std::string NameBehind(const std::string& text, size_t at) {
  const size_t end = text.find_first_of(";{(", at);
  if (end == std::string::npos || text[end] != '(') return "";
  size_t begin = end;
  while (begin > at && (std::isalnum(text[begin - 1]) != 0 || text[begin - 1] == '_')) begin--;
  return text.substr(begin, end - begin);
}

// The functions that public headers declare, name -> parameters.
std::map<std::string, std::string> Declared(const std::string& text) {
  std::map<std::string, std::string> functions;
  for (const std::string mark : {"LFB_API ", "LFB_CHECKED ", "LFB_INLINE ", "static inline "})
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += mark.size()) {
      const std::string name = NameBehind(text, at);
      const size_t from = text.find('(', at), to = text.find_first_of(";{", at);
      if (name.compare(0, 4, "lfb_") == 0) functions[name] = text.substr(from, to - from);
    }
  return functions;
}

// Whether an excuse, which may end in *, matches this name.
bool IsExcuseFor(const std::string& excuse, const std::string& name) {
  const size_t size = excuse.size() - 1;
  return excuse[size] == '*' ? name.compare(0, size, excuse, 0, size) == 0 : name == excuse;
}

void ExpectAll(const std::set<std::string>& wanted, const std::set<std::string>& in_rows,
               const Excuses& excuses) {
  EXPECT_FALSE(wanted.empty());
  for (const auto& [excuse, reason] : excuses) {
    size_t excused = 0;
    for (const std::string& name : wanted)
      excused += IsExcuseFor(excuse, name) && in_rows.count(name) == 0;
    EXPECT_GT(excused, 0u) << "an excuse for nothing: " << excuse;
  }
  for (const std::string& name : wanted) {
    bool excused = false;
    for (const auto& [excuse, reason] : excuses) excused |= IsExcuseFor(excuse, name);
    EXPECT_TRUE(excused || in_rows.count(name) == 1) << name << " has no row, and no excuse";
  }
}

}  // namespace

std::vector<std::string> Split(const std::string& names) {
  std::istringstream words(names);
  return {std::istream_iterator<std::string>(words), {}};
}

void ExpectRowsOfAll(bool of_redis, const std::string& exports,
                     const std::set<std::string>& in_rows, const Excuses& excuses) {
  std::set<std::string> wanted;
  for (const auto& [name, parameters] : Declared(HeadersOf(of_redis))) wanted.insert(name);
  for (const std::string& name : in_rows)
    EXPECT_EQ(wanted.count(name), 1u) << "a row for " << name << ", which no header declares";
  static const std::regex exported("\n  (lfb_[a-z0-9_]+);");
  const std::set<std::string> names = Matches(TextOf(exports), exported);
  EXPECT_GT(names.size(), 20u) << exports;
  for (const std::string& name : names)
    EXPECT_EQ(wanted.count(name), 1u) << name << ": in no header";
  ExpectAll(wanted, in_rows, excuses);
}

void ExpectReservedOfAll(bool of_redis, const std::set<std::string>& with_takes,
                         const Excuses& excuses) {
  const std::string text = HeadersOf(of_redis);
  static const std::regex reserved(
      "uint64_t reserved\\[[0-9]+\\];[^}]*must be 0[^}]*\\}\\s*(lfb_[a-z0-9_]+);");
  std::set<std::string> wanted;
  for (const std::string& given : Matches(text, reserved))
    for (const auto& [name, parameters] : Declared(text))
      if (parameters.find("const " + given + " *") != std::string::npos) wanted.insert(name);
  ExpectAll(wanted, with_takes, excuses);
}

}  // namespace every
