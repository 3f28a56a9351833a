// The promise to put settings of the board back: who keeps it, and when.
//
// Before a file below sys/ (or a setting of a GPU: nvidia_settings.h) is set for the first time,
// its content goes into a journal on disk. What the journal holds is put back
//   - by restore(), which the destructor calls, too: the ordinary end, an error, the first Ctrl-C;
//   - after kill -9, a crash or a second Ctrl-C: by the guard (base/guard.h), which starts
//   `flyball`;
//   - where the guard was killed as well: by the next start of `flyball`, whichever command it is,
//     and by whoever opens a device or this journal (recover_settings(), open_host(), open()).
// What cannot be put back is reported and stays in the journal, so that the next one tries again;
// until then the board is not claimed by anybody. A boot of the machine voids the journal of its
// sys/: the kernel has forgotten the settings. keep() ends the promise: what was before then stands
// beside the journal (board.kept), and only restore_kept() puts it back.
//
// A journal is applied whole or not at all. It is replaced in one step (file, fsync, rename) before
// the settings that it covers are written, with a checksum over all of it: one that does not hold
// together was not left by a crash of ours, so nothing of it is applied, and it is reported and
// kept. The same goes for one of an earlier format (host.json, or a list without a checksum). It is
// trusted only when it and its folder belong to this user and nobody else may write there; it may
// name only files below sys/ of the tree (`root`) that it was written for, without a link that
// leads out of there, and settings of GPUs by their identifier. The journal and its lock never lie
// in that tree.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/os/lock_file.h"
#include "base/status.h"
#include "device/journal_file.h"
#include "device/setting_files.h"

namespace flyball {

class SettingsJournal {
 public:
  /// Takes the journal at `path` for the board whose sys/ lies below `root`, after what a dead
  /// owner left was put back. One process at a time has it, and within a process there is one for
  /// each path. Errors: `conflict` when a living process (named) holds it, or when this one sets
  /// another tree; a journal that is not trusted or does not hold together; what could not be put
  /// back.
  static Result<std::shared_ptr<SettingsJournal>> open(const std::filesystem::path& path,
                                                       const std::filesystem::path& root = "/",
                                                       SettingFiles& files = kernel_files());
  ~SettingsJournal();
  SettingsJournal(const SettingsJournal&) = delete;
  SettingsJournal& operator=(const SettingsJournal&) = delete;

  /// Makes what these settings hold safe at once; set() does it for one that is not yet. A file
  /// must read as it is written. Error: one does not lie below sys/ of the root.
  Status remember(std::span<const SettingAddress> settings, const SettingRule& rule = {});
  /// Writes `value` and reads back, for a moment again and again: an error when the setting does
  /// not hold what the rule accepts for `value` afterwards.
  Status set(const SettingAddress& setting, const std::string& value, const SettingRule& rule = {});
  /// What a file holds now.
  Result<std::string> read(const std::filesystem::path& file) { return files_.read(file); }
  /// Puts everything back and reads back, last change first, and forgets it. Goes on after a
  /// failure: the error names all that failed, and only that stays in the journal.
  Status restore();
  /// The settings stay as they are now. What was before the first keep() is kept for
  /// restore_kept().
  Status keep();
  /// Puts back what was before the first keep(), in this process or an earlier one; returns how
  /// many settings. Errors: as restore(), and `conflict` where another tree's are kept.
  Result<size_t> restore_kept();
  /// How many settings of a dead owner open() put back.
  size_t recovered() const { return recovered_; }

 private:
  SettingsJournal(std::filesystem::path path, LockFile lock, SettingFiles& files);
  static Result<std::shared_ptr<SettingsJournal>> take(const std::filesystem::path& path,
                                                       double patience_s, SettingFiles& files);
  Status recover();
  Status put_all_back(JournalContent& content, const std::filesystem::path& place);
  Status save() const;
  friend Result<size_t> recover_settings(const std::filesystem::path& path);

  std::filesystem::path path_;
  LockFile lock_;
  SettingFiles& files_;
  int owner_;  ///< process that opened it; one that was forked from it puts nothing back
  size_t recovered_ = 0;
  JournalContent content_;
};

/// Puts back what a dead flyball left at `path`; returns how many settings. Where there is no
/// journal this costs two looks at the file system. 0 as well when a living process (or this one)
/// holds it: they are its settings. Errors: those of open(), but for `conflict`.
Result<size_t> recover_settings(const std::filesystem::path& path);

/// Where keep() of a journal leaves what was before: board.kept beside board.journal.
std::filesystem::path kept_journal(const std::filesystem::path& journal);

/// Where journals live: $FLYBALL_STATE, else /run/flyball for root, else the user's runtime or
/// temporary folder.
std::filesystem::path state_folder();
/// The journal of this machine: state_folder()/board.journal.
std::filesystem::path board_journal();

}  // namespace flyball
