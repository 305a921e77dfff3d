// module_removable_test.cc - filters with removal: BF.RESERVE .. REMOVABLE, BF.DEL.
// On replicas, in an AOF and in files: module_test, module_chunks_test, module_file_test.
#include <map>

#include "bloom/filter/description.h"
#include "tests/redis/module.h"

extern "C" {
#include "redis/dump/head.h"
}

namespace {

const std::string kFull =
    "ERR the filter is full: delete items, or make a larger one, or one for more COPIES of an item";

TEST(ModuleRemovable, CountsHowOftenAnItemIsPresent) {
  RedisServer server(WithModule());
  Check(server, {{{"BF.RESERVE", "k", "0.001", "1000", "REMOVABLE", "NONSCALING"}, "OK"},
                 {{"BF.ADD", "k", "a"}, "1"},
                 {{"BF.MADD", "k", "a", "b"}, "1\n1\n"},
                 {{"BF.INSERT", "k", "ITEMS", "a", "c"}, "1\n1\n"},
                 {{"BF.CARD", "k"}, "5"},
                 {{"BF.DEL", "k", "a"}, "1"},
                 {{"BF.DEL", "k", "a", "none", "b", "a"}, "1\n0\n1\n1\n"},
                 {{"BF.DEL", "k", "a"}, "0"},
                 {{"BF.MEXISTS", "k", "a", "b", "c"}, "0\n0\n1\n"},
                 {{"BF.INFO", "k", "items"}, "1\n"},
                 {{"BF.INFO", "k", "kind"}, "removable\n"},
                 {{"BF.INFO", "k", "capacity"}, "1000\n"},
                 {{"BF.INFO", "k", "expansion"}, "(nil)\n"},
                 {{"BF.INFO", "k", "refused"}, "0\n"}});
}

TEST(ModuleRemovable, RefusesWhatItCannotDo) {
  RedisServer server(WithModule());
  Fill(server);
  const auto reserve = [](const Words& options) {
    Words words = {"BF.RESERVE", "k", "0.000001", "100"};
    words.insert(words.end(), options.begin(), options.end());
    return words;
  };
  const auto said = [](lfb_status status) { return std::string("ERR ") + lfb_status_text(status); };
  const std::string copies = "ERR COPIES must be from 1 to 16",
                    others = "ERR no item can be deleted from this key: make one by BF.RESERVE key "
                             "error capacity REMOVABLE",
                    kinds = "ERR only two filters, or two removable ones, can be merged; only "
                            "filters compared";
  Check(server, {{reserve({"REMOVABLE", "EXPANSION", "2"}), "ERR removable filters cannot expand"},
                 {reserve({"REMOVABLE", "COPIES"}), copies},
                 {reserve({"REMOVABLE", "COPIES", "0"}), copies},
                 {reserve({"COPIES", "2"}), "ERR only a removable filter has COPIES"},
                 {reserve({"REMOVABLE", "COPIES", "9"}), said(LFB_ERROR_TOO_MANY_COPIES)},
                 {{"BF.RESERVE", "k", "1e-9", "100", "REMOVABLE"}, said(LFB_ERROR_FPP_TOO_LOW)},
                 {{"EXISTS", "k"}, "0"},
                 {{"BF.DEL", "plain"}, "ERR wrong number of arguments for 'bf.del' command"},
                 {{"BF.DEL", "none", "x"}, "ERR not found"},
                 {{"BF.DEL", "plain", "x"}, others},
                 {{"BF.DEL", "window", "x", "y"}, others},
                 {{"BF.MERGE", "plain", "removable"}, kinds},
                 {{"BF.MERGE", "removable", "window"}, kinds},
                 {{"BF.COMPARE", "removable", "removable"}, kinds},
                 {{"BF.WINDOW.ADVANCE", "removable"}, "ERR the key is not a window"}});
}

// Each command answers for each item, and what was stored, and nothing else, can be deleted.
TEST(ModuleRemovable, IsFullInWords) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "k", "0.001", "50", "REMOVABLE"}), "OK");
  std::map<std::string, int> stored;
  int refused = 0;
  for (int i = 0; i < 60; i++) {
    Words words = {"BF.MADD", "k"};
    for (int n = 0; n < 3; n++) words.push_back("k-" + std::to_string((7 * i + n) % 40));
    std::istringstream lines(server.Call(words));
    std::string line;
    for (size_t n = 2; n < words.size() && std::getline(lines, line); n++) {
      ASSERT_TRUE(line == "1" || line == kFull) << line;
      (line == "1" ? stored[words[n]] : refused) += 1;
    }
  }
  EXPECT_GT(refused, 60);
  EXPECT_EQ(server.Call({"BF.INFO", "k", "refused"}), std::to_string(refused) + "\n");
  EXPECT_EQ(server.Call({"BF.CARD", "k"}), std::to_string(180 - refused));
  for (const auto& [item, copies] : stored)
    for (int i = 0; i < copies; i++) EXPECT_EQ(server.Call({"BF.DEL", "k", item}), "1") << item;
  EXPECT_EQ(CountNumbers(server, "k", 0, 40), 0);
}

