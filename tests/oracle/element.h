// element.h - elements of every kind that the Guava test puts, made from numbers only, with the
// funnel of each.
//
// GuavaOracle.java makes the same elements in the same order of draws.
#ifndef LFBLOOM_TESTS_ORACLE_ELEMENT_H
#define LFBLOOM_TESTS_ORACLE_ELEMENT_H

#include <lfbloom/sink.h>

#include <cstdint>
#include <vector>

#include "tests/oracle/facts.h"

namespace oracle {

enum Kind { kBytes, kInt, kLong, kChars, kUtf8, kInts, kTexts, kNested, kRecord, kBlobs, kKinds };

inline const char* kind_name(Kind kind) {
  static const char* const kNames[kKinds] = {"bytes", "int",   "long",   "chars",  "utf8",
                                             "ints",  "texts", "nested", "record", "blobs"};
  return kNames[kind];
}

// One int32 of a row of them that are not contiguous.
struct Spaced {
  int32_t value;
  int32_t between;
};

struct Record {
  int32_t id;
  int64_t when;
  std::vector<uint16_t> name;
  std::vector<uint16_t> note;
  std::vector<uint8_t> raw;
  bool flag;
  int16_t port;
  float ratio;
  double weight;
};

// One element. Its objects for the C API point into it: moving it is fine, copying it is not.
class Element {
 public:
  Element(Kind kind, SplitMix rng);
  Element(Element&&) = default;
  Element(const Element&) = delete;

  lfb_funnel funnel() const;
  const void* object() const;  // for funnel()

  // The bytes that are hashed, for the plain kinds: bytes, int, long and chars.
  std::vector<uint8_t> plain() const;
  int64_t i64() const { return i64_; }

 private:
  void draw_ints(SplitMix* rng, std::vector<Spaced>* ints, lfb_sequence* view);
  void draw_sequence(SplitMix* rng);
  void draw_record(SplitMix* rng);

  Kind kind_;
  int32_t i32_ = 0;
  int64_t i64_ = 0;
  std::vector<uint8_t> bytes_;
  std::vector<uint16_t> text_;
  std::vector<Spaced> ints_;
  std::vector<std::vector<uint16_t>> texts_;
  std::vector<std::vector<Spaced>> nested_;
  std::vector<std::vector<uint8_t>> blobs_;
  Record record_{};

  lfb_key key_{};
  lfb_utf16 utf16_{};
  std::vector<lfb_utf16> utf16s_;
  std::vector<lfb_sequence> sequences_;
  std::vector<lfb_key> keys_;
  lfb_sequence sequence_{};
};

}  // namespace oracle

#endif
