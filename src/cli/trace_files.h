// --trace, --csv and --plug: what the sensors showed, as files, and what a plug meter logged.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "cli/option_scope.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/tegrastats.h"
#include "telemetry/sampling/trace_export.h"
#include "telemetry/sensors/sensor.h"

namespace flyball::cli {

struct TraceFiles {
  std::string trace, csv;  ///< files to write; "" for none
  std::string plug;        ///< log to join, of a plug meter or of tegrastats; "" for none
  PlugOptions plug_options;
  std::string plug_begin;      ///< of a log without times: when it begins; "" for none
  Seconds plug_interval{1.0};  ///< … and what lies between its lines

  AddedOptions add_options(CLI::App& command);
  AddedOptions add_plug_options(CLI::App& command);
  /// Only how the log's clock is to be read: --plug-zone, --plug-ahead, --plug-begin, …
  AddedOptions add_plug_clock(CLI::App& command);
  /// Before anything is measured: can the log be read, and may the files be written?
  Status check() const;
  /// What explains a run beside its power; nothing where no file asks for it.
  SensorList context(const std::filesystem::path& root = "/") const;
  /// The same, and what the GPU of a board does also where no file asks: NVIDIA's own tell it among
  /// their power sensors.
  SensorList context_with_gpu(const std::filesystem::path& root) const;
  /// How a log of tegrastats is to be read. Error: --plug-begin is no time.
  Result<TegrastatsOptions> tegrastats_options() const;
  /// The log, read now; nothing where there is none to join.
  Result<std::optional<Trace>> plug_log() const;
  /// Writes both files; times since `origin_ns`. Errors name the file; the other one is written.
  Status write(const std::vector<Trace>& traces, const std::vector<Span>& spans,
               int64_t origin_ns) const;
};

}  // namespace flyball::cli
