#include "tests/history/run.h"

#include <atomic>
#include <thread>

#include "bloom/filter/filter.h"
#include "tests/support/cells.h"
#include "tests/support/filters.h"
#include "tests/support/race.h"

namespace history {

// ---- one run ----------------------------------------------------------------

Stage::Stage(const lfb_config& config, unsigned keys, unsigned threads, Verbs verbs)
    : threads_(threads), verbs_(std::move(verbs)), seen_(threads) {
  EXPECT_EQ(lfb_filter_create(&config, &filter_), LFB_OK);
  keys_ = KeysOfCells(filter_, 11, keys);  // all claims meet
  for (uint64_t key : keys_) {
    const Filter alone = Make(config);
    verbs_.put(alone.get(), key);
    scene_.keys.push_back(BitsOf(alone.get()));
  }
  scene_.puts_are_claims = verbs_.puts_are_claims || config.strategy == LFB_FAST_PAIR;
  EXPECT_EQ(lfb_filter_create(&config, &other_), LFB_OK);
  for (unsigned i = 0; i < keys; i += 3) verbs_.put(other_, keys_[i]);
  scene_.other = BitsOf(other_);
  EXPECT_LE(64 * filter_->layout.bits.word_count, kMostBits);
  crew_ = std::make_unique<Crew>(threads,
                                 [this](unsigned thread, unsigned turn) { Perform(thread, turn); });
}

Stage::~Stage() {
  crew_.reset();
  lfb_filter_free(filter_);
  lfb_filter_free(other_);
}

Bits Stage::BitsOf(const lfb_filter* filter) const {
  Bits bits;
  for (uint64_t word = 0; word < filter->layout.bits.word_count; word++)
    for (uint64_t left = lfb_bit_array_word(&filter->layout.bits, word); left != 0;
         left &= left - 1)
      bits.set(64 * word + static_cast<size_t>(__builtin_ctzll(left)));
  return bits;
}

// Bits turned on in this run, by the filter's count.
uint64_t Stage::Counted() const {
  return lfb_bit_array_count(&filter_->layout.bits) - counted_before_;
}

Event Stage::Single(const Call& call) {
  Event event{call.kind, call.key, Tick(), 0, 0};
  const uint64_t key = keys_[call.key];
  switch (call.kind) {
    case Kind::kPut:
      event.answer = verbs_.put(filter_, key);
      break;
    case Kind::kClaim:
      event.answer = verbs_.claim(filter_, key);
      break;
    case Kind::kQuery:
      event.answer = verbs_.query(filter_, key);
      break;
    case Kind::kPutAll:
      lfb_ignore(verbs_.put_all(filter_, other_));
      break;
    case Kind::kCount:
      event.answer = Counted();
      break;
  }
  event.end = Tick();
  return event;
}

// One call is one event per key, all in one interval.
void Stage::Batch(const Call& call, std::vector<Event>* seen) {
  std::vector<uint64_t> keys;
  for (unsigned i = 0; i < call.batch; i++) keys.push_back(keys_[(call.key + i) % keys_.size()]);
  uint64_t answers = 0;
  const uint64_t begin = Tick();
  (call.kind == Kind::kPut ? lfb_filter_put_many_u64(filter_, keys.data(), keys.size(), &answers)
   : call.kind == Kind::kClaim
       ? lfb_filter_many(filter_, LFB_CLAIM, keys.data(), keys.size(), &answers, LFB_U64_KEY)
       : lfb_filter_might_contain_many_u64(filter_, keys.data(), keys.size(), &answers));
  const uint64_t end = Tick();
  for (unsigned i = 0; i < call.batch; i++)
    seen->push_back({call.kind, static_cast<unsigned>((call.key + i) % keys_.size()), begin, end,
                     answers >> i & 1});
}

void Stage::Perform(unsigned thread, unsigned turn) {
  if (thread >= program_->size()) return;
  uint64_t draws = Mix(turn, thread);
  for (const Call& call : (*program_)[thread]) {
    Pause(draws);
    draws = Mix(3, draws);
    if (call.batch == 0 || !verbs_.many)
      seen_[thread].push_back(Single(call));
    else
      Batch(call, &seen_[thread]);
  }
}

History Stage::Run(const Program& program) {
  for (uint64_t word = 0; word < filter_->layout.bits.word_count; word++)
    atomic_store_explicit(&filter_->layout.bits.words[word], 0, std::memory_order_relaxed);
  for (uint32_t i = 0; i < LFB_CLAIM_CELLS; i++)
    for (lfb_word& half : filter_->claims.cells[i].half)
      atomic_store_explicit(&half, 0, std::memory_order_relaxed);
  counted_before_ = lfb_bit_array_count(&filter_->layout.bits);
  for (std::vector<Event>& seen : seen_) seen.clear();
  program_ = &program;
  crew_->Take();

  History history;
  for (const std::vector<Event>& seen : seen_)
    history.events.insert(history.events.end(), seen.begin(), seen.end());
  history.last = BitsOf(filter_);
  history.last_count = Counted();
  return history;
}

Verbs OfBitArray() {
  const auto bit = [](const lfb_filter* filter, uint64_t key) {
    uint64_t indexes[255];
    (void)filter->strategy->bits_of(&filter->layout, lfb_hasher_u64(&filter->layout.hasher, key),
                                    indexes);
    return indexes[0];
  };
  Verbs verbs;
  verbs.put = verbs.claim = [bit](lfb_filter* filter, uint64_t key) {
    return lfb_bit_array_set(&filter->layout.bits, bit(filter, key));
  };
  verbs.query = [bit](const lfb_filter* filter, uint64_t key) {
    return lfb_bit_array_get(&filter->layout.bits, bit(filter, key));
  };
  verbs.put_all = [](lfb_filter* into, const lfb_filter* from) {
    return lfb_bit_array_put_all(&into->layout.bits, &from->layout.bits);
  };
  verbs.many = false;
  verbs.puts_are_claims = true;
  return verbs;
}

// ---- programs ---------------------------------------------------------------

Program RandomProgram(const Stage& stage, unsigned calls, uint64_t number) {
  uint64_t draws = 0;
  const auto draw = [&](uint64_t below) {
    return static_cast<unsigned>(Mix(number, draws++) % below);
  };
  Program program(2 + draw(stage.threads() - 1));
  const unsigned keys = 1 + draw(stage.scene().keys.size());  // few keys meet more often
  for (std::vector<Call>& thread : program)
    for (unsigned left = 1 + draw(calls); left > 0; left--) {
      const Kind kind = static_cast<Kind>(std::min(draw(10) / 2, 4u));
      const bool batch = kind <= Kind::kQuery && draw(4) == 0;
      thread.push_back({kind, draw(keys), batch ? 2 + draw(3) : 0});
    }
  return program;
}

std::optional<Finding> Search(Stage* stage, const Program& program, unsigned runs) {
  for (unsigned run = 0; run < runs; run++) {
    History history = stage->Run(program);
    std::string why = Check(stage->scene(), history);
    if (!why.empty()) return Finding{program, std::move(history), std::move(why)};
  }
  return std::nullopt;
}

}  // namespace history
