// Minimum and maximum of a clock, as cpufreq and devfreq show them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "device/journal.h"
#include "device/setting_files.h"

namespace flyball {

inline constexpr double hz_per_mhz = 1e6, khz_per_mhz = 1e3;

/// Two files that hold a clock between them.
struct ClockRange {
  std::filesystem::path min_file, max_file;
  double per_mhz = 1e6;  ///< units of the files: 1e3 for kHz, 1e6 for Hz

  std::string text(double mhz) const;
  Result<double> mhz(SettingFiles& files, const std::filesystem::path& file) const;

  /// Sets both, in MHz, with read-back. The minimum never passes the maximum on the way: the
  /// maximum goes first when it rises, the minimum when it falls. Errors: what did not take, with
  /// what was asked and what it reads.
  Status set(SettingsJournal& journal, double low_mhz, double high_mhz,
             const SettingRule& rule = {}) const;
};

/// The numbers of a list such as "115200 192000 " in MHz, ascending; nothing where one is no number
/// above zero.
std::vector<double> parse_clock_list(const std::string& text, double per_mhz);

}  // namespace flyball
