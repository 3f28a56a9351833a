// A record as a SQLite file: its tables. Inside the room.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "recording/record_info.h"
#include "recording/sample_block.h"
#include "sql/database.h"

namespace flyball {

/// What a block holds.
enum class BlockLevel : int64_t {
  samples = 0,  ///< of power, and of all that is read as often
  slow = 1,     ///< samples of the channels that are read about once a second
  seconds = 2,  ///< summaries of power over 1 s
  minutes = 3,  ///< summaries of all channels over 1 min
};
inline constexpr int64_t block_levels = 4;

/// Marks a file as a record; stands in the first hundred bytes, as SQLite's own words do.
inline constexpr int64_t record_application_id = 0x464c5952;  // "FLYR"
inline constexpr int64_t record_format = 1;

/// Does the file begin as a record does? Error: it cannot be read.
Result<bool> begins_as_record(const std::filesystem::path& file);

/// A new file with empty tables. Error: there is a file.
Result<Database> create_record(const std::filesystem::path& file);
/// One that is there, to read; also while it is written, and after its writer was killed.
Result<Database> open_record(const std::filesystem::path& file);

}  // namespace flyball
