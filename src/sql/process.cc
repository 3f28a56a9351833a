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
std::string start_time(const std::string& process) {
  const std::string stat = content_of(fmt::format("/proc/{}/stat", process));
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return "";
  const auto fields = split(std::string_view(stat).substr(name_end + 1), ' ');
  return fields.size() > 20 && fields[1] != "Z" ? fields[20] : "";
}

// The numbers of processes are those of a namespace: each container has its own.
std::string pid_namespace() {
  struct stat status {};
  if (::stat("/proc/self/ns/pid", &status) != 0) return "0";
  return fmt::format("{}", status.st_ino);
}

// Of the machine itself, in which every process of it is seen (PROC_PID_INIT_INO).
constexpr const char* outermost_namespace = "4026531836";

// What it is called in the innermost of its namespaces: "NSpid:\t4711\t17".
std::string innermost_pid(const std::string& process) {
  for (const std::string& line : split(content_of("/proc/" + process + "/status"), '\n'))
    if (line.starts_with("NSpid:")) return split(line, '\t').back();
  return "";
}

// Of another namespace only those around it see the process.
bool is_seen_from_outside(const std::string& pid, const std::string& start) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string process = entry.path().filename().string();
    if (parse_integer(process) && innermost_pid(process) == pid && start_time(process) == start)
      return true;
  }
  return false;
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
  return fmt::format("{} {} {} {}", boot_id(), pid_namespace(), ::getpid(), start_time("self"));
}

bool is_running(const std::string& identity) {
  auto parts = split(identity, ' ');
  const std::string here = pid_namespace();
  if (parts.size() == 3) parts.insert(parts.begin() + 1, here);  // as earlier programs wrote it
  if (parts.size() != 4 || parts[3].empty() || parts[0] != boot_id()) return false;
  if (!parse_integer(parts[2])) return false;
  if (parts[1] == here) return start_time(parts[2]) == parts[3];
  return here != outermost_namespace || is_seen_from_outside(parts[2], parts[3]);
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
