// Sizes and energies as people read them; units.h reads them as people write them.
#pragma once

#include <string>

namespace flyball {

inline constexpr double mebibyte = 1 << 20, gibibyte = 1 << 30;

/// "640 B", "12 kB", "1.953 GB": four digits, in powers of 1000.
std::string format_bytes(double bytes);
/// "640 B", "2.7 MiB", "191 MiB", "11.4 GiB": memory, in powers of 1024.
std::string format_memory(double bytes);
/// "43.51 J", "12.5 kJ": four digits, from 10,000 of a unit on in the next one.
std::string format_joules(double joules);

}  // namespace flyball
