#include "store/process.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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

// Lines of /proc/locks: "1: POSIX ADVISORY WRITE 4711 fe:00:131 120 120".
int write_locker(ino_t shared_memory) {
  for (const std::string& line : split(content_of("/proc/locks"), '\n')) {
    std::vector<std::string> fields = split(line, ' ');
    std::erase(fields, "");
    if (fields.size() < 8 || fields[3] != "WRITE") continue;
    const std::vector<std::string> file = split(fields[5], ':');
    const auto pid = parse_integer(fields[4]), inode = parse_integer(file.back());
    const auto first = parse_integer(fields[6]);
    // SQLite's WAL write lock is byte 120 of the -shm file.
    if (pid && inode && static_cast<ino_t>(*inode) == shared_memory && first == 120)
      return static_cast<int>(*pid);
  }
  return 0;
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
  struct stat status {};
  const std::string shared_memory = database.string() + "-shm";
  const int pid = ::stat(shared_memory.c_str(), &status) == 0 ? write_locker(status.st_ino) : 0;
  if (pid <= 0) return "another process";
  const std::string command = command_of(pid);
  return command.empty() ? fmt::format("process {}", pid)
                         : fmt::format("{} (process {})", command, pid);
}

}  // namespace flyball
