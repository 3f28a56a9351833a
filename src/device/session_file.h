// Who measures on this machine, as a file that containers may share: a name of the machine
// (base/os/machine_name.h) ends at its network namespace, and any user may take it.
//
// The file belongs to root and the group of the helper (0660), in a folder in which its members can
// make and remove nothing; `flyball helper install` makes both. A container sees it where the
// folder is mounted. Rights are byte ranges that the kernel locks and gives back when their process
// ends: byte 0 is the right to measure, and each session has one of 64 places of 256 bytes, in
// which it says who it is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace flyball {

class SessionFile {
 public:
  /// $FLYBALL_SESSIONS, else /run/flyball-measuring/sessions.
  static std::filesystem::path usual_path();
  /// Nothing where there is none, this process may not write it, or it is no plain file.
  static std::optional<SessionFile> open(const std::filesystem::path& path = usual_path());
  /// Makes folder and file for the members of this group, where they are not there.
  static Status make(const std::filesystem::path& path, unsigned group);

  /// Takes the right to measure, until this object is gone; false where somebody has it.
  bool take_right();
  /// Says in a place of its own who this is; without a free place it does not.
  void announce(const std::string& who);
  /// What the sessions of others say, those of this network namespace left out: the names of the
  /// machine tell of them.
  std::vector<std::string> elsewhere() const;

  SessionFile(SessionFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  SessionFile& operator=(SessionFile&&) = delete;
  ~SessionFile();

 private:
  explicit SessionFile(int file) : file_(file) {}
  int file_;
};

}  // namespace flyball
