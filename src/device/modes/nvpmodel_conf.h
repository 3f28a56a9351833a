// /etc/nvpmodel.conf of a Jetson: which files a preset power mode writes what to. Files in the wild
// hold custom modes, comments, missing defaults and stray blanks, and "<PARAM" without a blank:
// what can be taken is taken, and each line that cannot is named.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "boards/preset.h"

namespace flyball {

struct NvpmodelMode {
  int id = 0;
  std::string name;
  std::vector<NvpmodelSetting> settings;
};

struct NvpmodelConf {
  std::vector<NvpmodelMode> modes;  ///< in the order of the file
  std::optional<int> default_mode;  ///< missing in some files
  std::vector<Error> refused;       ///< lines that could not be taken, by number
};

/// `file` names it in what is refused.
NvpmodelConf parse_nvpmodel(std::string_view text, const std::string& file);

/// "pmode:0002 fmode:…" of /var/lib/nvpmodel/status: the mode in force.
std::optional<int> parse_nvpmodel_status(std::string_view text);

}  // namespace flyball
