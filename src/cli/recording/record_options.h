// What commands share that write or read a record: its name, its bound, the stretch of it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/recording/run_of_record.h"
#include "device/registry/board.h"
#include "recording/record_json.h"
#include "recording/sampler_recording.h"
#include "telemetry/sampling/trace_export.h"
#include "telemetry/sensors/sensor.h"

namespace flyball::cli {

inline constexpr uint64_t usual_record_bytes = uint64_t{256} << 20;
/// "flyball-20260301-123005.flyrec": now, in UTC.
std::string usual_record_file();
/// `--most-bytes`: the bound of the file.
CLI::Option* add_record_bytes(CLI::App& command, uint64_t& bytes);
/// What explains power: clocks, loads, temperatures, memory, disks.
SensorList record_context(const std::filesystem::path& root);
/// What a record reads: as often as was asked, and once a second.
struct RecordSensors {
  SensorList power;  ///< each draw once
  SensorList rest;   ///< all that a monitor's frame holds, caps of the power mode included
};
RecordSensors open_record_sensors(const Board& board, const std::filesystem::path& root);

/// The command did not start: there is no record either, so that it may be written once it does.
void discard(SamplerRecording& recording, const std::filesystem::path& file);

/// `--record` of commands that run something: what they sample, as a record.
class RecordOption {
 public:
  CLI::Option* add(CLI::App& command);
  bool given() const { return !file_.empty(); }
  /// Before anything is measured: may there be such a file?
  Status check() const;
  /// Who is told of what is sampled; null where no record was asked for.
  SamplingListener* begin(const RecordedCommand& recorded, const BoardInfo& board,
                          double interval_s, const SensorList& power);
  /// Marks of what ran, then the end; the run of the store ends with its answer. Nothing where no
  /// record was asked for.
  Status finish(const std::vector<Span>& spans, const std::string& stopped, const Json& answer);
  /// The same where there is no answer: the run of the store has failed.
  void give_up(const std::string& why);
  /// The same where the command did not start: there is no record either.
  void discard();
  /// "run.flyrec (`flyball report run.flyrec` shows it)"
  std::string words() const;

 private:
  std::string file_;
  uint64_t most_bytes_ = usual_record_bytes;
  std::shared_ptr<RunOfRecord> run_;
  std::shared_ptr<SamplerRecording> recording_;
};

/// `--from` and `--to` of a record, since it began.
struct RecordStretch {
  std::string from, to;  ///< "": its beginning, its end

  void add_options(CLI::App& command);
  bool given() const { return !from.empty() || !to.empty(); }
  /// Errors: no time; nothing of the record lies there.
  Result<RecordView> in(const RecordReader& reader) const;
};

}  // namespace flyball::cli
