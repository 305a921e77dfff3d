// The promises of bloom/filter/claims.c, by Relacy: its own code, under every interleaving and
// every value that C11's rules allow a load to see.
#include "tests/model/atomic.h"

using namespace lfb_model;
#ifdef LFB_MODEL_MUTATED_pair_modelled_h
#include LFB_MODEL_MUTATED
#endif
#include "tests/model/pair_modelled.h"
#ifdef LFB_MODEL_MUTATED_claims_c
#include LFB_MODEL_MUTATED
#else
#include "bloom/filter/claims.c"
#endif

#include "tests/model/model.h"

namespace {

// A filter of two words; a key has the same bits in both.
struct Words {
  lfb_word words[2];
};

// The hash of a key, a number of some bits, that belongs to the first cell.
lfb_hash Hash(uint64_t key) {
  const uint64_t upper = key << LFB_CLAIM_STATE_BITS;
  return {upper | lfb_claims_spread(upper), 0};
}

// Halves of two hashes of 128 bits have other bits than both.
uint64_t KeyOf(lfb_hash hash) { return hash.low >> LFB_CLAIM_STATE_BITS << hash.high; }

bool IsIn(const void* of, lfb_hash hash) {
  const lfb_word* words = static_cast<const Words*>(of)->words;
  return (KeyOf(hash) & ~lfb_word_get(&words[0])) == 0 &&
         (KeyOf(hash) & ~lfb_word_get(&words[1])) == 0;
}

void TurnOn(const void* of, lfb_hash hash) {
  lfb_word* words = const_cast<lfb_word*>(static_cast<const Words*>(of)->words);
  lfb_word_set(&words[0], KeyOf(hash));
  lfb_word_set(&words[1], KeyOf(hash));
}

// The bits of the keys: the second key shares one bit with the first.
constexpr uint64_t kKeys[] = {1, 2, 6};
enum { kKey = 0, kOther = 1, kThird = 2 };

// All claims meet in one cell.
template <typename Test, unsigned kThreads>
struct Claims : rl::test_suite<Test, kThreads> {
  Words words{};
  lfb_cell cell{};
  lfb_claims claims{};
  Cells<uint64_t> cells;
  unsigned won[3] = {0, 0, 0};

  void before() {
    claims = {&cell, LFB_HASH_64, false, nullptr};
    model::exchange = model::kHalves;  // a cell for hashes of 64 bits is one word
    for (lfb_word* word : {&words.words[0], &words.words[1], &cell.half[0], &cell.half[1]})
      cells.Begin(word, uint64_t{0});
  }

  lfb_claimed Claimed() { return {&words, IsIn, TurnOn}; }

  // As lfb_filter_claim(): looks first.
  bool Claim(unsigned key) {
    const lfb_claimed in = Claimed();
    lfb_hash hash = Hash(kKeys[key]);
    if (claims.width == LFB_HASH_128) hash.high = 1 + 3 * key;
    const bool mine = !IsIn(&words, hash) && lfb_claims_claim(&claims, &in, hash);
    RL_ASSERT(IsIn(&words, hash));  // after any claim returns, the key is present
    won[key] += mine;
    return mine;
  }

  // No claim is left open.
  void after() {
    const uint64_t held = cell.half[0].cell->load(rl::mo_relaxed, RL_INFO);
    RL_ASSERT((held & STATE_MASK) != LFB_CLAIM_WON);
  }
};

// Of threads that claim one key one wins.
template <typename Test, unsigned kThreads>
struct OfOneKey : Claims<Test, kThreads> {
  void thread(unsigned) { this->Claim(kKey); }
  void after() {
    Claims<Test, kThreads>::after();
    RL_ASSERT(this->won[kKey] == 1);
  }
};

struct OneKey : OfOneKey<OneKey, 2> {};
struct OneKeyOfThree : OfOneKey<OneKeyOfThree, 3> {};

// Two keys in one cell, claimed in opposite order: each has one winner.
template <typename Test, unsigned kThreads>
struct OfTwoKeys : Claims<Test, kThreads> {
  void thread(unsigned index) {
    this->Claim(index % 2 == 0 ? kKey : kOther);
    this->Claim(index % 2 == 0 ? kOther : kKey);
  }
  void after() {
    Claims<Test, kThreads>::after();
    RL_ASSERT(this->won[kKey] == 1 && this->won[kOther] == 1);
  }
};

struct TwoKeys : OfTwoKeys<TwoKeys, 2> {};
struct TwoKeysOfThree : OfTwoKeys<TwoKeysOfThree, 3> {};

// The same with hashes of 128 bits, by the loop of ldxp and stxp: no claim completes one that was
// never made.
struct TwoKeysOf128 : OfTwoKeys<TwoKeysOf128, 3> {
  void before() {
    Claims::before();
    claims.width = LFB_HASH_128;
    model::exchange = model::kLoop;
  }
  void after() {
    OfTwoKeys::after();
    RL_ASSERT(lfb_word_get(&words.words[0]) == (1 << 1 | 2 << 4));
  }
};

// Keys that share a bit: a claim may find the key present by other keys' bits, but no key has
// two winners.
struct SharedBits : Claims<SharedBits, 2> {
  void thread(unsigned index) {
    Claim(index == 0 ? kThird : kOther);
    Claim(index == 0 ? kOther : kThird);
  }
  void after() {
    Claims::after();
    RL_ASSERT(won[kOther] <= 1 && won[kThird] == 1);
  }
};

// A put concurrently with two claims: there is no second winner.
struct BesideAPut : Claims<BesideAPut, 3> {
  void thread(unsigned index) {
    if (index < 2)
      Claim(kKey);
    else
      TurnOn(&words, Hash(kKeys[kKey]));
  }
  void after() {
    Claims::after();
    RL_ASSERT(won[kKey] <= 1);
  }
};

// A thread stops permanently after it has won and turned on one word. The others proceed, and
// each key has one winner.
struct Stopped : Claims<Stopped, 3> {
  bool stopped_won = false;

  void thread(unsigned index) {
    if (index > 0) {
      Claim(index - 1);
      Claim(2 - index);
      return;
    }
    const lfb_claimed in = Claimed();
    uint64_t second;
    if (!claims_enter(&claims, &in, &cell, Hash(kKeys[kKey]), CELL_ONE, &second)) return;
    stopped_won = true;
    lfb_word_set(&words.words[0], kKeys[kKey]);
  }
  void after() {
    const lfb_claimed in = Claimed();
    uint64_t low, high;
    cell_read(&cell, &low, &high, CELL_ONE);  // as the next thread that needs the cell does
    if (cell_state(low) == LFB_CLAIM_WON) cell_complete(&claims, &in, &cell, low, high, CELL_ONE);
    Claims::after();
    RL_ASSERT(won[kKey] + stopped_won == 1 && won[kOther] == 1);
    RL_ASSERT(IsIn(&words, Hash(kKeys[kKey])));
  }
};

}  // namespace

int main(int argc, char** argv) {
  model::Runs runs(argc, argv);
  MODEL_TRY(runs, OneKey);
  MODEL_TRY(runs, OneKeyOfThree);
  MODEL_TRY(runs, TwoKeys);
  MODEL_TRY(runs, TwoKeysOfThree);
  MODEL_TRY(runs, TwoKeysOf128);
  MODEL_TRY(runs, SharedBits);
  MODEL_TRY(runs, BesideAPut);
  MODEL_TRY(runs, Stopped);
  return runs.Status();
}
