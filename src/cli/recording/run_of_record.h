// The run that a recorded command is in the store, so that run and record know each other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "device/device.h"
#include "recording/record_info.h"
#include "store/store.h"

namespace flyball::cli {

/// What is recorded.
struct RecordedCommand {
  std::string command;   ///< as it was typed
  std::string kind;      ///< "record", "measure" or "profile": what its answer is of
  std::string workload;  ///< that runs
};

/// Recording goes on where the store does not: that is only noted, on stderr.
class RunOfRecord {
 public:
  /// Begins a run in the default store. What this process starts finds the record's file in its
  /// environment, and runs that it begins are in that record, too.
  RunOfRecord(const RecordedCommand& recorded, const DeviceInfo& device,
              const std::filesystem::path& file);
  /// A run that was not finished has failed.
  ~RunOfRecord();
  RunOfRecord(const RunOfRecord&) = delete;
  RunOfRecord& operator=(const RunOfRecord&) = delete;

  /// This run and those that were begun under it; none where the store cannot be written.
  std::vector<RecordedRun> runs();
  /// Ends it with an answer.
  void finish(const Json& answer);

 private:
  Status begin(const RecordedCommand& recorded, const DeviceInfo& device);

  std::string file_;
  std::optional<Store> store_;
  std::optional<int64_t> run_;
};

}  // namespace flyball::cli
