#include "data/makers/default_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <numeric>
#include <span>
#include <vector>

#include "base/os/host_addresses.h"
#include "base/os/temp_folder.h"
#include "data/formats/open.h"
#include "data/makers/digits.h"
#include "data/makers/synthetic.h"

namespace flyball {
namespace {

TEST(DefaultSet, IsDrawnOnceIntoTheCacheFolder) {
  const TempFolder folder;
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1), 0);
  int made = 0;
  const auto first = default_dataset("cifar10", [&](const std::string&) { ++made; });
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(*first, folder / ("flyball/cifar10-v" + std::to_string(kPicturesVersion)));
  const auto set = open_dataset(*first, Split::train);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ((*set)->size(), 5000);
  const auto second = default_dataset("cifar10", [&](const std::string&) { ++made; });
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(made, 1);
  EXPECT_FALSE(default_dataset("pictures").ok());  // no such kind
  ::unsetenv("XDG_CACHE_HOME");
}

// What another version drew lies beside it, and is left alone.
TEST(DefaultSet, OfAnotherVersionIsDrawnAgain) {
  const TempFolder folder;
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1), 0);
  std::filesystem::create_directories(folder / "flyball/cifar10");
  const std::string next = "flyball/cifar10-v" + std::to_string(kPicturesVersion + 1);
  std::filesystem::create_directories(folder / next);
  int made = 0;
  const auto set = default_dataset("cifar10", [&](const std::string&) { ++made; });
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(made, 1);
  EXPECT_TRUE(open_dataset(*set, Split::train).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder / "flyball/cifar10"));
  EXPECT_TRUE(std::filesystem::is_empty(folder / next));
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(DefaultSet, WhatAKilledProcessOfThisHostLeftHalfDrawnIsRemoved) {
  const TempFolder folder;
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1), 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const auto draft = [&](const std::string& host, pid_t pid) {
    const std::filesystem::path place =
        folder / "flyball" /
        ("cifar10-v" + std::to_string(kPicturesVersion) + "." + host + "." + std::to_string(pid));
    std::filesystem::create_directories(place);
    return place;
  };
  const auto dead = draft(host_name(), child), alive = draft(host_name(), ::getppid()),
             elsewhere = draft(host_name() + "2", child);
  ASSERT_TRUE(default_dataset("cifar10").ok());
  EXPECT_FALSE(std::filesystem::exists(dead));
  EXPECT_TRUE(std::filesystem::exists(alive));
  EXPECT_TRUE(std::filesystem::exists(elsewhere));
  ::unsetenv("XDG_CACHE_HOME");
}

// Means over the quarters of some drawings: whoever changes what is drawn raises the version and
// puts the new figures here. They leave room for a machine that rounds otherwise.
std::vector<double> quarters(std::span<const uint8_t> pixels) {
  std::vector<double> means;
  const size_t part = pixels.size() / 4;
  for (size_t q = 0; q < 4; ++q) {
    const auto quarter = pixels.subspan(q * part, part);
    means.push_back(std::accumulate(quarter.begin(), quarter.end(), 0.0) /
                    static_cast<double>(part));
  }
  return means;
}

TEST(DefaultSet, AChangedDrawingNeedsAnotherVersion) {
  DigitImage digit;
  std::vector<double> digits, pictures;
  for (int64_t i : {0, 1, 59'999}) {
    digits.push_back(draw_digit(1, Split::train, i, digit));
    for (double mean : quarters(digit)) digits.push_back(mean);
    for (double mean : quarters(draw_picture(1, i, i % 10, {32, 32}))) pictures.push_back(mean);
  }
  const auto near = [](const std::vector<double>& expected) {
    return testing::Pointwise(testing::DoubleNear(0.3), expected);
  };
  ASSERT_EQ(kDigitsVersion, 1);
  EXPECT_THAT(digits, near({0, 22.83, 38.43, 47.53, 16.74, 5, 33.98, 59.47, 34.79, 29.68, 7, 45.26,
                            35.56, 26.93, 5.55}));
  ASSERT_EQ(kPicturesVersion, 1);
  EXPECT_THAT(pictures, near({177.94, 160.15, 133.18, 128.32, 136.45, 143.58, 146.64, 151.55,
                              115.30, 102.14, 99.25, 111.29}));
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
