// --trace, --csv and --plug: what the sensors showed, as files, and what a plug meter logged.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/trace_export.h"
#include "telemetry/sensors/sensor.h"

namespace flyball::cli {

struct TraceFiles {
  std::string trace, csv;  ///< files to write; "" for none
  std::string plug;        ///< log to join; "" for none
  PlugOptions plug_options;

  void add_options(CLI::App& command);
  void add_plug_options(CLI::App& command);
  /// What explains a run beside its power; nothing where no file asks for it.
  SensorList context(const std::filesystem::path& root = "/") const;
  /// The plug meter's log, read now; nothing where there is none to join.
  Result<std::optional<Trace>> plug_log() const;
  /// Writes both files; times since `origin_ns`. Errors name the file; the other one is written.
  Status write(const std::vector<Trace>& traces, const std::vector<Span>& spans,
               int64_t origin_ns) const;
};

}  // namespace flyball::cli
