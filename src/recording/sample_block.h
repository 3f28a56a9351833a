// Series of whole numbers as compact bytes: differences, 7 bits a byte, deflated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace flyball {

/// What one channel showed: rising times, and at each of them one number in every column.
struct Series {
  uint32_t channel = 0;
  std::vector<int64_t> times;                 ///< ticks since the record began
  std::vector<std::vector<int64_t>> columns;  ///< each as long as `times`

  bool operator==(const Series&) const = default;
};

/// No number of a block is larger, so that differences are safe and each is exact as a double.
inline constexpr int64_t largest_in_block = int64_t{1} << 53;
/// Nor is a block larger before it is deflated; a reader allocates eight times as much at most.
inline constexpr size_t most_block_bytes = size_t{8} << 20;
inline constexpr size_t most_block_columns = 8;

/// Errors: numbers or a block beyond the limits; columns that are not as long as the times.
Result<std::string> encode_block(const std::vector<Series>& block);
/// Errors: bytes that no encoder wrote, or that were changed since.
Result<std::vector<Series>> decode_block(std::string_view bytes);
/// The outer form of a block: its length, a checksum (CRC-32), and its plain bytes deflated. Error:
/// too many.
Result<std::string> deflated_block(std::string_view plain);

}  // namespace flyball
