// forms.h - every form of a file behind one interface, for the checks that they have in common.
#pragma once

#include <lfbloom/growing.h>

#include <cstring>
#include <functional>

#include "tests/support/countings.h"
#include "tests/support/growings.h"
#include "tests/support/native_bytes.h"
#include "tests/support/race.h"
#include "tests/support/streams.h"
#include "tests/support/windows.h"

using Object = std::shared_ptr<OwnAny>;  // a filter of any kind

// What two filters of a kind must agree on.
using Alike = std::vector<uint64_t>;

// The hash of a filter: by default that of a fixed seed.
struct Hash {
  lfb_hash_id id = LFB_HASH_DEFAULT;
  bool keyed = false;
  const uint8_t* key = nullptr;  // if it is keyed; null: a key that is drawn, and kept in files
};

// A filter that was made, to be freed by an Object.
template <typename Owner>
lfb_any Released(Owner filter) {
  return any::of(filter.release());
}

// How to make, write and read filters of one kind in one form, and what is special about it.
struct Form {
  std::string name;
  lfb_kind kind = LFB_KIND_PLAIN;
  lfb_form plain = LFB_FORM_NONE;  // the form in which a plain filter is written
  lfb_status named = LFB_OK;   // of another kind: what readers of other kinds return for it
  lfb_status not_one = LFB_OK; // and what its reader returns for a plain filter
  bool checked = false;        // every byte is under a checksum
  bool keyed = false;          // its filters can have a hash with a key
  bool of_4_mib = false;       // at least: not for checks of every byte
  std::function<std::string()> claim;  // a header that announces more than a GiB, if it has one

  std::function<lfb_any(uint64_t n, const Hash&)> empty;  // a filter for n keys
  std::function<Alike(const lfb_figures&, bool read)> chosen;
  std::function<std::string(std::string)> timeless;  // its bytes as if written at time 0
  // The headers of a filter's bytes: without one of them it cannot be opened, not even as damaged.
  std::function<std::vector<lfb_extent>(const std::string&)> headers;

  bool Plain() const { return kind == LFB_KIND_PLAIN; }
  Object make(uint64_t n, const Hash& hash) const {
    return std::make_shared<OwnAny>(empty(n, hash));
  }
  bool put(const Object& object, uint64_t key) const {
    return lfb_any_many_u64(**object, LFB_PUT, &key, 1, nullptr) == 1;
  }
  bool has(const Object& object, uint64_t key) const {
    return lfb_any_many_u64(**object, LFB_MIGHT_CONTAIN, &key, 1, nullptr) == 1;
  }
  lfb_status write(const Object& object, lfb_write_fn with, void* to) const {
    return Plain() ? lfb_filter_write((**object).plain, plain, with, to)
                   : lfb_any_write(**object, with, to);
  }
  lfb_status save(const Object& object, const char* path) const {
    return Plain() ? lfb_filter_save((**object).plain, plain, path) : lfb_any_save(**object, path);
  }
  lfb_status read(lfb_read_fn with, void* from, const lfb_read_limits& limits,
                  Object* object) const {
    const Object made = std::make_shared<OwnAny>();
    return Owned(lfb_any_read(with, from, kind, &limits, made->out()), made, object);
  }
  lfb_status load(const char* path, Object* object) const {
    const Object made = std::make_shared<OwnAny>();
    return Owned(lfb_any_open(path, kind, LFB_OPEN_COPY, nullptr, made->out()), made, object);
  }
  Alike alike(const Object& object, bool read) const { return chosen(Figures(**object), read); }
  // Bytes of its words, which the limit counts.
  uint64_t words(const Object& object) const { return Figures(**object).all.bytes; }

 private:
  lfb_status Owned(lfb_status status, const Object& made, Object* object) const {
    EXPECT_EQ((**made).kind, status == LFB_OK ? kind : LFB_KIND_NONE);
    if (object != nullptr && status == LFB_OK) *object = made;
    return status;
  }
};

template <typename Config>
Config With(Config config, const Hash& hash) {
  if (!hash.keyed) return config;
  config.hash = hash.id;
  config.seed = 0;
  if (hash.key != nullptr) std::memcpy(config.key, hash.key, sizeof config.key);
  return config;
}

