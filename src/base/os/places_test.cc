#include "base/os/places.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace flyball {
namespace {

TEST(Places, FollowTheEnvironment) {
  ::setenv("HOME", "/home/ada", 1);
  ::unsetenv("XDG_DATA_HOME");
  ::setenv("XDG_CACHE_HOME", "", 1);
  EXPECT_EQ(data_folder(), "/home/ada/.local/share/flyball");
  EXPECT_EQ(cache_folder(), "/home/ada/.cache/flyball");
  ::setenv("XDG_DATA_HOME", "/data", 1);
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(data_folder(), "/data/flyball");
  EXPECT_EQ(cache_folder(), "/home/ada/.cache/flyball");
}

TEST(Places, AreAbsoluteAndTogetherWithoutAnyEnvironment) {
  for (const char* name : {"HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"}) ::unsetenv(name);
  EXPECT_TRUE(home_folder().is_absolute());
  EXPECT_EQ(data_folder(), home_folder() / ".local/share/flyball");
  EXPECT_EQ(cache_folder(), home_folder() / ".cache/flyball");
  // One that nobody knows is no silent matter.
  EXPECT_EQ(home_status().ok(), home_folder().string().find("flyball-home-") == std::string::npos);
  ::setenv("HOME", "/home/ada", 1);
  EXPECT_TRUE(home_status().ok());
}

}  // namespace
}  // namespace flyball
