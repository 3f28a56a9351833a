// Whole numbers as bytes: 7 bits each, lowest first, so that small ones are short. Inside the rooms
// that keep blobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flyball {

inline void put_varint(std::string& bytes, uint64_t rest) {
  while (rest >= 0x80) {
    bytes += static_cast<char>(rest | 0x80);
    rest >>= 7;
  }
  bytes += static_cast<char>(rest);
}

/// Zigzag: small negative numbers are short, too.
inline void put_signed_varint(std::string& bytes, int64_t value) {
  put_varint(bytes, (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

/// Takes one off the front. Nothing: the bytes end within it, or it has more than 63 bits.
inline std::optional<uint64_t> get_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 63 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return {};
}

inline std::optional<int64_t> get_signed_varint(std::string_view& bytes) {
  const auto value = get_varint(bytes);
  if (!value) return {};
  return static_cast<int64_t>((*value >> 1) ^ (~(*value & 1) + 1));
}

}  // namespace flyball
