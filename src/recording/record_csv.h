// A record as a table: one row for each sample.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "recording/record_reader.h"

namespace flyball {

/// "time_s,sensor,unit,value", a part at a time: memory holds a few minutes. Times since the record
/// began. Of what was thinned there is "min", "mean" and "max" in place of the value, in a last
/// column: "time_s,sensor,unit,value,of". Returns how many rows there were.
Result<size_t> record_csv(RecordReader& reader, int64_t begin, int64_t end,
                          const std::function<Status(const std::string&)>& write);

}  // namespace flyball
