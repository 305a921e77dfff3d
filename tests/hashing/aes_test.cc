// The AES hash: every row against known values of AES and POLYVAL, against the portable row, and
// against known hashes.  A second implementation of the definition (bloom/hashing/aes.h) gave them;
// it is in this file's history.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bloom/hashing/aes128.h"
#include "bloom/hashing/aes_derive.h"
#include "bloom/hashing/hash128.h"
#include "tests/support/hashers.h"
#include "tests/support/race.h"
#include "tests/support/skip.h"

namespace {

using Block = std::array<uint8_t, 16>;

Block Hex(const char* text) {
  Block block;
  for (uint8_t& byte : block) {
    byte = static_cast<uint8_t>(std::stoi(std::string(text, 2), nullptr, 16));
    text += 2;
  }
  return block;
}

Block operator^(const Block& a, const Block& b) {
  Block sum;
  for (size_t i = 0; i < sum.size(); i++) sum[i] = a[i] ^ b[i];
  return sum;
}

uint64_t Low(const Block& block) { return lfb_load_le64(block.data()); }

Block Secret(const uint8_t bytes[16]) {
  Block block;
  memcpy(block.data(), bytes, block.size());
  return block;
}

Block Bytes(lfb_aes_words words) {
  Block block;
  lfb_store_le64(block.data(), words.low);
  lfb_store_le64(block.data() + 8, words.high);
  return block;
}

// ---- The rows ---------------------------------------------------------------------

struct Row {
  const char* name;
  const lfb_hash_function* function;
};

// The rows that this processor can run.
std::vector<Row> Rows() {
  std::vector<Row> rows{{"portable", &lfb_hash_aes}};
#ifdef LFB_AES_COMPILED
  if (lfb_simd_has_aes(LFB_SIMD_AES)) rows.push_back({"128", &lfb_hash_aes128});
#endif
#ifdef LFB_SIMD_X86
  if (lfb_simd_has_aes(LFB_SIMD_AVX2)) rows.push_back({"256", &lfb_hash_aes256});
  if (lfb_simd_has_aes(LFB_SIMD_AVX512)) rows.push_back({"512", &lfb_hash_aes512});
#endif
  return rows;
}

Block Counting() { return Hex("000102030405060708090a0b0c0d0e0f"); }

lfb_hasher HasherBy(const Row& row, const Block& key = Counting()) {
  lfb_hasher hasher = HasherOf(lfb_hash_with_key(LFB_KIND_AES, key.data()));
  hasher.function = row.function;
  return hasher;
}

// Bytes in memory of their own, so that AddressSanitizer sees every byte that is read beyond them.
struct Exact {
  std::unique_ptr<uint8_t[]> bytes;
  size_t size;

