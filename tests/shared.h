// shared.h - what a test and the processes that it starts both see.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <new>

// One T in memory that stays shared across fork().
template <typename T>
class Shared {
 public:
  Shared() {
    void* const memory =
        mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    it_ = new (memory) T();
  }
  ~Shared() { munmap(it_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T* get() const { return it_; }
  T* operator->() const { return it_; }

 private:
  T* it_;
};
