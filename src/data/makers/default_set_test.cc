#include "data/makers/default_set.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temp_folder.h"
#include "data/formats/open.h"

namespace flyball {
namespace {

TEST(DefaultSet, IsDrawnOnceIntoTheCacheFolder) {
  const TempFolder folder;
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1), 0);
  int made = 0;
  const auto first = default_dataset("cifar10", [&](const std::string&) { ++made; });
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(*first, folder / "flyball/cifar10");
  const auto set = open_dataset(*first, Split::train);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ((*set)->size(), 5000);
  const auto second = default_dataset("cifar10", [&](const std::string&) { ++made; });
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(made, 1);
  EXPECT_FALSE(default_dataset("pictures").ok());  // no such kind
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(DefaultSet, AnUnwritableCacheIsNamed) {
  const TempFolder folder;
  std::ofstream(folder / "file") << "in the way";
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", (folder / "file").c_str(), 1), 0);
  const auto set = default_dataset("cifar10");
  ASSERT_FALSE(set.ok());
  EXPECT_NE(set.error().message.find("file"), std::string::npos);
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace flyball
