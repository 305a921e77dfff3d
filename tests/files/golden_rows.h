// golden_rows.h - the golden files that this library wrote, one row each, and how to make them
// again.
#pragma once

#include <lfbloom/delta.h>
#include <lfbloom/growing_mapped.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "bloom/growing/growing_files.h"
#include "tests/support/growings.h"
#include "tests/support/native_bytes.h"
#include "tests/support/streams.h"

constexpr uint64_t kGoldenTime = 1700000000;  // in the header of native files

struct GoldenRow {
  const char* file;  // in tests/golden
  lfb_form form;
  lfb_strategy_id strategy;
  uint64_t n;
  double fpp;
  lfb_probes_formula formula;
  uint64_t seed;
  uint64_t keys;  // of either kind

  // The figures of the file when it was made.
  uint64_t bit_count;
  uint32_t probes;
  uint64_t bits_set;
  uint64_t approximate_count;
  uint64_t found;  // of 10,000 absent keys

  lfb_hash_id hash = LFB_HASH_DEFAULT;  // keyed: with the key 00 01 .. 0f in the file
};

inline void PrintTo(const GoldenRow& row, std::ostream* out) { *out << row.file; }

inline std::string GoldenTestName(const testing::TestParamInfo<GoldenRow>& info) {
  std::string name = info.param.file;
  for (char& c : name)
    if (c == '-' || c == '.') c = '_';
  return name;
}

inline std::string GoldenText(uint64_t i) { return "key-" + std::to_string(i); }

inline uint64_t GoldenNumber(uint64_t i) { return i * 1000003; }

// With n = 3, p = .01 Guava's two formulas give different numbers of probes. The current one
// would, in Guava, make a file of 32.0 or later.
inline const GoldenRow kGoldenRows[] = {
    {"guava-mitz32.guava", LFB_FORM_GUAVA, LFB_GUAVA_MITZ32, 200, 0.01, LFB_PROBES_GUAVA_31, 0,
     100, 1920, 7, 995, 200, 111},
    {"guava-mitz64.guava", LFB_FORM_GUAVA, LFB_GUAVA_MITZ64, 200, 0.01, LFB_PROBES_GUAVA_31, 0,
     100, 1920, 7, 998, 201, 96},
    {"guava-mitz64-formula-31.guava", LFB_FORM_GUAVA, LFB_GUAVA_MITZ64, 3, 0.01,
     LFB_PROBES_GUAVA_31, 0, 1, 64, 6, 12, 2, 42},
    {"guava-mitz64-formula-current.guava", LFB_FORM_GUAVA, LFB_GUAVA_MITZ64, 3, 0.01,
     LFB_PROBES_GUAVA_CURRENT, 0, 1, 64, 7, 14, 2, 42},
    {"lfbloom.sbbf", LFB_FORM_SBBF, LFB_SBBF, 200, 0.01, LFB_PROBES_GUAVA_31, 0, 100, 4096, 8, 1322,
     199, 2},
    // of fast-pair, before it was an alias
    {"native-v1-fast-pair.lfb", LFB_FORM_NATIVE, LFB_FAST, 200, 0.01, LFB_PROBES_GUAVA_31,
     0x1122334455667788, 100, 2176, 6, 922, 203, 110},
    {"native-v1-fast-aes.lfb", LFB_FORM_NATIVE, LFB_FAST, 200, 0.01, LFB_PROBES_GUAVA_31, 0, 100,
     2176, 6, 909, 199, 100, LFB_HASH_AES},
    {"native-v1-fast-2.lfb", LFB_FORM_NATIVE, LFB_FAST, 200, 1e-3, LFB_PROBES_GUAVA_31,
     0x1122334455667788, 100, 3584, 8, 1281, 199, 12},
    {"native-v1-fast-4.lfb", LFB_FORM_NATIVE, LFB_FAST, 200, 1e-9, LFB_PROBES_GUAVA_31,
     0x1122334455667788, 100, 13312, 24, 3980, 200, 0},
    {"native-v1-guava-mitz32.lfb", LFB_FORM_NATIVE, LFB_GUAVA_MITZ32, 200, 0.01,
     LFB_PROBES_GUAVA_31, 0, 100, 1920, 7, 995, 200, 111},
    {"native-v1-guava-mitz64.lfb", LFB_FORM_NATIVE, LFB_GUAVA_MITZ64, 3, 0.01,
     LFB_PROBES_GUAVA_CURRENT, 0, 1, 64, 7, 14, 2, 42},
    {"native-v1-sbbf.lfb", LFB_FORM_NATIVE, LFB_SBBF, 200, 0.01, LFB_PROBES_GUAVA_31, 0, 100,
     4096, 8, 1322, 199, 2},
    {"native-v1-java-double.lfb", LFB_FORM_NATIVE, LFB_JAVA_DOUBLE, 200, 0.01,
     LFB_PROBES_GUAVA_31, 0x0000002a00000007, 100, 1917, 7, 1004, 203, 92},
    {"native-v1-redis-mitz32.lfb", LFB_FORM_NATIVE, LFB_REDIS_MITZ32, 200, 0.01,
     LFB_PROBES_GUAVA_31, 0, 100, 1917, 7, 1010, 205, 108},
    // always 2^25 bits: also the one file with several checksums
    {"native-v1-go-fnv14.lfb", LFB_FORM_NATIVE, LFB_GO_FNV14, 200, 0.01, LFB_PROBES_GUAVA_31, 0,
     100, 33554432, 14, 2800, 200, 0},
    {"mapped-v2-fast.lfb", LFB_FORM_MAPPED, LFB_FAST, 200, 1e-3, LFB_PROBES_GUAVA_31,
     0x1122334455667788, 100, 3584, 8, 1281, 199, 12},
    {"mapped-v2-fast-aes.lfb", LFB_FORM_MAPPED, LFB_FAST, 200, 0.01, LFB_PROBES_GUAVA_31, 0, 100,
     2176, 6, 909, 199, 100, LFB_HASH_AES},
    {"mapped-v2-java-double.lfb", LFB_FORM_MAPPED, LFB_JAVA_DOUBLE, 200, 0.01,
     LFB_PROBES_GUAVA_31, 0x0000002a00000007, 100, 1917, 7, 1004, 203, 92},
};

