// The stack that each public function needs: filter.h, "Stack".
//
// A call is made on a thread with a stack that was filled with a pattern before. The lowest word
// without the pattern afterwards shows how deep the call went, the C library included. No call
// comes near the stack's end, so nothing depends on a crash.
//
// The promise is that of an optimised build (-O2 for the library, which .bazelrc asks for).
#include <lfbloom/builder.h>
#include <lfbloom/delta.h>
#include <lfbloom/fast.h>
#include <lfbloom/file_source.h>
#include <lfbloom/follow.h>
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>
#include <lfbloom/putter.h>
#include <lfbloom/watch.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/countings.h"
#include "tests/support/growings.h"
#include "tests/support/streams.h"
#include "tests/support/windows.h"

namespace {

// ---- measuring ----------------------------------------------------------------------

constexpr size_t kStack = 128 << 10;  // bytes: far more than any call may need
constexpr uint64_t kPattern = 0xa5a5a5a5a5a5a5a5;

using Thunk = void (*)(void* of);

struct Call {
  Thunk thunk;
  void* of;
  const unsigned char* from;  // the stack above this address is the thread's own
};

void* Begin(void* context) {
  Call* const call = static_cast<Call*>(context);
  call->from = static_cast<const unsigned char*>(__builtin_frame_address(0));
  call->thunk(call->of);
  return nullptr;
}

// The bytes of stack that a call needs, including its thunk's frame.
size_t StackOf(Thunk thunk, void* of) {
  void* const stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(stack, MAP_FAILED);
  uint64_t* const words = static_cast<uint64_t*>(stack);
  std::fill_n(words, kStack / sizeof *words, kPattern);
  Call call = {thunk, of, nullptr};
  pthread_attr_t attributes;
  pthread_t thread;
  EXPECT_EQ(pthread_attr_init(&attributes), 0);
  EXPECT_EQ(pthread_attr_setstack(&attributes, stack, kStack), 0);
  EXPECT_EQ(pthread_create(&thread, &attributes, Begin, &call), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_EQ(pthread_attr_destroy(&attributes), 0);
  const uint64_t* lowest = words;
  while (*lowest == kPattern) lowest++;
  const size_t used =
      static_cast<size_t>(call.from - reinterpret_cast<const unsigned char*>(lowest));
  EXPECT_EQ(munmap(stack, kStack), 0);
  return used;
}

// The measurement itself: a frame of so many bytes is seen, and little more.
void NeedThreePages(void*) {
  volatile unsigned char bytes[3 * 4096];
  bytes[0] = bytes[sizeof bytes - 1] = 1;
}

TEST(Stack, TheMeasureSeesAFrame) {
  const size_t used = StackOf(NeedThreePages, nullptr);
  EXPECT_GE(used, 3u * 4096);
  EXPECT_LE(used, 3u * 4096 + 512);
}

// ---- objects of the calls --------------------------------------------------------------

constexpr uint64_t kFew = 1000;        // the keys that filters are made for
constexpr uint64_t kMany = 2'000'000;  // for filters with words from the system
constexpr size_t kKeys = 20'000;       // in a call with many: longer than any piece
constexpr uint32_t kLayers = 7;        // of a growing filter that does not grow in a call

struct Things {
  const lfb_config config;
  const std::string folder;
  const std::string native_path = folder + "/native", counted_path = folder + "/counted",
                    grown_path = folder + "/grown", delta_path = folder + "/delta", mapped_path = folder + "/mapped",
                    growing_path = folder + "/growing", window_path = folder + "/window", new_path = folder + "/new";
  Filter filter, big, other;
  Counting counting, counted;
  const lfb_window_config window_config = WindowConfig(kFew, 0.01);
  Window window = MakeWindow(window_config);
  lfb_window_figures window_figures;
  lfb_window* made_window = nullptr;
  Growing growing, settled;  // with one layer, which becomes full; with several, far from full
  Growing fresh;             // the first state of `settled`
  lfb_versions* versions = nullptr;
  lfb_builder* builder = nullptr;
  lfb_putter putter;
  lfb_watch* watch = nullptr;
  lfb_follow* follow = nullptr;
  lfb_filter* mapped = nullptr;
  lfb_growing* growing_mapped = nullptr;
  std::string native, delta, counted_bytes, grown_bytes, window_bytes, written;
  Source source;
  std::vector<uint64_t> numbers, answers;
  std::vector<lfb_key> keys;
  uint64_t version = 0, now = 1'700'000'000, number = 0;
  lfb_stats stats;
  lfb_growing_figures growing_figures;
  lfb_watch_figures watch_figures;
  lfb_follow_figures follow_figures;
  lfb_followed followed;
  lfb_follow_config follow_config{};
  lfb_source functions{};
  lfb_watch_config watch_config{};
  lfb_fast fast;
  double fpp = 0;
  lfb_strategy_id strategy;
  lfb_form form;
  lfb_status status = LFB_OK;  // of a call that must not fail
  // The object that a call made, to be freed by Clean().
  lfb_filter* made = nullptr;
  const lfb_filter* seen = nullptr;
  lfb_counting* made_counting = nullptr;
  lfb_growing* made_growing = nullptr;
  const lfb_growing* seen_growing = nullptr;
  lfb_versions* made_versions = nullptr;
  lfb_builder* made_builder = nullptr;
  lfb_watch* made_watch = nullptr;
  lfb_follow* made_follow = nullptr;
  lfb_file_source* made_source = nullptr;

  Things(const lfb_config& of, const std::string& in);
  ~Things();
  Things(const Things&) = delete;
  Things& operator=(const Things&) = delete;
  void Clean();
  void MakeKeys();
  void MakeFiles();
  void MakeVersions();
  void MakeMapped();
  Growing Settled() const;
};

lfb_status SourceVersion(void* self, uint64_t* version) {
  *version = ++static_cast<Things*>(self)->version;
  return LFB_OK;
}

lfb_status SourceKeys(void* self, unsigned, unsigned, lfb_keys_sink* sink) {
  const Things* things = static_cast<Things*>(self);
  lfb_status status = lfb_keys_give(sink, things->keys.data(), kKeys);
  if (status == LFB_OK) status = lfb_keys_give_u64(sink, things->numbers.data(), kKeys);
  if (status == LFB_OK) status = lfb_keys_give_hash(sink, things->numbers.data(), kKeys);
  if (status == LFB_OK)
    status = lfb_keys_give_hash_uncounted(sink, things->numbers.data(), kKeys);
  lfb_ignore(lfb_keys_give_delta(sink, things->delta.data(), things->delta.size()));  // another seed
  return status == LFB_OK ? lfb_keys_removed(sink, 1) : status;
}

void StatsOf(const void* of, lfb_stats* stats) {
  lfb_filter_stats(static_cast<const lfb_filter*>(of), stats);
}

// Puts by each function of a sink and each funnel.
void Everything(const void* object, lfb_sink* sink) {
  const uint16_t units[] = {'x', 0xd83d, 0xde00, 0x20ac};
  const lfb_utf16 text = {units, 4};
  const lfb_key bytes = {object, 8};
  const int32_t small = 1;
  const int64_t large = 2;
  const lfb_sequence numbers = {&small, 1, sizeof small, lfb_funnel_i32};
  lfb_sink_put_bytes(sink, object, 8);
  lfb_sink_put_i32(sink, 1);
  lfb_sink_put_i64(sink, 2);
  lfb_sink_put_utf16(sink, units, 4);
  lfb_sink_put_utf16_as_utf8(sink, units, 4);
  lfb_funnel_bytes(&bytes, sink);
  lfb_funnel_i32(&small, sink);
  lfb_funnel_i64(&large, sink);
  lfb_funnel_utf16(&text, sink);
  lfb_funnel_utf16_as_utf8(&text, sink);
  lfb_funnel_sequence(&numbers, sink);
}

void Things::MakeKeys() {
  for (uint64_t i = 0; i < kKeys; i++) numbers.push_back(i * 0x9e3779b97f4a7c15);
  for (const uint64_t& key : numbers) keys.push_back({&key, sizeof key});
  answers.resize(kKeys / 64 + 1);
}

// A growing filter with a new newest layer, so that one call with many keys does not fill it.
Growing Things::Settled() const {
  Growing grown = MakeGrowing(config);
  for (uint64_t i = 0; i % 1000 != 0 || Figures(grown).layers < kLayers; i++)
    lfb_growing_put_u64(grown.get(), ~i);
  return grown;
}

void Things::MakeFiles() {
  EXPECT_EQ(lfb_filter_write(filter.get(), LFB_FORM_NATIVE, AppendTo, &native), LFB_OK);
  EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_NATIVE, native_path.c_str()), LFB_OK);
  EXPECT_EQ(lfb_delta_write(other.get(), filter.get(), AppendTo, &delta), LFB_OK);
  EXPECT_EQ(lfb_delta_save(other.get(), filter.get(), delta_path.c_str()), LFB_OK);
  EXPECT_EQ(lfb_counting_write(counted.get(), AppendTo, &counted_bytes), LFB_OK);
  EXPECT_EQ(lfb_counting_save(counted.get(), counted_path.c_str()), LFB_OK);
  EXPECT_EQ(lfb_window_write(window.get(), AppendTo, &window_bytes), LFB_OK);
  EXPECT_EQ(lfb_window_save(window.get(), window_path.c_str()), LFB_OK);
  if (settled == nullptr) return;
  EXPECT_EQ(lfb_growing_write(settled.get(), AppendTo, &grown_bytes), LFB_OK);
  EXPECT_EQ(lfb_growing_save(settled.get(), grown_path.c_str()), LFB_OK);
}

