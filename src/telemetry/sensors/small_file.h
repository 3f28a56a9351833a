// Small files of /proc and /sys, read without allocating.
#pragma once

#include <span>
#include <string_view>

#include "base/status.h"

namespace flyball {

/// The first `buffer.size()` bytes of a file, in `buffer`. Opened anew each time, so that a file
/// that vanished or was replaced (a driver that was unbound) is noticed.
Result<std::string_view> read_small(const char* path, std::span<char> buffer);

/// The file as one finite number. Error `corrupt` shows what stood there instead.
Result<double> read_number(const char* path);

}  // namespace flyball
