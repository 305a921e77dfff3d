// Finds lines with a word or a phrase of a list: real words, compared with sets of strings; and
// which spellings count as the same word.
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "examples/testing/program.h"
#include "tests/support/directory.h"
#include "tests/support/race.h"
#include "tests/support/skip.h"

namespace {

constexpr char kDictionary[] = "/usr/share/dict/american-english-insane";

class Words : public InDirectory {
 protected:
  std::string Write(const char* name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }
  // The lines that the program prints for a text, with reports; its exit status goes to status_.
  std::vector<std::string> Find(const std::string& list, const std::string& text) {
    Program program({"/bin/sh", "-c", "exec \"$0\" \"$1\" <\"$2\"", WORDS_PROGRAM,
                     Write("list", list), Write("text", text)}, true);
    std::vector<std::string> lines;
    for (std::string line = program.Line(); !line.empty(); line = program.Line())
      lines.push_back(line);
    status_ = program.Wait();
    return lines;
  }
  using Lines = std::vector<std::string>;

  int status_ = -1;
};

// The words of the dictionary that consist of letters and inner apostrophes.
std::vector<std::string> plain_words() {
  std::ifstream file(kDictionary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word);) {
    bool plain = word.front() != '\'' && word.back() != '\'';
    for (const char c : word)
      plain = plain && (c == '\'' || std::isalpha(static_cast<unsigned char>(c)));
    if (plain) words.push_back(word);
  }
  return words;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// The text has ten words in a line; the list has each seventh word, in capitals, and each
// hundredth pair.  Seen to fail with the list put without folding, and with the last phrases of a
// line not queried.
TEST_F(Words, FindsRealWordsAndPhrases) {
  const std::vector<std::string> words = plain_words();
  ASSERT_GT(words.size(), 600000u) << kDictionary << " (wamerican-insane)";
  std::unordered_set<std::string> listed;
  std::string list, text;
  for (size_t i = 0; i < words.size(); i++) {
    std::string upper = words[i];
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (i % 7 == 3) {
      list += upper + "\n";
      listed.insert(lower(upper));
    }
    if (i % 100 == 0 && i + 1 < words.size()) {
      list += words[i] + " - " + words[i + 1] + "\n";
      listed.insert(lower(words[i] + " " + words[i + 1]));
    }
    text += words[i] + (i % 10 == 9 ? "\n" : i % 10 == 4 ? ", \t" : " ");
  }

  Lines expected;
  std::string found;
  for (size_t i = 0; i < words.size(); i++) {
    const bool ends = i % 10 == 9 || i + 1 == words.size();
    const std::string word = lower(words[i]), pair = ends ? word : word + " " + lower(words[i + 1]);
    if (listed.count(word) > 0) found += (found.empty() ? "" : ", ") + word;
    if (!ends && listed.count(pair) > 0) found += (found.empty() ? "" : ", ") + pair;
    if (!ends) continue;
    if (!found.empty()) expected.push_back(std::to_string(i / 10 + 1) + ": " + found);
    found.clear();
  }
  const Lines lines = Find(list, text);
  EXPECT_EQ(status_, 0);
  // One in a million of 1.3 million queries: about one line has a false positive, hardly ten.
  std::multiset<std::string> missing(expected.begin(), expected.end());
  size_t other = 0;
  for (const std::string& line : lines) {
    const auto at = missing.find(line);
    if (at == missing.end())
      other++;
    else
      missing.erase(at);
  }
  EXPECT_LE(other, 10u);
  EXPECT_LE(missing.size(), other) << *missing.begin();
}

// Seen to fail with towlower() alone (the sigmas).
TEST_F(Words, TakesTheSameWordForTheSame) {
  const std::string list =
      "Free Money\ncafé\n垃圾邮件\nΣΊΣΥΦΟΣ\ndon't\nक्रिकेट\n100%\n";
  const struct {
    const char *text, *found;
  } rows[] = {
      {"get FREE,  money now", "free money"},
      {"free\xffmoney", "free money"},  // not UTF-8
      {"free money free money", "free money, free money"},
      {"freemoney money free", ""},
      {"free moneys", ""},
      {"CAFÉ cafe", "café"},
      {"这是, 垃圾邮件。", "垃圾邮件"},
      {"这是垃圾邮件吗", ""},
      {"σίσυφος Σίσυφοσ", "σίσυφοσ, σίσυφοσ"},
      {"'DON’T' dont don 't don''t", "don't"},
      {"क्रिकेट", "क्रिकेट"},
      {"of 100 people", "100"},
      {"", ""},
      {"...", ""},
  };
  for (const auto& row : rows) {
    const Lines lines = Find(list, std::string("\n") + row.text);
    const Lines expected = *row.found == '\0' ? Lines{} : Lines{std::string("2: ") + row.found};
    EXPECT_EQ(lines, expected) << row.text;
    EXPECT_EQ(status_, expected.empty() ? 1 : 0) << row.text;
  }
}

TEST_F(Words, KnowsPhrasesOfSixteenWordsInLongLines) {
  std::string phrase, text;
  for (int i = 0; i < 16; i++) phrase += (i > 0 ? " w" : "w") + std::to_string(i);
  for (int i = 0; i < 5000; i++) text += "x" + std::to_string(i) + " ";
  EXPECT_EQ(Find(phrase + "\nx4999\n", text + phrase + " " + text),
            (Lines{"1: x4999, " + phrase + ", x4999"}));
}

// If there is no memory for a line, the program reports it, since the rest was not searched.  Not
// under a sanitizer, which takes more memory than the limit.  Seen to fail, with status 1 and no
// report, where only ferror() was checked.
TEST_F(Words, ReportsWhichLineIsTooLongForMemory) {
  if (kUnderSanitizer) return NotHere("a sanitizer takes more memory than there is");
  Program program({"/bin/sh", "-c",
                   "ulimit -v 200000; { head -c 300000000 /dev/zero; echo apple; } | \"$0\" \"$1\"",
                   WORDS_PROGRAM, Write("list", "apple\n")}, true);
  EXPECT_EQ(program.Line(), "words: standard input: Cannot allocate memory");
  EXPECT_EQ(program.Wait(), 2);
}

TEST_F(Words, RefusesWithOneLine) {
  EXPECT_EQ(Find("one\n...\n", "x"),
            (Lines{"words: " + Path("list") + ":2: the line has no word"}));
  EXPECT_EQ(status_, 2);
  EXPECT_EQ(Find("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", "x"),
            (Lines{"words: " + Path("list") +
                   ":1: a phrase of more than 16 words"}));
  EXPECT_EQ(status_, 2);
  EXPECT_EQ(Find("", "x"), Lines{});
  EXPECT_EQ(status_, 1);
  for (const std::string& list : {Path("none"), Path("")}) {
    Program program({WORDS_PROGRAM, list}, true);
    EXPECT_EQ(program.Line().rfind("words: " + list + ": ", 0), 0u);
    EXPECT_EQ(program.Line(), "");
    EXPECT_EQ(program.Wait(), 2);
  }
}

}  // namespace