// A handle that has a previous version; its follower, its watch.
void Things::MakeVersions() {
  EXPECT_EQ(lfb_versions_create(&config, &versions), LFB_OK);
  EXPECT_EQ(lfb_versions_begin_rebuild(versions, &config, &made), LFB_OK);
  EXPECT_EQ(lfb_versions_publish(versions, LFB_KEEP_PREVIOUS, nullptr), LFB_OK);
  made = nullptr;
  functions.self = this;
  functions.version = SourceVersion;
  functions.keys = SourceKeys;
  follow_config.rebuild = config;
  follow_config.poll_seconds = 3600;
  EXPECT_EQ(lfb_follow_create(versions, &functions, &follow_config, &follow), LFB_OK);
  watch_config = {0.9, 0.9, nullptr, nullptr, nullptr, {}};
  EXPECT_EQ(lfb_watch_create(filter.get(), &watch_config, &watch), LFB_OK);
  EXPECT_EQ(lfb_builder_create(&config, 2, &builder), LFB_OK);
  lfb_putter_init(&putter, filter.get());
}

void Things::MakeMapped() {
  EXPECT_EQ(lfb_mapped_create(mapped_path.c_str(), &config, &mapped), LFB_OK);
  if (settled == nullptr) return;
  EXPECT_EQ(lfb_growing_mapped_create(growing_path.c_str(), &config, &growing_mapped), LFB_OK);
  for (uint64_t i = 0; i < 5 * kFew; i++) lfb_growing_put_u64(growing_mapped, i);
}

