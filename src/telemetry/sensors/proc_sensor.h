// A sensor that parses one file; what the Linux sensors are made of.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/sensors/sensor.h"
#include "telemetry/sensors/small_file.h"

namespace flyball {

using ParseFile = std::function<std::optional<double>(std::string_view)>;

/// Reads at most `buffer_bytes` of the file at `path` each time, and parses them.
SensorPtr proc_sensor(SensorInfo info, std::string path, size_t buffer_bytes, ParseFile parse);

/// A file from which several sensors of one source take their figures. Who reads it first in a turn
/// of the sampler reads it for all: what is younger than a millisecond, and new to the one who
/// asks, is not read again.
class SharedFile {
 public:
  SharedFile(std::string path, size_t buffer_bytes)
      : file_(std::move(path)), buffer_(buffer_bytes) {}

  const std::string& path() const { return file_.path(); }
  /// Parses the text; `seen` is what this reader has had, from 0.
  Result<std::optional<double>> parse(uint64_t& seen, const ParseFile& parse);

 private:
  KeptFile file_;
  std::mutex mutex_;
  std::vector<char> buffer_;
  std::string_view text_;
  uint64_t turn_ = 0;
  int64_t read_ns_ = 0;
};

/// As proc_sensor(), of a file that other sensors read too.
SensorPtr proc_sensor(SensorInfo info, std::shared_ptr<SharedFile> file, ParseFile parse);

/// The sum of the numbers that stand in several files, times `scale`. One that vanishes, as that of
/// a core that is switched off, counts as it last did; without any there is no sum.
SensorPtr sum_of_files(SensorInfo info, std::vector<std::string> paths, double scale = 1);

/// Puts the sensor into the list when it can be read now, else its error among the gaps.
void add_if_readable(SensorList& list, SensorPtr sensor);

}  // namespace flyball
