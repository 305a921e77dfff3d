// The promises of bloom/counting/tags.h, by Relacy: the operations of tags_key.h themselves, with
// all values that C11 lets a load see. A class has two lines of two words of two slots.
#include "tests/model/atomic.h"

// A snapshot needs no slots.
#define LFB_ATOMIC_SLOTS_H
#include <stdint.h>
enum { LFB_SLOT_COUNT = 4 };
uint32_t lfb_slot(void);
uint32_t lfb_slot_or_none(void);

#include <stdlib.h>

using namespace lfb_model;
#define LFB_TAGS_LINE 2
#if defined(LFB_MODEL_MUTATED) && !defined(LFB_MODEL_MUTATED_bit_array_c)
#include LFB_MODEL_MUTATED // tags_key.h
#endif
#include "bloom/counting/tags_key.h"
#include "tests/model/pair_modelled.h"
#ifdef LFB_MODEL_MUTATED_bit_array_c
#include LFB_MODEL_MUTATED
#else
#include "atomic/bit_array.c"
#endif
#include "tests/model/model.h"

namespace {

constexpr uint32_t kBits = 32;
constexpr uint64_t kOther = 3;  // a tag that only fills slots

uint64_t Word(uint64_t low, uint64_t high) { return high << kBits | low; }

// A table of `half` lines A.
template <typename Test, unsigned half>
struct Table : rl::test_suite<Test, 3> {
  static constexpr unsigned kWords = 2 * LFB_TAGS_LINE * half;
  lfb_word words[kWords]{};
  Cells<uint64_t> cells;
  lfb_tags tags{words, half};

  tags_class Class(uint64_t tag) { return tags_class_at(&tags, tag, 0); }
  bool Has(uint64_t tag) {
    const tags_class at = Class(tag);
    return tags_has(&at, kBits, false);
  }
  void Put(uint64_t tag) {
    const tags_class at = Class(tag);
    RL_ASSERT(tags_put(&tags, &at, kBits, false));
  }
  void Remove(uint64_t tag) {
    const tags_class at = Class(tag);
    RL_ASSERT(tags_remove(&at, kBits, false));
  }
};

// A class in which a key stays, anywhere, and others fill some of the slots.
template <typename Test>
struct OneClass : Table<Test, 1> {
  static constexpr uint64_t kTag = 1;
  void before() {
    const unsigned at = rl::rand(8), others = rl::rand(2) != 0 ? rl::rand(256) : 0;
    const bool few = __builtin_popcount(others) < 5;
    for (unsigned i = 0; i < 4; i++) {
      uint64_t slot[2];
      for (unsigned j = 0; j < 2; j++)
        slot[j] = 2 * i + j == at ? kTag : few && (others >> (2 * i + j) & 1) != 0 ? kOther : 0;
      this->cells.Begin(&this->words[i], Word(slot[0], slot[1]));
    }
  }
};

// Two threads put and remove keys of the class; the third finds the key that stays.
struct Found : OneClass<Found> {
  void thread(unsigned index) {
    if (index == 2) {
      RL_ASSERT(Has(kTag));
      return;
    }
    Put(kTag);
    RL_ASSERT(Has(kTag));
    Remove(kTag);
  }
  void after() {
    RL_ASSERT(Has(kTag));
    Remove(kTag);
    RL_ASSERT(!Has(kTag));
  }
};

// Removals of all keys at once all succeed.
struct Twice : OneClass<Twice> {
  void thread(unsigned index) {
    if (index < 2) Put(kTag);
    Remove(kTag);
  }
  void after() { RL_ASSERT(!Has(kTag)); }
};

// A save has at least as many copies as keys that stay.
struct Saved : OneClass<Saved> {
  void thread(unsigned index) {
    if (index < 2) {
      Put(kTag);
      Remove(kTag);
      return;
    }
    const lfb_bit_array array = lfb_bit_array_over(words, kWords, {});
    uint64_t saved[kWords];
    uint32_t copies = 0;
    lfb_bit_array_snapshot(&array, 0, saved, kWords);
    for (const uint64_t word : saved) copies += lfb_word_count(tags_equal(word, kTag, kBits));
    RL_ASSERT(copies >= 1);
  }
  void after() { Remove(kTag); }
};

// A put that finds its lines full moves a tag of another class.  Meanwhile that class has a put, a
// removal and a query; the moved key stays.
struct Moved : Table<Moved, 2> {
  static constexpr uint64_t kPut = 1, kMoves = 2;

  void before() {
    RL_ASSERT(Class(kPut).line[1] != Class(kMoves).line[1]);
    const auto its = static_cast<unsigned>(Class(kMoves).line[1] - words);
    const unsigned at = rl::rand(4);
    for (unsigned i = 0; i < kWords; i++) {
      uint64_t slot[2] = {kOther, kOther};
      if (i == at / 2) slot[at % 2] = kMoves;
      const bool free = i / 2 == 1 || i / 2 == its / 2;  // line A 1, and the line B of kMoves
      this->cells.Begin(&words[i], free ? 0 : Word(slot[0], slot[1]));
    }
    RL_ASSERT(tags_class_at(&tags, kOther, 0).line[1] != Class(kMoves).line[1]);
  }
  void thread(unsigned index) {
    if (index == 0) {
      Put(kPut);
      RL_ASSERT(Has(kPut));
    } else if (index == 1) {
      Put(kMoves);
      Remove(kMoves);
    } else {
      RL_ASSERT(Has(kMoves));
    }
  }
  void after() {
    RL_ASSERT(Has(kPut));
    Remove(kMoves);
    RL_ASSERT(!Has(kMoves));
  }
};

}  // namespace

int main(int argc, char** argv) {
  model::Runs runs(argc, argv);
  MODEL_TRY(runs, Found);
  MODEL_TRY(runs, Twice);
  MODEL_TRY(runs, Saved);
  MODEL_TRY(runs, Moved);
  return runs.Status();
}