Things::Things(const lfb_config& of, const std::string& in)
    : config(of), folder(in), filter(Make(of)), other(Make(of)), counting(Count(of)),
      counted(Count(of)) {
  lfb_config large = config;
  large.expected_insertions = kMany;
  big = Make(large);
  if (config.strategy != LFB_GO_FNV14) {
    growing = MakeGrowing(config);
    fresh = Settled();
    settled = Copy(fresh);
  }
  MakeKeys();
  lfb_filter_put_many_u64(filter.get(), numbers.data(), kFew / 2, nullptr);
  lfb_counting_put_many_u64(counted.get(), numbers.data(), kFew / 2, nullptr);
  MakeFiles();
  MakeVersions();
  MakeMapped();
}

void Things::Clean() {
  lfb_filter_free(made);
  lfb_mapped_close(seen);
  lfb_counting_free(made_counting);
  lfb_window_free(made_window);
  lfb_growing_free(made_growing);
  lfb_growing_mapped_close(seen_growing);
  lfb_versions_free(made_versions);
  lfb_builder_free(made_builder);
  lfb_watch_free(made_watch);
  lfb_follow_free(made_follow);
  lfb_file_source_free(made_source);
  made = nullptr, seen = nullptr, made_counting = nullptr, made_growing = nullptr;
  made_window = nullptr;
  seen_growing = nullptr, made_versions = nullptr, made_builder = nullptr;
  made_watch = nullptr, made_follow = nullptr, made_source = nullptr;
  written.clear();
  written.shrink_to_fit();
  source = Source();
}

Things::~Things() {
  Clean();
  lfb_builder_free(builder);
  lfb_watch_free(watch);
  lfb_follow_free(follow);
  lfb_versions_free(versions);
  lfb_filter_free(mapped);
  lfb_growing_free(growing_mapped);
}

// ---- the calls ------------------------------------------------------------------------

constexpr size_t kAny = 16 << 10;     // bytes that any call may need
constexpr size_t kSizing = 32 << 10;  // bytes that a call which sizes a filter may need

enum Has { kAll, kGrowing, kFast };  // the filters that have such a call

struct Row {
  const char* names;  // of the functions, separated by blanks
  size_t budget;
  void (*act)(Things* t);
  void (*before)(Things* t);  // on another stack; null: nothing
  Has has;
};

#define T_ [](Things* t)

