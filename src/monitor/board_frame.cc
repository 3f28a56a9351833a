#include "monitor/board_frame.h"

#include <algorithm>

#include "base/json.h"

namespace flyball {
namespace {

Json rails_json(const BoardFrame& frame) {
  Json json = Json::array();
  for (const RailFrame& rail : frame.rails)
    json.push_back({{"name", rail.name},
                    {"in_total", rail.in_total},
                    {"power_w", or_null(rail.power_w)},
                    {"energy_j", rail.energy_j}});
  return json;
}

Json clocks_json(const BoardFrame& frame) {
  Json json = Json::array();
  for (const ClockFrame& clock : frame.clocks)
    json.push_back({{"name", clock.name},
                    {"axis", text_or_null(clock.axis)},
                    {"asked_mhz", or_null(clock.asked_mhz)},
                    {"seen_mhz", or_null(clock.seen_mhz)}});
  return json;
}

Json load_json(const BoardFrame& frame) {
  Json cores = Json::array();
  for (const auto& core : frame.cores) cores.push_back(or_null(core));
  return {{"cores", std::move(cores)}, {"gpu", or_null(frame.gpu_busy)}};
}

Json temperatures_json(const BoardFrame& frame) {
  Json json = Json::array();
  for (const TemperatureFrame& temperature : frame.temperatures)
    json.push_back({{"name", temperature.name}, {"celsius", temperature.celsius}});
  return json;
}

Json memory_json(const MemoryFrame& memory) {
  return {{"total_bytes", or_null(memory.total_bytes)},
          {"used_bytes", or_null(memory.used_bytes)},
          {"page_cache_bytes", or_null(memory.page_cache_bytes)},
          {"swap_used_bytes", or_null(memory.swap_used_bytes)}};
}

Json disks_json(const BoardFrame& frame) {
  Json json = Json::array();
  for (const DiskFrame& disk : frame.disks)
    json.push_back({{"name", disk.name},
                    {"read_bytes", disk.read_bytes},
                    {"written_bytes", disk.written_bytes},
                    {"read_bytes_per_s", or_null(disk.read_per_s)},
                    {"written_bytes_per_s", or_null(disk.written_per_s)}});
  return json;
}

Json processes_json(const BoardFrame& frame) {
  Json json = Json::array();
  for (const ProcessFrame& process : frame.processes)
    json.push_back({{"pid", process.pid},
                    {"name", process.name},
                    {"cpu_cores", process.cpu_cores},
                    {"memory_bytes", process.memory_bytes},
                    {"gpu_bytes", or_null(process.gpu_bytes)},
                    {"gpu_busy", or_null(process.gpu_busy)}});
  return json;
}

Json mode_json_of(const ModeFrame& mode) {
  return {{"caps", mode.caps.values},
          {"preset", text_or_null(mode.preset)},
          {"pinned", or_null(mode.pinned)}};
}

Json gaps_json(const BoardFrame& frame) {
  Json json = Json::array();
  for (const Error& gap : frame.gaps) json.push_back({{"what", gap.message}, {"remedy", gap.hint}});
  return json;
}

}  // namespace

Json to_json(const BoardFrame& frame) {
  return {{"monitor", frame_version},
          {"time", text_or_null(frame.time)},
          {"at_s", frame.at_s},
          {"simulated", frame.simulated},
          {"board", {{"id", frame.board_id}, {"name", frame.board_name}}},
          {"power",
           {{"total", text_or_null(frame.total)},
            {"power_w", or_null(frame.power_w)},
            {"energy_j", frame.energy_j},
            {"rails", rails_json(frame)}}},
          {"clocks", clocks_json(frame)},
          {"load", load_json(frame)},
          {"temperatures", temperatures_json(frame)},
          {"throttled", or_null(frame.throttled)},
          {"fan", {{"share", or_null(frame.fan)}, {"rpm", or_null(frame.fan_rpm)}}},
          {"memory", memory_json(frame.memory)},
          {"disks", disks_json(frame)},
          {"processes", processes_json(frame)},
          {"mode", mode_json_of(frame.mode)},
          {"held_by", text_or_null(frame.held_by)},
          {"measuring", text_or_null(frame.measuring)},
          {"kept", frame.kept},
          {"own_cores", or_null(frame.own_cores)},
          {"gaps", gaps_json(frame)}};
}

const TemperatureFrame* hottest(const BoardFrame& frame) {
  const auto found = std::ranges::max_element(frame.temperatures, {}, &TemperatureFrame::celsius);
  return found == frame.temperatures.end() ? nullptr : &*found;
}

}  // namespace flyball
