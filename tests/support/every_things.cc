// every_things.cc - makes, uses and frees the objects of every_things.h.
#include "tests/support/every_things.h"

#include <algorithm>

namespace every {
namespace {

namespace fs = std::filesystem;

// Not with a random seed: the same for all, so that they merge.
lfb_config Seeded(lfb_config config) {
  const bool fast = config.strategy == LFB_FAST || config.strategy == LFB_FAST_PAIR;
  const bool keyed = std::any_of(std::begin(config.key), std::end(config.key),
                                 [](uint8_t byte) { return byte != 0; });
  if (fast && !keyed) config.seed = 1;
  return config;
}

Filter WithKey(const lfb_config& config) {
  Filter filter = Make(config);
  lfb_filter_put_u64(filter.get(), kKey);
  return filter;
}

Counting CountWithKey(lfb_config config, uint64_t n) {
  config.expected_insertions = n;
  Counting counting = Count(config);
  PutInto(counting.get(), kKey);
  return counting;
}

lfb_config Foldable(uint64_t n) {
  lfb_config config = Config(n, 0.01, LFB_FAST);
  config.foldable = true;
  return config;
}

// A growing filter with a new newest layer, so that one call with many keys does not fill it.
Growing Settled(const lfb_config& config) {
  Growing grown = MakeGrowing(config);
  lfb_growing_put_u64(grown.get(), kKey);
  for (uint64_t i = 0; i % 1000 != 0 || Figures(grown).layers < kLayers; i++)
    lfb_growing_put_u64(grown.get(), ~i);
  return grown;
}

lfb_status SourceVersion(void* self, uint64_t* version) {
  Things* const things = static_cast<Things*>(self);
  if (!things->still) things->version++;
  *version = things->version;
  return LFB_OK;
}

lfb_status SourceKeys(void* self, unsigned, unsigned, lfb_keys_sink* sink) {
  const Things* things = static_cast<Things*>(self);
  EXPECT_EQ(lfb_keys_give(sink, things->keys.data(), things->many, LFB_BYTES_KEY), LFB_OK);
  EXPECT_EQ(lfb_keys_give(sink, things->numbers.data(), things->many, LFB_HASH_KEY), LFB_OK);
  EXPECT_EQ(lfb_keys_give_delta(sink, "no delta", 8), LFB_ERROR_NO_CHANGES);
  // a delta of another seed
  lfb_ignore(lfb_keys_give_delta(sink, things->delta.data(), things->delta.size()));
  EXPECT_EQ(lfb_keys_removed(sink, 1), LFB_OK);
  EXPECT_EQ(lfb_keys_give(sink, things->numbers.data(), things->many, LFB_U64_KEY), LFB_OK);
  EXPECT_EQ(lfb_keys_give(sink, &kKey, 1, LFB_U64_KEY), LFB_OK);
  return things->source_status;
}

template <typename T>
void Free(T*& own) {
  if (own != nullptr) UseAndFree(own);
  own = nullptr;
}

}  // namespace

bool WindowsAreShared() {
  lfb_stats stats;
  const lfb_config pairs = Config(kFew, 0.01, LFB_FAST_PAIR);
  return lfb_config_plan(&pairs, &stats) != LFB_ERROR_NO_PAIRS;
}

void Everything(const void* object, lfb_sink* sink) {
  const uint16_t units[] = {'x', 0xd83d, 0xde00, 0x20ac};
  const lfb_utf16 text = {units, 4};
  const lfb_key bytes = {object, 8};
  const int32_t small = 1;
  const int64_t large = 2;
  const lfb_sequence numbers = {&small, 1, sizeof small, lfb_funnel_i32};
  static const char more_than_a_piece[1500] = {};
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
  lfb_sink_put_bytes(sink, more_than_a_piece, sizeof more_than_a_piece);
}

void NoNewFile(Things& t) {
  for (const auto& entry : fs::directory_iterator(t.folder))
    if (entry.path().filename().string().rfind("new", 0) == 0) fs::remove(entry.path());
}

void NewVersions(Things& t) { EXPECT_EQ(lfb_versions_create(&t.config, &t.own.versions), LFB_OK); }

// ---- objects that work --------------------------------------------------------------------

void UseAndFree(lfb_filter* filter) {
  lfb_filter_put_u64(filter, kKey);
  EXPECT_TRUE(HasKey(filter));
  lfb_filter_free(filter);
}
void UseAndFree(const lfb_filter* filter) {
  EXPECT_TRUE(HasKey(filter));
  lfb_mapped_close(filter);
}
void UseAndFree(lfb_bit_array* bits) {
  lfb_bit_array_set(bits, kKey);
  EXPECT_TRUE(lfb_bit_array_get(bits, kKey));
  lfb_bit_array_free(bits);
}
void UseAndFree(lfb_counting* counting) {
  PutInto(counting, kKey);
  EXPECT_TRUE(HasKey(counting));
  EXPECT_TRUE(lfb_counting_remove_u64(counting, kKey));
  lfb_counting_free(counting);
}
void UseAndFree(lfb_window* window) {
  lfb_window_put_u64(window, kKey);
  EXPECT_TRUE(HasKey(window));
  lfb_window_free(window);
}
void UseAndFree(lfb_growing* growing) {
  lfb_growing_put_u64(growing, kKey);
  EXPECT_TRUE(HasKey(growing));
  lfb_growing_free(growing);
}
void UseAndFree(const lfb_any& any) {
  (void)lfb_any_many_u64(any, LFB_PUT, &kKey, 1, nullptr);
  EXPECT_TRUE(HasKey(any));
  lfb_any_free(any);
}
void UseAndFree(lfb_versions* versions) {
  lfb_versions_put_u64(versions, kKey);
  EXPECT_TRUE(lfb_versions_might_contain_u64(versions, kKey));
  lfb_versions_free(versions);
}
void UseAndFree(lfb_builder* builder) {
  lfb_builder_put_many(builder, &kKey, 1, LFB_U64_KEY);
  lfb_filter* filter = nullptr;
  if (lfb_builder_finish(builder, &filter, nullptr) == LFB_OK) return UseAndFree(filter);
  EXPECT_EQ(filter, nullptr);  // a row's put was refused memory
  lfb_builder_free(builder);
}
void UseAndFree(lfb_follow* follow) { lfb_follow_free(follow); }
void UseAndFree(lfb_file_source* files) { lfb_file_source_free(files); }

// ---- things ---------------------------------------------------------------------------------

void Things::MakeKeys() {
  for (uint64_t i = 0; i < kKeys; i++) numbers.push_back(i * 0x9e3779b97f4a7c15);
  for (const uint64_t& key : numbers) keys.push_back({&key, sizeof key});
  keys[1] = {"another", 7};
  keys[2] = {"", 0};
  answers.resize(kKeys / 64 + 1);
  for (uint64_t i = 0; i < 300'000; i++) batch.push_back(i);
}

void Things::MakeFilters() {
  filter = WithKey(seeded);
  EXPECT_EQ(lfb_bit_array_create(kFew, &bits), LFB_OK);
  other = Make(seeded);
  lfb_config of_many = seeded;
  of_many.expected_insertions = kMany;
  big = WithKey(of_many);
  guava = WithKey(Config(kFew, 0.01, LFB_GUAVA_MITZ64));
  sbbf = WithKey(Config(kFew, 0.01, LFB_SBBF));
  foldable = WithKey(Foldable(kFew));
  big_foldable = WithKey(Foldable(kMany));
  counting = Count(seeded);
  counted = CountWithKey(seeded, kFew);
  big_counted = CountWithKey(Config(kMany, 0.01, LFB_FAST), kMany);
  lfb_filter_put_many_u64(filter.get(), numbers.data(), kFew / 2, nullptr);
  any::put_many(counted.get(), numbers.data(), kFew / 2, nullptr);
  window = MakeWindow(window_seeded);
  Advance(window, 100);
  lfb_window_put_u64(window.get(), kKey);
}

void Things::MakeGrowings() {
  sbbf_growing = MakeGrowing(Config(kFew, 0.01, LFB_SBBF));
  for (uint64_t i = 0; i < 5 * kFew; i++) lfb_growing_put_u64(sbbf_growing.get(), i);
  if (!grows()) return;
  growing = MakeGrowing(seeded);
  fresh = Settled(seeded);
  settled = Copy(fresh);
}

void Things::MakeFiles() {
  const auto form_of = [](const Filter& it, lfb_form form, std::string* bytes,
                          const std::string& path) {
    EXPECT_EQ(lfb_filter_write(it.get(), form, AppendTo, bytes), LFB_OK);
    EXPECT_EQ(lfb_filter_save(it.get(), form, path.c_str()), LFB_OK);
  };
  form_of(filter, LFB_FORM_NATIVE, &native, native_path);
  form_of(filter, LFB_FORM_MAPPED, &mapped_bytes, shared_path);
  form_of(big, LFB_FORM_NATIVE, &native_big, big_path);
  form_of(guava, LFB_FORM_GUAVA, &guava_bytes, guava_path);
  form_of(sbbf, LFB_FORM_SBBF, &sbbf_bytes, sbbf_path);
  fs::create_directories(filters_path);
  EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_NATIVE, (filters_path + "/a").c_str()), LFB_OK);
  EXPECT_EQ(lfb_delta_write(other.get(), filter.get(), AppendTo, &delta), LFB_OK);
  EXPECT_EQ(lfb_delta_save(other.get(), filter.get(), delta_path.c_str()), LFB_OK);
  EXPECT_EQ(any::write<lfb_counting>(counted.get(), AppendTo, &counted_bytes), LFB_OK);
  EXPECT_EQ(any::save<lfb_counting>(counted.get(), counted_path.c_str()), LFB_OK);
  EXPECT_EQ(any::write<lfb_window>(window.get(), AppendTo, &window_bytes), LFB_OK);
  EXPECT_EQ(any::save<lfb_window>(window.get(), window_path.c_str()), LFB_OK);
  if (!grows()) return;
  EXPECT_EQ(any::write<lfb_growing>(settled.get(), AppendTo, &grown_bytes), LFB_OK);
  EXPECT_EQ(any::save<lfb_growing>(settled.get(), grown_path.c_str()), LFB_OK);
}

