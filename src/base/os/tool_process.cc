#include "base/os/tool_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 64 << 10;

struct Tools {
  std::mutex mutex;
  std::vector<pid_t> running;
};

Tools& tools() {
  static Tools own;
  return own;
}

// Reads what comes until the end, the limit, or the deadline; false where it was late.
bool read_until(int from, int64_t deadline_ns, std::string& text) {
  std::array<char, 4096> buffer{};
  while (text.size() < kMostBytes) {
    const int64_t left_ms = (deadline_ns - monotonic_ns()) / 1'000'000;
    pollfd wait{from, POLLIN, 0};
    if (left_ms <= 0 || ::poll(&wait, 1, static_cast<int>(left_ms)) == 0) return false;
    const ssize_t n = ::read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(buffer.data(), static_cast<size_t>(n));
  }
  return true;
}

// Starts it with `out` as its stdout and nothing else of ours; 0, or what is wrong.
int start(const fs::path& tool, const std::vector<std::string>& arguments, int out, pid_t& child) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> words = {tool.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string path = "PATH=/usr/bin:/bin";
  std::array<char*, 2> environment = {path.data(), nullptr};
  const std::lock_guard lock(tools().mutex);
  const int problem =
      ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environment.data());
  if (problem == 0) tools().running.push_back(child);
  ::posix_spawn_file_actions_destroy(&actions);
  return problem;
}

// Has it ended by then? One that closes its output may go on.
bool ends_by(pid_t child, int64_t deadline_ns) {
  siginfo_t ended{};
  while (true) {
    ended.si_pid = 0;
    const int failed =
        ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT | WNOHANG);
    if (failed != 0 && errno != EINTR) return true;
    if (failed == 0 && ended.si_pid != 0) return true;
    if (monotonic_ns() >= deadline_ns) return false;
    ::usleep(1000);
  }
}

// Its status as waitpid() gives it.
int wait_for(pid_t child) {
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR)
    continue;
  const std::lock_guard lock(tools().mutex);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  std::erase(tools().running, child);
  return status;
}

}  // namespace

Result<std::string> run_tool(const fs::path& tool, const std::vector<std::string>& arguments,
                             double limit_s) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return file_error("run", tool, errno);
  pid_t child = 0;
  const int problem = start(tool, arguments, ends[1], child);
  ::close(ends[1]);
  std::string text;
  bool in_time = true;
  const int64_t deadline_ns = monotonic_ns() + nanoseconds(limit_s);
  if (problem == 0) in_time = read_until(ends[0], deadline_ns, text) && ends_by(child, deadline_ns);
  ::close(ends[0]);
  if (problem != 0) return file_error("run", tool, problem);
  if (!in_time) ::kill(child, SIGKILL);
  const int status = wait_for(child);
  if (in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  return Error{in_time ? Code::unavailable : Code::io,
               fmt::format("{} {} {}", tool.string(), join(arguments, " "),
                           in_time ? "failed" : fmt::format("took longer than {} s", limit_s)),
               ""};
}

std::vector<pid_t> without_tools(const std::function<std::vector<pid_t>()>& children) {
  const std::lock_guard lock(tools().mutex);
  std::vector<pid_t> found = children();
  std::erase_if(found, [](pid_t pid) {
    return std::ranges::find(tools().running, pid) != tools().running.end();
  });
  return found;
}

}  // namespace flyball
