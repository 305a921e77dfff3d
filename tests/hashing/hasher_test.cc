// Hashes against known values, in pieces against the whole, and many against one by one.
#include "bloom/hashing/hasher.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/hashers.h"
#include "tests/support/murmur128_vectors.h"
#include "tests/support/race.h"
#include "tests/support/variants.h"

namespace {

std::string Counted(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; i++) bytes.push_back(static_cast<char>(200 + 37 * i));
  return bytes;
}

std::string Hex(lfb_hash hash) {
  std::string hex;
  for (uint64_t word : {hash.low, hash.high})
    for (int i = 0; i < 8; i++) {
      char two[3];
      snprintf(two, sizeof two, "%02x", static_cast<unsigned>(word >> (8 * i) & 0xff));
      hex += two;
    }
  return hex;
}

TEST(Murmur, Known128) {
  size_t size = 0;
  for (const char* expected : kMurmur128) {
    const std::string bytes = Counted(size++);
    EXPECT_EQ(Hex(lfb_murmur128(bytes.data(), bytes.size(), 0)), expected) << size - 1;
  }
  EXPECT_EQ(size, 49u);
}

// From the reference implementation's examples.
TEST(Murmur, Known32) {
  EXPECT_EQ(lfb_murmur32("", 0, 0), 0u);
  EXPECT_EQ(lfb_murmur32("", 0, 1), 0x514e28b7u);
  EXPECT_EQ(lfb_murmur32("", 0, 0xffffffff), 0x81f16f39u);
  EXPECT_EQ(lfb_murmur32("\0\0\0\0", 4, 0), 0x2362f9deu);
  EXPECT_EQ(lfb_murmur32("aaaa", 4, 0x9747b28c), 0x5a97808au);
  EXPECT_EQ(lfb_murmur32("aaa", 3, 0x9747b28c), 0x283e0130u);
  EXPECT_EQ(lfb_murmur32("Hello, world!", 13, 0x9747b28c), 0x24884cbau);
  EXPECT_EQ(lfb_murmur32("The quick brown fox jumps over the lazy dog", 43, 0x9747b28c),
            0x2fa826cdu);
}

// From OpenSSL's SIPHASH with c-rounds 1, d-rounds 3 and size 8, for the key 00 01 .. 0f and the
// message 00 01 .. of that size.
TEST(SipHash, Known13) {
  const std::pair<size_t, uint64_t> known[] = {
      {0, 0xdcc40f055801acab},  {1, 0x93ca577df39bf4c9},  {7, 0x4011b19b987d92d3},
      {8, 0x8e9a298d11959036},  {9, 0xe43d066cb38ea425},  {15, 0x5699512a6dd820d3},
      {16, 0x668b907d1add4fcc}, {17, 0x0cd8db639068f29c}, {63, 0xa8b3bbb76290199d}};
  const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::string bytes;
  for (int i = 0; i < 64; i++) bytes.push_back(static_cast<char>(i));
  for (const lfb_simd most : SimdLevels()) {
    const lfb_hasher hasher = HasherOf({LFB_KIND_SIPHASH13, 0, {key[0], key[1]}}, most);
    for (const auto& [size, big_endian] : known) {
      const uint64_t expected = __builtin_bswap64(big_endian);
      EXPECT_EQ(lfb_siphash13(bytes.data(), size, key), expected) << size;
      EXPECT_EQ(lfb_hasher_bytes(&hasher, bytes.data(), size).low, expected) << size;
      const std::vector<lfb_key> keys(9, {bytes.data(), size});
      std::vector<uint64_t> low(keys.size());
      lfb_hasher_bytes_many(&hasher, keys.data(), keys.size(), low.data(), nullptr);
      EXPECT_EQ(low, std::vector<uint64_t>(keys.size(), expected)) << size << " level " << most;
    }
    const std::vector<uint64_t> numbers(9, 0x0706050403020100);
    std::vector<uint64_t> low(numbers.size());
    lfb_hasher_u64_many(&hasher, numbers.data(), numbers.size(), low.data(), nullptr);
    EXPECT_EQ(low, std::vector<uint64_t>(numbers.size(), 0x369095118d299a8e)) << most;
    EXPECT_EQ(lfb_hasher_u64(&hasher, numbers[0]).low, 0x369095118d299a8e) << most;
  }
}

TEST(Fnv, Known) {
  EXPECT_EQ(lfb_fnv1a32(LFB_FNV32_BASIS, "", 0), 0x811c9dc5u);
  EXPECT_EQ(lfb_fnv1a32(LFB_FNV32_BASIS, "a", 1), 0xe40c292cu);
  EXPECT_EQ(lfb_fnv1a32(LFB_FNV32_BASIS, "foobar", 6), 0xbf9cf968u);
}

