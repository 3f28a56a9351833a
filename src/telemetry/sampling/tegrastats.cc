#include "telemetry/sampling/tegrastats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics.h"
#include "base/text.h"
#include "boards/spec.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/tegrastats_line.h"

namespace flyball {
namespace {

constexpr size_t named_lines = 10;

/// What was taken of all lines: a column per name.
class Collector {
 public:
  Collector(const std::string& name, const TegrastatsOptions& options)
      : name_(name), options_(options) {}

  // `number` counts all lines, `slot` those that hold something.
  void take(std::string_view line, size_t number, size_t slot) {
    auto parsed = parse_tegrastats_line(line, options_.utc_offset_s);
    Status fits = parsed ? check(*parsed) : Status(parsed.error());
    if (!fits.ok()) {
      ++log_.skipped;
      if (log_.refused.size() < named_lines)
        log_.refused.push_back(fits.error().within(fmt::format("{}:{}", name_, number)));
      return;
    }
    stamps_.push_back(parsed->unix_s.value_or(static_cast<double>(slot) * options_.interval_s));
    stamped_ = parsed->unix_s.has_value();
    for (const TegrastatsField& field : parsed->fields) {
      Column& column = column_of(field);
      column.rows.push_back(stamps_.size() - 1);
      column.values.push_back(field.value);
    }
    for (const std::string& unknown : parsed->unknown)
      if (std::ranges::count(log_.unknown, unknown) == 0) log_.unknown.push_back(unknown);
    ++log_.lines;
  }

  Result<TegrastatsLog> finish() {
    if (log_.lines == 0)
      return log_.refused.empty() ? Error{Code::corrupt, name_ + " holds no line of tegrastats",
                                          "each begins with RAM, or with a date and RAM"}
                                  : log_.refused.front();
    log_.timed = stamped_ || options_.begin_unix_s.has_value();
    find_module();
    const std::vector<int64_t> times = line_times();
    const double period_s = period(times);
    for (const Column& column : columns_) {
      Trace trace;
      trace.info = column.info;
      trace.info.source = "tegrastats";
      trace.period_s = period_s;
      for (size_t i = 0; i < column.rows.size(); ++i)
        trace.samples.push_back({times[column.rows[i]], column.values[i]});
      trace.stats.wanted = times.size();
      trace.stats.achieved = trace.samples.size();
      find_repeats(trace);
      log_.traces.push_back(std::move(trace));
    }
    return std::move(log_);
  }

 private:
  struct Column {
    SensorInfo info;
    std::vector<size_t> rows;
    std::vector<double> values;
  };

  // A number that was cut off turns a rail into something else: one name is one kind of thing.
  Status check(const TegrastatsLine& line) const {
    if (log_.lines > 0 && line.unix_s.has_value() != stamped_)
      return Error{Code::corrupt,
                   stamped_ ? "a line without a time after lines with one"
                            : "a line with a time after lines without one",
                   "logs of two releases are to be imported one by one"};
    if (line.unix_s && !stamps_.empty() && *line.unix_s < stamps_.back())
      return Error{Code::corrupt, "time goes back",
                   "logs of two runs are to be imported one by one"};
    for (const TegrastatsField& field : line.fields) {
      if (field.name.ends_with("_mhz") && has_rail(field.name.substr(0, field.name.size() - 4)))
        return Error{Code::corrupt,
                     fmt::format("'{}' is a clock, and was a rail before", field.name),
                     "the line is cut off"};
      const auto known = place_.find(field.name);
      if (known != place_.end() && columns_[known->second].info.unit != field.unit)
        return Error{Code::corrupt,
                     fmt::format("'{}' is in {}, and was in {} before", field.name, field.unit,
                                 columns_[known->second].info.unit),
                     "the line is cut off"};
    }
    return {};
  }

  Column& column_of(const TegrastatsField& field) {
    const auto [place, added] = place_.emplace(field.name, columns_.size());
    if (added)
      columns_.push_back({{.name = field.name,
                           .unit = field.unit,
                           .kind = field.unit == "W" ? SensorKind::power : SensorKind::gauge},
                          {},
                          {}});
    return columns_[place->second];
  }

  bool has_rail(const std::string& rail) const {
    const auto place = place_.find(rail);
    return place != place_.end() && columns_[place->second].info.kind == SensorKind::power;
  }

