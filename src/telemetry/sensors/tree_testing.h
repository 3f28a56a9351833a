// A folder that stands for / in tests: recorded files of /proc and /sys. For tests only.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/os/privileges_testing.h"

namespace flyball {

class TestTree {
 public:
  TestTree() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(testing::TempDir()) /
            (std::string(test->test_suite_name()) + test->name() + std::to_string(::getpid()));
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
    std::filesystem::permissions(root_, std::filesystem::perms::all);
  }
  ~TestTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  TestTree(const TestTree&) = delete;
  TestTree& operator=(const TestTree&) = delete;

  const std::filesystem::path& root() const { return root_; }
  /// Writes a file below the root, in place, and returns its path.
  std::filesystem::path put(const std::string& file, const std::string& content) const {
    const std::filesystem::path path = root_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::trunc) << content;
    return path;
  }

 private:
  std::filesystem::path root_;
};

}  // namespace flyball
