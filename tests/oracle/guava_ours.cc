// guava_ours.cc - our side of the test against Guava, through the public C API:
//
//   guava_ours fill SEED FACTS FORMS         creates every filter; writes their
//                                            serialised bytes one after another to FORMS
//   guava_ours read SEED FACTS THEIR_FORMS   continues with the filters that Java wrote
//   guava_ours wide FACTS                    filters of more than 2^32 bits
//
// GuavaOracle.java does the same with Guava; compare.cc compares the facts.
#include <lfbloom/filter_more.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/oracle/element.h"
#include "tests/oracle/facts.h"
#include "tests/oracle/guava_case.h"

namespace oracle {
namespace {

struct FreeFilter {
  void operator()(lfb_filter* filter) const { lfb_filter_free(filter); }
};
using Filter = std::unique_ptr<lfb_filter, FreeFilter>;

// The name of a refusal on both sides; any other status is shown by its own text.
std::string refusal(lfb_status status) {
  switch (status) {
    case LFB_ERROR_FPP_TOO_LOW: return "fpp-too-low";
    case LFB_ERROR_FPP_TOO_HIGH: return "fpp-too-high";
    case LFB_ERROR_NO_BITS: return "no-bits";
    case LFB_ERROR_TOO_MANY_PROBES: return "too-many-probes";
    case LFB_ERROR_TOO_MANY_BITS: return "too-many-bits";
    case LFB_ERROR_SAME_FILTER: return "same-filter";
    case LFB_ERROR_PROBES_DIFFER:
    case LFB_ERROR_PROBES_DIFFER_BY_FORMULA: return "probes-differ";
    case LFB_ERROR_BIT_COUNT_DIFFERS: return "bit-count-differs";
    case LFB_ERROR_STRATEGY_DIFFERS: return "strategy-differs";
    case LFB_ERROR_TRUNCATED: return "truncated";
    case LFB_ERROR_UNKNOWN_FORM: return "bad-strategy";  // the strategy's number selects the form
    case LFB_ERROR_BAD_PROBES: return "bad-probes";
    case LFB_ERROR_BAD_WORD_COUNT: return "bad-word-count";
    default: return std::to_string(status) + " " + lfb_status_text(status);
  }
}

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(2);
}

Filter create(const lfb_config& config, lfb_status* status) {
  lfb_filter* filter = nullptr;
  *status = lfb_filter_create(&config, &filter);
  return Filter(filter);
}

Filter copy(const Filter& filter) {
  lfb_filter* made = nullptr;
  if (lfb_filter_copy(filter.get(), &made) != LFB_OK) die("lfb_filter_copy failed");
  return Filter(made);
}

lfb_status append(void* to, const void* bytes, size_t size) {
  auto& all = *static_cast<std::vector<uint8_t>*>(to);
  const auto* from = static_cast<const uint8_t*>(bytes);
  all.insert(all.end(), from, from + size);
  return LFB_OK;
}

std::vector<uint8_t> form_of(const Filter& filter) {
  std::vector<uint8_t> bytes;
  const lfb_status status = lfb_filter_write(filter.get(), LFB_FORM_GUAVA, append, &bytes);
  if (status != LFB_OK) die(std::string("lfb_filter_write: ") + lfb_status_text(status));
  return bytes;
}

lfb_stats stats_of(const Filter& filter) {
  lfb_stats stats;
  lfb_filter_stats(filter.get(), &stats);
  return stats;
}

// Guava's expectedFpp(), from our figures.  Our own has what double hashing adds, too.
double guavas_fpp(const lfb_stats& stats) {
  return std::pow(static_cast<double>(stats.bits_set) / static_cast<double>(stats.reachable_bits),
                  stats.probes);
}

std::string figures(const Filter& filter) {
  const lfb_stats stats = stats_of(filter);
  if (stats.saturated != (stats.approximate_count == UINT64_MAX))
    return "saturated, but the count is " + std::to_string(stats.approximate_count);
  return "bits=" + std::to_string(stats.bit_count) + " probes=" + std::to_string(stats.probes) +
         " set=" + std::to_string(stats.bits_set) + " count=" +
         (stats.saturated ? "saturated" : std::to_string(stats.approximate_count)) + " fpp ~" +
         hex64(bits_of(guavas_fpp(stats)));
}

// The ways to call: the function for the kind, the funnel, many at a time, and the bytes that
// the funnel would put.
enum Way { kNatural, kObject, kMany, kPlain, kWays };

std::vector<bool> unpack(const std::vector<uint64_t>& words, size_t count) {
  std::vector<bool> answers(count);
  for (size_t i = 0; i < count; i++) answers[i] = words[i / 64] >> (i % 64) & 1;
  return answers;
}

// Calls put or might_contain through one function.
class Calls {
 public:
  Calls(const GuavaCase& c, const Filter& filter, bool put, uint32_t way)
      : case_(c), filter_(filter.get()), put_(put), way_(static_cast<Way>(way % kWays)) {}

