// How many cores may run: by hotplug, or by affinity where that is all we may do.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <span>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "device/knobs/knob.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Every thread there is: pools that libraries keep would stay on their old cores otherwise.
Status pin_all_threads(std::span<const int> cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus) CPU_SET(cpu, &set);
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator("/proc/self/task", ignored)) {
    const auto tid = parse_integer(task.path().filename().string());
    if (tid && sched_setaffinity(static_cast<pid_t>(*tid), sizeof set, &set) != 0 && errno != ESRCH)
      return file_error("pin threads to the cores of", "cpu_cores", errno);
  }
  return {};
}

class AffinityCores final : public Knob {
 public:
  AffinityCores(std::vector<int> cpus, std::vector<double> counts, bool pin)
      : Knob(named_axis(axis::cpu_cores, std::move(counts))), cpus_(std::move(cpus)), pin_(pin) {}

  Result<double> cap() const override { return static_cast<double>(cpus_.size()); }
  // Pinned to fewer, or with cores that somebody, such as the helper, has switched off.
  Result<double> now() const override {
    return pin_ ? Result<double>(static_cast<double>(allowed_cpus().size())) : cap();
  }
  Status settable() const override { return {}; }
  bool outlives_us() const override { return false; }

  Status set(double, double high, SettingsJournal*) override {
    if (!pin_) return {};
    if (before_.empty()) before_ = allowed_cpus();
    return pin_all_threads(std::span(cpus_).first(static_cast<size_t>(high)));
  }
  Status undo() override {
    const std::vector<int> before = std::exchange(before_, {});
    return before.empty() ? Status() : pin_all_threads(before);
  }

 private:
  std::vector<int> cpus_;
  bool pin_;
  std::vector<int> before_{};  // that this process could use; empty while nothing is pinned
};

class HotplugCores final : public Knob {
 public:
  HotplugCores(KnobPlace place, std::vector<int> cpus)
      : Knob(named_axis(axis::cpu_cores, counts(cpus.size()))),
        place_(std::move(place)),
        cpus_(std::move(cpus)) {}

  Result<double> cap() const override {
    return static_cast<double>(
        std::ranges::count_if(cpus_, [&](int cpu) { return is_online(place_, cpu); }));
  }
  Result<double> now() const override { return cap(); }

  Status settable() const override {
    for (int cpu : cpus_)
      if (cpu != 0 && ::access(file(cpu).c_str(), W_OK) != 0)
        return file_error("set", file(cpu), errno);
    return {};
  }

  Status set(double, double high, SettingsJournal* journal) override {
    const auto wanted = static_cast<size_t>(high);
    for (size_t i = 0; i < cpus_.size(); ++i) {
      std::error_code ignored;
      // cpu0 has no switch on most kernels.
      if (cpus_[i] == 0 && !fs::exists(file(0), ignored)) continue;
      FLYBALL_CHECK(journal->set(file(cpus_[i]), i < wanted ? "1" : "0"));
    }
    return {};
  }

 private:
  static std::vector<double> counts(size_t cores) {
    std::vector<double> counts(cores);
    std::iota(counts.begin(), counts.end(), 1.0);
    return counts;
  }
  fs::path file(int cpu) const { return place_.cpu(cpu) / "online"; }

  KnobPlace place_;
  std::vector<int> cpus_;  // in the order in which they come on
};

}  // namespace

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

KnobPtr make_affinity_cores(std::vector<int> cpus, std::vector<double> counts, bool pin) {
  return std::make_unique<AffinityCores>(std::move(cpus), std::move(counts), pin);
}

Result<KnobPtr> find_hotplug_cores(const KnobPlace& place, const std::vector<int>& last) {
  std::vector<int> cpus = present_cpus(place);
  if (cpus.empty())
    return Error{Code::unavailable, "cpu_cores cannot be set: Linux lists no cores",
                 "is sys/devices/system/cpu readable?"};
  std::stable_partition(cpus.begin(), cpus.end(),
                        [&](int cpu) { return std::ranges::count(last, cpu) == 0; });
  return KnobPtr(std::make_unique<HotplugCores>(place, std::move(cpus)));
}

}  // namespace flyball
