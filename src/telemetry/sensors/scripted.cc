#include "telemetry/sensors/scripted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/csv.h"
#include "telemetry/sensors/small_file.h"

namespace flyball {
namespace {

class FileSensor final : public Sensor {
 public:
  FileSensor(SensorInfo info, std::string path, double scale)
      : Sensor(std::move(info)), path_(std::move(path)), scale_(scale) {}
  Result<double> read() override {
    const auto value = read_number(path_.c_str());
    if (!value) return value.error();
    return *value * scale_;
  }

 private:
  std::string path_;
  double scale_;
};

struct Point {
  double time_s, value;
};

class ScriptedSensor final : public Sensor {
 public:
  ScriptedSensor(SensorInfo info, std::vector<Point> points, bool repeat)
      : Sensor(std::move(info)), points_(std::move(points)), repeat_(repeat) {}
  Result<double> read() override {
    const int64_t now = monotonic_ns();
    if (start_ns_ == 0) start_ns_ = now;
    double at = static_cast<double>(now - start_ns_) * 1e-9;
    if (repeat_ && points_.back().time_s > 0) at = std::fmod(at, points_.back().time_s);
    const auto next = std::ranges::upper_bound(points_, at, {}, &Point::time_s);
    return (next == points_.begin() ? *next : *(next - 1)).value;
  }

 private:
  std::vector<Point> points_;
  bool repeat_;
  int64_t start_ns_ = 0;
};

class FunctionSensor final : public Sensor {
 public:
  FunctionSensor(SensorInfo info, std::function<Result<double>(int64_t)> value)
      : Sensor(std::move(info)), value_(std::move(value)) {}
  Result<double> read() override { return value_(monotonic_ns()); }

 private:
  std::function<Result<double>(int64_t)> value_;
};

}  // namespace

SensorPtr file_sensor(SensorInfo info, std::filesystem::path path, double scale) {
  return std::make_shared<FileSensor>(std::move(info), path.string(), scale);
}

Result<SensorPtr> scripted_sensor(SensorInfo info, const std::filesystem::path& path, bool repeat) {
  FLYBALL_ASSIGN(const Csv csv, read_csv(path));
  if (csv.header != std::vector<std::string>{"time_s", "value"})
    return Error{Code::corrupt, fmt::format("{} is no script of a sensor", path.string()),
                 "its first line must be: time_s,value"};
  std::vector<Point> points;
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    FLYBALL_ASSIGN(const double time_s, csv.number(row, 0));
    FLYBALL_ASSIGN(const double value, csv.number(row, 1));
    if (!points.empty() && time_s <= points.back().time_s)
      return csv.at(row, 0, "time does not rise", "sort the lines by time");
    points.push_back({time_s, value});
  }
  if (points.empty())
    return Error{Code::corrupt, fmt::format("{} holds no values", path.string()), ""};
  return SensorPtr(std::make_shared<ScriptedSensor>(std::move(info), std::move(points), repeat));
}

SensorPtr function_sensor(SensorInfo info, std::function<Result<double>(int64_t)> value) {
  return std::make_shared<FunctionSensor>(std::move(info), std::move(value));
}

}  // namespace flyball
