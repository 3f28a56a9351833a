// May this program load the libraries of vendors at run time?
#pragma once

namespace flyball {

/// False in a static program: its C library cannot load what was made for another one, nor look up
/// users by the system's rules (base/os/accounts.h).
inline constexpr bool loads_libraries = !FLYBALL_STATIC;

}  // namespace flyball
