#include "tests/hostile/attacks.h"

#include <cstdlib>

#include "tests/hostile/mixer.h"
#include "tests/hostile/pairing.h"
#include "tests/hostile/swap.h"

namespace hostile {

namespace {

// A seed, if one was learnt, must be the filter's; a keyed filter has none, so any counts.
Outcome Ended(const Target& target, const std::optional<uint64_t>& learnt) {
  const uint64_t seed = target.Stats().seed;
  return {learnt && (seed == 0 || *learnt == seed), target.Puts(), target.Asked()};
}

template <By by>
Outcome Swaps(Target* target, const lfb_config&, std::mt19937_64* random) {
  return Ended(*target, LearnSeed(target, by, Tries(), random));
}

Outcome NumbersByAnswers(Target* target, const lfb_config& config, std::mt19937_64* random) {
  Answers answers(target, config, Answers::Tries(), random);
  return Ended(*target, LearnNumberSeed(&answers, random));
}

Outcome NumbersByLines(Target* target, const lfb_config&, std::mt19937_64* random) {
  Lines lines(target, random);
  return Ended(*target, LearnNumberSeed(&lines, random));
}

template <std::string (*key)(uint64_t a, uint64_t b)>
Outcome LanesOf(Target* target, const lfb_config&, std::mt19937_64* random) {
  const auto put = [&](uint64_t a, uint64_t b) { return target->Put(key(a, b)); };
  const auto ask = [&](uint64_t a, uint64_t b) { return target->Ask(key(a, b)); };
  const bool learnt = LearnPairing(put, ask, 0, random).has_value() ||
                      LearnPairing(put, ask, 32, random).has_value();
  return {learnt, target->Puts(), target->Asked()};
}

constexpr uint64_t kMany = 1000000, kFew = 1000;
constexpr double kFpp = 0.01;

lfb_config Config(uint64_t room) {
  lfb_config config = {};
  config.strategy = LFB_FAST;
  config.expected_insertions = room;
  config.fpp = kFpp;
  return config;
}

Target Make(const lfb_config& config) {
  Target target(config);
  if (!target.Made()) std::abort();
  return target;
}

}  // namespace

const std::vector<Attack> kAttacks = {
    {"swapped words", "answers", kMany, true, true, Swaps<By::kAnswers>},
    {"swapped words", "lines", kMany, true, true, Swaps<By::kLines>},
    {"numbers", "answers", kFew, true, false, NumbersByAnswers},
    {"numbers", "lines", kMany, true, false, NumbersByLines},
    {"pairs of 64 bits", "answers", kMany, false, true, LanesOf<Lanes<8>>},
    {"pairs of 128 bits", "answers", kMany, false, true, LanesOf<Lanes<16>>},
    {"pairs in long keys", "answers", kMany, false, true, LanesOf<LongLanes>},
};

lfb_config With(const Hash& hash, lfb_config config, std::mt19937_64* random) {
  config.hash = hash.id;
  if (!hash.keyed) config.seed = (*random)() | 1;
  for (uint8_t& byte : config.key) byte = hash.keyed ? static_cast<uint8_t>((*random)()) : 0;
  return config;
}

Outcome Play(const Attack& attack, const Hash& hash, std::mt19937_64* random) {
  Target target = Make(With(hash, Config(attack.room), random));
  return attack.play(&target, Config(attack.room), random);
}

Outcome PlayPairing32(std::mt19937_64* random) {
  Target target = Make(With(kXxh3, Config(kMany), random));
  const Pairing32 hash(random);
  const auto narrow = [](uint64_t lane) { return static_cast<uint32_t>(lane); };
  const auto put = [&](uint64_t a, uint64_t b) {
    return target.PutHash(hash(narrow(a), narrow(b)));
  };
  const auto ask = [&](uint64_t a, uint64_t b) {
    return target.AskHash(hash(narrow(a), narrow(b)));
  };
  const auto learnt = LearnPairing(put, ask, 0, random);
  return {learnt && *learnt == hash.Secret(), target.Puts(), target.Asked()};
}

}  // namespace hostile
