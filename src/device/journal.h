// A promise to put settings back that survives a crash.
//
// Before a file of the system is written for the first time, its content goes into a journal on
// disk. restore() writes everything back and removes the journal; a journal whose owner is dead is
// restored by the next Flyball that opens it. One owner at a time: the journal is locked.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace flyball {

class SettingsJournal {
 public:
  /// Takes the journal at `path` (created when needed), and first restores what a dead owner left.
  /// Error `conflict` when a living process holds it.
  static Result<std::unique_ptr<SettingsJournal>> open(const std::filesystem::path& path);
  ~SettingsJournal();
  SettingsJournal(const SettingsJournal&) = delete;
  SettingsJournal& operator=(const SettingsJournal&) = delete;

  /// Writes `value` to `file`, after its present content is safe in the journal, and reads back:
  /// an error when the file does not hold `value` afterwards.
  Status set(const std::filesystem::path& file, const std::string& value);
  /// Puts everything back, last change first, and forgets it. Goes on after a failure; the first
  /// one is returned and what failed stays in the journal.
  Status restore();
  /// Forgets what was before: the settings stay as they are now.
  Status keep();
  /// What a dead owner had left and open() put back.
  size_t recovered() const { return recovered_; }

 private:
  explicit SettingsJournal(std::filesystem::path path, int lock)
      : path_(std::move(path)), lock_(lock) {}
  Status load();
  Status save() const;

  std::filesystem::path path_;
  int lock_ = -1;
  size_t recovered_ = 0;
  std::vector<std::pair<std::string, std::string>> before_;  ///< file → content, in order
};

/// Where journals live: $FLYBALL_STATE, else /run/flyball for root, else the user's runtime or
/// temporary folder.
std::filesystem::path state_folder();

}  // namespace flyball
