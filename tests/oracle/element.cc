// element.cc - see element.h. Each draw is a statement of its own: C++ leaves the order within
// one statement open, and Java must draw in the same order.
#include "tests/oracle/element.h"

#include <cstring>

namespace oracle {
namespace {

std::vector<uint8_t> draw_bytes(SplitMix* rng) {
  const bool is_long = rng->below(16) == 0;
  std::vector<uint8_t> bytes(rng->below(is_long ? 3000 : 40));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng->next() >> 56);
  return bytes;
}

// Text of one style: ASCII; any code units, with surrogates by chance; mostly surrogates, paired
// or not; only pairs.
std::vector<uint16_t> draw_text(SplitMix* rng) {
  const bool is_long = rng->below(16) == 0;
  std::vector<uint16_t> text(rng->below(is_long ? 700 : 24));
  const uint32_t style = rng->below(4);
  for (size_t i = 0; i < text.size(); i++) {
    const uint32_t any = rng->below(65536);
    switch (style) {
      case 0: text[i] = static_cast<uint16_t>(any % 128); break;
      case 1: text[i] = static_cast<uint16_t>(any); break;
      case 2: text[i] = static_cast<uint16_t>(any % 9 ? 0xd800 + any % 2048 : any); break;
      default: text[i] = static_cast<uint16_t>((i % 2 ? 0xdc00 : 0xd800) + any % 1024);
    }
  }
  return text;
}

// As often a small number of either sign as any 32-bit number.
int32_t draw_i32(SplitMix* rng) {
  const uint64_t any = rng->next();
  const bool small = rng->below(2) == 0;
  return small ? static_cast<int32_t>((any >> 1) % 2001) - 1000
               : static_cast<int32_t>(static_cast<uint32_t>(any >> 32));
}

int64_t draw_i64(SplitMix* rng) {
  const uint64_t any = rng->next();
  const bool small = rng->below(2) == 0;
  return small ? static_cast<int64_t>((any >> 1) % 2001) - 1000 : static_cast<int64_t>(any);
}

lfb_utf16 view_of(const std::vector<uint16_t>& text) { return {text.data(), text.size()}; }

lfb_key view_of(const std::vector<uint8_t>& bytes) { return {bytes.data(), bytes.size()}; }

template <typename T>
lfb_sequence view_of(const std::vector<T>& row, lfb_funnel funnel) {
  return {row.data(), row.size(), sizeof(T), funnel};
}

// The fields in every way that Guava's PrimitiveSink takes them. Those without a function in
// this library's sink are defined by their bytes.
void record_funnel(const void* object, lfb_sink* sink) {
  const Record& record = *static_cast<const Record*>(object);
  lfb_sink_put_i32(sink, record.id);
  lfb_sink_put_i64(sink, record.when);
  lfb_sink_put_utf16(sink, record.name.data(), record.name.size());
  lfb_sink_put_utf16_as_utf8(sink, record.note.data(), record.note.size());
  lfb_sink_put_bytes(sink, record.raw.data(), record.raw.size());
  const uint8_t flag = record.flag;
  lfb_sink_put_bytes(sink, &flag, 1);
  const uint16_t port = static_cast<uint16_t>(record.port);
  lfb_sink_put_utf16(sink, &port, 1);
  int32_t ratio;
  std::memcpy(&ratio, &record.ratio, sizeof ratio);
  lfb_sink_put_i32(sink, ratio);
  lfb_sink_put_i64(sink, static_cast<int64_t>(bits_of(record.weight)));
}

}  // namespace

Element::Element(Kind kind, SplitMix rng) : kind_(kind) {
  switch (kind) {
    case kInt: i32_ = draw_i32(&rng); break;
    case kLong: i64_ = draw_i64(&rng); break;
    case kChars:
    case kUtf8: text_ = draw_text(&rng); break;
    case kRecord: draw_record(&rng); break;
    case kBytes: bytes_ = draw_bytes(&rng); break;
    default: draw_sequence(&rng);
  }
  key_ = view_of(bytes_);
  utf16_ = view_of(text_);
}

void Element::draw_ints(SplitMix* rng, std::vector<Spaced>* ints, lfb_sequence* view) {
  ints->resize(rng->below(12));
  for (Spaced& spaced : *ints) spaced = {draw_i32(rng), -1};
  *view = view_of(*ints, lfb_funnel_i32);
}

void Element::draw_sequence(SplitMix* rng) {
  if (kind_ == kInts) {
    draw_ints(rng, &ints_, &sequence_);
    return;
  }
  const uint32_t count = rng->below(5);
  if (kind_ == kTexts) {
    for (uint32_t i = 0; i < count; i++) texts_.push_back(draw_text(rng));
    for (const auto& text : texts_) utf16s_.push_back(view_of(text));
    sequence_ = view_of(utf16s_, lfb_funnel_utf16_as_utf8);
  } else if (kind_ == kNested) {
    nested_.resize(count);
    sequences_.resize(count);
    for (uint32_t i = 0; i < count; i++) draw_ints(rng, &nested_[i], &sequences_[i]);
    sequence_ = view_of(sequences_, lfb_funnel_sequence);
  } else {
    for (uint32_t i = 0; i < count; i++) blobs_.push_back(draw_bytes(rng));
    for (const auto& blob : blobs_) keys_.push_back(view_of(blob));
    sequence_ = view_of(keys_, lfb_funnel_bytes);
  }
}

void Element::draw_record(SplitMix* rng) {
  record_.id = draw_i32(rng);
  record_.when = draw_i64(rng);
  record_.name = draw_text(rng);
  record_.note = draw_text(rng);
  record_.raw = draw_bytes(rng);
  record_.flag = rng->below(2) == 1;
  record_.port = static_cast<int16_t>(static_cast<int32_t>(rng->below(65536)) - 32768);
  record_.ratio = static_cast<float>(static_cast<int32_t>(rng->below(2000)) - 1000) / 16.0F;
  record_.weight = rng->unit() - 0.5;
}

lfb_funnel Element::funnel() const {
  switch (kind_) {
    case kBytes: return lfb_funnel_bytes;
    case kInt: return lfb_funnel_i32;
    case kLong: return lfb_funnel_i64;
    case kChars: return lfb_funnel_utf16;
    case kUtf8: return lfb_funnel_utf16_as_utf8;
    case kRecord: return record_funnel;
    default: return lfb_funnel_sequence;
  }
}

const void* Element::object() const {
  switch (kind_) {
    case kBytes: return &key_;
    case kInt: return &i32_;
    case kLong: return &i64_;
    case kChars:
    case kUtf8: return &utf16_;
    case kRecord: return &record_;
    default: return &sequence_;
  }
}

std::vector<uint8_t> Element::plain() const {
  std::vector<uint8_t> plain;
  const auto append = [&plain](uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; i++) plain.push_back(static_cast<uint8_t>(value >> (8 * i)));
  };
  if (kind_ == kBytes) return bytes_;
  if (kind_ == kInt) append(static_cast<uint32_t>(i32_), 4);
  if (kind_ == kLong) append(static_cast<uint64_t>(i64_), 8);
  if (kind_ == kChars)
    for (uint16_t unit : text_) append(unit, 2);
  return plain;
}

}  // namespace oracle
