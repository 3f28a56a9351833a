#include "campaign/program_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "base/text.h"
#include "campaign/cells.h"
#include "telemetry/process/spawn.h"

extern char** environ;

namespace flyball {
namespace {

constexpr off_t most_output = off_t{16} << 20;
constexpr off_t most_complaint = 400;

// Its end, or all of it where it is short.
std::string last_of(int file, off_t most) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  const off_t from = size > most ? size - most : 0;
  std::string text(static_cast<size_t>(std::max<off_t>(size - from, 0)), '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), from);
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

int start_program(const CommandWords& argv, int out, int err, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int problem = ::posix_spawn(&child, words[0], &actions, &attributes, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return problem;
}

// Its status as waitpid() gives it; nothing where it took too long and was killed.
std::optional<int> wait_for_program(pid_t child, double limit_s) {
  const Stopwatch since;
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return 0;
    if (since.seconds() > limit_s) break;
    ::usleep(2000);
  }
  ::kill(-child, SIGKILL);
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return {};
}

}  // namespace

Result<std::string> run_program(const CommandWords& argv, double limit_s) {
  CommandWords words = argv;
  words[0] = found_on_path(argv[0]).string();
  if (words[0].empty())
    return Error{Code::unavailable, fmt::format("there is no {} on this machine", argv[0]),
                 fmt::format("install it, or put it on the PATH: {}", argv[0])};
  const Descriptor out(::memfd_create("out", MFD_CLOEXEC)), err(::memfd_create("err", MFD_CLOEXEC));
  if (out.get() < 0 || err.get() < 0) return file_error("run", words[0], errno);
  pid_t child = 0;
  if (const int problem = start_program(words, out.get(), err.get(), child); problem != 0)
    return file_error("run", words[0], problem);
  const auto status = wait_for_program(child, limit_s);
  if (!status)
    return Error{Code::io, fmt::format("{} took longer than {:g} s", shell_line(argv), limit_s),
                 ""};
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0)
    return Error{
        Code::unavailable,
        fmt::format("{} failed: {}", shell_line(argv), trim(last_of(err.get(), most_complaint))),
        ""};
  if (::lseek(out.get(), 0, SEEK_END) > most_output)
    return Error{Code::corrupt, fmt::format("{} prints more than 16 MiB", argv[0]), ""};
  return last_of(out.get(), most_output);
}

}  // namespace flyball
