// module_commands_test.cc - what the server knows of the module's commands: keys, rights, words;
// when it runs them.
#include "tests/redis/module.h"

#include <unistd.h>

#include <algorithm>

namespace {

// The lines of a reply that are not empty.
Words Lines(const std::string& reply) {
  Words lines;
  std::istringstream text(reply);
  for (std::string line; std::getline(text, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

bool Has(const Words& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

// The server checks the number of words: a transaction with a wrong one is refused when it is
// queued.
TEST(ModuleCommands, AreDescribed) {
  RedisServer server(WithModule());
  const Words names = Lines(server.Call({"COMMAND", "LIST", "FILTERBY", "MODULE", "lfbloom"}));
  EXPECT_EQ(names.size(), 16U);
  for (const std::string& name : names) {
    const Words docs = Lines(server.Call({"COMMAND", "DOCS", name}));
    for (const char* field : {"summary", "complexity", "arguments"})
      EXPECT_TRUE(Has(docs, field)) << name << field;
    EXPECT_TRUE(Has(docs, "key")) << name;
    const std::string few = server.Call({name, "k"});
    EXPECT_EQ(few, name == "bf.card" ? "0"
                   : name == "bf.info" || name == "bf.window.advance"
                       ? "ERR not found"
                       : "ERR wrong number of arguments for '" + name + "' command");
  }
  const Words insert = Lines(server.Call({"COMMAND", "DOCS", "BF.INSERT"}));
  for (const char* word :
       {"CAPACITY", "ERROR", "EXPANSION", "NOCREATE", "NONSCALING", "ITEMS", "item", "multiple"})
    EXPECT_TRUE(Has(insert, word)) << word;
  const Words info = Lines(server.Call({"COMMAND", "DOCS", "BF.INFO"}));
  for (const char* word :
       {"oneof", "CAPACITY", "SIZE", "FILTERS", "ITEMS", "EXPANSION", "ERROR", "ERRORNOW"})
    EXPECT_TRUE(Has(info, word)) << word;
}

TEST(ModuleCommands, KnowTheirKeys) {
  RedisServer server(WithModule());
  const struct {
    Words words;
    Words keys;  // with what is done with each
  } rows[] = {
      {{"BF.RESERVE", "k", "0.1", "10"}, {"k", "RW", "insert"}},
      {{"BF.LIKE", "k", "o"}, {"k", "RW", "insert", "o", "RO", "access"}},
      {{"BF.WINDOW.RESERVE", "k", "0.1", "10"}, {"k", "RW", "insert"}},
      {{"BF.WINDOW.ADVANCE", "k"}, {"k", "RW", "delete"}},
      {{"BF.ADD", "k", "x"}, {"k", "RW", "insert"}},
      {{"BF.MADD", "k", "x", "y"}, {"k", "RW", "insert"}},
      {{"BF.DEL", "k", "x", "y"}, {"k", "RW", "delete"}},
      {{"BF.INSERT", "k", "ITEMS", "x"}, {"k", "RW", "insert"}},
      {{"BF.EXISTS", "k", "x"}, {"k", "RO", "access"}},
      {{"BF.MEXISTS", "k", "x", "y"}, {"k", "RO", "access"}},
      {{"BF.CARD", "k"}, {"k", "RO"}},
      {{"BF.INFO", "k"}, {"k", "RO"}},
      {{"BF.MERGE", "k", "o", "p"},
       {"k", "RW", "insert", "o", "RO", "access", "p", "RO", "access"}},
      {{"BF.MERGE", "k", "o", "p", "force"},
       {"k", "RW", "insert", "o", "RO", "access", "p", "RO", "access"}},
      {{"BF.COMPARE", "k", "o"}, {"k", "RO", "access", "o", "RO", "access"}},
      {{"BF.SCANDUMP", "k", "0"}, {"k", "RO", "access"}},
      {{"BF.LOADCHUNK", "k", "1", "x"}, {"k", "RW", "insert"}},
  };
  for (const auto& row : rows) {
    Words words = {"COMMAND", "GETKEYSANDFLAGS"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    EXPECT_EQ(Lines(server.Call(words)), row.keys) << row.words[0];
  }
}

// A user has the right to read some keys, or the right to write them.
TEST(ModuleCommands, FollowTheRightsOfUsers) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"ACL", "SETUSER", "reader", "on", "nopass", "%R~k*", "+@all"}), "OK");
  ASSERT_EQ(server.Call({"ACL", "SETUSER", "writer", "on", "nopass", "%W~k*", "+@all"}), "OK");
  ASSERT_EQ(server.Call({"ACL", "SETUSER", "merger", "on", "nopass", "%W~k*", "%R~o*", "+@all"}),
            "OK");
  const auto may = [&](const char* user, const Words& words) {
    Words call = {"ACL", "DRYRUN", user};
    call.insert(call.end(), words.begin(), words.end());
    return server.Call(call) == "OK";
  };
  const Words asks[] = {
      {"BF.EXISTS", "k", "x"}, {"BF.MEXISTS", "k", "x"}, {"BF.SCANDUMP", "k", "0"},
      {"BF.COMPARE", "k", "k2"}};
  const Words puts[] = {
      {"BF.ADD", "k", "x"}, {"BF.MADD", "k", "x"}, {"BF.DEL", "k", "x"},
      {"BF.INSERT", "k", "ITEMS", "x"},
      {"BF.RESERVE", "k", "0.1", "10"}, {"BF.WINDOW.RESERVE", "k", "0.1", "10"},
      {"BF.WINDOW.ADVANCE", "k"}, {"BF.LOADCHUNK", "k", "1", "x"}};
  for (const Words& words : asks) {
    EXPECT_TRUE(may("reader", words)) << words[0];
    EXPECT_FALSE(may("writer", words)) << words[0];
  }
  for (const Words& words : puts) {
    EXPECT_FALSE(may("reader", words)) << words[0];
    EXPECT_TRUE(may("writer", words)) << words[0];
  }
  EXPECT_TRUE(may("reader", {"BF.INFO", "k"}));
  EXPECT_TRUE(may("merger", {"BF.MERGE", "k", "o1", "o2"}));
  EXPECT_TRUE(may("merger", {"BF.MERGE", "k", "o1", "FORCE"}));
  EXPECT_FALSE(may("merger", {"BF.MERGE", "k", "o1", "k2"}));
  EXPECT_TRUE(may("merger", {"BF.LIKE", "k", "o"}));
  EXPECT_FALSE(may("writer", {"BF.LIKE", "k", "o"}));
  EXPECT_FALSE(may("reader", {"BF.EXISTS", "other", "x"}));
}

// Servers from 7.2 on (Valkey from 8.0 on) let a module name the categories of its commands; an
// older one has no category for them.
TEST(ModuleCommands, HaveCategoriesWhereTheServerHasThem) {
  RedisServer server(WithModule());
  const std::string version = server.Info("redis_version");
  const double number = std::stod(version.substr(0, version.find('.', version.find('.') + 1)));
  ASSERT_EQ(server.Call({"ACL", "SETUSER", "asker", "on", "nopass", "~*", "+@read"}), "OK");
  EXPECT_EQ(server.Call({"ACL", "DRYRUN", "asker", "BF.EXISTS", "k", "x"}) == "OK", number >= 7.2)
      << version;
  for (const std::string put : {"BF.ADD", "BF.DEL"})
    EXPECT_NE(server.Call({"ACL", "DRYRUN", "asker", put, "k", "x"}), "OK");
  const bool bloom = Has(Lines(server.Call({"ACL", "CAT"})), "bloom");
  EXPECT_EQ(bloom, number >= 7.4) << version;
  EXPECT_EQ(Lines(server.Call({"ACL", "CAT", bloom ? "bloom" : "nothing"})).size(),
            bloom ? 16U : 1U);
}

TEST(ModuleCommands, QuestionsRunInReadOnlyScripts) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.WINDOW.RESERVE", "w", "0.001", "1000", "SPAN", "0.05"}), "OK");
  ASSERT_EQ(server.Call({"BF.ADD", "w", "x"}), "1");
  ASSERT_EQ(server.Call({"BF.ADD", "k", "x"}), "1");
  const auto ask = [&](const std::string& call, const char* key) {
    return server.Call({"EVAL_RO", "return redis.call(" + call + ")", "1", key});
  };
  EXPECT_EQ(ask("'BF.EXISTS', KEYS[1], 'x'", "k"), "1");
  EXPECT_EQ(ask("'BF.MEXISTS', KEYS[1], 'x'", "k"), "1\n");
  EXPECT_EQ(ask("'BF.CARD', KEYS[1]", "k"), "1");
  EXPECT_NE(ask("'BF.ADD', KEYS[1], 'y'", "k"), "1");
  // It may end a generation, as any question.
  Await("the key is forgotten", [&] { return ask("'BF.EXISTS', KEYS[1], 'x'", "w") == "0"; });
}

// A planned failover pauses writes.  A question to a window with a generation that is over then
// changes nothing: a server that replicates during a pause ends itself.
TEST(ModuleCommands, QuestionsAreAnsweredWhileWritesArePaused) {
  RedisServer server(WithModule()), replica(WithModule());
  Follow(replica, server);
  ASSERT_EQ(server.Call({"BF.WINDOW.RESERVE", "w", "0.001", "1000", "SPAN", "0.05"}), "OK");
  ASSERT_EQ(server.Call({"BF.ADD", "w", "x"}), "1");
  ASSERT_EQ(server.Call({"BF.ADD", "k", "x"}), "1");
  ASSERT_EQ(server.Call({"CLIENT", "PAUSE", "600000", "WRITE"}), "OK");
  usleep(100'000);  // more than the window's span
  for (const auto& [words, reply] : std::vector<std::pair<Words, std::string>>{
           {{"BF.EXISTS", "k", "x"}, "1"},
           {{"BF.MEXISTS", "k", "x"}, "1\n"},
           {{"BF.CARD", "k"}, "1"},
           {{"BF.EXISTS", "w", "x"}, "1"}}) {
    std::string answer;
    EXPECT_TRUE(server.TryCall(words, &answer)) << words[0];
    EXPECT_EQ(answer, reply) << words[0];
  }
  ASSERT_EQ(server.Call({"CLIENT", "UNPAUSE"}), "OK");
  EXPECT_EQ(server.Call({"BF.EXISTS", "w", "x"}), "0");
  Await("the replica forgets it", [&] { return replica.Call({"BF.EXISTS", "w", "x"}) == "0"; });
}

}  // namespace
