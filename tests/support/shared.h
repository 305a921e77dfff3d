// shared.h - objects that a test shares with the processes that it starts.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <new>

// `count` Ts, each made by T(), in memory that stays shared across fork().
template <typename T>
class SharedArray {
 public:
  explicit SharedArray(size_t count)
      : size_(count * sizeof(T)),
        at_(static_cast<T*>(
            mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    EXPECT_NE(static_cast<void*>(at_), MAP_FAILED);
    for (size_t i = 0; i < count; i++) new (&at_[i]) T();
  }
  ~SharedArray() { munmap(static_cast<void*>(at_), size_); }
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;
  T& operator[](size_t i) const { return at_[i]; }

 private:
  const size_t size_;
  T* const at_;
};

// One T in such memory.
template <typename T>
class Shared {
 public:
  T* get() const { return &it_[0]; }
  T* operator->() const { return get(); }

 private:
  const SharedArray<T> it_{1};
};