// A handle that has a previous version; its followers.
void Things::MakeVersions() {
  lfb_filter* building = nullptr;
  EXPECT_EQ(lfb_versions_create(&config, &versions), LFB_OK);
  EXPECT_EQ(lfb_versions_begin_rebuild(versions, &config, &building), LFB_OK);
  lfb_filter_put_u64(building, kKey);
  EXPECT_EQ(lfb_versions_publish(versions, LFB_KEEP_PREVIOUS, nullptr), LFB_OK);
  functions.self = this;
  functions.version = SourceVersion;
  functions.keys = SourceKeys;
  follow_config.rebuild = config;
  follow_config.start_at_once = true;
  follow_config.poll_seconds = 3600;  // a follower's own thread polls once
  EXPECT_EQ(lfb_follow_create(versions, &functions, &follow_config, &follow), LFB_OK);
  lfb_follow_config with_threads = follow_config;
  with_threads.threads = 3;
  EXPECT_EQ(lfb_follow_create(versions, &functions, &with_threads, &follow_with_threads), LFB_OK);
  EXPECT_EQ(lfb_builder_create(&config, &builder), LFB_OK);
}

void Things::MakeMapped() {
  EXPECT_EQ(lfb_mapped_create(mapped_path.c_str(), &config, &mapped), LFB_OK);
  lfb_filter_put_u64(mapped, kKey);
  if (WindowsAreShared()) {
    lfb_window* made = nullptr;
    EXPECT_EQ(lfb_window_mapped_create(window_mapped_path.c_str(), &window_seeded, &made), LFB_OK);
    window_mapped.reset(made);
  }
  if (!grows()) return;
  EXPECT_EQ(lfb_growing_mapped_create(growing_path.c_str(), &config, &growing_mapped), LFB_OK);
  for (uint64_t i = 0; i < 5 * kFew; i++) lfb_growing_put_u64(growing_mapped, i);
}

