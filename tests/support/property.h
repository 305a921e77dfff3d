// property.h - a property of random values, as a test: rapidcheck draws the values
// (`*rc::gen::...`), and of a case that breaks the property it prints the smallest that it finds.
//
// Each run has the same cases; RC_PARAMS="seed=2 max_success=1000000" has others, and the
// "reproduce=..." that a failure prints runs that case alone.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <sstream>

// Whether RC_PARAMS chooses the cases: asked before the first property.
inline bool CasesAreChosen() {
  static const bool chosen = std::getenv("RC_PARAMS") != nullptr;
  return chosen;
}

template <typename Property>
void ExpectFor(int cases, const Property& property) {
  rc::detail::TestMetadata metadata;
  metadata.id = testing::UnitTest::GetInstance()->current_test_info()->name();
  metadata.description = metadata.id;
  const bool chosen = CasesAreChosen();
  setenv("RC_PARAMS", "seed=1", 0);
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  if (!chosen) params.maxSuccess = cases;
  const rc::detail::TestResult result =
      rc::detail::checkProperty(rc::detail::toProperty(property), metadata, params);
  if (result.is<rc::detail::SuccessResult>()) return;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  ADD_FAILURE() << text.str();
}
