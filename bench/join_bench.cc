// join_bench.cc - the runtime filter of a hash join.
//
// build|probe/WAY/SIZE/many/hash/KEYS.  A build is timed from the creation to the last key; of the
// keys of a probe one in ten is present.  WAY is
//   one     one filter of `fast`, filled by all threads
//   copies  a filter of each thread; the first that is done receives the others by put_all
//   bitset  as copies, of std::bitset, with 7 bits a key, merged by |=
#include <lfbloom/filter_more.h>

#include <bitset>
#include <memory>
#include <mutex>
#include <string>

#include "bench/shim.h"
extern "C" {
#include "bench/benches.h"
#include "bench/keys.h"
}

namespace {

constexpr size_t kBatch = 1024;
using Batch = uint64_t[kBatch];

template <uint64_t kBytes>
struct Fast {
  Fast() {
    lfb_config config{};
    config.fpp = 0.01;
    config.bytes = kBytes;
    config.seed = 1;  // merged filters have one hash
    if (lfb_filter_create(&config, &filter) != LFB_OK) abort();
  }
  ~Fast() { lfb_filter_free(filter); }
  void Put(const Batch& keys) { (void)lfb_filter_put_many_hash(filter, keys, kBatch, nullptr); }
  size_t Count(const Batch& keys) const {
    return lfb_filter_might_contain_many_hash(filter, keys, kBatch, nullptr);
  }
  void Merge(const Fast& from) {
    if (lfb_filter_put_all(filter, from.filter) != LFB_OK) abort();
  }
  lfb_filter* filter;
};

template <uint64_t kBytes>
struct Bits {
  static size_t At(uint64_t key, uint64_t i) { return (key + i * (key >> 32 | 1)) % (8 * kBytes); }
  void Put(const Batch& keys) {
    for (uint64_t key : keys)
      for (uint64_t i = 0; i < 7; i++) bits[At(key, i)] = true;
  }
  size_t Count(const Batch& keys) const {
    size_t present = 0;
    for (uint64_t key : keys) {
      uint64_t i = 0;
      while (i < 7 && bits[At(key, i)]) i++;
      present += i == 7;
    }
    return present;
  }
  void Merge(const Bits& from) { bits |= from.bits; }
  std::bitset<8 * kBytes> bits;
};

std::mutex mutex;                                    // of whole
template <typename Way> std::unique_ptr<Way> whole;  // what the threads fill, or merge into

template <typename Way, bool kShared>
void Build(lfb_bench_state* state, const void* n) {
  const uint64_t share = *static_cast<const uint64_t*>(n) / lfb_bench_threads(state);
  const uint64_t first = share * lfb_bench_thread(state);
  std::unique_ptr<Way> own;
  Batch keys;

  if (first == 0) whole<Way>.reset();
  for (uint64_t at = 0; lfb_bench_keep_running(state, kBatch); at += kBatch) {
    std::unique_ptr<Way>& made = kShared ? whole<Way> : own;
    if (at == 0) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (made == nullptr) made = std::make_unique<Way>();
    }
    for (size_t i = 0; i < kBatch; i++) keys[i] = lfb_keys_number(first + at + i);
    made->Put(keys);
    if (kShared || at + kBatch < share) continue;
    const std::lock_guard<std::mutex> lock(mutex);
    if (whole<Way> != nullptr)
      whole<Way>->Merge(*own);
    else
      whole<Way> = std::move(own);
  }
}

// After a build.
template <typename Way>
void Probe(lfb_bench_state* state, const void* n) {
  uint64_t at = static_cast<uint64_t>(lfb_bench_thread(state)) << 32, asked = 0, yes = 0;
  Batch keys;

  while (lfb_bench_keep_running(state, kBatch)) {
    if (whole<Way> == nullptr) continue;
    for (size_t i = 0; i < kBatch; i++)
      keys[i] = lfb_keys_number(i % 10 == 0 ? (at + i) % *static_cast<const uint64_t*>(n)
                                            : LFB_KEYS_ABSENT + at + i);
    yes += whole<Way>->Count(keys);
    at += kBatch;
    asked += kBatch;
  }
  if (asked == 0 || yes * 10 < asked || yes * 8 > asked)
    lfb_bench_fail(state, "not built, or wrong answers");
}

void Register(const char* way, const char* rest, lfb_bench_body body, const uint64_t* n,
              bool once) {
  const std::string name = std::string(way) + rest;
  for (const unsigned* at = lfb_bench_thread_counts; *at > 0; at++) {
    const lfb_bench_row row = {name.c_str(), body, n, *at, once ? *n / *at : 0, 0, {}};
    lfb_bench_register(&row);
  }
}

template <uint64_t kBytes>
void RegisterSize(const char* rest, const uint64_t* n) {
  Register("build/copies", rest, Build<Fast<kBytes>, false>, n, true);
  Register("build/one", rest, Build<Fast<kBytes>, true>, n, true);
  Register("probe/one", rest, Probe<Fast<kBytes>>, n, false);
  Register("build/bitset", rest, Build<Bits<kBytes>, false>, n, true);
  Register("probe/bitset", rest, Probe<Bits<kBytes>>, n, false);
}

}  // namespace

void lfb_bench_register_joins(void) {
  static const uint64_t million = 1 << 20, ten = 10 << 20;

  RegisterSize<2 << 20>("/2MiB/many/hash/1M", &million);
  RegisterSize<16 << 20>("/16MiB/many/hash/10M", &ten);
}