Things::Things(const lfb_config& of, std::string in)
    : config(of), seeded(Seeded(of)), folder(std::move(in)) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  large.expected_insertions = kMany;
  keyed.hash = LFB_HASH_SIPHASH13;
  keyed.seed = 0;
  MakeKeys();
  MakeFilters();
  MakeGrowings();
  MakeFiles();
  MakeVersions();
  MakeMapped();
  window_config.seed = window_large.seed = of.seed;
}

void Things::Begin() {
  number++;
  status = LFB_OK;
  still = false;
  source_status = LFB_OK;
  written.clear();
}

void Things::End() {
  Free(own.follow), Free(own.filter), Free(own.counting), Free(own.window), Free(own.growing);
  Free(own.versions), Free(own.builder), Free(own.files);
}

Things::~Things() {
  End();
  lfb_bit_array_free(bits);
  lfb_builder_free(builder);
  lfb_follow_free(follow);
  lfb_follow_free(follow_with_threads);
  lfb_versions_free(versions);
  lfb_filter_free(mapped);
  lfb_growing_free(growing_mapped);
  fs::remove_all(folder);
}

Rows AllRows() {
  Rows rows;
  AddFilters(&rows);
  AddPlain(&rows);
  AddForms(&rows);
  AddCounting(&rows);
  AddWindow(&rows);
  AddGrowing(&rows);
  AddAny(&rows);
  AddMapped(&rows);
  AddBuilder(&rows);
  AddVersions(&rows);
  AddFollowers(&rows);
  return rows;
}

}  // namespace every
