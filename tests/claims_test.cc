// Claims: of all who claim a key one wins, whoever else is there, and wherever a thread
// stops.
#include "bloom/claims.h"

#include <algorithm>

#include "bloom/core.h"
#include "tests/filters.h"
#include "tests/race.h"

namespace {

class EveryStrategyClaims : public testing::TestWithParam<lfb_strategy_id> {};
INSTANTIATE_TEST_SUITE_P(All, EveryStrategyClaims, testing::ValuesIn(AllStrategies()),
                         StrategyTestName);

// A filter in which `keys` keys hardly meet a false positive.
Filter MakeSure(uint64_t keys, lfb_strategy_id strategy = LFB_FAST) {
  return Make(keys, 1e-10, strategy);
}

// Has all claims of a filter meet in so few places.
void Crowd(const Filter& filter, uint64_t places) {
  lfb_claims_free(&filter->claims);
  EXPECT_EQ(lfb_claims_init_places(&filter->claims, places), LFB_OK);
}

uint64_t PlacesTaken(const Filter& filter) {
  uint64_t taken = 0;
  for (uint64_t i = 0; i <= filter->claims.mask; i++)
    taken += lfb_word_get(&filter->claims.places[i]) != 0;
  return taken;
}

// ---- one thread -------------------------------------------------------------

TEST_P(EveryStrategyClaims, AreTrueOnceForEachWayOfNamingAKey) {
  const Filter filter = MakeSure(10000, GetParam());
  const auto funnel = [](const void* object, lfb_sink* sink) {
    lfb_sink_put_i64(sink, *static_cast<const int64_t*>(object));
  };
  for (uint64_t i = 0; i < 1000; i++) {
    const std::string text = "key-" + std::to_string(i);
    const int64_t object = static_cast<int64_t>(Mix(3, i));
    for (bool first : {true, false}) {
      ASSERT_EQ(lfb_filter_claim(filter.get(), text.data(), text.size()), first) << i;
      ASSERT_EQ(lfb_filter_claim_u64(filter.get(), Mix(1, i)), first) << i;
      ASSERT_EQ(lfb_filter_claim_hash(filter.get(), Mix(2, i)), first) << i;
      ASSERT_EQ(lfb_filter_claim_object(filter.get(), funnel, &object), first) << i;
    }
    ASSERT_TRUE(Has(filter, text));
    ASSERT_TRUE(lfb_filter_might_contain_u64(filter.get(), Mix(1, i)));
    ASSERT_TRUE(lfb_filter_might_contain_hash(filter.get(), Mix(2, i)));
    ASSERT_TRUE(lfb_filter_might_contain_object(filter.get(), funnel, &object));
    ASSERT_FALSE(Put(filter, text));
  }
  EXPECT_EQ(Stats(filter).bits_set, lfb_bits_count(&filter->layout.bits));
  EXPECT_EQ(PlacesTaken(filter), 0u);
}

TEST_P(EveryStrategyClaims, SetTheBitsThatPutsSet) {
  const Filter put = Make(3000, 0.02, GetParam()), claimed = Make(3000, 0.02, GetParam());
  for (uint64_t i = 0; i < 3000; i++)
    ASSERT_EQ(lfb_filter_claim_u64(claimed.get(), Mix(4, i)), lfb_filter_put_u64(put.get(), Mix(4, i)));
  EXPECT_EQ(Stats(claimed).bits_set, Stats(put).bits_set);
  for (uint64_t i = 0; i < put->layout.bits.word_count; i++)
    ASSERT_EQ(lfb_bits_word(&claimed->layout.bits, i), lfb_bits_word(&put->layout.bits, i));
}

TEST_P(EveryStrategyClaims, ManyAnswersAsOneByOne) {
  constexpr size_t n = 3000;
  const Filter one = Make(n, 0.02, GetParam()), many = Make(n, 0.02, GetParam());
  std::vector<std::string> texts;
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < n + 37; i++) {  // many come twice, also within 64
    texts.push_back("key-" + std::to_string(i % 3 == 2 ? i - 1 : Mix(7, i) % n));
    numbers.push_back(Mix(8, i % 3 == 2 ? i - 1 : i % 2000));
  }
  std::vector<lfb_key> keys;
  for (const std::string& text : texts) keys.push_back({text.data(), text.size()});
  for (size_t count : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{256},
                       size_t{257}, size_t{513}, keys.size()}) {
    std::vector<uint64_t> answers((count + 63) / 64 + 1);
    const auto check = [&](size_t yes, auto claim) {
      size_t expected = 0;
      for (size_t i = 0; i < count; i++) {
        const bool wanted = claim(i);
        expected += wanted;
        ASSERT_EQ(answers[i / 64] >> (i % 64) & 1, wanted) << i << " of " << count;
      }
      ASSERT_EQ(yes, expected);
      if (count % 64 != 0) {
        ASSERT_EQ(answers[count / 64] >> (count % 64), 0u);
      }
      ASSERT_EQ(answers.back(), 0xabababababababab) << "wrote beyond the answers";
    };
    std::fill(answers.begin(), answers.end(), 0xabababababababab);
    check(lfb_filter_claim_many(many.get(), keys.data(), count, answers.data()),
          [&](size_t i) { return lfb_filter_claim(one.get(), texts[i].data(), texts[i].size()); });
    std::fill(answers.begin(), answers.end(), 0xabababababababab);
    check(lfb_filter_claim_many_u64(many.get(), numbers.data(), count, answers.data()),
          [&](size_t i) { return lfb_filter_claim_u64(one.get(), numbers[i]); });
    std::fill(answers.begin(), answers.end(), 0xabababababababab);
    check(lfb_filter_claim_many_hash(many.get(), numbers.data(), count, answers.data()),
          [&](size_t i) { return lfb_filter_claim_hash(one.get(), numbers[i]); });
  }
  EXPECT_EQ(Stats(one).bits_set, Stats(many).bits_set);
  EXPECT_EQ(lfb_filter_claim_many(many.get(), keys.data(), n, nullptr), 0u);
  const std::vector<uint64_t> same(900, 12345);
  const Filter empty = MakeSure(100, GetParam());
  EXPECT_EQ(lfb_filter_claim_many_hash(empty.get(), same.data(), same.size(), nullptr), 1u);
}

