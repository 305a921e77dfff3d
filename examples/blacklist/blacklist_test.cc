// A blacklist is replaced, damaged and replaced again while a program keeps querying it.
#include <gtest/gtest.h>
#include <lfbloom/filter.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "examples/testing/program.h"
#include "tests/support/directory.h"

namespace {

class Blacklist : public InDirectory {
 protected:
  void Save(const char* name, const std::vector<std::string>& keys) const {
    lfb_config config{};
    config.expected_insertions = 1000;
    config.fpp = 1e-6;
    lfb_filter* filter = nullptr;
    ASSERT_EQ(lfb_filter_create(&config, &filter), LFB_OK);
    for (const std::string& key : keys) lfb_filter_put(filter, key.data(), key.size());
    EXPECT_EQ(lfb_filter_save(filter, LFB_FORM_NATIVE, Path(name).c_str()), LFB_OK);
    lfb_filter_free(filter);
  }
  void Start(const std::string& path) {
    program_ = std::make_unique<Program>(std::vector<std::string>{BLACKLIST_PROGRAM, path}, true);
    EXPECT_EQ(program_->Line(), "blacklist: version 1, about 2 keys");
  }
  // The program's next line that is not a report; reports go to reports_.
  std::string Answer() {
    std::string line = program_->Line();
    for (; line.rfind("blacklist: ", 0) == 0; line = program_->Line()) reports_ += line + "\n";
    return line;
  }
  std::string Ask(const std::string& key) {
    program_->Say(key + "\n");
    return Answer();
  }
  void End() {
    program_->EndInput();
    EXPECT_EQ(Answer(), "");
    EXPECT_EQ(program_->Wait(), 0);
  }

  std::unique_ptr<Program> program_;
  std::string reports_;
};

// Seen to fail with the follower not started: the test then waits forever.
TEST_F(Blacklist, IsReplacedWhileItIsUsed) {
  Save("list", {"always", "first"});
  Start(Path("list"));
  EXPECT_EQ(Ask("always"), "check always");
  EXPECT_EQ(Ask("first"), "check first");
  EXPECT_EQ(Ask("second"), "pass second");
  EXPECT_EQ(Ask(""), "pass ");
  Save("list", {"always", "second"});
  while (Ask("second") == "pass second") ASSERT_EQ(Ask("always"), "check always");
  EXPECT_EQ(Ask("first"), "pass first");
  EXPECT_EQ(Ask("always"), "check always");
  End();
}

TEST_F(Blacklist, DamagedFilesChangeNothing) {
  Save("list", {"always", "first"});
  Start(Path("list"));
  std::ofstream(Path("list"), std::ios::binary) << "no filter at all";
  while (reports_.find("not a filter") == std::string::npos)
    ASSERT_EQ(Ask("first"), "check first");
  Save("list", {"always", "second"});
  while (Ask("second") == "pass second") ASSERT_EQ(Ask("always"), "check always");
  End();
}

TEST_F(Blacklist, TheNewestFileOfADirectoryIsIt) {
  Save("2026-01-01", {"always", "first"});
  Start(directory_.string());
  EXPECT_EQ(Ask("first"), "check first");
  Save("2026-01-02", {"always", "second"});
  while (Ask("second") == "pass second") ASSERT_EQ(Ask("always"), "check always");
  EXPECT_EQ(Ask("first"), "pass first");
  End();
}

TEST_F(Blacklist, AnswersNothingWithoutABlacklist) {
  std::ofstream(Path("damaged"), std::ios::binary) << "no filter at all";
  const std::pair<std::string, const char*> rows[] = {
      {Path("none"), ": there is no blacklist yet"},
      {Path("damaged"), ": not a filter in any form that lfbloom knows"},
      {"--help", "usage: blacklist FILE|DIRECTORY"},
  };
  for (const auto& row : rows) {
    Program program({BLACKLIST_PROGRAM, row.first}, true);
    EXPECT_NE(program.Line().find(row.second), std::string::npos) << row.first;
    while (!program.Line().empty()) continue;
    EXPECT_EQ(program.Wait(), 2);
  }
}

}  // namespace
