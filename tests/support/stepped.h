// stepped.h - runs an act in the calling thread and calls a function after each instruction.
//
// With the processor's trap flag set, the kernel sends SIGTRAP after each instruction.  So a test
// can do something at every instruction of the act, one after the other, and not by chance.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

#if defined(__x86_64__)
constexpr bool kCanStep = true;
#else
constexpr bool kCanStep = false;
#endif

// At most one at a time per thread.
class Stepped {
 public:
  using Between = bool (*)(void* with, uint64_t instructions);

  // Calls `act()`.  After its n-th instruction, from 1 on, a signal handler calls
  // `between(with, n)`, until that returns false.  Returns the last n.
  template <typename Act>
  static uint64_t Run(const Act& act, Between between, void* with) {
    struct sigaction trapped = {};
    trapped.sa_sigaction = OnTrap;
    trapped.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &trapped, nullptr);
    between_ = between;
    with_ = with;
    done_ = 0;
    Trap(true);
    act();
    Trap(false);
    return done_;
  }

  // The number of instructions of `act()`.
  template <typename Act>
  static uint64_t Count(const Act& act) {
    return Run(act, [](void*, uint64_t) { return true; }, nullptr);
  }

 private:
  static void OnTrap(int, siginfo_t*, [[maybe_unused]] void* interrupted) {
    if (between_(with_, ++done_)) return;
#if defined(__x86_64__)
    static_cast<ucontext_t*>(interrupted)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
#endif
  }

  static constexpr long long kTrapFlag = 0x100;

  // Pushes below the red zone, where the compiler may keep data.
  __attribute__((noinline)) static void Trap([[maybe_unused]] bool on) {
#if defined(__x86_64__)
    long long flags;
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; pop %0; lea 128(%%rsp), %%rsp" : "=r"(flags) :
                     : "memory");
    flags = on ? flags | kTrapFlag : flags & ~kTrapFlag;
    __asm__ volatile("lea -128(%%rsp), %%rsp; push %0; popfq; lea 128(%%rsp), %%rsp" : : "r"(flags)
                     : "memory", "cc");
#endif
  }

  static inline thread_local Between between_ = nullptr;
  static inline thread_local void* with_ = nullptr;
  static inline thread_local uint64_t done_ = 0;
};