// A function on one key in its three forms, and in all four.
#define THREE(name, object, budget, before, has)                                                \
  {#name, budget, T_ { name(object, &t->number, 8); }, before, has},                            \
  {#name "_u64", budget, T_ { name##_u64(object, ++t->number); }, before, has},                 \
  {#name "_hash", budget, T_ { name##_hash(object, ++t->number << 32); }, before, has}
#define ONE_AFTER(name, object, budget, before, has)                                            \
  THREE(name, object, budget, before, has),                                                     \
  {#name "_object", budget, T_ { name##_object(object, Everything, &t->number); }, before, has}
#define ONE(name, object, budget, has) ONE_AFTER(name, object, budget, nullptr, has)

// A function on many keys in its three forms, with answers and without.
#define MANY_OF(name, keys, object, budget, before, has)                                        \
  {#name, budget, T_ { name(object, keys, kKeys, t->answers.data()); }, before, has},           \
  {#name, budget, T_ { name(object, keys, kKeys, nullptr); }, before, has}
#define MANY(name, object, budget, before, has)                                                 \
  MANY_OF(name, t->keys.data(), object, budget, before, has),                                   \
  MANY_OF(name##_u64, t->numbers.data(), object, budget, before, has),                          \
  MANY_OF(name##_hash, t->numbers.data(), object, budget, before, has)

void NextGeneration(Things* t) { Advance(t->window); }
void NewCounting(Things* t) { t->counting = Count(t->config); }
void NewGrowing(Things* t) { t->growing = MakeGrowing(t->config); }
void Resettle(Things* t) { t->settled = Copy(t->fresh); }
void NewFilter(Things* t) { t->made = Make(t->config).release(); }
void NewVersions(Things* t) {
  EXPECT_EQ(lfb_versions_create(&t->config, &t->made_versions), LFB_OK);
}
void Rebuild(Things* t) {
  lfb_filter* building = nullptr;
  NewVersions(t);
  EXPECT_EQ(lfb_versions_begin_rebuild(t->made_versions, &t->config, &building), LFB_OK);
}
void Keep(Things* t) {
  Rebuild(t);
  EXPECT_EQ(lfb_versions_publish(t->made_versions, LFB_KEEP_PREVIOUS, nullptr), LFB_OK);
}
// The next key makes it put the first half of them.
void FillPutter(Things* t) {
  lfb_putter_init(&t->putter, t->filter.get());
  for (uint64_t i = 1; i < LFB_PUTTER_KEYS; i++) lfb_putter_put_soon_u64(&t->putter, ++t->number);
}
void NewBuilder(Things* t) { EXPECT_EQ(lfb_builder_create(&t->config, 2, &t->made_builder), LFB_OK); }
void NewUnsized(Things* t) {
  lfb_builder_free(t->made_builder);
  EXPECT_EQ(lfb_builder_create_unsized(&t->config, 2, &t->made_builder), LFB_OK);
  lfb_builder_put_many_u64(t->made_builder, 0, t->numbers.data(), kKeys);
}
void NewFollow(Things* t) {
  EXPECT_EQ(lfb_follow_create(t->versions, &t->functions, &t->follow_config, &t->made_follow),
            LFB_OK);
}
void Started(Things* t) {
  NewFollow(t);
  EXPECT_EQ(lfb_follow_start(t->made_follow), LFB_OK);
}
void NewSource(Things* t) {
  EXPECT_EQ(lfb_file_source_create(t->native_path.c_str(), nullptr, nullptr, nullptr,
                                   &t->made_source),
            LFB_OK);
}
void Reads(Things* t) { t->source = Source{t->native}; }
void ReadsCounted(Things* t) { t->source = Source{t->counted_bytes}; }
void ReadsWindow(Things* t) { t->source = Source{t->window_bytes}; }
void ReadsGrown(Things* t) { t->source = Source{t->grown_bytes}; }
void Reserve(Things* t) { t->written.reserve(8 << 20); }
void NoNewFile(Things* t) {
  for (const auto& entry : std::filesystem::directory_iterator(t->folder))
    if (entry.path().filename().string().rfind("new", 0) == 0)
      std::filesystem::remove(entry.path());
}


// Opened, closed or freed within the act: its stack counts, too, and nothing is left to clean.
const Row kRows[] = {
    // filter.h
    ONE(lfb_filter_put, t->filter.get(), kAny, kAll),
    ONE(lfb_filter_might_contain, t->filter.get(), kAny, kAll),
    ONE(lfb_filter_claim, t->filter.get(), kAny, kAll),
    MANY(lfb_filter_put_many, t->big.get(), kAny, nullptr, kAll),
    MANY(lfb_filter_put_many, t->filter.get(), kAny, nullptr, kAll),
    MANY(lfb_filter_might_contain_many, t->filter.get(), kAny, nullptr, kAll),
    MANY(lfb_filter_claim_many, t->big.get(), kAny, nullptr, kAll),
    {"lfb_filter_create", kSizing, T_ { t->status = lfb_filter_create(&t->config, &t->made); },
     nullptr, kAll},
    {"lfb_filter_free", kAny, T_ { lfb_filter_free(t->made); t->made = nullptr; }, NewFilter,
     kAll},
    {"lfb_filter_put_all", kAny,
     T_ { t->status = lfb_filter_put_all(t->other.get(), t->filter.get()); }, nullptr, kAll},
    {"lfb_filter_compare", kAny,
     T_ {
       lfb_comparison comparison;
       t->status = lfb_filter_compare(t->filter.get(), t->other.get(), &comparison);
     },
     nullptr, kAll},
    {"lfb_filter_copy", kAny, T_ { t->status = lfb_filter_copy(t->filter.get(), &t->made); },
     nullptr, kAll},
    {"lfb_filter_fold", kAny, T_ { t->status = lfb_filter_fold(t->filter.get(), 1, &t->made); },
     nullptr, kAll},
    {"lfb_filter_put_hash128", kAny,
     T_ { lfb_filter_put_hash128(t->filter.get(), ++t->number, 1); }, nullptr, kAll},
    {"lfb_filter_might_contain_hash128", kAny,
     T_ { lfb_filter_might_contain_hash128(t->filter.get(), ++t->number, 1); }, nullptr, kAll},
    {"lfb_filter_words", kAny,
     T_ { lfb_filter_words(t->filter.get(), 0, t->answers.data(), t->answers.size()); }, nullptr,
     kAll},
    {"lfb_filter_stats", kAny, T_ { lfb_filter_stats(t->filter.get(), &t->stats); }, nullptr,
     kAll},
    {"lfb_filter_set_label lfb_filter_label", kAny,
     T_ {
       t->status = lfb_filter_set_label(t->filter.get(), "a label");
       lfb_filter_label(t->filter.get());
     },
     nullptr, kAll},
    {"lfb_label_check", kAny, T_ { t->status = lfb_label_check("a label"); }, nullptr, kAll},
    {"lfb_config_plan", kSizing, T_ { t->status = lfb_config_plan(&t->config, &t->stats); },
     nullptr, kAll},
    {"lfb_config_fpp_after", kSizing,
     T_ { t->status = lfb_config_fpp_after(&t->config, 2 * kFew, &t->fpp); }, nullptr, kAll},
    {"lfb_strategy_name lfb_strategy_from_name", kAny,
     T_ { t->status = lfb_strategy_from_name(lfb_strategy_name(LFB_SBBF), &t->strategy); },
     nullptr, kAll},
    {"lfb_hash_name lfb_hash_from_name", kAny,
     T_ {
       lfb_hash_id hash;
       t->status = lfb_hash_from_name(lfb_hash_name(LFB_HASH_XXH3), &hash);
     },
     nullptr, kAll},
    {"lfb_config_take_hash", kAny, T_ {
       lfb_config config = t->config;
       t->status = lfb_config_take_hash(&config, t->filter.get());
     },
     nullptr, kAll},
    {"lfb_form_name lfb_form_from_name lfb_form_holds", kAny,
     T_ {
       t->status = lfb_form_from_name(lfb_form_name(LFB_FORM_MAPPED), &t->form);
       lfb_form_holds(LFB_FORM_GUAVA, LFB_FAST);
     },
     nullptr, kAll},
    {"lfb_status_text", kAny, T_ { lfb_status_text(t->status); }, nullptr, kAll},
    {"lfb_version", kAny, T_ { t->number = lfb_version(); }, nullptr, kAll},
    {"lfb_version_text", kAny, T_ { t->number = *lfb_version_text(); }, nullptr, kAll},
    {"lfb_filter_write", kAny,
     T_ { t->status = lfb_filter_write(t->big.get(), LFB_FORM_NATIVE, AppendTo, &t->written); },
     Reserve, kAll},
    {"lfb_filter_write", kAny,
     T_ { t->status = lfb_filter_write(t->big.get(), LFB_FORM_MAPPED, AppendTo, &t->written); },
     Reserve, kAll},
    {"lfb_filter_read", kAny,
     T_ { t->status = lfb_filter_read(Source::Read, &t->source, nullptr, &t->made); }, Reads,
     kAll},
    {"lfb_filter_save", kAny,
     T_ {
       t->status = lfb_filter_save(t->big.get(), LFB_FORM_NATIVE, t->new_path.c_str());
     },
     NoNewFile, kAll},
    {"lfb_form_of_file", kAny,
     T_ { t->status = lfb_form_of_file(t->native_path.c_str(), &t->form); }, nullptr, kAll},
    {"lfb_filter_load", kAny,
     T_ { t->status = lfb_filter_load(t->native_path.c_str(), nullptr, &t->made); }, nullptr,
     kAll},
    // delta.h
    {"lfb_delta_write", kAny,
     T_ { t->status = lfb_delta_write(t->filter.get(), t->filter.get(), AppendTo, &t->written); },
     Reserve, kAll},
    {"lfb_delta_save", kAny,
     T_ {
       t->status = lfb_delta_save(t->filter.get(), t->filter.get(), t->new_path.c_str());
     },
     NoNewFile, kAll},
    {"lfb_delta_apply", kAny,
     T_ {
       t->status = lfb_delta_apply(t->filter.get(), t->delta.data(), t->delta.size(), nullptr);
     },
     nullptr, kAll},
    {"lfb_delta_apply_file", kAny,
     T_ {
       t->status = lfb_delta_apply_file(t->filter.get(), t->delta_path.c_str(), nullptr);
     },
     nullptr, kAll},
    // fast.h, sink.h
    {"lfb_fast_of", kAny,
     T_ {
       t->status = lfb_fast_of(t->filter.get(), &t->fast);
     },
     nullptr, kFast},
    {"lfb_sink_put_bytes lfb_sink_put_i32 lfb_sink_put_i64 lfb_sink_put_utf16 "
     "lfb_sink_put_utf16_as_utf8 lfb_funnel_bytes lfb_funnel_i32 lfb_funnel_i64 "
     "lfb_funnel_utf16 lfb_funnel_utf16_as_utf8 lfb_funnel_sequence",
     kAny, T_ { lfb_filter_might_contain_object(t->filter.get(), Everything, &t->number); },
     nullptr, kAll},
    {"lfb_object_bytes", kAny,
     T_ { lfb_object_bytes(Everything, &t->number, [](void*, const void*, size_t) {}, nullptr); },
     nullptr, kAll},
    // window.h
    THREE(lfb_window_put, t->window.get(), kAny, nullptr, kAll),
    THREE(lfb_window_claim, t->window.get(), kAny, nullptr, kAll),
    THREE(lfb_window_might_contain, t->window.get(), kAny, nullptr, kAll),
    MANY(lfb_window_put_many, t->window.get(), kAny, NextGeneration, kAll),
    MANY(lfb_window_claim_many, t->window.get(), kAny, NextGeneration, kAll),
    MANY(lfb_window_might_contain_many, t->window.get(), kAny, nullptr, kAll),
    {"lfb_window_create lfb_window_free", kSizing,
     T_ {
       lfb_window* made = nullptr;
       t->status = lfb_window_create(&t->window_config, &made);
       lfb_window_free(made);
     },
     nullptr, kAll},
    {"lfb_window_generation lfb_window_advance", kAny,
     T_ { t->status = lfb_window_advance(t->window.get(), lfb_window_generation(t->window.get())); },
     nullptr, kAll},
    {"lfb_window_start_clock lfb_window_stop_clock", kAny,
     T_ {
       t->status = lfb_window_start_clock(t->window.get(), 1e9);
       lfb_window_stop_clock(t->window.get());
     },
     nullptr, kAll},
    {"lfb_window_config_plan", kSizing,
     T_ { t->status = lfb_window_config_plan(&t->window_config, &t->window_figures); }, nullptr,
     kAll},
    {"lfb_window_write", kAny,
     T_ { t->status = lfb_window_write(t->window.get(), AppendTo, &t->written); }, Reserve, kAll},
    {"lfb_window_read", kSizing,
     T_ { t->status = lfb_window_read(Source::Read, &t->source, nullptr, &t->made_window); },
     ReadsWindow, kAll},
    {"lfb_window_save", kAny,
     T_ { t->status = lfb_window_save(t->window.get(), t->new_path.c_str()); }, NoNewFile, kAll},
    {"lfb_window_load", kSizing,
     T_ { t->status = lfb_window_load(t->window_path.c_str(), nullptr, &t->made_window); }, nullptr,
     kAll},
    {"lfb_window_prometheus", kSizing,
     T_ {
       const lfb_window* windows[] = {t->window.get()};
       const char* names[] = {"seen"};
       t->status = lfb_window_prometheus(windows, names, 1, AppendTo, &t->written);
     },
     Reserve, kAll},
    {"lfb_window_stats", kSizing, T_ { lfb_window_stats(t->window.get(), &t->window_figures); },
     nullptr, kAll},
    // counting.h
    ONE(lfb_counting_put, t->counting.get(), kAny, kAll),
    ONE(lfb_counting_might_contain, t->counting.get(), kAny, kAll),
    ONE(lfb_counting_remove, t->counting.get(), kAny, kAll),
    MANY(lfb_counting_put_many, t->counting.get(), kAny, NewCounting, kAll),
    MANY(lfb_counting_might_contain_many, t->counting.get(), kAny, nullptr, kAll),
    MANY(lfb_counting_remove_many, t->counting.get(), kAny, nullptr, kAll),
    {"lfb_counting_create lfb_counting_free", kSizing,
     T_ {
       lfb_counting* made = nullptr;
       t->status = lfb_counting_create(&t->config, &made);
       lfb_counting_free(made);
     },
     nullptr, kAll},
    {"lfb_counting_put_all", kAny,
     T_ { t->status = lfb_counting_put_all(t->counting.get(), t->counted.get()); }, nullptr,
     kAll},
    {"lfb_counting_copy", kAny,
     T_ { t->status = lfb_counting_copy(t->counting.get(), &t->made_counting); }, nullptr, kAll},
    {"lfb_counting_set_label lfb_counting_label", kAny,
     T_ {
       t->status = lfb_counting_set_label(t->counting.get(), "a label");
       lfb_counting_label(t->counting.get());
     },
     nullptr, kAll},
    {"lfb_counting_stats", kAny, T_ { lfb_counting_stats(t->counted.get(), &t->stats); },
     nullptr, kAll},
    {"lfb_counting_to_filter", kAny,
     T_ { t->status = lfb_counting_to_filter(t->counting.get(), &t->made); }, nullptr, kAll},
    {"lfb_counting_write", kAny,
     T_ { t->status = lfb_counting_write(t->counting.get(), AppendTo, &t->written); }, Reserve,
     kAll},
    {"lfb_counting_read", kAny,
     T_ {
       t->status = lfb_counting_read(Source::Read, &t->source, nullptr, &t->made_counting);
     },
     ReadsCounted, kAll},
    {"lfb_counting_save", kAny,
     T_ { t->status = lfb_counting_save(t->counting.get(), t->new_path.c_str()); }, NoNewFile,
     kAll},
    {"lfb_counting_load", kAny,
     T_ {
       t->status = lfb_counting_load(t->counted_path.c_str(), nullptr, &t->made_counting);
     },
     nullptr, kAll},
    // growing.h: calls that may add a layer, then calls that do not
    ONE(lfb_growing_put, t->growing.get(), kSizing, kGrowing),
    ONE(lfb_growing_claim, t->growing.get(), kSizing, kGrowing),
    MANY(lfb_growing_put_many, t->growing.get(), kSizing, NewGrowing, kGrowing),
    MANY(lfb_growing_claim_many, t->growing.get(), kSizing, NewGrowing, kGrowing),
    ONE(lfb_growing_put, t->settled.get(), kAny, kGrowing),
    ONE(lfb_growing_claim, t->settled.get(), kAny, kGrowing),
    ONE(lfb_growing_might_contain, t->settled.get(), kAny, kGrowing),
    MANY(lfb_growing_put_many, t->settled.get(), kAny, Resettle, kGrowing),
    MANY(lfb_growing_claim_many, t->settled.get(), kAny, Resettle, kGrowing),
    MANY(lfb_growing_might_contain_many, t->settled.get(), kAny, nullptr, kGrowing),
    {"lfb_growing_create lfb_growing_free", kSizing,
     T_ {
       lfb_growing* made = nullptr;
       t->status = lfb_growing_create(&t->config, &made);
       lfb_growing_free(made);
     },
     nullptr, kGrowing},
    {"lfb_growing_copy", kAny,
     T_ { t->status = lfb_growing_copy(t->settled.get(), &t->made_growing); }, nullptr, kGrowing},
    {"lfb_growing_to_filter", kAny,
     T_ { lfb_ignore(lfb_growing_to_filter(t->settled.get(), &t->made)); }, nullptr, kGrowing},
    {"lfb_growing_stats", kAny,
     T_ { lfb_growing_stats(t->settled.get(), &t->growing_figures); }, nullptr, kGrowing},
    {"lfb_growing_set_label lfb_growing_label", kAny,
     T_ {
       t->status = lfb_growing_set_label(t->settled.get(), "a label");
       lfb_growing_label(t->settled.get());
     },
     nullptr, kGrowing},
    {"lfb_growing_write", kAny,
     T_ { t->status = lfb_growing_write(t->settled.get(), AppendTo, &t->written); }, Reserve,
     kGrowing},
    {"lfb_growing_read", kAny,
     T_ { t->status = lfb_growing_read(Source::Read, &t->source, nullptr, &t->made_growing); },
     ReadsGrown, kGrowing},
    {"lfb_growing_save", kAny,
     T_ { t->status = lfb_growing_save(t->settled.get(), t->new_path.c_str()); }, NoNewFile,
     kGrowing},
    {"lfb_growing_load", kAny,
     T_ { t->status = lfb_growing_load(t->grown_path.c_str(), nullptr, &t->made_growing); },
     nullptr, kGrowing},
    // mapped.h
    {"lfb_mapped_create", kSizing,
     T_ { t->status = lfb_mapped_create(t->new_path.c_str(), &t->config, &t->made); }, NoNewFile,
     kAll},
    {"lfb_mapped_open", kAny,
     T_ { t->status = lfb_mapped_open(t->mapped_path.c_str(), nullptr, &t->made); }, nullptr,
     kAll},
    {"lfb_mapped_open_read_only lfb_mapped_close", kAny,
     T_ {
       t->status = lfb_mapped_open_read_only(t->mapped_path.c_str(), nullptr, &t->seen);
       lfb_mapped_close(t->seen);
       t->seen = nullptr;
     },
     nullptr, kAll},
    {"lfb_mapped_sync", kAny, T_ { t->status = lfb_mapped_sync(t->mapped); }, nullptr, kAll},
    {"lfb_filter_stats lfb_filter_stats_recent", kAny,
     T_ {
       lfb_stats stats;
       lfb_filter_stats(t->mapped, &stats);
       lfb_filter_stats_recent(t->mapped, &stats);
     },
     nullptr, kAll},
    MANY(lfb_filter_put_many, t->mapped, kAny, nullptr, kAll),
    // growing_mapped.h
    {"lfb_growing_mapped_create", kSizing,
     T_ {
       t->status = lfb_growing_mapped_create(t->new_path.c_str(), &t->config, &t->made_growing);
     },
     NoNewFile, kGrowing},
    {"lfb_growing_mapped_open", kAny,
     T_ {
       t->status = lfb_growing_mapped_open(t->growing_path.c_str(), nullptr, &t->made_growing);
     },
     nullptr, kGrowing},
    {"lfb_growing_mapped_open_read_only lfb_growing_mapped_close", kAny,
     T_ {
       t->status = lfb_growing_mapped_open_read_only(t->growing_path.c_str(), nullptr,
                                                     &t->seen_growing);
       lfb_growing_mapped_close(t->seen_growing);
       t->seen_growing = nullptr;
     },
     nullptr, kGrowing},
    {"lfb_growing_mapped_sync", kAny,
     T_ { t->status = lfb_growing_mapped_sync(t->growing_mapped); }, nullptr, kGrowing},
    {"lfb_growing_stats lfb_growing_stats_recent", kAny,
     T_ {
       lfb_growing_figures figures;
       lfb_growing_stats(t->growing_mapped, &figures);
       lfb_growing_stats_recent(t->growing_mapped, &figures);
     },
     nullptr, kGrowing},
    MANY(lfb_growing_might_contain_many, t->growing_mapped, kAny, nullptr, kGrowing),
    MANY(lfb_growing_put_many, t->growing_mapped, kSizing, nullptr, kGrowing),
    // builder.h
    {"lfb_builder_create lfb_builder_free", kSizing,
     T_ {
       lfb_builder* made = nullptr;
       t->status = lfb_builder_create(&t->config, 2, &made);
       lfb_builder_free(made);
     },
     nullptr, kAll},
    {"lfb_builder_create_unsized", kSizing,
     T_ {
       lfb_builder* made = nullptr;
       t->status = lfb_builder_create_unsized(&t->config, 2, &made);
       lfb_builder_free(made);
     },
     nullptr, kAll},
    {"lfb_builder_size", kSizing, T_ { t->status = lfb_builder_size(t->made_builder); },
     NewUnsized, kAll},
    {"lfb_builder_put_many", kAny,
     T_ { lfb_builder_put_many(t->builder, 0, t->keys.data(), kKeys); }, nullptr, kAll},
    {"lfb_builder_put_many_u64", kAny,
     T_ { lfb_builder_put_many_u64(t->builder, 0, t->numbers.data(), kKeys); }, nullptr, kAll},
    {"lfb_builder_put_many_hash", kAny,
     T_ { lfb_builder_put_many_hash(t->builder, 0, t->numbers.data(), kKeys); }, nullptr, kAll},
    {"lfb_builder_finish", kAny,
     T_ {
       t->made = lfb_builder_finish(t->made_builder, &t->number);
       t->made_builder = nullptr;
     },
     NewBuilder, kAll},
    // putter.h
    ONE_AFTER(lfb_putter_put_soon, &t->putter, kAny, FillPutter, kAll),
    {"lfb_putter_flush", kAny, T_ { t->number += lfb_putter_flush(&t->putter); }, FillPutter, kAll},
    {"lfb_putter_init", kAny, T_ { lfb_putter_init(&t->putter, t->filter.get()); }, nullptr, kAll},
    // versions.h
    ONE(lfb_versions_put, t->versions, kAny, kAll),
    ONE(lfb_versions_might_contain, t->versions, kAny, kAll),
    MANY(lfb_versions_put_many, t->versions, kAny, nullptr, kAll),
    MANY(lfb_versions_might_contain_many, t->versions, kAny, nullptr, kAll),
    {"lfb_versions_apply_delta", kAny,
     T_ { lfb_ignore(lfb_versions_apply_delta(t->versions, t->delta.data(), t->delta.size())); },
     nullptr, kAll},
    {"lfb_versions_create", kSizing,
     T_ { t->status = lfb_versions_create(&t->config, &t->made_versions); }, nullptr, kAll},
    {"lfb_versions_create_with", kAny,
     T_ {
       t->status = lfb_versions_create_with(t->made, &t->made_versions);
       t->made = nullptr;
     },
     NewFilter, kAll},
    {"lfb_versions_free", kAny,
     T_ {
       lfb_versions_free(t->made_versions);
       t->made_versions = nullptr;
     },
     Keep, kAll},
    {"lfb_versions_enter lfb_versions_leave lfb_versions_number", kAny,
     T_ {
       lfb_versions_enter(t->versions, &t->number);
       lfb_versions_leave(t->versions);
       lfb_versions_number(t->versions);
     },
     nullptr, kAll},
    {"lfb_versions_begin_rebuild", kSizing,
     T_ {
       lfb_filter* building = nullptr;
       t->status = lfb_versions_begin_rebuild(t->made_versions, &t->config, &building);
     },
     NewVersions, kAll},
    {"lfb_versions_begin_rebuild_with", kAny,
     T_ {
       t->status = lfb_versions_begin_rebuild_with(t->made_versions, t->made);
       t->made = nullptr;
     },
     T_ { NewVersions(t), NewFilter(t); }, kAll},
    {"lfb_versions_publish", kAny,
     T_ { t->status = lfb_versions_publish(t->made_versions, LFB_DROP_PREVIOUS, &t->number); },
     Rebuild, kAll},
    {"lfb_versions_abandon", kAny, T_ { t->status = lfb_versions_abandon(t->made_versions); },
     Rebuild, kAll},
    {"lfb_versions_rollback", kAny,
     T_ { t->status = lfb_versions_rollback(t->made_versions, &t->number); }, Keep, kAll},
    {"lfb_versions_drop_previous", kAny,
     T_ { t->status = lfb_versions_drop_previous(t->made_versions); }, Keep, kAll},
    {"lfb_versions_reclaim", kAny, T_ { lfb_versions_reclaim(t->versions); }, nullptr, kAll},
    // follow.h, file_source.h
    {"lfb_follow_create lfb_follow_free", kSizing,
     T_ {
       lfb_follow* made = nullptr;
       t->status = lfb_follow_create(t->versions, &t->functions, &t->follow_config, &made);
       lfb_follow_free(made);
     },
     nullptr, kAll},
    {"lfb_follow_poll lfb_keys_give lfb_keys_give_u64 lfb_keys_give_hash "
     "lfb_keys_give_hash_uncounted lfb_keys_give_delta lfb_keys_removed",
     kSizing, T_ { t->status = lfb_follow_poll(t->follow, t->now += 1000, &t->followed); },
     nullptr, kAll},
    {"lfb_follow_figures_now", kAny,
     T_ { lfb_follow_figures_now(t->follow, &t->follow_figures); }, nullptr, kAll},
    {"lfb_follow_start", kAny, T_ { t->status = lfb_follow_start(t->made_follow); }, NewFollow,
     kAll},
    {"lfb_follow_wake", kAny, T_ { lfb_follow_wake(t->made_follow); }, Started, kAll},
    {"lfb_follow_stop", kAny, T_ { lfb_follow_stop(t->made_follow); }, Started, kAll},
    {"lfb_file_source_create lfb_file_source_free", kAny,
     T_ {
       lfb_file_source* made = nullptr;
       t->status = lfb_file_source_create(t->native_path.c_str(), nullptr, nullptr, nullptr, &made);
       lfb_file_source_free(made);
     },
     nullptr, kAll},
    {"lfb_file_source_functions", kAny,
     T_ {
       const lfb_source source = lfb_file_source_functions(t->made_source);
       t->status = source.version(source.self, &t->number);
       if (t->status == LFB_OK) t->status = source.filter(source.self, &t->made);
     },
     NewSource, kAll},
    // watch.h
    {"lfb_watch_create lfb_watch_free", kAny,
     T_ {
       lfb_watch* made = nullptr;
       t->status = lfb_watch_create(t->filter.get(), &t->watch_config, &made);
       lfb_watch_free(made);
     },
     nullptr, kAll},
    {"lfb_watch_create_over", kAny,
     T_ {
       t->status =
           lfb_watch_create_over(StatsOf, t->filter.get(), &t->watch_config, &t->made_watch);
     },
     nullptr, kAll},
    {"lfb_watch_poll lfb_watch_crossed lfb_watch_rearm", kAny,
     T_ { lfb_watch_rearm(t->watch, lfb_watch_poll(t->watch) | lfb_watch_crossed(t->watch)); },
     nullptr, kAll},
    {"lfb_watch_report_answers lfb_watch_report_false_positive", kAny,
     T_ {
       lfb_watch_report_answers(t->watch, 1, 1);
       lfb_watch_report_false_positive(t->watch);
     },
     nullptr, kAll},
    {"lfb_watch_look", kAny, T_ { lfb_watch_look(t->watch, &t->watch_figures); }, nullptr, kAll},
    {"lfb_watch_prometheus", kAny,
     T_ { t->status = lfb_watch_prometheus(&t->watch, 1, AppendTo, &t->written); }, Reserve,
     kAll},
};

bool Fits(const Row& row, const lfb_config& config) {
  return (row.has != kGrowing || config.strategy != LFB_GO_FNV14) &&
         (row.has != kFast || config.strategy == LFB_FAST);
}

// Each call of one configuration; a failure names the call over the limit, with its bytes.
class EveryCall : public testing::TestWithParam<lfb_config> {};

TEST_P(EveryCall, NeedsNoMoreStackThanItMay) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      ("stack-" + std::to_string(getpid()) + "-" + std::to_string(GetParam().strategy));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  {
    Things things(GetParam(), folder.string());
    ASSERT_FALSE(HasFailure());
    for (const Row& row : kRows) {
      if (!Fits(row, GetParam())) continue;
      if (row.before != nullptr) row.before(&things);
      things.status = LFB_OK;
      const size_t used = StackOf([](void* of) {
        const auto* const call = static_cast<std::pair<const Row*, Things*>*>(of);
        call->first->act(call->second);
      }, std::make_unique<std::pair<const Row*, Things*>>(&row, &things).get());
      EXPECT_EQ(things.status, LFB_OK) << row.names;
      EXPECT_LE(used, row.budget) << row.names << " needs " << used << " bytes of stack";
      if (used > kAny / 4) std::cout << used << " of " << row.budget << ": " << row.names << "\n";
      things.Clean();
    }
    if (things.settled != nullptr) {
      EXPECT_EQ(Figures(things.settled).layers, kLayers) << "it was to have room for all calls";
    }
  }
  std::filesystem::remove_all(folder);
}

// A configuration of each strategy, of `fast` with each number of words; keyed.
std::vector<lfb_config> Configurations() {
  std::vector<lfb_config> all;
  for (const lfb_strategy_id strategy : AllStrategies()) all.push_back(Config(kFew, 0.01, strategy));
  for (const double fpp : {0.5, 1e-4, 1e-9}) all.push_back(Config(kFew, fpp, LFB_FAST));
  all.push_back(Config(kFew, 1e-9, LFB_GUAVA_MITZ64));
  all.push_back(Config(kFew, 0.01, LFB_FAST));
  all.back().seed = 0;
  all.back().key[0] = 1;
  all.back().hash = LFB_HASH_SIPHASH13;
  all.back().keep_key = true;
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, EveryCall, testing::ValuesIn(Configurations()));

// ---- completeness of the table ---------------------------------------------------------

std::set<std::string> Declared() {
  static const std::regex function("LFB_(?:API|CHECKED)[^;(]*?(lfb_[a-z0-9_]+)\\(");
  std::set<std::string> declared;
  for (const char* folder : {"atomic/include/lfbloom", "bloom/include/lfbloom"})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      for (std::sregex_iterator at(text.begin(), text.end(), function), end; at != end; ++at)
        declared.insert((*at)[1]);
    }
  return declared;
}

TEST(Stack, EachPublicFunctionIsMeasured) {
  std::set<std::string> measured;
  for (const Row& row : kRows) {
    std::istringstream names(row.names);
    for (std::string name; names >> name;) measured.insert(name);
  }
  EXPECT_EQ(measured, Declared());
}

}  // namespace