// The forms that record when they were written, and how they were made.
inline bool GoldenSaysMore(lfb_form form) {
  return form == LFB_FORM_NATIVE || form == LFB_FORM_MAPPED;
}

// The form of a filter, as if it had been written at that time, on a little-endian machine.
inline std::string GoldenBytes(const Filter& filter, lfb_form form) {
  const std::string bytes = Bytes(filter, form);
  if (form == LFB_FORM_MAPPED) return Stamped(MappedLittle(bytes), kGoldenTime, 256);
  return form == LFB_FORM_NATIVE ? Stamped(bytes, kGoldenTime) : bytes;
}

inline Filter MakeGolden(const GoldenRow& row) {
  lfb_config config = Config(row.n, row.fpp, row.strategy);
  config.probes_formula = row.formula;
  config.seed = row.seed;
  config.hash = row.hash;
  config.keep_key = row.hash != LFB_HASH_DEFAULT;
  for (uint8_t i = 0; config.keep_key && i < sizeof config.key; i++) config.key[i] = i;
  Filter filter = Make(config);
  for (uint64_t i = 0; i < row.keys; i++) {
    Put(filter, GoldenText(i));
    lfb_filter_put_u64(filter.get(), GoldenNumber(i));
  }
  return filter;
}

// A growing filter in a file, of several layers. Its stripes depend on the processors that
// counted, so they are summed here; its time depends on when it was made.
constexpr const char* kGoldenGrowing = "growing-mapped-v2-fast.lfb";
constexpr uint64_t kGoldenGrowingKeys = 5000, kGoldenGrowingBits = 32535,
                   kGoldenGrowingFound = 35;  // of 10,000 absent keys
constexpr uint32_t kGoldenGrowingLayers = 3;

inline std::string GoldenGrowingBytes(const std::string& path) {
  lfb_growing* growing = nullptr;
  const lfb_config config = Config(1024, 0.01, LFB_FAST);
  EXPECT_EQ(lfb_growing_mapped_create(path.c_str(), &config, &growing), LFB_OK);
  for (uint64_t i = 0; i < kGoldenGrowingKeys; i++) lfb_growing_put_u64(growing, GoldenNumber(i));
  any::free<lfb_growing>(growing);
  std::string bytes = FileBytes(path);
  unlink(path.c_str());
  for (uint32_t layer = 0; layer < LFB_GROWING_LAYERS; layer++) {
    const size_t from = LFB_GROWING_STRIPES + layer * size_t{LFB_GROWING_STRIPES_SIZE};
    uint64_t sum = 0, one = 0;
    for (size_t at = from; at < from + LFB_GROWING_STRIPES_SIZE; at += sizeof(lfb_stripe)) {
      memcpy(&one, &bytes[at], sizeof one);
      sum += one;
      memset(&bytes[at], 0, sizeof one);
    }
    memcpy(&bytes[from], &sum, sizeof sum);
  }
  Store(&bytes, 40, kGoldenTime);
  SealHeader(&bytes);
  return Stamped(bytes, kGoldenTime, LFB_GROWING_FIRST);
}

// The deltas from an empty filter to one with keys.
struct GoldenDelta {
  const char* file;  // in tests/golden
  lfb_strategy_id strategy;
  uint64_t keys;
};

inline const GoldenDelta kGoldenDeltas[] = {
    {"delta-v1-fast.delta", LFB_FAST, 20},
    {"delta-v1-guava-mitz64.delta", LFB_GUAVA_MITZ64, 20},
};

inline Filter MakeGoldenDelta(const GoldenDelta& row, uint64_t keys) {
  Filter filter = Make(200, 0.01, row.strategy);
  for (uint64_t i = 0; i < keys; i++) Put(filter, GoldenText(i));
  return filter;
}

inline std::string GoldenDeltaBytes(const GoldenDelta& row) {
  std::string delta;
  EXPECT_EQ(lfb_delta_write(MakeGoldenDelta(row, 0).get(), MakeGoldenDelta(row, row.keys).get(),
                            AppendTo, &delta),
            LFB_OK);
  return delta;
}
