// every_things.h - the objects that the rows of every_call.h work on, for atomic/ and bloom/.
#pragma once

#include <lfbloom/bit_array.h>
#include <lfbloom/builder.h>
#include <lfbloom/delta.h>
#include <lfbloom/file_source.h>
#include <lfbloom/follow.h>
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>
#include <lfbloom/window_mapped.h>

#include <atomic>
#include <filesystem>

#include "tests/support/countings.h"
#include "tests/support/every_call.h"
#include "tests/support/growings.h"
#include "tests/support/streams.h"
#include "tests/support/windows.h"

namespace every {

// Numbers of keys: the words of such filters are from the heap, and from the system (over 2 MiB).
constexpr uint64_t kFew = 1000, kMany = 2'000'000;
constexpr uint64_t kKey = 42;      // present in each object
constexpr size_t kKeys = 20'000;   // in a call with many: longer than any piece
constexpr uint32_t kLayers = 7;    // of a growing filter that does not grow in a call

// What calls write: see every_call.h.
struct Outputs {
  lfb_filter* filter;
  lfb_bit_array* bits;
  const lfb_filter* seen;
  lfb_counting* counting;
  lfb_window* window;
  lfb_growing* growing;
  lfb_any any;
  lfb_versions* versions;
  lfb_filter* building;  // of t.versions
  lfb_builder* builder;
  lfb_follow* follow;
  lfb_file_source* files;
  lfb_stats stats;
  lfb_comparison comparison;
  lfb_window_figures window_figures;
  lfb_growing_figures growing_figures;
  lfb_figures figures;
  lfb_follow_figures follow_figures;
  lfb_versions_figures versions_figures;
  lfb_source source;
  uint64_t number;
  double fpp;
  lfb_strategy_id strategy;
  lfb_hash_id hash;
  lfb_form form;
  uint32_t ended;
};

struct Things {
  lfb_status status = LFB_OK;  // of the last call
  uint64_t answer = 0;         // what it returned, unless a status or a text
  const char* text = nullptr;
  Outputs out;

  lfb_config config;        // to make objects by
  lfb_config seeded;  // the objects': they merge
  const std::string folder;
  size_t many = kKeys;  // of `keys` and `numbers`: in calls with many
  const std::string native_path = folder + "/native", big_path = folder + "/big",
                    guava_path = folder + "/guava", sbbf_path = folder + "/sbbf",
                    shared_path = folder + "/shared", counted_path = folder + "/counted",
                    window_path = folder + "/window", grown_path = folder + "/grown",
                    mapped_path = folder + "/mapped", growing_path = folder + "/growing",
                    window_mapped_path = folder + "/window-mapped",
                    delta_path = folder + "/delta", filters_path = folder + "/filters",
                    new_path = folder + "/new";
  lfb_config large = config, keyed = Config(kFew, 0.01, LFB_FAST);
  lfb_window_config window_config = Timed(WindowConfig(kFew, 0.01)), window_seeded = window_config,
                    window_large = Timed(WindowConfig(kMany, 0.01));
  lfb_follow_config follow_config{};
  lfb_read_limits limits{};
  lfb_source functions{};
  lfb_damage damage;

  Filter filter, big, other, guava, sbbf, foldable, big_foldable;
  Counting counting, counted, big_counted;
  Window window;
  Growing growing;         // with one layer
  Growing settled, fresh;  // with several, far from full; its first state
  Growing sbbf_growing;
  lfb_bit_array* bits = nullptr;
  lfb_versions* versions = nullptr;
  lfb_builder* builder = nullptr;
  lfb_follow *follow = nullptr, *follow_with_threads = nullptr;
  lfb_filter* mapped = nullptr;
  lfb_growing* growing_mapped = nullptr;
  Window window_mapped;  // null on a processor on which it cannot be
  std::string native, native_big, guava_bytes, sbbf_bytes, mapped_bytes, delta, counted_bytes,
      grown_bytes, window_bytes, written;
  Source source;
  std::vector<uint64_t> numbers, answers, batch;
  std::vector<lfb_key> keys;
  uint64_t number = kKey, before = 0, version = 0, now = 1'700'000'000;
  lfb_followed followed;       // written on failure, too: not in `out`
  std::atomic<bool> still{false};         // the source has no new version
  std::atomic<lfb_status> source_status;  // of its keys

