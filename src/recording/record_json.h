// What a record tells as JSON: itself and its figures, and for the page its curves.
#pragma once

#include <cstdint>

#include "base/json_fwd.h"
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

/// Figures of the channels over [begin, end), of values by second; where those were thinned, by
/// minute.
Result<std::vector<RecordFigures>> record_figures(RecordReader& reader, int64_t begin, int64_t end);

/// The document of `flyball record --json`: of the whole record.
Result<Json> record_json(RecordReader& reader);

/// The stretch of a record that a page shows.
struct RecordView {
  int64_t begin = 0, end = 0;
  size_t most_points = 200'000;  ///< of all channels together: a page has a bound
};
/// What a page shows: `answer`, the document of that stretch, and beside it `width_s`, `begin_s`
/// and `curves`, as fine as fits.
Result<Json> record_page_json(RecordReader& reader, const RecordView& view);

}  // namespace flyball
