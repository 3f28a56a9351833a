#include "telemetry/sensors/ina3221.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/folder_entries.h"
#include "base/text.h"
#include "boards/identity.h"
#include "telemetry/sensors/small_file.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// All channels once at the drivers' usual setting; `update_interval`, where there is such a file,
// says how long that takes.
constexpr double kUsualPeriodS = 0.1;
// 26 V, the chip's most, at 160 mV over a shunt of half a milliohm; boards have larger ones.
constexpr double most_watts = 8320;

struct Rail {
  std::string name{};
  std::string source{};          // the bus: a slow one does not delay another
  std::string power_file{};      // or "" when it is voltage times current
  double watts_per_unit = 1e-3;  // of the power file
  std::string millivolts{}, milliamperes{};
  double period_s = kUsualPeriodS;
};

class RailSensor final : public Sensor {
 public:
  RailSensor(SensorInfo info, const Rail& rail)
      : Sensor(std::move(info)),
        watts_per_unit_(rail.watts_per_unit),
        power_(rail.power_file),
        millivolts_(rail.millivolts),
        milliamperes_(rail.milliamperes) {}
  Result<double> read() override {
    const auto watts = read_watts();
    if (!watts || std::abs(*watts) <= most_watts) return watts;
    return Error{
        Code::corrupt,
        fmt::format("by {} it is {:.6g} W, and no rail carries more than {:.0f} W",
                    (power_.path().empty() ? milliamperes_ : power_).path(), *watts, most_watts),
        "its driver or its chip is at fault: without this rail there is no total"};
  }

 private:
  Result<double> read_watts() {
    if (!power_.path().empty()) {
      const auto power = power_.read_number();
      if (!power) return power.error();
      return *power * watts_per_unit_;
    }
    const auto millivolts = millivolts_.read_number();
    if (!millivolts) return millivolts.error();
    const auto milliamperes = milliamperes_.read_number();
    if (!milliamperes) return milliamperes.error();
    return *millivolts * *milliamperes * 1e-6;
  }

  double watts_per_unit_;
  KeptFile power_, millivolts_, milliamperes_;
};

// "1-0041" is a chip at an address of bus 1: what one bus can tell at a time, one thread reads.
std::string bus_of(const fs::path& chip) {
  const std::string name = chip.filename().string();
  const size_t address = name.find('-');
  return address == std::string::npos ? "ina3221 " + name
                                      : "ina3221 bus " + name.substr(0, address);
}

std::string label(const fs::path& file) {
  const auto text = read_file(file, 256);
  return text ? std::string(trim(*text)) : "";
}

bool is_rail(const std::string& name) {
  return !name.empty() && name != "NC";
}

// A label that is no text names no rail that is known, but the rail is there. One that is there and
// says nothing is a gap: what it measures is missing from a sum of all rails.
std::string rail_name(const fs::path& file, const fs::path& chip, int k, std::vector<Error>& gaps) {
  const std::string name = label(file), place = chip.filename().string();
  const bool is_text = text_fault(name).empty();
  std::error_code ignored;
  if ((name.empty() || !is_text) && fs::exists(file, ignored))
    gaps.push_back({Code::corrupt,
                    fmt::format("the label of channel {} of {} does not read", k, place),
                    "a sum of all rails without it would be a wrong number: there is none"});
  return is_text ? name : fmt::format("channel {} of {}", k, place);
}

// How often a rail changes: what the driver says; unknown where it says something else.
double period_of(const fs::path& device) {
  const fs::path file = device / "update_interval";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return kUsualPeriodS;
  const auto interval_ms = read_number(file.c_str());
  return interval_ms && *interval_ms > 0 ? *interval_ms * 1e-3 : 0;
}

void add_jetpack4(const fs::path& root, std::vector<Rail>& rails, std::vector<Error>& gaps) {
  for (const fs::path& chip : folder_entries(root / "sys/bus/i2c/drivers/ina3221x", ""))
    for (const fs::path& device : folder_entries(chip, "iio:device"))
      for (int k = 0; k < 3; ++k) {
        const std::string name = rail_name(device / fmt::format("rail_name_{}", k), chip, k, gaps);
        if (is_rail(name))
          rails.push_back({.name = name,
                           .source = bus_of(chip),
                           .power_file = device / fmt::format("in_power{}_input", k)});
      }
}

void add_jetpack5(const fs::path& root, std::vector<Rail>& rails, std::vector<Error>& gaps) {
  for (const fs::path& chip : folder_entries(root / "sys/bus/i2c/drivers/ina3221", ""))
    for (const fs::path& device : folder_entries(chip / "hwmon", "hwmon"))
      for (int k = 1; k <= 3; ++k) {  // in7 is the sum of the others
        const std::string name = rail_name(device / fmt::format("in{}_label", k), chip, k, gaps);
        if (!is_rail(name)) continue;
        Rail rail{.name = name,
                  .source = bus_of(chip),
                  .millivolts = device / fmt::format("in{}_input", k),
                  .milliamperes = device / fmt::format("curr{}_input", k)};
        rail.period_s = period_of(device);
        rails.push_back(std::move(rail));
      }
}

