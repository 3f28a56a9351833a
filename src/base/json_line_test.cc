#include "base/json_line.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace flyball {
namespace {

TEST(JsonLine, HasNoBlanksAndNothingButUtf8) {
  EXPECT_EQ(json_line(nlohmann::ordered_json{{"b", 1}, {"a", "x y"}}), R"({"b":1,"a":"x y"})");
  EXPECT_EQ(json_line(nlohmann::json{{"b", "\xff"}}), "{\"b\":\"\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace flyball