  // The log names no board: its rails do, where all known boards that have them agree.
  void find_module() {
    std::vector<std::string> found;
    for (const BoardSpec& board : board_specs()) {
      const auto& rails = board.module_rails;
      if (rails.empty() || !std::ranges::all_of(rails, [&](auto& r) { return has_rail(r); }))
        continue;
      if (!found.empty() && found != rails) return;
      found = rails;
    }
    log_.module_rails = found;
    for (const std::string& rail : found) columns_[place_.at(rail)].info.total = "module";
  }

  // Times are told in whole seconds: lines of one second share it evenly.
  std::vector<int64_t> line_times() const {
    std::vector<double> seconds = stamps_;
    if (stamped_)
      for (size_t first = 0; first < stamps_.size();) {
        size_t next = first;
        while (next < stamps_.size() && stamps_[next] == stamps_[first]) ++next;
        for (size_t i = first; i < next; ++i)
          seconds[i] += static_cast<double>(i - first) / static_cast<double>(next - first);
        first = next;
      }
    const double begin = stamped_ ? 0 : options_.begin_unix_s.value_or(0);
    const int64_t offset =
        log_.timed ? wall_minus_monotonic_ns() +
                         static_cast<int64_t>(std::llround(options_.clock_ahead_s * 1e9))
                   : 0;
    std::vector<int64_t> times;
    for (double s : seconds)
      times.push_back(static_cast<int64_t>(std::llround((begin + s) * 1e9)) - offset);
    return times;
  }

  double period(const std::vector<int64_t>& times) const {
    std::vector<double> steps;
    for (size_t i = 1; i < times.size(); ++i)
      steps.push_back(static_cast<double>(times[i] - times[i - 1]) * 1e-9);
    return steps.empty() ? options_.interval_s : median(steps);
  }

  const std::string& name_;
  const TegrastatsOptions& options_;
  TegrastatsLog log_;
  std::vector<double> stamps_;  ///< of each line taken, s since 1970 or since the first line
  bool stamped_ = false;
  std::vector<Column> columns_;
  std::map<std::string, size_t> place_;
};

}  // namespace

bool looks_like_tegrastats(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  text = text.substr(begin, text.find('\n', begin) - begin);
  return text.starts_with("RAM ") || (text.size() > 24 && text.substr(19, 5) == " RAM ");
}

Result<TegrastatsLog> parse_tegrastats(std::string_view text, const std::string& name,
                                       const TegrastatsOptions& options) {
  Collector collector(name, options);
  size_t number = 0, slot = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (!line.empty()) collector.take(line, number, slot++);
  }
  return collector.finish();
}

Result<Trace> tegrastats_power(const TegrastatsLog& log, const std::string& name) {
  if (!log.timed)
    return Error{Code::invalid_argument, name + " names no times: it is of a JetPack before 5",
                 "--plug-begin says when its first line was written, e.g. "
                 "2026-03-01T12:30:05Z, and --plug-interval what lies between two"};
  std::map<int64_t, std::pair<double, size_t>> sums;
  const Trace* any = nullptr;
  for (const Trace& trace : log.traces) {
    if (trace.info.total != "module") continue;
    any = &trace;
    for (const Sample& sample : trace.samples) {
      auto& [watts, rails] = sums[sample.time_ns];
      watts += sample.value;
      ++rails;
    }
  }
  if (!any) {
    std::vector<std::string> rails;
    for (const Trace& trace : log.traces)
      if (trace.info.kind == SensorKind::power) rails.push_back(trace.info.name);
    return Error{Code::unavailable,
                 rails.empty() ? name + " has no power rails: tegrastats tells them to root alone"
                               : fmt::format("the rails of {} add up to no total that is known: {}",
                                             name, join(rails, ", ")),
                 "its traces can be imported without being joined"};
  }
  Trace total;
  total.info = {.name = "tegrastats",
                .unit = "W",
                .kind = SensorKind::power,
                .source = name,
                .total = "tegrastats"};
  total.period_s = any->period_s;
  for (const auto& [time_ns, sum] : sums)
    if (sum.second == log.module_rails.size()) total.samples.push_back({time_ns, sum.first});
  if (total.samples.empty())
    return Error{Code::corrupt, name + " has no line with all rails of the module", ""};
  total.stats.wanted = log.lines;
  total.stats.achieved = total.samples.size();
  find_repeats(total);
  return total;
}

Result<Trace> parse_power_log(std::string_view text, const std::string& name,
                              const PlugOptions& plug, const TegrastatsOptions& options) {
  if (!looks_like_tegrastats(text)) return parse_plug_log(text, name, plug);
  FLYBALL_ASSIGN(const TegrastatsLog log, parse_tegrastats(text, name, options));
  return tegrastats_power(log, name);
}

}  // namespace flyball
