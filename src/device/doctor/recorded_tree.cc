#include "device/doctor/recorded_tree.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <deque>
#include <map>

#include "base/folder_entries.h"
#include "base/text.h"
#include "telemetry/sensors/small_file.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // of one path, as the kernel has it

const char* const common_patterns[] = {
    "proc/device-tree/compatible",
    "proc/device-tree/model",
    "proc/cpuinfo",
    "proc/meminfo",
    "proc/stat",
    "proc/vmstat",
    "proc/diskstats",
    "proc/pressure/cpu",
    "proc/pressure/memory",
    "proc/pressure/io",
    "proc/sys/kernel/osrelease",
    "proc/sys/vm/drop_caches",
    "etc/nv_tegra_release",
    "etc/nvpmodel.conf",
    "var/lib/nvpmodel/status",
    ".dockerenv",
    "run/.containerenv",
    "run/systemd/container",
    "sys/devices/system/cpu/present",
    "sys/devices/system/cpu/possible",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/cpu[0-9]*/online",
    "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_*",
    "sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*/name",
    "sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*/disable",
    "sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count",
    "sys/devices/system/cpu/cpufreq/policy*/scaling_*",
    "sys/class/devfreq/*/available_frequencies",
    "sys/class/devfreq/*/min_freq",
    "sys/class/devfreq/*/max_freq",
    "sys/class/devfreq/*/cur_freq",
    "sys/class/devfreq/*/governor",
    "sys/devices/pwm-fan/target_pwm",
    "sys/class/hwmon/hwmon*/name",
    "sys/class/hwmon/hwmon*/label",
    "sys/class/hwmon/hwmon*/pwm1",
    "sys/class/hwmon/hwmon*/update_interval",
    "sys/class/hwmon/hwmon*/temp*_input",
    "sys/class/hwmon/hwmon*/temp*_label",
    "sys/class/hwmon/hwmon*/oc*_event_cnt",
    "sys/class/hwmon/hwmon*/in*_label",
    "sys/class/hwmon/hwmon*/in*_input",
    "sys/class/hwmon/hwmon*/curr*_input",
    "sys/class/hwmon/hwmon*/power1_label",
    "sys/class/hwmon/hwmon*/power1_input",
    "sys/class/thermal/thermal_zone*/type",
    "sys/class/thermal/thermal_zone*/temp",
    "sys/class/powercap/intel-rapl:*/name",
    "sys/class/powercap/intel-rapl:*/energy_uj",
    "sys/class/powercap/intel-rapl:*/max_energy_range_uj",
    "sys/bus/i2c/drivers/ina3221/*/hwmon/hwmon*/in*_label",
    "sys/bus/i2c/drivers/ina3221/*/hwmon/hwmon*/in*_input",
    "sys/bus/i2c/drivers/ina3221/*/hwmon/hwmon*/curr*_input",
    "sys/bus/i2c/drivers/ina3221/*/hwmon/hwmon*/update_interval",
    "sys/bus/i2c/drivers/ina3221x/*/iio:device*/rail_name_*",
    "sys/bus/i2c/drivers/ina3221x/*/iio:device*/in_power*_input",
    "sys/block/*/size",
    "sys/block/*/device/model",
    "sys/block/*/queue/rotational",
    "sys/class/dmi/id/product_name",
    "sys/class/dmi/id/sys_vendor",
    "sys/hypervisor/type",
};

// There to be written to; what they read as tells nothing.
constexpr std::string_view write_only = "proc/sys/vm/drop_caches";

class Recorder {
 public:
  explicit Recorder(fs::path root) : root_(std::move(root)) {}

  // Expands the pattern part by part, from the folders that are there.
  void record_all(const std::string& pattern) {
    std::vector<std::string> found = {""};
    for (const std::string& part : split(pattern, '/')) {
      std::vector<std::string> next;
      for (const std::string& folder : found) {
        if (part.find_first_of("*[") == std::string::npos) {
          next.push_back(folder.empty() ? part : folder + "/" + part);
          continue;
        }
        for (const fs::path& entry : folder_entries(root_ / folder)) {
          const std::string name = entry.filename().string();
          if (::fnmatch(part.c_str(), name.c_str(), 0) == 0)
            next.push_back(folder.empty() ? name : folder + "/" + name);
        }
      }
      found = std::move(next);
    }
    for (const std::string& path : found) record(path);
  }