// INA238 (Thor): one channel, microwatts. Which bus it hangs on is not known: told by its name.
void add_ina238(const fs::path& root, std::vector<Rail>& rails, std::vector<Error>& gaps) {
  for (const fs::path& device : folder_entries(root / "sys/class/hwmon", "hwmon")) {
    if (label(device / "name") != "ina238") continue;
    std::string name;
    for (const char* file : {"power1_label", "in1_label", "label"})
      if (name.empty()) name = rail_name(device / file, device, 1, gaps);
    if (name.empty()) name = "ina238 " + device.filename().string();
    if (!is_rail(name)) continue;
    Rail rail{.name = name, .source = "ina238 " + device.filename().string()};
    rail.power_file = device / "power1_input";
    rail.watts_per_unit = 1e-6;
    rail.period_s = period_of(device);
    rails.push_back(std::move(rail));
  }
}

// All labelled rails added up, as the common monitor does. It reads each once more: what it feeds
// and what feeds it are both in it, so it is never the module's power.
class MonitorSum final : public Sensor {
 public:
  MonitorSum(SensorInfo info, std::vector<SensorPtr> rails)
      : Sensor(std::move(info)), rails_(std::move(rails)) {}
  Result<double> read() override {
    double sum = 0;
    for (const SensorPtr& rail : rails_) {
      const auto watts = rail->read();
      if (!watts) return watts.error();
      sum += *watts;
    }
    return sum;
  }

 private:
  std::vector<SensorPtr> rails_;
};

bool shows_each_once(const std::vector<std::string>& wanted, const std::vector<Rail>& rails) {
  return !wanted.empty() && std::ranges::all_of(wanted, [&](const std::string& name) {
    return std::ranges::count(rails, name, &Rail::name) == 1;
  });
}

// Do the labels say that this is the board, or one with the same total? Every kind of board whose
// module rails are here adds up the same ones.
bool labels_agree(const BoardSpec& spec, const std::vector<Rail>& rails) {
  return std::ranges::all_of(board_specs(), [&](const BoardSpec& other) {
    return other.module_rails == spec.module_rails || !shows_each_once(other.module_rails, rails);
  });
}

// The rails of the module that make up its power, where the board is known and shows each once. A
// board that was only named might be another: its total counts where the labels leave no other.
std::vector<std::string> module_rails(const BoardIdentity& board, const std::vector<Rail>& rails) {
  if (!board.spec || !shows_each_once(board.spec->module_rails, rails)) return {};
  if (board.named && !labels_agree(*board.spec, rails)) return {};
  return board.spec->module_rails;
}

std::string no_total(const BoardIdentity& board, const std::vector<Rail>& rails, bool rails_known) {
  if (rails_known) return "no module total: one of its rails cannot be read";
  std::vector<std::string> names;
  for (const Rail& rail : rails) names.push_back(rail.name);
  if (board.named)
    return fmt::format(
        "no module total: that this is a {} was said by FLYBALL_BOARD, and its rails do not bear "
        "it out: {}",
        board.name, join(names, ", "));
  return fmt::format("these rails of {} add up to no total that is known: {}", board.name,
                     join(names, ", "));
}

SensorPtr rail_sensor(const Rail& rail, const std::string& total) {
  return std::make_shared<RailSensor>(SensorInfo{.name = rail.name,
                                                 .unit = "W",
                                                 .kind = SensorKind::power,
                                                 .source = rail.source,
                                                 .total = total,
                                                 .period_s = rail.period_s},
                                      rail);
}

}  // namespace

SensorList open_ina3221(const fs::path& root) {
  std::vector<Rail> rails;
  SensorList list;
  add_jetpack4(root, rails, list.gaps);
  add_jetpack5(root, rails, list.gaps);
  add_ina238(root, rails, list.gaps);
  const bool all_named = list.gaps.empty();
  if (rails.empty()) {
    list.gaps.push_back({Code::unavailable, "no INA3221 power rails", "Jetson boards have them"});
    return list;
  }
  const BoardIdentity board = identify_board(root);
  const auto module = module_rails(board, rails);
  std::vector<Rail> alive;
  bool module_whole = !module.empty(), all_alive = all_named;
  for (const Rail& rail : rails) {
    const auto value = rail_sensor(rail, "")->read();
    if (value) {
      alive.push_back(rail);
      continue;
    }
    all_alive = false;
    list.gaps.push_back(value.error().within("rail " + rail.name));
    module_whole &= std::ranges::count(module, rail.name) == 0;
  }
  // A sum without one of its parts would be a wrong number: better none.
  for (const Rail& rail : alive) {
    const bool part = module_whole && std::ranges::count(module, rail.name) > 0;
    list.sensors.push_back(rail_sensor(rail, part ? "module" : ""));
  }
  if (!module_whole)
    list.gaps.push_back({Code::not_found, no_total(board, rails, !module.empty()),
                         "power of single rails is measured"});
  if (!module.empty() && all_alive) {
    SensorInfo info{.name = "all rails",
                    .unit = "W",
                    .kind = SensorKind::power,
                    .source = "ina3221 monitor",
                    .total = "monitor",
                    .period_s = 0};
    std::vector<SensorPtr> parts;  // of its own: it is read in a thread of its own
    for (const Rail& rail : alive) {
      info.period_s = std::max(info.period_s, rail.period_s);
      parts.push_back(rail_sensor(rail, ""));
    }
    list.sensors.push_back(std::make_shared<MonitorSum>(std::move(info), std::move(parts)));
  }
  return list;
}

}  // namespace flyball
