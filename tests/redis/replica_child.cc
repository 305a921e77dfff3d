// replica_child.cc - a process with a replica, for tests that kill and stop it.
//
//     replica_child PORT NAME put         puts 0, 1, .. in hundreds; writes how many were flushed
//     replica_child PORT NAME follow N    opens, writes a line; waits for key N and until it has
//                                         caught up; writes how many of the keys before N it
//                                         lacks, and how often it has loaded the filter
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/redis/replicas.h"

namespace {

void Write(unsigned long long number) {
  std::printf("%llu\n", number);
  std::fflush(stdout);
}

void PutForEver(const Replica& replica) {
  constexpr uint64_t kBatch = 100;
  for (uint64_t first = 0;; first += kBatch) {
    PutRange(replica, first, kBatch);
    if (lfb_replica_flush(replica.get(), kForEver) != LFB_OK) std::exit(1);
    Write(first + kBatch);
  }
}

void Follow(const Replica& replica, uint64_t last) {
  Write(0);
  Await("the last key is found", [&] { return Has(replica, last); });
  CatchUp(replica); // a key may be found before keys that were put earlier
  Write(Missing(replica, 0, last));
  Write(State(replica).loads);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  lfb_redis_options options{};
  options.port = static_cast<uint16_t>(std::atoi(argv[1]));
  const Replica replica = OpenReplica(options, argv[2]);
  if (replica == nullptr) return 1;
  if (std::strcmp(argv[3], "put") == 0) PutForEver(replica);
  Follow(replica, std::strtoull(argv[4], nullptr, 10));
  return 0;
}