// ---- a thread that stops for ever --------------------------------------------

// Claims by hand, a step at a time, in the name of claimants that no living thread has.
class Stopped : public testing::Test {
 protected:
  static constexpr uint32_t kNumber = LFB_SLOT_COUNT - 1;

  Stopped() { Crowd(filter_, 1); }

  uint64_t Publish(uint64_t hash) {
    return lfb_claims_publish(claims_, kNumber, {hash, 0});
  }
  void Enter(uint64_t hash, uint64_t ticket) {
    ASSERT_TRUE(lfb_claims_enter(claims_, &in_, {hash, 0}, ticket));
  }
  lfb_claim_state State() { return lfb_claims_state(claims_, kNumber); }
  // Changes the status from pending to won, as a helper does that then stops.
  void Decide(uint64_t ticket) {
    const uint64_t sequence = ticket >> LFB_TICKET_NUMBER_BITS;
    uint64_t pending = sequence << LFB_STATUS_STATE_BITS;
    ASSERT_TRUE(lfb_cas_u64(&claims_->each[kNumber].status, &pending,
                            pending | LFB_CLAIM_WON, std::memory_order_acq_rel));
  }
  bool Has(uint64_t hash) { return lfb_filter_might_contain_hash(filter_.get(), hash); }
  bool Claim(uint64_t hash) { return lfb_filter_claim_hash(filter_.get(), hash); }
  // What must hold after all: nobody's ticket is left, the count is that of the bits.
  void ExpectTidy() {
    EXPECT_EQ(PlacesTaken(filter_), 0u);
    EXPECT_EQ(Stats(filter_).bits_set, lfb_bits_count(&filter_->layout.bits));
  }

  const Filter filter_ = MakeSure(1000);
  lfb_claims* const claims_ = &filter_->claims;
  const lfb_claimed in_ = lfb_core_claimed(filter_.get());
};

// Seen to fail (the key is not in) with a sequence of more bits than a ticket has.
TEST_F(Stopped, SequencesThatEndBeginAgain) {
  constexpr uint64_t kLast = (uint64_t{1} << 51) - 1;
  for (const uint64_t before : {kLast - 1, kLast, kLast + 1, UINT64_MAX >> 2}) {
    atomic_store(&claims_->each[kNumber].status,
                 before << LFB_STATUS_STATE_BITS | LFB_CLAIM_LOST);
    for (uint64_t i = 0; i < 3; i++) {
      const uint64_t hash = Mix(before, i), ticket = Publish(hash);
      EXPECT_EQ(ticket % LFB_CLAIMANTS_MOST, kNumber);
      Enter(hash, ticket);
      EXPECT_FALSE(Claim(hash));  // having helped
      EXPECT_TRUE(Has(hash));
      EXPECT_EQ(State(), LFB_CLAIM_WON);
    }
  }
  ExpectTidy();
}

