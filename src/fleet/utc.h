// Times as stores keep them. Inside the room.
#pragma once

#include <optional>
#include <string>

namespace flyball {

/// [s] Since 1970, of "2026-03-01T12:30:05Z". Nothing: it is no such time.
std::optional<double> seconds_of_utc(const std::string& text);

}  // namespace flyball
