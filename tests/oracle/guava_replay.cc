// guava_replay.cc - guava_replay CALLS CASES: repeats by this library, through the public C API,
// the calls of Guava that GuavaOracle.java wrote to the file CALLS, which are CASES at least.  Each
// result must be Guava's, and a double at most one unit in the last place off.  Shows the first
// results that differ.
#include <lfbloom/filter_more.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct FreeFilter {
  void operator()(lfb_filter* filter) const { lfb_filter_free(filter); }
};
using Filter = std::unique_ptr<lfb_filter, FreeFilter>;

[[noreturn]] void Die(const std::string& what) {
  std::cerr << what << "\n";
  std::exit(2);
}

// The name of a refusal on both sides; any other status is shown by its own text.
std::string Refusal(lfb_status status) {
  switch (status) {
    case LFB_OK: return "ok";
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

std::string Hex64(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

uint64_t Number(const std::string& hex) { return std::strtoull(hex.c_str(), nullptr, 16); }

std::string BytesOf(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(Number(hex.substr(i, 2)));
  return bytes;
}

// ---- keys ---------------------------------------------------------------------------------

// What a funnel puts at once: bytes, a number of 32 or 64 bits, or text, as its units or in UTF-8.
struct Part {
  char type;
  int64_t number;
  std::string bytes;
  std::vector<uint16_t> units;
};
using Key = std::vector<Part>;

Part PartOf(const std::string& text) {
  Part part{text[0], 0, "", {}};
  const std::string rest = text.substr(1);
  if (part.type == 'b') part.bytes = BytesOf(rest);
  if (part.type == 'i' || part.type == 'l') part.number = std::strtoll(rest.c_str(), nullptr, 10);
  if (part.type == 'c' || part.type == 's')
    for (size_t i = 0; i < rest.size(); i += 4)
      part.units.push_back(static_cast<uint16_t>(Number(rest.substr(i, 4))));
  return part;
}

void PutPart(const void* object, lfb_sink* sink) {
  const Part& part = *static_cast<const Part*>(object);
  const lfb_key bytes = {part.bytes.data(), part.bytes.size()};
  const lfb_utf16 text = {part.units.data(), part.units.size()};
  const auto small = static_cast<int32_t>(part.number);
  switch (part.type) {
    case 'b': return lfb_funnel_bytes(&bytes, sink);
    case 'i': return lfb_funnel_i32(&small, sink);
    case 'l': return lfb_funnel_i64(&part.number, sink);
    case 'c': return lfb_funnel_utf16(&text, sink);
    default: return lfb_funnel_utf16_as_utf8(&text, sink);
  }
}

bool IsNumber(const Key& key) { return key.size() == 1 && key[0].type == 'l'; }
bool HasBytes(const Key& key) {
  return std::none_of(key.begin(), key.end(), [](const Part& part) { return part.type == 's'; });
}

// The bytes that a key without UTF-8 stands for.
std::string Plain(const Key& key) {
  std::string plain;
  const auto append = [&plain](uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; i++) plain += static_cast<char>(value >> (8 * i));
  };
  for (const Part& part : key) {
    plain += part.bytes;
    if (part.type == 'i') append(static_cast<uint64_t>(part.number), 4);
    if (part.type == 'l') append(static_cast<uint64_t>(part.number), 8);
    for (const uint16_t unit : part.units) append(unit, 2);
  }
  return plain;
}

// ---- put and might_contain, by the function of each kind --------------------------------

// The ways to call: an object of one sequence, of a sequence in a sequence, the bytes that the
// funnel would put, a number, and many at a time.  Where a key has not the way, it is an object.
enum Way { kObject, kNested, kPlain, kNumber, kMany, kWays };

class Caller {
 public:
  Caller(lfb_filter* filter, bool put, size_t calls)
      : filter_(filter), put_(put), calls_(calls), way_(static_cast<Way>(calls % kWays)) {}

  std::string operator()(const std::vector<const Key*>& keys) const {
    const auto all = [&keys](bool (*of)(const Key&)) {
      return std::all_of(keys.begin(), keys.end(), [of](const Key* key) { return of(*key); });
    };
    if (way_ == kMany && (all(IsNumber) || all(HasBytes))) return Many(keys, all(IsNumber));
    std::string answers;
    for (const Key* key : keys) answers += One(*key) ? '1' : '0';
    return answers;
  }

 private:
  bool One(const Key& key) const {
    if (way_ == kNumber && IsNumber(key)) {
      const auto number = static_cast<uint64_t>(key[0].number);
      return put_ ? lfb_filter_put_u64(filter_, number)
                  : lfb_filter_might_contain_u64(filter_, number);
    }
    if (way_ == kPlain && HasBytes(key)) {
      const std::string plain = Plain(key);
      return put_ ? lfb_filter_put(filter_, plain.data(), plain.size())
                  : lfb_filter_might_contain(filter_, plain.data(), plain.size());
    }
    const lfb_sequence parts = {key.data(), key.size(), sizeof(Part), PutPart};
    const lfb_sequence outer = {&parts, 1, sizeof parts, lfb_funnel_sequence};
    const lfb_sequence* const object = way_ == kNested ? &outer : &parts;
    return put_ ? lfb_filter_put_object(filter_, lfb_funnel_sequence, object)
                : lfb_filter_might_contain_object(filter_, lfb_funnel_sequence, object);
  }

  // In batches; their size differs from call to call.
  std::string Many(const std::vector<const Key*>& keys, bool numbers) const {
    const size_t batch = 1 + calls_ * 37 % 300;
    std::string answers;
    for (size_t from = 0; from < keys.size(); from += batch) {
      const size_t count = std::min(batch, keys.size() - from);
      std::vector<uint64_t> words((count + 63) / 64);
      const size_t yes = numbers ? ManyNumbers(&keys[from], count, words.data())
                                 : ManyBytes(&keys[from], count, words.data());
      for (size_t i = 0; i < count; i++) answers += words[i / 64] >> (i % 64) & 1 ? '1' : '0';
      if (yes != static_cast<size_t>(std::count(answers.end() - static_cast<ptrdiff_t>(count),
                                                answers.end(), '1')))
        return "a batch returned another number than it has true answers";
    }
    return answers;
  }

  size_t ManyBytes(const Key* const* keys, size_t count, uint64_t* words) const {
    std::vector<std::string> plain;
    std::vector<lfb_key> all;
    for (size_t i = 0; i < count; i++) plain.push_back(Plain(*keys[i]));
    for (const std::string& bytes : plain) all.push_back({bytes.data(), bytes.size()});
    return put_ ? lfb_filter_put_many(filter_, all.data(), count, words)
                : lfb_filter_might_contain_many(filter_, all.data(), count, words);
  }

  size_t ManyNumbers(const Key* const* keys, size_t count, uint64_t* words) const {
    std::vector<uint64_t> all;
    for (size_t i = 0; i < count; i++) all.push_back(static_cast<uint64_t>((*keys[i])[0].number));
    return put_ ? lfb_filter_put_many_u64(filter_, all.data(), count, words)
                : lfb_filter_might_contain_many_u64(filter_, all.data(), count, words);
  }

  lfb_filter* filter_;
  bool put_;
  size_t calls_;
  Way way_;
};

// ---- what a filter is, and what it writes -------------------------------------------------

lfb_stats Stats(const Filter& filter) {
  lfb_stats stats;
  lfb_filter_stats(filter.get(), &stats);
  return stats;
}

// With Guava's expectedFpp(), from our figures.  Our own has what double hashing adds, too.
std::string Figures(const Filter& filter) {
  const lfb_stats stats = Stats(filter);
  const double fpp = std::pow(
      static_cast<double>(stats.bits_set) / static_cast<double>(stats.reachable_bits),
      stats.probes);
  uint64_t bits;
  std::memcpy(&bits, &fpp, sizeof bits);
  if (stats.saturated != (stats.approximate_count == UINT64_MAX)) return "saturated, or not";
  return "bits=" + std::to_string(stats.bit_count) + " probes=" + std::to_string(stats.probes) +
         " set=" + std::to_string(stats.bits_set) + " count=" +
         (stats.saturated ? "saturated" : std::to_string(stats.approximate_count)) + " fpp=~" +
         Hex64(bits);
}

// The header, and a digest of the words that are not 0, and of their positions.
struct Form {
  std::string head;
  uint64_t at = 0, word = 0, digest = UINT64_C(0xcbf29ce484222325);

  void Add(uint8_t byte) {
    word = word << 8 | byte;
    if (++at % 8 != 0) return;
    if (word != 0) digest = ((digest ^ at) * UINT64_C(0x100000001b3) ^ word) * 0x100000001b3;
    word = 0;
  }

  static lfb_status Write(void* to, const void* bytes, size_t size) {
    Form& form = *static_cast<Form*>(to);
    const auto* from = static_cast<const uint8_t*>(bytes);
    static const uint8_t kZero[8] = {};
    for (size_t i = 0; i < size;) {
      if (form.head.size() < 12) {
        form.head += Hex64(from[i++]).substr(14);
      } else if (form.at % 8 == 0 && size - i >= 8 && std::memcmp(from + i, kZero, 8) == 0) {
        form.at += 8;
        i += 8;
      } else {
        form.Add(from[i++]);
      }
    }
    return LFB_OK;
  }
};

std::string Written(const Filter& filter) {
  Form form;
  const lfb_status status = lfb_filter_write(filter.get(), LFB_FORM_GUAVA, Form::Write, &form);
  if (status != LFB_OK) return Refusal(status);
  return form.head + " " + std::to_string(form.at) + " " + Hex64(form.digest);
}

// A source that gives fewer bytes than requested, as a pipe would.
struct Source {
  std::string bytes;
  size_t at = 0;

  static lfb_status Read(void* from, void* bytes, size_t size, size_t* got) {
    Source& source = *static_cast<Source*>(from);
    *got = std::min({size, source.bytes.size() - source.at, 1 + source.at * 7 % 1000});
    std::memcpy(bytes, source.bytes.data() + source.at, *got);
    source.at += *got;
    return LFB_OK;
  }
};

lfb_status Append(void* to, const void* bytes, size_t size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
  return LFB_OK;
}

// ---- the calls ----------------------------------------------------------------------------

class Replay {
 public:
  // Repeats the call of a line, before " = ".  Returns what Guava's result stands for.
  std::string Do(std::istringstream& words) {
    std::string verb, name;
    words >> verb >> name;
    if (verb == "key") return AddKey(name, words);
    if (verb == "case") return words >> kind_, "";
    if (verb == "plan") return Plans(std::strtoull(name.c_str(), nullptr, 10), words);
    Filter& filter = filters_[name[0]];
    if (verb == "new") return New(&filter, words);
    if (verb == "bytes") return ReadBytes(&filter, words);
    if (!filter && verb != "copy" && verb != "read") return "no filter";
    if (verb == "put" || verb == "ask") return Call(filter, verb == "put", words);
    if (verb == "is") return Figures(filter);
    if (verb == "form") return Written(filter);
    char other = 0;
    words >> other;
    if (!filters_[other]) return "no other filter";
    if (verb == "all") return All(filter, filters_[other]);
    return verb == "copy" ? Copy(&filter, filters_[other]) : ReadBack(&filter, filters_[other]);
  }

 private:
  std::string AddKey(const std::string& kind, std::istringstream& words) {
    Key key;
    std::string parts;
    words >> parts;
    std::istringstream split(parts);
    for (std::string part; std::getline(split, part, ',');) key.push_back(PartOf(part));
    keys_[kind].push_back(std::move(key));
    return "";
  }

  static lfb_config Config(uint64_t n, const std::string& fpp, bool mitz64) {
    lfb_config config{};
    config.expected_insertions = n;
    const uint64_t bits = Number(fpp);
    std::memcpy(&config.fpp, &bits, sizeof bits);
    config.strategy = mitz64 ? LFB_GUAVA_MITZ64 : LFB_GUAVA_MITZ32;
    config.lazy_memory = true;
    return config;
  }

  static std::string New(Filter* filter, std::istringstream& words) {
    std::string strategy, fpp;
    uint64_t n = 0;
    words >> strategy >> n >> fpp;
    const lfb_config config = Config(n, fpp, strategy == "mitz64");
    lfb_filter* made = nullptr;
    filter->reset();
    const lfb_status status = lfb_filter_create(&config, &made);
    filter->reset(made);
    return Refusal(status);
  }

  std::string Call(const Filter& filter, bool put, std::istringstream& words) {
    std::vector<const Key*> keys;
    std::vector<Key> counted;  // so many that none moves
    counted.reserve(100000);
    for (size_t index; words >> index;) {
      if (kind_ == "count") counted.push_back({Part{'l', static_cast<int64_t>(index), "", {}}});
      keys.push_back(kind_ == "count" ? &counted.back() : &keys_.at(kind_).at(index));
    }
    return Caller(filter.get(), put, calls_++)(keys);
  }

  // Guava refuses a larger filter that folds onto this one's size (lfb_filter_put_all()).
  static std::string All(const Filter& into, const Filter& from) {
    const bool folds = Stats(into).bit_count != Stats(from).bit_count;
    const lfb_status status = lfb_filter_put_all(into.get(), from.get());
    return Refusal(status == LFB_OK && folds ? LFB_ERROR_BIT_COUNT_DIFFERS : status);
  }

  static std::string Copy(Filter* to, const Filter& from) {
    lfb_filter* made = nullptr;
    if (lfb_filter_copy(from.get(), &made) != LFB_OK) return "not copied";
    to->reset(made);
    return "";
  }

  static std::string ReadBack(Filter* to, const Filter& from) {
    Source source;
    lfb_filter* made = nullptr;
    if (lfb_filter_write(from.get(), LFB_FORM_GUAVA, Append, &source.bytes) != LFB_OK ||
        lfb_filter_read(Source::Read, &source, nullptr, &made) != LFB_OK)
      return "not read back";
    to->reset(made);
    return "";
  }

  // For Guava the first byte is the number of a strategy.  Here it may select Parquet's form, which
  // has faults of its own.
  static std::string ReadBytes(Filter* filter, std::istringstream& words) {
    Source source;
    words >> source.bytes;
    source.bytes = BytesOf(source.bytes);
    lfb_filter* made = nullptr;
    const lfb_status status = lfb_filter_read(Source::Read, &source, nullptr, &made);
    filter->reset(made);
    if (status == LFB_OK) return "left " + std::to_string(source.bytes.size() - source.at);
    if (made != nullptr) return "a failed read wrote its output";
    return "refused " + (source.bytes[0] == '\x15' ? "bad-strategy" : Refusal(status));
  }

  static std::string Plans(uint64_t n, std::istringstream& words) {
    std::string fpp, all;
    words >> fpp;
    lfb_config config = Config(n, fpp, n % 2 != 0);
    for (const auto formula : {LFB_PROBES_GUAVA_31, LFB_PROBES_GUAVA_CURRENT}) {
      config.probes_formula = formula;
      lfb_stats stats;
      const lfb_status status = lfb_config_plan(&config, &stats);
      all += (all.empty() ? "" : ", now ") +
             (status == LFB_OK ? "bits=" + std::to_string(stats.bit_count) + " probes=" +
                                     std::to_string(stats.probes)
                               : Refusal(status));
    }
    return all;
  }

  std::map<std::string, std::vector<Key>> keys_;
  std::map<char, Filter> filters_;
  std::string kind_;
  size_t calls_ = 0;
};

// The same, but for a double that is one unit in the last place off (doubles of one sign are
// ordered like their bits), and the reason if two things are wrong: no side promises which.
bool Same(const std::string& theirs, const std::string& ours) {
  if (theirs == ours) return true;
  if (theirs == "refused") return ours.compare(0, theirs.size(), theirs) == 0;
  const size_t at = theirs.find('~');
  if (at == std::string::npos || theirs.substr(0, at) != ours.substr(0, at)) return false;
  const uint64_t x = Number(theirs.substr(at + 1)), y = Number(ours.substr(at + 1));
  return (x > y ? x - y : y - x) <= 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) Die("usage: guava_replay CALLS CASES");
  std::ifstream file(argv[1]);
  Replay replay;
  size_t cases = 0, results = 0, differ = 0;
  std::string name;
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, 5, "case ") == 0) name = line, cases++;
    const size_t at = line.find(" = ");
    std::istringstream words(line.substr(0, at));
    const std::string theirs = at == std::string::npos ? "" : line.substr(at + 3);
    const std::string ours = replay.Do(words);
    results += at != std::string::npos;
    if (Same(theirs, ours)) continue;
    if (++differ <= 5)
      std::cout << "DIFFERS: " << name << ": " << line.substr(0, std::min<size_t>(at, 200))
                << "\n  Guava: " << theirs << "\n  ours:  " << ours << "\n";
  }
  std::cout << cases << " cases, " << results << " results, of which " << differ << " differ\n";
  return differ != 0 || cases < std::strtoull(argv[2], nullptr, 10);
}