  std::vector<bool> operator()(const std::vector<uint64_t>& indexes) const {
    std::vector<Element> elements;
    elements.reserve(indexes.size());
    for (uint64_t index : indexes) elements.push_back(case_.element(index));
    if (way_ == kMany && (case_.kind == kBytes || case_.kind == kLong)) return many(elements);
    std::vector<bool> answers;
    for (const Element& element : elements) answers.push_back(one(element));
    return answers;
  }

 private:
  bool one(const Element& element) const {
    const bool has_function = case_.kind == kBytes || case_.kind == kLong;
    const bool has_plain = case_.kind <= kChars;
    if (way_ == kObject || !(way_ == kPlain ? has_plain : has_function)) return object(element);
    if (case_.kind == kLong && way_ == kNatural) {
      const auto key = static_cast<uint64_t>(element.i64());
      return put_ ? lfb_filter_put_u64(filter_, key) : lfb_filter_might_contain_u64(filter_, key);
    }
    const std::vector<uint8_t> plain = element.plain();
    return put_ ? lfb_filter_put(filter_, plain.data(), plain.size())
                : lfb_filter_might_contain(filter_, plain.data(), plain.size());
  }

  bool object(const Element& element) const {
    return put_ ? lfb_filter_put_object(filter_, element.funnel(), element.object())
                : lfb_filter_might_contain_object(filter_, element.funnel(), element.object());
  }

  // In batches; their size differs from case to case.
  std::vector<bool> many(const std::vector<Element>& elements) const {
    const size_t batch = 1 + case_.number * 37 % 300;
    std::vector<bool> answers;
    for (size_t from = 0; from < elements.size(); from += batch) {
      const size_t count = std::min(batch, elements.size() - from);
      std::vector<uint64_t> words((count + 63) / 64);
      size_t yes;
      if (case_.kind == kBytes)
        yes = many_bytes(&elements[from], count, words.data());
      else
        yes = many_u64(&elements[from], count, words.data());
      const std::vector<bool> part = unpack(words, count);
      if (yes != static_cast<size_t>(std::count(part.begin(), part.end(), true)))
        die(case_.name() + ": a batch returned another number than it has true answers");
      answers.insert(answers.end(), part.begin(), part.end());
    }
    return answers;
  }

  size_t many_bytes(const Element* elements, size_t count, uint64_t* words) const {
    std::vector<lfb_key> keys;
    for (size_t i = 0; i < count; i++)
      keys.push_back(*static_cast<const lfb_key*>(elements[i].object()));
    return put_ ? lfb_filter_put_many(filter_, keys.data(), count, words)
                : lfb_filter_might_contain_many(filter_, keys.data(), count, words);
  }

  size_t many_u64(const Element* elements, size_t count, uint64_t* words) const {
    std::vector<uint64_t> keys;
    for (size_t i = 0; i < count; i++) keys.push_back(static_cast<uint64_t>(elements[i].i64()));
    return put_ ? lfb_filter_put_many_u64(filter_, keys.data(), count, words)
                : lfb_filter_might_contain_many_u64(filter_, keys.data(), count, words);
  }

