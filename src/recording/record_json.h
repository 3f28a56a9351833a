// What a record tells as JSON: itself and its figures, and for the page its curves.
#pragma once

#include <cstdint>

#include "base/json_fwd.h"
#include "recording/record_figures.h"
#include "recording/record_reader.h"

namespace flyball {

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
