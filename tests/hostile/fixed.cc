// fixed.cc - keys against hashes without a secret: murmur3 and XXH64.
#include "tests/hostile/attacks.h"

#include "bloom/hashing/hasher.h"

namespace hostile {

namespace {

uint64_t UnmixLow(uint64_t mixed) {
  return lfb_rotate64(mixed * Inverse(0x4cf5ad432745937f), 33) *
         Inverse(0x87c37b91114253d5);
}

uint64_t UnmixHigh(uint64_t mixed) {
  return lfb_rotate64(mixed * Inverse(0x87c37b91114253d5), 31) * Inverse(0x4cf5ad432745937f);
}

uint32_t Unmix32(uint32_t mixed) {
  const auto inverse = [](uint32_t odd) { return static_cast<uint32_t>(Inverse(odd)); };
  return lfb_rotate32(mixed * inverse(0x1b873593), 17) * inverse(0xcc9e2d51);
}

// All keys that choose, for each i, one of the two texts of part i (both of the same size).
std::vector<std::string> Choices(const std::vector<std::pair<std::string, std::string>>& parts) {
  std::vector<std::string> keys(size_t{1} << parts.size());
  for (size_t i = 0; i < keys.size(); i++)
    for (size_t part = 0; part < parts.size(); part++)
      keys[i] += i >> part & 1 ? parts[part].second : parts[part].first;
  return keys;
}

}  // namespace

// A block's first word is mixed. A difference of 2^36 in the mixed word becomes, rotated by 27, a
// difference of the top bit, which addition and multiplication by 5 preserve. 2^32 in the second
// word meets it there and cancels it in the other half; 2^63 in the next block's first word
// cancels it in this half.
//
// Source of the idea: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.
std::vector<std::string> SameMurmur128(unsigned pairs) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (uint64_t i = 0; i < pairs; i++) {
    const uint64_t first = lfb_murmur128_mix_low(4 * i + 1);
    const uint64_t second = lfb_murmur128_mix_high(4 * i + 2);
    const uint64_t third = lfb_murmur128_mix_low(4 * i + 3);
    parts.emplace_back(
        Bytes({4 * i + 1, 4 * i + 2, 4 * i + 3, 4 * i + 4}),
        Bytes({UnmixLow(first ^ UINT64_C(1) << 36), UnmixHigh(second ^ UINT64_C(1) << 32),
               UnmixLow(third ^ UINT64_C(1) << 63), 4 * i + 4}));
  }
  return Choices(parts);
}

// The same for blocks of one word: rotated by 13, 2^18 is the top bit, and the next block
// cancels it.
std::vector<std::string> SameMurmur32(unsigned pairs) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (uint32_t i = 0; i < pairs; i++) {
    const uint32_t first = lfb_murmur32_mix(2 * i + 1), second = lfb_murmur32_mix(2 * i + 2);
    const auto two = [](uint64_t low, uint64_t high) { return Bytes({low | high << 32}); };
    parts.emplace_back(two(2 * i + 1, 2 * i + 2), two(Unmix32(first ^ UINT32_C(1) << 18),
                                                      Unmix32(second ^ UINT32_C(1) << 31)));
  }
  return Choices(parts);
}

// A lane adds a multiple of a word, rotates and multiplies; all constants are known. The second
// stripe of 32 bytes returns each lane to its first state, for any first stripe.
std::vector<std::string> SameXxh64(unsigned count) {
  const uint64_t prime1 = UINT64_C(0x9e3779b185ebca87), prime2 = UINT64_C(0xc2b2ae3d27d4eb4f);
  const uint64_t lanes[] = {prime1 + prime2, prime2, 0, 0 - prime1};
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < count; i++) {
    std::vector<uint64_t> words;
    for (uint64_t lane = 0; lane < 4; lane++) words.push_back(4 * i + lane);
    for (unsigned lane = 0; lane < 4; lane++) {
      const uint64_t after = lfb_rotate64(lanes[lane] + words[lane] * prime2, 31) * prime1;
      words.push_back((0 - after) * Inverse(prime2));  // the lane is 0
    }
    keys.push_back(Bytes(words));
  }
  return keys;
}

uint64_t UnfinishMurmur(uint64_t h) {
  h = (h ^ h >> 33) * Inverse(LFB_MURMUR_FINISH_2);
  h = (h ^ h >> 33) * Inverse(LFB_MURMUR_FINISH_1);
  return h ^ h >> 33;
}

// Every step of lfb_murmur128_finish() and of lfb_murmur128_block(), backwards.
std::string WithMurmur128(uint64_t low, uint64_t high) {
  high -= low;
  low -= high;
  high = UnfinishMurmur(high);
  low = UnfinishMurmur(low);
  high -= low;
  low -= high;
  low ^= 16;
  high ^= 16;
  const uint64_t first = lfb_rotate64((low - 0x52dce729) * Inverse(5), 64 - 27);
  const uint64_t second = lfb_rotate64((high - 0x38495ab5) * Inverse(5) - low, 64 - 31);
  return Bytes({UnmixLow(first), UnmixHigh(second)});
}

}  // namespace hostile