  Exact(uint64_t seed, size_t count) : bytes(new uint8_t[count]), size(count) {
    for (size_t i = 0; i < size; i++) bytes[i] = static_cast<uint8_t>(Mix(seed, i));
  }
};

constexpr size_t kLongest = 2200;

// ---- Known values -----------------------------------------------------------------

// FIPS-197, appendices A.1 and C.1.
const Block kExpanded = Hex("2b7e151628aed2a6abf7158809cf4f3c");
const Block kLastRound = Hex("d014f9a8c9ee2589e13f0cc8b6630ca6");
const Block kPlain = Hex("00112233445566778899aabbccddeeff");
const Block kCipher = Hex("69c4e0d86a7b0430d8cdb78070b4c55a");

// RFC 8452, appendix A: dot(a, b), and POLYVAL(H, X_1, X_2).
const Block kA = Hex("66e94bd4ef8a2c3b884cfa59ca342b2e");
const Block kB = Hex("ff000000000000000000000000000000");
const Block kDot = Hex("ebe563401e7e91ea3ad6426b8140c394");
const Block kH = Hex("25629347589242761d31f826ba4b757b");
const Block kX1 = Hex("4f4f95668c83dfb6401762bb2d01a262");
const Block kX2 = Hex("d1a24ddd2721d006bbe45f20d3c9f362");
const Block kPolyval = Hex("f7a3b47b846119fae5b7866cf5e5b77e");

lfb_aes_words Words(const Block& block) {
  return {Low(block), lfb_load_le64(block.data() + 8)};
}

Block PortableDot(const Block& a, const Block& b) {
  return Bytes(lfb_aes_portable_dot(Words(a), Words(b)));
}

// An lfb_aes_encrypt is AES, for any number of blocks.
void ExpectAes(lfb_aes_encrypt encrypt) {
  alignas(16) uint8_t round[11][16];
  lfb_aes_expand(encrypt, round, kExpanded.data());
  EXPECT_EQ(Secret(round[10]), kLastRound);
  lfb_aes_expand(encrypt, round, Counting().data());
  for (size_t count = 0; count < 10; count++) {
    Block blocks[10] = {};
    std::fill_n(blocks, count, kPlain ^ Secret(round[0]));
    encrypt(round, 10, blocks[0].data(), count);
    for (size_t k = 0; k < count; k++) EXPECT_EQ(blocks[k], kCipher) << k;
    EXPECT_EQ(blocks[count], Block{});
  }
}

TEST(AesHash, PortableIsAesAndPolyval) {
  ExpectAes(lfb_aes_portable_encrypt);
  EXPECT_EQ(PortableDot(kA, kB), kDot);
  EXPECT_EQ(PortableDot(PortableDot(kX1, kH) ^ kX2, kH), kPolyval);
}

#ifdef LFB_AES_COMPILED
LFB_AES_TARGET Block VectorDot(const Block& a, const Block& b) {
  Block out;
  lfb_aes_store(out.data(),
                lfb_aes_reduce(lfb_aes_multiply(lfb_aes_load(a.data()), lfb_aes_load(b.data()))));
  return out;
}

TEST(AesHash, VectorsAreAesAndPolyval) {
  if (!lfb_simd_has_aes(LFB_SIMD_AES)) return NotHere("no AES instructions");
  ExpectAes(lfb_aes128_encrypt);
  EXPECT_EQ(VectorDot(kA, kB), kDot);
  EXPECT_EQ(VectorDot(VectorDot(kX1, kH) ^ kX2, kH), kPolyval);
}

// The blocks that secrets are made of are alike with and without instructions.
TEST(AesHash, CountersAreAlike) {
  if (!lfb_simd_has_aes(LFB_SIMD_AES)) return NotHere("no AES instructions");
  for (uint8_t count : {0, 1, 2, 3, 4, 5, 32}) {
    uint8_t portable[33][16] = {}, vectors[33][16] = {};
    lfb_aes_counters(lfb_aes_portable_encrypt, kH.data(), 7, count, portable);
    lfb_aes_counters(lfb_aes128_encrypt, kH.data(), 7, count, vectors);
    EXPECT_EQ(memcmp(portable, vectors, sizeof portable), 0) << static_cast<int>(count);
    EXPECT_EQ(Secret(vectors[count]), Block{});
  }
}
#endif

// ---- Against the portable row -----------------------------------------------------

TEST(AesHash, EveryLength) {
  const lfb_hasher portable = HasherBy(Rows()[0], kH);
  for (const Row& row : Rows()) {
    const lfb_hasher hasher = HasherBy(row, kH);
    EXPECT_EQ(row.function->bytes(&hasher, nullptr, 0).low,
              lfb_hash_aes.bytes(&portable, "", 0).low);
    for (size_t size = 0; size <= kLongest; size++) {
      const Exact key(size, size);
      ASSERT_EQ(row.function->bytes(&hasher, key.bytes.get(), size).low,
                lfb_hash_aes.bytes(&portable, key.bytes.get(), size).low)
          << row.name << " " << size;
    }
  }
}

// Every count up to three times the widest loop and some more; lengths of all kinds together; the
// hash that the tool keeps in place of a line, too.
TEST(AesHash, Many) {
  constexpr size_t kMost = 100;
  const lfb_hasher portable = HasherBy(Rows()[0], kH);
  std::vector<Exact> exact;
  std::vector<lfb_key> keys;
  std::vector<uint64_t> numbers, of_keys(kMost), others(kMost), of_numbers;
  for (size_t i = 0; i < kMost; i++) {
    exact.emplace_back(i, Mix(2, i) % (i % 3 == 0 ? 700 : 40));
    keys.push_back({exact[i].bytes.get(), exact[i].size});
    numbers.push_back(i < 64 ? UINT64_C(1) << i : Mix(3, i));
    of_numbers.push_back(lfb_hash_aes.u64(&portable, numbers[i]).low);
    lfb_hash_aes.bytes_many(&portable, &keys[i], 1, &of_keys[i], &others[i]);
  }
  for (const Row& row : Rows()) {
    const lfb_hasher hasher = HasherBy(row, kH);
    for (size_t count = 0; count <= kMost; count++) {
      std::vector<uint64_t> low(count), expected(of_keys.begin(), of_keys.begin() + count);
      row.function->bytes_many(&hasher, keys.data(), count, low.data(), nullptr);
      ASSERT_EQ(low, expected) << row.name;
      std::vector<uint64_t> high(count);
      low.assign(count, 0);
      row.function->bytes_many(&hasher, keys.data(), count, low.data(), high.data());
      ASSERT_EQ(low, expected) << row.name;
      expected.assign(others.begin(), others.begin() + count);
      ASSERT_EQ(high, expected) << row.name;
      expected.assign(of_numbers.begin(), of_numbers.begin() + count);
      lfb_hasher_u64_many(&hasher, numbers.data(), count, low.data(), nullptr);
      ASSERT_EQ(low, expected) << row.name;
      if (count < kMost) {
        ASSERT_EQ(row.function->u64(&hasher, numbers[count]).low, of_numbers[count]) << row.name;
      }
    }
  }
  const std::unique_ptr<lfb_hash128, decltype(&free)> hash(lfb_hash128_create(kH.data()), free);
  ASSERT_TRUE(hash);
  for (size_t i = 0; i < kMost; i++) {
    uint64_t low, high;
    lfb_hash128_many(hash.get(), &keys[i], 1, &low, &high);
    ASSERT_EQ(low, of_keys[i]);
    ASSERT_EQ(high, others[i]);
  }
}

// ---- Known hashes -----------------------------------------------------------------

// For the key 00 01 .. 0f; keys are the bytes 00 01 .. ff 00 .. of each size.  These never change:
// they are in files.
TEST(AesHash, Known) {
  const std::pair<uint64_t, uint64_t> numbers[] = {
      {0, 0x569be406a2f87601},
      {1, 0xdb3fb9134054df61},
      {255, 0x1b747fde0c1a9a1a},
      {0x0123456789abcdef, 0xf41ca33c753c16ba},
      {UINT64_MAX, 0x2ffdf62c98c62657}};
  const std::pair<size_t, uint64_t> sizes[] = {
      {0, 0xd349a927798f572c}, {1, 0x3a21a4b8661a5bb7}, {2, 0x6793707aa922b51b},
      {3, 0x341c2be359c15c02}, {4, 0x12c20559aa6f4bfe}, {7, 0x2f29c5d9e02412ee},
      {8, 0x685a2c5d419c0e6b}, {12, 0xdcad11e664607c9f}, {15, 0x3ae96c562e9be8f0},
      {16, 0x74fb124f74a0fa77}, {17, 0x005945bfe155cdc0}, {24, 0xc38f18ab0293597c},
      {31, 0xe0c4224f13010c24}, {32, 0x887e66d89c590a7a}, {33, 0x92213aa575a5ef04},
      {36, 0xd39d6c5a72703a6b}, {63, 0x172aa5a57313dbaa}, {64, 0xd1e27380195dc790},
      {65, 0x3462d6150ba1498c}, {100, 0xe70007450760716e}, {127, 0x695a0003149b21db},
      {128, 0xda320f00bd52af91}, {129, 0xdc056492c5e7999d}, {511, 0x1bc72650945cee2a},
      {512, 0x829eb29be6a9c550}, {513, 0x7aecf5851931015f}, {576, 0x9ed8e0eef131f00b},
      {1000, 0x3e445de124445dc8}, {1024, 0xfe9ccfefeeda2c34}, {1025, 0x1f6f35cbf30fdbac},
      {2048, 0x575db7b3c4c6c5b0}, {2200, 0x6b74b634c077a803}};
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < kLongest; i++) bytes.push_back(static_cast<uint8_t>(i));
  for (const Row& row : Rows()) {
    const lfb_hasher hasher = HasherBy(row);
    for (const auto& [number, hash] : numbers)
      EXPECT_EQ(row.function->u64(&hasher, number).low, hash) << row.name << " " << number;
    for (const auto& [size, hash] : sizes)
      EXPECT_EQ(row.function->bytes(&hasher, bytes.data(), size).low, hash)
          << row.name << " " << size;
    uint64_t all = 0, others = 0;
    for (size_t size = 0; size <= kLongest; size++) {
      const lfb_key key = {bytes.data(), size};
      uint64_t low, high;
      row.function->bytes_many(&hasher, &key, 1, &low, &high);
      all = 3 * all + row.function->bytes(&hasher, bytes.data(), size).low;
      others = 3 * others + high;
    }
    EXPECT_EQ(all, 0x948b4a2924a1caaau) << row.name;
    EXPECT_EQ(others, 0xb1df4e56bba814b4u) << row.name;
  }
}

// Each level has the widest row that the processor has for it.
TEST(AesHash, RowsOfLevels) {
  const lfb_hash_identity identity = lfb_hash_with_key(LFB_KIND_AES, kH.data());
  EXPECT_EQ(HasherOf(identity, LFB_SIMD_NONE).function, &lfb_hash_aes);
  const std::vector<Row> rows = Rows();
  EXPECT_EQ(HasherOf(identity).function, rows.back().function);
#ifdef LFB_SIMD_X86
  if (lfb_simd_has_aes(LFB_SIMD_AES)) {
    EXPECT_EQ(HasherOf(identity, LFB_SIMD_AES).function, &lfb_hash_aes128);
  }
  if (lfb_simd_has_aes(LFB_SIMD_AVX2)) {
    EXPECT_EQ(HasherOf(identity, LFB_SIMD_AVX2).function, &lfb_hash_aes256);
  }
#endif
}

}  // namespace
