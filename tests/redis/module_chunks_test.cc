// module_chunks_test.cc - BF.SCANDUMP and BF.LOADCHUNK, with good and hostile chunks.
#include "tests/redis/module.h"

#include <map>

namespace {

TEST(ModuleChunks, CarryEveryBit) {
  RedisServer from(WithModule()), to(WithModule());
  Fill(from);
  for (const std::string& key : kKinds) {
    const std::vector<Chunk> chunks = ScanAll(from, key);
    ASSERT_GE(chunks.size(), 3U) << key;
    for (const Chunk& chunk : chunks)
      EXPECT_LT(std::stoull(chunk.cursor), 1ULL << 53) << "an integer of JavaScript";
    EXPECT_EQ(LoadAll(to, key, chunks), "OK") << key;
    EXPECT_EQ(Digest(to, key), Digest(from, key)) << key;
  }
  EXPECT_EQ(CountNumbers(to, "grown", 0, 2000), 2000);
}

// A filter of several chunks.
TEST(ModuleChunks, CarryABigFilter) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "big", "0.01", "6000000"}), "OK");
  AddNumbers(server, "big", 0, 20'000);
  const std::vector<Chunk> chunks = ScanAll(server, "big");
  EXPECT_EQ(chunks.size(), 5U);  // the head, 4 MiB twice, the rest, the end
  EXPECT_EQ(LoadAll(server, "again", chunks), "OK");
  EXPECT_EQ(Digest(server, "again"), Digest(server, "big"));
}

// However a key came to be, BF.INFO and MEMORY USAGE say what it takes: for one of several chunks
// as many bytes as for the key that it was made from.  Seen to fail where bytes that came were
// freed meanwhile: 84,208 instead of 412,528, and less than 0.
TEST(ModuleChunks, ASizeIsThatOfTheKey) {
  RedisServer server(DurableModule({"--aof-use-rdb-preamble", "no"}));
  Fill(server);
  ASSERT_EQ(server.Call({"BF.RESERVE", "big", "0.01", "12000000"}), "OK");
  ASSERT_EQ(server.Call({"BF.WINDOW.RESERVE", "broad", "0.01", "8000000"}), "OK");
  ASSERT_EQ(server.Call({"BF.RESERVE", "bare", "0.01", "8000000", "REMOVABLE"}), "OK");
  Words keys = kKinds;
  keys.insert(keys.end(), {"big", "broad", "bare"});
  std::map<std::string, double> sizes;
  for (const std::string& key : keys) {
    sizes[key] = std::stod(server.Call({"BF.INFO", key, "SIZE"}));
    EXPECT_GT(sizes[key], key[0] == 'b' ? 16e6 : 1000) << key;
    ASSERT_EQ(server.Call({"COPY", key, "copy of " + key}), "1");
    ASSERT_EQ(LoadAll(server, "chunks of " + key, ScanAll(server, key)), "OK");
  }
  const auto expect_same = [&](const char* when) {
    for (const std::string& key : keys)
      for (const std::string how : {"", "copy of ", "chunks of "}) {
        const double size = sizes[key];
        EXPECT_NEAR(std::stod(server.Call({"BF.INFO", how + key, "SIZE"})), size, size / 100)
            << how << key << when;
        EXPECT_NEAR(std::stod(server.Call({"MEMORY", "USAGE", how + key})), size, size / 100 + 200)
            << how << key;
      }
  };
  expect_same("");
  ASSERT_EQ(server.Call({"DEBUG", "RELOAD"}), "OK");
  expect_same(", from an RDB file");
  RewriteAof(server);
  server.Kill();
  server.Start();
  expect_same(", from an AOF");
}

TEST(ModuleChunks, AChangedFilterIsScannedAnew) {
  RedisServer server(WithModule());
  Fill(server);
  const Chunk head = Scan(server, "plain", "0");
  EXPECT_EQ(server.Call({"BF.ADD", "plain", "another"}), "1");
  EXPECT_EQ(server.Call({"BF.SCANDUMP", "plain", head.cursor}),
            "ERR the filter has changed since this iteration began: begin again with 0");
}

