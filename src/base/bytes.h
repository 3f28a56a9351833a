// Sizes as people read them; parse_bytes() (units.h) reads them as people write them.
#pragma once

#include <string>

namespace flyball {

/// "640 B", "12 kB", "1.953 GB": four digits, in powers of 1000.
std::string format_bytes(double bytes);

}  // namespace flyball
