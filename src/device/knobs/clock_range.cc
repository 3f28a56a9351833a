#include "device/knobs/clock_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "base/distinct.h"
#include "base/text.h"

namespace flyball {

std::string ClockRange::text(double mhz) const {
  return fmt::format("{:.0f}", mhz * per_mhz);
}

Result<double> ClockRange::mhz(SettingFiles& files, const std::filesystem::path& file) const {
  FLYBALL_ASSIGN(const std::string text, files.read(file));
  const auto value = parse_double(trim(text));
  if (value && std::isfinite(*value) && *value >= 0) return *value / per_mhz;
  return Error{Code::corrupt, file.string() + " holds no clock", ""};
}

Status ClockRange::set(SettingsJournal& journal, double low_mhz, double high_mhz,
                       const SettingRule& rule) const {
  const std::array<SettingAddress, 2> files = {max_file, min_file};
  FLYBALL_CHECK(journal.remember(files, rule));
  FLYBALL_ASSIGN(const std::string present, journal.read(max_file));
  const bool raise = high_mhz * per_mhz > parse_double(trim(present)).value_or(0);
  if (raise) FLYBALL_CHECK(journal.set(max_file, text(high_mhz), rule));
  FLYBALL_CHECK(journal.set(min_file, text(low_mhz), rule));
  return raise ? Status() : journal.set(max_file, text(high_mhz), rule);
}

std::vector<double> parse_clock_list(const std::string& text, double per_mhz) {
  std::vector<double> list;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto value = parse_double(word);
    if (!value || !std::isfinite(*value) || *value <= 0) return {};
    list.push_back(*value / per_mhz);
  }
  make_distinct(list);
  return list;
}

}  // namespace flyball
