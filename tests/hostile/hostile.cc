// hostile [SECONDS]: plays every attack against every hash for so long (60), against filters with
// random secrets, and prints how often it learnt the secret. Then it prints how long queries take
// for keys of several kinds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/hostile/attacks.h"

namespace {

using Clock = std::chrono::steady_clock;
using hostile::kAttacks;
using hostile::kHashes;

// The result of all games of one attack against one hash.
struct Score {
  unsigned tried = 0, learnt = 0;
  uint64_t puts = 0, asked = 0;
  void Add(const hostile::Outcome& outcome) {
    tried++;
    learnt += outcome.learnt;
    puts += outcome.puts;
    asked += outcome.asked;
  }
  void Print(const char* name, const char* sees, const char* hash) const {
    std::printf("%-18s %-8s %-20s %4u of %-4u %10.0f %10.0f\n", name, sees, hash, learnt, tried,
                static_cast<double>(puts) / tried, static_cast<double>(asked) / tried);
  }
};

// Plays and prints all games; returns whether each ended as documented.
bool PlayAll(Clock::time_point end, std::mt19937_64* random) {
  std::vector<Score> scores(kAttacks.size() * std::size(kHashes));
  Score pairing;
  do {
    size_t game = 0;
    for (const hostile::Attack& attack : kAttacks)
      for (const hostile::Hash& hash : kHashes)
        scores[game++].Add(hostile::Play(attack, hash, random));
    pairing.Add(hostile::PlayPairing32(random));
  } while (Clock::now() < end);

  std::printf("%-18s %-8s %-20s %-12s %10s %10s\n", "attack", "sees", "hash", "learnt", "puts",
              "queries");
  bool expected = pairing.learnt > 0;
  size_t game = 0;
  for (const hostile::Attack& attack : kAttacks)
    for (const hostile::Hash& hash : kHashes) {
      const Score& score = scores[game++];
      score.Print(attack.name, attack.sees, hash.name);
      expected = expected && (score.learnt > 0) == (!hash.keyed && attack.takes_xxh3);
    }
  pairing.Print("pairs of 32 bits", "answers", "products of 32 bits");
  return expected;
}

// ---- the time of a hash

constexpr unsigned kKinds = 4, kRepeats = 401, kKeys = 16, kRounds = 8;

// Keys of one size: all zero, all ones, one bit on, random.
std::vector<std::string> Keys(unsigned kind, size_t size, std::mt19937_64* random) {
  std::vector<std::string> keys(kKeys, std::string(size, kind == 1 ? '\xff' : '\0'));
  for (std::string& key : keys) {
    if (kind == 2) key[(*random)() % size] = static_cast<char>(1 << (*random)() % 8);
    if (kind < 3) continue;
    for (char& byte : key) byte = static_cast<char>((*random)());
  }
  return keys;
}

// The median time of a query for each kind of keys, in ns, of many short runs in turn: few of them
// are interrupted. The filter is small and empty, so that only the hash can make a difference.
void Time(const hostile::Hash& hash, size_t size, std::mt19937_64* random) {
  lfb_config config = {};
  config.expected_insertions = 10;
  config.fpp = 0.01;
  hostile::Target target(hostile::With(hash, config, random));
  if (!target.Made()) std::abort();
  std::vector<double> times[kKinds];
  std::vector<std::string> keys[kKinds];
  for (unsigned kind = 0; kind < kKinds; kind++) keys[kind] = Keys(kind, size, random);
  for (unsigned repeat = 0; repeat < kRepeats; repeat++)
    for (unsigned kind = 0; kind < kKinds; kind++) {
      bool found = false;
      const auto start = Clock::now();
      for (unsigned again = 0; again < kRounds; again++)
        for (const std::string& key : keys[kind]) found |= target.Ask(key);
      const std::chrono::duration<double, std::nano> took = Clock::now() - start;
      if (found) std::abort();
      times[kind].push_back(took.count() / (kRounds * kKeys));
    }
  std::printf("%-20s %5zu", hash.name, size);
  for (std::vector<double>& one : times) {
    std::nth_element(one.begin(), one.begin() + kRepeats / 2, one.end());
    std::printf(" %8.1f", one[kRepeats / 2]);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  char* rest = nullptr;
  const long seconds = argc > 1 ? std::strtol(argv[1], &rest, 10) : 60;
  if (argc > 2 || seconds < 1 || (rest != nullptr && *rest != 0)) {
    std::fprintf(stderr, "usage: hostile [SECONDS], 1 or more\n");
    return 2;
  }
  std::mt19937_64 random(std::random_device{}());
  const bool expected = PlayAll(Clock::now() + std::chrono::seconds(seconds), &random);

  std::printf("\nns per query; hash, bytes; keys of zeros, ones, one bit, random\n");
  for (const hostile::Hash& hash : kHashes)
    for (size_t size : {8, 36, 100, 1000}) Time(hash, size, &random);
  return expected ? 0 : 1;
}
