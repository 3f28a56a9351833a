#include "recording/sample_block.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "store/varint.h"

namespace flyball {
namespace {

// A deflated byte stands for so many bytes at most (zlib's technical notes: 1032).
constexpr size_t most_deflated = 1040;
constexpr size_t checksum_bytes = 4;

bool is_kept(int64_t value) {
  return value >= -largest_in_block && value <= largest_in_block;
}

Error damaged(const char* what) {
  return {Code::corrupt, fmt::format("the block is damaged: {}", what), ""};
}

Error refused(const char* what) {
  return {Code::invalid_argument, fmt::format("a block cannot hold {}", what), ""};
}

// Regular times have differences that hardly differ: what is kept are differences of these.
void put_times(std::string& bytes, const std::vector<int64_t>& times) {
  int64_t last = 0, step = 0;
  for (const int64_t time : times) {
    put_signed_varint(bytes, time - last - step);
    step = time - last;
    last = time;
  }
}

bool get_times(std::string_view& bytes, size_t count, std::vector<int64_t>& times) {
  int64_t last = 0, step = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto change = get_signed_varint(bytes);
    // Both are below 2^54 in all that an encoder writes: the sum cannot overflow.
    if (!change || *change < -4 * largest_in_block || *change > 4 * largest_in_block) return false;
    step += *change;
    last += step;
    if (!is_kept(last) || (i > 0 && step < 0)) return false;
    times.push_back(last);
  }
  return true;
}

void put_values(std::string& bytes, const std::vector<int64_t>& values) {
  int64_t last = 0;
  for (const int64_t value : values) {
    put_signed_varint(bytes, value - last);
    last = value;
  }
}

bool get_values(std::string_view& bytes, size_t count, std::vector<int64_t>& values) {
  int64_t last = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto change = get_signed_varint(bytes);
    if (!change || *change < -4 * largest_in_block || *change > 4 * largest_in_block) return false;
    last += *change;
    if (!is_kept(last)) return false;
    values.push_back(last);
  }
  return true;
}

bool fits(const Series& series) {
  const auto kept = [](const std::vector<int64_t>& numbers) {
    return std::ranges::all_of(numbers, is_kept);
  };
  if (series.columns.size() > most_block_columns || !kept(series.times)) return false;
  if (!std::ranges::is_sorted(series.times)) return false;
  return std::ranges::all_of(series.columns, [&](const std::vector<int64_t>& column) {
    return column.size() == series.times.size() && kept(column);
  });
}

// A series of n times is n bytes long at least: a count says no more than the bytes hold.
std::optional<Series> get_series(std::string_view& bytes) {
  const auto channel = get_varint(bytes), columns = get_varint(bytes), count = get_varint(bytes);
  if (!channel || !columns || !count) return {};
  if (*channel > std::numeric_limits<uint32_t>::max() || *columns > most_block_columns) return {};
  if (*count > bytes.size() / (1 + *columns)) return {};
  Series series{.channel = static_cast<uint32_t>(*channel), .times = {}, .columns = {}};
  series.times.reserve(*count);
  if (!get_times(bytes, *count, series.times)) return {};
  for (size_t i = 0; i < *columns; ++i) {
    std::vector<int64_t>& column = series.columns.emplace_back();
    column.reserve(*count);
    if (!get_values(bytes, *count, column)) return {};
  }
  return series;
}

uint32_t checksum(std::string_view plain) {
  return static_cast<uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(plain.data()), static_cast<uInt>(plain.size())));
}

// Deflated bytes end with a checksum of their own (Adler-32), which is weak for short ones.
uint32_t take_checksum(std::string_view& bytes) {
  uint32_t sum = 0;
  for (size_t i = 0; i < checksum_bytes; ++i)
    sum |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  bytes.remove_prefix(checksum_bytes);
  return sum;
}

Result<std::string> inflated(std::string_view bytes) {
  const auto size = get_varint(bytes);
  if (!size || *size > most_block_bytes || *size > most_deflated * bytes.size())
    return damaged("its size is not possible");
  if (bytes.size() < checksum_bytes) return damaged("it ends too early");
  const uint32_t sum = take_checksum(bytes);
  std::string plain(*size, '\0');
  auto length = static_cast<uLongf>(plain.size());
  const int code =
      ::uncompress(reinterpret_cast<Bytef*>(plain.data()), &length,
                   reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()));
  if (code != Z_OK || length != plain.size()) return damaged("it does not inflate");
  if (checksum(plain) != sum) return damaged("it contradicts its checksum");
  return plain;
}

}  // namespace

Result<std::string> deflated_block(std::string_view plain) {
  if (plain.size() > most_block_bytes) return refused("as much");
  std::string bytes;
  put_varint(bytes, plain.size());
  for (size_t i = 0; i < checksum_bytes; ++i)
    bytes += static_cast<char>(checksum(plain) >> (8 * i) & 0xff);
  const size_t head = bytes.size();
  auto length = ::compressBound(static_cast<uLong>(plain.size()));
  bytes.resize(head + length);
  if (::compress2(reinterpret_cast<Bytef*>(bytes.data() + head), &length,
                  reinterpret_cast<const Bytef*>(plain.data()), static_cast<uLong>(plain.size()),
                  Z_DEFAULT_COMPRESSION) != Z_OK)
    return Error{Code::out_of_memory, "a block cannot be deflated", ""};
  bytes.resize(head + length);
  return bytes;
}

Result<std::string> encode_block(const std::vector<Series>& block) {
  std::string plain;
  for (const Series& series : block) {
    if (!fits(series)) return refused("such a series");
    put_varint(plain, series.channel);
    put_varint(plain, series.columns.size());
    put_varint(plain, series.times.size());
    put_times(plain, series.times);
    for (const auto& column : series.columns) put_values(plain, column);
  }
  return deflated_block(plain);
}

Result<std::vector<Series>> decode_block(std::string_view bytes) {
  FLYBALL_ASSIGN(const std::string plain, inflated(bytes));
  std::string_view rest = plain;
  std::vector<Series> block;
  while (!rest.empty()) {
    auto series = get_series(rest);
    if (!series) return damaged("a series of it does not read");
    block.push_back(*std::move(series));
  }
  return block;
}

}  // namespace flyball
