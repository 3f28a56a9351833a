#include "recording/record_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "base/json.h"

namespace flyball {
namespace {

double seconds_of(int64_t ticks) {
  return static_cast<double>(ticks) / ticks_per_s;
}

// Digits that a value of this channel can have.
double rounded(double value, double step) {
  const double parts = step >= 1 ? 1 : 1 / step;
  return std::round(value * parts) / parts;
}

Json energy_json(const RecordFigures& figures) {
  return figures.known ? Json(figures.energy_j) : Json(nullptr);
}

Json channel_json(const RecordChannel& channel, const RecordFigures& figures) {
  Json json{{"name", channel.info.name},
            {"unit", channel.tells_power() ? "W" : channel.info.unit},
            {"kind", sensor_kind_name(channel.info.kind)},
            {"total", channel.info.total},
            {"interval_ms", channel.period_s * 1e3},
            {"step", channel.step}};
  const auto known = [&](double value) { return figures.known ? Json(value) : Json(nullptr); };
  if (channel.tells_power()) {
    json["energy_j"] = energy_json(figures);
    json["error_j"] = known(figures.error_j);
  }
  json["mean"] = known(figures.mean);
  json["min"] = known(figures.least);
  json["max"] = known(figures.most);
  json["covered_s"] = figures.covered_s;
  json["gap_s"] = figures.gap_s;
  return json;
}

Json total_json(const RecordReader& reader, const RecordTotal& total) {
  const RecordFigures& figures = total.figures;
  Json parts = Json::array();
  for (const size_t channel : total.channels) parts.push_back(reader.channels()[channel].info.name);
  const auto known = [&](double value) { return figures.known ? Json(value) : Json(nullptr); };
  return {{"name", total.name},
          {"channels", std::move(parts)},
          {"energy_j", energy_json(figures)},
          {"error_j", known(figures.error_j)},
          {"mean_w", known(figures.mean)},
          {"covered_s", figures.covered_s},
          {"gap_s", figures.gap_s}};
}

Json marks_json(const RecordReader& reader, int64_t begin, int64_t end) {
  constexpr size_t most_marks = 2000;
  Json marks = Json::array();
  for (const RecordMark& mark : reader.marks())
    if (mark.tick >= begin && mark.tick <= end && marks.size() < most_marks)
      marks.push_back({{"time_s", seconds_of(mark.tick)}, {"name", mark.name}});
  return marks;
}

Json gaps_json(const RecordInfo& info) {
  Json gaps = Json::array();
  for (const Error& gap : info.gaps) gaps.push_back({{"message", gap.message}, {"hint", gap.hint}});
  return gaps;
}

Json thinned_json(const RecordReader& reader) {
  return {{"samples_since_s", seconds_of(reader.samples_since())},
          {"slow_since_s", seconds_of(reader.slow_since())},
          {"seconds_since_s", seconds_of(reader.seconds_since())}};
}

Json own_cpu_json(const RecordReader& reader) {
  if (!reader.own_cpu_s() || reader.end() <= 0) return nullptr;
  return 100 * *reader.own_cpu_s() / seconds_of(reader.end());
}

Json head_json(const RecordReader& reader, int64_t begin, int64_t end,
               const AllRecordFigures& figures) {
  const RecordInfo& info = reader.info();
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(reader.path(), ignored);
  Json json{{"file", reader.path().filename().string()},
            {"bytes", ignored ? 0 : bytes},
            {"most_bytes", info.most_bytes},
            {"command", info.command},
            {"device", info.device},
            {"board", info.board},
            {"provenance", info.provenance},
            {"remarks", text_or_null(info.remarks)},
            {"started_utc", info.started_utc},
            {"started_unix_s", info.started_unix_s},
            {"rate_hz", info.rate_hz},
            {"seconds", seconds_of(reader.end())},
            {"stopped", text_or_null(reader.stopped())},
            {"own_cpu_percent", own_cpu_json(reader)},
            {"begin_s", seconds_of(begin)},
            {"end_s", seconds_of(end)}};
  json["totals"] = Json::array();
  for (const RecordTotal& total : figures.totals)
    json["totals"].push_back(total_json(reader, total));
  json["channels"] = Json::array();
  for (size_t i = 0; i < figures.channels.size(); ++i)
    json["channels"].push_back(channel_json(reader.channels()[i], figures.channels[i]));
  json["marks"] = marks_json(reader, begin, end);
  json["thinned"] = thinned_json(reader);
  json["damaged"] = reader.damaged();
  json["gaps"] = gaps_json(info);
  json["runs"] = recorded_runs_json(info.runs);
  return json;
}

// Widths that a reader knows at a glance, in ticks.
constexpr std::array<int64_t, 16> widths = {10,
                                            50,
                                            100,
                                            200,
                                            500,
                                            1000,
                                            2000,
                                            5000,
                                            second_ticks,
                                            2 * second_ticks,
                                            5 * second_ticks,
                                            10 * second_ticks,
                                            30 * second_ticks,
                                            minute_ticks,
                                            5 * minute_ticks,
                                            20 * minute_ticks};

// The finest of which the channels have no more points than are allowed.
int64_t width_for(const RecordReader& reader, const RecordView& view) {
  for (const int64_t width : widths) {
    double points = 0;
    bool finer = true;  // than any channel is read
    for (const RecordChannel& channel : reader.channels()) {
      const double each_s = std::max(seconds_of(width), channel.period_s);
      points += seconds_of(view.end - view.begin) / each_s;
      finer = finer && seconds_of(width) < channel.period_s * (1 - 1e-9);
    }
    if (!finer && points <= static_cast<double>(view.most_points)) return width;
  }
  return std::max<int64_t>(minute_ticks, (view.end - view.begin) / 2000);
}

Json curve_json(const RecordChannel& channel, const std::vector<RecordSummary>& values,
                int64_t begin, int64_t width) {
  const double step = channel.summary_step();
  Json at = Json::array(), least = Json::array(), mean = Json::array(), most = Json::array();
  int64_t last = 0;
  for (const RecordSummary& one : values) {
    const int64_t index = (one.begin - begin) / width;
    at.push_back(index - last);  // short: most are 1
    last = index;
    least.push_back(rounded(one.least, step));
    mean.push_back(rounded(one.mean, step));
    most.push_back(rounded(one.most, step));
  }
  return {
      {"name", channel.info.name}, {"after", at}, {"min", least}, {"mean", mean}, {"max", most}};
}

}  // namespace

Result<Json> record_json(RecordReader& reader) {
  FLYBALL_ASSIGN(const auto figures, record_figures(reader, 0, reader.end()));
  return head_json(reader, 0, reader.end(), figures);
}

Result<Json> record_page_json(RecordReader& reader, const RecordView& view) {
  FLYBALL_ASSIGN(const auto figures, record_figures(reader, view.begin, view.end));
  const int64_t width = width_for(reader, view);
  const int64_t begin = floor_to(view.begin, width);
  FLYBALL_ASSIGN(const auto values, reader.summaries(begin, view.end, width));
  Json json{{"answer", head_json(reader, view.begin, view.end, figures)},
            {"width_s", seconds_of(width)},
            {"begin_s", seconds_of(begin)}};
  json["curves"] = Json::array();
  for (size_t i = 0; i < values.size(); ++i)
    json["curves"].push_back(curve_json(reader.channels()[i], values[i], begin, width));
  return json;
}

}  // namespace flyball
