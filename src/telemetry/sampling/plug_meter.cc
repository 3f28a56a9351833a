#include "telemetry/sampling/plug_meter.h"

#include <date/date.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ctime>
#include <locale>
#include <sstream>
#include <vector>

#include "base/clock.h"
#include "base/csv.h"
#include "base/lower.h"
#include "base/statistics.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr double kMilliseconds = 1e11;  // a number of seconds this large lies after the year 5000
constexpr double kLatest = 8e9;         // as nanoseconds it fits 64 bits

// With slashes, a blank or a decimal comma as ISO 8601 writes it; digits beyond microseconds go.
std::string as_iso(std::string_view local) {
  std::string text(trim(local));
  if (text.size() < 19) return text;
  if (text[4] == '/' && text[7] == '/') text[4] = text[7] = '-';
  if (text[10] == ' ') text[10] = 'T';
  if (text.size() > 19 && text[19] == ',') text[19] = '.';
  const size_t fraction_end = std::min(text.find_first_not_of("0123456789", 20), text.size());
  if (text.size() > 26 && fraction_end > 26) text.erase(26, fraction_end - 26);
  return text;
}

// "+01:00", "-0500". The library's arithmetic overflows on some that are not.
bool is_offset(std::string_view zone) {
  if (zone.size() == 6 && zone[3] == ':')
    return is_offset(std::string(zone.substr(0, 3)) + std::string(zone.substr(4)));
  return zone.size() == 5 && zone.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// "2026-03-01T12:30:05.25": what else the library would read ends in arithmetic without a number.
bool is_date_and_time(std::string_view iso) {
  constexpr std::string_view form = "0000-00-00T00:00:00";
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (iso.size() < form.size() || iso.size() == form.size() + 1) return false;
  for (size_t i = 0; i < iso.size(); ++i) {
    const char wanted = i < form.size() ? form[i] : i == form.size() ? '.' : '0';
    if (wanted == '0' ? !is_digit(iso[i]) : iso[i] != wanted) return false;
  }
  return true;
}

std::optional<double> parse_iso(std::string_view text, double utc_offset_s) {
  const size_t zone_at = std::min(text.find_first_of("+-Zz", 11), text.size());
  const std::string_view zone = text.substr(zone_at);
  const bool utc = zone == "Z" || zone == "z";
  if (!zone.empty() && !utc && !is_offset(zone)) return {};
  const char* format = zone.empty() || utc                        ? "%FT%T"
                       : zone.find(':') != std::string_view::npos ? "%FT%T%Ez"
                                                                  : "%FT%T%z";
  const std::string local = as_iso(text.substr(0, zone_at));
  if (!is_date_and_time(local)) return {};
  std::istringstream stream(local + std::string(utc ? "" : zone));
  stream.imbue(std::locale::classic());
  date::sys_time<std::chrono::microseconds> time;
  stream >> date::parse(format, time);
  if (stream.fail() || stream.peek() != std::istringstream::traits_type::eof()) return {};
  const double seconds = std::chrono::duration<double>(time.time_since_epoch()).count();
  return zone.empty() ? seconds - utc_offset_s : seconds;
}

Result<size_t> find_column(const Csv& csv, const std::string& asked,
                           const std::vector<std::string>& usual, const char* what) {
  for (size_t i = 0; i < csv.header.size(); ++i) {
    const std::string title(trim(csv.header[i]));
    if (asked.empty() ? std::ranges::count(usual, lower(title)) > 0 : title == asked) return i;
  }
  return csv.missing({Code::corrupt,
                      fmt::format("{}: no column {}; it has: {}", csv.name,
                                  asked.empty() ? fmt::format("of {}", what) : "'" + asked + "'",
                                  join(csv.header, ", ")),
                      fmt::format("name the column of {}", what)});
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
  const int64_t offset_ns = wall_minus_monotonic_ns() + nanoseconds(options.clock_ahead_s);
  std::vector<double> steps;
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    const auto time_s = parse_time_stamp(csv.rows[row][time_at], options.utc_offset_s);
    if (!time_s)
      return csv.at(row, time_at, fmt::format("'{}' is no time", csv.rows[row][time_at]),
                    "seconds since 1970, or like 2026-03-01T12:30:05Z");
    FLYBALL_ASSIGN(const double watts, csv.number(row, power_at));
    const int64_t time_ns = nanoseconds(*time_s) - offset_ns;
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