// The cursor has 8 bits of the number of changes.  After exactly 256 BF.SCANDUMP goes on, but each
// chunk says of which state it is.
TEST(ModuleChunks, ATornDumpIsRefused) {
  RedisServer server(WithModule());
  const std::string script = R"(
    local n, changes = 0, 0
    while changes < 256 do
      if KEYS[1] == 'window' then
        redis.call('BF.WINDOW.ADVANCE', KEYS[1])
        changes = changes + 1
      else
        n, changes = n + 1, changes + redis.call('BF.ADD', KEYS[1], 'more' .. n)
      end
    end)";
  Fill(server);
  for (const std::string key : {"plain", "grown", "window"}) {
    std::vector<Chunk> chunks = {Scan(server, key, "0")};
    server.Call({"EVAL", script, "1", key});
    for (Chunk next = Scan(server, key, chunks[0].cursor); next.cursor != "0" && !HasFailure();
         next = Scan(server, key, next.cursor))
      chunks.push_back(next);
    ASSERT_GE(chunks.size(), 3U) << key;
    EXPECT_EQ(LoadAll(server, "torn", chunks),
              "ERR received bad data: it is not the chunk that follows the one before, or the "
              "filter has changed while it was dumped")
        << key;
    server.Call({"DEL", "torn"});
  }
}

// A limit that is lowered while a key is loaded ends that.
TEST(ModuleChunks, ALowerLimitHoldsAtOnce) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "chain", "0.01", "6000000"}), "OK");
  ASSERT_EQ(server.Call({"BF.WINDOW.RESERVE", "window", "0.01", "12000000"}), "OK");
  for (const std::string key : {"chain", "window"}) {
    ASSERT_EQ(server.Call({"CONFIG", "SET", "lfbloom.max-bytes", "0"}), "OK");
    const std::vector<Chunk> chunks = ScanAll(server, key);
    ASSERT_GE(chunks.size(), 4U) << key;
    ASSERT_EQ(Load(server, "half", chunks[0]), "OK");
    ASSERT_EQ(Load(server, "half", chunks[1]), "OK");
    ASSERT_EQ(server.Call({"CONFIG", "SET", "lfbloom.max-bytes", "1000"}), "OK");
    EXPECT_TRUE(Failed(Load(server, "half", chunks[2]))) << key;
    server.Call({"DEL", "half"});
  }
}

TEST(ModuleChunks, WrongCallsAreRefused) {
  RedisServer server(WithModule());
  Fill(server);
  EXPECT_EQ(server.Call({"BF.SCANDUMP", "none", "0"}), "ERR not found");
  EXPECT_EQ(server.Call({"BF.SCANDUMP", "plain", "str"}), "Second argument must be numeric");
  EXPECT_EQ(server.Call({"BF.SCANDUMP", "plain", "-1"}), "Second argument must be numeric");
  EXPECT_EQ(server.Call({"BF.LOADCHUNK", "plain", "str", "x"}),
            "ERR Second argument must be numeric");
  EXPECT_EQ(server.Call({"BF.LOADCHUNK", "none", "77", "bytes"}), "ERR not found");
  EXPECT_TRUE(Failed(server.Call({"BF.LOADCHUNK", "none", "1", "bytes"})));
  EXPECT_EQ(server.Call({"BF.LOADCHUNK", "plain", "1", Scan(server, "plain", "0").bytes}),
            "ERR item exists");
  // As RedisBloom's BF.SCANDUMP gives it: a number of items, of filters, options, growth, a link.
  const std::string theirs =
      std::string("\3\0\0\0\0\0\0\0\1\0\0\0\5\0\0\0\2\0\0\0", 20) + std::string(60, '\1');
  EXPECT_EQ(server.Call({"BF.LOADCHUNK", "none", "1", theirs}),
            "ERR received bad data: it is no chunk of this module, perhaps one of RedisBloom, "
            "which cannot be loaded");
  EXPECT_EQ(server.Call({"EXISTS", "none"}), "0");
  // Any cursor gives an error, or a part of the value.
  const std::string head = Scan(server, "grown", "0").cursor;
  for (uint64_t step = 1; step < 1 << 20; step = step * 3 + 1)
    server.Call({"BF.SCANDUMP", "grown", std::to_string(std::stoull(head) + step)});
  EXPECT_EQ(server.Call({"PING"}), "PONG");
}

