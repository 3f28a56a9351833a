#include "base/option_name.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(OptionName, IsTheCallersOwn) {
  const std::string flag = option_name(Caller::command_line, "power-budget");
  const std::string key = option_name(Caller::program, "power-budget");
  EXPECT_EQ(option_text(flag, "25.2W"), "--power-budget 25.2W");
  EXPECT_EQ(option_text(key, "25.2W"), "power_budget=\"25.2W\"");
  EXPECT_EQ(option_text(option_name(Caller::program, "profiles"), "20"), "profiles=20");
  EXPECT_EQ(flag_text(Caller::command_line, "fresh"), "--fresh");
  EXPECT_EQ(flag_text(Caller::program, "fresh"), "fresh=True");
  EXPECT_EQ(flag_text(Caller::program, "no-store"), "keep=False");
}

}  // namespace
}  // namespace flyball
