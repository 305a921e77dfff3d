// swap.cc - finds the seed of XXH3 from answers, or from lines.
//
// For a key of 32 bytes XXH3 takes the words a, b of each half as the product of a ^ (S + seed)
// and b ^ (T - seed); S and T are in its source. A product does not change if its factors are
// swapped. With V = (S + seed) ^ (T - seed), the words b ^ V, a ^ V give the same product, so
// both keys have one hash. V is S + T with the borrows of a subtraction, and the source
// determines about half of them: some 2^30 values remain, and few of those have most of the
// probability.
//
// A put of a, a ^ D and a query for c, c ^ D test the single V = a ^ c ^ D; many puts and many
// queries test all pairs of them. So puts range over one half's likely bits, queries over the
// other's: 2^16 puts and some 2^18 queries find V, 99 times in 100. Two such Vs leave few seeds,
// and each can be tested.
//
// By lines, nothing needs to be put: two keys with one hash have one line, and keys that share
// their lines in three rounds are swapped ones.
#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "bloom/hashing/hasher.h"
#include "tests/hostile/attacks.h"

namespace hostile {

namespace {

constexpr size_t kPut = 1 << 16;    // the most halves of V to put
constexpr size_t kAsked = 1 << 19;  // the most halves of V to query
constexpr unsigned kRounds = 3;     // queries that must all give the same answer

using Words = std::vector<uint64_t>;  // of a key

// The words of the key that are multiplied, and their S and T.
struct Pair {
  size_t first;
  uint64_t s, t;
};
Pair Half(size_t half) {
  return {2 * half, lfb_load_le64(XXH3_kSecret + 16 * half),
          lfb_load_le64(XXH3_kSecret + 16 * half + 8)};
}

// The likeliest values of bits `from` to `from` + 31 of V, by the number of random bits on which
// their borrows of S + T - x depend, for a random x.
Words Likeliest(const Pair& pair, unsigned from, size_t most) {
  struct Borrows {
    unsigned coins;
    uint64_t bits;
    bool now;  // of the next bit
  };
  const uint64_t sum = pair.s + pair.t;
  std::vector<Borrows> all = {{0, 0, false}};
  if (from > 0) all.push_back({0, 0, true});
  for (unsigned i = from; i < from + 32; i++) {
    std::vector<Borrows> next;
    for (Borrows& borrows : all) {
      borrows.bits |= uint64_t{borrows.now} << i;
      // 0 - x - 1 always borrows, 1 - x - 0 never; otherwise x decides.
      if (i == from + 31 || borrows.now != (sum >> i & 1)) {
        next.push_back(borrows);
        continue;
      }
      next.push_back({borrows.coins + 1, borrows.bits, false});
      next.push_back({borrows.coins + 1, borrows.bits, true});
    }
    std::sort(next.begin(), next.end(), [](const Borrows& a, const Borrows& b) {
      return std::tie(a.coins, a.bits) < std::tie(b.coins, b.bits);
    });
    if (next.size() > most) next.resize(most);
    all = std::move(next);
  }
  Words halves;
  const uint64_t mask = UINT64_C(0xffffffff) << from;
  for (const Borrows& borrows : all) halves.push_back((sum ^ borrows.bits) & mask);
  return halves;
}

Words RandomWords(std::mt19937_64* random) {
  return {(*random)(), (*random)(), (*random)(), (*random)()};
}

std::string Key(Words words, const Pair& pair, uint64_t a, uint64_t b) {
  words[pair.first] = a;
  words[pair.first + 1] = b;
  return Bytes(words);
}

// The key with the same hash, if V is right.
std::string Swapped(const Words& words, const Pair& pair, uint64_t v) {
  return Key(words, pair, words[pair.first + 1] ^ v, words[pair.first] ^ v);
}

// The attack on one target.
struct Attack {
  Target* target;
  By by;
  std::mt19937_64* random;

  // Keys to test a guess with.
  std::vector<Words> Fresh() const {
    std::vector<Words> keys(2 * kRounds);
    for (Words& words : keys) {
      words = RandomWords(random);
      if (by == By::kAnswers) target->Put(Bytes(words));
    }
    return keys;
  }

