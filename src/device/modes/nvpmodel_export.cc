#include "device/modes/nvpmodel_export.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "base/text.h"

namespace flyball {

Result<NvpmodelArguments> nvpmodel_board(const std::string& device) {
  std::vector<std::string> names;
  for (const BoardSpec& spec : board_specs()) {
    if (spec.nvpmodel.cpu.empty()) continue;
    if (spec.id == device) return spec.nvpmodel;
    names.push_back(spec.id);
  }
  return Error{Code::not_found,
               fmt::format("how nvpmodel names the clocks of '{}' is not known", device),
               "known are: " + join(names, ", ")};
}

Result<std::string> export_nvpmodel(const PowerMode& mode, const NvpmodelArguments& board, int id,
                                    const std::string& name) {
  std::string block = fmt::format("< POWER_MODEL ID={} NAME={} >\n", id, name);
  const auto value = [&](const char* wanted) -> std::optional<double> {
    const auto found = mode.values.find(wanted);
    return found == mode.values.end() ? std::nullopt : std::optional(found->second);
  };
  for (const auto& [name_of_axis, setting] : mode.values)
    if (name_of_axis != axis::cpu_cores && name_of_axis != axis::cpu_mhz &&
        name_of_axis != axis::gpu_mhz && name_of_axis != axis::mem_mhz)
      return Error{Code::invalid_argument,
                   fmt::format("nvpmodel has no setting for '{}'", name_of_axis),
                   "leave it out of the mode"};
  const auto cores = value(axis::cpu_cores);
  const int online = cores ? static_cast<int>(std::lround(*cores)) : board.cores;
  if (online < 1 || online > board.cores)
    return Error{Code::invalid_argument,
                 fmt::format("{} cores on a board of {}", online, board.cores), ""};
  if (cores)
    for (int core = 0; core < board.cores; ++core)
      block += fmt::format("CPU_ONLINE CORE_{} {}\n", core, core < online ? 1 : 0);
  if (const auto cpu = value(axis::cpu_mhz)) {
    // Only clusters with a core online take a clock; values are kHz.
    const int clusters = (online + board.cores_per_cluster - 1) / board.cores_per_cluster;
    const bool numbered = board.cpu.ends_with('_');
    for (int cluster = 0; cluster < clusters; ++cluster)
      for (const char* end : {"MIN_FREQ", "MAX_FREQ"})
        block += fmt::format("{}{} {} {:.0f}\n", board.cpu, numbered ? std::to_string(cluster) : "",
                             end, *cpu * 1e3);
  }
  if (const auto gpu = value(axis::gpu_mhz))
    for (const char* end : {"MIN_FREQ", "MAX_FREQ"})
      block += fmt::format("GPU {} {:.0f}\n", end, *gpu * 1e6);
  if (const auto memory = value(axis::mem_mhz))
    block += fmt::format("EMC MAX_FREQ {:.0f}\n", *memory * 1e6);
  return block;
}

}  // namespace flyball
