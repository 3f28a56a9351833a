#include "sql/process.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/files.h"
#include "base/os/process_name.h"
#include "base/text.h"

namespace flyball {
namespace {

std::string content_of(const std::string& path) {
  const auto text = read_file(path, 1 << 20);
  return text ? *text : "";
}

std::string boot_id() {
  return std::string(trim(content_of("/proc/sys/kernel/random/boot_id")));
}

// Clock ticks since boot at which it started: the 22nd field, counted behind the command's name.
std::string start_time(int pid) {
  const std::string stat = content_of(fmt::format("/proc/{}/stat", pid));
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return "";
  const auto fields = split(std::string_view(stat).substr(name_end + 1), ' ');
  return fields.size() > 20 && fields[1] != "Z" ? fields[20] : "";
}

// A lock on a file. SQLite's locks on the -shm file are byte 120 for the writer of the log, byte
// 128 (shared) for every connection.
struct HeldLock {
  int pid;
  int64_t first;
};

// Lines of /proc/locks: "1: POSIX ADVISORY WRITE 4711 fe:00:131 120 120".
std::vector<HeldLock> held_locks(const std::string& path) {
  std::vector<HeldLock> held;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return held;
  for (const std::string& line : split(content_of("/proc/locks"), '\n')) {
    std::vector<std::string> fields = split(line, ' ');
    std::erase(fields, "");
    if (fields.size() < 8) continue;
    const auto pid = parse_integer(fields[4]), first = parse_integer(fields[6]);
    const auto inode = parse_integer(split(fields[5], ':').back());
    if (pid && first && inode && static_cast<ino_t>(*inode) == status.st_ino)
      held.push_back({static_cast<int>(*pid), *first});
  }
  return held;
}

}  // namespace

std::string process_identity() {
  return fmt::format("{} {} {}", boot_id(), ::getpid(), start_time(::getpid()));
}

bool is_running(const std::string& identity) {
  const auto parts = split(identity, ' ');
  if (parts.size() != 3 || parts[2].empty() || parts[0] != boot_id()) return false;
  const auto pid = parse_integer(parts[1]);
  return pid && start_time(static_cast<int>(*pid)) == parts[2];
}

std::string lock_holder(const std::filesystem::path& database) {
  const auto held = held_locks(database.string() + "-shm");
  const auto writer = std::ranges::find(held, 120, &HeldLock::first);
  const int pid = writer == held.end() ? 0 : writer->pid;
  if (pid <= 0) return "another process";
  const std::string command = command_of(pid);
  return command.empty() ? fmt::format("process {}", pid)
                         : fmt::format("{} (process {})", command, pid);
}

bool is_open(const std::filesystem::path& database) {
  return !held_locks(database.string() + "-shm").empty();
}

}  // namespace flyball
