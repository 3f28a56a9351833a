// Logs of NVIDIA's tegrastats, of every JetPack, as traces. Only to bring in what was logged
// already: live, Flyball reads the board's own sensors.
//
//   [MM-DD-YYYY HH:MM:SS] RAM 1/2MB (lfb 3x4MB) [SWAP …] [IRAM …] CPU [1%@204,off] [EMC_FREQ
//   7%[@M]] [GR3D_FREQ 3%[@M|@[M,M]]] [NAME M|off …] NAME@27.5C … NAME 5[mW]/4[mW][/6[mW]] …
//
// The date is there from JetPack 5 on, "mW" too, @[…] from 6, a third power (the highest) from 7;
// SWAP, EMC and rails are missing without root, and −256C is a sensor that is off.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/trace.h"

namespace flyball {

struct TegrastatsOptions {
  double utc_offset_s = 0;   ///< of the board's clock, in s east of Greenwich
  double clock_ahead_s = 0;  ///< what the board's clock shows minus what ours shows, in s
  /// Of lines without a time: when the first one was written (s since 1970), and from one to the
  /// next.
  std::optional<double> begin_unix_s{};
  double interval_s = 1;
};

struct TegrastatsLog {
  std::vector<Trace> traces;         ///< ram, cpu0_busy, gpu_mhz, temp:tj, VDD_IN, …
  size_t lines = 0;                  ///< taken
  size_t skipped = 0;                ///< refused
  std::vector<Error> refused;        ///< the first ten of them, by file and line
  std::vector<std::string> unknown;  ///< fields that were left out, each name once
  /// Are the times of the traces monotonic ones of this machine, as a sampler's are? Else they
  /// count from the first line.
  bool timed = false;
  /// Rails that add up to the module's power, where the log's rails are those of a known board; the
  /// traces of these have the total "module".
  std::vector<std::string> module_rails;
};

/// Does the text begin like such a log?
bool looks_like_tegrastats(std::string_view text);

/// A line that is cut off, or holds something else, is skipped and counted. Error: no line can be
/// taken, with the complaint about the first.
Result<TegrastatsLog> parse_tegrastats(std::string_view text, const std::string& name,
                                       const TegrastatsOptions& options = {});

/// The module's power as one trace, total "tegrastats", to be joined to a run as a plug meter's is.
/// Errors: lines without times and no begin; rails that add up to no total that is known.
Result<Trace> tegrastats_power(const TegrastatsLog& log, const std::string& name);
/// A log to be joined to a run, of a plug meter (plug_meter.h) or of tegrastats: whichever it is.
Result<Trace> parse_power_log(std::string_view text, const std::string& name,
                              const PlugOptions& plug, const TegrastatsOptions& options);

}  // namespace flyball
