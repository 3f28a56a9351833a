// `flyball mode set --dry-run`: what a mode would write, in order, without writing it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "device/modes/mode.h"
#include "device/setting_files.h"

namespace flyball {

/// One write to a file of the kernel.
struct PlannedWrite {
  std::string file;   ///< as the board shows it: "/sys/…", also of a tree
  std::string value;  ///< to be written
  std::string now;    ///< what it holds before this write
};

/// Files that take every write and keep it for themselves: what is read afterwards is what was
/// written, as of a driver that takes every value. Nothing reaches the kernel.
class RehearsedFiles final : public SettingFiles {
 public:
  explicit RehearsedFiles(std::filesystem::path root) : root_(std::move(root)) {}
  Result<std::string> read(const std::filesystem::path& file) override;
  Status write(const std::filesystem::path& file, const std::string& value) override;
  /// In the order in which they were made.
  const std::vector<PlannedWrite>& writes() const { return writes_; }

 private:
  std::filesystem::path root_;
  std::map<std::filesystem::path, std::string> written_;
  std::vector<PlannedWrite> writes_;
};

struct Rehearsal {
  std::vector<PlannedWrite> writes;
  PowerMode mode;                  ///< the caps that would be in force afterwards
  std::vector<std::string> notes;  ///< what only the board itself can tell
};

/// The writes that set_mode() would make on this board now. Whoever asks may ask: no right to write
/// is needed, only to read. Errors: those of set_mode() that do not come from a driver.
Result<Rehearsal> rehearse_mode(const BoardIdentity& board, const std::filesystem::path& root,
                                const ModeRequest& request);

/// {"writes", "notes"}.
Json rehearsal_json(const Rehearsal& rehearsal);
/// One line for each write.
std::string rehearsal_text(const Rehearsal& rehearsal);

}  // namespace flyball
