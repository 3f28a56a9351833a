#include "telemetry/sensors/board_sensors.h"

#include <algorithm>

#include "base/files.h"
#include "base/folder_entries.h"
#include "base/text.h"
#include "boards/identity.h"
#include "telemetry/sensors/simple_sensors.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Says whether the file is there and reads as a number.
bool add(SensorList& list, const char* name, const char* unit, const fs::path& file, double scale) {
  auto sensor = file_sensor(
      {.name = name, .unit = unit, .kind = SensorKind::gauge, .source = "board"}, file, scale);
  if (!sensor->read()) return false;
  list.sensors.push_back(std::move(sensor));
  return true;
}

void add_fan(SensorList& list, const fs::path& root) {
  if (add(list, "fan_pwm", "", root / "sys/devices/pwm-fan/target_pwm", 1)) return;
  for (const fs::path& hwmon : folder_entries(root / "sys/class/hwmon")) {
    const auto name = read_file(hwmon / "name", 256);
    if (name && trim(*name) == "pwmfan" && add(list, "fan_pwm", "", hwmon / "pwm1", 1)) return;
  }
}

// The tachometer is a device of its own: pwm_tach on JetPack 5 and later.
void add_tachometer(SensorList& list, const fs::path& root) {
  for (const fs::path& hwmon : folder_entries(root / "sys/class/hwmon")) {
    const auto name = read_file(hwmon / "name", 256);
    if (!name || trim(*name) != "pwm_tach") continue;
    if (add(list, "fan_rpm", "", hwmon / "rpm", 1)) return;
  }
}

SensorList gpu_of(const BoardSpec* board, const fs::path& root) {
  SensorList list;
  if (board == nullptr) return list;
  for (const std::string& load : board->gpu_loads)
    if (add(list, "gpu_busy", "%", root / load, 0.1)) break;  // it is told in per mille
  for (const std::string& folder : board->gpu_folders)
    if (add(list, "gpu_mhz", "MHz", root / folder / "cur_freq", 1e-6)) break;
  return list;
}

}  // namespace

SensorList open_board_gpu(const fs::path& root) {
  return gpu_of(identify_board(root).spec, root);
}

SensorList open_board_sensors(const fs::path& root) {
  const BoardSpec* board = identify_board(root).spec;
  SensorList list = gpu_of(board, root);
  if (board && !board->memory.rate.empty())
    add(list, "emc_mhz", "MHz", root / board->memory.rate, 1e-6);
  add_fan(list, root);
  add_tachometer(list, root);
  return list;
}

}  // namespace flyball