  const GuavaCase& case_;
  lfb_filter* filter_;
  bool put_;
  Way way_;
};

std::vector<uint64_t> row(uint64_t first, uint64_t count) {
  std::vector<uint64_t> indexes;
  for (uint64_t i = 0; i < count; i++) indexes.push_back(first + i);
  return indexes;
}

// The elements to put, in order: each a new one, or one of those before it.
std::vector<uint64_t> put_order(GuavaCase* c) {
  std::vector<uint64_t> order;
  for (uint32_t i = 0; i < c->puts; i++) {
    const bool again = c->rng.below(8) == 0;
    const uint32_t which = c->rng.below(i + 1);
    order.push_back(again ? which : i);
  }
  return order;
}

void ask(const GuavaCase& c, const Filter& filter, const std::vector<uint64_t>& order,
         uint32_t way, Facts* facts) {
  const std::vector<bool> present = Calls(c, filter, false, way)(order);
  if (std::count(present.begin(), present.end(), false) != 0) die(c.name() + ": a false negative");
  facts->answers("present", present);
  facts->answers("absent", Calls(c, filter, false, way + 1)(row(kAbsent, c.asks)));
}

// A copy has the original's bits. Later puts to the copy do not change the original.
void try_copy(const GuavaCase& c, const Filter& filter, Facts* facts) {
  const Filter other = copy(filter);
  facts->answers("copy put", Calls(c, other, true, c.way)(row(kOther, 1)));
  facts->line("copy " + figures(other));
  facts->bytes("copy", form_of(other));
  facts->line("original " + figures(filter));
}

void try_put_all(const GuavaCase& c, const Filter& filter, const Filter& before, Facts* facts) {
  facts->line("itself " + refusal(lfb_filter_put_all(filter.get(), filter.get())));
  if (before) {
    const Filter into = copy(filter);
    lfb_status status = lfb_filter_put_all(into.get(), before.get());
    // Guava refuses a larger filter that folds onto this one's size (lfb_filter_put_all()).
    if (status == LFB_OK && stats_of(into).bit_count != stats_of(before).bit_count)
      status = LFB_ERROR_BIT_COUNT_DIFFERS;
    facts->line("before " + (status == LFB_OK ? figures(into) : refusal(status)));
  }
  lfb_status status;
  const Filter from = create(c.config(), &status);
  Calls(c, from, true, c.way)(row(kOther, c.puts / 2));
  if (lfb_filter_put_all(filter.get(), from.get()) != LFB_OK) die(c.name() + ": put_all failed");
  facts->line("united " + figures(filter));
  facts->bytes("united", form_of(filter));
}

Filter fill(GuavaCase c, const Filter& before, Facts* facts, std::FILE* forms) {
  facts->line(c.name());
  lfb_status status;
  Filter filter = create(c.config(), &status);
  if (!filter) {
    facts->line("refused " + refusal(status));
    return nullptr;
  }
  facts->line("empty " + figures(filter));
  const std::vector<uint64_t> order = put_order(&c);
  facts->answers("put", Calls(c, filter, true, c.way)(order));
  facts->line("filled " + figures(filter));
  const std::vector<uint8_t> form = form_of(filter);
  facts->bytes("filled", form);
  if (std::fwrite(form.data(), 1, form.size(), forms) != form.size()) die("cannot write the forms");
  ask(c, filter, order, c.way + 1, facts);
  try_copy(c, filter, facts);
  try_put_all(c, filter, before, facts);
  return filter;
}

struct Bytes {
  const std::vector<uint8_t>& bytes;
  size_t at;
};

lfb_status take(void* from, void* bytes, size_t size, size_t* got) {
  auto& source = *static_cast<Bytes*>(from);
  *got = std::min(size, source.bytes.size() - source.at);
  if (*got > 0) std::memcpy(bytes, &source.bytes[source.at], *got);
  source.at += *got;
  return LFB_OK;
}

// The reason is compared only for a single fault: with several faults, neither side promises
// which one it finds first.
void read_damaged(uint64_t seed, uint64_t number, Facts* facts) {
  const DamagedForm form = damaged_form(seed, number);
  facts->line("case " + std::to_string(number) + " form " +
              hex(form.bytes.data(), form.bytes.size()));
  Bytes source{form.bytes, 0};
  lfb_filter* made = nullptr;
  const lfb_status status = lfb_filter_read(take, &source, nullptr, &made);
  const Filter filter(made);
  if (status != LFB_OK) {
    if (made != nullptr) die("a failed read wrote its output");
    // For Guava the first byte is the number of a strategy. Here it may select Parquet's form,
    // which has faults of its own.
    const bool parquet = form.bytes[0] == 0x15;
    const std::string why = parquet ? "bad-strategy" : refusal(status);
    facts->line(form.faults == 1 ? "refused " + why : "refused");
    return;
  }
  facts->line("read " + figures(filter));
  facts->line("left " + std::to_string(form.bytes.size() - source.at));
  facts->bytes("again", form_of(filter));
}

void plan_one(uint64_t seed, uint64_t number, Facts* facts) {
  const Plan p = plan(seed, number);
  char remark[32];
  std::snprintf(remark, sizeof remark, " # p=%.17g", p.fpp);
  facts->line("case " + std::to_string(number) + " plan n=" + std::to_string(p.n) +
              " p=" + hex64(bits_of(p.fpp)) + remark);
  lfb_config config{};
  config.expected_insertions = p.n;
  config.fpp = p.fpp;
  config.strategy = number % 2 ? LFB_GUAVA_MITZ64 : LFB_GUAVA_MITZ32;
  for (lfb_probes_formula formula : {LFB_PROBES_GUAVA_31, LFB_PROBES_GUAVA_CURRENT}) {
    config.probes_formula = formula;
    lfb_stats stats;
    const lfb_status status = lfb_config_plan(&config, &stats);
    facts->line((formula == LFB_PROBES_GUAVA_31 ? "31.1 " : "current ") +
                (status == LFB_OK ? "bits=" + std::to_string(stats.bit_count) +
                                        " probes=" + std::to_string(stats.probes)
                                  : refusal(status)));
  }
}

void fill_all(uint64_t seed, Facts* facts, std::FILE* forms) {
  Filter before;
  for (uint64_t number = 0; number < kCases; number++)
    before = fill(guava_case(seed, number), before, facts, forms);
  for (uint64_t i = 0; i < kReads; i++) read_damaged(seed, kFirstRead + i, facts);
  for (uint64_t i = 0; i < kPlans; i++) plan_one(seed, kFirstPlan + i, facts);
}

struct Stream {
  std::FILE* file;
  SplitMix rng;
};

// Returns fewer bytes than requested, as a pipe would.
lfb_status take_some(void* from, void* bytes, size_t size, size_t* got) {
  auto& stream = *static_cast<Stream*>(from);
  const size_t at_most = 1 + stream.rng.below(stream.rng.below(2) ? 3 : 100000);
  *got = std::fread(bytes, 1, std::min(size, at_most), stream.file);
  return LFB_OK;
}

void read_theirs(GuavaCase c, Stream* stream, Facts* facts) {
  lfb_status status;
  const Filter other = create(c.config(), &status);
  if (!other) return;  // Java refused it, too, by the facts of "fill"
  facts->line(c.name());
  lfb_filter* made = nullptr;
  status = lfb_filter_read(take_some, stream, nullptr, &made);
  const Filter filter(made);
  if (!filter) die(c.name() + ": what Java wrote is not read: " + lfb_status_text(status));
  facts->line("read " + figures(filter));
  ask(c, filter, put_order(&c), c.way + 2, facts);
  Calls(c, other, true, c.way + 3)(row(kOther, c.puts / 2 + 1));
  facts->line("others " + figures(other));
  if (lfb_filter_put_all(filter.get(), other.get()) != LFB_OK)
    die(c.name() + ": put_all into what Java wrote failed");
  facts->answers("further", Calls(c, filter, true, c.way)(row(kAbsent, c.asks)));
  facts->line("further " + figures(filter));
  facts->bytes("further", form_of(filter));
}

void read_all(uint64_t seed, Facts* facts, std::FILE* forms) {
  Stream stream{forms, SplitMix(seed)};
  for (uint64_t number = 0; number < kCases; number++)
    read_theirs(guava_case(seed, number), &stream, facts);
  if (std::fgetc(forms) != EOF) die("Java wrote more filters than were read");
}

// A digest of the nonzero words and of their positions.
struct WordDigest {
  uint64_t at = 0;
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  uint8_t pending[8] = {};

