#include "telemetry/sensors/proc_sensor.h"

#include <fmt/format.h>

#include "telemetry/sensors/small_file.h"

namespace flyball {
namespace {

class ProcSensor final : public Sensor {
 public:
  ProcSensor(SensorInfo info, std::string path, size_t buffer_bytes, ParseFile parse)
      : Sensor(std::move(info)),
        path_(std::move(path)),
        buffer_(buffer_bytes),
        parse_(std::move(parse)) {}

  Result<double> read() override {
    const auto text = read_small(path_.c_str(), buffer_);
    if (!text) return text.error();
    const auto value = parse_(*text);
    if (value) return *value;
    return Error{Code::corrupt, fmt::format("{} does not hold {}", path_, info().name), ""};
  }

 private:
  std::string path_;
  std::vector<char> buffer_;
  ParseFile parse_;
};

class SumOfFiles final : public Sensor {
 public:
  SumOfFiles(SensorInfo info, std::vector<std::string> paths, double scale)
      : Sensor(std::move(info)), paths_(std::move(paths)), scale_(scale) {}

  Result<double> read() override {
    double sum = 0;
    for (const std::string& path : paths_) {
      const auto value = read_number(path.c_str());
      if (!value) return value.error();
      sum += *value * scale_;
    }
    return sum;
  }

 private:
  std::vector<std::string> paths_;
  double scale_;
};

}  // namespace

SensorPtr proc_sensor(SensorInfo info, std::string path, size_t buffer_bytes, ParseFile parse) {
  return std::make_shared<ProcSensor>(std::move(info), std::move(path), buffer_bytes,
                                      std::move(parse));
}

SensorPtr sum_of_files(SensorInfo info, std::vector<std::string> paths, double scale) {
  return std::make_shared<SumOfFiles>(std::move(info), std::move(paths), scale);
}

void add_if_readable(SensorList& list, SensorPtr sensor) {
  const auto value = sensor->read();
  if (value)
    list.sensors.push_back(std::move(sensor));
  else
    list.gaps.push_back(value.error().within(sensor->info().name));
}

}  // namespace flyball
