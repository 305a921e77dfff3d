// What bloom/claims.c promises, by Relacy: its own code, under every kind of interleaving and
// every value that a load may see under C11's rules.
#include "tests/model/atomic.h"

// A thread of the model has the slot of its number.
#define LFB_ATOMIC_SLOTS_H
#include <stdint.h>
enum { LFB_SLOT_COUNT = 4 };
static inline uint32_t lfb_slot(void) { return rl::ctx().threadx_->index_; }

using namespace lfb_model;
#define _Static_assert(...) static_assert(true, "")  // of sizes, which are others here
#ifdef LFB_MODEL_MUTATED
#include LFB_MODEL_MUTATED
#else
#include "bloom/claims.c"
#endif
#undef _Static_assert

#include "tests/model/model.h"

bool lfb_leases_lock_lent(int, uint32_t) { return true; }
void lfb_leases_unlock_lent(int, uint32_t) {}

namespace {

// A filter of two words; a hash has the bits `low` of the one and `high` of the other.
struct Words {
  lfb_word words[2];
};

bool IsIn(const void* of, lfb_hash hash) {
  const lfb_word* words = static_cast<const Words*>(of)->words;
  return (hash.low & ~lfb_word_get(&words[0])) == 0 && (hash.high & ~lfb_word_get(&words[1])) == 0;
}

void TurnOn(const void* of, lfb_hash hash) {
  lfb_word* words = const_cast<lfb_word*>(static_cast<const Words*>(of)->words);
  lfb_word_set(&words[0], hash.low);
  lfb_word_set(&words[1], hash.high);
}

constexpr lfb_hash kKey = {1, 1}, kOther = {2, 2};

// One table of one place: all claims meet.
template <typename Test, unsigned kThreads>
struct Claims : rl::test_suite<Test, kThreads> {
  Words words{};
  lfb_word place{};
  lfb_claimant each[LFB_SLOT_COUNT]{};
  lfb_word lent_map{};
  lfb_claims claims{};
  Cells<uint64_t> cells;
  unsigned won[2] = {0, 0};  // of kKey, of kOther

  void before() {
    claims = {&place, 0, each, LFB_SLOT_COUNT, 0, LFB_SLOT_COUNT, 1, &lent_map, -1};
    for (lfb_word* word : {&words.words[0], &words.words[1], &place, &lent_map})
      cells.Begin(word, uint64_t{0});
    for (lfb_claimant& claimant : each)
      for (lfb_word* word : {&claimant.low, &claimant.high, &claimant.status})
        cells.Begin(word, uint64_t{0});
  }

  lfb_claimed Claimed() { return {&words, IsIn, TurnOn}; }

  // As lfb_filter_claim(): asks first.
  bool Claim(lfb_hash hash) {
    const lfb_claimed in = Claimed();
    const bool mine = !IsIn(&words, hash) && lfb_claims_claim(&claims, &in, hash);
    RL_ASSERT(IsIn(&words, hash));  // after any claim returns, the key is in
    won[hash.low - 1] += mine;
    return mine;
  }

  void after() { RL_ASSERT(place.cell->load(rl::mo_relaxed, RL_INFO) == 0); }
};

// Of two who claim one key one wins, and both leave it in.
struct OneKey : Claims<OneKey, 2> {
  void thread(unsigned) { Claim(kKey); }
  void after() {
    Claims::after();
    RL_ASSERT(won[0] == 1);
  }
};

// .. of three, too.
struct OneKeyOfThree : Claims<OneKeyOfThree, 3> {
  void thread(unsigned) { Claim(kKey); }
  void after() {
    Claims::after();
    RL_ASSERT(won[0] == 1);
  }
};

// Two keys in one place, each by two threads, in opposite order: each has one winner.
struct TwoKeys : Claims<TwoKeys, 2> {
  void thread(unsigned index) {
    Claim(index == 0 ? kKey : kOther);
    Claim(index == 0 ? kOther : kKey);
  }
  void after() {
    Claims::after();
    RL_ASSERT(won[0] == 1 && won[1] == 1);
  }
};

// A put beside two claims: there is no second winner; who wins none left it to the put.
struct BesideAPut : Claims<BesideAPut, 3> {
  void thread(unsigned index) {
    if (index < 2)
      Claim(kKey);
    else
      TurnOn(&words, kKey);
  }
  void after() {
    Claims::after();
    RL_ASSERT(won[0] <= 1);
  }
};

// One who stops for ever in the middle, having entered: the other is not held up, and of both
// one has won at the end.
struct Stopped : Claims<Stopped, 2> {
  void thread(unsigned index) {
    if (index == 1) {
      Claim(kKey);
      return;
    }
    const lfb_claimed in = Claimed();
    const uint64_t ticket = lfb_claims_publish(&claims, 0, kKey);
    stopped_entered = lfb_claims_enter(&claims, &in, kKey, ticket);
  }
  void after() {
    const lfb_claimed in = Claimed();
    if (stopped_entered) {  // somebody looks in its place, later
      const uint64_t ticket = place.cell->load(rl::mo_acquire, RL_INFO);
      if (ticket != 0) lfb_claims_help(&claims, &in, &place, ticket);
      won[0] += lfb_claims_state(&claims, 0) == LFB_CLAIM_WON;
    }
    Claims::after();
    RL_ASSERT(won[0] == 1);
    RL_ASSERT(IsIn(&words, kKey));
  }
  bool stopped_entered = false;
};

}  // namespace

int main(int argc, char** argv) {
  model::Runs runs(argc, argv);
  runs.Try<OneKey>("OneKey");
  runs.Try<OneKeyOfThree>("OneKeyOfThree");
  runs.Try<TwoKeys>("TwoKeys");
  runs.Try<BesideAPut>("BesideAPut");
  runs.Try<Stopped>("Stopped");
  return runs.Status();
}