// Between its first and its last chunk, a value is kept and moved, but not used.
TEST(ModuleChunks, AnIncompleteValueSurvivesARestart) {
  for (const bool rewritten : {false, true}) {
    RedisServer server(DurableModule({"--aof-use-rdb-preamble", "no"}));
    Fill(server);
    const std::vector<Chunk> chunks = ScanAll(server, "grown");
    ASSERT_EQ(Load(server, "half", chunks[0]), "OK");
    ASSERT_EQ(Load(server, "half", chunks[1]), "OK");
    const std::string incomplete =
        "ERR the filter is incomplete: load its other chunks, or delete it";
    EXPECT_EQ(server.Call({"BF.ADD", "half", "x"}), incomplete);
    EXPECT_EQ(server.Call({"BF.EXISTS", "half", "x"}), incomplete);
    EXPECT_EQ(server.Call({"BF.SCANDUMP", "half", "0"}), incomplete);
    EXPECT_EQ(server.Call({"BF.MERGE", "m", "half"}), incomplete);
    EXPECT_GT(std::stoi(server.Call({"MEMORY", "USAGE", "half"})), 1000);
    if (rewritten) RewriteAof(server);
    const std::string digest = server.Call({"DEBUG", "DIGEST"});
    ASSERT_EQ(server.Call({"DEBUG", "RELOAD"}), "OK");
    EXPECT_EQ(server.Call({"DEBUG", "DIGEST"}), digest);
    server.Kill();
    server.Start();
    EXPECT_EQ(server.Call({"DEBUG", "DIGEST"}), digest);
    EXPECT_EQ(LoadAll(server, "half", {chunks.begin() + 2, chunks.end()}), "OK");
    EXPECT_EQ(Digest(server, "half"), Digest(server, "grown"));
  }
}

TEST(ModuleChunks, HostileChunksAreRefused) {
  RedisServer server(WithModule({}, {"max-bytes", "1000000"})), replica(WithModule());
  Follow(replica, server);
  ASSERT_EQ(server.Call({"BF.RESERVE", "k", "0.1", "10"}), "OK");
  AddNumbers(server, "k", 0, 25);  // two layers
  const std::vector<Chunk> chunks = ScanAll(server, "k");
  ASSERT_EQ(chunks.size(), 3U);
  // One bit of each byte of each chunk is changed.
  for (size_t which = 0; which < chunks.size(); which++)
    for (size_t i = 0; i < chunks[which].bytes.size(); i++) {
      std::vector<Chunk> changed = chunks;
      changed[which].bytes[i] = static_cast<char>(changed[which].bytes[i] ^ (1 << i % 8));
      ASSERT_TRUE(Failed(LoadAll(server, "bad", changed))) << which << " " << i;
      server.Call({"DEL", "bad"});
    }
  // In a wrong order, twice, and cut.
  ASSERT_EQ(Load(server, "bad", chunks[0]), "OK");
  EXPECT_TRUE(Failed(Load(server, "bad", chunks[2])));  // the end, too early
  ASSERT_EQ(Load(server, "bad", chunks[1]), "OK");
  EXPECT_TRUE(Failed(Load(server, "bad", chunks[1])));
  EXPECT_TRUE(Failed(Load(server, "bad", {chunks[1].cursor, "short"})));
  ASSERT_EQ(Load(server, "bad", chunks[2]), "OK");
  EXPECT_EQ(Digest(server, "bad"), Digest(server, "k"));
  // More bytes than the limit allows: of a layer, as its header announces them, and in chunks that
  // never end.
  RedisServer other(WithModule());
  ASSERT_EQ(other.Call({"BF.RESERVE", "big", "0.01", "1000000"}), "OK");
  EXPECT_EQ(LoadAll(server, "big", ScanAll(other, "big")),
            "ERR received bad data, and the key is deleted: the filter is larger than the limit "
            "set for reading");
  EXPECT_EQ(server.Call({"EXISTS", "big"}), "0");
  ASSERT_EQ(other.Call({"BF.WINDOW.RESERVE", "window", "0.1", "10"}), "OK");
  const std::string head = Scan(other, "window", "0").bytes;
  ASSERT_EQ(Load(server, "long", {"1", head}), "OK");
  std::string reply = "OK";
  uint64_t offset = 0;
  while (reply == "OK" && offset < 100'000'000) {
    std::string word(8, '\0');
    for (size_t i = 0; i < 8; i++) word[i] = static_cast<char>(offset << 1 >> (8 * i));
    offset += 100'000;
    reply = server.Call({"BF.LOADCHUNK", "long", std::to_string(1 + offset),
                         word + head.substr(120) + std::string(100'000, 'x')});
  }
  EXPECT_EQ(reply.substr(0, 37), "ERR the filter would be larger than l");
  EXPECT_LT(offset, 3'000'000U);
  // What was refused is refused or deleted on the replica, too.
  Await("the replica has all",
        [&] { return replica.Info("master_repl_offset") == server.Info("master_repl_offset"); });
  EXPECT_EQ(replica.Call({"DEBUG", "DIGEST"}), server.Call({"DEBUG", "DIGEST"}));
}

}  // namespace
