// Points in time as logs and stores write them.
#pragma once

#include <optional>
#include <string_view>

namespace flyball {

/// Seconds since 1970 (UTC): a number of seconds or (above 1e11) milliseconds, or ISO 8601 such as
/// "2026-03-01 12:30:05.5", with "Z" or "+01:00" behind it or without a zone. Nothing for others.
std::optional<double> parse_time_stamp(std::string_view text, double utc_offset_s = 0);

}  // namespace flyball