TEST_F(Stopped, BeforeItEntersNobodyNotices) {
  Publish(Mix(1, 1));
  EXPECT_TRUE(Claim(Mix(1, 1)));
  EXPECT_TRUE(Claim(Mix(1, 2)));
  ExpectTidy();
}

TEST_F(Stopped, HavingEnteredItWinsAndIsHelpedByWhoClaimsTheSameKey) {
  Enter(Mix(2, 1), Publish(Mix(2, 1)));
  EXPECT_FALSE(Has(Mix(2, 1)));
  EXPECT_FALSE(Claim(Mix(2, 1)));
  EXPECT_TRUE(Has(Mix(2, 1)));
  EXPECT_EQ(State(), LFB_CLAIM_WON);
  ExpectTidy();
}

TEST_F(Stopped, HavingEnteredItWinsAndIsHelpedByWhoClaimsAnother) {
  Enter(Mix(3, 1), Publish(Mix(3, 1)));
  EXPECT_TRUE(Claim(Mix(3, 2)));
  EXPECT_TRUE(Has(Mix(3, 1)));
  EXPECT_EQ(State(), LFB_CLAIM_WON);
  EXPECT_FALSE(Claim(Mix(3, 1)));
  ExpectTidy();
}

TEST_F(Stopped, HavingEnteredAfterAPutItLoses) {
  Enter(Mix(4, 1), Publish(Mix(4, 1)));
  EXPECT_TRUE(lfb_filter_put_hash(filter_.get(), Mix(4, 1)));
  EXPECT_TRUE(Claim(Mix(4, 2)));
  EXPECT_EQ(State(), LFB_CLAIM_LOST);
  ExpectTidy();
}

TEST_F(Stopped, DecidedButWithoutItsBitsItGetsThem) {
  const uint64_t ticket = Publish(Mix(5, 1));
  Enter(Mix(5, 1), ticket);
  Decide(ticket);
  EXPECT_FALSE(Claim(Mix(5, 1)));
  EXPECT_TRUE(Has(Mix(5, 1)));
  EXPECT_EQ(State(), LFB_CLAIM_WON);
  ExpectTidy();
}

TEST_F(Stopped, WithSomeOfItsBitsItGetsTheOthers) {
  const uint64_t ticket = Publish(Mix(6, 1));
  Enter(Mix(6, 1), ticket);
  Decide(ticket);
  const Filter other = MakeSure(1000);  // to see which words the bits are in
  lfb_filter_put_hash(other.get(), Mix(6, 1));
  uint64_t word = 0;
  while (lfb_bits_word(&other->layout.bits, word) == 0) word++;
  const uint64_t bits = lfb_bits_word(&other->layout.bits, word);
  lfb_layout_count(&filter_->layout, lfb_bits_set_mask(&filter_->layout.bits, word, bits));
  EXPECT_FALSE(Has(Mix(6, 1)));
  EXPECT_FALSE(Claim(Mix(6, 1)));
  EXPECT_TRUE(Has(Mix(6, 1)));
  EXPECT_EQ(State(), LFB_CLAIM_WON);
  ExpectTidy();
}

// With all but the taking out of its ticket done.
TEST_F(Stopped, AtTheEndItsTicketIsTakenOut) {
  const uint64_t ticket = Publish(Mix(7, 1));
  Enter(Mix(7, 1), ticket);
  Decide(ticket);
  lfb_filter_put_hash(filter_.get(), Mix(7, 1));
  EXPECT_EQ(PlacesTaken(filter_), 1u);
  EXPECT_TRUE(Claim(Mix(7, 2)));
  ExpectTidy();
}

