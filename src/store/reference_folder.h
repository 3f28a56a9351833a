// A user's own reference tables: one tidy CSV each, beside the store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/table.h"

namespace flyball {

struct KeptReference {
  std::string name;  ///< of the file, without .csv
  Table table;
};

struct KeptReferences {
  std::vector<KeptReference> tables;  ///< by name
  std::vector<Error> unread;          ///< of each that does not read, with how to drop it

  /// Every workload on this board, its measured and accepted rows.
  std::vector<WorkloadTable> of_device(const std::string& device, Accepted accepted) const;
};

/// A folder of tables. It need not exist before something is added.
class ReferenceFolder {
 public:
  explicit ReferenceFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// $FLYBALL_REFERENCES, else $XDG_DATA_HOME/flyball/references, else
  /// ~/.local/share/flyball/references.
  static std::filesystem::path default_place();

  const std::filesystem::path& folder() const { return folder_; }
  /// All of them. Errors: the folder does not read.
  Result<KeptReferences> list() const;
  /// Keeps the rows of the table that were not predicted, under `name`. Errors: a name of other
  /// than letters, digits, '.', '_' and '-'; conflict when it is taken; a table of predicted rows
  /// only. Returns how many predicted rows were left out.
  Result<size_t> add(const Table& table, const std::string& name) const;
  /// Error not_found lists the names there are.
  Status remove(const std::string& name) const;

 private:
  std::filesystem::path file_of(const std::string& name) const;

  std::filesystem::path folder_;
};

}  // namespace flyball
