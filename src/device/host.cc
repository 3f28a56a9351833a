#include "device/host.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "device/helper_link.h"
#include "device/journal.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

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

// All counts up to 8, then powers of two, and always all of them.
std::vector<double> core_counts(size_t cores) {
  std::vector<double> counts;
  for (size_t n = 1; n < cores; n = n < 8 ? n + 1 : n * 2) counts.push_back(static_cast<double>(n));
  counts.push_back(static_cast<double>(cores));
  return counts;
}

std::string cpu_model(const fs::path& root) {
  const auto device_tree = read_file(root / "proc/device-tree/model", 4096);
  if (device_tree) return std::string(device_tree->c_str());
  const auto info = read_file(root / "proc/cpuinfo", 1 << 22);
  if (info)
    for (const std::string& line : split(*info, '\n'))
      if (line.starts_with("model name") && line.find(':') != std::string::npos)
        return std::string(trim(line.substr(line.find(':') + 1)));
  return "unknown CPU";
}

class Host final : public Device {
 public:
  Host(HostOptions options, std::vector<int> cpus)
      : options_(std::move(options)), cpus_(std::move(cpus)) {
    if (const auto put_back = recover_settings(options_.journal); !put_back)
      gaps_.push_back(put_back.error().message);
    find_clocks();
    utsname system{};
    uname(&system);
    info_.name = "host";
    info_.title = fmt::format("{}, {} cores", cpu_model(options_.root), cpus_.size());
    info_.fingerprint =
        fmt::format("{}; {} {} {}", info_.title, system.sysname, system.release, system.machine);
  }
  ~Host() override { (void)restore(); }

  const DeviceInfo& info() const override { return info_; }

  std::vector<Axis> axes() const override {
    std::vector<Axis> axes = {named_axis("cpu_cores", core_counts(cpus_.size()))};
    if (!clocks_mhz_.empty()) axes.push_back(named_axis("cpu_mhz", clocks_mhz_));
    return axes;
  }

  PowerMode default_mode() const override {
    PowerMode mode;
    mode.values["cpu_cores"] = static_cast<double>(cpus_.size());
    if (!clocks_mhz_.empty()) mode.values["cpu_mhz"] = clocks_mhz_.back();
    return mode;
  }

  std::vector<std::string> gaps() const override { return gaps_; }
  std::vector<std::string> own_axes() const override { return {axis::cpu_cores}; }
  std::vector<std::string> root_axes() const override { return root_axes_; }

  Status claim() override {
    if (journal_) return {};
    if (clocks_mhz_.empty()) {  // what an earlier flyball could set still matters
      FLYBALL_ASSIGN([[maybe_unused]] const size_t put_back, recover_settings(options_.journal));
      return {};
    }
    FLYBALL_ASSIGN(journal_, SettingsJournal::open(options_.journal, options_.root));
    return {};
  }

  Status apply(const PowerMode& mode) override {
    FLYBALL_CHECK(check_mode(axes(), mode));
    if (const auto mhz = mode.values.find("cpu_mhz"); mhz != mode.values.end())
      FLYBALL_CHECK(set_clock(mhz->second));
    const auto cores = mode.values.find("cpu_cores");
    if (cores == mode.values.end() || !options_.pin_threads) return {};
    pinned_ = true;
    return pin_all_threads(std::span(cpus_).first(static_cast<size_t>(cores->second)));
  }

  Status restore() override {
    Status status;
    if (journal_) status = journal_->restore();
    const Status unpinned = std::exchange(pinned_, false) ? pin_all_threads(cpus_) : Status();
    return status.ok() ? unpinned : status;
  }

  Status keep() override {
    FLYBALL_CHECK(can_keep());
    return journal_ ? journal_->keep() : Status();
  }

  Status can_keep() const override {
    if (!clocks_mhz_.empty()) return {};
    return Error{Code::unavailable, "this machine has no clock that can be set to stay",
                 "cores are chosen per process: start the workload with `taskset`"};
  }

 private:
  fs::path policy(int cpu) const {
    return options_.root / fmt::format("sys/devices/system/cpu/cpu{}/cpufreq", cpu);
  }

  void no_clock(const std::string& why) { gaps_.push_back("cpu_mhz cannot be set: " + why); }

  void find_clocks() {
    const auto list = read_file(policy(cpus_[0]) / "scaling_available_frequencies", 1 << 16);
    if (!list) {
      no_clock(fs::exists(policy(cpus_[0]))
                   ? "the driver lists no frequencies (intel_pstate and amd-pstate do not)"
                   : "this kernel has no cpufreq, as in most virtual machines");
      return;
    }
    if (::access((policy(cpus_[0]) / "scaling_min_freq").c_str(), W_OK) != 0) {
      no_clock("scaling_min_freq is not writable; " + rights_remedy());
      root_axes_.emplace_back(axis::cpu_mhz);
      return;
    }
    for (const std::string& khz : split(*list, ' '))
      if (const auto value = parse_double(khz); value && *value > 0)
        clocks_mhz_.push_back(*value / 1000);
    std::ranges::sort(clocks_mhz_);
  }

  Status set_clock(double mhz) {
    FLYBALL_CHECK(claim());
    std::vector<fs::path> files;
    for (int cpu : cpus_)
      for (const char* file : {"scaling_max_freq", "scaling_min_freq"})
        files.push_back(policy(cpu) / file);
    FLYBALL_CHECK(journal_->remember(files));
    const std::string khz = fmt::format("{:.0f}", mhz * 1000);
    for (int cpu : cpus_) {
      // Order matters: the minimum may never pass the maximum.
      FLYBALL_ASSIGN(const std::string high, read_file(policy(cpu) / "scaling_max_freq", 64));
      const bool raise = mhz * 1000 > parse_double(high).value_or(0);
      const char* order[] = {raise ? "scaling_max_freq" : "scaling_min_freq",
                             raise ? "scaling_min_freq" : "scaling_max_freq"};
      for (const char* file : order) FLYBALL_CHECK(journal_->set(policy(cpu) / file, khz));
    }
    return {};
  }

  HostOptions options_;
  std::vector<int> cpus_;
  std::vector<double> clocks_mhz_;
  std::vector<std::string> gaps_;
  std::vector<std::string> root_axes_;
  DeviceInfo info_;
  std::shared_ptr<SettingsJournal> journal_;
  bool pinned_ = false;
};

}  // namespace

Result<std::unique_ptr<Device>> open_host(const HostOptions& options) {
  std::vector<int> cpus = options.cpus.empty() ? allowed_cpus() : options.cpus;
  HostOptions complete = options;
  if (complete.journal.empty()) complete.journal = board_journal();
  return std::unique_ptr<Device>(std::make_unique<Host>(std::move(complete), std::move(cpus)));
}

}  // namespace flyball
