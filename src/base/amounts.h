// Sizes and energies as people read them; units.h reads them as people write them.
#pragma once

#include <string>

namespace flyball {

/// "640 B", "12 kB", "1.953 GB": four digits, in powers of 1000.
std::string format_bytes(double bytes);
/// "43.51 J", "12.5 kJ": four digits, from 10,000 of a unit on in the next one.
std::string format_joules(double joules);

}  // namespace flyball
