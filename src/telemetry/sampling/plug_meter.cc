#include "telemetry/sampling/plug_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <vector>

#include "base/clock.h"
#include "base/csv.h"
#include "base/files.h"
#include "base/statistics.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr double kMilliseconds = 1e11;  // a number of seconds this large lies after the year 5000
constexpr double kLatest = 8e9;         // as nanoseconds it fits 64 bits

// Exactly `width` digits at `at`.
std::optional<int> digits(std::string_view text, size_t at, size_t width) {
  if (at + width > text.size()) return {};
  int value = 0;
  for (char c : text.substr(at, width)) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + (c - '0');
  }
  return value;
}

// Days since 1970-01-01 of a Gregorian date (Hinnant, "chrono-compatible low-level date
// algorithms").
double days_since_1970(int year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const int era = year / 400, of_era = year - era * 400;
  const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int leap_days = of_era / 4 - of_era / 100;
  return era * 146097.0 + of_era * 365 + leap_days + of_year - 719468;
}

// "Z", "+hh:mm" or "+hhmm" as seconds east; nothing for what is no zone.
std::optional<double> zone_seconds(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() < 5 || (text[0] != '+' && text[0] != '-')) return {};
  const auto hours = digits(text, 1, 2);
  const auto minutes = digits(text, text[3] == ':' ? 4 : 3, 2);
  if (!hours || !minutes || text.size() != (text[3] == ':' ? 6u : 5u)) return {};
  return (text[0] == '-' ? -1 : 1) * (*hours * 3600.0 + *minutes * 60.0);
}

std::optional<double> parse_iso(std::string_view text, double utc_offset_s) {
  const auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return {};
  const bool marks = (text[4] == '-' || text[4] == '/') && text[7] == text[4] &&
                     (text[10] == ' ' || text[10] == 'T') && text[13] == ':' && text[16] == ':';
  if (!marks || *month < 1 || *month > 12 || *day < 1 || *day > 31 || *hour > 23 || *minute > 59 ||
      *second > 60)
    return {};
  std::string_view rest = text.substr(19);
  double fraction = 0;
  if (!rest.empty() && (rest[0] == '.' || rest[0] == ',')) {
    double digit_value = 0.1;
    size_t at = 1;
    for (; at < rest.size() && rest[at] >= '0' && rest[at] <= '9'; ++at, digit_value /= 10)
      fraction += (rest[at] - '0') * digit_value;
    rest.remove_prefix(at);
  }
  rest = trim(rest);
  const auto zone = rest.empty() ? std::optional(utc_offset_s) : zone_seconds(rest);
  if (!zone) return {};
  return days_since_1970(*year, *month, *day) * 86400 + *hour * 3600 + *minute * 60 + *second +
         fraction - *zone;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Result<size_t> find_column(const Csv& csv, const std::string& asked,
                           const std::vector<std::string>& usual, const char* what) {
  for (size_t i = 0; i < csv.header.size(); ++i) {
    const std::string title(trim(csv.header[i]));
    if (asked.empty() ? std::ranges::count(usual, lower(title)) > 0 : title == asked) return i;
  }
  return Error{Code::corrupt,
               fmt::format("{}: no column {}; it has: {}", csv.name,
                           asked.empty() ? fmt::format("of {}", what) : "'" + asked + "'",
                           join(csv.header, ", ")),
               fmt::format("name the column of {}", what)};
}

}  // namespace

std::optional<double> parse_time_stamp(std::string_view text, double utc_offset_s) {
  text = trim(text);
  const auto number = parse_double(text);
  const std::optional<double> seconds =
      number ? std::optional(*number > kMilliseconds ? *number / 1000 : *number)
             : parse_iso(text, utc_offset_s);
  if (!seconds || !(*seconds >= 0 && *seconds <= kLatest)) return {};
  return seconds;
}

int64_t wall_minus_monotonic_ns() {
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  return int64_t{wall.tv_sec} * 1'000'000'000 + wall.tv_nsec - monotonic_ns();
}

Result<Trace> parse_plug_log(std::string_view text, const std::string& name,
                             const PlugOptions& options) {
  FLYBALL_ASSIGN(const Csv csv, parse_csv(text, name));
  FLYBALL_ASSIGN(const size_t time_at,
                 find_column(csv, options.time_column,
                             {"time", "timestamp", "time_s", "date", "datetime"}, "times"));
  FLYBALL_ASSIGN(const size_t power_at,
                 find_column(csv, options.power_column,
                             {"watts", "power", "power_w", "w", "watt", "power (w)"}, "watts"));
  Trace trace;
  trace.info = {
      .name = "plug", .unit = "W", .kind = SensorKind::power, .source = name, .total = "plug"};
  const int64_t offset_ns =
      wall_minus_monotonic_ns() + static_cast<int64_t>(options.clock_ahead_s * 1e9);
  std::vector<double> steps;
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    const auto time_s = parse_time_stamp(csv.rows[row][time_at], options.utc_offset_s);
    if (!time_s)
      return csv.at(row, time_at, fmt::format("'{}' is no time", csv.rows[row][time_at]),
                    "seconds since 1970, or like 2026-03-01T12:30:05Z");
    FLYBALL_ASSIGN(const double watts, csv.number(row, power_at));
    const int64_t time_ns = static_cast<int64_t>(*time_s * 1e9) - offset_ns;
    if (!trace.samples.empty()) {
      const double step = static_cast<double>(time_ns - trace.samples.back().time_ns) * 1e-9;
      if (step <= 0) return csv.at(row, time_at, "time does not rise", "sort the lines by time");
      steps.push_back(step);
    }
    trace.samples.push_back({time_ns, watts});
  }
  if (trace.samples.empty()) return Error{Code::corrupt, name + " holds no readings", ""};
  trace.period_s = median(steps);
  trace.stats.wanted = trace.stats.achieved = trace.samples.size();
  find_repeats(trace);
  return trace;
}

Result<Trace> read_plug_log(const std::filesystem::path& path, const PlugOptions& options) {
  FLYBALL_ASSIGN(const std::string text, read_file(path));
  return parse_plug_log(text, path.string(), options);
}

Result<EnergyWindow> plug_energy(const Trace& log, int64_t begin_ns, int64_t end_ns) {
  auto window = energy_between(log, begin_ns, end_ns);
  if (window.ok() || log.samples.empty()) return window;
  const auto from_begin = [&](const Sample& sample) {
    return static_cast<double>(sample.time_ns - begin_ns) * 1e-9;
  };
  return Error{
      Code::unavailable,
      fmt::format("{} reaches from {:.1f} to {:.1f} s after the beginning of a window of "
                  "{:.1f} s",
                  log.info.source, from_begin(log.samples.front()), from_begin(log.samples.back()),
                  static_cast<double>(end_ns - begin_ns) * 1e-9),
      "is it of that time? --plug-zone and --plug-ahead set its clock right"};
}

}  // namespace flyball
