#include "telemetry/process/process_tree.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>

#include "base/os/tool_process.h"
#include "telemetry/sensors/small_file.h"

namespace flyball {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Calls visit(number) for every entry of a folder whose name is a number.
template <class Visit>
void each_number(const char* path, Visit visit) {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path));
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder.get())) {
    const char* end = entry->d_name + std::strlen(entry->d_name);
    pid_t number = 0;
    const auto parsed = std::from_chars(entry->d_name, end, number);
    if (parsed.ec == std::errc{} && parsed.ptr == end) visit(number);
  }
}

template <size_t N>
std::string_view read_proc(pid_t pid, const char* file, std::array<char, N>& buffer) {
  char path[64];
  *fmt::format_to(path, "/proc/{}/{}", pid, file) = '\0';
  const auto text = read_small(path, buffer);
  return text ? *text : std::string_view{};
}

// Kernels without CONFIG_PROC_CHILDREN have no such file: then every process is looked at.
bool has_children_files() {
  static const bool has =
      ::access(fmt::format("/proc/self/task/{}/children", ::getpid()).c_str(), R_OK) == 0;
  return has;
}

std::vector<pid_t> children_by_search(pid_t parent) {
  std::vector<pid_t> children;
  each_number("/proc", [&](pid_t pid) {
    const auto stat = read_pid_stat(pid);
    if (stat && stat->parent == parent) children.push_back(pid);
  });
  return children;
}

}  // namespace

std::optional<PidStat> read_pid_stat(pid_t pid) {
  std::array<char, 1024> buffer;
  return parse_pid_stat(read_proc(pid, "stat", buffer));
}

std::optional<PidIo> read_pid_io(pid_t pid) {
  std::array<char, 512> buffer;
  return parse_pid_io(read_proc(pid, "io", buffer));
}

double process_peak_bytes(pid_t pid) {
  std::array<char, 4096> buffer;
  return static_cast<double>(parse_kb_line(read_proc(pid, "status", buffer), "VmHWM").value_or(0));
}

std::vector<pid_t> ProcessTree::children_of(pid_t pid) {
  if (!has_children_files()) return children_by_search(pid);
  std::vector<pid_t> children;
  std::array<char, 16384> buffer;
  each_number(fmt::format("/proc/{}/task", pid).c_str(), [&](pid_t thread) {
    std::string_view text = read_proc(pid, fmt::format("task/{}/children", thread).c_str(), buffer);
    while (!text.empty()) {
      pid_t child = 0;
      const auto parsed = std::from_chars(text.data(), text.data() + text.size(), child);
      if (parsed.ec != std::errc{}) break;
      children.push_back(child);
      text.remove_prefix(static_cast<size_t>(parsed.ptr - text.data()));
      if (text.starts_with(' ')) text.remove_prefix(1);
    }
  });
  return children;
}

ProcessTree::ProcessTree(pid_t leader, std::vector<pid_t> bystanders)
    : leader_(leader), bystanders_(std::move(bystanders)), members_{leader} {}

void ProcessTree::lead(pid_t leader) {
  leader_ = leader;
  members_ = {leader};
}

void ProcessTree::add_with_descendants(pid_t pid) {
  if (std::ranges::find(members_, pid) != members_.end()) return;
  members_.push_back(pid);
  for (pid_t child : children_of(pid)) add_with_descendants(child);
}

std::vector<pid_t> ProcessTree::adopted() const {
  std::vector<pid_t> ours = without_tools([] { return children_of(::getpid()); });
  std::erase_if(ours, [&](pid_t pid) {
    return pid != leader_ && std::ranges::find(bystanders_, pid) != bystanders_.end();
  });
  return ours;
}

void ProcessTree::refresh() {
  members_.clear();
  for (pid_t pid : adopted()) add_with_descendants(pid);
}

double ProcessTree::resident_bytes() const {
  static const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  std::array<char, 256> buffer;
  uint64_t sum = 0;
  for (pid_t pid : members_)
    sum += parse_statm_resident(read_proc(pid, "statm", buffer), page).value_or(0);
  return static_cast<double>(sum);
}

TreeUse ProcessTree::use() const {
  static const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  TreeUse use;
  use.resident_bytes = resident_bytes();
  for (pid_t pid : members_) {
    const auto stat = read_pid_stat(pid);
    if (!stat || stat->state == 'Z' || stat->state == 'X') continue;
    const uint64_t ticks = stat->user + stat->system + stat->children_user + stat->children_system;
    use.cpu_s += static_cast<double>(ticks) * tick_s;
    ++use.processes;
    use.threads += stat->threads;
    use.faults += stat->faults;
  }
  return use;
}

}  // namespace flyball