// A helper that comes late, to a ticket that is gone, changes nothing: neither a later
// claim of the same claimant, pending or not, nor whoever is in the place by now.
TEST_F(Stopped, AHelperThatComesLateChangesNothing) {
  const uint64_t old = Publish(Mix(8, 1));
  Enter(Mix(8, 1), old);
  lfb_claims_help(claims_, &in_, claims_->places, old);
  EXPECT_EQ(State(), LFB_CLAIM_WON);
  const uint64_t ticket = Publish(Mix(8, 2));
  lfb_claims_help(claims_, &in_, claims_->places, old);  // before it enters
  EXPECT_EQ(State(), LFB_CLAIM_PENDING);
  Enter(Mix(8, 2), ticket);
  lfb_claims_help(claims_, &in_, claims_->places, old);  // and after
  EXPECT_EQ(State(), LFB_CLAIM_PENDING);
  EXPECT_EQ(PlacesTaken(filter_), 1u);
  EXPECT_FALSE(Has(Mix(8, 2)));
  lfb_claims_help(claims_, &in_, claims_->places, ticket);
  EXPECT_EQ(State(), LFB_CLAIM_WON);
  ExpectTidy();
}

// More threads than slots: those beyond borrow, more of them than there is to lend.
TEST(Claims, ThreadsWithoutASlotClaimToo) {
  if (sizeof(void*) == 4) GTEST_SKIP() << "no addresses for the stacks of so many threads";
  constexpr unsigned kKeys = 20, kThreads = LFB_SLOT_COUNT + 2 * LFB_CLAIMANTS_LENT;
  const Filter filter = MakeSure(kKeys * 10);
  std::atomic<unsigned> here{0}, without{0}, won{0};
  RunTogether(kThreads, [&](unsigned) {
    without += lfb_slot() >= LFB_SLOT_COUNT;
    for (here++; here < kThreads;) std::this_thread::yield();
    for (uint64_t i = 0; i < kKeys; i++) won += lfb_filter_claim_u64(filter.get(), Mix(9, i));
  });
  EXPECT_GE(without, 2u * LFB_CLAIMANTS_LENT);
  EXPECT_EQ(won, kKeys);
  EXPECT_EQ(lfb_word_get(&filter->claims.each[LFB_SLOT_COUNT].lent), 0u);
  EXPECT_EQ(PlacesTaken(filter), 0u);
}

// ---- races --------------------------------------------------------------------

constexpr unsigned kThreads = 8;  // more than cores

// How many threads were told that a key is new, key by key.
struct Winners {
  uint64_t none = 0, several = 0;
};

// All threads do `first` to the same keys in the same order.
template <typename First>
Winners Race(uint64_t keys, uint64_t stream, const First& first) {
  std::vector<std::vector<bool>> answers(kThreads, std::vector<bool>(keys));
  RunTogether(kThreads, [&](unsigned t) {
    for (uint64_t i = 0; i < keys; i++) answers[t][i] = first(Mix(stream, i));
  });
  Winners winners;
  for (uint64_t i = 0; i < keys; i++) {
    unsigned firsts = 0;
    for (unsigned t = 0; t < kThreads; t++) firsts += answers[t][i];
    winners.none += firsts == 0;
    winners.several += firsts > 1;
  }
  return winners;
}

// Each key has one, apart from so many whose hashes are others' as well.
void ExpectOneWinnerEach(const Winners& winners, uint64_t false_positives = 0) {
  EXPECT_EQ(winners.several, 0u) << "keys with several winners";
  EXPECT_EQ(winners.none, false_positives) << "keys without a winner";
}

// The same million new keys by all threads in the same order: each has one winner, seen in
// 50 runs of 50.  Seen to fail 50 times in 50 with claims that are won without a second
// look, and with the CAS torn.
TEST(ClaimsRace, EachOfAMillionKeysHasOneWinner) {
  constexpr uint64_t kKeys = kUnderTsan ? 30000 : 1000000;
  const Filter filter = MakeSure(kKeys);
  ExpectOneWinnerEach(Race(kKeys, 1, [&](uint64_t key) {
    return lfb_filter_claim_hash(filter.get(), key);
  }));
  EXPECT_EQ(Stats(filter).bits_set, lfb_bits_count(&filter->layout.bits));
  EXPECT_EQ(PlacesTaken(filter), 0u);
}

// That the race above is one: plain puts crown several.
TEST(ClaimsRace, PlainPutsHaveSeveralWinners) {
  constexpr uint64_t kKeys = kUnderTsan ? 30000 : 1000000;
  uint64_t several = 0;
  for (int round = 0; round < 20 && several == 0; round++) {
    const Filter filter = MakeSure(kKeys);
    several = Race(kKeys, 2, [&](uint64_t key) {
                return lfb_filter_put_hash(filter.get(), key);
              }).several;
  }
  EXPECT_GT(several, 0u);
}

