// soak.cc - everything at once for as long as you like, by more threads than cores: puts,
// queries and claims, versions that are swapped, filters that grow, keys that are removed again,
// one file that processes share, saving and loading. The invariants are checked all the time. The
// memory at the end must be that after the first full round.
//
//     ./bazelw run -c opt //tests/whole:soak -- 600        seconds; ends with 1 if anything was
//                                                          wrong
#include <lfbloom/counting.h>
#include <lfbloom/growing.h>
#include <lfbloom/mapped.h>
#include <lfbloom/versions.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/race.h"

namespace {

std::atomic<bool> stopping{false};

// One activity: how many rounds it made, and how often something was wrong.
struct Act {
  const char* name;
  std::function<void(Act*)> round;  // one round: some milliseconds to a second
  std::atomic<uint64_t> rounds{0}, wrong{0};

  void Expect(bool holds) { wrong += !holds; }
  void Expect(lfb_status status) { wrong += status != LFB_OK; }
};

lfb_config Config(uint64_t n, double fpp, lfb_strategy_id strategy = LFB_FAST) {
  lfb_config config{};
  config.expected_insertions = n;
  config.fpp = fpp;
  config.strategy = strategy;
  config.seed = strategy == LFB_FAST ? 1 : 0;
  return config;
}

std::atomic<uint64_t> streams{1};  // keys that no other activity uses

// A filter of its own, used by four threads: each key is claimed once, and found. Then it is
// saved while more is put, loaded and compared.
void PlainRound(Act* act, const std::string& folder) {
  constexpr uint64_t kKeys = 100000;
  const lfb_config config = Config(2 * kKeys, 1e-7);
  const uint64_t stream = streams++;
  lfb_filter *filter, *loaded;
  std::atomic<uint64_t> won{0};
  act->Expect(lfb_filter_create(&config, &filter));
  RunTogether(4, [&](unsigned) {
    uint64_t mine = 0;
    for (uint64_t i = 0; i < kKeys; i++) mine += lfb_filter_claim_u64(filter, Mix(stream, i));
    won += mine;
  });
  act->Expect(won <= kKeys && won >= kKeys - 3);
  const std::string path = folder + "/plain-" + std::to_string(stream);
  RunTogether(2, [&](unsigned t) {
    if (t == 0)
      act->Expect(lfb_filter_save(filter, LFB_FORM_NATIVE, path.c_str()));
    else
      for (uint64_t i = 0; i < kKeys; i++) lfb_filter_put_u64(filter, Mix(stream, kKeys + i));
  });
  act->Expect(lfb_filter_load(path.c_str(), nullptr, &loaded));
  for (uint64_t i = 0; i < kKeys; i++)
    act->Expect(lfb_filter_might_contain_u64(loaded, Mix(stream, i)));
  lfb_filter_free(filter);
  lfb_filter_free(loaded);
  unlink(path.c_str());
}

// What one writer has put through versions, for the readers and the loader.
std::atomic<uint64_t> written{0};
constexpr uint64_t kWritten = 200000;  // then it restarts, with a handle of its own

void WriteVersions(Act* act, lfb_versions* versions) {
  for (int i = 0; i < 1000; i++) {
    const uint64_t next = written % kWritten;
    lfb_versions_put_u64(versions, Mix(0, next));
    written++;
    act->Expect(lfb_versions_might_contain_u64(versions, Mix(0, next)));
  }
}

void ReadVersions(Act* act, lfb_versions* versions) {
  const uint64_t known = std::min<uint64_t>(written, kWritten);
  const lfb_filter* filter = lfb_versions_enter(versions, nullptr);
  for (uint64_t i = 0; i < known; i += 7)
    act->Expect(lfb_filter_might_contain_u64(filter, Mix(0, i)));
  lfb_versions_leave(versions);
}

// Rebuilds from the written keys, and publishes the version, drops it, or rolls back.
void SwapVersions(Act* act, lfb_versions* versions) {
  const lfb_config config = Config(kWritten, 0.001);
  lfb_filter* building;
  act->Expect(lfb_versions_begin_rebuild(versions, &config, &building));
  const uint64_t known = std::min<uint64_t>(written + 1, kWritten);  // one may be in progress
  for (uint64_t i = 0; i < known; i++) lfb_filter_put_u64(building, Mix(0, i));
  switch (act->rounds % 3) {
    case 0:
      act->Expect(lfb_versions_publish(versions, LFB_DROP_PREVIOUS, nullptr));
      break;
    case 1:
      act->Expect(lfb_versions_abandon(versions));
      break;
    default:
      act->Expect(lfb_versions_publish(versions, LFB_KEEP_PREVIOUS, nullptr));
      act->Expect(lfb_versions_rollback(versions, nullptr));
  }
  lfb_versions_reclaim(versions);
}

// From 1,000 keys to 200,000 by two threads.
void GrowRound(Act* act) {
  const lfb_config config = Config(1000, 0.01);
  const uint64_t stream = streams++;
  lfb_growing* growing;
  act->Expect(lfb_growing_create(&config, &growing));
  RunTogether(2, [&](unsigned t) {
    for (uint64_t i = t; i < 200000; i += 2) {
      lfb_growing_put_u64(growing, Mix(stream, i));
      if (i % 16 < 2) act->Expect(lfb_growing_might_contain_u64(growing,
                                                                Mix(stream, i / 2 * 2 + t)));
    }
  });
  for (uint64_t i = 0; i < 200000; i++)
    act->Expect(lfb_growing_might_contain_u64(growing, Mix(stream, i)));
  lfb_growing_free(growing);
}

// Two threads put keys and remove every other one; the others stay.
void CountRound(Act* act, lfb_counting* counting) {
  constexpr uint64_t kKeys = 20000;
  const uint64_t stream = streams++;
  RunTogether(2, [&](unsigned t) {
    for (uint64_t i = t; i < kKeys; i += 2)
      act->Expect(lfb_counting_put_u64(counting, Mix(stream, i)));
    for (uint64_t i =
         t; i < kKeys; i += 4) act->Expect(lfb_counting_remove_u64(counting, Mix(stream, i)));
    for (uint64_t i = t + 2; i < kKeys; i += 4)
      act->Expect(lfb_counting_might_contain_u64(counting, Mix(stream, i)));
    for (uint64_t i = t + 2; i < kKeys; i += 4)
      act->Expect(lfb_counting_remove_u64(counting, Mix(stream, i)));
  });
}

// A process puts into a shared file and is killed; no key that it reported as put is lost.
void ShareRound(Act* act, const std::string& tool_path) {
  const lfb_config config = Config(1000000, 0.001);
  const uint64_t stream = streams++;
  lfb_filter* filter;
  act->Expect(lfb_mapped_create(tool_path.c_str(), &config, &filter));
  for (int child = 0; child < 4; child++) {
    int said[2];
    if (pipe(said) != 0) return act->Expect(false);
    const pid_t pid = fork();
    if (pid < 0) return act->Expect(false);
    if (pid == 0) {  // a child of a process with threads: nothing that allocates
      for (uint64_t i = 0;; i++) {
        lfb_filter_put_u64(filter, Mix(stream, child * uint64_t{1000000} + i));
        if (i % 64 == 63 && write(said[1], &i, sizeof i) != sizeof i) _exit(1);
      }
    }
    close(said[1]);
    uint64_t last = 0;
    for (int i = 0; i < 300; i++)
      if (read(said[0], &last, sizeof last) != sizeof last) break;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    close(said[0]);
    for (uint64_t i = 0; i <= last; i++)
      act->Expect(lfb_filter_might_contain_u64(filter, Mix(stream, child * uint64_t{1000000} + i)));
  }
  lfb_stats stats;  // right after all those kills: of a copy, with words that are counted anew
  lfb_filter* copy = nullptr;
  lfb_filter_stats(filter, &stats);
  act->Expect(lfb_filter_copy(filter, &copy));
  const uint64_t counted = stats.bits_set;
  lfb_filter_stats(copy, &stats);
  act->Expect(stats.bits_set == counted);
  lfb_filter_free(copy);
  lfb_mapped_close(filter);
  unlink(tool_path.c_str());
}

// MiB of this process that are resident.
double Resident() {
  std::ifstream statm("/proc/self/statm");
  uint64_t all = 0, resident = 0;
  statm >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10;
  const std::string folder = "/dev/shm/lfbloom-soak-" + std::to_string(std::random_device()());
  const lfb_config plain = Config(kWritten, 0.001), many = Config(200000, 0.001);
  lfb_versions* versions;
  lfb_counting* counting;
  if (system(("mkdir " + folder).c_str()) != 0 ||
      lfb_versions_create(&plain, &versions) != LFB_OK ||
      lfb_counting_create(&many, &counting) != LFB_OK)
    return 2;
  std::vector<Act> acts(9);
  const auto set = [&](size_t i, const char* name, std::function<void(Act*)> round) {
    acts[i].name = name;
    acts[i].round = std::move(round);
  };
  set(0, "claims, saving, loading", [&](Act* act) { PlainRound(act, folder); });
  set(1, "versions: puts", [&](Act* act) { WriteVersions(act, versions); });
  for (size_t i
       : {2, 3, 4}) set(i, "versions: sections", [&](Act* act) { ReadVersions(act, versions); });
  set(5, "versions: swaps", [&](Act* act) { SwapVersions(act, versions); });
  set(6, "growing", GrowRound);
  set(7, "counting", [&](Act* act) { CountRound(act, counting); });
  set(8, "shared file, killed processes", [&](Act* act) { ShareRound(act, folder + "/shared"); });

  std::vector<std::thread> threads;
  for (Act& act : acts)
    threads.emplace_back([&act] {
      while (!stopping) {
        act.round(&act);
        act.rounds++;
      }
    });
  const auto begun = std::chrono::steady_clock::now();
  double most_early = 0, most_late = 0;
  for (int i = 0; i < 100; i++) {  // the first tenth is left out
    // by the clock: on a busy machine each sleep ends late
    std::this_thread::sleep_until(begun +
                                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                              std::chrono::duration<double>(seconds * (i +
                                                                                       1) / 100)));
    double& most = i < 55 ? most_early : most_late;
    if (i >= 10) most = std::max(most, Resident());
  }
  stopping = true;
  for (std::thread& thread : threads) thread.join();
  uint64_t wrong = 0;
  for (const Act& act : acts) {
    std::printf("%-32s %8" PRIu64 " rounds, %" PRIu64 " wrong\n", act.name, act.rounds.load(),
                act.wrong.load());
    wrong += act.wrong + (act.rounds == 0);
  }
  std::printf("resident at most: %.1f MiB in the first half, %.1f MiB in the second\n", most_early,
              most_late);
  lfb_versions_free(versions);
  lfb_counting_free(counting);
  (void)!system(("rm -r " + folder).c_str());
  return wrong == 0 && most_late < 1.1 * most_early + 8 ? 0 : 1;
}
