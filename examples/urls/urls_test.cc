// Exactly one line is printed for each URL, regardless of the threads that find it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "examples/testing/program.h"

namespace {

class Urls : public testing::Test {
 protected:
  std::string Write(const std::string& text) const {
    const std::string path = testing::TempDir() + "/urls.txt";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  // The lines that a successful run prints.
  std::multiset<std::string> Print(const std::string& threads, const std::string& text) const {
    Program program({URLS_PROGRAM, threads, "1000000", Write(text)});
    std::multiset<std::string> lines;
    for (std::string line = program.Line(); !line.empty(); line = program.Line())
      lines.insert(line);
    EXPECT_EQ(program.Wait(), 0);
    return lines;
  }
};

TEST_F(Urls, SpellingsOfOneUrlAreOne) {
  const std::multiset<std::string> lines = Print("1",
      "http://Example.org/A\n"
      "HTTP://example.ORG/A\n"    // the same
      "http://example.org/A#top\n"  // the same
      "http://example.org/a\n"    // case matters in paths
      "http://example.org\n"
      "http://EXAMPLE.org#x/y\n"  // the same as the line before
      "\n"
      "no-scheme/A\n"
      "No-scheme/A\n"
      "http://example.org/last");  // without an end of line
  EXPECT_EQ(lines, (std::multiset<std::string>{
                       "http://Example.org/A", "http://example.org/a", "http://example.org",
                       "no-scheme/A", "No-scheme/A", "http://example.org/last"}));
}

// Each of four threads has all URLs, in the same order, so they claim the same URLs again and
// again.  Seen to fail 10 times in 10 with lfb_filter_put_object() instead of the claim: a put can
// return true to several threads.
TEST_F(Urls, EachIsPrintedByOneThread) {
  constexpr int kUrls = 300000;
  std::string once;
  for (int i = 0; i < kUrls; i++) once += "https://example.org/" + std::to_string(i) + "\n";
  const std::multiset<std::string> lines = Print("4", once + once + once + once);
  const std::set<std::string> distinct(lines.begin(), lines.end());
  EXPECT_EQ(lines.size(), distinct.size());
  // For a million keys at one in a million: hardly one false positive in the first 300,000.
  EXPECT_GE(distinct.size(), kUrls - 3u);
}

TEST_F(Urls, ManyThreadsAndFewLines) {
  EXPECT_TRUE(Print("256", "").empty());
  EXPECT_EQ(Print("256", "a\nb\na\n").size(), 2u);
}

TEST_F(Urls, RefusesBadArguments) {
  const std::vector<std::vector<std::string>> rows = {
      {}, {"4", "100"}, {"0", "100", "x"}, {"257", "100", "x"}, {"4", "-1", "x"},
      {"4", "100", "/no/such/file"}, {"4", "100", "/dev/null"}};
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::string> argv = {URLS_PROGRAM};
    argv.insert(argv.end(), row.begin(), row.end());
    Program program(argv);
    EXPECT_EQ(program.Line(), "");
    EXPECT_EQ(program.Wait(), 2) << row.size();
  }
}

}  // namespace
