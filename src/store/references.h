// A user's own reference tables: one tidy CSV each, beside the store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/table.h"

namespace flyball {

struct Reference {
  std::string name;  ///< of the file, without .csv
  Table table;
};

/// A folder of tables. It need not exist before something is added.
class References {
 public:
  explicit References(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// $FLYBALL_REFERENCES, else $XDG_DATA_HOME/flyball/references, else
  /// ~/.local/share/flyball/references.
  static std::filesystem::path default_place();

  const std::filesystem::path& folder() const { return folder_; }
  /// All of them, by name. Errors: a table that does not read.
  Result<std::vector<Reference>> list() const;
  /// Keeps the measured rows of the table under `name`. Errors: a name of other than letters,
  /// digits, '.', '_' and '-'; conflict when it is taken; a table of predicted rows only. Returns
  /// how many predicted rows were left out.
  Result<size_t> add(const Table& table, const std::string& name) const;
  /// Error not_found lists the names there are.
  Status remove(const std::string& name) const;
  /// Every workload that was measured on this board.
  Result<std::vector<WorkloadTable>> of_device(const std::string& device) const;

 private:
  std::filesystem::path file_of(const std::string& name) const;

  std::filesystem::path folder_;
};

}  // namespace flyball
