#include "tests/hostile/swap.h"

#include <algorithm>

#include "bloom/hashing/hasher.h"
#include "tests/hostile/fixed.h"

namespace hostile {

namespace {

constexpr size_t kWords = 4;  // per key

uint64_t Secret(size_t at) { return lfb_load_le64(XXH3_kSecret + at); }

// The words of the key that are multiplied, and their S + T.
struct Pair {
  size_t first;
  uint64_t s, t;
  uint64_t Sum() const { return s + t; }
};
Pair FirstHalf() { return {0, Secret(0), Secret(8)}; }
Pair SecondHalf() { return {2, Secret(16), Secret(24)}; }

// Half of the borrows of S + T - x for a random x, and the number of random bits that they
// depend on.
struct Borrows {
  unsigned coins;
  uint64_t bits;
  bool now;  // of the next bit
};

// The likeliest values of bits `from` to `from` + 31 of V.
std::vector<uint64_t> Halves(uint64_t sum, unsigned from, size_t most) {
  std::vector<Borrows> all = {{0, 0, false}};
  if (from > 0) all.push_back({0, 0, true});
  for (unsigned i = from; i < from + 32; i++) {
    const bool one = sum >> i & 1, last = i == from + 31;
    std::vector<Borrows> next;
    for (Borrows& borrows : all) {
      borrows.bits |= uint64_t{borrows.now} << i;
      // 0 - x - 1 always borrows, 1 - x - 0 never; otherwise x decides.
      if (last || borrows.now != one) {
        next.push_back(borrows);
        continue;
      }
      next.push_back({borrows.coins + 1, borrows.bits, false});
      next.push_back({borrows.coins + 1, borrows.bits, true});
    }
    std::stable_sort(next.begin(), next.end(),
                     [](const Borrows& a, const Borrows& b) { return a.coins < b.coins; });
    if (next.size() > most) next.resize(most);
    all = std::move(next);
  }
  std::vector<uint64_t> halves;
  const uint64_t mask = UINT64_C(0xffffffff) << from;
  for (const Borrows& borrows : all) halves.push_back((sum ^ borrows.bits) & mask);
  return halves;
}

std::string Key(std::vector<uint64_t> words, const Pair& pair, uint64_t a, uint64_t b) {
  words[pair.first] = a;
  words[pair.first + 1] = b;
  return Bytes(words);
}

std::vector<uint64_t> RandomWords(std::mt19937_64* random) {
  std::vector<uint64_t> words(kWords);
  for (uint64_t& word : words) word = (*random)();
  return words;
}

// The common part of all puts of one round, and of all its queries.
struct Round {
  std::vector<uint64_t> words;
  uint64_t d;
};

// Whether V is right, tested with some fresh keys.
class Check {
 public:
  Check(Target* target, const Pair& pair, unsigned rounds, std::mt19937_64* random)
      : target_(target), pair_(pair) {
    for (unsigned i = 0; i < 2 * rounds; i++) {
      keys_.push_back(RandomWords(random));
      target->Put(Bytes(keys_.back()));
    }
  }
  bool operator()(uint64_t v) {
    return std::all_of(keys_.begin(), keys_.end(), [&](const std::vector<uint64_t>& words) {
      return target_->Ask(Key(words, pair_, words[pair_.first + 1] ^ v, words[pair_.first] ^ v));
    });
  }

 private:
  Target* target_;
  Pair pair_;
  std::vector<std::vector<uint64_t>> keys_;
};

std::optional<uint64_t> LearnV(Target* target, const Pair& pair, const Tries& tries,
                               std::mt19937_64* random) {
  std::vector<uint64_t> put = Halves(pair.Sum(), 0, tries.asked);
  std::vector<uint64_t> asked = Halves(pair.Sum(), 32, tries.asked);
  if (put.size() > asked.size()) std::swap(put, asked);
  if (put.size() > tries.put) put.resize(tries.put);
  std::vector<Round> rounds(tries.rounds);
  for (Round& round : rounds) {
    round = {RandomWords(random), (*random)()};
    for (uint64_t a : put) target->Put(Key(round.words, pair, a, a ^ round.d));
  }
  Check check(target, pair, tries.rounds, random);
  for (uint64_t half : asked) {
    const bool all = std::all_of(rounds.begin(), rounds.end(), [&](const Round& round) {
      return target->Ask(Key(round.words, pair, half ^ round.d, half));
    });
    if (!all) continue;
    for (uint64_t a : put)
      if (check(half ^ a)) return half ^ a;
  }
  return std::nullopt;
}

// Seeds that give both halves of a key their V, found bit by bit. Each is passed to `found`
// until it accepts one.
class Seeds {
 public:
  Seeds(uint64_t first, uint64_t second) {
    sides_[0] = {FirstHalf(), first ^ FirstHalf().Sum()};
    sides_[1] = {SecondHalf(), second ^ SecondHalf().Sum()};
  }
  template <typename Found>
  std::optional<uint64_t> Find(uint64_t seed, unsigned bits, const Found& found) const {
    if (bits == 64) return found(seed) ? std::optional<uint64_t>(seed) : std::nullopt;
    for (uint64_t bit : {0, 1}) {
      const uint64_t more = seed | bit << bits;
      if (!Fits(more, bits)) continue;
      if (const auto one = Find(more, bits + 1, found)) return one;
    }
    return std::nullopt;
  }

 private:
  struct Side {
    Pair pair;
    uint64_t borrows;
  };
  // Whether the borrows from bits 0 to `bit` of the seed are those required.
  bool Fits(uint64_t seed, unsigned bit) const {
    if (bit == 63) return true;  // there is no next bit
    const uint64_t mask = (UINT64_C(2) << bit) - 1;
    return std::all_of(std::begin(sides_), std::end(sides_), [&](const Side& side) {
      const bool borrows = ((side.pair.s + seed) & mask) > (side.pair.Sum() & mask);
      return borrows == (side.borrows >> (bit + 1) & 1);
    });
  }
  Side sides_[2];
};

}  // namespace

std::optional<uint64_t> LearnSeed(Target* target, const Tries& tries, std::mt19937_64* random) {
  const auto second = LearnV(target, SecondHalf(), tries, random);
  if (!second) return std::nullopt;
  const auto first = LearnV(target, FirstHalf(), tries, random);
  if (!first) return std::nullopt;
  std::vector<std::string> keys;
  for (unsigned i = 0; i < 2 * tries.rounds; i++) {
    keys.push_back(Bytes(RandomWords(random)));
    target->Put(keys.back());
  }
  return Seeds(*first, *second).Find(0, 0, [&](uint64_t seed) {
    return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
      return target->AskU64(NumberFor(key, seed));
    });
  });
}

uint64_t NumberFor(const std::string& key, uint64_t seed) {
  return UnfinishMurmur(XXH3_64bits_withSeed(key.data(), key.size(), seed)) ^ seed;
}

uint64_t LikeliestV() {
  const uint64_t sum = SecondHalf().Sum();
  return Halves(sum, 0, 1)[0] | Halves(sum, 32, 1)[0];
}

std::string Swapped(const std::string& key, uint64_t v) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(key.data());
  return key.substr(0, 16) + Bytes({lfb_load_le64(bytes + 24) ^ v, lfb_load_le64(bytes + 16) ^ v});
}

}  // namespace hostile
