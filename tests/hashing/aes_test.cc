// The AES hash: every row against known values of AES and POLYVAL, against a reference that is
// written here from the definition (bloom/hashing/aes.h), and against known hashes.
#include <gtest/gtest.h>

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

// ---- The reference ----------------------------------------------------------------

// AES's field of 256 elements.
uint8_t Times(uint8_t a, uint8_t b) {
  unsigned product = 0;
  for (int i = 7; i >= 0; i--) {
    product = product << 1 ^ (product >> 7) * 0x11b;
    product ^= (b >> i & 1) * a;
  }
  return static_cast<uint8_t>(product);
}

// The inverse, then AES's affine map.
std::array<uint8_t, 256> Substitution() {
  std::array<uint8_t, 256> box{};
  for (unsigned x = 0; x < 256; x++) {
    unsigned inverse = 0;
    for (unsigned y = 1; y < 256; y++)
      if (Times(static_cast<uint8_t>(x), static_cast<uint8_t>(y)) == 1) inverse = y;
    const unsigned twice = inverse << 8 | inverse;
    box[x] = static_cast<uint8_t>(0x63 ^ twice ^ twice >> 4 ^ twice >> 5 ^ twice >> 6 ^
                                  twice >> 7);
  }
  return box;
}

uint8_t Substitute(uint8_t byte) {
  static const std::array<uint8_t, 256> box = Substitution();
  return box[byte];
}

Block Round(const Block& block, bool mix) {
  Block moved, mixed;
  for (size_t i = 0; i < 16; i++) moved[i] = Substitute(block[(i + 4 * (i % 4)) % 16]);
  if (!mix) return moved;
  for (size_t i = 0; i < 16; i++) {
    const auto in = [&](size_t row) { return moved[i / 4 * 4 + (i + row) % 4]; };
    mixed[i] = static_cast<uint8_t>(Times(in(0), 2) ^ Times(in(1), 3) ^ in(2) ^ in(3));
  }
  return mixed;
}

using Rounds = std::array<Block, 11>;

Rounds Expand(const Block& key) {
  Rounds rounds{key};
  uint8_t constant = 1;
  for (size_t r = 1; r < rounds.size(); r++, constant = Times(constant, 2))
    for (size_t i = 0; i < 16; i++) {
      uint8_t add = i < 4 ? Substitute(rounds[r - 1][12 + (i + 1) % 4]) : rounds[r][i - 4];
      if (i == 0) add ^= constant;
      rounds[r][i] = rounds[r - 1][i] ^ add;
    }
  return rounds;
}

Block Encrypt(const Rounds& rounds, Block block) {
  block = block ^ rounds[0];
  for (size_t r = 1; r < rounds.size(); r++) block = Round(block, r < 10) ^ rounds[r];
  return block;
}

// RFC 8452: a * b * x^-128.
Block Dot(const Block& a, const Block& b) {
  uint64_t low = 0, high = 0;
  for (size_t i = 0; i < 128; i++) {
    if (b[i / 8] >> i % 8 & 1) low ^= Low(a), high ^= lfb_load_le64(a.data() + 8);
    const bool odd = low & 1;
    low = low >> 1 | high << 63;
    high = high >> 1 ^ (odd ? UINT64_C(0xe1) << 56 : 0);
  }
  return Bytes({low, high});
}

struct Reference {
  Rounds outer, inner;
  Block made[68];

  explicit Reference(const Block& key) : outer(Expand(key)) {
    for (uint8_t i = 0; i < 68; i++) made[i] = Encrypt(outer, Block{i});
    inner = Expand(made[0]);
  }

  Block Four(size_t i, Block x) const {
    for (size_t r = 0; r < 4; r++) x = Round(x ^ made[3 + 8 * (i / 2) + 2 * r + i % 2], true);
    return x;
  }

  // `size` bytes at `at`, 16 at most, then a byte, then zeros.
  static Block Padded(const uint8_t* at, size_t size, uint8_t byte) {
    Block block{};
    if (size > 0) memcpy(block.data(), at, size);
    if (size < block.size()) block[size] = byte;
    return block;
  }

  Block Middle(const uint8_t* at, size_t size) const {
    Block h{};
    size_t i = 0;
    for (; size > 16; size -= 16, at += 16) h = h ^ Four(i++, Padded(at, 16, 0));
    h = h ^ Padded(at, size, 0x80);
    return size == 16 ? h ^ made[1] : h;
  }

  Block Long(const uint8_t* at, size_t size) const {
    Block y{};
    for (size_t from = 0; from < size; from += 64) {
      const uint8_t* group = from + 64 < size ? at + from : at + size - 64;
      const Block* pair = &made[35 + from % 512 / 16];
      if (from % 512 == 0) y = Dot(y, made[2]);
      for (size_t i = 0; i < 2; i++)
        y = y ^ Dot(Padded(group + 16 * i, 16, 0) ^ pair[i],
                    Padded(group + 16 * i + 32, 16, 0) ^ pair[i + 2]);
    }
    Block length{};
    lfb_store_le64(length.data(), size);
    return y ^ length;
  }

  Block Hash128(const void* bytes, size_t size) const {
    const uint8_t* at = static_cast<const uint8_t*>(bytes);
    Block h;
    if (size > 128) {
      h = Long(at, size);
    } else if (size >= 16) {
      h = Middle(at, size);
    } else {
      h = Padded(at, size, 0);
      h[15] = static_cast<uint8_t>(size);
    }
    return Encrypt(inner, h);
  }

  uint64_t Bytes(const void* bytes, size_t size) const { return Low(Hash128(bytes, size)); }

  uint64_t Number(uint64_t number) const {
    Block block{};
    lfb_store_le64(block.data(), number);
    block[15] = 16;
    return Low(Encrypt(inner, block));
  }
};

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

TEST(AesHash, TheReferenceIsAesAndPolyval) {
  EXPECT_EQ(Expand(kExpanded)[10], kLastRound);
  EXPECT_EQ(Encrypt(Expand(Counting()), kPlain), kCipher);
  EXPECT_EQ(Dot(kA, kB), kDot);
  EXPECT_EQ(Dot(Dot(kX1, kH) ^ kX2, kH), kPolyval);
}

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
  for (uint8_t count = 0; count < 10; count++) {
    Block blocks[10] = {};
    for (uint8_t k = 0; k < count; k++) blocks[k] = kPlain ^ Block{k} ^ Secret(round[0]);
    encrypt(round, 10, blocks[0].data(), count);
    for (uint8_t k = 0; k < count; k++)
      EXPECT_EQ(blocks[k], Encrypt(Expand(Counting()), kPlain ^ Block{k})) << k;
    EXPECT_EQ(blocks[count], Block{});
  }
}

TEST(AesHash, PortableIsAesAndPolyval) {
  ExpectAes(lfb_aes_portable_encrypt);
  EXPECT_EQ(PortableDot(kA, kB), kDot);
  EXPECT_EQ(PortableDot(PortableDot(kX1, kH) ^ kX2, kH), kPolyval);
}

// Every pair of bits, so every place of a carry and every reduction.
TEST(AesHash, PortableProductsOfAllPairsOfBits) {
  for (unsigned i = 0; i < 128; i++)
    for (unsigned j = 0; j < 128; j += i % 8 == 0 ? 1 : 7) {
      Block a{}, b{};
      a[i / 8] = static_cast<uint8_t>(1u << i % 8);
      b[j / 8] = static_cast<uint8_t>(1u << j % 8);
      ASSERT_EQ(PortableDot(a, b), Dot(a, b)) << i << " " << j;
    }
  Block ones;
  ones.fill(0xff);
  EXPECT_EQ(PortableDot(ones, ones), Dot(ones, ones)); /* the greatest carries */
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
  const Reference reference(kH);
  for (uint8_t count : {0, 1, 2, 3, 4, 5, 32}) {
    uint8_t portable[33][16] = {}, vectors[33][16] = {};
    lfb_aes_counters(lfb_aes_portable_encrypt, kH.data(), 7, count, portable);
    lfb_aes_counters(lfb_aes128_encrypt, kH.data(), 7, count, vectors);
    EXPECT_EQ(memcmp(portable, vectors, sizeof portable), 0) << static_cast<int>(count);
    for (uint8_t i = 0; i < count; i++) EXPECT_EQ(Secret(portable[i]), reference.made[7 + i]);
    EXPECT_EQ(Secret(vectors[count]), Block{});
  }
}
#endif

// ---- Against the reference --------------------------------------------------------