// A native header of more than a GiB, valid in every field: the library wrote it for a filter with
// untouched words.
inline std::string NativeHeadOfAGiB() {
  lfb_config config = Config(1'000'000'000, 0.01, LFB_FAST);
  config.lazy_memory = true;
  std::string head;
  const auto write = [](void* to, const void* bytes, size_t size) {
    std::string* text = static_cast<std::string*>(to);
    return text->empty() ? AppendTo(to, bytes, size) : LFB_ERROR_WRITE;
  };
  EXPECT_EQ(lfb_filter_write(Make(config).get(), LFB_FORM_NATIVE, write, &head), LFB_ERROR_WRITE);
  return head;
}

// ---- the rows -----------------------------------------------------------------------------------

// A strategy in one of the forms of plain filters.
inline Form PlainForm(lfb_form id, lfb_strategy_id strategy) {
  using namespace std::string_literals;
  const bool says_more = id == LFB_FORM_NATIVE || id == LFB_FORM_MAPPED || id == LFB_FORM_MILVUS;
  Form form;
  form.name = lfb_form_name(id) + "_"s + StrategyTestName({strategy, 0});
  form.plain = id;
  form.checked = id == LFB_FORM_NATIVE;
  form.keyed = says_more && strategy == LFB_FAST;
  form.of_4_mib = strategy == LFB_GO_FNV14;
  if (id == LFB_FORM_GUAVA) form.claim = [] { return "\1\5\x7f\xff\xff\xff"s; };  // issue 8463
  if (id == LFB_FORM_NATIVE && strategy == LFB_FAST) form.claim = NativeHeadOfAGiB;
  if (id == LFB_FORM_SBBF)
    form.claim = [] {
      return "\x15\xc0\xff\xff\xff\x0f\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0"s;
    };
  form.chosen = [id, says_more](const lfb_figures& figures, bool read) -> Alike {
    const lfb_stats& of = figures.all;
    EXPECT_EQ(of.form, read ? id : LFB_FORM_NONE);
    EXPECT_TRUE(!read || says_more || (of.expected_insertions == 0 && of.fpp == 0));
    return {of.strategy, says_more ? of.expected_insertions : 0, says_more ? WordOf(of.fpp) : 0,
            of.bit_count, of.probes, of.words_per_key, of.hash, of.seed, of.bits_set, of.bytes};
  };
  form.empty = [strategy](uint64_t n, const Hash& hash) {
    return Released(Make(With(Config(n, 0.01, strategy), hash)));
  };
  form.timeless = [id](std::string bytes) {
    if (id == LFB_FORM_MAPPED) return bytes.substr(0, 256) + Stamped(bytes.substr(256), 0);
    return id == LFB_FORM_NATIVE ? Stamped(bytes, 0) : bytes;
  };
  form.headers = [](const std::string&) { return std::vector<lfb_extent>{{0, 256}}; };
  return form;
}

inline Form CountingForm(lfb_strategy_id strategy) {
  Form form;
  form.name = "counting_" + StrategyTestName({strategy, 0});
  form.kind = LFB_KIND_COUNTING;
  form.named = LFB_ERROR_COUNTING;
  form.not_one = LFB_ERROR_NOT_COUNTING;
  form.checked = true;
  form.keyed = strategy == LFB_FAST;
  form.of_4_mib = strategy == LFB_GO_FNV14;
  form.chosen = [](const lfb_figures& figures, bool) -> Alike {
    const lfb_stats& of = figures.all;
    return {of.strategy, of.expected_insertions, WordOf(of.fpp), of.bit_count, of.seed,
            of.hash, of.bits_set, of.counters_stuck, of.bytes};
  };
  form.empty = [strategy](uint64_t n, const Hash& hash) {
    return Released(Count(With(Config(n, 0.01, strategy), hash)));
  };
  form.timeless = [](std::string bytes) { return Stamped(bytes, 0, 256); };
  form.headers = [](const std::string&) { return std::vector<lfb_extent>{{0, 512}}; };
  return form;
}

// The offset at which each layer's native form begins, and the end of the last one.
inline std::vector<size_t> LayersAt(const std::string& bytes) {
  std::vector<size_t> at;
  size_t next = 256;
  while (next < bytes.size()) {
    at.push_back(next);
    const uint64_t words = Fetch(bytes, next + 32);
    next += 256 + 8 * words + 8 * ((8 * words + (1 << 20) - 1) >> 20) + 8;
  }
  at.push_back(next);
  EXPECT_EQ(next, bytes.size());
  return at;
}

inline Form GrowingForm(lfb_strategy_id strategy) {
  Form form;
  form.name = "growing_" + StrategyTestName({strategy, 0});
  form.kind = LFB_KIND_GROWING;
  form.named = LFB_ERROR_GROWING;
  form.not_one = LFB_ERROR_NOT_GROWING;
  form.checked = true;
  form.keyed = strategy == LFB_FAST;
  form.chosen = [](const lfb_figures& figures, bool) -> Alike {
    const lfb_growing_figures& of = figures.growing;
    return {of.strategy, of.first_insertions, WordOf(of.fpp), of.layers, of.hash, of.seed,
            of.bit_count, of.bits_set, of.bytes, of.approximate_count};
  };
  form.empty = [strategy](uint64_t n, const Hash& hash) {  // n keys make three layers
    const lfb_config config = Config(std::max<uint64_t>(n / 5, 1), 0.01, strategy);
    return Released(MakeGrowing(With(config, hash)));
  };
  form.timeless = [](std::string bytes) {
    Store(&bytes, 40, 0);
    SealHeader(&bytes);
    for (size_t at : LayersAt(bytes))
      if (at < bytes.size()) bytes = Stamped(bytes, 0, at);
    return bytes;
  };
  form.headers = [](const std::string& bytes) {
    std::vector<lfb_extent> all = {{0, 256}};
    for (const size_t at : LayersAt(bytes)) all.push_back({at, 256});
    return all;
  };
  return form;
}

inline Form WindowForm(uint32_t generations, uint32_t words) {
  Form form;
  form.name = "window_" + std::to_string(generations) + "_of_" + std::to_string(words);
  form.kind = LFB_KIND_WINDOW;
  form.named = LFB_ERROR_WINDOW;
  form.not_one = LFB_ERROR_NOT_WINDOW;
  form.checked = true;
  form.keyed = true;
  form.chosen = [](const lfb_figures& figures, bool) {
    const lfb_window_figures& of = figures.window;
    Alike all = {of.expected_insertions, WordOf(of.fpp), of.generations, WordOf(of.span), of.probes,
                 of.block_words, of.hash, of.key_kept, of.generation, of.bytes, of.bit_count,
                 WordOf(of.expected_fpp)};
    for (const lfb_window_generation_figures& live : of.live) all.push_back(live.bits_set);
    return all;
  };
  form.empty = [generations, words](uint64_t n, const Hash& hash) {
    return Released(MakeWindow(With(WindowConfigOf(n, words, generations), hash)));
  };
  form.timeless = [](std::string bytes) { return Stamped(bytes, 0, 256); };
  form.headers = [](const std::string&) { return std::vector<lfb_extent>{{0, 512}}; };
  return form;
}

// Every kind in every form, with every strategy that it can have here.
inline std::vector<Form> AllForms() {
  std::vector<Form> all;
  for (const lfb_strategy_id strategy : AllStrategies()) {
    for (const lfb_form id : {LFB_FORM_GUAVA, LFB_FORM_NATIVE, LFB_FORM_SBBF, LFB_FORM_MAPPED,
                              LFB_FORM_MILVUS})
      if (lfb_form_holds(id, strategy)) all.push_back(PlainForm(id, strategy));
    all.push_back(CountingForm(strategy));
  }
  for (const lfb_strategy_id strategy : SizedStrategies()) all.push_back(GrowingForm(strategy));
  for (const auto& [generations, words]
       : {std::pair{1u, 8u}, {3u, 2u}, {3u, 4u}, {3u, 8u}, {7u, 2u}})
    all.push_back(WindowForm(generations, words));
  return all;
}

// Those that `which` chooses.
inline std::vector<Form> FormsThat(bool (*which)(const Form&)) {
  std::vector<Form> chosen;
  for (Form& form : AllForms())
    if (which(form)) chosen.push_back(std::move(form));
  return chosen;
}

inline std::string FormTestName(const testing::TestParamInfo<Form>& info) {
  return info.param.name;
}
inline void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }
