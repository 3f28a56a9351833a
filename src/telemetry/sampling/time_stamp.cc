#include "telemetry/sampling/time_stamp.h"

#include <date/date.h>

#include <algorithm>
#include <chrono>
#include <locale>
#include <sstream>
#include <string>

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

}  // namespace flyball
