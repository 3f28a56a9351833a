// Power of a live trial from the machine's own sensors.

#include "device/power_meter.h"
#include "telemetry/sampling/power_watch.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

class SensorMeter final : public PowerMeter {
 public:
  SensorMeter(SensorList list, const std::string& total) : watch_(std::move(list), total) {}

  std::string total() const override { return watch_.total(); }
  std::string gap() const override { return watch_.gap(); }
  Status begin() override { return watch_.begin(); }
  bool settled() override { return watch_.settled(); }
  void count() override { watch_.count(); }
  int updates() override { return watch_.updates(); }
  Result<PowerReading> lap() override { return watch_.lap(); }
  Result<PowerReading> end() override { return watch_.end(); }
  std::optional<std::vector<std::string>> throttling() const override {
    return watch_.throttling();
  }

 private:
  PowerWatch watch_;
};

}  // namespace

std::unique_ptr<PowerMeter> open_power_meter(const std::filesystem::path& root,
                                             const std::string& compute, const std::string& gpu) {
  SensorList list = open_trial_sensors(root, gpu);
  const std::string total = total_where(list, compute);
  auto meter = std::make_unique<SensorMeter>(std::move(list), total);
  if (!meter->total().empty()) return meter;
  std::string gap = meter->gap();
  if (gap.starts_with(no_power_here)) gap.erase(0, no_power_here.size() + 2);
  return make_no_power(gap);
}

}  // namespace flyball