// Known values, seed 0.
TEST(Xxh64, Known) {
  const lfb_hasher hasher = HasherOf({LFB_KIND_XXH64, 0, {0, 0}});
  EXPECT_EQ(lfb_hasher_bytes(&hasher, "", 0).low, 0xef46db3751d8e999u);
  EXPECT_EQ(lfb_hasher_bytes(&hasher, "abc", 3).low, 0x44bc2cf5ad770999u);
  EXPECT_EQ(lfb_hasher_u64(&hasher, 0x6867666564636261).low,
            lfb_hasher_bytes(&hasher, "abcdefgh", 8).low);
}

constexpr lfb_hash_identity kIdentities[] = {{LFB_KIND_MURMUR128, 0, {0, 0}},
                                             {LFB_KIND_MURMUR32_PAIR, 0x0000000100000007, {0, 0}},
                                             {LFB_KIND_FNV1A32, 0, {0, 0}},
                                             {LFB_KIND_XXH3, 0, {0, 0}},
                                             {LFB_KIND_XXH3, 12345, {0, 0}},
                                             {LFB_KIND_SIPHASH13, 0, {1, 2}},
                                             {LFB_KIND_AES, 0, {1, 2}},
                                             {LFB_KIND_XXH64, 0, {0, 0}}};

// Each identity, by the instructions of each level.
std::vector<lfb_hasher> AllHashers() {
  std::vector<lfb_hasher> hashers;
  for (const lfb_hash_identity& identity : kIdentities)
    for (const lfb_simd most : SimdLevels()) hashers.push_back(HasherOf(identity, most));
  return hashers;
}

// A text that is put in pieces of any size, also empty ones.
struct Pieces {
  std::string text;
  uint64_t seed;
};

void PutPieces(const void* object, lfb_sink* sink) {
  const auto& [text, seed] = *static_cast<const Pieces*>(object);
  const size_t most = 1 + Mix(seed, 0) % (text.size() + 1);
  for (size_t at = 0, piece = 0; at < text.size(); at += piece) {
    piece = std::min(Mix(seed, at + 1) % (most + 1), text.size() - at);
    lfb_sink_put_bytes(sink, text.data() + at, piece);
    if (piece == 0) lfb_sink_put_bytes(sink, text.data() + at++, 1);
  }
}

// However a funnel cuts the bytes, their hash is that of the whole. Each size up to some bytes more
// than one piece of a sink (1 KiB), then every seventh. Seen to fail with these planted: bytes
// before a piece that are not the last of the piece before; `before` not counted; a piece hashed a
// byte too early.
TEST(Sink, PiecesEqualTheWhole) {
  for (const lfb_hasher& hasher : AllHashers())
    for (size_t size = 0; size <= 5000; size += size < 1200 ? 1 : 7) {
      const Pieces pieces = {Counted(size), size};
      ASSERT_EQ(Hex(lfb_sink_hash(&hasher, PutPieces, &pieces)),
                Hex(lfb_hasher_bytes(&hasher, pieces.text.data(), size)))
          << "kind " << hasher.identity.kind << " size " << size;
    }
}

// A funnel that calls others, which call others: 3 sequences of 11 sequences of 40 numbers.
TEST(Sink, FunnelsNest) {
  std::vector<int64_t> numbers;
  for (uint64_t i = 0; i < 3 * 11 * 40; i++) numbers.push_back(static_cast<int64_t>(Mix(9, i)));
  std::vector<lfb_sequence> rows, tables;
  std::string bytes;
  for (size_t i = 0; i < 33; i++)
    rows.push_back({&numbers[40 * i], 40, sizeof(int64_t), lfb_funnel_i64});
  for (size_t i = 0; i < 3; i++)
    tables.push_back({&rows[11 * i], 11, sizeof(lfb_sequence), lfb_funnel_sequence});
  const lfb_sequence all = {tables.data(), 3, sizeof(lfb_sequence), lfb_funnel_sequence};
  for (const int64_t number : numbers)
    for (int i = 0; i < 8; i++) bytes.push_back(static_cast<char>(number >> (8 * i)));
  for (const lfb_hasher& hasher : AllHashers())
    ASSERT_EQ(Hex(lfb_sink_hash(&hasher, lfb_funnel_sequence, &all)),
              Hex(lfb_hasher_bytes(&hasher, bytes.data(), bytes.size())))
        << "kind " << hasher.identity.kind;
}

