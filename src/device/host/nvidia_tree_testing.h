// A PC with two GPUs of the stand-in for NVIDIA's library: what was set outlives a process, and
// every call that sets is counted.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/os/temp_folder.h"
#include "device/host/board_trees_testing.h"

namespace flyball {

class NvidiaTree {
 public:
  explicit NvidiaTree(const char* behaves = "")
      : root_(std::filesystem::canonical(folder_.path()) / "tree"), gpus_(folder_ / "gpus") {
    namespace fs = std::filesystem;
    trees::write_tree("pc_gpus", root_);
    const fs::path library = root_ / "usr/lib/libnvidia-ml.so.1";
    fs::create_directories(library.parent_path());
    fs::copy_file(FLYBALL_BIN_DIR "/libflyball_fake_nvml.so", library);
    fs::permissions(library, fs::perms(0755));
    fs::create_directories(gpus_);
    ::setenv("FAKE_NVML_STATE", gpus_.c_str(), 1);
    behave(behaves);
  }
  ~NvidiaTree() {
    ::unsetenv("FAKE_NVML_STATE");
    ::unsetenv("FAKE_NVML");
  }
  NvidiaTree(const NvidiaTree&) = delete;
  NvidiaTree& operator=(const NvidiaTree&) = delete;

  void behave(const char* how) { ::setenv("FAKE_NVML", how, 1); }
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path journal() const { return folder_ / "state/board.journal"; }
  /// "gpu0 power_limit 200000 200000\n": every call that sets, in order; "" while there was none.
  std::string calls() const { return text(gpus_ / "calls"); }
  long count_calls() const {
    const std::string all = calls();
    return std::ranges::count(all, '\n');
  }
  /// Limit in mW, the one before, locks of GPU and memory in MHz (0: free); "" as delivered.
  std::string state(int gpu) const {
    const std::string all = text(gpus_ / ("gpu" + std::to_string(gpu)));
    return all.substr(0, all.rfind(' '));
  }

 private:
  static std::string text(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TempFolder folder_;
  std::filesystem::path root_, gpus_;
};

}  // namespace flyball
