// replica_stress.cc - all threads put into two local replicas of a filter on Redis, concurrently
// with flushes, resyncs and queries: each replica must in the end have the other one's keys.
#include <gtest/gtest.h>

extern "C" {
#include "tsan/crew.h"
}
#include "tests/redis/replicas.h"

namespace {

constexpr uint64_t kSome = 100;  // keys per turn
Replica left, right;

void PutOneByOne(const crew_turn* turn) {
  for (uint64_t i = 0; i < kSome; i++) {
    (void)lfb_replica_put_u64(left.get(), turn->first + i);
    crew_expect(Has(left, turn->first + i));
  }
}

void PutMany(const crew_turn* turn) {
  PutRange(right, 50000 + turn->first, kSome);
  crew_expect(Missing(right, 50000 + turn->first, kSome) == 0);
}

void Look(const crew_turn*) {
  crew_expect(State(left).loads > 0);
  crew_expect(State(right).loads > 0);
}

void FlushAndResync(const crew_turn* turn) {
  crew_expect_ok(lfb_replica_flush(left.get(), kForEver));
  if (turn->thread == 0) crew_expect_ok(lfb_replica_resync(right.get(), kForEver));
}

TEST(ReplicaStress, EachHasWhatTheOtherWasGiven) {
  RedisServer server;
  const lfb_redis_options options = server.Options();
  lfb_config config{};
  config.expected_insertions = 100000;
  config.fpp = 0.001;
  lfb_redis* made = nullptr;
  ASSERT_EQ(lfb_redis_create(&options, "stress", &config, 0, &made), LFB_OK);
  lfb_redis_close(made);
  left = OpenReplica(options, "stress");
  right = OpenReplica(options, "stress");

  const crew_act acts[] = {PutOneByOne, PutMany, Look, FlushAndResync};
  crew_run(acts, std::size(acts));
  Flush(left);
  Flush(right);
  for (uint64_t round = 0; round < CREW_ROUNDS; round++)
    for (uint64_t thread = 0; thread < crew_size(); thread++) {
      const uint64_t first = CREW_KEYS / 2 * thread + 100000 * round;
      Await("the right replica has the left one's keys",
            [&] { return Missing(right, first, kSome) == 0; });
      Await("the left replica has the right one's keys",
            [&] { return Missing(left, 50000 + first, kSome) == 0; });
    }
  left.reset();
  right.reset();
  EXPECT_EQ(crew_end(), 0);
}

}  // namespace
