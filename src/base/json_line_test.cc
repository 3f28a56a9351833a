#include "base/json_line.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace flyball {
namespace {

TEST(JsonLine, HasNoBlanksAndNothingButUtf8) {
  EXPECT_EQ(json_line(Json{{"b", 1}, {"a", "x y"}}), R"({"b":1,"a":"x y"})");
  EXPECT_EQ(json_line(SortedJson{{"b", "\xff"}}), "{\"b\":\"\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace flyball
