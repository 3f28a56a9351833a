// Samples as they come into a record: small blocks at once, long ones and summaries when they are
// full.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "recording/record_writer.h"
#include "telemetry/sampling/trace.h"

namespace flyball {

/// Takes what was sampled, in order, channel by channel. What flush() has returned for is on the
/// disk.
class SampleRecorder {
 public:
  /// How often flush() is to be called where each sample counts: what is killed loses as much.
  static constexpr double flush_s = 0.5;

  /// A new file. Errors as RecordWriter::create().
  static Result<SampleRecorder> create(const std::filesystem::path& file, const RecordInfo& info,
                                       std::vector<RecordChannel> channels);

  /// Samples of a channel, later than those before; times in ns since the record began.
  void add(size_t channel, std::span<const Sample> samples);
  Status mark(int64_t time_ns, const std::string& name);
  /// Something to know of the record, by its name in the file.
  Status set_fact(const std::string& name, const std::string& value) {
    return writer_.set_fact(name, value);
  }
  /// All samples before `now_ns` have been added: writes what is new. `durable` false leaves the
  /// commit to a later call, and writes long blocks alone.
  Status flush(int64_t now_ns, bool durable = true);
  /// The same for good. `stopped`: why.
  Status finish(int64_t end_ns, const std::string& stopped);

  const std::vector<RecordChannel>& channels() const { return channels_; }
  const std::filesystem::path& path() const { return writer_.path(); }

 private:
  // Samples of one channel that no long block holds, with some of those before.
  struct Pending {
    std::vector<Sample> samples;
    size_t before = 0;   ///< of them, in a long block already: context of summaries
    size_t written = 0;  ///< of them, in some block
    std::vector<RecordSummary> seconds{};  ///< of power: not yet in a summary of minutes
  };
  SampleRecorder(RecordWriter writer, std::vector<RecordChannel> channels)
      : writer_(std::move(writer)), channels_(std::move(channels)), pending_(channels_.size()) {}
  Status write_open(bool slow, int64_t now);
  Status write_long(bool slow, int64_t end);
  Status write_seconds(int64_t begin, int64_t end);
  Status write_minutes(int64_t begin, int64_t end);
  Status write_full(int64_t now);
  void drop_written(size_t channel, int64_t end);

  RecordWriter writer_;
  std::vector<RecordChannel> channels_;
  std::vector<Pending> pending_;
  int64_t begin_[2] = {0, 0};  ///< ticks where the long block of power, of slow channels begins
  int64_t minutes_begin_ = 0;
};

}  // namespace flyball
