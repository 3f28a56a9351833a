// How settings of the kernel are read and written. Plain files keep whatever is written to them;
// drivers round, refuse and lag. What stands behind the knobs can therefore be replaced: tests put
// a script here (setting_script_testing.h).
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace flyball {

class SettingFiles {
 public:
  virtual ~SettingFiles() = default;
  virtual Result<std::string> read(const std::filesystem::path& file) = 0;
  /// In place and in one write: files of sysfs must not be replaced by rename.
  virtual Status write(const std::filesystem::path& file, const std::string& value) = 0;
};

/// The files as they lie there.
SettingFiles& kernel_files();

/// How a file answers to what is written to it.
struct SettingRule {
  /// Reads as what the hardware does just now (a clock that is not locked): it is put back, but not
  /// compared with what it was.
  bool fluid = false;
  /// It may answer up to so much above and below the number that was written: drivers round.
  double above = 0, below = 0;

  bool accepts(const std::string& asked, const std::string& got) const;
};

}  // namespace flyball
