// The file of a journal of settings: its text, who may have written it, what it may name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"
#include "device/nvidia_settings.h"

namespace flyball {

struct SavedSetting {
  std::string file;    ///< relative to the root: "sys/devices/…"; NvidiaSetting::journal_name()
  std::string value;   ///< what it held
  bool fluid = false;  ///< SettingRule: put back, but not compared
};

struct JournalContent {
  std::filesystem::path root = "/";
  std::vector<SavedSetting> settings{};  ///< in the order in which they were first set
};

/// The whole journal; nothing where there is none, or where a boot of this machine has voided it.
/// Errors: `permission` when this user cannot trust it; `corrupt` when it does not hold together or
/// is of an earlier format. The file is left as it is.
Result<std::optional<JournalContent>> read_journal(const std::filesystem::path& path);
/// Replaces it in one step; without settings it is removed.
Status write_journal(const std::filesystem::path& path, const JournalContent& content);

/// Makes the folder of a journal (for this user alone) where there is none. Error `permission` when
/// others could write there, or when it is not this user's.
Status check_state_folder(const std::filesystem::path& folder);

/// Where a setting lies: a file, or one of a GPU.
using SettingAddress = std::variant<std::filesystem::path, NvidiaSetting>;

/// A file below sys/ of `root`, or a GPU's setting there, as a journal names it. Error `permission`
/// when it lies elsewhere or when links lead it elsewhere; what realpath() says for one that does
/// not exist.
Result<std::string> setting_name(const std::filesystem::path& root, const SettingAddress& setting);
/// The way back, under the same conditions.
Result<SettingAddress> setting_address(const std::filesystem::path& root, const std::string& name);

}  // namespace flyball
