#include "telemetry/sensors/ina3221.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "telemetry/sensors/small_file.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// All channels once at the drivers' usual setting; `update_interval`, where there is such a file,
// says how long that takes.
constexpr double kUsualPeriodS = 0.1;

struct Rail {
  std::string name;
  std::string source;      // the chip: one slow bus does not delay another
  std::string power_file;  // mW, or "" when it is voltage times current
  std::string millivolts, milliamperes;
  double period_s = kUsualPeriodS;
};

class RailSensor final : public Sensor {
 public:
  RailSensor(SensorInfo info, Rail rail) : Sensor(std::move(info)), rail_(std::move(rail)) {}
  Result<double> read() override {
    if (!rail_.power_file.empty()) {
      const auto milliwatts = read_number(rail_.power_file.c_str());
      if (!milliwatts) return milliwatts.error();
      return *milliwatts * 1e-3;
    }
    const auto millivolts = read_number(rail_.millivolts.c_str());
    if (!millivolts) return millivolts.error();
    const auto milliamperes = read_number(rail_.milliamperes.c_str());
    if (!milliamperes) return milliamperes.error();
    return *millivolts * *milliamperes * 1e-6;
  }

 private:
  Rail rail_;
};

std::string label(const fs::path& file) {
  const auto text = read_file(file, 256);
  return text ? std::string(trim(*text)) : "";
}

// Folders below `folder`, in the order of their names.
std::vector<fs::path> folders(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

bool is_rail(const std::string& name) {
  return !name.empty() && name != "NC";
}

void add_jetpack4(const fs::path& root, std::vector<Rail>& rails) {
  for (const fs::path& chip : folders(root / "sys/bus/i2c/drivers/ina3221x", ""))
    for (const fs::path& device : folders(chip, "iio:device"))
      for (int k = 0; k < 3; ++k) {
        const std::string name = label(device / fmt::format("rail_name_{}", k));
        if (is_rail(name))
          rails.push_back({name, "ina3221 " + chip.filename().string(),
                           device / fmt::format("in_power{}_input", k), "", ""});
      }
}

void add_jetpack5(const fs::path& root, std::vector<Rail>& rails) {
  for (const fs::path& chip : folders(root / "sys/bus/i2c/drivers/ina3221", ""))
    for (const fs::path& device : folders(chip / "hwmon", "hwmon"))
      for (int k = 1; k <= 3; ++k) {  // in7 is the sum of the others
        const std::string name = label(device / fmt::format("in{}_label", k));
        if (!is_rail(name)) continue;
        Rail rail{name, "ina3221 " + chip.filename().string(), "",
                  device / fmt::format("in{}_input", k), device / fmt::format("curr{}_input", k)};
        const auto interval_ms = read_number((device / "update_interval").c_str());
        if (interval_ms && *interval_ms > 0) rail.period_s = *interval_ms * 1e-3;
        rails.push_back(std::move(rail));
      }
}

}  // namespace

std::vector<std::string> module_rails(const std::vector<std::string>& rails) {
  static const std::vector<std::vector<std::string>> boards = {
      {"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"},   // AGX Orin
      {"GPU", "CPU", "SOC", "CV", "VDDRQ", "SYS5V"},  // AGX Xavier
      {"VDD_IN"},                                     // Xavier NX, Orin NX, Orin Nano
      {"POM_5V_IN"},                                  // Nano
  };
  for (const auto& board : boards)
    if (std::ranges::all_of(
            board, [&](const std::string& rail) { return std::ranges::count(rails, rail) == 1; }))
      return board;
  return {};
}

SensorList open_ina3221(const fs::path& root) {
  std::vector<Rail> rails;
  add_jetpack4(root, rails);
  add_jetpack5(root, rails);
  SensorList list;
  if (rails.empty()) {
    list.gaps.push_back({Code::unavailable, "no INA3221 power rails", "Jetson boards have them"});
    return list;
  }
  std::vector<std::string> names;
  for (const Rail& rail : rails) names.push_back(rail.name);
  const auto module = module_rails(names);
  bool module_whole = !module.empty();
  for (const Rail& rail : rails) {
    const bool part = std::ranges::count(module, rail.name) > 0;
    auto sensor = std::make_shared<RailSensor>(SensorInfo{.name = rail.name,
                                                          .unit = "W",
                                                          .kind = SensorKind::power,
                                                          .source = rail.source,
                                                          .total = part ? "module" : "",
                                                          .period_s = rail.period_s},
                                               rail);
    const auto value = sensor->read();
    if (value) {
      list.sensors.push_back(std::move(sensor));
      continue;
    }
    list.gaps.push_back(value.error().within("rail " + rail.name));
    module_whole &= !part;
  }
  if (module_whole) return list;
  // A sum without one of its parts would be a wrong number: better none.
  SensorList without;
  for (const SensorPtr& sensor : list.sensors) {
    SensorInfo info = sensor->info();
    info.total.clear();
    const auto rail = std::ranges::find(rails, info.name, &Rail::name);
    without.sensors.push_back(std::make_shared<RailSensor>(std::move(info), *rail));
  }
  without.gaps = std::move(list.gaps);
  without.gaps.push_back({Code::not_found,
                          module.empty()
                              ? "these rails add up to no total that is known: " + join(names, ", ")
                              : "no module total: one of its rails cannot be read",
                          "power of single rails is measured"});
  return without;
}

}  // namespace flyball
