#include "telemetry/sensors/rapl.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/folder_entries.h"
#include "base/text.h"
#include "telemetry/sensors/small_file.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Counters update about every millisecond; no socket draws more than this.
constexpr double kRaplPeriodS = 0.001;
constexpr double kMaxRaplW = 5000;

class RaplDomain final : public Sensor {
 public:
  RaplDomain(SensorInfo info, std::string path) : Sensor(std::move(info)), file_(std::move(path)) {}
  Result<double> read() override {
    const auto microjoules = file_.read_number();
    if (!microjoules) return microjoules.error();
    return *microjoules * 1e-6;
  }

 private:
  KeptFile file_;
};

// intel-rapl-mmio repeats the same package: counting it would count twice.
std::vector<fs::path> domain_folders(const fs::path& root) {
  return folder_entries(root / "sys/class/powercap", "intel-rapl:");
}

SensorInfo describe(const fs::path& folder) {
  SensorInfo info{.unit = "J",
                  .kind = SensorKind::energy_counter,
                  .source = "rapl",
                  .period_s = kRaplPeriodS,
                  .max_rate = kMaxRaplW};
  const std::string id = folder.filename().string();  // intel-rapl:0 or intel-rapl:0:1
  const auto parts = split(id, ':');
  const auto name = read_file(folder / "name", 256);
  const bool named = name && !trim(*name).empty() && text_fault(*name).empty();
  info.name = named ? std::string(trim(*name)) : id;
  if (parts.size() > 2) info.name = fmt::format("{}-{}", info.name, parts[1]);
  if (parts.size() == 2 && info.name.starts_with("package")) info.total = "package";
  const auto range = read_number((folder / "max_energy_range_uj").c_str());
  if (range) info.wrap = *range * 1e-6;
  return info;
}

}  // namespace

SensorList open_rapl(const fs::path& root) {
  SensorList list;
  bool refused = false;
  for (const fs::path& folder : domain_folders(root)) {
    auto sensor = std::make_shared<RaplDomain>(describe(folder), folder / "energy_uj");
    const auto value = sensor->read();
    if (value && sensor->info().name.starts_with("intel-rapl:"))
      list.gaps.push_back({Code::corrupt,
                           "the name of RAPL " + sensor->info().name + " does not read",
                           "it is counted into no total"});
    if (value) {
      list.sensors.push_back(std::move(sensor));
    } else if (value.error().code != Code::permission) {
      list.gaps.push_back(value.error().within("RAPL " + sensor->info().name));
    } else if (!std::exchange(refused, true)) {
      list.gaps.push_back({Code::permission,
                           "RAPL energy counters are there, but only root may read them",
                           "run as root, or: sudo chmod a+r "
                           "/sys/class/powercap/intel-rapl:*/energy_uj (until the next boot)"});
    }
  }
  if (list.sensors.empty() && list.gaps.empty())
    list.gaps.push_back({Code::unavailable, "no RAPL energy counters on this machine",
                         "virtual machines and most boards have none; on x86 hardware: "
                         "sudo modprobe intel_rapl_msr"});
  return list;
}

}  // namespace flyball
