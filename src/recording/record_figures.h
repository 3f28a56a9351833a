// What a stretch of a record comes to: energy, mean and extremes of each channel and of each total.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recording/record_reader.h"

namespace flyball {

/// One channel over a stretch.
struct RecordFigures {
  double energy_j = 0;  ///< of power; over what is covered
  /// One standard error of it, at most: of a power sensor by how far its values lie apart in each
  /// second, of a counter by the steps that it moves in, at both ends. Not what the sensor is off.
  double error_j = 0;
  double mean = 0, least = 0, most = 0;
  double covered_s = 0, gap_s = 0;
  bool known = false;  ///< is there anything of it?
};

/// Channels that add up, over the time in which all of them are known; without extremes.
struct RecordTotal {
  std::string name;
  std::vector<size_t> channels;
  RecordFigures figures;
};

struct AllRecordFigures {
  std::vector<RecordFigures> channels;
  std::vector<RecordTotal> totals;
};

/// Figures over [begin, end), of values by second; where those were thinned, by minute.
Result<AllRecordFigures> record_figures(RecordReader& reader, int64_t begin, int64_t end);

}  // namespace flyball
