// anys.h - filters of any kind (lfbloom/any.h), for tests.
#pragma once

#include <lfbloom/any.h>

#include <type_traits>

#include "tests/support/filters.h"

// The functions of lfbloom/any.h for a T that is lfb_filter, lfb_growing, lfb_counting or
// lfb_window.
namespace any {

template <typename T>
constexpr lfb_kind KindOf() {
  return std::is_same_v<T, lfb_filter>     ? LFB_KIND_PLAIN
         : std::is_same_v<T, lfb_growing>  ? LFB_KIND_GROWING
         : std::is_same_v<T, lfb_counting> ? LFB_KIND_COUNTING
                                           : LFB_KIND_WINDOW;
}

template <typename T>
lfb_any of(const T* filter) {
  return {KindOf<T>(), {const_cast<T*>(filter)}};
}

// Passes on what a call has made; T is const if it may not be changed.
template <typename T>
lfb_status passed(lfb_status status, const lfb_any& made, T** filter) {
  EXPECT_EQ(made.kind, status == LFB_OK ? KindOf<std::remove_const_t<T>>() : LFB_KIND_NONE);
  if (status == LFB_OK) *filter = static_cast<T*>(made.filter);
  return status;
}

template <typename T>
lfb_status open(const char* path, lfb_opening how, const lfb_read_limits* limits, T** filter) {
  lfb_any made{};
  const lfb_status status =
      lfb_any_open(path, KindOf<std::remove_const_t<T>>(), how, limits, &made);
  return passed(status, made, filter);
}
template <typename T>
lfb_status load(const char* path, const lfb_read_limits* limits, T** filter) {
  return open(path, LFB_OPEN_COPY, limits, filter);
}
template <typename T>
lfb_status open_in_place(const char* path, const lfb_read_limits* limits, const T** filter) {
  return open(path, LFB_OPEN_IN_PLACE, limits, filter);
}
template <typename T>
lfb_status open_shared(const char* path, const lfb_read_limits* limits, T** filter) {
  return open(path, LFB_OPEN_SHARED, limits, filter);
}
template <typename T>
lfb_status read(lfb_read_fn from, void* source, const lfb_read_limits* limits, T** filter) {
  lfb_any made{};
  const lfb_status status = lfb_any_read(from, source, KindOf<T>(), limits, &made);
  return passed(status, made, filter);
}
template <typename T>
lfb_status write(const T* filter, lfb_write_fn to, void* target) {
  return lfb_any_write(of(filter), to, target);
}
template <typename T>
lfb_status save(const T* filter, const char* path) {
  return lfb_any_save(of(filter), path);
}
template <typename T>
lfb_status sync(const T* filter) {
  return lfb_any_sync(of(filter));
}
template <typename T>
void free(const T* filter) {
  lfb_any_free(of(filter));
}
template <typename T>
lfb_status copy(const T* filter, T** copied) {
  lfb_any made{};
  const lfb_status status = lfb_any_copy(of(filter), &made);
  return passed(status, made, copied);
}
template <typename T>
lfb_status to_plain(const T* filter, lfb_filter** plain) {
  return lfb_any_to_plain(of(filter), plain);
}

// Of keys of bytes, and of numbers.
inline size_t many(lfb_any filter, lfb_verb verb, const lfb_key* keys, size_t count,
                   uint64_t* answers) {
  return lfb_any_many(filter, verb, keys, count, answers);
}
inline size_t many(lfb_any filter, lfb_verb verb, const uint64_t* keys, size_t count,
                   uint64_t* answers) {
  return lfb_any_many_u64(filter, verb, keys, count, answers);
}
template <typename T, typename Key>
size_t put_many(const T* filter, const Key* keys, size_t count, uint64_t* answers) {
  return many(of(filter), LFB_PUT, keys, count, answers);
}
template <typename T, typename Key>
size_t might_contain_many(const T* filter, const Key* keys, size_t count, uint64_t* answers) {
  return many(of(filter), LFB_MIGHT_CONTAIN, keys, count, answers);
}
template <typename T, typename Key>
size_t claim_many(const T* filter, const Key* keys, size_t count, uint64_t* answers) {
  return many(of(filter), LFB_CLAIM, keys, count, answers);
}
template <typename T, typename Key>
size_t remove_many(const T* filter, const Key* keys, size_t count, uint64_t* answers) {
  return many(of(filter), LFB_REMOVE, keys, count, answers);
}

}  // namespace any

// The same of a std::unique_ptr to one.
template <typename Owner>
lfb_any Any(const Owner& filter) {
  return any::of(filter.get());
}

// One that is freed at the end.
class OwnAny {
 public:
  OwnAny() = default;
  explicit OwnAny(lfb_any any) : any_(any) {}
  OwnAny(OwnAny&& other) noexcept : any_(other.any_) { other.any_ = {}; }
  OwnAny& operator=(OwnAny&& other) noexcept { return std::swap(any_, other.any_), *this; }
  ~OwnAny() { lfb_any_free(any_); }
  const lfb_any& operator*() const { return any_; }
  lfb_any* out() { return &any_; }  // for a call that makes one

 private:
  lfb_any any_{};
};

inline lfb_figures Figures(const lfb_any& any) {
  lfb_figures figures;
  lfb_any_stats(any, &figures);
  return figures;
}

inline std::string Bytes(const lfb_any& any) {
  std::string bytes;
  EXPECT_EQ(lfb_any_write(any, AppendTo, &bytes), LFB_OK);
  return bytes;
}
