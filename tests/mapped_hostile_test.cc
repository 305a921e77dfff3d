// Mapped files whose shared part says what no process would have written, or what the dead
// have left: answers may be wrong, but no call hangs, and nothing outside the file is touched.
#include <signal.h>
#include <sys/wait.h>

#include "bloom/core.h"
#include "bloom/mapped/mapping.h"
#include "tests/mapped.h"
#include "tests/race.h"
#include "tests/shared.h"

namespace {

lfb_word* Lines(const Filter& filter) {
  return reinterpret_cast<lfb_word*>(filter->mapping->leases.lines);
}

constexpr size_t kLineWords = sizeof(lfb_stripe) / sizeof(lfb_word);

// A place may hold any ticket: of whoever, of nobody, and of numbers beyond the last line.
// The line of the number that is tried lies in the words, and says that it has won a hash.
// Seen to fail (the hash was put) when the number was not looked at; with others it read
// behind the file.
TEST(MappedHostile, ATicketBeyondTheLastLineIsTakenOut) {
  constexpr uint64_t kHash = 12345, kNumber = 8000;
  const Path path("/dev/shm");
  const Filter filter = Create(path, Config(100000, 1e-6, LFB_FAST));
  const lfb_hash hash = {kHash, 0};
  lfb_claimant* const forged = &filter->claims.each[kNumber];
  ASSERT_GT(static_cast<void*>(forged), filter->pages.address);
  ASSERT_LT(kNumber * sizeof *forged, filter->mapping->file.size - (uint64_t{1} << 16));
  atomic_store(&forged->low, hash.low);
  atomic_store(&forged->status, uint64_t{1} << LFB_STATUS_STATE_BITS | LFB_CLAIM_WON);
  lfb_word* const place = lfb_claims_place(&filter->claims, hash);
  atomic_store(place, uint64_t{1} << LFB_TICKET_NUMBER_BITS | kNumber);
  uint64_t key = 1;  // of the same place
  while (lfb_claims_place(&filter->claims, {key, 0}) != place) key++;
  EXPECT_TRUE(lfb_filter_claim_hash(filter.get(), key));
  EXPECT_FALSE(lfb_filter_might_contain_hash(filter.get(), kHash));
  EXPECT_EQ(lfb_word_get(place), 0u);
}

TEST(MappedHostile, AnyTicketIsTakenOut) {
  const Path path("/dev/shm");
  const Filter filter = Create(path, Config(LFB_CLAIMANTS_MOST, 1e-6, LFB_FAST));
  for (uint64_t number = 0; number < LFB_CLAIMANTS_MOST; number++) {
    for (uint64_t i = 0; i <= filter->claims.mask; i++)
      atomic_store(&filter->claims.places[i], uint64_t{1} << LFB_TICKET_NUMBER_BITS | number);
    lfb_filter_claim_u64(filter.get(), Mix(1, number));
    ASSERT_TRUE(lfb_filter_might_contain_u64(filter.get(), Mix(1, number)));
  }
  EXPECT_EQ(Stats(filter).bits_set, lfb_bits_count(&filter->layout.bits));
  { Open(path); }  // whoever comes looks at what its lease's last owner left
}

// Seen to hang with the bits of what is lent taken from the file.
TEST(MappedHostile, WhatIsLentIsNotAskedOfTheFile) {
  const Path path("/dev/shm");
  const Filter first = Create(path, Config(100000, 1e-6, LFB_FAST));
  const Filter filter = Open(path);
  for (uint64_t line = 0; line < filter->layout.count.all_count; line++)
    atomic_store(&Lines(filter)[line * kLineWords + offsetof(lfb_stripe, lent) / 8], UINT64_MAX);
  std::atomic<unsigned> won{0};
  InStep step(70);
  RunTogether(70, [&](unsigned) {
    (void)lfb_slot();
    step.Wait(1);  // so that some have no stripe of their own
    for (uint64_t i = 0; i < 100; i++) won += lfb_filter_claim_u64(filter.get(), Mix(1, i));
  });
  EXPECT_EQ(won, 100u);
}

// Processes without a lease borrow one of eight claimants for a claim.  What those had who
// die inside claims is free again, though there is always another process without a lease.
// Seen to hang with it noted in the file alone.
TEST(MappedDeath, WhatTheDeadHadBorrowedIsFree) {
  const Path path("/dev/shm");
  std::vector<Filter> leased;
  leased.push_back(Create(path, Config(10000000, 0.01, LFB_FAST)));
  while (leased.size() < leased[0]->mapping->leases.count) leased.push_back(Open(path));
  const Filter filter = Open(path);
  ASSERT_EQ(filter->mapping->lease, LFB_LEASE_NONE);
  for (unsigned round = 0; round < 40; round++) {
    const Shared<std::atomic<uint64_t>> claims;
    const pid_t child = fork();
    if (child == 0) {
      lfb_filter* mine = nullptr;
      if (lfb_mapped_open(path.c_str(), nullptr, &mine) != LFB_OK) _exit(1);
      RunTogether(8, [&](unsigned t) {
        for (uint64_t i = 0;; i++) {
          lfb_filter_claim_u64(mine, Mix(8 * round + t, i));
          (*claims.get())++;
        }
      });
    }
    while (*claims.get() < 1000) usleep(100);
    kill(child, SIGKILL);
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  uint64_t won = 0;
  for (uint64_t i = 0; i < 1000; i++) won += lfb_filter_claim_u64(filter.get(), Mix(1000, i));
  EXPECT_GT(won, 900u);
}

// The sum of stripes that say anything is no number of bits.
TEST(MappedHostile, NoMoreBitsAreCountedThanThereAre) {
  const Path path, saved;
  const Filter filter = Create(path, Config(1000, 0.01));
  for (const uint64_t count : {UINT64_MAX, uint64_t{1} << 63, Stats(filter).bit_count + 1}) {
    atomic_store(&Lines(filter)[0], count);
    EXPECT_EQ(Stats(filter).bits_set, Stats(filter).bit_count);
    EXPECT_LE(Stats(filter).expected_fpp, 1);
    EXPECT_TRUE(Stats(filter).saturated);
    for (const lfb_form form : {LFB_FORM_NATIVE, LFB_FORM_MAPPED}) {
      ASSERT_EQ(lfb_filter_save(filter.get(), form, saved.c_str()), LFB_OK);
      lfb_filter* loaded = nullptr;
      EXPECT_EQ(lfb_filter_load(saved.c_str(), nullptr, &loaded), LFB_OK);
      lfb_filter_free(loaded);
    }
  }
}

// A mark that nobody takes back: a recount gives up, and all else goes on.
TEST(MappedHostile, MarksOnlyKeepTheCountFromBeingMended) {
  const Path path;
  const Filter filter = Create(path, Config(1000, 0.01));
  for (uint64_t line = 0; line < filter->layout.count.all_count; line++)
    atomic_store(&Lines(filter)[line * kLineWords + 1], UINT64_MAX);
  EXPECT_EQ(lfb_mapped_recount(filter.get()), LFB_ERROR_COUNT_MOVED);
  EXPECT_TRUE(lfb_filter_put_u64(filter.get(), 1));
  EXPECT_TRUE(lfb_filter_claim_u64(filter.get(), 2));
  EXPECT_TRUE(lfb_filter_might_contain_u64(Open(path).get(), 1));
}

}  // namespace
