// Figures as people read them.
#pragma once

#include <string>

namespace flyball {

/// "12.4" with three significant digits, "-" for NaN.
std::string number(double value, int digits = 3);

}  // namespace flyball
