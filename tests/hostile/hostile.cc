// hostile [SECONDS]: attacks filters with random seeds and keys for so long (60), only by puts
// and queries, and prints how often it found the seed or key.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/hostile/swap.h"

namespace {

// The result of all attacks on one hash.
struct Score {
  const char* name;
  lfb_hash_id hash;
  unsigned tried = 0, learnt = 0;
  uint64_t puts = 0, asked = 0;
};

// Attacks one filter; returns false if it could not be made.
bool Attack(Score* score, std::mt19937_64* random) {
  lfb_config config = {};
  config.expected_insertions = 1000000;
  config.fpp = 0.01;
  config.hash = score->hash;
  hostile::Target target(config);
  if (!target.Made()) return false;
  const auto seed = hostile::LearnSeed(&target, hostile::Tries(), random);
  score->tried++;
  score->learnt += seed.has_value() && *seed == target.Stats().seed;
  score->puts += target.Puts();
  score->asked += target.Asked();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  char* rest = nullptr;
  const long seconds = argc > 1 ? std::strtol(argv[1], &rest, 10) : 60;
  if (argc > 2 || seconds < 1 || (rest != nullptr && *rest != 0)) {
    std::fprintf(stderr, "usage: hostile [SECONDS], 1 or more\n");
    return 2;
  }
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::mt19937_64 random(std::random_device{}());
  Score scores[] = {{"XXH3, random seed", LFB_HASH_XXH3},
                    {"SipHash-1-3, random key", LFB_HASH_SIPHASH13}};

  do
    for (Score& score : scores)
      if (!Attack(&score, &random)) {
        std::fprintf(stderr, "hostile: no filter could be made\n");
        return 2;
      }
  while (Clock::now() < end);
  for (const Score& score : scores)
    std::printf("%s: %u of %u learnt, by %.0f puts and %.0f questions each\n", score.name,
                score.learnt, score.tried, static_cast<double>(score.puts) / score.tried,
                static_cast<double>(score.asked) / score.tried);
  return scores[0].learnt > 0 && scores[1].learnt == 0 ? 0 : 1;
}