// A merge that does not fit changes nothing, also if only the lines of one item are too few.
TEST(ModuleRemovable, MergesCopies) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "a", "0.001", "2000", "REMOVABLE"}), "OK");
  for (const std::string key : {"b", "c", "hot", "heat"})
    ASSERT_EQ(server.Call({"BF.LIKE", key, "a"}), "OK");
  for (const std::string key : {"a", "b"}) AddNumbers(server, key, 0, 900);
  AddNumbers(server, "c", 0, 300);
  for (const std::string key : {"hot", "heat"})
    for (int i = 0; i < 40; i++) EXPECT_EQ(server.Call({"BF.ADD", key, "item"}), "1");
  EXPECT_EQ(server.Call({"BF.MERGE", "b", "a"}), "OK");
  EXPECT_EQ(server.Call({"BF.MERGE", "new", "b"}), "OK");
  EXPECT_EQ(server.Call({"BF.CARD", "new"}), "1800");
  const std::string before = server.Call({"DEBUG", "DIGEST"});
  for (const Words& merge : {Words{"new", "c"}, {"new", "c", "FORCE"}, {"newer", "a", "c", "b"},
                             {"hot", "heat"}}) {
    Words words = {"BF.MERGE"};
    words.insert(words.end(), merge.begin(), merge.end());
    EXPECT_EQ(server.Call(words), std::string("ERR ") + lfb_status_text(LFB_ERROR_FULL));
    EXPECT_EQ(server.Call({"DEBUG", "DIGEST"}), before);
  }
  EXPECT_EQ(SendNumbers(server, "BF.DEL", "b", 0, 900), 900);
  EXPECT_EQ(server.Call({"BF.MERGE", "b", "c"}), "OK");
  EXPECT_EQ(server.Call({"BF.CARD", "b"}), "1200");
}

// A head with a right checksum that does not fit the body is refused, and no key is changed.
TEST(ModuleRemovable, ForgedChunksAreRefused) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "k", "0.001", "50", "REMOVABLE"}), "OK");
  AddNumbers(server, "k", 0, 30);
  const std::string digest = Digest(server, "k");
  std::vector<Chunk> chunks = ScanAll(server, "k");
  ASSERT_EQ(chunks.size(), 3U);
  const std::string head = chunks[0].bytes;
  const std::vector<void (*)(lfb_dump_fields*)> forgeries = {
      [](lfb_dump_fields*) {},
      [](lfb_dump_fields* said) { said->items++; },
      [](lfb_dump_fields* said) { said->recipe.capacity++; },
      [](lfb_dump_fields* said) { said->recipe.error = 0.002; },
      [](lfb_dump_fields* said) { said->recipe.copies = 2; },
      [](lfb_dump_fields* said) { said->recipe.key[3] ^= 1; },
      [](lfb_dump_fields* said) {
        said->recipe.kind = LFB_VALUE_WINDOW;
        said->recipe.generations = 3;
      },
      [](lfb_dump_fields* said) {
        said->recipe.kind = LFB_VALUE_CHAIN;
        said->layers = 1;
      },
  };
  for (size_t i = 0; i < forgeries.size(); i++) {
    lfb_dump_fields dumped;
    ASSERT_EQ(lfb_dump_fields_read(head.data(), head.size(), &dumped), LFB_OK);
    forgeries[i](&dumped);
    lfb_dump_fields_write(&dumped, reinterpret_cast<unsigned char*>(chunks[0].bytes.data()));
    for (const size_t which : {1, 2})
      chunks[which].bytes.replace(8, 8, chunks[0].bytes.substr(LFB_DUMP_HEAD - 8));
    EXPECT_EQ(LoadAll(server, "k", chunks), "ERR item exists");
    EXPECT_EQ(LoadAll(server, "bad", chunks) == "OK", i == 0) << i;
    EXPECT_EQ(server.Call({"DEL", "bad"}), i == 0 ? "1" : "0") << i;
    EXPECT_EQ(Digest(server, "k"), digest);
  }
}

}  // namespace