  RecordedTree finish() {
    RecordedTree tree;
    for (auto& [path, entry] : entries_) tree.entries.push_back(std::move(entry));
    tree.unread = std::move(unread_);
    return tree;
  }

 private:
  // Walks the path name by name; each link on the way is recorded, and the walk goes on where it
  // points to.
  void record(const std::string& path) {
    std::deque<std::string> rest;
    for (const std::string& part : split(path, '/')) rest.push_back(part);
    fs::path at;
    std::vector<TreeEntry> links;
    while (!rest.empty()) {
      const std::string name = rest.front();
      rest.pop_front();
      if (name.empty() || name == ".") continue;
      if (name == "..") {
        if (at.empty()) return;  // leads out of the tree
        at = at.parent_path();
        continue;
      }
      const fs::path next = at / name;
      std::error_code problem;
      const fs::file_status status = fs::symlink_status(root_ / next, problem);
      if (problem || !fs::exists(status)) return;
      if (!fs::is_symlink(status)) {
        at = next;
        continue;
      }
      const fs::path target = fs::read_symlink(root_ / next, problem);
      const auto below = below_root(target, at);
      if (problem || !below || static_cast<int>(links.size()) == most_links) return;
      links.push_back({TreeEntry::Kind::link, next.string(),
                       below->lexically_relative(at.empty() ? fs::path(".") : at).string()});
      const std::vector<std::string> parts = split(below->string(), '/');
      rest.insert(rest.begin(), parts.begin(), parts.end());
      at.clear();
    }
    take(at.string(), std::move(links));
  }

  // Where a link in folder `at` points to, as a path below the root; nothing where it leads out.
  std::optional<fs::path> below_root(const fs::path& target, const fs::path& at) const {
    const fs::path below = target.is_relative() ? (at / target).lexically_normal()
                           : root_ == "/"       ? target.relative_path().lexically_normal()
                                          : target.lexically_normal().lexically_relative(root_);
    if (below.empty() || below == "." || *below.begin() == "..") return {};
    return below;
  }

  void take(const std::string& path, std::vector<TreeEntry> links) {
    if (path.empty()) return;
    std::error_code problem;
    const fs::path file = root_ / path;
    if (path != write_only) {
      if (fs::is_directory(file, problem)) return;
      const auto content = read_small(file.c_str(), buffer_);
      if (!content) return refuse(content.error());
      if (content->size() > recorded_file_bytes)
        return refuse({Code::corrupt,
                       fmt::format("/{} is larger than {} bytes", path, recorded_file_bytes), ""});
      entries_.emplace(path, TreeEntry{TreeEntry::Kind::file, path, std::string(*content)});
    } else {
      entries_.emplace(path, TreeEntry{TreeEntry::Kind::file, path, ""});
    }
    for (TreeEntry& link : links) entries_.emplace(link.path, std::move(link));
  }

  void refuse(const Error& error) {
    if (std::ranges::find(unread_, error.message, &Error::message) == unread_.end())
      unread_.push_back(error);
  }

  fs::path root_;
  std::string buffer_ = std::string(recorded_file_bytes + 1, '\0');
  std::map<std::string, TreeEntry> entries_;
  std::vector<Error> unread_;
};

}  // namespace

const TreeEntry* RecordedTree::find(const std::string& path) const {
  const auto found = std::ranges::find(entries, path, &TreeEntry::path);
  return found == entries.end() ? nullptr : &*found;
}

std::vector<std::string> recorded_patterns(const BoardSpec* board) {
  std::vector<std::string> patterns(std::begin(common_patterns), std::end(common_patterns));
  if (!board) return patterns;
  for (const std::string& folder : board->gpu_folders)
    for (const char* file :
         {"available_frequencies", "min_freq", "max_freq", "cur_freq", "governor"})
      patterns.push_back(folder + "/" + file);
  const MemorySpec& memory = board->memory;
  for (const std::string& file : {memory.rate, memory.lock, memory.state}) patterns.push_back(file);
  for (const auto* files : {&board->gpu_loads, &memory.rates, &memory.caps})
    patterns.insert(patterns.end(), files->begin(), files->end());
  std::erase(patterns, "");
  return patterns;
}

RecordedTree record_tree(const fs::path& root, const BoardSpec* board) {
  std::error_code ignored;
  const fs::path real = fs::canonical(root, ignored);
  Recorder recorder(ignored ? root : real);
  for (const std::string& pattern : recorded_patterns(board)) recorder.record_all(pattern);
  return recorder.finish();
}

}  // namespace flyball