  // Objects that Row::before made for one call, which may take them: End() frees those still there.
  struct {
    lfb_filter* filter = nullptr;
    lfb_bit_array* bits = nullptr;
    lfb_counting* counting = nullptr;
    lfb_window* window = nullptr;
    lfb_growing* growing = nullptr;
    lfb_versions* versions = nullptr;
    lfb_builder* builder = nullptr;
    lfb_follow* follow = nullptr;
    lfb_file_source* files = nullptr;
  } own;

  Things(const lfb_config& of, std::string in);
  ~Things();
  Things(const Things&) = delete;
  Things& operator=(const Things&) = delete;
  bool grows() const { return config.strategy != LFB_GO_FNV14; }
  void Begin();
  void End();

 private:
  void MakeKeys();
  void MakeFilters();
  void MakeGrowings();
  void MakeFiles();
  void MakeVersions();
  void MakeMapped();
};

using Row = RowOf<Things>;
using Rows = std::vector<Row>;

// Puts by each function of a sink and each funnel: an lfb_funnel for an object of 8 bytes.
void Everything(const void* object, lfb_sink* sink);

// Whether this processor has the exchange of 16 bytes that windows in files need.
bool WindowsAreShared();

// Makes objects for one call.
void NoNewFile(Things& t);
void NewVersions(Things& t);

// ---- checks that an object works ----------------------------------------------------------

void UseAndFree(lfb_filter* filter);
void UseAndFree(const lfb_filter* filter);
void UseAndFree(lfb_bit_array* bits);
void UseAndFree(lfb_counting* counting);
void UseAndFree(lfb_window* window);
void UseAndFree(lfb_growing* growing);
void UseAndFree(const lfb_any& any);
void UseAndFree(lfb_versions* versions);
void UseAndFree(lfb_builder* builder);
void UseAndFree(lfb_follow* follow);
void UseAndFree(lfb_file_source* files);

inline bool HasKey(const lfb_filter* filter) { return lfb_filter_might_contain_u64(filter, kKey); }
inline bool HasKey(const lfb_counting* it) { return lfb_counting_might_contain_u64(it, kKey); }
inline bool HasKey(const lfb_window* it) { return lfb_window_might_contain_u64(it, kKey); }
inline bool HasKey(const lfb_growing* it) { return lfb_growing_might_contain_u64(it, kKey); }
inline bool HasKey(const lfb_any& it) { return lfb_any_many_u64(it, LFB_MIGHT_CONTAIN, &kKey, 1,
                                                                nullptr) == 1; }

inline lfb_status LoadAny(const char* path, const lfb_read_limits* limits, lfb_any* any) {
  return lfb_any_open(path, LFB_KIND_NONE, LFB_OPEN_COPY, limits, any);
}

// For Row::after: the output is an object that works.
template <auto output>
void Made(Things& t) {
  if (t.status != LFB_OK) return;
  EXPECT_FALSE(Untouched(t.out.*output)) << "success without an output";
  if (Untouched(t.out.*output)) return;
  UseAndFree(t.out.*output);
  Reset(&(t.out.*output));
}

// The same of one that must already hold kKey.
template <auto output>
void Holds(Things& t) {
  if (t.status != LFB_OK || Untouched(t.out.*output)) return Made<output>(t);
  EXPECT_TRUE(HasKey(t.out.*output)) << "it has not what was in";
  Made<output>(t);
}

// The output is a value, or a struct with all reserved words 0.
template <auto output>
void Filled(Things& t) {
  if (t.status == LFB_OK) ExpectFilled(&(t.out.*output));
}

template <uint32_t wanted>
void Ended(Things& t) {
  if (t.status != LFB_OK) return;
  EXPECT_EQ(t.out.ended, wanted);
  Reset(&t.out.ended);
}

// The file t.new_path, or a file and those of its layers, is whole or does not exist.
template <auto output, auto load>
void Saved(Things& t) {
  if (t.status != LFB_ERROR_SYNC) {  // of the folder: the file exists
    EXPECT_EQ(std::filesystem::exists(t.new_path), t.status == LFB_OK);
  }
  if (t.status == LFB_OK) {
    EXPECT_EQ(load(t.new_path.c_str(), nullptr, &(t.out.*output)), LFB_OK);
  }
  Holds<output>(t);
  NoNewFile(t);
}

inline void Yes(Things& t) { EXPECT_EQ(t.answer, 1u); }
inline void All(Things& t) { EXPECT_EQ(t.answer, t.many); }
// Text was written on success only.
inline void Wrote(Things& t) { EXPECT_EQ(t.written.empty(), t.status != LFB_OK); }

// The results of system calls.  Words are populated at once, so that a lack of memory is found
// here; huge pages are optional.
inline const Otherwise kPopulated = {{"madvise", {LFB_OK, LFB_ERROR_NO_MEMORY}}};
// close(): of a file that was written to, not of a folder.
inline const Otherwise kSaved = {{"close", {LFB_OK, LFB_ERROR_WRITE}},
                                 {"stat", {LFB_OK, LFB_ERROR_OPEN}}};

// ---- the table ------------------------------------------------------------------------------

Rows AllRows();
void AddFilters(Rows* rows);
void AddPlain(Rows* rows);
void AddForms(Rows* rows);
void AddCounting(Rows* rows);
void AddWindow(Rows* rows);
void AddGrowing(Rows* rows);
void AddAny(Rows* rows);
void AddMapped(Rows* rows);
void AddBuilder(Rows* rows);
void AddVersions(Rows* rows);
void AddFollowers(Rows* rows);

// Adds rows, all with a further setting.
inline void Add(Rows* rows, const Rows& more, const std::function<void(Row&)>& set = [](Row&) {}) {
  for (const Row& row : more) {
    rows->push_back(row);
    set(rows->back());
  }
}

}  // namespace every

