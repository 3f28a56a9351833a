// A record read back, a block at a time. Nothing in the file is trusted: what does not read is
// named and left out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "recording/record_database.h"
#include "recording/record_info.h"
#include "telemetry/sampling/trace.h"

namespace flyball {

class RecordReader {
 public:
  /// Errors: no record; one of another format; without its channels.
  static Result<RecordReader> open(const std::filesystem::path& file);

  const std::filesystem::path& path() const { return path_; }
  const RecordInfo& info() const { return info_; }
  const std::vector<RecordChannel>& channels() const { return channels_; }
  const std::vector<RecordMark>& marks() const { return marks_; }
  int64_t end() const { return end_; }  ///< tick of the last that was kept
  /// Why it ended: "command ended", "duration", "interrupted", …; "": it was not closed, as after a
  /// kill, or it still goes on.
  const std::string& stopped() const { return stopped_; }
  /// Processor time that reading the sensors and writing took; nothing where it is not known.
  const std::optional<double>& own_cpu_s() const { return own_cpu_s_; }
  /// Since when there are samples of power, of the slow channels, and values by second; what was
  /// before was thinned.
  int64_t samples_since() const { return since_[0]; }
  int64_t slow_since() const { return since_[1]; }
  int64_t seconds_since() const { return since_[2]; }
  /// Blocks that did not read, so far, each with its time; a thousand at most.
  const std::vector<std::string>& damaged() const { return damaged_; }

  /// Called with each block of a level that touches [begin, end), in order. Stops with its error.
  using OnBlock = std::function<Status(const std::vector<Series>&)>;
  Status blocks(BlockLevel level, int64_t begin, int64_t end, const OnBlock& on_block);

  /// The finest that is kept of [begin, end), no finer than `width` (ticks: of a second, of a
  /// minute, or less), a list for each channel. Where finer values were thinned there are coarser
  /// ones. What reaches beyond [begin, end) is there with the share of its time that lies within.
  /// Holds all of them in memory: ask for as many as are wanted.
  Result<std::vector<std::vector<RecordSummary>>> summaries(int64_t begin, int64_t end,
                                                            int64_t width);
  /// Where the next block begins, at this tick or later; most_ticks where there is none.
  Result<int64_t> next_begin(int64_t tick);
  /// Samples of [begin, end) of each channel. Memory as of summaries().
  Result<std::vector<std::vector<Sample>>> samples(int64_t begin, int64_t end);

 private:
  struct Place {
    int64_t id, begin, end;
  };
  explicit RecordReader(Database database)
      : path_(database.path()), database_(std::move(database)) {}
  Status read_facts();
  Status read_channels();
  Status read_marks();
  Status find_end();
  Result<int64_t> end_of(BlockLevel level);  ///< tick up to which blocks of it go
  Result<std::vector<Place>> places(BlockLevel level, int64_t begin, int64_t end);
  Result<std::string> bytes_of(int64_t id);
  void damage(BlockLevel level, const Place& place, const std::string& how);
  bool sound(const std::vector<Series>& block) const;

  std::filesystem::path path_;
  Database database_;
  RecordInfo info_;
  std::vector<RecordChannel> channels_;
  std::vector<RecordMark> marks_;
  std::string stopped_;
  std::optional<double> own_cpu_s_;
  std::vector<std::string> damaged_;
  int64_t end_ = 0;
  int64_t since_[3] = {0, 0, 0};
};

}  // namespace flyball