  void add(uint8_t byte) {
    pending[at % 8] = byte;
    if (at++ % 8 != 7) return;
    uint64_t word = 0;
    for (uint8_t b : pending) word = word << 8 | b;
    if (word == 0) return;
    hash = (hash ^ at) * UINT64_C(0x100000001b3);
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
  }
};

lfb_status digest(void* to, const void* bytes, size_t size) {
  auto& digest = *static_cast<WordDigest*>(to);
  const auto* from = static_cast<const uint8_t*>(bytes);
  static const uint8_t kZero[8] = {};
  for (size_t i = 0; i < size;) {
    if (digest.at % 8 == 0 && size - i >= 8 && std::memcmp(from + i, kZero, 8) == 0) {
      digest.at += 8;
      i += 8;
    } else {
      digest.add(from[i++]);
    }
  }
  return LFB_OK;
}

void wide(lfb_strategy_id strategy, Facts* facts) {
  constexpr uint64_t kPuts = 50000;
  lfb_config config{};
  config.expected_insertions = UINT64_C(1) << 29;
  config.fpp = 0.01;
  config.strategy = strategy;
  config.lazy_memory = true;
  facts->line(std::string("case wide ") +
              (strategy == LFB_GUAVA_MITZ64 ? "mitz64" : "mitz32"));
  lfb_status status;
  const Filter filter = create(config, &status);
  if (!filter) die(std::string("wide: ") + lfb_status_text(status));
  std::vector<bool> put, asked;
  for (uint64_t i = 0; i < kPuts; i++)
    put.push_back(lfb_filter_put_u64(filter.get(), i * 7919 % (kPuts * 3 / 4)));
  for (uint64_t i = 0; i < 2 * kPuts; i++)
    asked.push_back(lfb_filter_might_contain_u64(filter.get(), i));
  facts->answers("put", put);
  facts->answers("asked", asked);
  facts->line(figures(filter));
  WordDigest words;
  if (lfb_filter_write(filter.get(), LFB_FORM_GUAVA, digest, &words) != LFB_OK) die("wide: write");
  facts->line("written " + std::to_string(words.at) + " " + hex64(words.hash));
}

std::FILE* open(const char* path, const char* mode) {
  std::FILE* file = std::fopen(path, mode);
  if (file == nullptr) die(std::string("cannot open ") + path);
  return file;
}

int run(const std::string& job, char** arguments) {
  if (job == "wide") {
    Facts facts(arguments[0]);
    wide(LFB_GUAVA_MITZ32, &facts);
    wide(LFB_GUAVA_MITZ64, &facts);
    return 0;
  }
  const uint64_t seed = std::strtoull(arguments[0], nullptr, 10);
  Facts facts(arguments[1]);
  std::FILE* forms = open(arguments[2], job == "fill" ? "wb" : "rb");
  if (job == "fill")
    fill_all(seed, &facts, forms);
  else
    read_all(seed, &facts, forms);
  return std::fclose(forms) == 0 ? 0 : 2;
}

}  // namespace
}  // namespace oracle

int main(int argc, char** argv) {
  const std::string job = argc > 1 ? argv[1] : "";
  if ((argc == 5 && (job == "fill" || job == "read")) || (argc == 3 && job == "wide"))
    return oracle::run(job, argv + 2);
  std::fprintf(stderr, "usage: guava_ours fill|read SEED FACTS FORMS | wide FACTS\n");
  return 2;
}
