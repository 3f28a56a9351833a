// Figures as people read them.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string>

namespace flyball {

/// "12.4" with three significant digits, whole from 1000 on and never in powers of ten below 1e9;
/// "-" for NaN.
std::string number(double value, int digits = 3);
/// "12.40" with so many decimals, "-" for NaN.
std::string decimals(double value, int count = 2);

/// What is not known is "-".
std::string or_dash(const std::string& text);
std::string or_dash(const std::optional<double>& value, int digits = 3, double scale = 1);
template <std::integral Count>
std::string or_dash(const std::optional<Count>& count) {
  return count ? std::to_string(*count) : "-";
}

/// A value > 0 at so many digits, not below or not above it: what is printed is what is meant.
double rounded(double value, int digits, bool up);

/// A limit as it was typed: all of its digits, up to twelve.
std::string as_typed(double limit);

/// A figure that stands beside its upper limit, or that may be typed as one: rounded up, so that
/// what it is of keeps it as printed; never beyond the limit that it keeps itself, and no coarser
/// than whole units.
std::string upper_figure(double value, int digits = 4,
                         double limit = std::numeric_limits<double>::infinity());

}  // namespace flyball
