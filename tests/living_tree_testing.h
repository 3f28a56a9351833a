// A tree of a board whose clocks and power follow what is set.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "command_testing.h"

namespace flyball::testing_tools {

inline const char* const gpu_max =
    "sys/devices/platform/17000000.gpu/devfreq/17000000.gpu/max_freq";

/// The kernel and the rails of the tree "orin_agx_jp6": clocks follow their caps, and power the
/// GPU's clock: 19 V × (0.2 A + 1 mA/MHz) + 1.9 W + 4 W.
class LivingTree {
 public:
  explicit LivingTree(fs::path root) : root_(std::move(root)), thread_([this] { live(); }) {}
  ~LivingTree() {
    stop_ = true;
    thread_.join();
  }

 private:
  static void replace(const fs::path& file, const std::string& text) {
    const fs::path part = file.string() + ".part";
    std::ofstream(part) << text;
    fs::rename(part, file);
  }
  void follow(std::string cap, const std::string& from, const std::string& to) {
    const std::string text = slurp(root_ / cap);
    if (!text.empty()) replace(root_ / cap.replace(cap.rfind(from), from.size(), to), text);
  }
  void live() {
    while (!stop_) {
      double gpu_hz = 0;
      if (std::ifstream(root_ / gpu_max) >> gpu_hz && gpu_hz > 0) {
        follow(gpu_max, "max_freq", "cur_freq");
        for (const char* policy : {"policy0", "policy4", "policy8"})
          follow(std::string("sys/devices/system/cpu/cpufreq/") + policy + "/scaling_max_freq",
                 "max_freq", "cur_freq");
        const long milliamperes = std::lround(200 + gpu_hz / 1e6);  // 19 V: 0.019 W a MHz
        const fs::path rail = root_ / "sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/curr1_input";
        replace(rail, fmt::format("{}\n", milliamperes + (++turn_ % 2)));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  fs::path root_;
  int turn_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace flyball::testing_tools
