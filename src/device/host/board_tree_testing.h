// A recorded two-core tree with a cpufreq driver, as a Jetson shows it, and a folder for journals.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "device/host/host.h"
#include "device/journal.h"

namespace flyball {

class BoardTree {
 public:
  BoardTree() : root_(std::filesystem::canonical(folder_.path()) / "tree") {
    for (const int cpu : {0, 1}) {
      put(cpu, "scaling_available_frequencies", "115200 729600 1113600 2201600 \n");
      put(cpu, "scaling_min_freq", "115200\n");
      put(cpu, "scaling_max_freq", "2201600\n");
    }
    EXPECT_TRUE(write_file(root_ / "proc/cpuinfo", "processor : 0\nmodel name : Carmel\n").ok());
  }

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path state() const { return folder_ / "state"; }
  std::filesystem::path journal() const { return state() / "board.journal"; }
  std::filesystem::path file(int cpu, const std::string& name) const {
    return root_ / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) / "cpufreq" / name;
  }
  void put(int cpu, const std::string& name, const std::string& text) {
    EXPECT_TRUE(write_file(file(cpu, name), text).ok());
  }
  std::string get(int cpu, const std::string& name) const {
    const auto text = read_file(file(cpu, name));
    return text ? text->substr(0, text->find('\n')) : text.error().message;
  }
  HostOptions options() const { return {root_, journal(), {0, 1}, false}; }

  /// Every file with its content.
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_))
      if (entry.is_regular_file()) all[entry.path().string()] = *read_file(entry.path());
    return all;
  }

 private:
  TempFolder folder_;
  std::filesystem::path root_;
};

}  // namespace flyball