  std::optional<uint64_t> LearnV(const Pair& pair) const {
    Words put = Likeliest(pair, 0, kAsked), asked = Likeliest(pair, 32, kAsked);
    if (put.size() > asked.size()) std::swap(put, asked);
    if (put.size() > kPut) put.resize(kPut);
    // The common part of all puts of one round, and of all its queries; and its D.
    std::vector<std::pair<Words, uint64_t>> rounds(kRounds);
    for (auto& [words, d] : rounds) {
      words = RandomWords(random);
      d = (*random)();
    }
    const std::vector<Words> fresh = Fresh();
    const auto right = [&](uint64_t v) {
      return std::all_of(fresh.begin(), fresh.end(), [&](const Words& words) {
        const std::string other = Swapped(words, pair, v);
        return by == By::kAnswers ? target->Ask(other)
                                  : target->Line(other) == target->Line(Bytes(words));
      });
    };
    // By lines: the halves that were "put", by their lines in all rounds.
    std::unordered_multimap<uint64_t, uint64_t> halves;
    for (const uint64_t a : put) {
      uint64_t lines = 0;
      for (const auto& [words, d] : rounds) {
        const std::string key = Key(words, pair, a, a ^ d);
        if (by == By::kAnswers) target->Put(key);
        else lines = lines * target->Lines() + target->Line(key);
      }
      if (by == By::kLines) halves.emplace(lines, a);
    }
    for (const uint64_t half : asked) {
      uint64_t lines = 0;
      bool all = true;
      for (const auto& [words, d] : rounds) {
        const std::string key = Key(words, pair, half ^ d, half);
        if (by == By::kLines) lines = lines * target->Lines() + target->Line(key);
        else if (!(all = target->Ask(key))) break;
      }
      const auto [first, last] = halves.equal_range(lines);
      for (auto at = first; at != last; ++at)
        if (right(half ^ at->second)) return half ^ at->second;
      if (by == By::kLines || !all) continue;
      for (const uint64_t a : put)
        if (right(half ^ a)) return half ^ a;
    }
    return std::nullopt;
  }
};

// A seed that `found` accepts, of those that give each half of a key its V: bits 0 to `bits` - 1
// are those of `seed`, and the borrows from them are those required.
template <typename Found>
std::optional<uint64_t> FindSeed(const uint64_t v[2], uint64_t seed, unsigned bits,
                                 const Found& found) {
  if (bits == 64) return found(seed) ? std::optional<uint64_t>(seed) : std::nullopt;
  for (const uint64_t bit : {0, 1}) {
    const uint64_t more = seed | bit << bits, mask = (UINT64_C(2) << bits) - 1;
    bool fits = true;
    for (size_t half = 0; half < 2 && bits < 63; half++) {  // there is no bit after the last
      const Pair pair = Half(half);
      const uint64_t sum = pair.s + pair.t;
      fits &= (((pair.s + more) & mask) > (sum & mask)) == ((v[half] ^ sum) >> (bits + 1) & 1);
    }
    if (!fits) continue;
    if (const auto one = FindSeed(v, more, bits + 1, found)) return one;
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> LearnSeed(Target* target, By by, std::mt19937_64* random) {
  const Attack attack = {target, by, random};
  uint64_t v[2];
  for (const size_t half : {1, 0}) {
    const auto learnt = attack.LearnV(Half(half));
    if (!learnt) return std::nullopt;
    v[half] = *learnt;
  }
  const std::vector<Words> fresh = attack.Fresh();
  return FindSeed(v, 0, 0, [&](uint64_t seed) {
    return std::all_of(fresh.begin(), fresh.end(), [&](const Words& words) {
      const uint64_t number = NumberFor(Bytes(words), seed);
      return by == By::kAnswers ? target->AskU64(number)
                                : target->LineU64(number) == target->Line(Bytes(words));
    });
  });
}

uint64_t NumberFor(const std::string& key, uint64_t seed) {
  return UnfinishMurmur(XXH3_64bits_withSeed(key.data(), key.size(), seed)) ^ seed;
}

std::string LikelySwapped(const std::string& key) {
  Words words;
  for (size_t i = 0; i < 4; i++)
    words.push_back(lfb_load_le64(reinterpret_cast<const unsigned char*>(key.data()) + 8 * i));
  return Swapped(words, Half(1), Likeliest(Half(1), 0, 1)[0] | Likeliest(Half(1), 32, 1)[0]);
}

}  // namespace hostile
