#include "telemetry/sensors/simple_sensors.h"

#include "base/clock.h"
#include "telemetry/sensors/small_file.h"

namespace flyball {
namespace {

class FileSensor final : public Sensor {
 public:
  FileSensor(SensorInfo info, std::string path, double scale)
      : Sensor(std::move(info)), file_(std::move(path)), scale_(scale) {}
  Result<double> read() override {
    const auto value = file_.read_number();
    if (!value) return value.error();
    return *value * scale_;
  }

 private:
  KeptFile file_;
  double scale_;
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

SensorPtr function_sensor(SensorInfo info, std::function<Result<double>(int64_t)> value) {
  return std::make_shared<FunctionSensor>(std::move(info), std::move(value));
}

}  // namespace flyball