// Every strategy, small enough that words are contended, and so few places that claims of
// different keys meet.  Seen to fail 50 times in 50 (fast) with bits that are on before a
// claim is decided.
TEST_P(EveryStrategyClaims, HaveOneWinnerEachInACrowd) {
  constexpr uint64_t kRounds = kUnderTsan ? 1 : 10, kKeys = 3000;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Filter filter = MakeSure(kKeys, GetParam()), alone = MakeSure(kKeys, GetParam());
    Crowd(filter, round % 2 == 0 ? 1 : 4);
    uint64_t false_positives = 0;  // go-fnv14 has them: what counts of its hash are 25 bits
    for (uint64_t i = 0; i < kKeys; i++)
      false_positives += !lfb_filter_put_u64(alone.get(), Mix(100 + round, i));
    const auto claim = [&](uint64_t key) {
      const bool won = lfb_filter_claim_u64(filter.get(), key);
      EXPECT_TRUE(lfb_filter_might_contain_u64(filter.get(), key)) << "claimed and not in";
      return won;
    };
    ExpectOneWinnerEach(Race(kKeys, 100 + round, claim), false_positives);
    ASSERT_EQ(Stats(filter).bits_set, lfb_bits_count(&filter->layout.bits));
    ASSERT_EQ(PlacesTaken(filter), 0u);
  }
}

// Threads that each walk another way through the keys, one by one and many at a time:
// those in the place of one's hash are mostly others' claims.  Seen to fail 50 times in 50
// with bits that are on before a claim is decided.
TEST(ClaimsRace, EachKeyHasOneWinnerWhateverTheOrder) {
  constexpr uint64_t kRounds = kUnderTsan ? 1 : 10, kKeys = 20000;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Filter filter = MakeSure(kKeys);
    Crowd(filter, 1);
    std::vector<std::atomic<unsigned>> winners(kKeys);
    RunTogether(kThreads, [&](unsigned t) {
      std::vector<uint64_t> order(kKeys), hashes(kKeys), answers((kKeys + 63) / 64);
      for (uint64_t i = 0; i < kKeys; i++) order[i] = (i * 7919 + t % 4 * 10) % kKeys;
      for (uint64_t i = 0; i < kKeys; i++) hashes[i] = Mix(200 + round, order[i]);
      if (t % 2 == 0)
        lfb_filter_claim_many_hash(filter.get(), hashes.data(), kKeys, answers.data());
      for (uint64_t i = 0; i < kKeys; i++)
        winners[order[i]] += t % 2 == 0 ? answers[i / 64] >> (i % 64) & 1
                                        : lfb_filter_claim_hash(filter.get(), hashes[i]);
    });
    uint64_t wrong = 0;
    for (const auto& count : winners) wrong += count != 1;
    ASSERT_EQ(wrong, 0u) << "round " << round;
    ASSERT_EQ(Stats(filter).bits_set, lfb_bits_count(&filter->layout.bits));
  }
}

// Beside puts of the same keys, key by key and merged in: never two winners, and every key
// is in afterwards.  (None is right: the put came first.)  Seen to fail 43 times in 50 with
// claims that are won without a second look: most keys are put first.
TEST(ClaimsRace, BesidePutsThereAreNeverTwoWinners) {
  constexpr uint64_t kRounds = kUnderTsan ? 1 : 10, kKeys = 20000;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Filter filter = MakeSure(kKeys), other = MakeSure(kKeys);
    Crowd(filter, 4);
    for (uint64_t i = 0; i < kKeys; i += 5) lfb_filter_put_hash(other.get(), Mix(300 + round, i));
    std::vector<std::atomic<unsigned>> winners(kKeys);
    std::atomic<uint64_t> lost{0};
    RunTogether(kThreads, [&](unsigned t) {
      if (t == 0) {
        EXPECT_EQ(lfb_filter_put_all(filter.get(), other.get()), LFB_OK);
      }
      for (uint64_t i = 0; i < kKeys; i++) {
        const uint64_t key = Mix(300 + round, i);
        if (t == 1)
          lfb_filter_put_hash(filter.get(), key);
        else
          winners[i] += lfb_filter_claim_hash(filter.get(), key);
        lost += !lfb_filter_might_contain_hash(filter.get(), key);
      }
    });
    uint64_t several = 0;
    for (const auto& count : winners) several += count > 1;
    ASSERT_EQ(several, 0u) << "round " << round;
    ASSERT_EQ(lost, 0u) << "round " << round;
    ASSERT_EQ(Stats(filter).bits_set, lfb_bits_count(&filter->layout.bits));
  }
}

}  // namespace
