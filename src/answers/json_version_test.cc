#include "answers/json_version.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace flyball {
namespace {

// tests/contract_test.cc compares the keys of whole answers.
TEST(JsonVersion, TheFiguresOfADefaultAreNotOfVersionOne) {
  const Json figures = {{"figures", {{"loss", 0.4}}}};
  const Json tune = {
      {"schema", 2},        {"asked", ""},        {"request", Json::object()}, {"choice", figures},
      {"default", figures}, {"per", "minibatch"}, {"profiled", Json::array()}};
  const Json before = in_version(tune, 1);
  EXPECT_TRUE(before["choice"].contains("figures"));
  EXPECT_FALSE(before["default"].contains("figures"));
  EXPECT_EQ(in_version(tune, 2), tune);
}

}  // namespace
}  // namespace flyball
