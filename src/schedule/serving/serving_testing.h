// What tests of whole runs share: tables of a scripted board, and a board that is one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/registry/board.h"
#include "profile/trials/device_script_testing.h"
#include "schedule/serving/serving_profiles.h"

namespace flyball {

/// Training and inference in two modes of ScriptedDevice: 300 MHz, and 600 MHz at twice the speed.
inline WorkloadTable scripted_table(Phase phase) {
  WorkloadTable table;
  table.device = "scripted";
  table.workload = phase == Phase::train ? "learn" : "double";
  table.phase = phase;
  table.power_total = "module";
  table.space = Space({named_axis("gpu_mhz"), named_axis("batch_size")});
  for (const double speed : {1.0, 2.0})
    for (const double batch :
         phase == Phase::train ? std::vector<double>{16} : std::vector<double>{1, 4})
      table.add(std::vector{300 * speed, batch}, (phase == Phase::train ? 8 : 1 + batch) / speed,
                10 * speed);
  return table;
}

/// Both tables by the name of their phase, where `file` is "board.csv".
inline ProfileSource scripted_profiles() {
  ProfileSource source;
  source.read = [](const std::string&, const std::string&, Phase phase) {
    return Result<WorkloadTable>(scripted_table(phase));
  };
  return source;
}

inline ServeRequest asking(double latency_ms, const std::string& arrivals) {
  ServeRequest request;
  request.train = {"learn"};
  request.infer = {"double"};
  request.arrivals = {*parse_arrivals(arrivals)};
  request.plan.latencies_ms = {latency_ms};
  return request;
}

class ScriptedBoard final : public Board {
 public:
  explicit ScriptedBoard(bool reads_power = true) : reads_power_(reads_power) {
    info_.device = ScriptedDevice().info();
  }
  const BoardInfo& info() const override { return info_; }
  Result<std::unique_ptr<Device>> knobs(ReportLeft) const override {
    return std::unique_ptr<Device>(std::make_unique<ScriptedDevice>());
  }
  std::unique_ptr<PowerMeter> power() const override {
    auto meter = std::make_unique<ScriptedMeter>([] { return 15.0; });
    if (!reads_power_) meter->name.clear();
    return meter;
  }

 private:
  BoardInfo info_;
  bool reads_power_;
};

}  // namespace flyball
