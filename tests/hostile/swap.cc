#include "tests/hostile/swap.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

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
    std::sort(next.begin(), next.end(), [](const Borrows& a, const Borrows& b) {
      return std::tie(a.coins, a.bits) < std::tie(b.coins, b.bits);
    });
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
  Check(Target* target, By by, const Pair& pair, unsigned rounds, std::mt19937_64* random)
      : target_(target), by_(by), pair_(pair) {
    for (unsigned i = 0; i < 2 * rounds; i++) {
      keys_.push_back(RandomWords(random));
      if (by == By::kAnswers) target->Put(Bytes(keys_.back()));
    }
  }
  bool operator()(uint64_t v) {
    return std::all_of(keys_.begin(), keys_.end(), [&](const std::vector<uint64_t>& words) {
      const std::string other =
          Key(words, pair_, words[pair_.first + 1] ^ v, words[pair_.first] ^ v);
      return by_ == By::kAnswers ? target_->Ask(other)
                                 : target_->Line(other) == target_->Line(Bytes(words));
    });
  }

 private:
  Target* target_;
  By by_;
  Pair pair_;
  std::vector<std::vector<uint64_t>> keys_;
};

// The candidates for one V.
struct Search {
  Pair pair;
  std::vector<uint64_t> put, asked;  // its halves
  std::vector<Round> rounds;
  std::string PutKey(const Round& round, uint64_t a) const {
    return Key(round.words, pair, a, a ^ round.d);
  }
  std::string AskedKey(const Round& round, uint64_t half) const {
    return Key(round.words, pair, half ^ round.d, half);
  }
};

// Keys that were put, and those that are found.
std::optional<uint64_t> FindByAnswers(Target* target, const Search& search, Check* check) {
  for (const Round& round : search.rounds)
    for (uint64_t a : search.put) target->Put(search.PutKey(round, a));
  for (uint64_t half : search.asked) {
    const bool all =
        std::all_of(search.rounds.begin(), search.rounds.end(), [&](const Round& round) {
          return target->Ask(search.AskedKey(round, half));
        });
    if (!all) continue;
    for (uint64_t a : search.put)
      if ((*check)(half ^ a)) return half ^ a;
  }
  return std::nullopt;
}

// Keys that share their lines in all rounds.
std::optional<uint64_t> FindByLines(Target* target, const Search& search, Check* check) {
  const auto lines = [&](auto key) {
    uint64_t all = 0;
    for (const Round& round : search.rounds) all = all * target->Lines() + target->Line(key(round));
    return all;
  };
  std::unordered_multimap<uint64_t, uint64_t> halves;
  for (uint64_t a : search.put)
    halves.emplace(lines([&](const Round& round) { return search.PutKey(round, a); }), a);
  for (uint64_t half : search.asked) {
    const auto [first, last] = halves.equal_range(
        lines([&](const Round& round) { return search.AskedKey(round, half); }));
    for (auto at = first; at != last; ++at)
      if ((*check)(half ^ at->second)) return half ^ at->second;
  }
  return std::nullopt;
}

std::optional<uint64_t> LearnV(Target* target, By by, const Pair& pair, const Tries& tries,
                               std::mt19937_64* random) {
  Search search = {pair, Halves(pair.Sum(), 0, tries.asked), Halves(pair.Sum(), 32, tries.asked),
                   std::vector<Round>(tries.rounds)};
  if (search.put.size() > search.asked.size()) std::swap(search.put, search.asked);
  if (search.put.size() > tries.put) search.put.resize(tries.put);
  for (Round& round : search.rounds) round = {RandomWords(random), (*random)()};
  Check check(target, by, pair, tries.rounds, random);
  return by == By::kAnswers ? FindByAnswers(target, search, &check)
                            : FindByLines(target, search, &check);
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

std::optional<uint64_t> LearnSeed(Target* target, By by, const Tries& tries,
                                  std::mt19937_64* random) {
  const auto second = LearnV(target, by, SecondHalf(), tries, random);
  if (!second) return std::nullopt;
  const auto first = LearnV(target, by, FirstHalf(), tries, random);
  if (!first) return std::nullopt;
  std::vector<std::string> keys;
  for (unsigned i = 0; i < 2 * tries.rounds; i++) {
    keys.push_back(Bytes(RandomWords(random)));
    if (by == By::kAnswers) target->Put(keys.back());
  }
  return Seeds(*first, *second).Find(0, 0, [&](uint64_t seed) {
    return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
      const uint64_t number = NumberFor(key, seed);
      return by == By::kAnswers ? target->AskU64(number)
                                : target->LineU64(number) == target->Line(key);
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
