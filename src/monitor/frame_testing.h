// A frame with something in each place.
#pragma once

#include "monitor/board_frame.h"

namespace flyball {

inline BoardFrame full_frame() {
  BoardFrame frame;
  frame.time = "2026-03-01T12:30:05Z";
  frame.at_s = 12.5;
  frame.board_id = "orin_nano";
  frame.board_name = "Jetson Orin Nano";
  frame.total = "module";
  frame.power_w = 7.25;
  frame.energy_j = 90.625;
  frame.rails = {{"VDD_IN", true, 7.25, 90.625}, {"VDD_SOC", false, std::nullopt, 10, false}};
  frame.clocks = {{"cpu0", "cpu_mhz", 1510.4, 729.6}, {"gpu", "gpu_mhz", 624.75, 306}};
  frame.cores = {0.5, 0.25, std::nullopt};
  frame.gpu_busy = 0.33;
  frame.temperatures = {{"cpu-thermal", 48.5}, {"gpu-thermal", 51}};
  frame.throttled = std::vector<std::string>{"cpu thermal slowdown"};
  frame.fan = 0.4;
  frame.fan_rpm = 2100;
  frame.memory = {8e9, 3e9, 2e9, 0};
  frame.disks = {{"nvme0n1", 1e9, 5e8, 1e6, 0}};
  frame.processes = {{1234, "python3", 1.5, 1e9, 2e8, 0.6}};
  frame.mode = {{{{"cpu_cores", 4}, {"cpu_mhz", 1510.4}}}, "15W", false};
  frame.held_by = "process 12 (flyball tune) of user 1000";
  frame.measuring = "process 12 (flyball tune) of user 1000";
  frame.kept = true;
  frame.own_cores = 0.004;
  frame.gaps = {{Code::unavailable, "no such sensor", "buy one"}};
  return frame;
}

}  // namespace flyball
