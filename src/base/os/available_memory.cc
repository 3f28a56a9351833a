#include "base/os/available_memory.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// The first number after `key` where it begins a line.
std::optional<uint64_t> number_after(std::string_view text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with(key) || line.size() == key.size()) continue;
    const size_t from = line.find_first_of("0123456789", key.size());
    if (from == std::string::npos) continue;
    const auto value = parse_integer(line.substr(from, line.find(' ', from) - from));
    if (value && *value >= 0) return static_cast<uint64_t>(*value);
  }
  return {};
}

std::optional<uint64_t> number_in(const fs::path& file) {
  const auto text = read_file(file, 4096);
  return text ? number_after(*text, "") : std::nullopt;  // "max" is no number
}

// This process's group of a version-1 controller, or of version 2 ("").
std::string group_of(std::string_view groups, const std::string& controller) {
  for (const std::string& line : split(groups, '\n')) {
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    for (const std::string& name : split(parts[1], ','))
      if (name == controller) return line.substr(parts[0].size() + parts[1].size() + 2);
  }
  return "/";
}

// Limit less what the group holds for good: its file pages go when memory is wanted.
std::optional<uint64_t> left_in(const fs::path& group, const char* limit_file,
                                const char* used_file) {
  const auto limit = number_in(group / limit_file), used = number_in(group / used_file);
  if (!limit || !used) return {};
  uint64_t files = 0;
  if (const auto text = read_file(group / "memory.stat", 1 << 16))
    files = number_after(*text, "inactive_file").value_or(0) +
            number_after(*text, "active_file").value_or(0);
  const uint64_t kept = *used - std::min(*used, files);
  return *limit - std::min(*limit, kept);
}

// Of the group and all above it, as far as they are mounted: each of them may have a limit. In a
// container the group may be named as the host knows it; what is mounted is then its own.
std::optional<uint64_t> least_left(const fs::path& mounted, const std::string& group,
                                   const char* limit_file, const char* used_file) {
  std::optional<uint64_t> least;
  const auto take = [&](const fs::path& folder) {
    const auto left = left_in(folder, limit_file, used_file);
    if (left) least = std::min(least.value_or(*left), *left);
  };
  take(mounted);
  const fs::path below = fs::path(group).lexically_normal().relative_path();
  std::error_code ignored;
  if (!fs::is_directory(mounted / below, ignored)) return least;
  fs::path folder = mounted;
  for (const fs::path& name : below) take(folder /= name);
  return least;
}

}  // namespace

std::optional<uint64_t> available_memory(const fs::path& root) {
  std::optional<uint64_t> left;
  if (const auto text = read_file(root / "proc/meminfo", 1 << 16))
    if (const auto kib = number_after(*text, "MemAvailable:")) left = *kib * 1024;
  const auto groups = read_file(root / "proc/self/cgroup", 1 << 16);
  if (!groups) return left;
  const fs::path folder = root / "sys/fs/cgroup";
  const auto one = least_left(folder / "memory", group_of(*groups, "memory"),
                              "memory.limit_in_bytes", "memory.usage_in_bytes");
  const auto two = least_left(folder, group_of(*groups, ""), "memory.max", "memory.current");
  for (const auto& each : {one, two})
    if (each) left = std::min(left.value_or(*each), *each);
  return left;
}

}  // namespace flyball
