// The clock of the CPU: every cluster is a cpufreq policy of its own.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files.h"
#include "device/knobs/clock_range.h"
#include "device/knobs/knob.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// The policies of these cores that are there now, each once.
std::vector<fs::path> policies(const KnobPlace& place, const std::vector<int>& cpus) {
  std::vector<fs::path> found;
  for (int cpu : cpus) {
    if (!is_online(place, cpu)) continue;
    std::error_code missing;
    const fs::path policy = fs::canonical(place.cpu(cpu) / "cpufreq", missing);
    if (!missing && std::ranges::find(found, policy) == found.end()) found.push_back(policy);
  }
  return found;
}

ClockRange range_of(const fs::path& policy) {
  return {policy / "scaling_min_freq", policy / "scaling_max_freq", khz_per_mhz};
}

class CpuClock final : public Knob {
 public:
  CpuClock(KnobPlace place, std::vector<int> cpus, std::vector<double> values)
      : Knob(named_axis(axis::cpu_mhz, std::move(values))),
        place_(std::move(place)),
        cpus_(std::move(cpus)) {}

  Result<double> cap() const override { return highest("scaling_max_freq"); }
  Result<double> now() const override { return highest("scaling_cur_freq"); }

  Status settable() const override {
    for (const fs::path& policy : policies(place_, cpus_))
      for (const fs::path& file : {range_of(policy).min_file, range_of(policy).max_file})
        if (::access(file.c_str(), W_OK) != 0) return file_error("set", file, errno);
    return {};
  }

  // Policies are looked up each time: those of clusters that are off come and go.
  Status set(double low, double high, SettingsJournal* journal) override {
    for (const fs::path& policy : policies(place_, cpus_))
      FLYBALL_CHECK(range_of(policy).set(*journal, low, high));
    return {};
  }

 private:
  Result<double> highest(const char* file) const {
    Result<double> found = Error{Code::unavailable, "no cluster shows its clock", ""};
    for (const fs::path& policy : policies(place_, cpus_)) {
      const auto mhz = range_of(policy).mhz(*place_.files, policy / file);
      if (mhz && (!found || *mhz > *found)) found = *mhz;
      if (!mhz && !found) found = mhz.error();
    }
    return found;
  }

  KnobPlace place_;
  std::vector<int> cpus_;
};

Error no_clock(const std::string& why) {
  return {Code::unavailable, "cpu_mhz cannot be set: " + why, ""};
}

}  // namespace

Result<KnobPtr> find_cpu_clock(const KnobPlace& place, std::vector<int> cpus) {
  const auto found = policies(place, cpus);
  if (found.empty()) return no_clock("this kernel has no cpufreq, as in most virtual machines");
  std::vector<double> common;
  bool listed = false;
  for (const fs::path& policy : found) {
    const auto text = place.files->read(policy / "scaling_available_frequencies");
    const auto list = text ? parse_clock_list(*text, khz_per_mhz) : std::vector<double>();
    if (list.empty()) continue;
    if (!std::exchange(listed, true)) common = list;
    std::erase_if(common, [&](double mhz) { return std::ranges::count(list, mhz) == 0; });
  }
  if (!listed)
    return no_clock("the driver lists no frequencies (intel_pstate and amd-pstate do not)");
  if (common.empty()) return no_clock("the clusters of this board share no frequency");
  return KnobPtr(std::make_unique<CpuClock>(place, std::move(cpus), std::move(common)));
}

}  // namespace flyball