// Rows of a function on one key in its forms.
#define TWO(function, object)          \
  ROW(function, object, &t.number, 8), \
  ROW(function##_u64, object, t.number)
#define THREE(function, object) TWO(function, object), ROW(function##_hash, object, t.number << 32)
#define OBJECT(function, object) ROW(function##_object, object, Everything, &t.number)

// The same of a function that returns true, after a put of the key.
#define AFTER_PUT(function, put, form, object, ...) \
  ROW(function##form, object, __VA_ARGS__)          \
      .Before(STEP((void)!put##form(object, __VA_ARGS__))) \
      .After(Yes)
#define YES_TWO(function, put, object)              \
  AFTER_PUT(function, put, , object, &t.number, 8), \
  AFTER_PUT(function, put, _u64, object, t.number)
#define YES_THREE(function, put, object) \
  YES_TWO(function, put, object), AFTER_PUT(function, put, _hash, object, t.number << 32)
#define YES_OBJECT(function, put, object) \
  AFTER_PUT(function, put, _object, object, Everything, &t.number)

// Rows of a function on many keys of all kinds, with answers and without.
#define MANY_WITH(function, keys, ...)                                  \
  ROW(function, __VA_ARGS__, keys.data(), t.many, t.answers.data()),    \
  ROW(function, __VA_ARGS__, keys.data(), t.many, nullptr)
#define MANY_OF(function, object, verb, keys, kind)                                  \
  ROW(function, object, verb, keys.data(), t.many, t.answers.data(), kind),          \
  ROW(function, object, verb, keys.data(), t.many, nullptr, kind)
#define MANY(function, object, verb)                       \
  MANY_OF(function, object, verb, t.keys, LFB_BYTES_KEY),  \
  MANY_OF(function, object, verb, t.numbers, LFB_U64_KEY), \
  MANY_OF(function, object, verb, t.numbers, LFB_HASH_KEY)
#define MANY_ANY(object, verb)                               \
  MANY_WITH(lfb_any_many, t.keys, any::of(object), verb), \
  MANY_WITH(lfb_any_many_u64, t.numbers, any::of(object), verb)
#define PUT_ANY(object)                                           \
  any::put_many(object, t.keys.data(), t.many, nullptr),     \
  any::put_many(object, t.numbers.data(), t.many, nullptr)
#define PUT_ALL(function, object)                                                   \
  function(object, LFB_PUT, t.keys.data(), t.many, nullptr, LFB_BYTES_KEY),           \
  function(object, LFB_PUT, t.numbers.data(), t.many, nullptr, LFB_U64_KEY),          \
  function(object, LFB_PUT, t.numbers.data(), t.many, nullptr, LFB_HASH_KEY)
