// MurmurHash3 and FNV-1a against known values, and in pieces against whole.
#include "bloom/hasher.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/race.h"

namespace {

// murmur3_128 with seed 0 of the first i bytes of 200, 237, 18, 55, ... (each 37
// more than the last), as Guava 31.1 prints them: low and high, little-endian.
const char* const kMurmur128[] = {
    "00000000000000000000000000000000",
    "c351e54862d16ba4f6c1471e7ffa7605",
    "989ba6fe594830e31f11f6a7ca637c57",
    "4d995811c3c2921952b73dd9fcae3c14",
    "2cf9b00a56f0bf419a096702befe3598",
    "324647a1d38036181b96ac02300324f7",
    "a9e6ccf4f7dfa42715a7a171296b598e",
    "8d968485bf857bcf0be002270c292086",
    "d801d47131ad778c4bf19b9a66a2fb08",
    "549d2f82af48c0ef96d2ceeeb5eb0070",
    "c62d3fc33d4412edb0e7aeeb18cf595e",
    "8a6982a6d06d491b58be2d6711377b6d",
    "f87e24612c833611ddf33c6bfc504b27",
    "22d0c79d6d1430e607499d8d393ea12f",
    "e7346f1f7eae8a2028e699f2646f7065",
    "00184c5d84ca371212bf24df23c773a1",
    "fb2ab76963eb5d0185a576fcc7c90e38",
    "6e6452e0ff697f067284e261217fc577",
    "0bd5b4af42522ab584c9f61d6690798f",
    "e24d5bd03f149355e2a6f2d8a936da3f",
    "f27b065a5539d9abf2d14ab9537a242f",
    "2bc648da1f453ff53e5531b84b1a1f14",
    "553a9c1d959bdbd270b476d86cf46914",
    "a42a14984ed843620c08ad613c65592a",
    "ee30f6f81cd7738024f6b496388d8feb",
    "f9bbdd6ff2d268cb77f2b098176942fe",
    "91d65f9b6054e8d99092618a94f05fcc",
    "dd90ce989744d39d644e095c01e30114",
    "b003101d79b56947069ee95bc3563c90",
    "c6f82faf9bfa2106973179b4b4e8490f",
    "bd4d641914e970e71e9d49dc52d34eef",
    "7cdfe4c1eb4518b0c7228ff0cba2a955",
    "a60c9ea3126fcf5f3bd4d5655ac049a5",
    "64a7a36ec5e093ed638dc5f71cccd100",
    "88e450b96bb0d9c13bf27d15bcad8e9a",
    "57d043542e98f536eecea8071abbc800",
    "75a759ceac5db48ea5931a58df4a5b14",
    "4d334fa25e9df35d9e552dc34d15fe7d",
    "b56e2d5ce8625b6b3dc12250a10e37d1",
    "b4e73b9f8d4a91ae9a8c65228d109607",
    "660892e32c5a376d201acb550d6b314a",
    "2c0dcf773ceded6a867a364c8ad522fc",
    "32bbd11ba557b3b342da8f92f5fc22d4",
    "1325f5009b37218c1f5eb7d82379e78e",
    "adda3b8fba4fdddd6d25e4b0f941838b",
    "5b5b6fba96c5d526a76bf04551ce9956",
    "a771c256f5461c381c31dd7cf59f3540",
    "ab7ab900a87f6f76d698f8ee15821d35",
    "9366c51f48fc918c2e2dc8268023244c",
};

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

// From the reference implementation's own examples.
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

// As OpenSSL's SIPHASH with c-rounds 1, d-rounds 3 and size 8 gives them, for the
// key 00 01 .. 0f and the message 00 01 .. of that size.
TEST(SipHash, Known13) {
  const std::pair<size_t, uint64_t> known[] = {
      {0, 0xdcc40f055801acab},  {1, 0x93ca577df39bf4c9},  {7, 0x4011b19b987d92d3},
      {8, 0x8e9a298d11959036},  {9, 0xe43d066cb38ea425},  {15, 0x5699512a6dd820d3},
      {16, 0x668b907d1add4fcc}, {17, 0x0cd8db639068f29c}, {63, 0xa8b3bbb76290199d}};
  const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::string bytes;
  for (int i = 0; i < 64; i++) bytes.push_back(static_cast<char>(i));
  for (const auto& [size, big_endian] : known)
    EXPECT_EQ(lfb_siphash13(bytes.data(), size, key), __builtin_bswap64(big_endian)) << size;
}

TEST(Fnv, Known) {
  EXPECT_EQ(lfb_fnv1a32(LFB_FNV32_BASIS, "", 0), 0x811c9dc5u);
  EXPECT_EQ(lfb_fnv1a32(LFB_FNV32_BASIS, "a", 1), 0xe40c292cu);
  EXPECT_EQ(lfb_fnv1a32(LFB_FNV32_BASIS, "foobar", 6), 0xbf9cf968u);
}

// Any way of cutting the bytes gives the hash of the whole.
TEST(HashStream, PiecesEqualTheWhole) {
  const lfb_hasher hashers[] = {{LFB_KIND_MURMUR128, 0, {0, 0}},
                                {LFB_KIND_MURMUR32_PAIR, 0x0000000100000007, {0, 0}},
                                {LFB_KIND_FNV1A32, 0, {0, 0}},
                                {LFB_KIND_XXH3, 0, {0, 0}},
                                {LFB_KIND_XXH3, 12345, {0, 0}},
                                {LFB_KIND_SIPHASH13, 0, {1, 2}}};
  for (const lfb_hasher& hasher : hashers)
    for (size_t size = 0; size < 600; size += size < 100 ? 1 : 37) {
      const std::string bytes = Counted(size);
      const std::string whole = Hex(lfb_hasher_bytes(&hasher, bytes.data(), size));
      for (uint64_t cut = 0; cut < 8; cut++) {
        lfb_hash_stream stream;
        lfb_hash_stream_init(&stream, &hasher);
        for (size_t at = 0, piece = 0; at < size; at += piece) {
          piece = Mix(size, at + 1000 * cut) % (size - at + 1);
          lfb_hash_stream_put(&stream, bytes.data() + at, piece);
          if (piece == 0) piece = 1, lfb_hash_stream_put(&stream, bytes.data() + at, 1);
        }
        ASSERT_EQ(Hex(lfb_hash_stream_finish(&stream)), whole)
            << "kind " << hasher.kind << " size " << size;
      }
    }
}

TEST(Hasher, IntegersAreTheirBytesOrTheirText) {
  const lfb_hasher murmur = {LFB_KIND_MURMUR128, 0, {0, 0}}, fnv = {LFB_KIND_FNV1A32, 0, {0, 0}};
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
