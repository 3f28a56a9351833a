// Blocks into the file of a record, which stays below its bound by losing its oldest detail.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "recording/record_database.h"
#include "recording/record_info.h"

namespace flyball {

/// Writes happen in a transaction that the first of them begins; commit() puts them on the disk.
/// Errors: those of a database; afterwards the file holds what was committed.
class RecordWriter {
 public:
  /// A new file. Errors: there is one; a bound below least_bytes.
  static Result<RecordWriter> create(const std::filesystem::path& file, const RecordInfo& info,
                                     const std::vector<RecordChannel>& channels);
  static constexpr uint64_t least_bytes = uint64_t{4} << 20;

  /// `open`: a small block that a longer one is to replace, with what came before it since the last
  /// long one.
  Status add(BlockLevel level, int64_t begin, int64_t end, bool open,
             const std::vector<Series>& block);
  /// Takes the small blocks of a level away.
  Status remove_open(BlockLevel level);
  Status mark(const RecordMark& mark);
  Status set_fact(const std::string& name, const std::string& value);
  /// While the file is beyond its bound: takes the oldest samples away, then the oldest summaries
  /// of seconds, and keeps down since when each is there. Error: minutes alone are too many.
  Status thin();
  Status commit();
  /// Commits, and takes the log into the file: it stands alone.
  Status close();

  const std::filesystem::path& path() const { return database_.path(); }
  Result<uint64_t> bytes();  ///< of the file that hold something

 private:
  RecordWriter(Database database, uint64_t most_bytes)
      : database_(std::move(database)), most_bytes_(most_bytes) {}
  Status begin();
  Status write_head(const RecordInfo& info, const std::vector<RecordChannel>& channels);
  Result<bool> remove_oldest(BlockLevel level, int64_t keep);

  Database database_;
  bool writing_ = false;  ///< a transaction is open
  uint64_t most_bytes_;
};

}  // namespace flyball
