// One line of tegrastats (tegrastats.h) taken apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace flyball {

struct TegrastatsField {
  std::string name{};  ///< as live sensors are called: "gpu_mhz", "temp:tj", "VDD_IN"
  std::string unit{};  ///< "B", "%", "MHz", "C", "W"
  double value = 0;
};

struct TegrastatsLine {
  std::optional<double> unix_s{};  ///< of its date, whole seconds
  std::vector<TegrastatsField> fields{};
  std::vector<std::string> unknown{};  ///< names of fields that were not understood
};

/// `utc_offset_s`: of its date, in s east of Greenwich. Errors: it does not begin as one does; a
/// number that is none, is cut off, or cannot be.
Result<TegrastatsLine> parse_tegrastats_line(std::string_view line, double utc_offset_s = 0);

}  // namespace flyball
