// A table of one network out of the logs of its power modes (logger_folder.h): a folder for each,
// pm_CORES_CPUKHZ_GPUHZ_MEMHZ.
#pragma once

#include <filesystem>
#include <optional>

#include "space/axis.h"
#include "space/import_map.h"
#include "space/logger_folder.h"

namespace flyball {

/// The mode that a folder's name is, clocks in MHz; nothing: it is called otherwise.
std::optional<PowerMode> logged_mode(const std::filesystem::path& folder);

/// What a run says of its mode.
struct LoggedFigures {
  double minibatch_ms = 0;        ///< median, without the first minibatch, which warms up
  std::optional<double> power_w;  ///< mean once it has settled; nothing: it was not read then
};
/// Nothing: no minibatch but the first.
std::optional<LoggedFigures> logged_figures(const LoggerRun& run);

/// Is it a folder of such folders?
bool holds_logged_modes(const std::filesystem::path& folder);

/// The folders below this one, up to five deep, that could be imported.
std::vector<std::filesystem::path> logged_modes_below(const std::filesystem::path& folder);

/// One row for each mode, ascending in its settings. Modes that were not measured, or without
/// power, are left out and told in Imported::notes. Workload and board follow from the folder's
/// name and the names above it (…/Orin-nano2/runs/ResNet), phase and batch size are those of all
/// such logs: train, 16; clauses TARGET==VALUE of `map` outdo them. Errors: no such folder, a name
/// that is no mode, two runs of one mode, those of read_logger_folder().
Result<Imported> import_logged_modes(const std::filesystem::path& folder, const ImportMap& map);

}  // namespace flyball
