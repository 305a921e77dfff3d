// run.h - programs of a few calls, run by threads on one filter, and the answers that they
// received.
#pragma once

#include <lfbloom/filter_more.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tests/history/crew.h"
#include "tests/history/model.h"

namespace history {

// A call of a program: an event before it happens.
struct Call {
  Kind kind;
  unsigned key;
  unsigned batch;  // the number of keys from there on, in one call; 0: one key at a time
};

// The calls of each thread, in order.
using Program = std::vector<std::vector<Call>>;

// The calls of the library, unless a test has others.
struct Verbs {
  std::function<bool(lfb_filter*, uint64_t key)> put = lfb_filter_put_u64,
                                                 claim = lfb_filter_claim_u64;
  std::function<bool(const lfb_filter*, uint64_t key)> query = lfb_filter_might_contain_u64;
  std::function<lfb_status(lfb_filter*, const lfb_filter*)> put_all = lfb_filter_put_all;
  bool many = true;             // batches are one call
  bool puts_are_claims = false;
};

// One filter, its keys, and the threads that run programs on it repeatedly.
class Stage {
 public:
  // A filter of `config`, with at most kMostBits bits, and `keys` keys.
  Stage(const lfb_config& config, unsigned keys, unsigned threads, Verbs verbs = {});
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const Scene& scene() const { return scene_; }
  unsigned threads() const { return threads_; }

  // Runs a program of at most threads() threads once, on the empty filter.
  History Run(const Program& program);

 private:
  void Perform(unsigned thread, unsigned turn);
  Event Single(const Call& call);
  void Batch(const Call& call, std::vector<Event>* seen);
  uint64_t Tick() {
    return clock_.fetch_add(1);
  }  // seq_cst: a later tick sees everything done before
  uint64_t Counted() const;
  Bits BitsOf(const lfb_filter* filter) const;

  const unsigned threads_;
  const Verbs verbs_;
  std::vector<uint64_t> keys_;
  Scene scene_;
  lfb_filter *filter_ = nullptr, *other_ = nullptr;
  std::atomic<uint64_t> clock_{1};
  uint64_t counted_before_ = 0;
  const Program* program_ = nullptr;
  std::vector<std::vector<Event>> seen_;
  std::unique_ptr<Crew> crew_;
};

// What calls on the bits of a filter do: a key is the first of its bits, and each set is a claim.
Verbs OfBitArray();

// A program of 2 to `threads` threads, with at most `calls` calls each, made from a number.
Program RandomProgram(const Stage& stage, unsigned calls, uint64_t number);

// The first of several runs of a program with an impossible history.
struct Finding {
  Program program;
  History history;
  std::string why;
};
std::optional<Finding> Search(Stage* stage, const Program& program, unsigned runs);

}  // namespace history
