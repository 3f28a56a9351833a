#include "device/power_meter.h"

#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

class NoPower final : public PowerMeter {
 public:
  explicit NoPower(std::string gap) : gap_(std::move(gap)) {}
  std::string total() const override { return ""; }
  std::string gap() const override { return gap_; }
  Status begin() override { return {}; }
  bool settled() override { return true; }
  void count() override {}
  int updates() override { return power_updates_wanted; }
  Result<PowerReading> lap() override { return end(); }
  Result<PowerReading> end() override { return Error{Code::unavailable, gap_, ""}; }

 private:
  std::string gap_;
};

}  // namespace

std::unique_ptr<PowerMeter> make_no_power(const std::string& gap) {
  return std::make_unique<NoPower>(gap);
}

Status check_power(const std::string& gap) {
  if (gap.empty()) return {};
  return Error{Code::unavailable, std::string(no_power_here) + ": " + gap,
               "ask for objective time without power and energy budgets, or use a board with a "
               "power sensor"};
}

}  // namespace flyball
