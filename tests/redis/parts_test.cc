// parts_test.cc - the parts of a link that need no server: addresses, commands, slots.
#include <gtest/gtest.h>
#include <lfbloom/redis.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "redis/link/nodes.h"
#include "redis/link/said.h"
#include "redis/link/wire.h"

namespace {

std::string Or(const char* text) { return text == nullptr ? "(none)" : text; }

// All fields of an address, on one line.
std::string Parsed(const std::string& url) {
  lfb_redis_address address;
  if (lfb_redis_parse_url(url.c_str(), &address) != LFB_OK) return "refused";
  const lfb_redis_options& options = address.options;
  return Or(options.user) + " " + Or(options.password) + " " + Or(options.host) + " " +
         std::to_string(options.port) + " " + address.name + (options.tls ? " tls" : "") +
         (options.database == 0 ? "" : " db " + std::to_string(options.database)) +
         (options.module ? " module" : "");
}

TEST(Address, HasEveryPart) {
  EXPECT_EQ(Parsed("redis://me:secret@example.org:7000/seen"), "me secret example.org 7000 seen");
  EXPECT_EQ(Parsed("redis://:secret@example.org/seen"), "(none) secret example.org 0 seen");
  EXPECT_EQ(Parsed("redis://localhost"), "(none) (none) localhost 0 ");
  EXPECT_EQ(Parsed("redis://localhost/"), "(none) (none) localhost 0 ");
  EXPECT_EQ(Parsed("redis://127.0.0.1:65535/a/b:c@d"), "(none) (none) 127.0.0.1 65535 a/b:c@d");
  EXPECT_EQ(Parsed("redis://[::1]:6380/seen"), "(none) (none) ::1 6380 seen");
  EXPECT_EQ(Parsed("redis://[::1]"), "(none) (none) ::1 0 ");
  EXPECT_EQ(Parsed("rediss://example.org/seen"), "(none) (none) example.org 0 seen tls");
}

TEST(Address, HasADatabase) {
  EXPECT_EQ(Parsed("redis://h/seen?db=3"), "(none) (none) h 0 seen db 3");
  EXPECT_EQ(Parsed("redis://h?db=2147483647"), "(none) (none) h 0  db 2147483647");
  EXPECT_EQ(Parsed("redis://:p?db=1@h:1/seen?db=2"), "(none) p?db=1 h 1 seen db 2");
  EXPECT_EQ(Parsed("redis://h/seen?db=0"), "(none) (none) h 0 seen");
  EXPECT_EQ(Parsed("redis://h/0"), "(none) (none) h 0 0");  // a name
  EXPECT_EQ(Parsed("redis://h/a%3Fdb=3"), "(none) (none) h 0 a?db=3");
}

TEST(Address, HasALayout) {
  EXPECT_EQ(Parsed("redis://h/seen?layout=module"), "(none) (none) h 0 seen module");
  EXPECT_EQ(Parsed("redis+unix:///r.sock?layout=module&name=x&db=3"),
            "(none) (none) /r.sock 0 x db 3 module");
}

TEST(Address, HasAnotherScheme) {
  EXPECT_EQ(Parsed("valkey://h/seen"), "(none) (none) h 0 seen");
  EXPECT_EQ(Parsed("valkeys://h/seen"), "(none) (none) h 0 seen tls");
}

TEST(Address, IsAUnixSocket) {
  EXPECT_EQ(Parsed("redis+unix:///run/redis.sock?name=seen"),
            "(none) (none) /run/redis.sock 0 seen");
  EXPECT_EQ(Parsed("redis+unix:///run/redis.sock?name=a/b%26c&db=3"),
            "(none) (none) /run/redis.sock 0 a/b&c db 3");
  EXPECT_EQ(Parsed("redis+unix:///run/a%3fb?db=3&name=x"), "(none) (none) /run/a?b 0 x db 3");
  EXPECT_EQ(Parsed("redis+unix://me:p%2F@/r.sock?name=x"), "me p/ /r.sock 0 x");
  EXPECT_EQ(Parsed("valkey+unix:///r.sock"), "(none) (none) /r.sock 0 ");
}

TEST(Address, DecodesPercents) {
  EXPECT_EQ(Parsed("redis://m%3ae:s%2F%40%25t@h/a%20b"), "m:e s/@%t h 0 a b");
  EXPECT_EQ(Parsed("redis://u:p@ss@h/x"), "u p@ss h 0 x");
}

TEST(Address, IsRefused) {
  const std::string untouched(sizeof(lfb_redis_address), '\x5a');
  for (const std::string url :
       {"", "redis:/h", "http://h/x", "redis://", "redis:///x", "redis://:7000/x", "redis://h:/x",
        "redis://h:0/x", "redis://h:65536/x", "redis://h:99999999999999999999/x", "redis://h:7x/x",
        "redis://u@h/x", "redis://[::1/x", "redis://[::1]7000/x", "redis://[]/x", "redis://h/%",
        "redis://h/%4", "redis://h/%zz", "redis://h/%00", "redis://u:%@h/x", "redis://u:p@/x",
        "redis://h/x?", "redis://h/x?db", "redis://h/x?db=", "redis://h/x?db=-1",
        "redis://h/x?db=1x", "redis://h/x?db=2147483648", "redis://h/x?name=y", "redis://h/x?db=1&",
        "redis://h?x", "redis://h/x?reads=replicas", "redis://h/x?layout=fast",
        "redis://h/x?layout=", "redis+unix://h/x?name=y", "redis+unix://", "redis+unix:///",
        "redis+unix:///r.sock?name=%00", "redis+unix:///r.sock?host=y", "redis+unix://:p@h/r.sock",
        "redis+unix:///%", "valkey:/h",
        "redis+sentinel://h/m/x"}) {
    lfb_redis_address address;
    memcpy(static_cast<void*>(&address), untouched.data(), sizeof address);
    EXPECT_EQ(lfb_redis_parse_url(url.c_str(), &address), LFB_ERROR_REDIS_ADDRESS) << url;
    EXPECT_EQ(memcmp(&address, untouched.data(), sizeof address), 0) << url;
  }
}

TEST(Address, HasAMostSize) {
  const std::string start = "redis://h/";
  const std::string name(LFB_REDIS_URL_SIZE - start.size(), 'n');
  EXPECT_EQ(Parsed(start + name), "(none) (none) h 0 " + name);
  EXPECT_EQ(Parsed(start + name + "n"), "refused");
}

TEST(Wire, IsRespByteForByte) {
  lfb_wire wire{};
  lfb_wire_begin(&wire, 4);
  lfb_wire_text(&wire, "SET");
  lfb_wire_string(&wire, "a\0b", 3);
  lfb_wire_number(&wire, 0);
  lfb_wire_number(&wire, UINT64_MAX);
  lfb_wire_string(&wire, nullptr, 0);
  const std::string expected(
      "*4\r\n$3\r\nSET\r\n$3\r\na\0b\r\n$1\r\n0\r\n$20\r\n18446744073709551615\r\n$0\r\n\r\n", 62);
  EXPECT_EQ(std::string(wire.bytes, wire.size), expected);
  EXPECT_FALSE(wire.failed);
  lfb_wire_free(&wire);
}

TEST(Wire, Grows) {
  lfb_wire wire{};
  std::string expected;
  for (size_t size = 1; size < 100'000; size = 3 * size + 1) {
    const std::string text(size, static_cast<char>('a' + size % 26));
    lfb_wire_string(&wire, text.data(), size);
    expected += "$" + std::to_string(size) + "\r\n" + text + "\r\n";
  }
  EXPECT_EQ(std::string(wire.bytes, wire.size), expected);
  lfb_wire_free(&wire);
}

TEST(Wire, IsFailedWithoutMemory) {
  lfb_wire wire{};
  lfb_wire_text(&wire, "PING");
  const size_t size = wire.size;
  EXPECT_FALSE(lfb_wire_room(&wire, SIZE_MAX));  // more than the address space
  EXPECT_TRUE(wire.failed);
  EXPECT_EQ(wire.size, size);
  lfb_wire_free(&wire);
}

uint16_t Slot(const std::string& key) { return lfb_key_slot(key.data(), key.size()); }

// Source: Redis Cluster Specification. link_test.cc compares with CLUSTER KEYSLOT.
TEST(Wire, ReadsNumbersUpToTheirMost) {
  const auto read = [](const std::string& digits, uint64_t most) {
    uint64_t number = 77;
    return lfb_wire_read_digits(digits.data(), digits.size(), most, &number) ? number
                                                                             : ~uint64_t{0};
  };
  constexpr uint64_t none = ~uint64_t{0};
  EXPECT_EQ(read("0", 0), 0u);
  EXPECT_EQ(read("1", 0), none);
  EXPECT_EQ(read("00065535", 65535), 65535u);
  EXPECT_EQ(read("65536", 65535), none);
  EXPECT_EQ(read("18446744073709551614", none - 1), none - 1);
  EXPECT_EQ(read("18446744073709551615", none - 1), none);
  EXPECT_EQ(read("18446744073709551616", none), none);
  EXPECT_EQ(read("99999999999999999999", none), none);
  for (const char* no : {"", " 1", "1 ", "-1", "+1", "1a", "/", ":", "\xb1"})
    EXPECT_EQ(read(no, 1000), none) << no;
}

TEST(Slots, AreThoseOfTheSpecification) {
  EXPECT_EQ(Slot("123456789"), 0x31C3);
  EXPECT_EQ(Slot("{user1000}.following"), Slot("{user1000}.followers"));
  EXPECT_EQ(Slot("{user1000}.following"), Slot("user1000"));
  EXPECT_NE(Slot("foo{}{bar}"), Slot("bar"));
  EXPECT_EQ(Slot("foo{{bar}}zap"), Slot("{bar"));
  EXPECT_EQ(Slot("foo{bar}{zap}"), Slot("bar"));
  EXPECT_EQ(Slot(""), 0);
  EXPECT_LT(Slot("{"), 16384);
}

// First in, first out, over many turns of the ring.
TEST(Queue, KeepsOrder) {
  lfb_queue queue{};
  uint64_t added = 0, taken = 0;
  for (unsigned round = 0; round < 50; round++) {
    for (unsigned i = 0; i < 3 * round; i++)
      ASSERT_TRUE(lfb_queue_add(&queue, {added++, 0, 0, false, false, false}));
    for (unsigned i = 0; i < 2 * round; i++) ASSERT_EQ(lfb_queue_take(&queue).i, taken++);
    ASSERT_EQ(queue.count, added - taken);
  }
  while (queue.count != 0) ASSERT_EQ(lfb_queue_take(&queue).i, taken++);
  lfb_queue_free(&queue);
}

TEST(Queue, SortsForTheLast) {
  lfb_queue queue{};
  for (uint64_t i = 0; i < 1000; i++)
    ASSERT_TRUE(lfb_queue_add(&queue, {(i * 617) % 1000, 0, 0, false, false, false}));
  lfb_queue_sort(&queue);
  for (uint64_t i = 0; i < 1000; i++) ASSERT_EQ(lfb_queue_take_last(&queue).i, i);
  lfb_queue_free(&queue);
}

TEST(Said, IsCutAndHoldsNothingATerminalObeys) {
  lfb_said said;
  EXPECT_EQ(lfb_said_set(&said, LFB_ERROR_REDIS_LOST, "host", "gone\x1b[2J\r\n"),
            LFB_ERROR_REDIS_LOST);
  EXPECT_STREQ(said.text, "host: gone [2J  ");
  EXPECT_EQ(lfb_said_set(&said, LFB_OK, nullptr, std::string(1000, 'x').c_str()), LFB_OK);
  EXPECT_EQ(strlen(said.text), size_t{LFB_SAID_SIZE - 1});
  EXPECT_EQ(lfb_said_error(&said, LFB_ERROR_REDIS_LOST, "host", ENOENT), LFB_ERROR_REDIS_LOST);
  EXPECT_STREQ(said.text, "host: No such file or directory");
}

}  // namespace
