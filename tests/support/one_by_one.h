// one_by_one.h - a call for many keys answers as calls for one key do.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

// `many` writes `count` answers, and returns how many are true; `one` answers for key number i.
template <class Many, class One>
void ExpectAsOneByOne(size_t count, Many many, One one) {
  std::vector<uint64_t> answers((count + 63) / 64 + 1, 0xabababababababab);
  const size_t yes = many(answers.data());
  size_t expected = 0;
  for (size_t i = 0; i < count; i++) {
    const bool wanted = one(i);
    expected += wanted;
    ASSERT_EQ(answers[i / 64] >> (i % 64) & 1, wanted) << i << " of " << count;
  }
  ASSERT_EQ(yes, expected);
  if (count % 64 != 0) {
    ASSERT_EQ(answers[count / 64] >> (count % 64), 0u);
  }
  ASSERT_EQ(answers.back(), 0xabababababababab) << "wrote beyond the answers";
}