// Many keys have the hashes of one by one, for every number of keys up to three vectors of the
// widest loop and some keys more.
TEST(Hasher, ManyEqualOneByOne) {
  constexpr size_t kMost = 100;
  std::vector<std::string> texts;
  std::vector<lfb_key> keys;
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < kMost; i++) {
    texts.push_back(Counted(Mix(3, i) % (i % 5 == 0 ? 1000 : 50)));
    numbers.push_back(Mix(4, i));
  }
  for (const std::string& text : texts) keys.push_back({text.data(), text.size()});
  for (const lfb_hasher& hasher : AllHashers())
    for (size_t count = 0; count <= kMost; count++) {
      std::vector<uint64_t> low(count + 1, 7), high(count + 1, 7), alone(count + 1, 7);
      const auto check = [&](size_t i, lfb_hash one) {
        ASSERT_EQ(low[i], one.low) << "kind " << hasher.identity.kind << " of " << count;
        ASSERT_EQ(alone[i], one.low);
        if (!lfb_hasher_takes_hashes(&hasher)) {
          ASSERT_EQ(high[i], one.high);
        }
      };
      lfb_hasher_bytes_many(&hasher, keys.data(), count, low.data(), high.data());
      lfb_hasher_bytes_many(&hasher, keys.data(), count, alone.data(), nullptr);
      for (size_t i = 0; i < count; i++)
        check(i, lfb_hasher_bytes(&hasher, keys[i].bytes, keys[i].size));
      lfb_hasher_u64_many(&hasher, numbers.data(), count, low.data(), high.data());
      lfb_hasher_u64_many(&hasher, numbers.data(), count, alone.data(), nullptr);
      for (size_t i = 0; i < count; i++) check(i, lfb_hasher_u64(&hasher, numbers[i]));
      EXPECT_EQ(low[count], 7u);
      EXPECT_EQ(high[count], 7u);
      EXPECT_EQ(alone[count], 7u);
    }
}

// A page of bytes between two pages that cannot be read: a read outside a key that begins or ends
// there is a crash.
class Fenced {
 public:
  Fenced() {
    void* made = mmap(nullptr, 3 * size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(made, MAP_FAILED);
    at_ = static_cast<char*>(made);
    EXPECT_EQ(mprotect(begin(), size_, PROT_READ | PROT_WRITE), 0);
    for (size_t i = 0; i < size_; i++) begin()[i] = static_cast<char>(Mix(5, i));
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  ~Fenced() { munmap(at_, 3 * size_); }
  char* begin() { return at_ + size_; }
  char* end() { return at_ + 2 * size_; }

 private:
  const size_t size_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char* at_ = nullptr;
};

constexpr size_t kLongest = 300;

// The size of key i: the same for all, almost the same, any, or a long key among short ones.
constexpr int kWays = 4;
size_t SizeOf(int way, size_t size, size_t i) {
  switch (way) {
    case 0: return size;
    case 1: return std::min(size + i % 3, kLongest);
    case 2: return Mix(size, i) % (kLongest + 1);
    default: return i % 8 == size % 8 ? size : size % 5;
  }
}

// Many keys of any sizes have the hashes of one by one.  No byte outside a key is read.
TEST(Hasher, ManyOfAnySizesReadOnlyTheKeys) {
  constexpr size_t kKeys = 19;
  Fenced fenced;
  for (const lfb_hasher& hasher : AllHashers())
    for (int way = 0; way < kWays; way++)
      for (size_t size = 0; size <= kLongest; size++) {
        std::vector<lfb_key> keys;
        std::vector<uint64_t> low(kKeys), high(kKeys);
        for (size_t i = 0; i < kKeys; i++) {
          const size_t own = SizeOf(way, size, i);
          keys.push_back({i % 2 == 0 ? fenced.begin() : fenced.end() - own, own});
        }
        lfb_hasher_bytes_many(&hasher, keys.data(), kKeys, low.data(), high.data());
        for (size_t i = 0; i < kKeys; i++) {
          // of a copy: other bytes are before it and after it
          const std::string copy(static_cast<const char*>(keys[i].bytes), keys[i].size);
          const lfb_hash one = lfb_hasher_bytes(&hasher, copy.data(), copy.size());
          ASSERT_EQ(low[i], one.low) << "kind " << hasher.identity.kind << " way " << way
                                     << " size " << keys[i].size << " key " << i;
          ASSERT_EQ(lfb_hasher_bytes(&hasher, keys[i].bytes, keys[i].size).low, one.low);
        }
      }
}

TEST(Hasher, IntegersAreTheirBytesOrTheirText) {
  const lfb_hasher murmur = HasherOf({LFB_KIND_MURMUR128, 0, {0, 0}});
  const lfb_hasher fnv = HasherOf({LFB_KIND_FNV1A32, 0, {0, 0}});
  const unsigned char bytes[8] = {8, 7, 6, 5, 4, 3, 2, 1};
  EXPECT_EQ(Hex(lfb_hasher_u64(&murmur, 0x0102030405060708)),
            Hex(lfb_murmur128(bytes, sizeof bytes, 0)));
  const int64_t values[] = {0, 7, -1, 1234567890123456789, INT64_MAX, INT64_MIN};
  for (int64_t value : values) {
    const std::string text = std::to_string(value);
    EXPECT_EQ(lfb_hasher_u64(&fnv, static_cast<uint64_t>(value)).low,
              lfb_fnv1a32(LFB_FNV32_BASIS, text.data(), text.size()))
        << value;
  }
}

}  // namespace