TEST(AesHash, SecretsAreTheCounterBlocks) {
  const Reference reference(kH);
  lfb_aes_secrets secrets;
  lfb_aes_init(&secrets, kH.data());
  EXPECT_EQ(memcmp(secrets.round, reference.inner.data(), sizeof secrets.round), 0);
  EXPECT_EQ(Secret(secrets.round_full), reference.inner[0] ^ reference.made[1]);
  EXPECT_EQ(Secret(secrets.round_number), (reference.inner[0] ^ Block{0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                                      0, 0, 0, 0, 0, 16}));
  EXPECT_EQ(Secret(secrets.power), reference.made[2]);
  EXPECT_EQ(memcmp(secrets.four, &reference.made[3], sizeof secrets.four), 0);
  EXPECT_EQ(memcmp(secrets.pair, &reference.made[35], sizeof secrets.pair), 0);
  EXPECT_EQ(lfb_aes_check(kH.data()), Low(reference.made[67]));
}

TEST(AesHash, EveryLength) {
  const Reference reference(kH);
  std::vector<uint64_t> expected;
  for (size_t size = 0; size <= kLongest; size++)
    expected.push_back(reference.Bytes(Exact(size, size).bytes.get(), size));
  for (const Row& row : Rows()) {
    const lfb_hasher hasher = HasherBy(row, kH);
    for (size_t size = 0; size <= kLongest; size++)
      ASSERT_EQ(row.function->bytes(&hasher, Exact(size, size).bytes.get(), size).low,
                expected[size])
          << row.name << " " << size;
  }
}

TEST(AesHash, NoBytesMayLieAtNull) {
  const Reference reference(kH);
  for (const Row& row : Rows()) {
    const lfb_hasher hasher = HasherBy(row, kH);
    EXPECT_EQ(row.function->bytes(&hasher, nullptr, 0).low, reference.Bytes(nullptr, 0))
        << row.name;
  }
}

TEST(AesHash, Numbers) {
  const Reference reference(kH);
  for (const Row& row : Rows()) {
    const lfb_hasher hasher = HasherBy(row, kH);
    for (uint64_t i = 0; i < 200; i++) {
      const uint64_t number = i < 64 ? UINT64_C(1) << i : Mix(1, i);
      ASSERT_EQ(row.function->u64(&hasher, number).low, reference.Number(number))
          << row.name << " " << number;
    }
  }
}

// Every count up to three times the widest loop and some more; lengths of all kinds together.
TEST(AesHash, Many) {
  constexpr size_t kMost = 100;
  const Reference reference(kH);
  std::vector<Exact> exact;
  std::vector<lfb_key> keys;
  std::vector<uint64_t> numbers, of_keys, others, of_numbers;
  for (size_t i = 0; i < kMost; i++) {
    exact.emplace_back(i, Mix(2, i) % (i % 3 == 0 ? 700 : 40));
    keys.push_back({exact[i].bytes.get(), exact[i].size});
    numbers.push_back(Mix(3, i));
    of_keys.push_back(reference.Bytes(keys[i].bytes, keys[i].size));
    others.push_back(lfb_load_le64(reference.Hash128(keys[i].bytes, keys[i].size).data() + 8));
    of_numbers.push_back(reference.Number(numbers[i]));
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
    }
  }
}

// The hash that the tool keeps in place of a line.
TEST(AesHash, Hash128) {
  const Reference reference(kH);
  const Exact bytes(7, 600);
  std::unique_ptr<lfb_hash128, decltype(&free)> hash(lfb_hash128_create(kH.data()), free);
  ASSERT_TRUE(hash);
  for (size_t size = 0; size <= 600; size++) {
    const lfb_key key = {bytes.bytes.get(), size};
    uint64_t low, high;
    lfb_hash128_many(hash.get(), &key, 1, &low, &high);
    const Block expected = reference.Hash128(key.bytes, size);
    ASSERT_EQ(low, Low(expected)) << size;
    ASSERT_EQ(high, lfb_load_le64(expected.data() + 8)) << size;
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
    uint64_t all = 0;
    for (size_t size = 0; size <= kLongest; size++)
      all = 3 * all + row.function->bytes(&hasher, bytes.data(), size).low;
    EXPECT_EQ(all, 0x948b4a2924a1caaau) << row.name;
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
