#include "experiment/limits.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

const std::string group_prefix = "flyball-";

// Control files want one write and no new file.
Status put(const fs::path& file, const std::string& text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return file_error("write", file, errno);
  const bool written = ::write(descriptor, text.data(), text.size()) >= 0;
  const int reason = errno;
  ::close(descriptor);
  return written ? Status() : file_error("write", file, reason);
}

Error refused(const Error& cause) {
  if (cause.code == Code::permission)
    return {Code::permission, "a memory limit or a throttled disk needs root: " + cause.message,
            "run this experiment as root, or leave out memory_mb, memory_pct and read_mb_s"};
  return {Code::unavailable, "this machine has no control groups for it: " + cause.message,
          "mount the memory and blkio (version 2: io) controllers, or leave out memory_mb, "
          "memory_pct and read_mb_s"};
}

// Groups of processes that crashed; one that is still used cannot be removed.
void remove_left_over(const fs::path& hierarchy) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(hierarchy, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(group_prefix)) continue;
    const auto pid = parse_integer(name.substr(group_prefix.size()));
    if (pid && ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH)
      ::rmdir(entry.path().c_str());
  }
}

// The group of this process in one hierarchy, from /proc/self/cgroup ("" is version 2).
std::string home_group(const std::string& controller) {
  const auto text = read_file("/proc/self/cgroup", 1 << 16);
  if (!text) return "/";
  for (const std::string& line : split(*text, '\n')) {
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    for (const std::string& name : split(parts[1], ','))
      if (name == controller) return join({parts.begin() + 2, parts.end()}, ":");
  }
  return "/";
}

}  // namespace

void remove_left_over_groups(const fs::path& cgroups) {
  std::error_code ignored;
  remove_left_over(cgroups);
  if (fs::exists(cgroups / "cgroup.controllers", ignored)) return;
  for (const auto& entry : fs::directory_iterator(cgroups, ignored)) remove_left_over(entry.path());
}

std::string BlockDevice::text() const {
  return fmt::format("{}:{}", major, minor);
}

Result<BlockDevice> disk_of(const fs::path& path, const fs::path& sys) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return file_error("look at", path, errno);
  BlockDevice device{::major(info.st_dev), ::minor(info.st_dev)};
  const fs::path folder = sys / "dev/block" / device.text();
  std::error_code ignored;
  if (!fs::exists(folder, ignored))
    return Error{Code::unavailable, fmt::format("{} lies on no block device", path.string()),
                 "memory and network file systems cannot be throttled; name a folder on a disk"};
  if (!fs::exists(folder / "partition", ignored)) return device;
  const auto numbers = read_file(fs::canonical(folder, ignored).parent_path() / "dev", 64);
  if (!numbers) return numbers.error();
  const auto parts = split(trim(*numbers), ':');
  const auto major_number = parse_integer(parts[0]);
  const auto minor_number = parts.size() == 2 ? parse_integer(parts[1]) : std::nullopt;
  if (!major_number || !minor_number)
    return Error{Code::corrupt, fmt::format("the disk of {} has no number", path.string()), ""};
  return BlockDevice{static_cast<unsigned>(*major_number), static_cast<unsigned>(*minor_number)};
}

Status Limits::enter(const fs::path& hierarchy, const std::string& home, const std::string& file,
                     const std::string& value) {
  remove_left_over(hierarchy);
  const Group group{hierarchy / fmt::format("{}{}", group_prefix, ::getpid()),
                    hierarchy / fs::path(home).relative_path()};
  const bool entered = !groups_.empty() && groups_.back().ours == group.ours;
  if (!entered && ::mkdir(group.ours.c_str(), 0755) != 0 && errno != EEXIST)
    return refused(file_error("make", group.ours, errno));
  if (!entered) groups_.push_back(group);
  if (const Status limit = put(group.ours / file, value); !limit.ok())
    return refused(limit.error());
  if (const Status moved = put(group.ours / "cgroup.procs", fmt::format("{}", ::getpid()));
      !moved.ok())
    return refused(moved.error());
  return {};
}

Result<std::unique_ptr<Limits>> Limits::apply(const LimitOptions& options) {
  std::unique_ptr<Limits> limits(new Limits());
  std::error_code ignored;
  const bool version2 = fs::exists(options.cgroups / "cgroup.controllers", ignored);
  const auto bytes = fmt::format("{:.0f}", options.memory_mb * 1e6);
  const auto rate = fmt::format("{:.0f}", options.read_mb_s * 1e6);
  limits->limit_file_ = version2 ? "memory.max" : "memory.limit_in_bytes";
  limits->used_file_ = version2 ? "memory.current" : "memory.usage_in_bytes";
  if (version2) {
    const std::string home = home_group("");
    // Enabled already, or refused: then the limit's own file is not there.
    (void)put(options.cgroups / "cgroup.subtree_control", "+memory +io").ok();
    if (options.memory_mb > 0) {
      FLYBALL_CHECK(limits->enter(options.cgroups, home, limits->limit_file_, bytes));
      limits->memory_group_ = limits->groups_.back().ours;
    }
    if (options.read_mb_s > 0)
      FLYBALL_CHECK(limits->enter(options.cgroups, home, "io.max",
                                  fmt::format("{} rbps={}", options.device.text(), rate)));
    return limits;
  }
  if (options.memory_mb > 0) {
    FLYBALL_CHECK(limits->enter(options.cgroups / "memory", home_group("memory"),
                                limits->limit_file_, bytes));
    limits->memory_group_ = limits->groups_.back().ours;
  }
  if (options.read_mb_s > 0)
    FLYBALL_CHECK(limits->enter(options.cgroups / "blkio", home_group("blkio"),
                                "blkio.throttle.read_bps_device",
                                fmt::format("{} {}", options.device.text(), rate)));
  return limits;
}

Result<uint64_t> Limits::own_memory() const {
  if (memory_group_.empty()) return Error{Code::unavailable, "there is no memory limit", ""};
  FLYBALL_ASSIGN(const std::string used, read_file(memory_group_ / used_file_, 64));
  FLYBALL_ASSIGN(const std::string stat, read_file(memory_group_ / "memory.stat", 1 << 16));
  const auto bytes = parse_integer(trim(used));
  if (!bytes) return Error{Code::corrupt, used_file_ + " holds no number", ""};
  long long files = 0;
  for (const std::string& line : split(stat, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() == 2 && (words[0] == "inactive_file" || words[0] == "active_file"))
      files += parse_integer(words[1]).value_or(0);
  }
  return static_cast<uint64_t>(std::max(0LL, *bytes - files));
}

Status Limits::set_memory(uint64_t bytes) {
  if (memory_group_.empty()) return Error{Code::unavailable, "there is no memory limit", ""};
  return put(memory_group_ / limit_file_, fmt::format("{}", bytes));
}

Limits::~Limits() {
  for (const Group& group : groups_) {
    (void)put(group.home / "cgroup.procs", fmt::format("{}", ::getpid())).ok();
    // Its page cache goes to the parent with it; version 1 wants to be asked.
    (void)put(group.ours / "memory.force_empty", "0").ok();
    ::rmdir(group.ours.c_str());
  }
}

}  // namespace flyball
